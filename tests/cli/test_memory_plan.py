"""What `specchat show` plans for the memory, and what is said before a load that cannot go well."""

import json
import re

import pytest

from specchat.speculative.devices import Device
from specchat.speculative.footprint.plan import MARGIN

from ..tiny import TinyModel, write_tiny
from .fakes import World

MODEL = TinyModel(layers=3, n_ctx=65536)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder where a person types, with a target and a draft."""
    monkeypatch.chdir(tmp_path)
    write_tiny(tmp_path / "big.gguf", MODEL)
    write_tiny(tmp_path / "small.gguf", TinyModel(layers=1, n_ctx=65536))
    return tmp_path


def main_memory(room):
    """Of which a plan may use so many bytes."""
    return Device("CPU", "main memory", MARGIN + room, 8 * MARGIN, "CPU")


def card(room):
    return Device("CUDA0", "Card", MARGIN + room, 8 * MARGIN, "GPU")


def show(folder, *arguments, devices=None, columns=80, screen=False, **variables):
    settings = {} if devices is None else {"devices": devices}
    world = World(home=lambda: folder, variables=variables, columns=columns, screen=screen, **settings)
    return world.run("show", *arguments)


def planned(folder, *arguments, **settings):
    world = show(folder, *arguments, "--json", **settings)
    assert world.code == 0, world.err
    return json.loads(world.out)["memory"]


def test_the_context_is_that_of_a_run_unless_another_is_asked_for(folder):
    profiles = folder / ".config" / "specchat" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "p.yaml").write_text(f"target: {folder}/big.gguf\ncontext: 512\n")
    assert planned(folder, "big.gguf")["target"]["context"] == 32768
    assert planned(folder, "big.gguf", devices=())["target"]["context"] == 8192
    assert planned(folder, "big.gguf", "-c", "4096")["target"]["context"] == 4096
    assert planned(folder, "big.gguf", "-c", "0")["target"]["context"] == 65536
    assert planned(folder, "p")["target"]["context"] == 512
    assert planned(folder, "p", "-c", "1024")["target"]["context"] == 1024
    assert planned(folder, "big.gguf", SPECCHAT_CONTEXT="2048")["target"]["context"] == 2048


def test_layers_for_devices_are_nothing_where_there_is_none(folder):
    devices = (main_memory(10**10),)
    asked = planned(folder, "big.gguf", devices=devices, SPECCHAT_GPU_LAYERS="5")
    assert asked == planned(folder, "big.gguf", devices=devices)


def test_the_types_of_the_cache_count(folder):
    plain = planned(folder, "big.gguf", "-c", "8192")["target"]
    packed = planned(folder, "big.gguf", "-c", "8192", "-ctk", "q8_0", "-ctv", "q4_0")["target"]
    assert plain["cache"] == 3 * 8192 * 2 * (32 + 32)
    assert packed["cache"] == 3 * 8192 * (34 + 18)
    assert (packed["cache_type_k"], packed["cache_type_v"]) == ("q8_0", "q4_0")
    world = show(folder, "big.gguf", "-ctk", "q9")
    assert (world.code, world.err.splitlines()[0]) == (2, "error: There is no cache type 'q9'.")


def test_both_models_are_told_and_what_they_take_together(folder):
    made = planned(folder, "big.gguf", "--draft", "small.gguf")
    parts = [made[name][part] for name in ("target", "draft") for part in ("weights", "cache", "compute")]
    [place] = made["places"]
    assert place["needed"] == sum(parts)
    assert (made["draft"]["context"], made["fits"]) == (32768, True)
    out = show(folder, "big.gguf", "--draft", "small.gguf").out
    assert re.search(r"\ntarget +weights .*\ndraft +weights .*\nmain memory +.* of 12.0 GB that are free\n", out)


def test_layers_go_to_a_card_as_far_as_it_has_room(folder):
    made = planned(folder, "big.gguf", "-c", "8192")
    layer = (made["target"]["weights"] + made["target"]["cache"]) // 4
    room = made["target"]["compute"] + 2 * layer
    devices = (main_memory(10**9), card(room))
    placed = planned(folder, "big.gguf", "-c", "8192", devices=devices)
    assert (placed["target"]["layers"], placed["fits"]) == (4, True)
    assert 1 <= (layers := placed["target"]["gpu_layers"]) < 4
    out = show(folder, "big.gguf", "-c", "8192", devices=devices).out
    assert f"has room        yes, with {layers} of 4 layers of the target on the GPU (-ngl {layers})\n" in out
    assert re.search(r"\nmain memory +.*\nCUDA0 +.*\n", out)


def test_a_card_with_room_for_all_gets_all(folder):
    out = show(folder, "big.gguf", devices=(main_memory(10**9), card(10**9))).out
    assert "has room        yes, with all layers on the GPU\n" in out


def test_a_draft_that_has_no_room_is_told(folder):
    room = planned(folder, "big.gguf")["places"][0]["needed"] + 1000
    world = show(folder, "big.gguf", "--draft", "small.gguf", devices=(main_memory(room),))
    assert (
        "has room        the target does, the draft does not\ninstead         another draft, or --draft ngram"
        in world.out
    )
    assert world.code == 0


def test_a_shorter_context_is_the_first_advice(folder):
    needed = planned(folder, "big.gguf", "-c", "16384")["places"][0]["needed"]
    world = show(folder, "big.gguf", "-c", "65536", devices=(main_memory(needed),))
    assert "has room        no" in world.out
    assert "instead         -c 16384\n" in world.out


def test_no_context_is_advised_that_the_model_was_not_trained_on(folder):
    devices = (main_memory(planned(folder, "big.gguf", "-c", "0")["places"][0]["needed"]),)
    assert planned(folder, "big.gguf", "-c", "999999", devices=devices)["instead"][0] == "-c 65536"
    assert planned(folder, "big.gguf", "-c", "70000", devices=devices)["instead"][0] == "-c 65536"


def test_a_context_beyond_what_a_model_was_trained_on_is_warned_of(folder):
    scaled = {"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 2}
    write_tiny(folder / "scaled.gguf", TinyModel(n_ctx=65536, metadata=scaled))

    def told(name, context, *options):
        run = World(home=lambda: folder).run("run", "-m", name, "--draft", "ngram", "-c", context, *options, "Hi")
        assert run.code == 0
        if not options:
            assert show(folder, name, "-c", context).err == run.err
        return run.err

    assert told("big.gguf", "65537") == (
        "warning: big.gguf was trained on 65,536 tokens: what lies beyond them, in a context of 65,537, tends to be "
        "noise.\n"
    )
    assert told("scaled.gguf", "131073").startswith("warning: scaled.gguf was made for 131,072 tokens: ")
    quiet = [("big.gguf", "65537", "-q"), ("big.gguf", "65536"), ("scaled.gguf", "131072"), ("big.gguf", "auto")]
    assert [told(*line) for line in [*quiet, ("big.gguf", "0")]] == [""] * 5


def test_without_another_file_of_the_repository_bits_are_advised(folder):
    made = planned(folder, "big.gguf", "-c", "512")
    room = made["places"][0]["needed"] - made["target"]["weights"] * 3 // 4
    out = show(folder, "big.gguf", "-c", "512", devices=(main_memory(room),)).out
    assert "instead         the model as Q6_K (6.6 bits a weight, about " in out


def test_where_nothing_helps_nothing_is_advised(folder):
    out = show(folder, "big.gguf", devices=(main_memory(0),)).out
    assert "has room        no: 1.1 GB should stay free\n" in out
    assert "instead" not in out


def test_the_largest_of_the_repository_that_fits_is_advised_and_not_fetched(folder, standin):
    sizes = {"Q8_0": 500_000, "Q4_K_M": 250_000, "Q2_K": 100_000}
    files = {f"m-{name}.gguf": bytes(size) for name, size in sizes.items()}
    standin.add("some/model", {"m-F32.gguf": folder / "big.gguf", **files})
    hub = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(folder / "hub")}
    made = planned(folder, "some/model:F32", "-c", "512", **hub)
    room = made["places"][0]["needed"] - made["target"]["weights"] + 300_000
    devices = (main_memory(room),)
    assert planned(folder, "some/model:F32", "-c", "512", devices=devices, **hub)["instead"][0] == (
        "some/model:Q4_K_M (250.0 kB)"
    )
    assert set(standin.sent) == {"m-F32.gguf"}


def test_without_any_known_memory_the_needs_are_told_alone(folder):
    out = show(folder, "big.gguf", devices=()).out
    assert "memory          " in out
    assert "has room" not in out
    assert planned(folder, "big.gguf", devices=())["fits"] is None


def test_what_an_architecture_keeps_beside_its_cache_makes_the_plan_a_least(folder):
    path = write_tiny(folder / "odd.gguf", MODEL)
    path.write_bytes(path.read_bytes().replace(b"llama", b"hy_v4"))
    assert re.search(r"^memory +more than ", show(folder, "odd.gguf").out, re.MULTILINE)


def test_what_does_not_say_enough_is_not_planned(folder):
    path = write_tiny(folder / "odd.gguf", MODEL)
    path.write_bytes(path.read_bytes().replace(b"llama.block_count", b"llama.block_moved"))
    assert "memory          not known: the header leaves out what it depends on\n" in show(folder, "odd.gguf").out
    assert planned(folder, "odd.gguf") is None


@pytest.mark.parametrize("columns", [40, 80])
def test_a_plan_fits_the_terminal(folder, columns):
    devices = (main_memory(10**9), card(2_000_000))
    out = show(folder, "big.gguf", "--draft", "small.gguf", devices=devices, screen=True, columns=columns).out
    plan = out[out.index("\nmemory") :]
    assert max(map(len, plan.splitlines())) <= columns


@pytest.mark.parametrize(
    "shared", [[], [Device("MTL0", "Apple M4", 9, 9, "GPU")], [Device("Vulkan0", "", 9, 9, "IGPU")]]
)
def test_a_model_that_cannot_fit_is_named_before_it_is_loaded(folder, shared):
    small = (Device("CPU", "main memory", 500_000, 1_000_000, "CPU"), *shared)
    world = World(home=lambda: folder, devices=small).run("run", "-m", "big.gguf", "--draft", "none", "hello")
    assert (world.code, world.out) == (0, "Hello.\n")
    assert re.match(r"warning: big\.gguf needs about \d+\.\d MB of memory, and this machine has 1\.0 MB: ", world.err)
    quiet = World(home=lambda: folder, devices=small).run("run", "-q", "-m", "big.gguf", "--draft", "none", "hello")
    assert quiet.err == ""


@pytest.mark.parametrize(
    "devices",
    [
        (main_memory(10**9),),
        (),
        (main_memory(0), card(7 * MARGIN)),
        (Device("CPU", "", 1, 10**9, "CPU"), card(7 * MARGIN)),
    ],
)
def test_nothing_is_said_of_models_that_fit_or_that_a_card_may_take(folder, devices):
    world = World(home=lambda: folder, devices=devices).run("run", "-m", "big.gguf", "--draft", "none", "hello")
    assert (world.code, world.err) == (0, "")


TWO = (main_memory(10**9), card(10**9), Device("CUDA1", "Card", MARGIN + 10**9, 8 * MARGIN, "GPU"))


@pytest.mark.parametrize(
    ("options", "layers", "used_devices"),
    [
        (("-ngl", "2"), (2, 2), {"CUDA0", "CUDA1"}),
        (("-ngl", "0", "-ngld", "1"), (0, 1), {"CUDA0"}),
        (("--device", "cuda1"), (4, 2), {"CUDA1"}),
        (("--device", "none"), (0, 0), set()),
        (("--draft-device", "CUDA1"), (4, 2), {"CUDA0", "CUDA1"}),
        (("-ts", "1,1", "-devd", "none"), (4, 0), {"CUDA0", "CUDA1"}),
    ],
)
def test_the_options_of_a_run_decide_where_layers_go(folder, options, layers, used_devices):
    made = planned(folder, "big.gguf", "--draft", "small.gguf", *options, devices=TWO)
    assert (made["target"]["gpu_layers"], made["draft"]["gpu_layers"]) == layers
    assert {place["name"] for place in made["places"][1:] if place["needed"]} == used_devices
    run = World(home=lambda: folder, devices=TWO)
    run.run("run", "-m", "big.gguf", "--draft", "small.gguf", *options, "hello")
    config = run.pair.config
    assert [config.target_config.n_gpu_layers or 0, config.draft_config.n_gpu_layers or 0] == list(layers)
    assert {*(config.target_config.devices or ()), *(config.draft_config.devices or ())} >= used_devices


def test_other_machines_that_are_named_are_reached_and_no_others(folder):
    reached = []
    remote = Device("RPC0", "host:1", MARGIN + 10**9, MARGIN + 10**9, "GPU")
    world = World(home=lambda: folder, devices=(main_memory(10**9), remote), reach=reached.extend)
    made = json.loads(world.run("show", "big.gguf", "--json", "--rpc", "host:1").out)["memory"]
    assert (reached, made["target"]["gpu_layers"], made["places"][1]["name"]) == (["host:1"], 4, "RPC0")
    made = planned(folder, "big.gguf", devices=world.devices)
    assert [place["name"] for place in made["places"]] == ["CPU"]


def test_layers_on_other_machines_may_be_on_no_gpu(folder):
    remote = Device("RPC0", "host:1", MARGIN + 10**9, MARGIN + 10**9, "GPU")
    world = show(folder, "big.gguf", "--rpc", "host:1", devices=(main_memory(10**9), remote))
    assert "has room        yes, with all layers on devices\n" in world.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--device", "CUDA7"), "There is no device 'CUDA7'."),
        (("--draft-device", "CUDA7"), "There is no device 'CUDA7'."),
        (("-ts", "1,1,1"), "--tensor-split 1,1,1 is for 3 devices, but there are 2."),
        (("--draft-device", "RPC0"), "The draft stays on this machine, and RPC0 is on another."),
    ],
)
def test_devices_that_a_run_would_refuse_are_refused(folder, options, told):
    world = show(folder, "big.gguf", *options, devices=TWO)
    assert (world.code, world.out, world.err.splitlines()[0]) == (2, "", f"error: {told}")


def test_a_template_is_shown_without_a_plan(folder):
    assert show(folder, "big.gguf", "--template").code == 0
    world = show(folder, "big.gguf", "--template", "-ngl", "2")
    assert (world.code, world.err.splitlines()[0]) == (2, "error: --template shows a template and nothing else.")
