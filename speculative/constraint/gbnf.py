"""llama.cpp's GBNF in Lark's syntax: what llguidance's own translation gets wrong, put right around it."""

import re
from collections.abc import Callable

from ..errors import UsageError
from .complaints import GRAMMAR_HINT

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|.)")
_ANYTHING = re.compile(r'"(?:\\.|[^"\\])*"|/(?:\\.|[^/\\])+/')


def is_gbnf(text: str) -> bool:
    """Whether a grammar is GBNF; it is Lark's syntax otherwise."""
    return re.search(r"(?m)^\s*[\w-]+\s*::=", text) is not None


def lark(text: str, name: str, translate: Callable[[str], str]) -> str:
    """The grammar called `name` in Lark's syntax; `translate` is llguidance's `gbnf_to_lark`.

    Raises `UsageError` for what is no GBNF.
    """
    try:
        translated = translate(_ESCAPE.sub(_unescaped, text))
    except Exception as error:  # it raises plain ones
        said = re.sub(r" at line (\d+).*", r", in line \1", str(error), flags=re.DOTALL).rstrip(".")
        raise UsageError(f"{name} is no GBNF: {said[:1].lower()}{said[1:]}.", GRAMMAR_HINT) from error
    # in GBNF a dot is every character, in Lark every one but a line break
    return _ANYTHING.sub(lambda found: "/(?s:.)/" if found[0] == "/./" else found[0], translated)


def _unescaped(found: re.Match[str]) -> str:
    r"""A character that GBNF writes as \u0041 or \U00000041, which the translation would spell as \u41."""
    digits = found[1] or found[2]
    if digits is None or int(digits, 16) > 0x10FFFF:
        return found[0]
    code = int(digits, 16)
    return chr(code) if code >= 0x80 else f"\\x{code:02X}"
