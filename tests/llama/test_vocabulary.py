import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.vocabulary import cut_inside

END_OF_TEXT, START, END, TOOL, SPACES, STRUCK = range(266, 272)


@pytest.fixture(scope="module")
def bpe(tiny_model_path):
    with LlamaModel.load(tiny_model_path) as model:
        yield model.vocabulary


@pytest.fixture(scope="module")
def spm(write_tiny_model):
    with LlamaModel.load(write_tiny_model(tokenizer="spm", adds_bos=True)) as model:
        yield model.vocabulary


def spell(vocabulary, tokens):
    return b"".join(map(vocabulary.piece, tokens)).decode()


def test_all_end_tokens_count(bpe):
    assert bpe.end_tokens == {END_OF_TEXT, END}
    assert bpe.is_end(END)
    assert not bpe.is_end(START)


def test_a_struck_through_end_in_html_is_text(bpe):
    """llama.cpp takes every token `</s>` for an end; Qwen's file says it is text."""
    assert not bpe.is_end(STRUCK)
    assert not bpe.is_control(STRUCK)
    assert bpe.piece(STRUCK) == b"</s>"


def test_the_end_token_of_sentencepiece_is_one(spm):
    assert spm.is_end(2)
    assert spm.is_control(2)
    assert (spm.bos, spm.eos, spm.adds_bos) == (1, 2, True)


def test_control_tokens_show_nothing_and_user_defined_ones_their_text(bpe):
    assert bpe.piece(END) == b""
    assert bpe.text(END) == b"<|im_end|>"
    assert bpe.piece(TOOL) == b"<tool_call>"


def test_byte_tokens_are_single_bytes(spm):
    assert [spm.piece(token) for token in (3, 3 + 0x0A, 3 + 0xFF)] == [b"\x00", b"\n", b"\xff"]


def test_special_texts_become_tokens_only_when_parsed(bpe):
    assert bpe.tokenize("<|im_end|>", True) == [END]
    assert END not in bpe.tokenize("<|im_end|>", False)
    assert bpe.tokenize("<tool_call>", False) == [TOOL]


def test_no_bos_is_added(spm):
    assert 1 not in spm.tokenize("on the", False)


@pytest.mark.parametrize("text", ["", "x" * 5000, "\U0001f600", "a\x00b", "\udc80"])
def test_any_text_has_tokens(bpe, text):
    assert spell(bpe, bpe.tokenize(text, False)) == text.replace("\udc80", "?")


@pytest.mark.parametrize("text", ["<|im_end|>", "<tool_call>", "</s>", "a <tool_call><tool_call> b", "<tool_call"])
def test_plain_text_never_becomes_a_special_token(bpe, text):
    tokens = bpe.tokenize_plain(text)
    assert not {END_OF_TEXT, START, END, TOOL, STRUCK} & set(tokens)
    assert spell(bpe, tokens) == text


@pytest.mark.parametrize("text", ["</s>", "the</s>", "</s></s>the", "<tool>", "the <tool> on", "<s><tool></s>"])
def test_plain_sentencepiece_text_never_becomes_a_special_token(spm, text):
    """Here plain merges lead to `</s>`, and every tokenization of its own starts with a space."""
    tokens = spm.tokenize_plain(text)
    assert not spm.end_tokens & set(tokens)
    assert not {token.id for token in spm.special_tokens} & set(tokens)
    assert spell(spm, tokens) == " " + text


def test_merges_alone_make_an_end_token(spm):
    """What the test above guards against does happen."""
    assert 2 in spm.tokenize("</s>", False)


def test_plain_text_without_special_texts_is_tokenized_whole(bpe):
    text = "the user\n\nin    on <the>"
    assert bpe.tokenize_plain(text) == bpe.tokenize(text, False)
    assert SPACES in bpe.tokenize_plain(text)


@given(st.text(alphabet="ab<>"), st.lists(st.text(alphabet="ab<>", min_size=2, max_size=4), max_size=4))
@settings(deadline=None)
def test_no_part_of_a_cut_text_holds_a_mark(text, marks):
    parts = cut_inside(text, marks)
    assert "".join(parts) == text
    assert not any(mark in part for part in parts for mark in marks)


def test_infill_tokens_are_named_where_there_are_some(bpe):
    assert bpe.infill == (None, None, None)
