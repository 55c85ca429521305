"""One case: played, compared with plain decoding, and made smaller where the two differ."""

import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from .case import Case
from .judging import complaint
from .oracle import expected_answers
from .playing import play
from .processes import Died, Processes, Worker

_PLAYED_BY_ONE = 300
"""Cases that one process plays, before another takes over."""


@dataclass
class Trial:
    """Tries cases, and counts what happened in them."""

    processes: Processes
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    _worker: Worker | None = None
    _played: int = 0

    def of(self, case: Case) -> str | None:
        """What is wrong with a case; None where nothing is."""
        try:
            with tempfile.TemporaryDirectory(dir=self.folder) as own:
                said, counts = self._player().do(play, case, self.folder, Path(own))
        except Died as error:
            self._renew()
            return f"playing it: {error}"
        self.counts.update(counts)
        try:
            answers = self.processes.alone(expected_answers, case, self.folder, said)
        except Died as error:
            return f"plain decoding of it: {error}"
        for place, (each, expected) in enumerate(zip(said, answers, strict=True)):
            if wrong := complaint(each, expected, "faults" in case.options):
                return f"answer {place}, {each.ending}, {each.reason}: {wrong}"
        return None

    def smaller(self, case: Case, seconds: float) -> Case:
        """The case without all that can be left out and still something is wrong."""
        until = monotonic() + seconds
        for part in list(case.parts()):
            if monotonic() > until:
                break
            with suppress(KeyError, ValueError, TypeError):  # what belonged to a part that is left out already
                less = case.without(part)
                if self.of(less):
                    case = less
        return case

    def close(self) -> None:
        """End the player."""
        if self._worker is not None:
            self._worker.close()

    def _player(self) -> Worker:
        if self._worker is None or self._played >= _PLAYED_BY_ONE:
            self._renew()
        self._played += 1
        assert self._worker is not None
        return self._worker

    def _renew(self) -> None:
        self.close()
        self._worker, self._played = Worker(self.processes), 0
