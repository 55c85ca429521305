"""The first bytes of two files tell families of vocabularies apart, and never two that fit."""

from itertools import permutations

import pytest

from specchat.profiles.gguf.header import FileBytes, read_header
from specchat.profiles.gguf.vocabulary import token_table, vocabulary
from specchat.profiles.pairing.glance import first_texts, may_be_kin
from specchat.speculative.compatibility import check_vocabularies
from specchat.speculative.errors import SpecchatError

from ..gguf.raw import Source


def fits(target, draft):
    try:
        check_vocabularies(*(vocabulary(read_header(FileBytes(path))) for path in (target, draft)))
    except SpecchatError:
        return False
    return True


def test_the_first_texts_are_those_of_the_header(tiny_model_path):
    texts = first_texts(FileBytes(tiny_model_path))
    assert texts == token_table(read_header(FileBytes(tiny_model_path))).texts[: len(texts)]
    assert len(texts) == 300


def test_a_glance_parts_families_and_no_pair_that_fits(write_tiny_model):
    files = [
        write_tiny_model(**settings)
        for settings in ({}, {"tokenizer": "spm"}, {"altered": (266, "<|bos|>")}, {"n_vocab": 290}, {"n_vocab": 310})
    ]
    for target, draft in permutations(files, 2):
        assert may_be_kin(*(first_texts(FileBytes(path)) for path in (target, draft))) == fits(target, draft)


@pytest.mark.parametrize("data", [b"", b"GGUF", b"tokenizer.ggml.tokens", b"tokenizer.ggml.tokens" + 40 * b"\xff"])
def test_files_that_show_no_tokens_may_be_anything(data, tiny_model_path):
    assert may_be_kin(first_texts(Source(data)), first_texts(FileBytes(tiny_model_path)))


@pytest.mark.models
def test_real_models_are_told_apart(models):
    paths = sorted(models.glob("*.gguf"))
    for target, draft in permutations(paths, 2):
        kin = may_be_kin(*(first_texts(FileBytes(path)) for path in (target, draft)))
        assert kin == ("qwen" in target.name and "qwen" in draft.name)
