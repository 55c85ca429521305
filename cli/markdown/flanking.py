"""Which runs of `*` and `_` can begin or end emphasis."""

import re
import unicodedata

from .limits import MOST_HELD

_WIDE = "\u2e80"
"""From here on, letters are of scripts that put no spaces between words."""
_WORD = re.compile(rf"[^\s{_WIDE}-\U0010ffff]{{0,{MOST_HELD}}}")
_NAME = re.compile(r"\w*(?:args|argv)\b|\w+(?:[)\];=]|->)")
"""What programmers write with a star before it: `*args`, `**fn_kwargs`, `*ptr)`."""
_NAME_WITH_LINES = re.compile(r"[^\W_]+(?:_\w|\d)|\w+[(.]\w*")
"""And with an underscore before it: `_private_name`, `_id2`, `_free(`."""


def can_open(mark: str, before: str, after: str) -> bool:
    """CommonMark's rule for a run of `mark` between two characters; "" stands for the start or the end of a text."""
    left, right = _flanks(before, after), _flanks(after, before)
    return left and (mark == "*" or not right or _is_punctuation(before))


def can_close(mark: str, before: str, after: str) -> bool:
    """The same for the end, and where CommonMark wants a space after punctuation, `**So:**yes` is an end as well.

    That is how models write, most of all in Chinese.
    """
    left, right = _flanks(before, after), _flanks(after, before)
    if right and (mark == "*" or not left or _is_punctuation(after)):
        return True
    return mark == "*" and _ends_a_phrase(before) and after.isalnum()


def opens_for_sure(mark: str, before: str, behind: str, final: bool) -> bool | None:
    """Whether a run that can open does, by the word `behind` it; None while that word is not all there.

    Nobody can wait for the end of the emphasis, so a run at the start of a word is believed, unless what follows looks
    like a name. One behind a letter or a bracket, as in `2*x` or `f(x)*y`, has to be ended in the same word.
    """
    word = _WORD.match(behind)
    assert word is not None
    for run in re.finditer(re.escape(mark) + "+", word[0]):
        if run.end() == len(behind) and not final:
            return None
        if run.start() and can_close(mark, behind[run.start() - 1], behind[run.end() : run.end() + 1]):
            return True
    if word.end() == len(behind) and word.end() < MOST_HELD and not final:
        return None
    if (before.isalnum() and before < _WIDE) or before in tuple(")]}"):
        return False
    return not (_NAME if mark == "*" else _NAME_WITH_LINES).match(word[0])


def _flanks(outside: str, inside: str) -> bool:
    """Whether a run between the two is left-flanking; right-flanking is the same seen from the other side."""
    if not inside or inside.isspace():
        return False
    return not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "PS"


def _ends_a_phrase(character: str) -> bool:
    return bool(character) and (character in ".:!?。：！？，" or unicodedata.category(character) in ("Pe", "Pf"))
