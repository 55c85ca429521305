"""The form that an answer is to have, as plain values; guidance.py knows what they mean."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Grammar:
    """A form for answers: a JSON schema, or a grammar in Lark's syntax or GBNF.

    `name` is what messages call it: a file, or what its text is.
    """

    kind: Literal["JSON schema", "grammar"]
    text: str
    name: str
