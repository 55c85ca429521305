"""Where a model computes, from what was asked and what is there."""

import pytest

from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.placement import Placement, placement

GPU = ("Big GPU",)


@pytest.mark.parametrize(("asked", "there"), [(None, 33), (-1, 33), (99, 33), (33, 33), (20, 20)])
def test_layers_go_where_they_are_asked_for_as_far_as_there_are_some(asked, there):
    assert placement(33, LlamaConfig(n_gpu_layers=asked).layers_on_devices(33), GPU) == Placement(33, there, GPU)


@pytest.mark.parametrize(
    ("layers", "experts", "apart"),
    [(None, None, 0), (None, 0, 0), (None, -1, 32), (None, 5, 5), (20, 13, 0), (20, 20, 7), (20, 99, 19), (0, -1, 0)],
)
def test_experts_are_apart_from_layers_on_devices_only(layers, experts, apart):
    assert LlamaConfig(n_gpu_layers=layers, cpu_moe=experts).layers_apart(33) == apart


@pytest.mark.parametrize(("asked", "gpus"), [(0, GPU), (33, ()), (20, ())])
def test_without_a_gpu_or_layers_on_it_all_is_on_the_cpu(asked, gpus):
    assert placement(33, asked, gpus) == Placement(33, 0, ())
