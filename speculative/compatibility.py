"""Whether a draft model speaks the target's language, token by token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .errors import VocabularyMismatchError

_HINT = "Choose a draft of the same model family, or draft without a model: --draft ngram."
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class TokenTable:
    """What the comparison looks at: `special` holds the control, unused, BOS and end tokens."""

    tokenizer: str
    texts: Sequence[bytes]
    special: frozenset[int]
    bos: int | None
    eos: int | None


class HasTokenTable(Protocol):
    """A vocabulary that can be compared."""

    @property
    def table(self) -> TokenTable:
        """Its tokens."""


@dataclass(frozen=True, slots=True)
class Compatibility:
    """How a draft may be used: ids in `forbidden` and ids from `limit` on are never proposed."""

    warnings: tuple[str, ...]
    forbidden: tuple[int, ...]
    limit: int


def check_vocabularies(target: HasTokenTable, draft: HasTokenTable) -> Compatibility:
    """Compare the vocabularies of a target and a draft.

    Normal tokens that both have must be equal. Special tokens may differ, and so may the lengths: one is often
    padded.

    Raises `VocabularyMismatchError`, which names the rule that fails and the first token that breaks it.
    """
    target_table, draft_table = target.table, draft.table
    if target_table.tokenizer != draft_table.tokenizer:
        raise VocabularyMismatchError(
            f"The draft does not fit the target: their tokenizers are of different types, {target_table.tokenizer} "
            f"in the target and {draft_table.tokenizer} in the draft.",
            _HINT,
        )
    limit = min(len(target_table.texts), len(draft_table.texts))
    differing = _differing(target_table.texts, draft_table.texts, limit)
    special = target_table.special | draft_table.special
    normal = [token for token in differing if token not in special]
    if normal:
        raise _mismatch(target_table, draft_table, normal)
    odd = [token for token in differing if token in special]
    warnings = [_difference(target_table, draft_table, odd)] if odd else []
    ends, forbidden = _named_tokens(target_table, draft_table, limit)
    return Compatibility(tuple(warnings + ends), tuple(sorted({*odd, *forbidden})), limit)


def _differing(target: Sequence[bytes], draft: Sequence[bytes], limit: int) -> list[int]:
    if target[:limit] == draft[:limit]:
        return []
    return [token for token, texts in enumerate(zip(target, draft, strict=False)) if texts[0] != texts[1]]


def _mismatch(target: TokenTable, draft: TokenTable, normal: Sequence[int]) -> VocabularyMismatchError:
    return VocabularyMismatchError(
        f"The draft does not fit the target: their normal tokens must agree, but {len(normal)} differ, the first being "
        f"token {_pair(target, draft, normal[0])}.",
        _HINT,
    )


def _difference(target: TokenTable, draft: TokenTable, odd: Sequence[int]) -> str:
    shown = "; ".join(_pair(target, draft, token) for token in odd[:_SHOWN])
    more = f"; and {len(odd) - _SHOWN} more" if len(odd) > _SHOWN else ""
    noun = "special token differs and is" if len(odd) == 1 else "special tokens differ and are"
    return f"{len(odd)} {noun} never drafted: {shown}{more}."


def _named_tokens(target: TokenTable, draft: TokenTable, limit: int) -> tuple[list[str], list[int]]:
    """Warnings about a BOS or EOS that is another one in the draft, and the draft's own ids of these."""
    warnings, forbidden = [], []
    for name, ours, theirs in (("BOS", target.bos, draft.bos), ("EOS", target.eos, draft.eos)):
        if theirs is None or theirs == ours or theirs >= limit:
            continue
        expected = "none" if ours is None else f"{ours} ({_text(target.texts[ours])})"
        warnings.append(
            f"The {name} token is {expected} in the target but {theirs} ({_text(draft.texts[theirs])}) in the draft, "
            "where it is never drafted."
        )
        forbidden.append(theirs)
    return warnings, forbidden


def _pair(target: TokenTable, draft: TokenTable, token: int) -> str:
    return f"{token} ({_text(target.texts[token])} in the target, {_text(draft.texts[token])} in the draft)"


def _text(text: bytes) -> str:
    return repr(text.decode(errors="backslashreplace"))
