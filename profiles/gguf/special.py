"""Which tokens are more than text: by their types, by their ids, and by texts that llama.cpp knows."""

from collections.abc import Iterable, Mapping, Sequence

from .marks import CALLS, END, ENDS, INFILL, INFILL_ENDS, PLAIN_STRIKE, SHOWN, STRIKE, TURN_ENDS

UNKNOWN, CONTROL, USER_DEFINED, UNUSED = 2, 3, 4, 5
"""Of `tokenizer.ggml.token_type`."""


def special_tokens(
    ids: Mapping[bytes, int], types: Sequence[int | float], named: Mapping[str, int | None]
) -> frozenset[int]:
    """The control, unknown, unused, BOS and end tokens that llama.cpp would make of a vocabulary.

    `ids` has the token of each text, `types` the type of each token, and `named` the tokens that the file gives a role.
    Where a role is given to none and several texts could have it, llama.cpp takes any of them; here it is the first.
    """
    marked = {token for token, kind in enumerate(types) if kind in (UNKNOWN, CONTROL, UNUSED)}
    defined = {token for token, kind in enumerate(types) if kind == USER_DEFINED}
    guessed = {role: _first(ids, texts) for role, texts in INFILL.items() if named[role] is None}
    marked |= _present(guessed.values())
    infill_ends = (named[role] if named[role] is not None else guessed[role] for role in INFILL_ENDS)
    eot = named["eot"] if named["eot"] is not None else _first(ids, TURN_ENDS)

    known = _tokens(ids, ENDS)
    marked |= known
    shown = _tokens(ids, SHOWN)
    marked, defined = marked - shown, defined | shown
    ends = known | _present([named["eos"], eot, named["eom"], *infill_ends])
    if any(all(ids.get(text.encode()) in ends for text in pair) for pair in CALLS):
        not_ends = _tokens(ids, [END])
        marked, ends = marked - not_ends, ends - not_ends
    if _tokens(ids, PLAIN_STRIKE) & ends:
        text = _tokens(ids, [STRIKE])
        marked, ends = marked - text, ends - text
    return frozenset(marked | (ends & (defined | _present([eot]))) | _present([named["bos"], named["eos"]]))


def _first(ids: Mapping[bytes, int], texts: Iterable[str]) -> int | None:
    return min(_tokens(ids, texts), default=None)


def _tokens(ids: Mapping[bytes, int], texts: Iterable[str]) -> set[int]:
    found = (ids.get(text.encode()) for text in texts)
    return {token for token in found if token is not None}


def _present(tokens: Iterable[int | None]) -> set[int]:
    return {token for token in tokens if token is not None}
