"""All sessions in a folder: their names, their order, and finding them."""

import os
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.cli.sessions.lines import Header
from specchat.cli.sessions.names import is_name, names_for
from specchat.cli.sessions.store import Sessions
from specchat.speculative.errors import UsageError
from specchat.speculative.messages import Message

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=timezone.utc)
HEADER = Header("then", "big.gguf", "ngram")


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path / "sessions", lambda: NOON)


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ("Why is the sky blue?", "2026-01-31-1200-why-is-the-sky-blue"),
        ("../../etc/passwd\0", "2026-01-31-1200-etc-passwd"),
        ("Donaudampfschifffahrtsgesellschaft", "2026-01-31-1200-donaudampfschifffahrtsge"),
        ("Write a function that is long", "2026-01-31-1200-write-a-function-that-is"),
        ("Größe in 'cm'?", "2026-01-31-1200-größe-in-cm"),
        ("为什么天空是蓝色的？", "2026-01-31-1200-为什么天空是蓝色的"),
        ("🦆 ???", "2026-01-31-1200"),
        ("", "2026-01-31-1200"),
        ("\udcff", "2026-01-31-1200"),
    ],
)
def test_a_session_is_called_after_its_time_and_its_first_words(sessions, first, name):
    with sessions.begin(HEADER, first) as log:
        assert log.name == name
    with sessions.begin(HEADER, first) as log:
        assert log.name == f"{name}-2"
    assert sorted(sessions.names()) == [name, f"{name}-2"]


@given(st.text(st.characters(exclude_categories=())))
def test_every_first_message_makes_names_that_sessions_may_have(first):
    assert all(is_name(name) for name in islice(names_for(NOON, first), 3))


def test_the_one_that_changed_last_comes_first(sessions):
    for name, seconds in (("a", 300), ("b", 100), ("c", 200)):
        with sessions.begin(HEADER, name) as log:
            log.add(Message("user", f"{name}?"))
            log.show("So")
        os.utime(log.place.file, (seconds, seconds))
        os.utime(log.place.partial, (seconds, seconds))
    os.utime(sessions.folder / "2026-01-31-1200-b.partial", (400, 400))
    rows = sessions.listed()
    assert [row.name[-1] for row in rows] == ["b", "a", "c"]
    assert [row.changed for row in rows] == [400, 300, 200]
    assert [row.transcript and row.transcript.first_words for row in rows] == ["b?", "a?", "c?"]
    assert sessions.latest() == "2026-01-31-1200-b"


def test_a_session_that_cannot_be_read_is_listed_with_the_reason_and_is_not_the_latest(sessions):
    sessions.begin(HEADER, "fine").close()
    file = sessions.folder / "odd.jsonl"
    file.write_text('{"format": 2}\n')
    os.utime(file, (2**32, 2**32))
    odd, fine = sessions.listed()
    assert odd.error.startswith("odd is a session of format 2,")
    assert odd.transcript is None
    assert sessions.latest() == fine.name


def test_reading_changes_nothing(sessions):
    with sessions.begin(HEADER, "a") as log:
        log.add(Message("user", "Hi"))
        log.show("Hel")
        with log.place.file.open("ab") as file:
            file.write(b"{")
        before = {each: each.read_bytes() for each in sessions.folder.iterdir()}
        found = sessions.read(log.name)  # while it is open in a chat
        assert [turn.message.content for turn in found.transcript.turns] == ["Hi", "Hel"]
        assert {each: each.read_bytes() for each in sessions.folder.iterdir()} == before


def test_a_session_that_is_open_is_not_removed(sessions):
    with sessions.begin(HEADER, "a") as log:
        for remove in (sessions.check_free, sessions.remove):
            with pytest.raises(UsageError, match="is open in another chat"):
                remove(log.name)
    assert log.place.file.exists()


def test_nothing_is_left_of_a_session_that_is_removed(sessions):
    with sessions.begin(HEADER, "a") as log:
        log.add(Message("user", "Hi"))
        log.show("Hel")
    log.place.damaged.write_text("{")
    sessions.remove(log.name)
    assert list(sessions.folder.iterdir()) == []


def test_what_is_gone_cannot_be_gone_on_with(sessions):
    with pytest.raises(UsageError, match="There are no sessions yet"):
        sessions.latest()
    with pytest.raises(UsageError, match="There is no session called a"):
        sessions.resume("a")
    sessions.begin(HEADER, "Why is the sky blue?").close()
    with pytest.raises(UsageError) as raised:
        sessions.resume("2026-01-31-1200-why-is-the-sky")
    assert raised.value.hint == (
        "Did you mean 2026-01-31-1200-why-is-the-sky-blue? specchat session list shows all names."
    )
