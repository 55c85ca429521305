"""What `specchat run` suggests where no model is named."""

import pytest

from specchat.cli.memory.devices import room_for_models
from specchat.profiles.config import load_config
from specchat.profiles.store import SHIPPED, Profiles
from specchat.profiles.suggestion import BEST_FIRST, suggested
from specchat.speculative.devices import Device

from ..tiny import TinyModel, write_tiny
from .fakes import World

GB = 10**9


def world(tmp_path, **settings):
    return World(home=lambda: tmp_path, **settings)


@pytest.mark.parametrize(
    ("memory", "name"),
    [(80, "qwen2.5-32b"), (24, "qwen2.5-32b"), (16, "qwen2.5-14b"), (8, "qwen2.5-7b"), (4, "smollm2-1.7b"), (3, None)],
)
def test_the_largest_pair_that_is_at_home_is_suggested(memory, name):
    found = suggested(memory * GB)
    assert (found.name if found else None) == name


def test_larger_pairs_come_first():
    sizes = [Profiles((SHIPPED,)).load(name).about.download for name in BEST_FIRST]
    assert sizes == sorted(sizes, reverse=True)


def test_in_a_script_the_command_is_told(tmp_path):
    done = world(tmp_path, stdin=b"").run("run", "hello")
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "error: No model is named.\n"
        "hint: specchat run --profile qwen2.5-7b is one that suits this machine: Qwen2.5 7B, drafted by its 0.5B "
        "sibling; 5.2 GB to download. A file is named with -m FILE, and --profile demo is a toy.\n"
    )


def test_where_the_hub_may_not_be_asked_a_file_or_the_demo_is(tmp_path):
    done = world(tmp_path, stdin=b"", variables={"HF_HUB_OFFLINE": "1"}).run("run", "hello")
    assert done.code == 2
    assert (
        "Name a model with -m, a GGUF file or one that specchat list shows, or try the small one: --profile demo"
        in done.err
    )


def test_offline_nobody_is_asked_to_download(tmp_path):
    done = world(tmp_path, screen=True, stdin=None, lines=["y"]).run("run", "--offline", "hello")
    assert (done.code, "Download" in done.out) == (2, False)


def test_what_was_taken_for_a_prompt_is_still_told(tmp_path):
    done = world(tmp_path, stdin=b"").run("run", "qwen2.5-7b", "hello")
    assert done.code == 2
    assert "qwen2.5-7b is a profile" in done.err


@pytest.mark.parametrize("lines", [["n"], [""], []])
def test_at_a_terminal_nothing_happens_without_a_yes(tmp_path, lines):
    done = world(tmp_path, screen=True, stdin=None, lines=lines).run("run", "hello")
    assert done.code == 3
    screen = " ".join(done.out.split())
    assert "qwen2.5-7b suits this machine: Qwen2.5 7B, drafted by its 0.5B sibling; 5.2 GB to download" in screen
    assert "about 7 minutes at 100 Mbit/s" in screen
    assert "Name one with -m, or choose from specchat profile list." in done.out
    assert load_config(tmp_path / ".config" / "specchat").profile is None


def accepting(tmp_path, standin):
    """What comes of a yes."""
    variables = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(tmp_path / "hf")}
    return world(tmp_path, screen=True, stdin=None, lines=["y"], variables=variables).run("run", "hello")


def test_a_yes_is_kept_once_the_models_are_here(tmp_path, standin):
    settings = Profiles((SHIPPED,)).load("qwen2.5-7b").settings
    for model in (settings.target, settings.draft):
        file = write_tiny(tmp_path / f"m-{model.quant}.gguf", TinyModel())
        standin.add(model.repo, {file.name: file})
    done = accepting(tmp_path, standin)
    assert done.code == 0
    assert load_config(tmp_path / ".config" / "specchat").profile == "qwen2.5-7b"
    assert "names it from now on" in done.out


def test_a_yes_to_what_cannot_be_had_is_not_kept_and_the_profile_is_named(tmp_path, standin):
    done = accepting(tmp_path, standin)
    assert done.code == 4
    assert "The profile qwen2.5-7b (--profile) names it." in " ".join(done.out.split())
    assert load_config(tmp_path / ".config" / "specchat").profile is None


@pytest.mark.parametrize(("gpu", "main", "room"), [(24, 64, 24), (4, 64, 4), (0, 64, 8), (0, 8, 4), (0, 0, 0)])
def test_a_gpu_says_how_large_models_may_be_and_without_one_patience_does(gpu, main, room):
    sizes = {"CPU": main * GB, "GPU": gpu * GB}
    devices = [Device(kind, "", size, size, kind) for kind, size in sizes.items() if size]
    assert room_for_models(devices) == room * GB
