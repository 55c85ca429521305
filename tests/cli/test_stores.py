"""`specchat list`, `rm` and `verify` on stores that are laid out as their tools do it."""

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ..nobody import nobody
from ..profiles.stores.layouts import hub_file, lm_studio_file, old_llama_file, ollama_model
from .fakes import World

HUB, LLAMA, STUDIO, OLLAMA, SERVICE = (
    "home/.cache/huggingface/hub",
    "home/.cache/llama.cpp",
    "home/.lmstudio/models",
    "home/.ollama/models",
    "system/usr/share/ollama/.ollama/models",
)
THEN = 1_699_963_200  # noon, so that it is one day in most places


@pytest.fixture
def tiny(write_tiny_model):
    """Two tiny models: one in two kinds of files, and one that speaks another language."""
    return {
        "target": write_tiny_model().read_bytes(),
        "draft": write_tiny_model(layers=1).read_bytes(),
        "other": write_tiny_model(tokenizer="spm").read_bytes(),
    }


@pytest.fixture
def stores(tmp_path, tiny):
    """One model in each store, last used in November 2023."""
    hub_file(tmp_path / HUB, "user/big-GGUF", "big-Q4_K_M.gguf", tiny["target"])
    old_llama_file(tmp_path / LLAMA, "user/small-GGUF", "small-Q8_0.gguf", tiny["draft"])
    lm_studio_file(tmp_path / STUDIO, "publisher/other-GGUF", "other.gguf", tiny["other"])
    ollama_model(tmp_path / OLLAMA, "tiny/1m", tiny["draft"])
    ollama_model(tmp_path / SERVICE, "tiny/latest", tiny["target"])
    for file in tmp_path.rglob("*"):
        os.utime(file, (THEN, THEN))
    return tmp_path


def world(root: Path, **settings) -> World:
    return World(home=lambda: root / "home", system=root / "system", **settings)


NAMES = ["user/big-GGUF:Q4_K_M", "user/small-GGUF:Q8_0", "publisher/other-GGUF", "tiny:1m", "tiny:latest"]


def test_all_stores_are_one_list(stores):
    done = world(stores).run("list")
    assert (done.code, done.err) == (0, "")
    lines = [re.sub(r"\d+\.\d kB", "# kB", line) for line in done.out.splitlines()]
    assert [re.split(r" {2,}", line) for line in lines] == [
        ["name", "size", "weights", "vocabulary", "used", "store"],
        ["user/big-GGUF:Q4_K_M", "# kB", "F32", "qwen2 0k", "2023-11-14", "hub cache"],
        ["user/small-GGUF:Q8_0", "# kB", "F32", "qwen2 0k", "2023-11-14", "llama.cpp"],
        ["publisher/other-GGUF", "# kB", "F32", "llama 0k", "2023-11-14", "LM Studio"],
        ["tiny:1m", "# kB", "F32", "qwen2 0k", "2023-11-14", "Ollama"],
        ["tiny:latest", "# kB", "F32", "qwen2 0k", "2023-11-14", "Ollama"],
    ]


def test_a_narrow_terminal_gets_two_lines_for_a_model(stores):
    done = world(stores, screen=True, columns=40).run("list")
    assert max(map(len, done.out.splitlines())) <= 40
    assert done.out.splitlines()[0] == "user/big-GGUF:Q4_K_M"


def test_the_list_as_json(stores):
    content = json.loads(world(stores).run("list", "--json").out)
    assert [model["name"] for model in content["models"]] == NAMES
    assert content["notices"] == []
    first = content["models"][0]
    assert first.pop("size") > 1000
    path = str(
        stores / HUB / "models--user--big-GGUF/snapshots/0123456789abcdef0123456789abcdef01234567/big-Q4_K_M.gguf"
    )
    assert first == {
        "name": "user/big-GGUF:Q4_K_M",
        "store": "hub cache",
        "path": path,
        "shards": [path],
        "last_used": "2023-11-14T12:00:00+00:00",
        "architecture": "llama",
        "quantisation": "F32",
        "vocabulary": "qwen2 0k",
        "tokens": 300,
        "problems": [],
    }


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="only Linux reads without a trace")
@pytest.mark.parametrize("command", ["list", "verify", "show tiny:1m", "pair user/big-GGUF --offline"])
def test_looking_at_models_is_no_use_of_them(stores, command):
    before = world(stores).run("list", "--json").out
    assert world(stores).run(*command.split()).code == 0
    assert world(stores).run("list", "--json").out == before
    assert "2023-11-14T12:00:00" in before


