"""What a shape takes under settings."""

from dataclasses import replace

import gguf
import pytest

from specchat.speculative.cache_types import CACHE_TYPES
from specchat.speculative.footprint.memory import LoadedBy, model_memory
from specchat.speculative.footprint.rows import cache_bytes, row_bytes
from specchat.speculative.footprint.shape import LayerShape

from .making import shape

IN_FILES = [kind for kind in gguf.GGML_QUANT_SIZES if kind.name not in ("Q8_1", "Q8_K")]
"""All but what only computing needs."""


@pytest.mark.parametrize("kind", IN_FILES)
def test_rows_take_what_ggml_says(kind):
    block, size = gguf.GGML_QUANT_SIZES[kind]
    assert row_bytes(int(kind), 3 * block) == 3 * size


def test_a_type_that_is_not_known_has_no_size():
    assert row_bytes(4, 32) is None
    assert row_bytes(1000, 32) is None


def test_each_type_of_a_cache_has_the_size_of_its_name():
    for name in CACHE_TYPES:
        block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name.upper()]]
        assert cache_bytes(name, block) == size
        assert CACHE_TYPES[name] == gguf.GGMLQuantizationType[name.upper()]


def test_contexts_are_rounded_up_as_llama_cpp_rounds_them():
    sizes = [model_memory(shape(), LoadedBy(context=context)).cache for context in (1, 256, 257, 512)]
    assert sizes == [4 * 256 * 2 * 384, 4 * 256 * 2 * 384, 4 * 512 * 2 * 384, 4 * 512 * 2 * 384]


def test_windowed_layers_keep_a_window_only_if_going_back_is_given_up():
    windowed = (LayerShape(weights=1, k_width=100, v_width=100, windowed=True),)
    seen = shape(layers=windowed, window=1000)
    whole = LoadedBy(context=8192)
    assert model_memory(seen, whole).cache == 8192 * 400
    assert model_memory(seen, replace(whole, whole_windows=False)).cache == 1536 * 400
    assert model_memory(seen, LoadedBy(context=512, whole_windows=False)).cache == 512 * 400


def test_without_flash_attention_v_caches_are_as_wide_as_the_widest():
    uneven = shape(layers=(LayerShape(weights=1, v_width=64), LayerShape(weights=1, v_width=128)))
    assert model_memory(uneven, LoadedBy(context=256)).cache == 256 * 2 * 192
    assert model_memory(uneven, LoadedBy(context=256, flash_attention=False)).cache == 256 * 2 * 256


def test_a_recurrent_state_does_not_grow_with_the_context():
    recurrent = shape(layers=(LayerShape(weights=1, state=5000),))
    assert {model_memory(recurrent, LoadedBy(context=context)).cache for context in (256, 65536)} == {5000}


def test_another_quantisation_weighs_what_it_is_said_to():
    lighter = shape(tied=500).weighing(2600)
    assert (shape().weights, lighter.weights, lighter.tied, lighter.layers[0].k_width) == (5200, 2600, 250, 256)


def test_buffers_grow_with_passes_contexts_and_rows_and_without_flash_attention():
    least = LoadedBy(context=1024, pass_length=64)
    compute = model_memory(shape(), least).compute
    for other in ({"pass_length": 128}, {"context": 2048}, {"rows": 10_000}, {"flash_attention": False}):
        assert model_memory(shape(), replace(least, **other)).compute > compute


def test_with_experts_in_main_memory_layers_are_lighter_and_all_weighs_the_same():
    dense, mixed = LayerShape(weights=100, k_width=8), LayerShape(weights=1000, experts=900, k_width=8)
    usual = model_memory(shape(layers=(dense, mixed, mixed), experts=9, used=2), LoadedBy(context=256))
    assert usual.layers_to_experts == 3
    for count, kept in ((0, 0), (1, 0), (2, 900), (3, 1800), (9, 1800)):
        apart = usual.keeping_experts(count)
        weights = [100 if place < count else layer.weights for place, layer in enumerate(usual.layers[:3])]
        assert [layer.weights for layer in apart.layers[:3]] == weights
        assert (apart.kept, apart.lent) == (usual.kept + kept, min(kept, 900))
        assert (apart.weights, apart.cache) == (usual.weights, usual.cache)
    assert [layer.read for layer in usual.layers[:3]] == [100, 300, 300]


def test_a_model_without_experts_keeps_none():
    usual = model_memory(shape(), LoadedBy(context=256))
    assert (usual.layers_to_experts, usual.keeping_experts(3)) == (0, usual)


def test_another_context_takes_all_but_the_weights_again():
    one = model_memory(shape(), LoadedBy(context=1024))
    two = one.with_contexts(2)
    assert two.weights == one.weights
    for name in ("cache", "compute", "finishing", "passing", "logits"):
        assert getattr(two, name) == 2 * getattr(one, name) > 0
