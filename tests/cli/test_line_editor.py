"""A text in somebody's editor."""

import shlex
import stat
import sys
from pathlib import Path

import pytest

from specchat.cli.chat.line.editor import edit_text
from specchat.speculative.errors import SpecchatError

from .fakes import World

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell words")


def editor(tmp_path: Path, program: str) -> str:
    """The command of an editor that runs `program` on the file `path`."""
    script = tmp_path / "my editor.py"
    script.write_text(f"import sys, os\nfrom pathlib import Path\npath = Path(sys.argv[1])\n{program}")
    return shlex.join([sys.executable, str(script)])


def edit(text: str, **variables: str) -> str:
    return edit_text(World(variables=variables).environment(), text)


def test_what_the_editor_leaves_comes_back(tmp_path):
    command = editor(tmp_path, "path.write_bytes(path.read_bytes() + b'\\r\\n+\\t\\xff\\n')")
    assert edit("é\n", VISUAL=command) == "é\n\n+\t\ufffd\n"
    assert edit("é", EDITOR=command, VISUAL=" ") == "é\n+\t\ufffd"


def test_nobody_else_can_read_the_file_and_nothing_stays(tmp_path):
    seen = tmp_path / "seen"
    command = editor(
        tmp_path,
        f"Path({str(seen)!r}).write_text(f'{{path}} {{os.stat(path).st_mode}} {{os.stat(path.parent).st_mode}}')\n"
        "Path(f'{path}~').touch()",
    )
    edit("secret", EDITOR=command)
    path, *modes = seen.read_text().split()
    assert [stat.S_IMODE(int(mode)) for mode in modes] == [0o600, 0o700]
    assert not Path(path).parent.exists()


def test_an_editor_that_is_missing_or_fails_is_a_sentence(tmp_path):
    def fails(**variables: str) -> SpecchatError:
        with pytest.raises(SpecchatError) as caught:
            edit("text", **variables)
        return caught.value

    assert fails(EDITOR="no-such-editor -w").message.startswith("The editor no-such-editor cannot be started")
    assert "EDITOR=nano" in fails(EDITOR="no-such-editor").hint
    assert fails(EDITOR=editor(tmp_path, "sys.exit(3)")).message.endswith(
        "ended with code 3, so the text is as it was."
    )
    assert fails(EDITOR="'open").message == "EDITOR is no command: 'open."
    assert fails(PATH=str(tmp_path)).message == "There is no editor: neither VISUAL nor EDITOR is set."
    assert "so the text" in fails(EDITOR=editor(tmp_path, "path.unlink(); sys.exit(1)")).message
    assert fails(EDITOR=editor(tmp_path, "path.unlink()")).message.startswith("The text could not be")
