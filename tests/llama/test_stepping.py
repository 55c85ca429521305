"""Models that do not fit the memory as they were to be loaded: a running session with less, or a sentence."""

import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from specchat.speculative.errors import ModelLoadError, OutOfMemoryError
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.errors import context_error, is_of_memory
from specchat.speculative.llama.outline import outline
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.rungs import GivesWay, Outline, rungs
from specchat.speculative.llama.stepping import Stepping

MODEL = Outline(layers=33, trained_context=32768, devices=2)
MIXTURE = replace(MODEL, has_experts=True)


def ladder(config=None, *, layers=True, context=True, model=MODEL):
    """Layers on devices and tokens of context, rung by rung."""
    found = rungs(config or LlamaConfig(), model, GivesWay(layers=layers, context=context))
    return [(each.n_gpu_layers, each.context(model.trained_context)) for each in found]


def test_fewer_layers_are_tried_first_and_then_less_context():
    assert ladder() == [(24, 8192), (16, 8192), (8, 8192), (0, 8192), (0, 4096), (0, 2048)]


def test_the_ladder_starts_at_what_was_to_be_loaded():
    assert ladder(LlamaConfig(n_gpu_layers=20, n_ctx=16384)) == [
        *((layers, 16384) for layers in (15, 10, 5, 0)),
        *((0, context) for context in (8192, 4096)),
    ]
    assert ladder(LlamaConfig(n_gpu_layers=99))[0] == (24, 8192)


def test_what_was_asked_for_by_number_does_not_give_way():
    assert ladder(layers=False) == [(None, 4096), (None, 2048)]
    assert ladder(context=False) == [(24, 8192), (16, 8192), (8, 8192), (0, 8192)]
    assert ladder(layers=False, context=False) == []


def test_experts_leave_the_devices_before_layers_do():
    asked = LlamaConfig(n_gpu_layers=33, cpu_moe=4)
    first, *others = rungs(asked, MIXTURE, GivesWay())
    assert (first, len(others)) == (replace(asked, cpu_moe=-1), 6)
    assert others[0] == replace(asked, cpu_moe=-1, n_gpu_layers=24)
    assert all(each.cpu_moe == -1 for each in others)


@pytest.mark.parametrize(
    ("config", "gives_way", "model"),
    [
        (LlamaConfig(cpu_moe=-1), GivesWay(), MIXTURE),
        (LlamaConfig(cpu_moe=32), GivesWay(), MIXTURE),
        (LlamaConfig(n_gpu_layers=1), GivesWay(), MIXTURE),
        (LlamaConfig(), GivesWay(experts=False), MIXTURE),
        (LlamaConfig(devices=()), GivesWay(), MIXTURE),
        (LlamaConfig(), GivesWay(), MODEL),
    ],
)
def test_experts_stay_where_they_are_if_they_must_or_cannot_leave(config, gives_way, model):
    assert all(each.cpu_moe == config.cpu_moe for each in rungs(config, model, gives_way))


@pytest.mark.parametrize("config", [LlamaConfig(n_gpu_layers=0), LlamaConfig(devices=())])
def test_without_layers_on_devices_only_the_context_gives_way(config):
    assert [context for _, context in ladder(config)] == [4096, 2048]
    assert ladder(model=replace(MODEL, devices=0)) == [(None, 4096), (None, 2048)]


def test_a_context_is_never_too_small_to_chat_in():
    assert ladder(layers=False, model=replace(MODEL, trained_context=2048)) == [(None, 1024)]
    assert ladder(layers=False, model=replace(MODEL, trained_context=512)) == []


@pytest.mark.parametrize("layers", range(1, 12))
def test_no_rung_takes_as_much_as_one_before(layers):
    found = ladder(model=replace(MODEL, layers=layers))
    assert len(found) == len(set(found)) <= 6
    assert found == sorted(found, reverse=True)
    assert all(on_devices < layers for on_devices, _ in found)


