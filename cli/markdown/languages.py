"""From what a fence says of its code to a lexer of Pygments."""

import re

from .lexing import Lexing, LexingByLine, LexingByState

_NAME = re.compile(r"[{.\s]*([\w+#.-]+)")
_SAME = {"json": "js", "jsonc": "js", "json5": "js", "jsonl": "js", "jsx": "js", "tsx": "ts"}
"""Where another lexer does as well and can go on from the middle; that of JSON cannot."""


def lexing_for(info: str) -> Lexing | None:
    """What reads the language that `info` begins with; None where it names none that is known."""
    name = _NAME.match(info)
    if name is None:
        return None
    from pygments.lexer import ExtendedRegexLexer, RegexLexer
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    word = name[1].lower()
    try:
        lexer = get_lexer_by_name(_SAME.get(word, word))
    except ClassNotFound:
        return None
    resumes = isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)
    return LexingByState(lexer) if resumes else LexingByLine(lexer)
