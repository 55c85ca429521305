"""What happens on a pseudo-terminal."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Resize:
    """Another size once so many updates of the figures were seen."""

    updates: int
    columns: int
    rows: int


@dataclass(slots=True, kw_only=True)
class Case:
    """What is answered, and on what; or with `real` what is done by the program as it is."""

    answers: Sequence[str] = ("",)
    real: Sequence[str] = ()
    seconds: float = 0.0
    columns: int = 80
    rows: int = 24
    arguments: Sequence[str] = ("--draft", "ngram")
    prompt: Sequence[str] = ("Hi",)
    resizes: Sequence[Resize] = ()
    keys: Sequence[tuple[bytes, str]] = ()
    """What is typed once something was seen, behind what was waited for before."""
    variables: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.answers[-1]

    def command(self, folder: Path) -> list[str]:
        """The process, which may write its truth into the folder."""
        if self.real:
            return [sys.executable, "-m", "specchat.cli.main", *self.real]
        script = folder / "script.json"
        told = {"answers": self.answers, "seconds": self.seconds, "n_ctx": 20_000, **self.settings}
        script.write_text(json.dumps(told), "utf-8")
        program = [sys.executable, "-m", "tests.cli.terminal.streaming", str(script), str(folder / "truth.json")]
        return [*program, "run", "-m", "big.gguf", "-s", "1", *self.arguments, *self.prompt]

    def environment(self, folder: Path) -> dict[str, str]:
        folders = {f"XDG_{name}_HOME": str(folder / name) for name in ("DATA", "CACHE", "CONFIG")}
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
        return {**known, **folders, "HOME": str(folder), "TERM": "xterm", "PYTHONPATH": path, **self.variables}