@dataclass
class Memory:
    """Loads what takes no more layers on devices and no more context than it has room for."""

    layers: int
    context: int
    experts: bool = True
    model: Outline = MODEL
    loads: list[LlamaConfig] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def load(self, config: LlamaConfig) -> LlamaConfig:
        self.loads.append(config)
        on_devices = config.layers_on_devices(MODEL.layers)
        crowded = self.model.has_experts and not self.experts and config.cpu_moe != -1
        if crowded or on_devices > self.layers or config.context(MODEL.trained_context) > self.context:
            raise OutOfMemoryError(f"No room, try {len(self.loads)}.", "Buy some.")
        return config

    def down(self, config: LlamaConfig, gives_way: GivesWay) -> LlamaConfig:
        return Stepping(Path("big.gguf"), self.load, self.said.append, look=lambda path, config: self.model).down(
            config, gives_way
        )


def test_what_fits_is_loaded_as_it_was_to_be_and_nothing_is_said():
    memory = Memory(layers=33, context=8192)
    assert memory.down(LlamaConfig(), GivesWay()) == LlamaConfig()
    assert (len(memory.loads), memory.said) == (1, [])


def test_the_first_rung_that_fits_is_told():
    memory = Memory(layers=20, context=8192)
    assert memory.down(LlamaConfig(), GivesWay()).n_gpu_layers == 16
    [said] = memory.said
    assert said == "There is not enough memory for big as it was to be loaded: 16 of its 33 layers are on devices."


def test_experts_that_left_are_told():
    memory = Memory(layers=33, context=8192, experts=False, model=MIXTURE)
    assert memory.down(LlamaConfig(), GivesWay()) == LlamaConfig(cpu_moe=-1)
    assert memory.said[0].endswith(": all its experts are in main memory.")


def test_without_layers_on_devices_it_goes_without_saying_that_experts_are_in_main_memory():
    memory = Memory(layers=0, context=4096, experts=False, model=MIXTURE)
    memory.down(LlamaConfig(), GivesWay())
    assert memory.said[0].endswith(": none of its 33 layers are on devices and its context is 4,096 tokens.")


def test_less_of_both_is_told():
    memory = Memory(layers=0, context=4096)
    memory.down(LlamaConfig(), GivesWay())
    [said] = memory.said
    assert said.endswith(": none of its 33 layers are on devices and its context is 4,096 tokens.")


def test_where_nothing_fits_it_ends_with_the_last_reason_after_a_handful_of_tries():
    memory = Memory(layers=0, context=0)
    with pytest.raises(OutOfMemoryError, match="try 7"):
        memory.down(LlamaConfig(), GivesWay())
    assert memory.said == []


def test_numbers_that_were_asked_for_fail_at_once():
    memory = Memory(layers=20, context=8192)
    with pytest.raises(OutOfMemoryError, match="try 1") as error:
        memory.down(LlamaConfig(n_gpu_layers=30), GivesWay(layers=False, context=False))
    assert error.value.hint == "Buy some."


def test_other_failures_are_no_reason_to_step_down():
    def load(config):
        raise ModelLoadError("It is damaged.")

    with pytest.raises(ModelLoadError, match="damaged"):
        Stepping(Path("big.gguf"), load, pytest.fail, look=lambda path, config: pytest.fail("looked")).down(
            LlamaConfig(), GivesWay()
        )


@pytest.mark.parametrize(
    ("complaint", "of_memory"),
    [
        ("unable to allocate CUDA0 buffer", True),
        ("allocating 512.00 MiB on device 0: cudaMalloc failed: out of memory", True),
        ("failed to allocate buffer for kv cache", True),
        ("failed to allocate compute pp buffers", True),
        ("vk::Device::allocateMemory: ErrorOutOfDeviceMemory", True),
        ("std::bad_alloc", True),
        ("there is not enough memory", True),
        ("unknown model architecture: 'lxama'", False),
        ("tensor 'a' data is not within the file bounds, model is corrupted or incomplete", False),
    ],
)
def test_llama_cpp_says_what_is_a_failure_of_memory(complaint, of_memory):
    assert is_of_memory(complaint) == of_memory