def test_nothing_is_a_list_too(tmp_path):
    done = world(tmp_path).run("list")
    assert (done.code, done.out) == (0, "")
    assert "There are no models on this machine yet." in done.err
    assert json.loads(world(tmp_path).run("list", "--json").out) == {"models": [], "notices": []}


def test_files_that_cannot_be_loaded_are_marked(tmp_path, write_tiny_model):
    conversion = write_tiny_model(architecture="gptoss")
    ollama_model(tmp_path / OLLAMA, "gpt-oss/20b", conversion.read_bytes())
    lm_studio_file(tmp_path / STUDIO, "p/pointer", "m.gguf", b"version https://git-lfs.github.com/spec/v1\n")
    done = world(tmp_path).run("list")
    lines = done.out.splitlines()
    assert lines[1].startswith("p/pointer")
    assert "is not a GGUF file: it starts with 'vers'" in lines[2]
    assert lines[3].startswith("gpt-oss:20b")
    assert lines[4] == "    It is Ollama's own conversion, as gptoss, which only Ollama can load."


def path_of(stores: Path, name: str) -> Path:
    content = json.loads(world(stores).run("list", "--json").out)
    return Path(next(model["path"] for model in content["models"] if model["name"] == name))


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_name_can_be_shown(stores, name):
    done = world(stores).run("show", name, "--draft", name)
    assert (done.code, done.err) == (0, "")
    assert str(path_of(stores, name)) in "".join(line.strip() for line in done.out.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_drafts_are_listed_for_every_listed_name(stores, name):
    done = world(stores).run("pair", name, "--offline", "--json")
    assert done.code == 0
    assert json.loads(done.out)["model"]["size"] == path_of(stores, name).stat().st_size


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_name_is_a_model_and_a_draft(stores, name):
    done = world(stores).run("run", "-m", name, "--draft", name, "Hi")
    assert done.code == 0
    config = done.pair.config
    assert (config.target, config.draft) == (path_of(stores, name), path_of(stores, name))


def test_what_is_half_there_is_told_on_stderr(tmp_path):
    hub_file(tmp_path / HUB, "u/r", "m-Q8_0-00001-of-00002.gguf", b"x")
    done = world(tmp_path).run("list")
    assert done.out == ""
    assert (
        "warning: u/r/m-Q8_0-00001-of-00002.gguf (hub cache) is incomplete: part 2 is missing. specchat pull"
        in done.err
    )


def test_no_name_of_a_file_is_obeyed_by_the_terminal(tmp_path):
    lm_studio_file(tmp_path / STUDIO, "p\x1b[2J/r\n\x9b", "m\x07.gguf", b"x")
    done = world(tmp_path).run("list")
    assert len(done.out.splitlines()) == 3
    for output in (done.out, world(tmp_path).run("list", "--json").out):
        assert not {"\x1b", "\x07", "\x9b"} & set(output)


def test_removing_asks_first(stores):
    done = world(stores, screen=True, stdin=None, lines=["y"]).run("rm", "user/big-GGUF:Q4_K_M")
    assert done.code == 0
    assert "Remove it from the hub's cache, which other tools share? [y/N] y" in done.out
    assert done.out.splitlines()[-1].startswith("user/big-GGUF:Q4_K_M is removed: ")
    assert not list((stores / HUB).rglob("*.gguf"))


@pytest.mark.parametrize("lines", [["n"], [""], ["yy"], []])
def test_anything_but_yes_is_no(stores, lines):
    done = world(stores, screen=True, stdin=None, lines=lines).run("rm", "user/big-GGUF:Q4_K_M")
    assert done.code == 0
    assert "Nothing is removed." in done.out
    assert list((stores / HUB).rglob("*.gguf"))


def test_without_a_terminal_yes_has_to_be_said_beforehand(stores):
    done = world(stores).run("rm", "user/big-GGUF:Q4_K_M")
    assert done.code == 2
    assert done.err == (
        "error: There is no terminal to ask on before removing something.\nhint: Leave the question out with -y.\n"
    )
    assert list((stores / HUB).rglob("*.gguf"))
    assert world(stores).run("rm", "-y", "user/big-GGUF:Q4_K_M").code == 0
    assert not list((stores / HUB).rglob("*.gguf"))


@pytest.mark.parametrize("name", NAMES[1:])
def test_nothing_is_removed_from_other_stores(stores, name):
    before = sorted(stores.rglob("*"))
    done = world(stores).run("rm", "-y", "user/big-GGUF:Q4_K_M", name)
    assert done.code == 2
    assert f"error: {name} lies in " in done.err
    assert sorted(stores.rglob("*")) == before


def test_a_model_that_is_named_twice_is_removed_once(stores):
    done = world(stores).run("rm", "-y", NAMES[0], NAMES[0].lower())
    assert done.code == 0
    assert done.out.count("is removed") == 1


def test_no_model_is_called_like_what_draft_takes_or_a_profile(tmp_path):
    (tmp_path / LLAMA).mkdir(parents=True)
    words = ("auto", "demo", "ngram", "none")
    for word in words:
        (tmp_path / LLAMA / f"{word}.gguf").write_bytes(b"x")
    content = json.loads(world(tmp_path).run("list", "--json").out)
    assert [model["name"] for model in content["models"]] == [str(tmp_path / LLAMA / f"{word}.gguf") for word in words]


def test_what_is_removed_is_not_guessed(stores):
    done = world(stores).run("rm", "-y", "user/big-GGUF")
    assert done.code == 2
    assert "hint: Write its whole name, such as user/big-GGUF:Q4_K_M." in done.err


@pytest.mark.parametrize("command", ["rm", "verify"])
def test_an_unknown_name_gets_the_nearest(stores, command):
    done = world(stores).run(command, "tiny:1n")
    assert done.code == 3
    assert done.err == (
        "error: There is no model called tiny:1n on this machine.\n"
        "hint: Did you mean tiny:1m? specchat list shows all names.\n"
    )


def test_whole_models_are_intact_where_there_are_sums(stores):
    done = world(stores).run("verify")
    assert (done.code, done.err) == (0, "")
    assert [line.split("  ")[0] for line in done.out.splitlines()] == ["intact", "intact", "no sum", "intact", "intact"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        (
            "user/big-GGUF:Q4_K_M",
            "Fetch it again: specchat rm user/big-GGUF:Q4_K_M, then specchat pull user/big-GGUF:Q4_K_M",
        ),
        ("tiny:1m", "Fetch it again: ollama rm tiny:1m, then ollama pull tiny:1m"),
        ("user/small-GGUF:Q8_0", "Remove {path} and fetch it again."),
    ],
)
def test_a_changed_byte_is_found(stores, name, hint):
    path = path_of(stores, name)
    data = path.read_bytes()
    path.resolve().write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    done = world(stores).run("verify", name)
    assert (done.code, done.out) == (5, f"damaged     {name}\n")
    assert done.err == f"error: 1 model is damaged: {name}.\nhint: {hint.format(path=path)}\n"
    done = world(stores).run("verify", "--json", name)
    [result] = json.loads(done.out)["models"]
    assert (done.code, result["name"], result["result"]) == (5, name, "damaged")


def test_a_file_that_may_not_be_read_is_no_damaged_one():
    with nobody(), TemporaryDirectory() as name:
        blob = ollama_model(Path(name) / OLLAMA, "tiny/1m", b"x")
        blob.chmod(0o000)
        done = world(Path(name)).run("verify")
    assert (done.code, done.out) == (3, "unreadable  tiny:1m\n")
    assert "error: 1 model is unreadable: tiny:1m." in done.err


def test_verifying_shows_how_far_it_is_on_a_terminal(stores):
    done = world(stores, screen=True).run("verify", "tiny:1m")
    assert "checking tiny:1m: 100%" in done.out
    assert done.transcript == "intact      tiny:1m\n"
