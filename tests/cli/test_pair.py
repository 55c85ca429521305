"""`specchat pair`, and the draft that is taken where none is named."""

import json
import os
from pathlib import Path

import pytest

from ..tiny import TinyModel, write_tiny
from .fakes import World

QWEN, SMALL = "qwen2.5-coder-1.5b-instruct-f16.gguf", "qwen2.5-coder-0.5b-instruct"


@pytest.fixture
def here(tmp_path):
    """A folder that the config file names, with a large target, two drafts that fit and one that does not."""
    folder = tmp_path / "models"
    folder.mkdir()
    write_tiny(folder / "target.gguf", TinyModel(layers=40))
    write_tiny(folder / "small.gguf", TinyModel())
    write_tiny(folder / "middling.gguf", TinyModel(layers=6))
    write_tiny(folder / "other.gguf", TinyModel(altered=(100, "odd")))
    (folder / "damaged.gguf").write_bytes(b"GGUF" + bytes(20))
    known(tmp_path, folder)
    return folder


def known(home, folder):
    """Let the config file in `home` name a folder of here."""
    config = home / ".config" / "specchat" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(f"model_folders: {folder}\n")


def world(folder, **settings):
    return World(home=lambda: folder.parent, stdin=b"", **settings)


def test_the_smallest_that_fits_comes_first_and_others_have_their_reasons(here):
    done = world(here).run("pair", "target")
    assert (done.code, done.err) == (0, "")
    header, first, second, reason = done.out.splitlines()
    assert header.split() == ["draft", "size", "target", "is", "weights", "licence", "store"]
    assert first.startswith("small ")
    assert second.startswith("middling ")
    assert reason.startswith(
        "other: The draft does not fit the target: their normal tokens must agree, but 1 differ, the first"
    )


def test_json_has_the_same(here):
    drafts = json.loads(world(here).run("pair", "target", "--json").out)["drafts"]
    assert [(each["name"], each["fits"]) for each in drafts] == [
        ("small", True),
        ("middling", True),
        ("other", False),
    ]
    assert drafts[0]["ratio"] > drafts[1]["ratio"] > 1


def test_where_nothing_fits_that_is_said(here):
    done = world(here).run("pair", "small")
    assert (done.code, done.out) == (0, "")
    assert "No model on this machine fits" in done.err


def test_the_smallest_that_fits_drafts_where_none_is_named(here):
    done = world(here).run("run", "-m", "target", "Hi")
    assert done.pair.config.draft == here / "small.gguf"
    assert "small drafts, found in the folder; --draft ngram does without it." in done.err


@pytest.mark.parametrize("arguments", [("--draft", "ngram"), ("--draft", "none")])
def test_what_was_named_is_taken(here, arguments):
    done = world(here).run("run", "-m", "target", *arguments, "Hi")
    assert done.pair.config.draft == arguments[1]
    assert "drafts" not in done.err


def test_quiet_is_quiet(here):
    done = world(here).run("run", "-q", "-m", "target", "Hi")
    assert done.err == ""
    assert done.pair.config.draft == here / "small.gguf"


def test_what_is_not_much_smaller_is_not_taken(here):
    (here / "small.gguf").unlink()
    (here / "other.gguf").unlink()
    write_tiny(here / "middling.gguf", TinyModel(layers=25))
    done = world(here).run("run", "-m", "target", "Hi")
    assert done.pair.config.draft == "ngram"
    assert "None is taken unasked" in world(here).run("pair", "target").err


def test_a_choice_is_kept_until_a_file_changes(here):
    world(here).run("run", "-m", "target", "Hi")
    cached = here.parent / ".cache" / "specchat"
    assert any(str(here / "small.gguf") in file.read_text() for file in cached.glob("*.json"))
    write_tiny(here / "small.gguf", TinyModel(altered=(100, "odd")))
    os.utime(here / "small.gguf", (1, 1))
    done = world(here).run("run", "-m", "target", "Hi")
    assert done.pair.config.draft == here / "middling.gguf"


@pytest.mark.models
def test_drafts_for_a_real_model(tmp_path, models):
    """By bench, the 0.5B in q4_0 gains more than in q4_k_m, whose steps are dearer."""
    folder = tmp_path / "models"
    folder.mkdir()
    for name in (QWEN, f"{SMALL}-q4_0.gguf", f"{SMALL}-q4_k_m.gguf", "smollm2-135m-instruct-q4_1.gguf"):
        (folder / name).symlink_to(models / name)
    altered = (models / f"{SMALL}-q4_0.gguf").read_bytes().replace("Ġdefault".encode(), "Ġdefauzq".encode(), 1)
    (folder / "altered.gguf").write_bytes(altered)
    known(tmp_path, folder)
    done = world(folder).run("pair", str(folder / QWEN))
    assert done.code == 0
    _, first, second, *others = done.out.splitlines()
    assert first.startswith(f"{SMALL}-q4_0 ")
    assert second.startswith(f"{SMALL}-q4_k_m ")
    assert any(line.startswith("altered: ") and "but 1 differ" in line for line in others)
    assert any(line.startswith("smollm2-135m-instruct-q4_1: ") for line in others)
    assert world(folder).run("run", "-m", str(folder / QWEN), "Hi").pair.config.draft == Path(
        folder / f"{SMALL}-q4_0.gguf"
    )
