"""All the sessions there are, in one folder."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from specchat.speculative.errors import SpecchatError, UsageError

from ..environment import Environment
from .errors import SessionError, TakenError, unknown_session
from .lines import Header
from .log import SessionLog, local_time
from .names import is_name, names_for
from .opening import reopen
from .place import ENDING, Place
from .recovery import Recovered, recover
from .transcript import Transcript


@dataclass(frozen=True, slots=True)
class Listed:
    """A session, when its files last changed (seconds since 1970), and what is in it, or why that cannot be read.

    `found` is the place in it that somebody looked for.
    """

    name: str
    changed: float
    transcript: Transcript | None
    error: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions in `folder`, which need not be there yet."""

    folder: Path
    clock: Callable[[], datetime] = local_time

    def names(self) -> list[str]:
        """The names, the session that changed last coming first."""
        names = [file.name.removesuffix(ENDING) for file in self.folder.glob(f"*{ENDING}")]
        return sorted(filter(is_name, names), key=lambda name: (self._changed(name), name), reverse=True)

    def listed(self) -> list[Listed]:
        """All sessions, the one that changed last coming first."""
        return [self._listed(name) for name in self.names()]

    def latest(self) -> str:
        """The name of the session that changed last, of those that can be read. Raises `UsageError` without any."""
        for each in (self._listed(name) for name in self.names()):
            if each.transcript is not None:
                return each.name
        raise UsageError("There are no sessions yet.", "A chat, as specchat run begins one, is kept as a session.")

    def find(self, name: str) -> Place:
        """Where the session of this name is. Raises `UsageError`."""
        names = self.names()
        if name not in names:
            raise unknown_session(name, names)
        return Place(self.folder, name)

    def read(self, name: str) -> Recovered:
        """What is in a session; nothing on the disk changes. Raises `UsageError` and `SessionError`."""
        return recover(self.find(name))

    def begin(self, header: Header, first: str) -> SessionLog:
        """A new session, which is called after this moment and the `first` message."""
        for name in names_for(self.clock(), first):
            with suppress(TakenError):
                return SessionLog.create(self.folder, name, header, self.clock)
        raise AssertionError("there always is one more name")

    def resume(self, name: str) -> SessionLog:
        """Go on with a session. Raises what `SessionLog.open` does."""
        return SessionLog.open(self.folder, self.find(name).name, self.clock)

    def check_free(self, name: str) -> None:
        """Raise `UsageError` when a session is unknown or open in a chat."""
        handle, _ = reopen(self.find(name))
        if handle is not None:
            os.close(handle)

    def remove(self, name: str) -> None:
        """Remove a session. Raises `UsageError` when it is unknown or open in a chat, `SessionError` when it stays."""
        place = self.find(name)
        handle, _ = reopen(place)
        try:
            if handle is not None and os.name == "nt":  # where no file that is open can be removed
                os.close(handle)
                handle = None
            for file in (place.partial, place.damaged, place.file):
                file.unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(f"{error.filename}: {error.strerror}.", f"{self.folder} has to be yours.") from error
        finally:
            if handle is not None:
                os.close(handle)

    def _listed(self, name: str) -> Listed:
        changed = self._changed(name)
        try:
            return Listed(name, changed, recover(Place(self.folder, name)).transcript)
        except SpecchatError as error:
            return Listed(name, changed, None, error.message)

    def _changed(self, name: str) -> float:
        place = Place(self.folder, name)
        return max(_modified(place.file), _modified(place.partial))


def sessions_of(env: Environment) -> Sessions:
    """The sessions of the person at home here. Raises `UsageError` where nobody is."""
    if env.data_folder is None:
        raise UsageError("There is no home folder to keep chats in.", "Name a folder in XDG_DATA_HOME.")
    return Sessions(env.data_folder / "sessions")


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
