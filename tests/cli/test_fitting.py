"""What is decided before models are loaded, and what is said about it."""

import json
import os
import re
from dataclasses import replace

import pytest

from specchat.cli.memory.shapes import stored_shape
from specchat.profiles.seen_model import see_file
from specchat.profiles.store import SHIPPED, Profiles
from specchat.speculative.bench.gains import Gain, KnownGains
from specchat.speculative.cache import Cache
from specchat.speculative.devices import Device
from specchat.speculative.errors import SpecchatError
from specchat.speculative.footprint.plan import MARGIN
from specchat.speculative.llama.rungs import GivesWay

from ..tiny import TinyModel, write_tiny
from .fakes import World

PLENTY = 10**10


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder where a person types, with a target and two drafts."""
    monkeypatch.chdir(tmp_path)
    write_tiny(tmp_path / "big.gguf", TinyModel(layers=6, n_ctx=65536))
    write_tiny(tmp_path / "small.gguf", TinyModel(layers=1, n_ctx=65536))
    return tmp_path


def main_memory(room=PLENTY):
    """Of which a plan may use so many bytes."""
    return Device("CPU", "main memory", MARGIN + room, 2 * (MARGIN + PLENTY), "CPU")


def card(room, name="CUDA0", total=0):
    return Device(name, "Card", MARGIN + room, total or MARGIN + room, "GPU")


def run(folder, *options, devices, **settings):
    """A run, and the settings that its models were loaded with."""
    world = World(home=lambda: folder, devices=devices, **settings)
    world.run("run", "-m", "big.gguf", *options, "hello")
    assert (world.code, world.out) == (0, "Hello.\n"), world.err
    return world


def loaded(world):
    config = world.pair.config.target_config
    return config.n_ctx, config.n_gpu_layers, config.devices, config.tensor_split


def drafting(world):
    config = world.pair.config.draft_config
    return config.n_gpu_layers, config.devices, config.tensor_split


def needs(folder, *options):
    """The bytes of the models at 8192 tokens, by part, on a card that has all."""
    world = World(home=lambda: folder, devices=(main_memory(), card(PLENTY)))
    world.run("show", "big.gguf", "-c", "8192", "--json", *options)
    card_part = json.loads(world.out)["memory"]["places"][1]
    return {name: part and sum(part.values()) for name, part in card_part.items() if name in ("target", "draft")}


NGRAM = ("--draft", "ngram")


def test_all_is_explicit_where_there_is_a_card(folder):
    world = run(folder, *NGRAM, devices=(main_memory(), card(PLENTY)))
    assert loaded(world) == (32768, 7, ("CUDA0",), (7.0,))
    assert world.err == ""


def test_without_one_only_the_context_is_decided(folder):
    assert loaded(run(folder, *NGRAM, devices=(main_memory(),))) == (32768, None, None, ())
    assert loaded(run(folder, *NGRAM, devices=())) == (8192, None, None, ())
    assert loaded(run(folder, *NGRAM, "-c", "4096", devices=(main_memory(),))) == (4096, None, None, ())


def test_a_context_that_would_cost_a_layer_is_not_taken(folder):
    room = needs(folder)["target"]
    assert loaded(run(folder, *NGRAM, devices=(main_memory(), card(room)))) == (8192, 7, ("CUDA0",), (7.0,))
    assert loaded(run(folder, *NGRAM, "-c", "16384", devices=(main_memory(), card(room))))[1] < 7


def test_layers_go_on_on_a_second_card(folder):
    first, second = card(needs(folder)["target"] * 9 // 10), card(needs(folder)["target"] * 8 // 10, "CUDA1")
    alone = loaded(run(folder, *NGRAM, devices=(main_memory(), first)))
    _, layers, devices, split = loaded(run(folder, *NGRAM, devices=(main_memory(), first, second)))
    assert (devices, sum(split)) == (("CUDA0", "CUDA1"), layers)
    assert layers > alone[1]


@pytest.mark.parametrize("options", [("-c", "auto", "-ngl", "auto"), ("-ngl", "all")])
def test_words_stand_for_numbers(folder, options):
    (folder / "p.yaml").write_text(f"target: {folder}/big.gguf\ndraft: ngram\ncontext: 512\ngpu_layers: 2\n")
    world = World(home=lambda: folder, devices=(main_memory(), card(PLENTY)))
    world.run("run", "--profile", "p.yaml", *options, "hello")
    assert loaded(world)[:2] == ((32768, 7) if "-c" in options else (512, 7))


def test_a_number_is_obeyed_and_what_has_no_room_is_told(folder):
    devices = (main_memory(), Device("CUDA0", "Card", 1_000_000, 8 * MARGIN, "GPU"))
    world = run(folder, *NGRAM, "-ngl", "5", "-c", "4096", devices=devices)
    assert loaded(world) == (4096, 5, ("CUDA0",), (5.0,))
    assert re.match(
        r"warning: The layers of big\.gguf that were asked for need \d\.\d MB of CUDA0, which has 1\.0 MB free: "
        r"loading\s+them may fail\. ",
        world.err,
    )
    assert run(folder, *NGRAM, "-q", "-ngl", "5", devices=devices).err == ""
    assert run(folder, *NGRAM, "-ngl", "0", devices=devices).err == ""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-ngl", "99"), "gpu_layers 99 (-ngl) counts for nothing: the CPU computes all of big.gguf."),
        (("-ngl", "5", "-c", "4096"), "gpu_layers 5 (-ngl) counts for nothing: the CPU computes all of big.gguf."),
        (("-ngl", "all"), "gpu_layers all (-ngl) counts for nothing: the CPU computes all of big.gguf."),
        (("-ngld", "5"), "draft_gpu_layers 5 (-ngld) counts for nothing: the CPU computes all of small.gguf."),
        (
            ("-ngl", "9", "-ngld", "5"),
            (
                "gpu_layers 9 (-ngl) and draft_gpu_layers 5 (-ngld) count for nothing: "
                "the CPU computes all of big.gguf and small.gguf."
            ),
        ),
    ],
)
def test_layers_that_no_device_can_take_stay_on_the_cpu_which_is_told(folder, options, told):
    alone, sentence = (main_memory(),), f"warning: No device here takes layers, so {told} specchat doctor says"
    world = run(folder, "--draft", "small.gguf", *options, devices=alone)
    assert loaded(world)[2:] == (None, ())
    assert (world.err.startswith(sentence), world.err.count("\n")) == (True, 1)
    assert World(devices=alone).run("show", "big.gguf", "--draft", "small.gguf", *options).err == world.err
    assert run(folder, "--draft", "small.gguf", *options, "-q", devices=alone).err == ""
    assert "-ngld" not in run(folder, *NGRAM, *options, devices=alone).err
    devices = (main_memory(), card(PLENTY))
    nowhere = run(folder, "--draft", "small.gguf", *options, "--device", "none", devices=devices)
    assert (loaded(nowhere)[2:], nowhere.err) == (((), ()), "")
    assert run(folder, "--draft", "small.gguf", *options, devices=devices).err == ""


def test_a_number_that_nothing_obeys_goes_by_its_name_whoever_said_it(folder):
    (folder / "p.yaml").write_text(f"target: {folder}/big.gguf\ndraft: ngram\ngpu_layers: 9\n")
    for line in (("-m", "big.gguf", *NGRAM, "-ngl", "9"), ("--profile", "p.yaml")):
        world = World(home=lambda: folder, devices=(main_memory(),)).run("run", *line, "hello")
        assert world.err.startswith("warning: No device here takes layers, so gpu_layers 9 (-ngl) counts for nothing: ")


@pytest.mark.parametrize("options", [("-ncmoe", "3"), ("-cmoe",), ("-cmoe", "-c", "4096")])
def test_experts_that_a_model_does_not_have_are_told(folder, options):
    world = run(folder, *NGRAM, *options, devices=(main_memory(), card(PLENTY)))
    assert world.err == "warning: big.gguf has no experts that could stay in main memory (cpu_moe, -ncmoe).\n"
    assert World(devices=(main_memory(),)).run("show", "big.gguf", *options).err == world.err
    assert run(folder, *NGRAM, *options, "-q", devices=(main_memory(),)).err == ""
    assert run(folder, *NGRAM, "--no-cpu-moe", devices=(main_memory(),)).err == ""
    write_tiny(folder / "big.gguf", TinyModel(layers=6, n_ctx=65536, experts=4))
    assert run(folder, *NGRAM, *options, devices=(main_memory(),)).err == ""


def test_named_devices_and_shares_are_obeyed(folder):
    two = (main_memory(), card(PLENTY), card(PLENTY, "CUDA1"))
    assert loaded(run(folder, *NGRAM, "--device", "cuda1", devices=two))[1:] == (7, ("CUDA1",), (7.0,))
    assert loaded(run(folder, *NGRAM, "-ts", "5,2", devices=two))[1:] == (7, ("CUDA0", "CUDA1"), (5.0, 2.0))
    assert loaded(run(folder, *NGRAM, "--device", "none", devices=two)) == (32768, None, (), ())


@pytest.mark.parametrize("options", [("--device", "CUDA7"), ("-ts", "1,1,1")])
def test_devices_that_are_not_there_are_left_for_loading_to_refuse(folder, options):
    world = run(folder, *NGRAM, *options, devices=(main_memory(), card(PLENTY)))
    assert loaded(world)[:2] == (None, None)


def test_a_named_draft_takes_what_the_target_leaves_and_that_is_told(folder):
    room = needs(folder)["target"]
    named = ("--draft", "small.gguf", "-c", "8192")
    world = run(folder, *named, devices=(main_memory(), card(room)))
    assert loaded(world)[1] == 7
    assert drafting(world)[0] == 0
    assert world.err == ("warning: small.gguf has no room on the GPU beside big.gguf: it computes on the CPU.\n")
    world = run(folder, *named, devices=(main_memory(), card(room + needs(folder, *named[:2])["draft"])))
    assert (drafting(world), world.err) == ((2, ("CUDA0",), (2.0,)), "")


def folder_of_models(folder):
    (folder / ".config" / "specchat").mkdir(parents=True, exist_ok=True)
    (folder / ".config" / "specchat" / "config.yaml").write_text(f"format: 1\nmodel_folders: [{folder}]\n")


def test_a_draft_that_nobody_named_leaves_its_place_to_n_grams(folder):
    folder_of_models(folder)
    room = needs(folder)["target"]
    world = run(folder, "-c", "8192", devices=(main_memory(), card(room)))
    assert (world.pair.config.draft, loaded(world)[1]) == ("ngram", 7)
    assert "N-grams draft. small fits, but has no room beside the target: --draft takes it nevertheless." in " ".join(
        world.err.split()
    )
    world = run(folder, "-c", "8192", devices=(main_memory(), card(PLENTY)))
    assert world.pair.config.draft == folder / "small.gguf"


def test_the_draft_of_a_profile_that_comes_along_leaves_its_place_to_n_grams(folder, standin):
    settings = Profiles((SHIPPED,)).load("qwen2.5-7b").settings
    for model, file in ((settings.target, "big.gguf"), (settings.draft, "small.gguf")):
        standin.add(model.repo, {f"m-{model.quant}.gguf": folder / file})
    mine = folder / "mine.yaml"
    mine.write_text("extends: qwen2.5-7b\n")
    hub = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(folder / "hub")}
    room, both = needs(folder)["target"], sum(needs(folder, "--draft", "small.gguf").values())

    def drafts(profile, *options, room=room):
        world = World(home=lambda: folder, devices=(main_memory(), card(room)), variables=hub)
        world.run("run", "--profile", profile, "-c", "8192", *options, "hello")
        assert world.code == 0, world.err
        told = "N-grams draft. m-Q8_0.gguf fits, but has no room beside the target" in " ".join(world.err.split())
        return world.pair.config.draft != "ngram", told

    assert drafts("qwen2.5-7b") == (False, True)
    assert drafts("qwen2.5-7b", "-q") == (False, False)
    assert drafts("qwen2.5-7b", room=both) == (True, False)
    assert drafts("qwen2.5-7b", "--draft", "small.gguf") == (True, False)
    assert drafts(str(mine)) == (True, False)


def test_a_draft_that_has_room_is_taken_where_a_smaller_one_with_a_larger_cache_has_none(folder):
    folder_of_models(folder)
    write_tiny(folder / "big.gguf", TinyModel(width=256, layers=6, n_ctx=65536))
    write_tiny(folder / "small.gguf", TinyModel(layers=24, width=16, n_ctx=65536))
    write_tiny(folder / "wide.gguf", TinyModel(layers=1, width=96, n_ctx=65536))
    room = sum(needs(folder, "--draft", "wide.gguf").values())
    world = run(folder, "-c", "8192", devices=(main_memory(), card(room)))
    assert (world.pair.config.draft, drafting(world)[0]) == (folder / "wide.gguf", 2)
    assert " ".join(world.err.split()) == (
        "wide drafts, the smallest model here that fits and has room; specchat pair shows others, --draft ngram takes "
        "none. small fits, but has no room beside the target: --draft takes it nevertheless."
    )


def test_layers_give_way_to_a_draft_that_was_measured_to_outweigh_them(folder):
    devices = (main_memory(), card(needs(folder)["target"]))
    gains = KnownGains(Cache(folder / ".cache" / "specchat" / "gains"))
    options = ("--draft", "small.gguf", "-c", "8192")
    gains.keep(folder / "big.gguf", folder / "small.gguf", Gain(30.0, (20.0, 40.0), ("code",)))
    world = run(folder, *options, devices=devices)
    assert loaded(world)[1] < 7
    assert drafting(world) == (2, ("CUDA0",), (2.0,))
    assert world.pair.config.slowdown > 1
    away = f"The CPU has {7 - loaded(world)[1]} layers of big.gguf to make room for small.gguf, whose measured gain"
    assert away in " ".join(world.err.split())
    gains.keep(folder / "big.gguf", folder / "small.gguf", Gain(1.2, (1.1, 1.3), ("code",)))
    assert loaded(run(folder, *options, devices=devices))[1] == 7


def held_card(folder):
    return card(needs(folder)["target"] // 2, total=20 * MARGIN)


def test_memory_that_other_programs_hold_is_named_with_what_it_costs(folder):
    tool = folder / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho '/usr/bin/python3.12, 9000'\necho '/opt/game, 1200'\necho '[N/A], [N/A]'\n")
    tool.chmod(0o755)
    path = {"PATH": f"{tool.parent}{os.pathsep}{os.defpath}"}
    world = run(folder, *NGRAM, "-c", "8192", devices=(main_memory(), held_card(folder)), variables=path)
    missed = 7 - loaded(world)[1]
    assert missed > 0
    assert " ".join(world.err.split()) == (
        f"warning: 20.4 GB of CUDA0 are held already (python3.12 9.4 GB, game 1.3 GB), which puts {missed} layers "
        "of big.gguf on the CPU."
    )


def test_what_the_kernel_says_of_other_programs_is_told_too(folder):
    for process, name, size in ((7, "blender", 3_000_000), (8, "sh", 10)):
        files = folder / "proc" / str(process) / "fdinfo"
        files.mkdir(parents=True)
        (files.parent / "comm").write_text(f"{name}\n")
        for file in ("3", "4"):  # two of one client count once
            (files / file).write_text(f"pos:\t0\ndrm-client-id:\t5\ndrm-memory-vram:\t{size} KiB\n")
    devices = (main_memory(), held_card(folder))
    world = run(folder, *NGRAM, "-c", "8192", devices=devices, system=folder)
    assert "are held already (blender 3.1 GB), " in " ".join(world.err.split())
    assert "are held already, " in " ".join(run(folder, *NGRAM, "-c", "8192", devices=devices).err.split())


def test_memory_that_would_not_help_is_no_matter(folder):
    held = card(PLENTY, total=20 * MARGIN)
    assert run(folder, *NGRAM, devices=(main_memory(), held)).err == ""
    assert run(folder, *NGRAM, "-ngl", "2", devices=(main_memory(), held_card(folder))).err == ""


def test_settings_of_a_chat_are_fitted_anew(folder):
    room = needs(folder)["target"]
    sizes = []
    world = World(
        home=lambda: folder,
        devices=(main_memory(), card(room)),
        stdin=None,
        screen=True,
        lines=["/set ctx 16384", "/set ctx auto", "/set gpu_layers 2", "/set gpu_layers auto", "/set -ngl all"],
        on_load=lambda pair: sizes.append((pair.config.target_config.n_ctx, pair.config.target_config.n_gpu_layers)),
    )
    world.run("run", "-m", "big.gguf", *NGRAM)
    first, longer, *others = sizes
    assert (first, longer[0]) == ((8192, 7), 16384)
    assert longer[1] < 7
    assert others == [(8192, 7), (8192, 2), (8192, 7), (8192, 7)]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("draft", [False, True])
def test_what_show_plans_is_what_a_run_does(folder, share, draft):
    options = ("--draft", "small.gguf") if draft else ()
    devices = (main_memory(), card(round(share * needs(folder)["target"])), card(100_000, "CUDA1"))
    shown = World(home=lambda: folder, devices=devices).run("show", "big.gguf", "--json", *options)
    memory = json.loads(shown.out)["memory"]
    world = run(folder, *(options or NGRAM), devices=devices)
    context, layers, _, _ = loaded(world)
    assert (memory["target"]["context"], memory["target"]["gpu_layers"]) == (context, layers)
    if draft:
        assert memory["draft"]["gpu_layers"] == drafting(world)[0]


def test_a_shape_is_read_once(folder):
    env = World(home=lambda: folder).environment()
    path = folder / "big.gguf"
    found = stored_shape(env, path)
    assert found == see_file(path).shape()
    state = path.stat()
    path.write_bytes(bytes(state.st_size))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert stored_shape(env, path) == found
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    assert stored_shape(env, path) is None


@pytest.mark.parametrize("spoil", [{"layers": []}, {"embedding": -1}, {"heads": "2"}, {"layers": 3}, {"more": 1}])
def test_a_kept_shape_that_cannot_be_one_is_read_again(folder, spoil):
    env = World(home=lambda: folder).environment()
    found = stored_shape(env, folder / "big.gguf")
    [kept] = (folder / ".cache" / "specchat" / "shapes").glob("*.json")
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps({**content, "value": {**content["value"], **spoil}}))
    assert stored_shape(env, folder / "big.gguf") == found


def test_the_context_does_not_depend_on_what_drafts(folder):
    target = needs(folder)["target"]
    for room in (target, target + 500_000, 2 * target, 4 * target):
        devices = (main_memory(), card(room))
        contexts = {
            loaded(run(folder, *options, devices=devices))[0]
            for options in (NGRAM, ("--draft", "none"), ("--draft", "small.gguf"), ("--draft-max", "4"))
        }
        assert len(contexts) == 1


def test_a_setting_that_is_no_number_is_refused_with_the_word(folder):
    world = World(home=lambda: folder).run("run", "-m", "big.gguf", "-ngl", "most", "hello")
    assert (world.code, "Give a number, auto or all." in world.err) == (2, True)
    world = World(home=lambda: folder, variables={"SPECCHAT_GPU_LAYERS": "most"}).run("run", "-m", "big.gguf", "hello")
    assert "SPECCHAT_GPU_LAYERS is 'most', but has to be auto, all, or a whole number from 0" in " ".join(
        world.err.split()
    )
    world = World(home=lambda: folder, variables={"SPECCHAT_CONTEXT": "long"}).run("run", "-m", "big.gguf", "hello")
    assert "auto, or a whole number from 0" in " ".join(world.err.split())


def test_a_draft_stays_on_this_machine_and_the_target_goes_to_servers_that_were_named(folder):
    reached = []
    remote = Device("RPC0", "host:1", MARGIN + PLENTY, MARGIN + PLENTY, "GPU")
    world = World(home=lambda: folder, devices=(main_memory(), remote), reach=reached.extend)
    world.run("run", "-m", "big.gguf", "--draft", "small.gguf", "--rpc", "host:1", "hello")
    assert (reached, loaded(world)[1:]) == (["host:1"], (7, ("RPC0",), (7.0,)))
    assert (drafting(world)[0], world.err) == (0, "")
    assert loaded(run(folder, *NGRAM, devices=(main_memory(), remote)))[1:] == (None, None, ())


def test_a_benchmark_has_room_for_two_contexts(folder):
    room = needs(folder)["target"]
    devices = (main_memory(), card(room))
    world = World(home=lambda: folder, devices=devices)
    world.run("bench", "-m", "big.gguf", *NGRAM, "-c", "8192", "--tokens", "8", "--kinds", "code")
    assert loaded(world)[1] < loaded(run(folder, *NGRAM, "-c", "8192", devices=devices))[1]


def test_only_numbers_that_were_given_do_not_give_way(folder):
    devices = (main_memory(), card(PLENTY))
    assert run(folder, *NGRAM, devices=devices).pair.config.target_gives_way == GivesWay()
    given = run(folder, *NGRAM, "-ngl", "2", "-c", "auto", devices=devices, variables={"SPECCHAT_CONTEXT": "512"})
    assert given.pair.config.target_gives_way == GivesWay(layers=False)


def test_another_model_has_the_room_of_the_one_before_it(folder):
    folder_of_models(folder)
    write_tiny(folder / "other.gguf", TinyModel(layers=6, n_ctx=65536, seed=1))
    both = sum(needs(folder, "--draft", "small.gguf").values())
    world = World(home=lambda: folder, stdin=None, screen=True, lines=["/model other.gguf"])
    world.devices = (main_memory(), card(both, total=2 * MARGIN + both))
    pairs = []

    def load(pair):
        pairs.append((pair.config.target.name, pair.config.draft, pair.config.target_config.n_gpu_layers))
        world.devices = (main_memory(), replace(world.devices[1], free=MARGIN))

    world.on_load = load
    world.run("run", "-m", "big.gguf", "-c", "8192")
    assert [(name, draft) for name, draft, _ in pairs] == [
        ("big.gguf", folder / "small.gguf"),
        ("other.gguf", folder / "small.gguf"),
    ]


def test_rounding_is_measured_where_a_run_would_compute(folder):
    devices = (main_memory(), card(PLENTY))
    world = World(home=lambda: folder, devices=devices, rounding=SpecchatError("Enough."))
    world.run("bench", "-m", "big.gguf", *NGRAM, "--verify")
    assert world.measured.target_config == run(folder, *NGRAM, devices=devices).pair.config.target_config


@pytest.fixture
def mixture(folder):
    """The target is a mixture of experts."""
    write_tiny(folder / "big.gguf", TinyModel(layers=6, n_ctx=65536, experts=8))
    return folder


def tight(folder, **settings):
    """A card without room for the experts of two layers, and with some for reading those of one."""
    return card(needs(folder)["target"] - see_file(folder / "big.gguf").shape().layers[0].experts, **settings)


def test_the_experts_of_a_mixture_stay_behind_before_layers_do(mixture):
    devices = (main_memory(), tight(mixture))
    config = run(mixture, *NGRAM, "-c", "8192", devices=devices).pair.config
    assert config.target_config.n_gpu_layers == 7
    assert config.target_config.cpu_moe == 2
    assert config.target_gives_way == GivesWay(context=False)
    for options, found in ((("--no-cpu-moe",), 0), (("-cmoe",), 6), (("-ncmoe", "5"), 5), (("-ngl", "all"), 2)):
        config = run(mixture, *NGRAM, "-c", "8192", *options, devices=devices).pair.config.target_config
        assert config.cpu_moe == found
        assert (config.n_gpu_layers < 7) == (options == ("--no-cpu-moe",))
    assert run(mixture, *NGRAM, devices=(main_memory(),)).pair.config.target_config.cpu_moe is None


def test_experts_that_stay_behind_are_shown(mixture):
    devices = (main_memory(), tight(mixture))
    world = World(home=lambda: mixture, devices=devices)
    out = world.run("show", "big.gguf", "-c", "8192").out
    assert "has room        yes, with all layers on the GPU, and the experts of 2 in main memory (-ncmoe 2)\n" in out
    out = world.run("show", "big.gguf", "-c", "8192", "-ncmoe", "5").out
    assert "and the experts of 5 in main memory (-ncmoe 5)" in out


def test_experts_of_a_draft_that_stay_behind_are_shown_as_its_own(folder):
    write_tiny(folder / "small.gguf", TinyModel(layers=6, n_ctx=65536, experts=8))
    room = sum(needs(folder, "--draft", "small.gguf").values())
    devices = (main_memory(), card(room - see_file(folder / "small.gguf").shape().layers[0].experts))
    world = World(home=lambda: folder, devices=devices)
    out = world.run("show", "big.gguf", "-c", "8192", "--draft", "small.gguf").out
    assert "yes, with all layers on the GPU, and the experts of 2 of the draft in main memory\n" in out


def test_experts_that_stay_behind_for_what_others_hold_are_told(mixture):
    devices = (main_memory(), tight(mixture, total=20 * MARGIN))
    world = run(mixture, *NGRAM, "-c", "8192", devices=devices, variables={"PATH": ""})
    assert "which puts the experts of 2 layers of big.gguf on the CPU." in " ".join(world.err.split())


def test_experts_that_give_way_to_a_draft_are_told_as_what_they_are(mixture):
    gains = KnownGains(Cache(mixture / ".cache" / "specchat" / "gains"))
    gains.keep(mixture / "big.gguf", mixture / "small.gguf", Gain(30.0, (20.0, 40.0), ("code",)))
    both = sum(needs(mixture, "--draft", "small.gguf").values())
    devices = (main_memory(), card(both - see_file(mixture / "big.gguf").shape().layers[0].experts))
    world = run(mixture, "--draft", "small.gguf", "-c", "8192", devices=devices)
    config = world.pair.config.target_config
    assert (config.n_gpu_layers, drafting(world)[0]) == (7, 2)
    away = f"The CPU has the experts of {config.cpu_moe} layers of big.gguf to make room for small.gguf"
    assert away in " ".join(world.err.split())
