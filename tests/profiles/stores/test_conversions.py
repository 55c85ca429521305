"""Files that Ollama converted for itself: those that are marked are those that llama.cpp refuses."""

import gguf
import numpy as np
import pytest

from specchat.profiles.gguf.header import FileBytes, GgufHeader, Tensor, read_header
from specchat.profiles.stores.conversions import ollama_only
from specchat.profiles.stores.description import check_loadable, described
from specchat.profiles.stores.inventory import stored_models
from specchat.profiles.stores.places import Places
from specchat.speculative.errors import ModelLoadError
from specchat.speculative.llama.model import LlamaModel

from .layouts import ollama_model


def header(
    architecture: str, keys: tuple[str, ...] = (), tensors: tuple[str, ...] = ("token_embd.weight",)
) -> GgufHeader:
    metadata = {"general.architecture": architecture} | dict.fromkeys(keys, 1)
    return GgufHeader(
        name="x", version=3, metadata=metadata, tensors=tuple(Tensor(name, (1,), 0, 0) for name in tensors), size=0
    )


@pytest.mark.parametrize(
    "foreign",
    [
        header("gptoss"),
        header("qwen25vl"),
        header("mllama"),
        header("gemma3"),
        header(
            "gemma3",
            ("gemma3.attention.layer_norm_rms_epsilon",),
            ("token_embd.weight", "mm.mm_input_projection.weight"),
        ),
        header("llama4", (), ("v.blk.0.attn_q.weight",)),
        header("mistral3", (), ("v.patch_conv.weight",)),
        header("qwen3vl"),
        header("lfm2", (), ("output_norm.weight",)),
        header("nemotron_h_moe", (), ("blk.1.ffn_latent_in.weight",)),
        header("qwen35moe", (), ("mtp.fc.weight",)),
    ],
    ids=lambda each: f"{each.metadata['general.architecture']}-{each.tensors[-1].name}",
)
def test_what_ollama_translates_when_it_loads_is_marked(foreign):
    assert "Ollama's own conversion" in ollama_only(foreign)


@pytest.mark.parametrize(
    "usual",
    [
        header("llama"),
        header("gpt-oss"),
        header("qwen2vl"),
        header("gemma3", ("gemma3.attention.layer_norm_rms_epsilon",)),
        header("qwen3vl", ("qwen3vl.rope.dimension_sections",)),
        header("lfm2", (), ("token_embd_norm.weight",)),
        header("clip", (), ("v.patch_embd.weight", "mm.0.weight")),
        header(""),
    ],
    ids=lambda each: each.metadata["general.architecture"],
)
def test_what_llama_cpp_converts_is_not(usual):
    assert ollama_only(usual) is None


def loads(path) -> bool:
    try:
        with LlamaModel.load(path):
            return True
    except ModelLoadError:
        return False


def with_tensor(source, target, name: str):
    """A copy of a model with one more tensor."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, "llama")
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        kind = field.types[0]
        writer.add_key_value(field.name, field.contents(), kind, field.types[-1] if kind.name == "ARRAY" else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, np.array(tensor.data))
    writer.add_tensor(name, np.zeros(32, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


def test_llama_cpp_refuses_what_is_marked_and_loads_what_is_not(write_tiny_model, tmp_path):
    usual = write_tiny_model()
    files = [
        usual,
        write_tiny_model(architecture="gptoss"),
        with_tensor(usual, tmp_path / "seeing.gguf", "v.patch_embd.weight"),
        with_tensor(usual, tmp_path / "hearing.gguf", "a.conv1d.0.weight"),
        with_tensor(usual, tmp_path / "joined.gguf", "mm.0.weight"),
    ]
    marked = [ollama_only(read_header(FileBytes(file))) is not None for file in files]
    assert marked == [False, True, True, True, True]
    assert [not loads(file) for file in files] == marked


def test_a_marked_model_is_refused_with_another_way_to_get_it(write_tiny_model, tmp_path):
    ollama_model(tmp_path, "gpt-oss/20b", write_tiny_model(architecture="gptoss").read_bytes())
    ollama_model(tmp_path, "llama3.2/latest", write_tiny_model().read_bytes())
    found = stored_models(Places(ollama=(tmp_path,)))
    check_loadable(found.find("llama3.2"))
    with pytest.raises(ModelLoadError) as refused:
        check_loadable(found.find("gpt-oss:20b"))
    assert refused.value.message == ("gpt-oss:20b is Ollama's own conversion, as gptoss, which only Ollama can load.")
    assert "specchat pull USER/REPO" in refused.value.hint


def test_a_model_that_generates_no_text_is_told_as_that(write_tiny_model, tmp_path):
    ollama_model(tmp_path, "embed/latest", write_tiny_model(metadata={"llama.pooling_type": 1}).read_bytes())
    [model] = stored_models(Places(ollama=(tmp_path,))).models
    assert described(model).problem == "It is an embedding model (llama): it cannot generate text."


def test_a_damaged_file_is_told_as_that(tmp_path):
    ollama_model(tmp_path, "broken/latest", b"GGUF\x03\0\0\0")
    [model] = stored_models(Places(ollama=(tmp_path,))).models
    description = described(model)
    assert description.facts is None
    assert str(model.path) in description.problem
