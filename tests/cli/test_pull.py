"""`specchat pull`, and models that are fetched where they are first used, from a hub on this machine."""

import os

import pytest

from ..hub.faults import ALWAYS, Fault


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


def test_what_a_repository_alone_means_here_is_told_to_people(hub):
    hub.run("pull", "user/small-GGUF:Q8_0")
    told = "user/small-GGUF: user/small-GGUF:Q8_0, which is on this machine."
    assert told in hub.run("run", "-m", "user/small-GGUF", "Hi", screen=True).out
    assert hub.run("run", "-m", "user/small-GGUF", "Hi").err == ""
    assert told not in hub.run("run", "-m", "user/small-GGUF:Q8_0", "Hi", screen=True).out


def test_a_draft_that_does_not_fit_is_refused_before_it_is_fetched(hub):
    done = hub.run("pull", "user/big-GGUF", "--draft", "user/other-GGUF", "-q")
    assert done.code == 6
    assert done.err == (
        "error: The draft does not fit the target: their normal tokens must agree, but 1 differ, the first being token "
        "100 ('§' in the target, 'odd' in the draft).\n"
        "hint: Choose a draft of the same model family, or draft without a model: --draft ngram.\n"
    )
    assert files(hub.cache) == []


def test_a_dry_run_says_what_would_come(hub):
    done = hub.run("pull", "user/big-GGUF", "--draft", "user/small-GGUF", "--dry-run")
    total = (hub.sizes["big-Q4_K_M.gguf"] + hub.sizes["small-Q8_0.gguf"]) / 1e6
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("user/big-GGUF/big-Q4_K_M.gguf: ")
    assert done.out.splitlines()[-1] == f"{total:.1f} MB to fetch"
    assert hub.standin.served <= 2 * 128 * 1024  # headers
    hub.run("pull", "user/big-GGUF")
    assert hub.run("pull", "user/big-GGUF", "--dry-run").out.endswith("on this machine\nnothing to fetch\n")


def test_a_dry_run_refuses_what_pull_would_refuse(hub):
    done = hub.run("pull", "user/big-GGUF", "--draft", "user/other-GGUF", "--dry-run")
    assert done.code == 6
    assert files(hub.cache) == []


def test_a_model_is_fetched_when_it_is_first_used(hub):
    done = hub.run("run", "-m", "user/big-GGUF", "--draft", "user/small-GGUF", "hello")
    assert (done.code, done.out) == (0, "Hello.\n")
    assert "big-Q4_K_M.gguf" in files(hub.cache)
    for command in (["complete", "text"], ["bench", "--draft", "ngram", "--seconds", "1", "--kinds", "code"]):
        hub.standin.requests.clear()
        assert hub.run(*command, "-m", "user/big-GGUF", "--offline", n_ctx=9000).code == 0
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
        ("user/big-GGUF", Fault(status=501), 5, "501"),
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


def told(done):
    """The end of a command as a person sees it."""
    return f"{done.err}exit code {done.code}\n"


@pytest.mark.parametrize("command", [["pull", "user/big-GGUF"], ["run", "-m", "user/big-GGUF", "Hi"]])
def test_a_pair_that_does_not_fit_costs_its_headers_only(hub, tmp_path, command):
    """With a body that is large beside the header, as that of real models is."""
    for name in ("big", "other"):
        small = (tmp_path / f"{name}-{'Q4_K_M' if name == 'big' else 'Q8_0'}.gguf").read_bytes()
        hub.standin.add(f"user/{name}-GGUF", {f"{name}-Q4_K_M.gguf": small + bytes(20_000_000)})
    done = hub.run(command[0], *command[1:], "--draft", "user/other-GGUF", "-q")
    assert told(done) == (
        "error: The draft does not fit the target: their normal tokens must agree, but 1 differ, the first being token "
        "100 ('§' in the target, 'odd' in the draft).\n"
        "hint: Choose a draft of the same model family, or draft without a model: --draft ngram.\n"
        "exit code 6\n"
    )
    assert 0 < hub.standin.served <= 2 * 64 * 1024
    assert files(hub.cache) == []


def test_a_pair_that_is_here_is_compared_too(hub):
    hub.run("pull", "user/big-GGUF")
    hub.run("pull", "user/other-GGUF")
    hub.standin.requests.clear()
    assert hub.run("pull", "user/big-GGUF", "--draft", "user/other-GGUF").code == 6
    assert hub.standin.requests == []


