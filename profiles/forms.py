"""The form that answers are to have, as people name it: a text, or the file with it."""

import re
from pathlib import Path

from .paths import expanded, is_file

_LOOKS = {
    "json_schema": re.compile(r"^\s*[{\[]"),
    "grammar": re.compile(r"::=|(?m:^\s*(?:%llguidance|\??\w+(?:\[.*\])?\s*:))"),
}
"""How a text begins that is one itself, by setting."""
FORMS = tuple(_LOOKS)
"""The settings, of which one holds."""
NO_FORM = "none"


def form_file(setting: str, value: str, folder: Path = Path()) -> Path | None:
    """The file that `value` of a setting means, seen from `folder`; None where it is a text itself, or no form.

    A leading @ says that it is a file. Raises `UsageError` for an unknown home folder.
    """
    if value == NO_FORM:
        return None
    if value.startswith("@"):
        return folder / expanded(value[1:])
    if _LOOKS[setting].search(value) and not is_file(folder / value):
        return None
    return folder / expanded(value)


def form_from(setting: str, value: str, folder: Path) -> str:
    """The same form for whoever is in another folder."""
    file = form_file(setting, value, folder)
    return value if file is None else f"@{file}"
