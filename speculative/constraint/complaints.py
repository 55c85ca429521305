"""What is wrong with a schema or a grammar, in a sentence with its place; made from what llguidance says."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UsageError

GRAMMAR_HINT = "Grammars are written in Lark's syntax with a rule start, or in GBNF with a rule root."
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_DEFINITIONS = ("$defs", "definitions")
_MAPS = ("properties", "patternProperties", *_DEFINITIONS)


def schema_error(name: str, schema: Any, complaint: str, complain: Callable[[Any], str]) -> UsageError:
    """What to say of a `schema` called `name`; `complain` gives the complaint about another one."""
    said = complaint.rpartition("error: ")[2] if "regex parse error" in complaint else complaint
    said = _one_line(said).replace("Unimplemented keys: ", "keys that are not supported: ")
    said = f"{said[:1].lower()}{said[1:]}"
    return UsageError(f"{name} cannot be used, at {_place(schema, complaint, complain)}: {said}.", _hint(complaint))


def grammar_error(name: str, complaint: str) -> UsageError:
    """What to say of a grammar called `name`; llguidance puts `at 2(4):` or `2(4):` before the rest."""
    said = re.sub(r"; following .*", "", _one_line(complaint)).removesuffix(": regex parse error")
    reason = _one_line(complaint.rpartition("error: ")[2]) if "regex parse error" in complaint else ""
    place = re.match(r"(?:at )?(\d+)\((\d+)\): ?", said)
    where = f", in line {place[1]}, column {place[2]}" if place else ""
    rest = said[place.end() :] if place else said
    return UsageError(f"{name} cannot be used{where}: {rest}{f', {reason}' if reason else ''}.", GRAMMAR_HINT)


def _one_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip(".: ")


def _hint(complaint: str) -> str:
    if complaint.startswith("Unsatisfiable"):
        return "No JSON can meet it."
    if complaint.startswith("oneOf"):
        return 'Write anyOf; or "x-guidance": {"coerce_one_of": true} at the top, which takes it for that.'
    if complaint.startswith("Unimplemented"):
        return 'Leave them out; or write "x-guidance": {"lenient": true} at the top, which overlooks such keys.'
    return "Check that part of it."


def _place(schema: Any, complaint: str, complain: Callable[[Any], str], pointer: str = "#") -> str:
    """The deepest part that alone gives the same complaint, as a JSON pointer."""
    shared = {key: schema[key] for key in _DEFINITIONS if isinstance(schema, dict) and key in schema}

    def deepest(part: Any, pointer: str) -> str:
        for path, child in _parts(part):
            if complain({**shared, **child} if isinstance(child, dict) else child) == complaint:
                return deepest(child, f"{pointer}/{path}")
        return pointer

    return deepest(schema, pointer)


def _parts(schema: Any) -> Iterator[tuple[str, Any]]:
    """The schemas right inside a schema, with their pointers; what is said there in place before what is named."""
    if not isinstance(schema, dict):
        return
    for key in (key for key in _SINGLE if isinstance(schema.get(key), dict | bool)):
        yield key, schema[key]
    for key in (key for key in _LISTS if isinstance(schema.get(key), list)):
        yield from ((f"{key}/{place}", child) for place, child in enumerate(schema[key]))
    for key in (key for key in _MAPS if isinstance(schema.get(key), dict)):
        yield from ((f"{key}/{name.replace('~', '~0').replace('/', '~1')}", each) for name, each in schema[key].items())