def test_a_disk_without_room_for_both_is_told_before_the_first_byte(hub):
    """Each of the two would be too large for any disk; the headers are not asked for, either."""
    for name, letter in (("big", "a"), ("small", "b")):
        repository = hub.standin.repositories[f"user/{name}-GGUF"]
        [content] = repository.commits[repository.branches["main"]].values()
        content.__dict__.update(size=5 * 10**17, sha256=letter * 64)
    for command in (["pull", "user/big-GGUF"], ["run", "-m", "user/big-GGUF", "Hi"]):
        done = hub.run(*command, "--draft", "user/small-GGUF", "-q")
        assert (done.code, done.out) == (5, "")
        assert done.err.startswith("error: There is no room: 1000000000.0 GB are to come, and ")
        assert "\nhint: Free " in done.err
    assert (hub.standin.served, files(hub.cache)) == (0, [])
    dry = hub.run("pull", "user/big-GGUF", "--dry-run")
    assert (dry.code, dry.out.splitlines()[-1]) == (5, "500000000.0 GB to fetch")


@pytest.mark.parametrize("command", [["pull", "user/big-GGUF"], ["run", "-m", "user/big-GGUF", "Hi"]])
@pytest.mark.parametrize("draft", [(), ("--draft", "user/small-GGUF")])
def test_a_gated_model_is_told_with_its_page_and_what_to_type(hub, command, draft):
    hub.standin.repositories["user/big-GGUF"].gated = True
    done = hub.run(*command, *draft, "-q")
    assert told(done).replace(hub.standin.endpoint, "HUB") == (
        "error: user/big-GGUF is gated: its licence has to be accepted by somebody who is logged in.\n"
        "hint: Accept it at HUB/user/big-GGUF, then type: hf auth login\n"
        "exit code 4\n"
    )
    assert hub.standin.served == 0
    assert not any(name.endswith(".gguf") for name in files(hub.cache))


def test_offline_nothing_is_asked_and_what_is_missing_is_named(hub):
    for arguments, more in (((), {"HF_HUB_OFFLINE": "1"}), (("--offline",), {})):
        done = hub.run("pull", "user/big-GGUF", *arguments, more=more)
        assert told(done) == (
            "error: user/big-GGUF is not on this machine, and the hub may not be asked.\n"
            "hint: Leave out --offline and HF_HUB_OFFLINE once, or name a file.\n"
            "exit code 3\n"
        )
    assert hub.standin.requests == []


def test_a_command_line_that_makes_no_sense_fetches_nothing(hub):
    for line in (
        ["complete", "-m", "user/big-GGUF"],
        ["run", "-m", "user/big-GGUF", "--json", "-i", "Hi"],
        ["run", "-m", "user/big-GGUF", "--draft", "none", "--compare", "Hi"],
        ["run", "-m", "user/big-GGUF", "--verification", "rejection", "--compare", "Hi"],
        ["bench", "-m", "user/big-GGUF", "--verify", "--full"],
        ["bench", "-m", "user/big-GGUF", "--draft-length", "3"],
        ["pull", "user/big-GGUF", "--draft", "ngram"],
        ["bench", "-m", "user/big-GGUF", "--draft", "none"],
        ["bench", "-m", "user/big-GGUF", "--fixed", "17"],
    ):
        assert hub.run(*line).code == 2
    assert hub.standin.requests == []


def test_a_file_that_is_not_there_was_not_pulled(hub):
    done = hub.run("pull", "./nothing.gguf")
    assert (done.code, done.out) == (3, "")
    assert "error: There is no model file nothing.gguf.\n" in done.err


def test_a_profile_that_is_named_as_a_draft_is_its_target(hub):
    assert hub.run("profile", "new", "mine", "-m", "user/small-GGUF").code == 0
    done = hub.run("run", "-m", "user/big-GGUF", "--draft", "mine", "Hi")
    assert (done.code, done.pair.config.draft.name) == (0, "small-Q8_0.gguf")


@pytest.fixture
def profile(hub):
    """Keeps a profile of the target with a draft."""

    def kept(draft):
        assert hub.run("profile", "new", "mine", "-m", "user/big-GGUF", "--draft", draft).code == 0

    return kept


