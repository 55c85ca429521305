"""Looking into folders that belong to others: some are not there, some are closed, some hold nonsense."""

import errno
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .access import closed_notice
from .stored import Notice

_MOST_BYTES = 1 << 20
"""Of a text file that another tool keeps beside its models; real ones have a few thousand."""
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


@dataclass(slots=True)
class Survey:
    """Reads what a store holds, and collects what has to be said about it. Nothing that it meets is an error."""

    store: str
    notices: list[Notice] = field(default_factory=list)
    met_closed: bool = False
    """Whether something may be there that cannot be seen."""

    def entries(self, folder: Path) -> list[Path]:
        """What is in a folder, sorted; nothing where there is none. The first that is closed is noticed."""
        try:
            with os.scandir(folder) as found:
                return sorted(folder / entry.name for entry in found)
        except ValueError:  # a name that no file can have
            return []
        except OSError as error:
            if error.errno not in _ABSENT and not self.met_closed:
                self.notices.append(closed_notice(self.store, folder, error))
                self.met_closed = True
            return []

    def folders(self, folder: Path) -> list[Path]:
        """The folders in a folder, sorted."""
        return [entry for entry in self.entries(folder) if os.path.isdir(entry)]  # noqa: PTH112 - raises nothing

    def files_below(self, folder: Path, depth: int) -> list[Path]:
        """All GGUF files up to `depth` folders below `folder`. Links are followed, and no folder is entered twice."""
        found: list[Path] = []
        level, entered = [folder], set[str]()
        for _ in range(depth + 1):
            entries = [entry for each in level if _is_new(each, entered) for entry in self.entries(each)]
            found += [entry for entry in entries if entry.suffix.lower() == ".gguf"]
            level = [entry for entry in entries if os.path.isdir(entry)]  # noqa: PTH112 - raises nothing
        return sorted(found)

    def text(self, file: Path) -> str:
        """What a small text file says; nothing where it cannot be read as one."""
        if not os.path.isfile(file):  # noqa: PTH113 - raises nothing, and a pipe would never end
            return ""
        try:
            with file.open("rb") as stream:
                data = stream.read(_MOST_BYTES + 1)
        except OSError:
            return ""
        return data.decode(errors="replace") if len(data) <= _MOST_BYTES else ""

    def json(self, file: Path) -> dict[str, Any]:
        """The object in a JSON file; an empty one where there is none."""
        try:
            content = json.loads(self.text(file))
        except (ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}


def _is_new(folder: Path, entered: set[str]) -> bool:
    try:
        real = os.path.realpath(folder)
    except ValueError:
        return False
    known = real in entered
    entered.add(real)
    return not known