def test_the_numbers_that_were_given_do_not_give_way_whatever_is_decided_beside_them():
    config = PairConfig(target=Path("big.gguf"))
    assert (config.target_gives_way, config.draft_gives_way) == (GivesWay(), GivesWay(context=False))
    given = LlamaConfig(n_ctx=4096), LlamaConfig(n_gpu_layers=0)
    config = PairConfig(target=Path("big.gguf"), target_config=given[0], draft_config=given[1])
    decided = config.fitted(replace(given[0], n_gpu_layers=20), replace(given[1], devices=()), {})
    for each in (config, decided):
        assert (each.target_gives_way, each.draft_gives_way.layers) == (GivesWay(context=False), False)
    assert PairConfig(target=Path("big.gguf"), exact=True).target_gives_way == GivesWay(
        layers=False, experts=False, context=False
    )


def test_the_outline_of_a_file_is_that_of_its_model(write_tiny_model):
    for experts in (0, 4):
        path = write_tiny_model(layers=5, n_ctx=4096, experts=experts)
        found = outline(path, LlamaConfig(devices=()))
        assert found == Outline(layers=6, trained_context=4096, devices=0, has_experts=experts > 0)


CRAMPED = """
import resource, sys
from pathlib import Path
from specchat.speculative.errors import SpecchatError
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.backend import start_backend
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.rounding_probe import probe
start_backend()
[used] = [int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmSize")]
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[2]) << 20),) * 2)
context = 8192 if "context" in sys.argv else None
loading = LlamaConfig(threads=1, cache_type_k="f32", cache_type_v="f32", n_batch=64, n_ctx=context)
config = PairConfig(target=Path(sys.argv[1]), target_config=loading)
try:
    if "probe" in sys.argv:
        probe(config.target, loading, (32,), (1, 2), lambda seconds: None)
    with load_pair(config, Interrupt()) as pair:
        print(pair.target.n_ctx, *pair.notices)
        pair.target.decode([1, 2, 3], 1)
except SpecchatError as error:
    print(type(error).__name__, error.message, error.hint)
"""


@pytest.fixture(scope="module")
def run_cramped(write_tiny_model):
    """A function that loads a model in a process that has so many MiB left; its file has 145, its cache takes 256."""
    path = write_tiny_model(layers=16, width=512, n_ctx=32768)

    def run(mebibytes: int, *words: str) -> str:
        program = [sys.executable, "-c", CRAMPED, path, str(mebibytes), *words]
        return subprocess.run(program, capture_output=True, text=True, check=True, timeout=120).stdout

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_process_with_little_memory_answers_in_a_smaller_context_or_says_why_not(run_cramped):
    assert run_cramped(2000) == "8192\n"
    found = run_cramped(330)
    assert found.startswith(("4096 There is not enough memory for", "2048 There is not enough memory for"))
    assert "layers" not in found
    assert run_cramped(330, "context").startswith("OutOfMemoryError llama.cpp cannot make a context of 8192 tokens")
    assert run_cramped(50).startswith("OutOfMemoryError llama.cpp cannot load")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_the_process_that_measures_rounding_tells_a_lack_of_memory_as_such(run_cramped):
    """So that a search goes on with other settings."""
    assert run_cramped(330, "probe").startswith("OutOfMemoryError llama.cpp cannot make a context of 8192 tokens")


@pytest.mark.parametrize(("size", "less"), [(999_999, 8192), (8192, 2048), (512, 256)])
def test_less_context_is_advised_than_the_model_was_trained_on(size, less):
    silent = SimpleNamespace(take_complaint=lambda: "")
    assert f"with -c {less}, " in context_error(Path("x.gguf"), size, 8192, LlamaConfig(), silent).hint
