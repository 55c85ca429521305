"""`--show-config`: every setting, and where it was made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specchat.profiles.config import FILE
from specchat.profiles.forms import FORMS
from specchat.profiles.settings import NAMES, DraftChoice, Layer, merged
from specchat.profiles.sources import LocalFile, ModelSource, spelled
from specchat.profiles.variables import unknown_variables
from specchat.speculative.errors import ModelLoadError

from ..display.json_text import written
from ..display.screen import visible, warn
from ..environment import Environment
from ..precedence import Asked

UNSAID = {
    "target": "none",
    "draft_length": "as it pays",
    "device": "as llama.cpp chooses",
    "draft_device": "as device",
    "tensor_split": "as layers fit",
    "rpc": "no other machines",
    "threads": "one a fast core",
    "threads_batch": "as threads",
    "system": "none",
    "stop": "none",
    "think": "as the template has it",
    "json_schema": "none",
    "grammar": "none",
}
"""What holds where nothing has a value."""
_LONGEST = 60
"""Characters of a text in the table."""
_TEXTS = ("system", "stop", *FORMS)


@dataclass(frozen=True, slots=True)
class Row:
    """A setting; `value` is one that JSON knows."""

    name: str
    value: object
    origin: str


def show_config(env: Environment, asked: Asked, as_json: bool) -> None:
    """Show what holds for a run, on standard output. Raises nothing for a model that is not there."""
    from specchat.profiles.model_settings import BUILT_IN, built_in_settings

    layer = merged([asked.layer, _of_file(env, asked.settings.target), built_in_settings()])
    rows = [*_about(env, asked), *rows_of(layer, NAMES, BUILT_IN)]
    if as_json:
        env.stdout.write(written({row.name: {"value": row.value, "origin": row.origin} for row in rows}) + "\n")
    else:
        env.stdout.write(table(rows, env.room))
    for name, meant in unknown_variables(env.variables).items():
        warn(env, f"{name} is no setting of specchat{f'; did you mean {meant}?' if meant else '.'}")


def _of_file(env: Environment, target: ModelSource | None) -> Layer:
    from specchat.profiles.model_settings import file_settings

    if not isinstance(target, LocalFile):
        return Layer()
    try:
        return file_settings(target.path)
    except ModelLoadError as error:
        warn(env, error.message)
        return Layer()


def _about(env: Environment, asked: Asked) -> Iterator[Row]:
    folder = env.config_folder
    if folder is not None:
        yield Row("config", str(folder / FILE), "in use" if (folder / FILE).exists() else "not there")
    if asked.profile is not None:
        yield Row("profile", asked.profile.name, asked.profile_at)


def rows_of(layer: Layer, names: Sequence[str], otherwise: str = "") -> list[Row]:
    """The settings called `names`; `otherwise` is the origin of those that nobody makes."""
    return [Row(name, _plain(getattr(layer.settings, name)), layer.origins.get(name, otherwise)) for name in names]


def _plain(value: object) -> object:
    """A value as people write it."""
    match value:
        case tuple():
            return list(value)
        case None | str() | int() | float():
            return value
        case _:
            source: DraftChoice = value  # type: ignore[assignment]
            return source if isinstance(source, str) else spelled(source)


def table(rows: Sequence[Row], columns: int | None) -> str:
    """The rows in three columns; the third on a line of its own where `columns` are too few."""
    cells = [(row.name, _shown(row), visible(row.origin)) for row in rows]
    names, values, origins = (max(len(each[column]) for each in cells) for column in range(3))
    if columns is None or names + values + origins + 4 <= columns:
        lines = [f"{name:<{names}}  {value:<{values}}  {origin}" for name, value, origin in cells]
    else:
        lines = [_fitting(f"{name:<{names}}  {value}", origin, columns) for name, value, origin in cells]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _fitting(start: str, origin: str, columns: int) -> str:
    line = f"{start}  {origin}"
    return line if len(line) <= columns else f"{start}\n    {origin}"


def _shown(row: Row) -> str:
    if row.value is None:
        return UNSAID.get(row.name, "")
    text = ", ".join(map(repr, row.value)) if isinstance(row.value, list) else str(row.value)
    text = visible(text.replace("\n", "\\n").replace("\t", "\\t")) or "none"
    return f"{text[: _LONGEST - 1]}…" if row.name in _TEXTS and len(text) > _LONGEST else text
