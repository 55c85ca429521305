"""A text in the person's own editor."""

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from specchat.speculative.errors import SpecchatError

from ...environment import Environment

_HINT = "Set VISUAL or EDITOR to the command of an editor, for example EDITOR=nano."
_USUAL = ("notepad",) if os.name == "nt" else ("nano", "vi")


def edit_text(env: Environment, text: str) -> str:
    """`text` as the person left it in their editor.

    Raises `SpecchatError` where there is no editor, or where it failed. Nothing of the text stays on the disk.
    """
    command = _command(env)
    try:
        with tempfile.TemporaryDirectory(prefix="specchat-") as folder:  # 0700: backups of the editor lie there as well
            return _edited(command, Path(folder) / "message.md", text)
    except OSError as error:
        raise SpecchatError(f"The text could not be written for the editor: {error.strerror}.") from error


def _edited(command: list[str], file: Path, text: str) -> str:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as opened:
        opened.write(text)
    try:
        code = subprocess.run([*command, str(file)], check=False).returncode
    except OSError as error:
        raise SpecchatError(f"The editor {command[0]} cannot be started: {error.strerror}.", _HINT) from error
    if code:
        ended = f"ended with code {code}" if code > 0 else f"was ended by signal {-code}"
        raise SpecchatError(f"The editor {command[0]} {ended}, so the text is as it was.")
    edited = file.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return edited if text.endswith("\n") else edited.removesuffix("\n")  # editors end the last line


def _command(env: Environment) -> list[str]:
    """The editor with its options."""
    for name in ("VISUAL", "EDITOR"):
        command = env.variables.get(name, "").strip()
        if not command:
            continue
        try:
            return shlex.split(command, posix=os.name != "nt")
        except ValueError as error:
            raise SpecchatError(f"{name} is no command: {command}.", _HINT) from error
    path = env.variables.get("PATH")
    found = next((name for name in _USUAL if shutil.which(name, path=path)), None)
    if found is None:
        raise SpecchatError("There is no editor: neither VISUAL nor EDITOR is set.", _HINT)
    return [found]
