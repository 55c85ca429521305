"""The prompts of a batch: a line each, as text or as JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO

from specchat.profiles.paths import expanded
from specchat.speculative.errors import SpecchatError, UsageError

from ..display.screen import one_line
from ..environment import Environment
from ..foreign_bytes import decoded

_JSON_NAMES = (".jsonl", ".ndjson", ".json")
_FORM = 'Each line is an object such as {"prompt": "…"}; in a file of plain prompts the first does not start with {.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A prompt, or the `error` that is in its place; `line` says where it stands."""

    index: int
    line: int
    id: str | int
    prompt: str = ""
    system: str | None = None
    error: SpecchatError | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines with prompts; how many of these there are, unless they come from standard input one by one."""

    name: str
    lines: Iterator[bytes]
    is_json: bool
    total: int | None

    def items(self, env: Environment) -> Iterator[Item]:
        """The prompts, in order. Empty lines at the end are none, and with JSON nowhere."""
        empty: list[int] = []
        index = 0
        for number, line in enumerate(self.lines, 1):
            if not line.strip():
                empty += [] if self.is_json else [number]
                continue
            for each in [*empty, number]:
                yield _item(env, index, each, line if each == number else b"", self.is_json)
                index += 1
            empty = []


def read_batch(env: Environment, name: str) -> Batch:
    """The prompts in the file `name`, or in "-", standard input. Raises `UsageError` where there are none."""
    shown = "standard input" if name == "-" else one_line(name)
    file = _opened(env, name)
    start: list[bytes] = []
    for line in file:
        start.append(line)
        if line.strip():
            break
    else:
        raise UsageError(f"There are no prompts in {shown}.", "Write one a line.")
    if b"\0" in start[-1]:
        raise UsageError(f"{shown} is not text.", "If it is UTF-16, save it as UTF-8: iconv -f UTF-16 -t UTF-8")
    is_json = start[-1].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") or name.endswith(_JSON_NAMES)
    if name == "-":
        return Batch(name, chain(start, file), is_json, total=None)
    lines = [*start, *file]
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    return Batch(name, iter(lines), is_json, total=len(filled) if is_json else filled[-1])


def _opened(env: Environment, name: str) -> BinaryIO:
    if name != "-":
        try:
            return BytesIO(expanded(name).read_bytes())
        except OSError as error:
            raise UsageError(f"{one_line(name)} cannot be read: {error.strerror}.", "Check the path.") from error
    if env.stdin is None:
        raise UsageError("Standard input is closed.", "Name a file of prompts: --batch FILE")
    return env.stdin


def _item(env: Environment, index: int, number: int, line: bytes, is_json: bool) -> Item:
    identity: str | int = number
    try:
        text = decoded(env, line, f"line {number}")
        if not is_json:
            return Item(index=index, line=number, id=number, prompt=_filled(text))
        content = _object(text)
        identity = _id(content, number)
        system = content.get("system")
        if not isinstance(system, str | None):
            raise UsageError('"system" is no text.', _FORM)
        prompt = _filled(_sound(_prompt(content)))
        return Item(index=index, line=number, id=identity, prompt=prompt, system=system and _sound(system))
    except UsageError as error:
        return Item(index=index, line=number, id=identity, error=error)


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"That is no JSON: {error.msg} at character {error.pos}.", _FORM) from error
    except (ValueError, RecursionError) as error:
        raise UsageError("That is JSON that nothing can read.", _FORM) from error
    if not isinstance(content, dict):
        raise UsageError("That is no JSON object.", _FORM)
    return content


def _id(content: dict[str, Any], number: int) -> str | int:
    identity = content.get("id")
    if identity is None:
        return number
    if isinstance(identity, str | int) and not isinstance(identity, bool):
        return identity
    raise UsageError('"id" is neither a text nor a whole number.', "Leave it out, and it is the number of the line.")


def _prompt(content: dict[str, Any]) -> str:
    prompt = content.get("prompt")
    if not isinstance(prompt, str):
        raise UsageError('There is no text called "prompt".', _FORM)
    return prompt


def _filled(text: str) -> str:
    if not text.strip():
        raise UsageError("The prompt is empty.", "Say something in it.")
    return text


def _sound(text: str) -> str:
    """Text without the halves of characters that JSON can spell."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
