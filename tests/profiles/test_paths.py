"""Paths as people write them."""

from pathlib import Path

import pytest

from specchat.profiles.fields import Fields
from specchat.profiles.paths import exists, expanded, is_file
from specchat.profiles.profile import parse_profile
from specchat.speculative.errors import UsageError


def test_a_tilde_is_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/me")
    assert expanded("~/big.gguf") == Path("/me/big.gguf")
    assert expanded("big.gguf") == Path("big.gguf")


def test_the_home_of_nobody_is_a_sentence():
    with pytest.raises(UsageError, match=r"^~no-such-user/x\.gguf starts at a home folder"):
        expanded("~no-such-user/x.gguf")
    with pytest.raises(UsageError):
        parse_profile("pair", Fields("pair.yaml", {"target": "~no-such-user/x.gguf"}), Path("pair.yaml"))


@pytest.mark.parametrize("user", ["a\0b", "\ud800"])
def test_nobody_can_have_such_a_name(user):
    with pytest.raises(UsageError, match="starts at a home folder that is not known"):
        expanded(f"~{user}/x.gguf")


@pytest.mark.parametrize("name", ["问" * 400, "a\0b"])
def test_a_prompt_that_no_file_can_be_called_is_no_file(name):
    assert not is_file(Path(name))
    assert not exists(Path(name))
