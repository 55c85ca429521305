"""The form that an answer is to have, from `--json-schema` and `--grammar`, checked before anything is loaded."""

import re
from pathlib import Path

from specchat.profiles.paths import is_file
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.errors import UsageError

from .environment import Environment
from .input import read_file
from .options import AnswerOptions
from .screen import one_line

_GRAMMAR = re.compile(r"::=|(?m:^\s*(?:%llguidance|\??\w+(?:\[.*\])?\s*:))")


def asked_form(env: Environment, options: AnswerOptions) -> Grammar | None:
    """The form that was asked for; None for free text.

    Raises `UsageError` where it cannot be read, is broken, or cannot be met.
    """
    schema, grammar = options.json_schema, options.grammar
    if schema is None and grammar is None:
        return None
    if schema is not None and grammar is not None:
        raise UsageError("--json-schema and --grammar are two forms for one answer.", "Leave one of them out.")
    form = _schema(env, schema) if schema is not None else _grammar(env, grammar or "")
    from specchat.speculative.constraint.guidance import check_grammar

    check_grammar(form)
    return form


def _schema(env: Environment, value: str) -> Grammar:
    if _is_text(value, value.lstrip().startswith(("{", "["))):
        return Grammar("JSON schema", value, "The JSON schema")
    return Grammar("JSON schema", *_read(env, value, "--json-schema", 'JSON, such as \'{"type": "object"}\''))


def _grammar(env: Environment, value: str) -> Grammar:
    if _is_text(value, _GRAMMAR.search(value) is not None):
        return Grammar("grammar", value, "The grammar")
    return Grammar("grammar", *_read(env, value, "--grammar", 'a grammar, such as \'root ::= "yes" | "no"\''))


def _is_text(value: str, looks_like_it: bool) -> bool:
    return looks_like_it and not value.startswith("@") and not is_file(Path(value))


def _read(env: Environment, value: str, option: str, example: str) -> tuple[str, str]:
    """The text of a file and what it is called."""
    name = value.removeprefix("@")
    if not value.startswith("@") and not is_file(Path(value)):
        raise UsageError(
            f"{option} {one_line(value)} is neither a file nor its text.", f"Name a file, or write {example}."
        )
    return read_file(env, name), one_line(name)
