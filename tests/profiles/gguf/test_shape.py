"""Shapes are those that llama.cpp makes of the same header; where it decides, tests/llama/test_footprint.py asks it."""

import pytest

from specchat.profiles.gguf.attention import attention_of
from specchat.profiles.gguf.header import FileBytes, read_header
from specchat.profiles.gguf.hyperparameters import Hyperparameters
from specchat.profiles.gguf.recurrence import recurrence_of
from specchat.profiles.gguf.shape import model_shape

from .raw import Source, header, tensor

COMMON = {"block_count": 8, "embedding_length": 64, "context_length": 2048, "attention.head_count": 4}
TOKENS = [("tokenizer.ggml.tokens", ["a", "b", "c"])]


def read(architecture, tensors=(), **values):
    named = {**COMMON, **{key.replace("__", "."): value for key, value in values.items()}}
    entries = [("general.architecture", architecture), *TOKENS]
    entries += [(f"{architecture}.{key}", value) for key, value in named.items()]
    return read_header(Source(header(entries, tensors)), "x.gguf")


def attention(architecture, **values):
    return attention_of(Hyperparameters(read(architecture, **values)))


def test_weights_are_told_by_layer_and_by_what_is_outside():
    tensors = [
        tensor("token_embd.weight", (32, 3), 8), tensor("blk.0.a.weight", (32,), 8), tensor("blk.7.a.weight", (64, 2)),
        tensor("output_norm.weight", (10,)),
    ]  # fmt: skip
    found = model_shape([read("llama", tensors)])
    assert [layer.weights for layer in found.layers] == [34, 0, 0, 0, 0, 0, 0, 512]
    assert (found.input_weights, found.output_weights, found.tied) == (102, 40, 102)
    assert (found.weights, found.parameters) == (688, 96 + 32 + 128 + 10)


def test_an_output_of_its_own_is_not_tied():
    tensors = [tensor("token_embd.weight", (32, 3), 8), tensor("output.weight", (32, 3), 8)]
    found = model_shape([read("llama", tensors)])
    assert (found.input_weights, found.output_weights, found.tied) == (102, 102, 0)


def test_weights_of_a_split_model_are_in_all_its_files():
    first, second = read("llama", [tensor("blk.0.a", (4,))]), read("llama", [tensor("blk.1.a", (8,))])
    assert [layer.weights for layer in model_shape([first, second]).layers[:3]] == [16, 32, 0]


def test_layers_that_guess_further_tokens_are_not_loaded():
    found = model_shape([read("qwen3", [tensor("blk.7.a", (4,))], nextn_predict_layers=1)])
    assert (found.layers[7].weights, found.layers[7].k_width, found.layers[6].k_width) == (0, 0, 64)


def test_what_a_header_does_not_say_cannot_be_known():
    assert model_shape([read("llama", block_count=0)]) is None
    assert model_shape([read("llama", context_length=0)]) is None
    assert model_shape([read("llama", [tensor("x", (32,), 99)])]) is None
    assert model_shape([read_header(Source(header()), "x.gguf")]) is None


def test_heads_and_their_lengths_decide_how_wide_the_caches_are():
    assert attention("llama").k_widths == (64,) * 8
    found = attention("llama", attention__head_count_kv=2, attention__key_length=24, attention__value_length=16)
    assert (found.k_widths, found.v_widths, found.queries) == ((48,) * 8, (32,) * 8, 96)
    some = attention("deci", attention__head_count_kv=[2, 0, 1, 2, 0, 1, 2, 0])
    assert some.k_widths == (32, 0, 16, 32, 0, 16, 32, 0)


def test_latent_attention_keeps_no_values():
    found = attention(
        "deepseek2", attention__head_count_kv=1, attention__key_length=576, attention__value_length=512,
        attention__key_length_mla=192, attention__value_length_mla=128,
    )  # fmt: skip
    assert (found.k_widths[0], set(found.v_widths)) == (576, {0})


def test_windows_are_those_of_the_header_or_of_the_architecture():
    gemma = attention("gemma3", attention__sliding_window=512)
    assert (gemma.windowed, gemma.window) == ({0, 1, 2, 3, 4, 6, 7}, 512)
    assert attention("gemma3").windowed == frozenset()
    assert attention("gemma2").window == 4096
    assert attention("gpt-oss", attention__sliding_window=128).windowed == {0, 2, 4, 6}
    marked = attention(
        "gemma4", attention__sliding_window=9, attention__sliding_window_pattern=[1, 0, 1, 0, 0, 0, 0, 1]
    )
    assert marked.windowed == {0, 2, 7}
    assert attention("phi3", attention__sliding_window=2047).windowed == frozenset()
    assert attention("qwen2", attention__sliding_window=4096).windowed == frozenset()


def test_windowed_layers_may_be_of_other_widths_and_others_share_a_cache():
    found = attention(
        "gemma4", attention__sliding_window=9, attention__sliding_window_pattern=[1, 0] * 4,
        attention__key_length=32, attention__key_length_swa=8, attention__shared_kv_layers=4,
    )  # fmt: skip
    assert found.k_widths == (32, 128, 32, 128, 0, 0, 0, 0)


def test_recurrent_layers_are_told_from_those_that_attend():
    state = {"ssm__conv_kernel": 4, "ssm__inner_size": 128, "ssm__state_size": 16, "ssm__group_count": 1}
    jamba = recurrence_of(Hyperparameters(read("jamba", attention__head_count_kv=[0, 2] * 4, **state)))
    assert (jamba.layers, jamba.instead) == ({0, 2, 4, 6}, {0, 2, 4, 6})
    assert jamba.state == 4 * (3 * (128 + 32) + 128 * 16)
    both = recurrence_of(Hyperparameters(read("falcon-h1", **state)))
    assert (len(both.layers), both.instead) == (8, set())
    assert recurrence_of(Hyperparameters(read("qwen3next", **state))).layers == {0, 1, 2, 4, 5, 6}
    assert recurrence_of(Hyperparameters(read("llama"))).layers == set()


@pytest.mark.parametrize(
    ("scaling", "usable"),
    [
        ({}, 2048),
        ({"type": "yarn", "factor": 4.0, "original_context_length": 2048}, 8192),
        ({"type": "yarn", "factor": 2.5}, 5120),
        ({"type": "yarn", "factor": 4.0, "original_context_length": 512}, 2048),
        ({"type": "linear", "factor": 8.0}, 2048),
        ({"type": "linear", "factor": 8.0, "original_context_length": 2048}, 16384),
        ({"type": "none", "factor": 8.0, "original_context_length": 2048}, 2048),
        ({"type": "longrope", "original_context_length": 512}, 2048),
        ({"type": "yarn", "factor": float("inf")}, 2048),
    ],
)
def test_positions_reach_as_far_as_the_header_scales_them(scaling, usable):
    found = model_shape([read("llama", **{f"rope__scaling__{key}": value for key, value in scaling.items()})])
    assert (found.trained_context, found.usable_context) == (2048, usable)


def test_a_real_file_has_the_shape_that_it_was_written_with(write_tiny_model):
    found = model_shape([read_header(FileBytes(write_tiny_model(layers=3, experts=4)))])
    assert [(layer.k_width, layer.v_width, layer.state) for layer in found.layers] == [(32, 32, 0)] * 3
    assert (found.embedding, found.hidden, found.experts_out, found.heads) == (64, 256, 128, 2)
