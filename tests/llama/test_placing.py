"""Where models are loaded onto, on any machine."""

import numpy as np
import pytest

from specchat.speculative.errors import UsageError
from specchat.speculative.llama.backend import build_info
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel


def logits(path, **settings):
    with LlamaModel.load(path, LlamaConfig(threads=1, **settings)) as model:
        return model.decode([1, 2, 3], 1).copy()


def test_a_device_that_is_not_there_is_told_with_those_that_are(tiny_model_path):
    with pytest.raises(UsageError, match="There is no device 'CUDA7'") as error:
        LlamaModel.load(tiny_model_path, LlamaConfig(devices=("CUDA7",)))
    names = [device.name for device in build_info().devices if device.kind != "CPU"]
    assert all(name in error.value.hint for name in names or ["specchat doctor"])


def test_the_cpu_is_no_device_to_choose(tiny_model_path):
    with pytest.raises(UsageError, match="no device 'CPU'"):
        LlamaModel.load(tiny_model_path, LlamaConfig(devices=("CPU",)))


def test_a_split_is_for_as_many_devices_as_there_are(tiny_model_path):
    with pytest.raises(UsageError, match="--tensor-split 3,1 is for 2 devices, but there are 0"):
        LlamaModel.load(tiny_model_path, LlamaConfig(devices=(), tensor_split=(3, 1)))


@pytest.mark.parametrize("split", [(0.0, 0.0), (-1.0, 2.0), (float("nan"),), (float("inf"),)])
def test_a_split_has_shares(split):
    with pytest.raises(UsageError, match="no tensor split"):
        LlamaConfig(tensor_split=split)


def test_no_device_is_named_twice():
    with pytest.raises(UsageError, match="named twice"):
        LlamaConfig(devices=("CUDA0", "cuda0"))


@pytest.mark.parametrize("settings", [{"devices": ()}, {"mmap": False}])
def test_how_a_model_is_loaded_does_not_change_what_it_computes(tiny_model_path, settings):
    assert np.array_equal(logits(tiny_model_path), logits(tiny_model_path, **settings))


@pytest.mark.parametrize(
    ("asked", "layers"), [(-1, 12), (0, 0), (None, 0), (1, 1), (11, 11), (511, 12), (2**31 - 1, 12)]
)
def test_experts_of_the_first_layers_can_be_kept_in_main_memory(write_tiny_model, capsys, asked, layers):
    path = write_tiny_model(layers=12, experts=4)
    assert np.array_equal(logits(path), logits(path, cpu_moe=asked, verbose=True))
    log = capsys.readouterr().err.splitlines()
    moved = [line.split()[1] for line in log if "buffer type overridden to CPU" in line]
    names = ("ffn_gate_exps", "ffn_down_exps", "ffn_up_exps")
    assert set(moved) == {f"blk.{layer}.{name}.weight" for layer in range(layers) for name in names}
