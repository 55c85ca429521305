"""Files whole or not at all."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from specchat.speculative.files import write_pieces, write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_private_file_is_for_its_owner_and_its_folder_is_made(tmp_path):
    write_whole(tmp_path / "new" / "file", b"a")
    assert (tmp_path / "new" / "file").read_bytes() == b"a"
    assert mode(tmp_path / "new" / "file") & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="there is no umask")
def test_a_file_of_the_person_is_like_any_new_file_and_keeps_the_permissions_that_it_had(tmp_path):
    (tmp_path / "any").write_bytes(b"")
    write_whole(tmp_path / "file", b"a", private=False)
    assert mode(tmp_path / "file") == mode(tmp_path / "any")
    (tmp_path / "file").chmod(0o640)
    write_whole(tmp_path / "file", b"b", private=False)
    assert (mode(tmp_path / "file"), (tmp_path / "file").read_bytes()) == (0o640, b"b")


def test_a_link_to_a_file_of_the_person_stays_one(tmp_path):
    (tmp_path / "file").write_bytes(b"a")
    (tmp_path / "link").symlink_to("file")
    write_whole(tmp_path / "link", b"b", private=False)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"b"


def test_a_file_of_the_person_needs_its_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "file", b"a", private=False)


def test_what_cannot_be_put_in_its_place_leaves_nothing_behind(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"a", private=False)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_the_longest_name_that_there_can_be_is_written(tmp_path):
    write_whole(tmp_path / ("x" * 255), b"a", private=False)
    assert (tmp_path / ("x" * 255)).read_bytes() == b"a"


_KILLED = """
import sys, time
from pathlib import Path
from specchat.speculative.files import write_pieces

def pieces():
    yield b"half" * 100_000
    print("half", flush=True)
    time.sleep(60)

write_pieces(Path(sys.argv[1]) / "states" / "file", pieces())
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files have names before they are whole")
def test_a_process_that_is_killed_leaves_no_part_of_a_large_file(tmp_path):
    with subprocess.Popen([sys.executable, "-c", _KILLED, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"half\n"
        process.kill()
    assert list((tmp_path / "states").iterdir()) == []


@pytest.mark.parametrize("nameless", [True, False])
def test_a_large_file_is_whole_or_as_it_was_and_private(tmp_path, nameless):
    def failing() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    for content in (b"a", b"b"):
        write_pieces(tmp_path / "file", [content, memoryview(content)], nameless=nameless)
        with pytest.raises(KeyboardInterrupt):
            write_pieces(tmp_path / "file", failing(), nameless=nameless)
        assert (tmp_path / "file").read_bytes() == content * 2
    assert mode(tmp_path / "file") & 0o077 == 0
    assert len(list(tmp_path.iterdir())) == 1
