"""Facts are those that loading the model would find."""

import gguf
import pytest

from specchat.profiles.gguf.facts import model_facts, model_kind
from specchat.profiles.gguf.header import FileBytes, read_header
from specchat.profiles.gguf.quantisation import quantisation
from specchat.speculative.errors import ModelLoadError
from specchat.speculative.llama.loading import kind_of
from specchat.speculative.llama.model import LlamaModel

from .loaded import loaded
from .raw import Source, header, tensor

LICENSED = [("general.architecture", "qwen2"), ("general.license", "apache-2.0"), ("general.size_label", "7B")]
TOKENIZER = [("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.tokens", ["a"]), ("tokenizer.ggml.merges", ["a b"])]


def read(entries=(), tensors=()):
    return read_header(Source(header(entries, tensors)), "x.gguf")


def test_the_facts_of_a_model(tiny_model_path):
    facts = model_facts(read_header(FileBytes(tiny_model_path)))
    with LlamaModel.load(tiny_model_path) as model:
        assert facts.context == model.n_ctx_train
        assert facts.vocabulary == model.vocabulary.n_tokens
    assert (facts.architecture, facts.name, facts.layers) == ("llama", "Tiny", 2)
    assert (facts.tokenizer, facts.pre_tokenizer, facts.has_template) == ("gpt2", "qwen2", True)
    assert (facts.licence, facts.objection, facts.shards) == (None, None, 1)


def test_parameters_are_counted_in_the_tensors():
    facts = model_facts(read(tensors=[tensor("a", (3, 5)), tensor("b", (2,))]))
    assert facts.parameters == 17


def test_licence_size_and_shards_are_told():
    facts = model_facts(read([*LICENSED, ("split.count", 3)]))
    assert (facts.licence, facts.size_label, facts.shards) == ("apache-2.0", "7B", 3)


def test_an_empty_header_has_no_facts():
    facts = model_facts(read())
    assert (facts.architecture, facts.name, facts.quantisation, facts.context, facts.layers) == (
        "",
        None,
        None,
        None,
        None,
    )
    assert (facts.vocabulary, facts.shards, facts.has_template) == (0, 1, False)


def test_facts_are_short_however_long_the_texts_are():
    facts = model_facts(read([("general.name", "x" * 1000), ("general.architecture", "y" * 1000)]))
    assert len(facts.name) < 100
    assert len(facts.objection) < 200


@pytest.mark.parametrize("file_type", gguf.LlamaFileType)
def test_quantisations_have_the_names_of_llama_cpp(file_type):
    name = file_type.name.removeprefix("ALL_").removeprefix("MOSTLY_")
    if name != "GUESSED":
        assert quantisation(read([("general.file_type", int(file_type))])) == name


@pytest.mark.parametrize(("kinds", "name"), [([0, 12, 12], "Q4_K_M"), ([8], "Q8_0"), ([1, 1, 0], "F16"), ([], None)])
def test_a_quantisation_that_is_not_named_is_that_of_most_tensors(kinds, name):
    assert quantisation(read(tensors=[tensor(f"t{place}", (2,), kind) for place, kind in enumerate(kinds)])) == name


def test_a_header_says_of_every_architecture_what_llama_cpp_says(tmp_path):
    compared = []
    for architecture in gguf.MODEL_ARCH_NAMES.values():
        path = tmp_path / f"{architecture}.gguf"
        path.write_bytes(header([("general.architecture", architecture), *TOKENIZER]))
        with loaded(path) as model:
            if model is not None:  # a few want more than a vocabulary, and the package may know newer ones
                assert model_kind(read_header(FileBytes(path))) == kind_of(model), architecture
                compared.append(architecture)
    assert {"llama", "t5", "t5encoder", "dream", "llada", "llada-moe"} <= set(compared)
    assert len(compared) > 100


@pytest.mark.parametrize(
    "entry", [("llama.pooling_type", 1), ("llama.pooling_type", 0), ("llama.attention.causal", False)]
)
def test_a_header_calls_an_embedding_model_one_as_loading_it_does(entry, tmp_path):
    path = tmp_path / "x.gguf"
    path.write_bytes(header([("general.architecture", "llama"), entry, *TOKENIZER]))
    with loaded(path) as model:
        assert model_kind(read_header(FileBytes(path))) == kind_of(model)


def test_the_objection_is_the_sentence_of_loading(write_tiny_model):
    path = write_tiny_model(metadata={"llama.pooling_type": 3})
    with pytest.raises(ModelLoadError) as error:
        LlamaModel.load(path)
    assert error.value.message == f"{path} {model_facts(read_header(FileBytes(path))).objection}"


@pytest.mark.parametrize(
    ("entries", "objection"),
    [
        ([("general.type", "adapter")], "is no language model: it is of the type adapter."),
        ([("general.architecture", "clip")], "is no language model: it is of the type projector."),
        ([("tokenizer.ggml.model", "none")], "has no tokenizer, so it cannot be given text."),
        ([("general.type", "model"), *TOKENIZER], "holds no weights."),
        ([("split.count", 2), *TOKENIZER], None),
    ],
)
def test_what_is_no_language_model_is_told(entries, objection):
    assert model_facts(read(entries)).objection == objection