@pytest.mark.parametrize(
    ("draft", "reason", "code"),
    [
        ("user/nothing-GGUF", "user/nothing-GGUF", 4),
        ("user/gated-GGUF", "gated", 4),
        ("user/other-GGUF", "100 ('§' in the target, 'odd' in the draft)", 6),
    ],
)
def test_a_draft_that_only_a_profile_names_fails_no_run_where_it_cannot_be_had(hub, profile, draft, reason, code):
    gated = hub.standin.add("user/gated-GGUF", {"g.gguf": b"GGUF"})
    gated.gated = True
    profile(draft)
    done = hub.run("run", "-m", "mine", "Hi")
    assert (done.code, done.out, done.pair.config.draft) == (0, "Hello.\n", "ngram")
    assert "warning: N-grams draft alone: " in done.err
    assert reason in done.err
    assert hub.run("run", "-m", "mine", "-q", "Hi").err == ""
    assert hub.run("run", "-m", "mine", "--draft", draft, "Hi").code == code
    assert hub.run("pull", "mine").code == code


def test_loading_leaves_out_a_file_that_only_a_profile_names(hub, profile):
    profile("./nothing.gguf")
    assert not hub.run("run", "-m", "mine", "Hi").pair.config.draft_required
    assert hub.run("run", "-m", "mine", "--draft", "./nothing.gguf", "Hi").pair.config.draft_required
    assert hub.run("run", "-m", "mine", "Hi", more={"SPECCHAT_DRAFT": "./nothing.gguf"}).pair.config.draft_required


@pytest.mark.parametrize("option", [("--draft-length", "3"), ("--verification", "rejection")])
def test_where_only_the_draft_of_a_profile_may_draft_it_has_to_be_there(hub, profile, option):
    profile("user/other-GGUF")
    done = hub.run("run", "-m", "mine", *option, "Hi")
    assert done.code == 6


def test_what_a_broken_download_left_is_not_counted_again(hub):
    half = hub.sizes["big-Q4_K_M.gguf"] // 2
    hub.standin.inject(Fault("/cdn/", cut_at=half))
    hub.standin.inject(Fault("/cdn/", times=ALWAYS, status=404))
    assert hub.run("pull", "user/big-GGUF").code != 0
    hub.standin.faults.clear()
    left = (hub.sizes["big-Q4_K_M.gguf"] - half) / 1000
    assert (
        hub.run("pull", "user/big-GGUF", "--dry-run").out.splitlines()[-1]
        == f"{left:.1f} kB to fetch; the rest is here"
    )
    assert hub.run("pull", "user/big-GGUF").code == 0
    assert hub.standin.served == hub.sizes["big-Q4_K_M.gguf"]


def test_a_repository_is_its_main_branch_whatever_else_of_it_is_here(hub, tmp_path):
    hub.standin.add("user/big-GGUF", {"big-Q4_K_M.gguf": tmp_path / "small-Q8_0.gguf"}, branch="v2")
    side = hub.run("pull", f"{hub.standin.endpoint}/user/big-GGUF/blob/v2/big-Q4_K_M.gguf").out.strip()
    assert hub.run("pull", "user/big-GGUF", "--offline").code == 3
    main = hub.run("pull", "user/big-GGUF").out.strip()
    assert os.path.getsize(side) == hub.sizes["small-Q8_0.gguf"]  # noqa: PTH202
    assert os.path.getsize(main) == hub.sizes["big-Q4_K_M.gguf"]  # noqa: PTH202


def test_a_dry_run_names_each_part_of_a_split_model_in_a_line(hub):
    hub.standin.add("user/split", {f"m-Q8_0-0000{part}-of-00002.gguf": b"GGUF" * part for part in (1, 2)})
    first, second, total = hub.run("pull", "user/split", "--dry-run").out.splitlines()
    assert (first, total) == ("user/split/m-Q8_0-00001-of-00002.gguf: 4 B", "12 B to fetch")
    assert second.startswith("user/split/m-Q8_0-00002-of-00002.gguf: 8 B (")


def test_addresses_of_a_mirror_are_taken_wherever_a_model_is(hub):
    target, draft = (
        f"{hub.standin.endpoint}/user/{name}-GGUF/blob/main/{name}-{quant}.gguf"
        for name, quant in (("big", "Q4_K_M"), ("small", "Q8_0"))
    )
    done = hub.run("run", "-m", target, "--draft", draft, "Hi")
    assert done.code == 0
    assert done.pair.config.draft.name == "small-Q8_0.gguf"
    assert hub.run("pull", target, "--draft", draft, "--offline").code == 0
