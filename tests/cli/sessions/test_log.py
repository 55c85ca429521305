"""The chat on the disk is the chat on the screen, whatever happens to it."""

import stat
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.cli.sessions.errors import SessionError, TakenError
from specchat.cli.sessions.lines import Header, Models
from specchat.cli.sessions.lock import is_still_at
from specchat.cli.sessions.log import SessionLog
from specchat.speculative.errors import SpecchatError, UsageError
from specchat.speculative.messages import Message

from ...nobody import nobody

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=timezone(timedelta(hours=1)))
HEADER = Header("2026-01-31T12:00:00+01:00", "big.gguf", "small.gguf", "Be brief.")
SYSTEM = Message("system", "Be brief.")
ANY_TEXT = st.text(st.characters(exclude_categories=()))
WEIRD = ["\0", "\u2028\u2029\x85\x0b\r\n\r", "\ud800", "\udcff x", "{}\n[", "\x1b[2J\x9b", "🦆" * 400_000, ""]


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str) -> Message:
    return Message("assistant", text)


def create(folder: Path, name: str = "chat", header: Header = HEADER) -> SessionLog:
    return SessionLog.create(folder, name, header, lambda: NOON)


def reopened(folder: Path, name: str = "chat") -> SessionLog:
    with SessionLog.open(folder, name) as log:
        return log


