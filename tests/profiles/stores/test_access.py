"""Stores that exist and may not be read."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from specchat.profiles.gguf.header import FileBytes
from specchat.profiles.stores.inventory import stored_models
from specchat.profiles.stores.places import Places

from .layouts import hub_file, lm_studio_file, ollama_model

grp = pytest.importorskip("grp", reason="there are no such permissions")
from ...nobody import nobody  # noqa: E402 - needs grp itself


@pytest.fixture
def shared():
    """A folder that everybody may enter, unlike pytest's own."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def service(shared):
    """The home folder of Ollama's service with a store in it."""
    ollama_model(shared / ".ollama" / "models", "llama3.2/latest", b"x")
    yield shared
    shared.chmod(0o755)


def notice(store: Path) -> tuple[str, str]:
    with nobody():
        found = stored_models(Places(ollama=(store,)))
    assert found.models == ()
    [only] = found.notices
    return only.message, only.hint


def test_a_closed_store_is_named_with_what_opens_it(service):
    service.chmod(0o000)
    store = service / ".ollama" / "models"
    message, hint = notice(store)
    assert message == f"{store} (Ollama) may not be read: {service} is closed to this account."
    for_root = f"To open it to you alone: sudo setfacl -R -m u:$USER:rX {service}"
    assert hint == (for_root if os.geteuid() == 0 else f"It is yours, so open it: chmod u+rwx {service}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another")
def test_a_store_that_its_group_may_read_is_opened_by_joining_that(service):
    service.chmod(0o750)
    _, hint = notice(service / ".ollama" / "models")
    group = grp.getgrgid(service.stat().st_gid).gr_name
    assert hint == f"Its group may: sudo usermod -a -G {group} $USER, then log out and in again."


@pytest.mark.parametrize("store", ["hub", "ollama"])
def test_closed_blobs_are_no_missing_models(store):
    with nobody(), TemporaryDirectory() as name:
        root = Path(name)
        if store == "hub":
            blobs = hub_file(root, "u/r", "m-Q8_0.gguf", b"x").resolve().parent
        else:
            blobs = ollama_model(root, "llama3.2/latest", b"x").parent
        blobs.chmod(0o000)
        found = stored_models(Places(hub=root, ollama=(root,)))
        blobs.chmod(0o700)
    assert found.models == ()
    assert [each.hint for each in found.notices] == [f"It is yours, so open it: chmod u+rwx {blobs}"]


def test_one_closed_folder_hides_no_other():
    with nobody(), TemporaryDirectory() as name:
        root = Path(name)
        for publisher in ("a", "b", "c"):
            lm_studio_file(root, f"{publisher}/r", "m.gguf", b"x")
        (root / "a").chmod(0o000)
        (root / "c").chmod(0o000)
        found = stored_models(Places(lm_studio=(root,)))
        (root / "a").chmod(0o700)
        (root / "c").chmod(0o700)
    assert [model.name for model in found.models] == ["b/r"]
    assert [each.message for each in found.notices] == [
        f"{root / 'a'} (LM Studio) may not be read: {root / 'a'} is closed to this account."
    ]


def test_what_belongs_to_another_is_read_all_the_same(shared):
    file = shared / "m.gguf"
    file.write_bytes(b"GGUF")
    with nobody():
        assert FileBytes(file).read(1, 2) == b"GU"
