"""What the person's readline is told, for those who edit like vi everywhere."""

import re
from contextlib import suppress
from pathlib import Path

from ...environment import Environment

_MODE = re.compile(rb"\s*set\s+editing-mode\s+(vi|emacs)\s*", re.IGNORECASE)


def edits_like_vi(env: Environment) -> bool:
    """Whether `~/.inputrc`, or the file that INPUTRC names, sets the editing mode to vi; the last word counts."""
    with suppress(OSError, RuntimeError):
        named = env.variables.get("INPUTRC")
        file = Path(named) if named else env.home() / ".inputrc"
        lines = file.read_bytes().splitlines() if file.is_file() else []
        modes = [mode[1].lower() for line in lines if (mode := _MODE.fullmatch(line))]
        return modes[-1:] == [b"vi"]
    return False
