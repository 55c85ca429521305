"""The memory that is reckoned from a header is what llama.cpp allocates."""

import pytest

from specchat.speculative.llama.config import LlamaConfig

from .allocated import MIB, allocated, predicted

ROUNDED = 0.006 * MIB
"""Bytes: the log has two places behind the point, for each of up to two caches."""

MODELS = [
    {},
    {"layers": 5, "width": 128},
    {"experts": 4},
    {"n_vocab": 20000},
    {"architecture": "mamba", "width": 256},
    {"architecture": "jamba", "width": 256},
    {"architecture": "lfm2", "width": 256},
    {"architecture": "gemma2", "layers": 5, "window": 200},
]


@pytest.mark.parametrize("settings", MODELS)
@pytest.mark.parametrize(
    "loading",
    [
        {"n_ctx": 512},
        {"n_ctx": 300},
        {"n_ctx": 4096},
        {"n_ctx": 4096, "cache_type_k": "q8_0", "cache_type_v": "q8_0"},
        {"n_ctx": 4096, "cache_type_k": "q4_0", "cache_type_v": "bf16"},
        {"n_ctx": 4096, "flash_attention": "off"},
        {"n_ctx": 4096, "n_batch": 64, "max_rows": 1},
        {"n_ctx": 4096, "n_batch": 8, "max_rows": 1, "whole_windows": False},
    ],
)
def test_weights_and_cache_are_exact_and_buffers_are_not_larger(write_tiny_model, settings, loading):
    path, config = write_tiny_model(**settings), LlamaConfig(threads=1, **loading)
    real, reckoned = allocated(path, config), predicted(path, config)
    assert reckoned.weights == real.weights
    assert reckoned.weights == pytest.approx(real.mapped, abs=ROUNDED)
    assert reckoned.cache == pytest.approx(real.cache, abs=2 * ROUNDED)
    assert real.compute - ROUNDED <= reckoned.compute <= 1.5 * real.compute + MIB


def test_what_is_left_to_the_model_is_reckoned_as_it_is_loaded(write_tiny_model):
    path = write_tiny_model(n_ctx=2048)
    assert predicted(path, LlamaConfig()) == predicted(path, LlamaConfig(n_ctx=2048))
    assert predicted(path, LlamaConfig()).cache == pytest.approx(allocated(path, LlamaConfig()).cache, abs=ROUNDED)


@pytest.mark.models
@pytest.mark.parametrize("cache_type", ["f16", "q8_0"])
def test_real_models_take_what_is_reckoned(models, cache_type):
    for path in sorted(models.glob("*.gguf")):
        config = LlamaConfig(threads=1, n_ctx=4096, cache_type_k=cache_type, cache_type_v=cache_type)
        real, reckoned = allocated(path, config), predicted(path, config)
        assert reckoned.weights == real.weights, path
        assert reckoned.cache == pytest.approx(real.cache, rel=0.001), path
        assert real.compute <= reckoned.compute <= 1.15 * real.compute, path
