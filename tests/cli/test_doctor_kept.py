"""What the doctor says of what is kept here, of disks and of the hub."""

import os
import re
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from specchat.cli.doctor.disks import disk_rows
from specchat.cli.doctor.hub import access_rows
from specchat.cli.doctor.places import cache_rows, contents, hub_rows, kept_row
from specchat.profiles.errors import FetchError
from specchat.profiles.hub.client import Hub, hub_of
from specchat.profiles.hub.token import Token
from specchat.speculative.cache import Cache

from ..hub.faults import ALWAYS, Fault
from ..tiny import TinyModel, write_tiny
from .fakes import World

HUB = Hub("https://huggingface.co", None, Path("/nobody"))


def values(rows) -> dict[str, str]:
    return {row.name.strip(): row.value for row in rows}


def test_each_cache_has_its_size_and_what_of_it_is_of_no_use(tmp_path):
    costs = Cache(tmp_path / "costs")
    costs.save("one", 1.0)
    costs.save("two", 2.0)
    next((tmp_path / "costs").iterdir()).write_text("{")
    rows = {row.name.strip(): row for row in cache_rows(tmp_path)}
    assert rows["costs"].figures["files"] == 2
    assert rows["costs"].figures["useless"] == 1
    assert rows["costs"].figures["bytes"] == contents(tmp_path).size
    assert "what passes of models cost: 2 files" in rows["costs"].value
    assert "1 damaged or of another format" in rows["costs"].value
    assert str(tmp_path) in rows["cache"].value


def test_folders_that_the_doctor_does_not_know_are_counted_too(tmp_path):
    (tmp_path / "novel").mkdir()
    (tmp_path / "novel/a").write_bytes(b"x" * 2000)
    assert values(cache_rows(tmp_path))["novel"].startswith("something else: 1 file, 2.0 kB")


@pytest.mark.parametrize("kind", ["states", "rpc"])
def test_what_is_no_json_is_not_damaged(tmp_path, kind):
    (tmp_path / kind).mkdir()
    (tmp_path / kind / "a.json").write_bytes(b"\0binary")
    value = values(cache_rows(tmp_path))[kind]
    assert "damaged" not in value
    assert "something else" not in value


def test_whatever_a_run_keeps_is_known(tmp_path):
    write_tiny(tmp_path / "big.gguf", TinyModel(layers=3))
    World(home=lambda: tmp_path).run("run", "-m", str(tmp_path / "big.gguf"), "hello")
    kept = values(cache_rows(tmp_path / ".cache" / "specchat"))
    assert "shapes" in kept
    assert not any(value.startswith("something else") for value in kept.values())


def test_a_cache_that_is_not_there_yet_or_nowhere_is_fine(tmp_path):
    rows = [*cache_rows(tmp_path / "none"), *cache_rows(None), kept_row("sessions", None)]
    assert not any(row.wrong for row in rows)


def test_links_count_once(tmp_path):
    (tmp_path / "file").write_bytes(b"x" * 100)
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert contents(tmp_path).size == 100


def test_downloads_that_were_cut_off_are_told_with_what_goes_on(tmp_path):
    blobs = tmp_path / "models--some--Model-GGUF" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / "abc.12345678.specchat.incomplete").write_bytes(b"x" * 5000)
    (blobs / "def.9f.incomplete").write_bytes(b"x" * 10)
    os.utime(blobs / "abc.12345678.specchat.incomplete", (1.7e9, 1.7e9))
    whole, ours, theirs = hub_rows(tmp_path)
    assert "1 repository, 5.0 kB" in whole.value
    assert ours.value == "5.0 kB of a file of some/Model-GGUF came, last on 2023-11-14, and the rest did not"
    assert ours.command.startswith("specchat pull some/Model-GGUF")
    assert theirs.command == f'rm "{blobs / "def.9f.incomplete"}"'
    assert not ours.wrong


def test_a_disk_has_to_have_room_for_a_model_and_only_for_that(tmp_path):
    folders = {"models": tmp_path, "chats": tmp_path}
    assert [row.wrong for row in disk_rows(folders, lambda folder: 10**8)] == [True, False]
    assert [row.wrong for row in disk_rows(folders, lambda folder: 10**11)] == [False, False]
    assert [row.wrong for row in disk_rows(folders, lambda folder: None)] == [False, False]


def test_a_hub_that_answers_is_fine():
    [hub, token] = access_rows(HUB, lambda hub: "")
    assert hub.value == "https://huggingface.co: answers"
    assert token.value == "none: public models only"
    assert not hub.wrong


def test_a_mirror_and_the_holder_of_a_token_are_named():
    mirror = replace(HUB, endpoint="https://me:secret@mirror.example", token=Token("hf_x", "HF_TOKEN"))
    [hub, token] = access_rows(mirror, lambda hub: "jane")
    assert hub.value == "https://mirror.example, a mirror that HF_ENDPOINT names: answers"
    assert token.value == "from HF_TOKEN, of jane"


def test_a_hub_that_may_not_be_asked_is_not():
    asked = []
    rows = access_rows(replace(HUB, offline=True), lambda hub: asked.append(hub) or "")
    assert rows[0].value.endswith("not asked")
    assert (asked, rows[0].wrong) == ([], False)


def test_a_hub_that_cannot_be_reached_needs_mending():
    def fail(hub: Hub) -> str:
        raise FetchError("It cannot be reached.", "Check the network.")

    [row] = access_rows(HUB, fail)
    assert (row.wrong, row.value, row.advice) == (True, "It cannot be reached.", "Check the network.")


def test_who_cannot_even_be_looked_up_is_waited_for_only_so_long():
    silence = Event()
    [row] = access_rows(HUB, lambda hub: str(silence.wait()), seconds=0.05)
    silence.set()
    assert row.wrong
    assert "did not answer within" in row.value


@pytest.mark.parametrize(
    ("status", "body", "token", "told"),
    [
        (200, b'{"name": "jane"}', "hf_x", ": answers"),
        (401, b"{}", "", ": answers"),
        (404, b"{}", "hf_x", ": answers"),
        (401, b"{}", "hf_x", "refuses the token from HF_TOKEN"),
        (200, b"<html>log in</html>", "", "does not answer as a hub does"),
        (200, b"[]", "", "does not answer as a hub does"),
        (503, b"", "", "has trouble of its own"),
    ],
)
def test_what_the_hub_answers_is_said_after_one_request(standin, tmp_path, status, body, token, told):
    standin.inject(Fault("/api/whoami-v2", times=ALWAYS, status=status, body=body))
    variables = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(tmp_path), "HF_TOKEN": token}
    world = World(home=lambda: tmp_path, system=tmp_path, variables=variables).run("doctor")
    assert re.search(rf"^hub  .*{told}", world.out, re.MULTILINE)
    assert [request.path for request in standin.requests] == ["/api/whoami-v2"]
    assert world.code == (0 if told == ": answers" else 1)
    assert "hf_x" not in world.out + world.err


def test_offline_no_request_is_made(standin, tmp_path):
    variables = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(tmp_path)}
    World(home=lambda: tmp_path, system=tmp_path, variables=variables).run("doctor", "--offline")
    assert standin.requests == []


def test_the_variable_of_the_hub_forbids_it_too(standin, tmp_path):
    hub = hub_of({"HF_ENDPOINT": standin.endpoint, "HF_HUB_OFFLINE": "1"}, lambda: tmp_path)
    assert access_rows(hub)[0].value.endswith("not asked")
    assert standin.requests == []
