from dataclasses import dataclass, replace

import pytest

from specchat.speculative.compatibility import Compatibility, TokenTable, check_vocabularies
from specchat.speculative.errors import VocabularyMismatchError


@dataclass
class FakeVocabulary:
    table: TokenTable


TABLE = TokenTable(
    tokenizer="byte-level BPE",
    texts=[b"<s>", b"</s>", b"a", b"b", b"c", b"<x>", b"<y>"],
    special=frozenset({0, 1, 5, 6}),
    bos=0,
    eos=1,
)


def check(target, draft):
    return check_vocabularies(FakeVocabulary(target), FakeVocabulary(draft))


def with_texts(changes):
    return replace(TABLE, texts=[changes.get(token, text) for token, text in enumerate(TABLE.texts)])


def test_equal_vocabularies_fit_without_a_word():
    assert check(TABLE, TABLE) == Compatibility(warnings=(), forbidden=(), limit=7)


def test_another_type_of_tokenizer_is_named():
    with pytest.raises(VocabularyMismatchError) as error:
        check(TABLE, replace(TABLE, tokenizer="SentencePiece"))
    assert "byte-level BPE in the target and SentencePiece in the draft" in error.value.message
    assert error.value.hint


def test_the_first_normal_token_that_differs_is_named_with_both_texts():
    with pytest.raises(VocabularyMismatchError) as error:
        check(TABLE, with_texts({3: b"B", 4: b"C"}))
    assert "2 differ" in error.value.message
    assert "token 3 ('b' in the target, 'B' in the draft)" in error.value.message


def test_special_tokens_that_differ_warn_and_are_never_drafted():
    fit = check(TABLE, with_texts({5: b"<z>"}))
    assert fit.forbidden == (5,)
    assert "5 ('<x>' in the target, '<z>' in the draft)" in fit.warnings[0]


def test_a_token_that_is_special_on_one_side_only_is_no_mismatch():
    draft = replace(with_texts({5: b"word"}), special=frozenset({0, 1, 6}))
    assert check(TABLE, draft).forbidden == (5,)
    assert check(draft, TABLE).forbidden == (5,)


def test_another_eos_warns_and_is_never_drafted():
    fit = check(TABLE, replace(TABLE, eos=5))
    assert fit.forbidden == (5,)
    assert fit.warnings == (
        "The EOS token is 1 ('</s>') in the target but 5 ('<x>') in the draft, where it is never drafted.",
    )


def test_a_missing_bos_is_no_difference():
    assert check(TABLE, replace(TABLE, bos=None)).warnings == ()


@pytest.mark.parametrize("padding", [[b"[PAD7]", b"[PAD8]"], [b"d", b"e"]])
def test_a_longer_draft_is_cut_at_the_targets_vocabulary(padding):
    fit = check(TABLE, replace(TABLE, texts=[*TABLE.texts, *padding]))
    assert fit == Compatibility(warnings=(), forbidden=(), limit=7)


def test_a_longer_target_is_no_difference():
    assert check(replace(TABLE, texts=[*TABLE.texts, b"[PAD7]"]), TABLE) == Compatibility((), (), 7)


def test_an_eos_beyond_the_limit_needs_no_word():
    assert check(TABLE, replace(TABLE, texts=[*TABLE.texts, b"<eos>"], eos=7)).warnings == ()


def test_bytes_that_are_no_text_are_spelt():
    with pytest.raises(VocabularyMismatchError, match="xff"):
        check(TABLE, with_texts({3: b"\xff"}))


def test_many_differing_special_tokens_are_counted():
    table = replace(TABLE, special=frozenset(range(7)))
    fit = check(table, replace(table, texts=[text + b"!" for text in table.texts]))
    assert "7 special tokens differ" in fit.warnings[0]
    assert "and 4 more" in fit.warnings[0]


class CountedText(bytes):
    """Counts how often a text is compared with another."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedText.compared += 1
        return bytes(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = bytes.__hash__


def test_each_token_of_a_large_vocabulary_is_compared_once_or_twice():
    texts = [CountedText(b"token %d" % token) for token in range(2000)]
    table = replace(TABLE, texts=texts, special=frozenset(range(0, 2000, 2)))
    other = replace(table, texts=[text + b"!" if token % 2 == 0 else text[:] for token, text in enumerate(texts)])
    check(table, other)
    assert 2000 <= CountedText.compared <= 4000