def as_json_has_it(text: str) -> str:
    """Two halves of a character that stand side by side are one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


MESSAGES = st.builds(Message, st.sampled_from(["user", "assistant", "system"]), ANY_TEXT)
STEPS = st.one_of(
    st.tuples(st.just("add"), MESSAGES),
    st.tuples(st.just("replace"), ANY_TEXT),
    st.tuples(st.just("show"), ANY_TEXT),
    st.tuples(st.just("drop"), st.integers(0, 4)),
    st.tuples(st.just("system"), st.none() | ANY_TEXT),
    st.tuples(st.just("leave"), st.none()),
)


@given(st.lists(STEPS, max_size=25))
def test_whatever_happens_in_a_chat_is_there_when_it_is_opened_again(steps):
    with TemporaryDirectory() as folder:
        said: list[Message] = []
        shown, system = "", HEADER.system
        log = create(Path(folder))
        for step, value in steps:
            match step:
                case "add":
                    log.add(value)
                    said.append(value)
                    shown = ""
                case "replace" if said and said[-1].role == "assistant":
                    log.replace_answer(assistant(value))
                    said[-1] = assistant(value)
                    shown = ""
                case "show":
                    log.show(value)
                    shown += value
                case "drop":
                    log.drop(value)
                    del said[max(0, len(said) - value) :]
                    shown = ""
                case "system":
                    log.set_system(value)
                    system = value
                case "leave":
                    log.close()
                    log = SessionLog.open(Path(folder), "chat")
                    if shown and said and said[-1].role != "system":
                        goes_on = said.pop().content if said[-1].role == "assistant" else ""
                        said.append(assistant((goes_on + shown).encode(errors="replace").decode()))
                        assert "not complete" in log.notice
                    else:
                        assert log.notice == ""
                    shown = ""
            expected = [*([] if system is None else [Message("system", system)]), *said]
            assert [(each.role, as_json_has_it(each.content)) for each in log.messages] == [
                (each.role, as_json_has_it(each.content)) for each in expected
            ]
            assert log.failed == ""
        log.close()


@pytest.mark.parametrize("text", WEIRD)
def test_any_text_comes_back_as_it_was(tmp_path, text):
    with create(tmp_path, header=Header("then", text, text, text)) as log:
        log.add(user(text))
        log.add(assistant(text), finish_reason="stop", seed=2**63)
    after = reopened(tmp_path)
    assert after.messages == [Message("system", text), user(text), assistant(text)]
    assert after.transcript == log.transcript
    assert after.transcript.header.model == text
    content = (tmp_path / "chat.jsonl").read_bytes()
    assert content.count(b"\n") == 3
    assert not {0x1B, 0x7F} & set(content)
    content.decode()


def test_the_facts_of_an_answer_are_kept(tmp_path):
    with create(tmp_path) as log:
        log.add(user("Hi"))
        log.add(assistant("Hello."), finish_reason="length", seed=7)
    question, answer = reopened(tmp_path).transcript.turns
    assert (answer.at, answer.finish_reason, answer.seed) == ("2026-01-31T12:00:00+01:00", "length", 7)
    assert (question.finish_reason, question.seed) == (None, None)


def test_that_there_is_no_system_prompt_is_kept_as_well(tmp_path):
    create(tmp_path, header=Header("then", "big.gguf", "")).close()
    assert (tmp_path / "chat.jsonl").read_bytes().count(b"\n") == 2
    after = reopened(tmp_path).transcript
    assert (after.system, after.chose_system) == (None, True)


def test_other_models_hold_from_then_on(tmp_path):
    with create(tmp_path) as log:
        log.set_models(HEADER.models)
        log.add(user("Hi"))
        log.set_models(Models("other.gguf", "", "none", "mine"))
    assert (tmp_path / "chat.jsonl").read_bytes().count(b"\n") == 3
    after = reopened(tmp_path)
    assert after.transcript.header == Header(HEADER.started, "other.gguf", "", "Be brief.", "none", "mine")
    assert after.messages == [SYSTEM, user("Hi")]


def test_only_the_owner_may_read_any_of_it(tmp_path):
    folder = tmp_path / "specchat" / "sessions"
    with create(folder) as log:
        log.add(user("Hi"))
        log.show("Hel")
    with (folder / "chat.jsonl").open("ab") as file:
        file.write(b'{"role": "assis')
    (folder / "chat.partial").rename(folder / "kept")
    reopened(folder)
    (folder / "kept").rename(folder / "chat.partial")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert modes == {"chat.jsonl": 0o600, "chat.partial": 0o600, "chat.damaged": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def small(folder: Path) -> tuple[list[Message], list[int]]:
    """The messages of a small session, and the sizes that its file has after each of them."""
    file, sizes = folder / "chat.jsonl", []
    with create(folder) as log:
        sizes.append(file.stat().st_size)
        for message in (user("Grüße?"), assistant("Ja 🦆."), user("Why?"), assistant("So."), user("Oh")):
            log.add(message)
            sizes.append(file.stat().st_size)
        return log.messages, sizes


def test_a_file_that_ends_anywhere_keeps_every_turn_before_that(tmp_path):
    messages, sizes = small(tmp_path)
    whole = (tmp_path / "chat.jsonl").read_bytes()
    for size in range(len(whole) + 1):
        folder = tmp_path / str(size)
        folder.mkdir()
        (folder / "cut.jsonl").write_bytes(whole[:size])
        try:
            log = SessionLog.open(folder, "cut")
        except SpecchatError:
            assert size < sizes[0] - 1
            assert (folder / "cut.jsonl").read_bytes() == whole[:size]
            continue
        complete = sum(each - 1 <= size for each in sizes)  # the end of a line may be missing
        assert log.messages == messages[:complete], size
        cut = whole[max(each for each in sizes if each - 1 <= size) : size]
        assert ("not written to its end" in log.notice) == bool(cut)
        assert not cut or (folder / "cut.damaged").read_bytes() == cut
        log.add(user("And on?"))
        log.close()
        again = reopened(folder, "cut")
        assert (again.messages, again.notice) == ([*messages[:complete], user("And on?")], "")


@given(st.data())
def test_no_damage_raises_anything_else_or_takes_what_is_before_it(data):
    with TemporaryDirectory() as name:
        folder = Path(name)
        messages, sizes = small(folder)
        file = folder / "chat.jsonl"
        whole = file.read_bytes()
        start = data.draw(st.integers(0, len(whole)))
        end = data.draw(st.integers(start, len(whole)))
        file.write_bytes(whole[:start] + data.draw(st.binary(max_size=20)) + whole[end:])
        before = file.read_bytes()
        try:
            log = reopened(folder)
        except SessionError:
            assert file.read_bytes() == before
            return
        intact = sum(size <= start for size in sizes)
        assert log.messages[:intact] == messages[:intact]
        if log.notice:
            assert file.read_bytes() + (folder / "chat.damaged").read_bytes() == before


def test_a_damaged_line_is_set_aside_with_all_that_comes_after_it(tmp_path):
    small(tmp_path)
    file = tmp_path / "chat.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:3], b"\0\0\0\n", *lines[4:]]))
    (tmp_path / "chat.damaged").write_bytes(b"older\n")
    (tmp_path / "chat.partial").write_bytes(b"the answer to what is lost")
    log = reopened(tmp_path)
    assert log.messages == [SYSTEM, user("Grüße?"), assistant("Ja 🦆.")]
    aside = tmp_path / "chat.damaged"
    assert log.notice == f"Line 4 of chat is damaged; with all that comes after it, it is set aside in {aside}."
    rest = b"\0\0\0\n" + b"".join(lines[4:])
    assert aside.read_bytes() == b"older\n" + rest + b"the answer to what is lost"
    assert reopened(tmp_path).notice == ""


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b"1" * 10_000,
        b"7",
        b'"text"',
        b'{"role": "tool", "content": ""}',
        b'{"role": "user"}',
        b'{"drop": true}',
        b'{"drop": -1}',
        b'{"system": 1}',
        b'{"model": "big.gguf"}',
        b"\xff",
        b"",
    ],
)
def test_what_is_no_line_of_a_session_is_damaged(tmp_path, line):
    create(tmp_path).close()
    with (tmp_path / "chat.jsonl").open("ab") as file:
        file.write(line + b"\n")
    log = reopened(tmp_path)
    assert "The last line of chat" in log.notice
    assert (tmp_path / "chat.damaged").read_bytes() == line + b"\n"


def test_what_a_later_version_adds_is_left_alone(tmp_path):
    create(tmp_path).close()
    with (tmp_path / "chat.jsonl").open("a") as file:
        file.write('{"mood": "fine"}\n{"role": "user", "content": "Hi", "mood": 1, "seed": "x"}\r\n')
    log = reopened(tmp_path)
    assert (log.messages, log.notice) == ([SYSTEM, user("Hi")], "")


def test_a_file_of_another_format_stays_as_it_is(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_text('{"format": 2}\nwhatever\n')
    with pytest.raises(SessionError, match="chat is a session of format 2,") as raised:
        reopened(tmp_path)
    assert raised.value.hint
    assert file.read_text() == '{"format": 2}\nwhatever\n'


@pytest.mark.parametrize(
    "first", [b"", b"\n", b'{"format": 1', b'{"format": "1"}', b'{"format": true}', b"[]", b"\xff"]
)
def test_a_file_without_a_header_stays_as_it_is(tmp_path, first):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(first)
    with pytest.raises(SessionError, match="chat is damaged"):
        reopened(tmp_path)
    assert file.read_bytes() == first


@pytest.mark.parametrize("size", range(9))
def test_a_character_that_was_cut_is_no_part_of_an_interrupted_answer(tmp_path, size):
    with create(tmp_path) as log:
        log.add(user("Hi"))
    (tmp_path / "chat.partial").write_bytes("aü🦆b".encode()[:size])
    text = ["", "a", "a", "aü", "aü", "aü", "aü", "aü🦆", "aü🦆b"][size]
    assert reopened(tmp_path).messages[2:] == ([assistant(text)] if text else [])
    assert not (tmp_path / "chat.partial").exists()
    assert reopened(tmp_path).messages[2:] == ([assistant(text)] if text else [])


def test_an_answer_that_was_written_is_not_interrupted(tmp_path):
    with create(tmp_path) as log:
        log.add(user("Hi"))
        log.add(assistant("Hello."))
    (tmp_path / "chat.partial").write_text("Hel")  # the process ended between the two
    log = reopened(tmp_path)
    assert (log.messages[2:], log.notice) == ([assistant("Hello.")], "")
    assert not (tmp_path / "chat.partial").exists()


def test_an_answer_that_goes_on_is_interrupted_where_more_of_it_was_shown(tmp_path):
    with create(tmp_path) as log:
        log.add(user("Hi"))
        log.add(assistant("Hello"), finish_reason="length", seed=7)
        log.show(", ")
        log.show("you")
        assert (tmp_path / "chat.partial").read_text() == "Hello, you"
    log = reopened(tmp_path)
    assert log.messages[2:] == [assistant("Hello, you")]
    assert log.notice == "The last answer is not complete, but as it was shown; /continue in a chat goes on with it."
    assert log.transcript.turns[-1].finish_reason == "interrupted"
    again = reopened(tmp_path)
    assert (again.transcript, again.notice) == (log.transcript, "")


def test_an_answer_in_the_place_of_another_comes_in_one_piece(tmp_path):
    with create(tmp_path) as log:
        log.add(user("Hi"))
        log.add(assistant("Hello."))
        before = (tmp_path / "chat.jsonl").read_bytes()
        log.show(" You?")
        log.replace_answer(assistant("Hello. You?"))
        after = (tmp_path / "chat.jsonl").read_bytes()
        assert not (tmp_path / "chat.partial").exists()
    for size in range(len(before), len(after)):
        (tmp_path / "chat.jsonl").write_bytes(after[:size])
        (tmp_path / "chat.partial").write_text("Hello. You?")
        assert reopened(tmp_path).messages[2:] == [assistant("Hello. You?")], size


def test_a_taken_back_answer_leaves_nothing_behind(tmp_path):
    with create(tmp_path) as log:
        log.add(user("Hi"))
        log.show("Hel")
        assert (tmp_path / "chat.partial").read_text() == "Hel"
        log.drop(1)
        assert not (tmp_path / "chat.partial").exists()
        log.add(user("Hi!"))
    assert reopened(tmp_path).messages == [SYSTEM, user("Hi!")]


def test_what_another_chat_left_is_no_answer_in_a_new_one(tmp_path):
    (tmp_path / "chat.partial").write_text("old")
    with create(tmp_path) as log:
        log.add(user("Hi"))
    assert reopened(tmp_path).messages == [SYSTEM, user("Hi")]


def test_an_answer_is_not_taken_for_the_next_one_where_no_file_can_be_removed():
    with nobody(), TemporaryDirectory() as name:
        with create(Path(name)) as log:
            log.add(user("Hi"))
            log.show("Hello.")
            Path(name).chmod(0o500)
            log.add(assistant("Hello."))
            log.add(user("And?"))
        Path(name).chmod(0o700)
        assert (Path(name) / "chat.partial").exists()
        assert reopened(Path(name)).messages == [SYSTEM, user("Hi"), assistant("Hello."), user("And?")]


def test_a_file_that_was_removed_is_not_the_one_that_is_open(tmp_path):
    file = tmp_path / "chat.jsonl"
    with file.open("wb") as opened:
        assert is_still_at(opened.fileno(), file)
        file.unlink()
        assert not is_still_at(opened.fileno(), file)
        file.write_bytes(b"")
        assert not is_still_at(opened.fileno(), file)


def test_a_session_is_open_once(tmp_path):
    with create(tmp_path):
        with pytest.raises(UsageError, match="chat is open in another chat") as raised:
            SessionLog.open(tmp_path, "chat")
        assert raised.value.hint
    with SessionLog.open(tmp_path, "chat"), pytest.raises(UsageError):
        SessionLog.open(tmp_path, "chat")
    reopened(tmp_path)


def test_a_name_is_taken_once(tmp_path):
    create(tmp_path).close()
    with pytest.raises(TakenError, match="There is a session called chat already"):
        create(tmp_path)


@pytest.mark.parametrize("name", ["../x", "", "a/b", "\0", "nul", "CON.txt", ".x", "-x", "x" * 201, "a b", "\udc80"])
def test_a_name_that_no_file_should_have_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="cannot be the name"):
        create(tmp_path, name)
    with pytest.raises(UsageError, match="There is no session called"):
        SessionLog.open(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def chat_on(log: SessionLog) -> None:
    log.add(user("Hi"))
    log.show("Hel")
    log.add(assistant("Hello."))
    log.set_system(None)
    log.drop(1)
    assert log.messages == [user("Hi")]


def test_a_folder_that_cannot_be_written_does_not_end_the_chat():
    with nobody(), TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o500)
        with create(folder) as log:
            chat_on(log)
        with create(folder / "sessions") as log:
            chat_on(log)
        folder.chmod(0o700)
        assert log.failed == (
            f"From here on this chat is not kept: {folder / 'sessions' / 'chat.jsonl'}: Permission denied."
        )
        assert list(folder.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_does_not_end_the_chat(tmp_path):
    (tmp_path / "sessions").write_text("")
    with create(tmp_path / "sessions") as log:
        chat_on(log)
    assert "is not kept" in log.failed


def test_a_session_that_may_only_be_read_is_gone_on_with_and_stays_as_it_is():
    with nobody(), TemporaryDirectory() as name:
        folder = Path(name)
        with create(folder) as log:
            log.add(user("Why?"))
        file = folder / "chat.jsonl"
        with file.open("ab") as opened:
            opened.write(b"{")
        before = file.read_bytes()
        file.chmod(0o400)
        with SessionLog.open(folder, "chat") as log:
            assert log.messages == [SYSTEM, user("Why?")]
            assert "Permission denied" in log.failed
            assert log.notice.endswith("it is left out.")
            log.drop(1)
            chat_on_after = log.messages
        assert (file.read_bytes(), chat_on_after) == (before, [SYSTEM])


def test_a_session_that_may_not_be_read_is_an_error():
    with nobody(), TemporaryDirectory() as name:
        create(Path(name)).close()
        (Path(name) / "chat.jsonl").chmod(0)
        with pytest.raises(SessionError, match="Permission denied"):
            reopened(Path(name))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux tells what is open")
def test_nothing_stays_open(tmp_path):
    handles = Path("/proc/self/fd")
    before = len(list(handles.iterdir()))
    with create(tmp_path) as log:
        log.add(user("Hi"))
        log.show("Hel")
    reopened(tmp_path)
    for name in ("none", "chat"):
        (tmp_path / "chat.jsonl").write_bytes(b"")
        with pytest.raises(SpecchatError):
            SessionLog.open(tmp_path, name)
    assert len(list(handles.iterdir())) == before


@pytest.mark.parametrize(
    ("shown", "answer"),
    [
        ([("Hm.\n", True), (" Yes!", True)], Message("assistant", "", "Hm.\n Yes!")),
        ([("Hm.", True), ("Be", False), ("cause", False)], Message("assistant", "Because", "Hm.")),
        ([("I look.", False), ("Hm.", True), ("Yes", False)], Message("assistant", "I look.Yes")),
    ],
)
def test_what_was_thought_before_an_answer_is_kept_while_it_is_shown(tmp_path, shown, answer):
    with SessionLog.create(tmp_path, "chat", HEADER) as log:
        log.add(user("Why?"))
        for text, is_reasoning in shown:
            log.show(text, is_reasoning)
    with SessionLog.open(tmp_path, "chat") as opened:
        assert opened.messages[-1] == answer


def test_more_thoughts_of_an_answer_that_never_began_are_kept_too(tmp_path):
    with SessionLog.create(tmp_path, "chat", HEADER) as log:
        log.add(user("Why?"))
        log.add(Message("assistant", "", "Hm."))
        log.show(" Yes!", is_reasoning=True)
    with SessionLog.open(tmp_path, "chat") as opened:
        assert opened.messages[-1] == Message("assistant", "", "Hm. Yes!")
