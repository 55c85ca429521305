"""The vocabulary of a header is the one that llama.cpp makes of it."""

from itertools import chain
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.profiles.gguf.header import FileBytes, read_header
from specchat.profiles.gguf.marks import CALLS, ENDS, INFILL, PLAIN_STRIKE, SHOWN, TURN_ENDS
from specchat.profiles.gguf.vocabulary import token_table, vocabulary
from specchat.speculative.compatibility import check_vocabularies
from specchat.speculative.errors import ModelLoadError, SpecchatError

from .loaded import loaded_vocabulary
from .raw import I32, Source, array, header

TINY = [
    {},
    {"tokenizer": "spm"},
    {"altered": (100, "é!")},
    {"altered": (266, "<|bos|>")},
    {"n_vocab": 290},
    {"n_vocab": 310},
    {"architecture": "mamba"},
]
KINDS = {"gpt2": "byte-level BPE", "llama": "SentencePiece", "bert": "WordPiece", "rwkv": "RWKV", "t5": "Unigram"}
ROLES = ("bos", "eos", "eot", "eom", *INFILL, "prefix", "suffix", "middle")

TYPES = [0, 1, 2, 3, 4, 5, 7]
"""All but bytes: llama.cpp ends the process where one has another text than `<0x0A>` and its like."""


def table(path):
    return token_table(read_header(FileBytes(path), path.name))


def loaded_table(path):
    with loaded_vocabulary(path) as found:
        return found.table


@pytest.mark.parametrize("settings", TINY)
def test_the_table_of_a_header_is_that_of_the_loaded_model(write_tiny_model, settings):
    path = write_tiny_model(**settings)
    assert table(path) == loaded_table(path)


@pytest.mark.models
def test_the_tables_of_real_headers_are_those_of_the_loaded_models(models):
    for path in sorted(models.glob("*.gguf")):
        assert table(path) == loaded_table(path), path


@pytest.mark.parametrize("draft", TINY)
@pytest.mark.parametrize("target", TINY)
def test_headers_lead_to_the_verdict_of_loaded_models(write_tiny_model, target, draft):
    target, draft = write_tiny_model(**target), write_tiny_model(**draft)
    with loaded_vocabulary(target) as first, loaded_vocabulary(draft) as second:
        assert header_verdict(target, draft) == verdict(first, second)


@pytest.mark.models
def test_real_headers_lead_to_the_verdict_of_loaded_models(models):
    target = models / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    for name in ("qwen2.5-coder-0.5b-instruct-q4_0.gguf", "smollm2-135m-instruct-q4_1.gguf"):
        with loaded_vocabulary(target) as first, loaded_vocabulary(models / name) as second:
            assert header_verdict(target, models / name) == verdict(first, second)


def header_verdict(target, draft):
    return verdict(*(vocabulary(read_header(FileBytes(path), path.name)) for path in (target, draft)))


def verdict(target, draft):
    try:
        return check_vocabularies(target, draft)
    except SpecchatError as error:
        return error.message


@st.composite
def vocabularies(draw):
    """Entries of a header: marks among other tokens, of all types, with roles given to any token or to none."""
    kind = draw(st.sampled_from(["gpt2", "llama", "bert"]))
    alone = [draw(st.sampled_from(["", *texts])) for texts in (*INFILL.values(), TURN_ENDS)]
    others = [text for text in (*ENDS, *PLAIN_STRIKE, *SHOWN, *chain(*CALLS)) if text not in TURN_ENDS]
    marks = draw(st.lists(st.sampled_from(others), max_size=8, unique=True))
    texts = list(dict.fromkeys(["Ċ", "<0x0A>", "a", *filter(None, alone), *marks, "b\0a", "\0", "[unused1]", ""]))
    texts += [f"word{place}" for place in range(draw(st.integers(0, 8)))]
    texts = draw(st.permutations(texts))
    roles = draw(st.dictionaries(st.sampled_from(ROLES), st.integers(0, len(texts) + 2), max_size=6))
    return [
        ("general.architecture", "llama"),
        ("tokenizer.ggml.model", kind),
        ("tokenizer.ggml.pre", draw(st.sampled_from(["default", "qwen2", "glm4", "gpt-4o"]))),
        ("tokenizer.ggml.tokens", texts),
        *draw(st.sampled_from([[], [("tokenizer.ggml.token_type", [draw(st.sampled_from(TYPES)) for _ in texts])]])),
        ("tokenizer.ggml.merges", ["a b"]),
        *((f"tokenizer.ggml.{role}_token_id", token) for role, token in roles.items()),
    ]


