"""Settings out of a YAML file, each with its line; everything that can be wrong with the file is a sentence."""

from pathlib import Path

import yaml

from .errors import ProfileError
from .fields import Fields

_MOST_BYTES = 1 << 20
"""More than anybody writes."""


def read_settings_file(file: Path) -> Fields:
    """The mapping in a YAML file. Raises `ProfileError` if it cannot be read, and as `parse_settings` does."""
    return parse_settings(_read(file), str(file))


def parse_settings(data: bytes, origin: str) -> Fields:
    """The mapping in a YAML text; an empty text holds none. Errors call the text `origin`.

    Raises `ProfileError` for what is no YAML, or names a setting twice.
    """
    try:
        content = _parse(data.decode("utf-8-sig"), origin)
    except ProfileError:
        raise
    except Exception as error:  # the parser lets out whatever a number or a depth makes Python raise
        raise ProfileError(f"{origin}{_line(error)}: this is not YAML.", _problem(error)) from error
    if content is None:
        return Fields(origin, {})
    if not isinstance(content, Fields):
        raise ProfileError(f"{origin}: there are no settings in it.", "Write one `name: value` a line.")
    return content


class _Loader(yaml.SafeLoader):
    """YAML whose mappings know their lines.

    It takes no aliases: a few lines of them can stand for more than any memory holds.
    """

    def __init__(self, text: str, origin: str) -> None:
        super().__init__(text)
        self.name = origin

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="a profile has no aliases (*)", problem_mark=mark)
        return super().compose_node(parent, index)

    def fields(self, node: yaml.MappingNode) -> Fields:
        """The values of a mapping and their lines."""
        values: dict[object, object] = {}
        lines: dict[object, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self._constructed(key_node)
            if isinstance(key, (list, Fields)):
                raise yaml.MarkedYAMLError(problem="a setting has a word for a name", problem_mark=key_node.start_mark)
            if key in values:
                message = f"{self.name}, line {line}: {key} is there for the second time, after line {lines[key]}."
                raise ProfileError(message, "Leave one of the two out.")
            values[key], lines[key] = self._constructed(value_node), line
        return Fields(self.name, values, lines)

    def _constructed(self, node: yaml.Node) -> object:
        try:
            return self.construct_object(node, deep=True)
        except (ValueError, LookupError, OverflowError) as error:  # a date, a number or a word that means nothing
            problem = f"{error}; what is a text can stand in quotation marks"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from error


_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.fields)


def _parse(text: str, origin: str) -> object:
    loader = _Loader(text, origin)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProfileError(f"{file} cannot be read: {reason}.", "Check the path.") from error
    if len(data) > _MOST_BYTES:
        raise ProfileError(f"{file} is longer than {_MOST_BYTES >> 20} MiB, which no profile is.", "Check the path.")
    return data


def _line(error: Exception) -> str:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return f", line {mark.line + 1}" if mark else ""


def _problem(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem:
        if "'\\t'" in error.problem:
            return "There is a tab; YAML is indented with spaces."
        return f"The parser says: {error.problem}."
    if isinstance(error, (yaml.YAMLError, UnicodeDecodeError)):
        return "It has to be text in UTF-8 without control characters."
    return f"The parser says: {error}."
