"""The form that an answer is to have, from options, a profile or a file of settings, checked before anything loads."""

from typing import Literal

from specchat.profiles.forms import FORMS, NO_FORM, form_file
from specchat.profiles.paths import is_file
from specchat.profiles.settings import Layer
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.errors import UsageError

from .display.screen import one_line
from .environment import Environment
from .input import read_file

_EXAMPLES = {
    "json_schema": 'JSON, such as \'{"type": "object"}\'',
    "grammar": 'a grammar, such as \'root ::= "yes" | "no"\'',
}


def asked_form(env: Environment, asked: Layer) -> Grammar | None:
    """The form that these settings ask for; None for free text.

    Raises `UsageError` where it cannot be read, is broken, or cannot be met.
    """
    said = {name: value for name in FORMS if (value := getattr(asked.settings, name)) not in (None, NO_FORM)}
    if not said:
        return None
    origins = [asked.origins[name] for name in said]
    if len(said) > 1:
        raise UsageError(f"{' and '.join(origins)} are two forms for one answer.", "Leave one of them out.")
    from specchat.speculative.constraint.guidance import check_grammar

    ((setting, value),) = said.items()
    form = _form(env, setting, value, origins[0])
    check_grammar(form)
    return form


def _form(env: Environment, setting: str, value: str, origin: str) -> Grammar:
    kind: Literal["JSON schema", "grammar"] = "JSON schema" if setting == "json_schema" else "grammar"
    file = form_file(setting, value)
    if file is None:
        return Grammar(kind, value, f"The {kind}")
    if not value.startswith("@") and not is_file(file):
        shown = f"{origin} {one_line(value)}"
        raise UsageError(f"{shown} is neither a file nor its text.", f"Name a file, or write {_EXAMPLES[setting]}.")
    return Grammar(kind, read_file(env, str(file)), one_line(str(file)))
