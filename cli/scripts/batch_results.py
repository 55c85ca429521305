"""The answers of a batch: lines of JSON on standard output, or in a file that a later run goes on with."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from specchat.speculative.errors import UsageError

from ..display.json_text import written
from ..display.screen import one_line
from ..environment import Environment
from .output_file import output_path

Write = Callable[[dict[str, Any]], None]
_START = b'{"id": '


@dataclass(slots=True)
class Results:
    """Where answers go; `path` is None for standard output.

    What is in the file already is `done`, by id, and ends at `size`: behind that there is half a line of a run that
    was killed.
    """

    env: Environment
    path: Path | None = None
    done: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    """How many of those that are done have an error in the place of an answer."""
    size: int = 0

    def has(self, identity: str | int) -> bool:
        """Whether there is an answer for this id, which counts for one question only."""
        known = self.done[key(identity)] > 0
        self.done[key(identity)] -= known
        return known

    @contextmanager
    def opened(self) -> Iterator[Write]:
        """What writes an answer, for good when it returns."""
        if self.path is None:
            yield self._print
            return
        with self.path.open("ab") as file:
            file.truncate(self.size)

            def write(content: dict[str, Any]) -> None:
                file.write(f"{written(content)}\n".encode("utf-8", "backslashreplace"))
                file.flush()

            yield write

    def _print(self, content: dict[str, Any]) -> None:
        self.env.stdout.write(f"{written(content)}\n")
        self.env.stdout.flush()


def key(identity: str | int) -> str:
    """An id in a form in which 7 and "7" differ."""
    return json.dumps(identity)


def results_in(env: Environment, name: str, batch: str) -> Results:
    """What is in the file `name` of the answers to `batch`; changes nothing.

    Raises `UsageError` where it cannot be written, or holds something else.
    """
    path, shown = output_path(name), one_line(name)
    results = Results(env, path)
    if not path.exists():
        return results
    if batch != "-" and path.samefile(Path(batch).expanduser()):
        raise UsageError(f"{shown} is the file with the prompts.", "Name another file for the answers.")
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                _take(results, line, f"line {number} of {shown}")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}.", "Give another path.") from error
    return results


def _take(results: Results, line: bytes, where: str) -> None:
    """Count a line of an earlier run. Half a line is not counted; what no run can have written is not touched."""
    if line.endswith(b"\n"):
        try:
            content = json.loads(line)
            content["index"]  # only we number them as well
            results.done[key(content["id"])] += 1
            results.failed += "error" in content
            results.size += len(line)
            return
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
    elif _START.startswith(line[: len(_START)]):
        return
    raise UsageError(
        f"There is something else than answers of a batch in {where}.",
        "Answers are appended to a file of them only: name another one.",
    )
