"""Sums that stores keep of their files."""

from pathlib import Path

import pytest

from specchat.profiles.stores.sums import is_intact

from .layouts import git_sum, sha256

CONTENT = bytes(range(256)) * 5000


@pytest.mark.parametrize("expected", [f"sha256:{sha256(CONTENT)}", f"git-sha1:{git_sum(CONTENT)}"])
def test_a_file_is_intact_until_a_bit_of_it_changes(tmp_path, expected):
    file = Path(tmp_path / "file")
    file.write_bytes(CONTENT)
    counts: list[int] = []
    assert is_intact(file, expected, counts.append)
    assert sum(counts) == len(CONTENT)
    file.write_bytes(CONTENT[:-1] + b"\x00")
    assert not is_intact(file, expected, counts.append)
    file.write_bytes(CONTENT[:-1])
    assert not is_intact(file, expected, counts.append)
