"""Where a session lies: its file, and two that may be next to it."""

from dataclasses import dataclass
from pathlib import Path

ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """The files of the session called `name` in `folder`."""

    folder: Path
    name: str

    @property
    def file(self) -> Path:
        """The session itself."""
        return self.folder / f"{self.name}{ENDING}"

    @property
    def partial(self) -> Path:
        """What was shown of an answer that is not complete."""
        return self.folder / f"{self.name}.partial"

    @property
    def damaged(self) -> Path:
        """What could not be read and was set aside."""
        return self.folder / f"{self.name}.damaged"
