"""`specchat pull`, and models that are fetched where they are first used, from a hub on this machine."""

import os
from types import SimpleNamespace

import pytest

from ..hub.faults import Fault
from ..tiny import TinyModel, write_tiny
from .fakes import World


@pytest.fixture
def hub(standin, tmp_path):
    """A hub with a target and two drafts, of which one fits; `run` runs a command against it."""
    sizes = {}
    for name, model in {
        "big-Q4_K_M.gguf": TinyModel(layers=3),
        "small-Q8_0.gguf": TinyModel(),
        "other-Q8_0.gguf": TinyModel(altered=(100, "odd")),
    }.items():
        write_tiny(tmp_path / name, model)
        standin.add(f"user/{name[:-5].rsplit('-', 1)[0]}-GGUF", {name: tmp_path / name})
        sizes[name] = (tmp_path / name).stat().st_size

    def run(*arguments, **settings):
        variables = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(tmp_path / "hf")}
        return World(home=lambda: tmp_path, variables=variables, stdin=b"", **settings).run(*arguments)

    return SimpleNamespace(standin=standin, run=run, sizes=sizes, cache=tmp_path / "hf" / "hub")


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_both_are_fetched_and_their_files_printed(hub):
    done = hub.run("pull", "user/big-GGUF", "--draft", "user/small-GGUF:Q8_0")
    assert done.code == 0
    target, draft = done.out.splitlines()
    assert target.endswith("big-Q4_K_M.gguf")
    assert os.path.getsize(target) == hub.sizes["big-Q4_K_M.gguf"]  # noqa: PTH202
    assert os.path.getsize(draft) == hub.sizes["small-Q8_0.gguf"]  # noqa: PTH202
    assert "user/big-GGUF: big-Q4_K_M.gguf, the only model in it." in done.err


def test_what_is_here_is_not_asked_for(hub):
    hub.run("pull", "user/big-GGUF", "--draft", "user/small-GGUF")
    hub.standin.requests.clear()
    assert hub.run("pull", "user/big-GGUF", "--draft", "user/small-GGUF").code == 0
    assert hub.run("run", "-m", "user/big-GGUF", "--draft", "user/small-GGUF", "hello").code == 0
    assert hub.run("run", "--offline", "-m", "user/big-GGUF:Q4_K_M", "hello").code == 0
    assert hub.standin.requests == []


def test_a_draft_that_does_not_fit_is_refused_before_it_is_fetched(hub):
    done = hub.run("pull", "user/big-GGUF", "--draft", "user/other-GGUF", "-q")
    assert done.code == 6
    assert done.err == (
        "error: The draft does not fit the target: their normal tokens must agree, but 1 differ, the first being token "
        "100 ('§' in the target, 'odd' in the draft).\n".replace("'§'", done.err.split("100 (")[1].split(" in ")[0])
        + "hint: Choose a draft of the same model family, or draft without a model: --draft ngram.\n"
    )
    assert files(hub.cache) == []


def test_a_dry_run_says_what_would_come(hub):
    done = hub.run("pull", "user/big-GGUF", "--draft", "user/small-GGUF", "--dry-run")
    total = (hub.sizes["big-Q4_K_M.gguf"] + hub.sizes["small-Q8_0.gguf"]) / 1e6
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("user/big-GGUF/big-Q4_K_M.gguf: ")
    assert done.out.splitlines()[-1] == f"{total:.1f} MB to fetch"
    assert hub.standin.served == 0
    hub.run("pull", "user/big-GGUF")
    assert hub.run("pull", "user/big-GGUF", "--dry-run").out.endswith("on this machine\nnothing to fetch\n")


def test_a_model_is_fetched_when_it_is_first_used(hub):
    done = hub.run("run", "-m", "user/big-GGUF", "--draft", "user/small-GGUF", "hello")
    assert (done.code, done.out) == (0, "Hello.\n")
    assert "big-Q4_K_M.gguf" in files(hub.cache)
    for command in (["complete"], ["bench", "--draft", "ngram"]):
        hub.standin.requests.clear()
        hub.run(*command, "-m", "user/big-GGUF", "--offline", "text")
        assert hub.standin.requests == []


def test_offline_what_is_not_here_is_missing(hub):
    done = hub.run("run", "--offline", "-m", "user/big-GGUF", "hello")
    assert done.code == 3
    assert "user/big-GGUF" in done.err
    assert hub.standin.requests == []


@pytest.mark.parametrize(
    ("repository", "fault", "code", "word"),
    [
        ("user/missing", None, 4, "user/missing"),
        ("user/big-GGUF", Fault(status=500), 5, "500"),
    ],
)
def test_refusals_and_failures_have_their_exit_codes(hub, repository, fault, code, word):
    if fault:
        fault.times = 100
        hub.standin.inject(fault)
    done = hub.run("pull", repository)
    assert done.code == code
    assert word in done.err
    assert done.out == ""


def test_a_gated_repository_is_explained(hub):
    hub.standin.repositories["user/big-GGUF"].gated = True
    done = hub.run("pull", "user/big-GGUF")
    assert done.code == 4
    assert "hf auth login" in done.err


def test_a_profile_is_pulled_with_its_draft(hub, tmp_path):
    profile = tmp_path / "mine.yaml"
    profile.write_text("target: user/big-GGUF:Q4_K_M\ndraft: user/small-GGUF:Q8_0\n")
    assert hub.run("profile", "new", "mine", "-m", "user/big-GGUF", "--draft", "user/small-GGUF").code == 0
    done = hub.run("pull", "mine")
    assert done.code == 0
    assert [line.rsplit("/", 1)[1] for line in done.out.splitlines()] == ["big-Q4_K_M.gguf", "small-Q8_0.gguf"]


def test_a_terminal_sees_a_bar_and_a_pipe_does_not(hub):
    assert "\x1b[" not in hub.run("pull", "user/small-GGUF").err
    done = hub.run("pull", "user/big-GGUF", screen=True)
    assert "/s" in done.out
    assert "100%" in done.out or "kB" in done.out
