"""Stores that exist and may not be read."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from specchat.profiles.stores.inventory import stored_models
from specchat.profiles.stores.places import Places

from .layouts import ollama_model

grp = pytest.importorskip("grp", reason="there are no such permissions")  # and nobody could import it later
NOBODY = 65534


@pytest.fixture
def shared():
    """A folder that everybody may enter."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def as_nobody():
    """Root may read everything, so as root a test becomes somebody who may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)


def service(shared: Path, mode: int) -> Path:
    """Ollama's store in the home folder of its service, which has these permissions."""
    home = shared / "ollama"
    store = home / ".ollama" / "models"
    ollama_model(store, "llama3.2/latest", b"x")
    home.chmod(mode)
    return store


def notice(store: Path) -> tuple[str, str]:
    found = stored_models(Places(ollama=(store,)))
    assert found.models == ()
    [only] = found.notices
    return only.message, only.hint


@pytest.fixture
def closed(shared):
    yield service(shared, 0o000)
    (shared / "ollama").chmod(0o700)


@pytest.fixture
def closed_to_others(shared):
    yield service(shared, 0o750)
    (shared / "ollama").chmod(0o700)


def test_a_closed_store_is_named_with_what_opens_it(closed, as_nobody):
    message, hint = notice(closed)
    home = closed.parent.parent
    assert message == f"{closed} (Ollama) may not be read: {home} is closed to this account."
    mine = home.stat().st_uid == os.geteuid()
    assert hint == (
        f"It is yours, so open it: chmod u+rwx {home}"
        if mine
        else f"To open it to you alone: sudo setfacl -R -m u:$USER:rX {home}"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders to others")
def test_a_store_that_its_group_may_read_is_opened_by_joining_that(closed_to_others, as_nobody_of_no_group):
    _, hint = notice(closed_to_others)
    group = grp.getgrgid(closed_to_others.parent.parent.stat().st_gid).gr_name
    assert hint == f"Its group may: sudo usermod -a -G {group} $USER, then log out and in again."


@pytest.fixture
def as_nobody_of_no_group():
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)
    os.setegid(0)
    os.setgroups(groups)


def test_one_closed_folder_hides_no_other(as_nobody):
    # made by nobody, so that nobody may close it
    with TemporaryDirectory() as name:
        root = Path(name)
        for folder in ("a", "b"):
            (root / folder).mkdir()
            (root / folder / f"{folder}.gguf").write_bytes(b"x")
        (root / "a").chmod(0o000)
        found = stored_models(Places(folders=(root,)))
        (root / "a").chmod(0o700)
    assert [model.name for model in found.models] == ["b"]
    assert [each.message for each in found.notices] == [
        f"{root / 'a'} (folder) may not be read: {root / 'a'} is closed to this account."
    ]