@given(vocabularies())
@settings(max_examples=300)
def test_marks_and_roles_count_as_in_llama_cpp(tmp_path_factory, entries):
    path = tmp_path_factory.getbasetemp() / "marks.gguf"
    path.write_bytes(header(entries))
    assert table(path) == loaded_table(path)


@pytest.mark.parametrize(
    "texts", [["<|end|>", "<|return|>", "<|call|>", "<|channel|>"], ["</s>", "<|tool_response>"], ["</s>"], ["<PRE>"]]
)
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("eot", [0, 9])
def test_marks_that_change_others_count_as_in_llama_cpp(tmp_path, texts, kind, eot):
    path = tmp_path / "x.gguf"
    entries = [("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.tokens", ["Ċ", *texts])]
    types = [("tokenizer.ggml.token_type", [1] + [kind] * len(texts)), ("tokenizer.ggml.merges", ["a b"])]
    roles = [("tokenizer.ggml.eot_token_id", eot)]
    path.write_bytes(header([("general.architecture", "llama"), *entries, *types, *roles]))
    assert table(path) == loaded_table(path)


@pytest.mark.parametrize(("model", "kind"), KINDS.items())
def test_kinds_of_tokenizers_have_one_name(tmp_path, model, kind):
    path = tmp_path / "x.gguf"
    texts = ["a", "<unk>", "b", "Ċ", *(f"word{number}" for number in range(110))]
    tokens = [repr(text) for text in ["\n", *texts]] if model == "rwkv" else texts
    entries = [("tokenizer.ggml.model", model), ("tokenizer.ggml.tokens", tokens), ("tokenizer.ggml.merges", ["a b"])]
    scores = [("tokenizer.ggml.scores", [1] * len(tokens))]
    path.write_bytes(header([("general.architecture", "llama"), *entries, *scores]))
    found = table(path)
    assert found.tokenizer == kind
    assert found == loaded_table(path)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"tokenizer.ggml.model": "new"}, "unknown tokenizer: 'new'"),
        ({"tokenizer.ggml.model": 3}, "unknown tokenizer: ''"),
        ({"tokenizer.ggml.tokens": ["a", "a"]}, "two of its tokens have the same text"),
        ({"tokenizer.ggml.tokens": [1, 2]}, "it has no tokens"),
        ({"tokenizer.ggml.tokens": "a"}, "it has no tokens"),
        ({"tokenizer.ggml.token_type": [1]}, "the types of its 2 tokens are not all there"),
        ({"tokenizer.ggml.token_type": array(4, 2, pack("<II", 1, 1))}, "the types of its 2 tokens are not all there"),
    ],
)
def test_what_llama_cpp_would_not_load_is_told(entries, reason):
    whole = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a", "b"], **entries}
    with pytest.raises(ModelLoadError) as error:
        token_table(read_header(Source(header(list(whole.items()))), "x.gguf"))
    assert error.value.message == f"llama.cpp cannot load x.gguf: {reason}."


def test_the_vocabulary_of_an_embedding_model_is_not_compared():
    entries = [("general.architecture", "bert"), ("bert.pooling_type", 1), ("tokenizer.ggml.model", "bert")]
    with pytest.raises(ModelLoadError, match="is an embedding model"):
        vocabulary(read_header(Source(header(entries))))


def test_more_types_than_tokens_are_no_fault():
    entries = [("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.tokens", ["a", "b"])]
    types = ("tokenizer.ggml.token_type", array(I32, 3, pack("<3i", 1, 3, 3)))
    assert token_table(read_header(Source(header([*entries, types])))).special == {1}
