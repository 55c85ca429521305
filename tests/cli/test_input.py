"""What makes up the prompt, and what cannot."""

import io
import threading

import pytest

from specchat.cli.input import MOST_BYTES

from .fakes import World

MODEL = ("run", "-m", "big.gguf")


def question(world: World) -> str:
    return world.pair.chats[0][-1].content


def test_piped_input_comes_before_the_prompt_with_a_blank_line_between():
    assert question(World(stdin=b"a\n").run(*MODEL, "summarise")) == "a\n\nsummarise"


def test_files_stand_between_piped_input_and_prompt(tmp_path):
    (tmp_path / "one").write_text("1\n")
    (tmp_path / "two").write_text("2\n")
    files = ("-f", str(tmp_path / "one"), "-f", str(tmp_path / "two"))
    assert question(World(stdin=b"a\n").run(*MODEL, *files, "-p", "go")) == "a\n\n1\n\n2\n\ngo"


def test_with_a_system_prompt_alone_piped_input_is_the_message():
    [system, user] = World(stdin=b"a\n").run(*MODEL, "-sys", "Be brief.").pair.chats[0]
    assert (system.role, system.content, user.role, user.content) == ("system", "Be brief.", "user", "a")


def test_a_system_prompt_can_come_from_a_file(tmp_path):
    (tmp_path / "style").write_text("Be brief.\n")
    assert World().run(*MODEL, "-sys", f"@{tmp_path / 'style'}", "Hi").pair.chats[0][0].content == "Be brief."


def test_empty_input_beside_a_prompt_is_nothing():
    assert question(World(stdin=b"").run(*MODEL, "Hi")) == "Hi"


@pytest.mark.parametrize("stdin", [b"", b"\n", b"\xef\xbb\xbf", b" \r\n"])
def test_empty_input_alone_is_a_usage_error(stdin):
    world = World(stdin=stdin).run(*MODEL)
    assert world.code == 2
    assert world.err.startswith("error: There is no prompt: standard input is empty")


@pytest.mark.parametrize(
    ("stdin", "arguments", "expected"),
    [
        (None, ["-f", "{empty}"], "{empty} is empty"),
        (b"", ["-f", "{empty}"], "standard input and {empty} are empty"),
        (b"", ["--no-stdin", "-f", "{empty}", "-p", ""], "{empty} and the argument are empty"),
        (None, [""], "the argument is empty"),
    ],
)
def test_all_that_is_empty_is_named(tmp_path, stdin, arguments, expected):
    (tmp_path / "empty").write_text("\n")
    empty = str(tmp_path / "empty")
    world = World(stdin=stdin).run(*MODEL, *(argument.format(empty=empty) for argument in arguments))
    assert world.code == 2
    assert world.err.splitlines()[0] == f"error: There is no prompt: {expected.format(empty=empty)}."


@pytest.mark.parametrize("arguments", [("-f", ""), ("--system", "@"), ("--chat-template", "")])
def test_a_file_without_a_name_is_a_usage_error(arguments):
    world = World().run(*MODEL, *arguments, "Hi")
    assert (world.code, world.err.splitlines()[0]) == (2, "error: A file has an empty name.")


def test_two_prompts_are_a_usage_error():
    world = World().run(*MODEL, "-p", "one", "two")
    assert (world.code, world.err.splitlines()[0]) == (2, "error: There are two prompts: -p 'one' and 'two'.")


def test_no_stdin_leaves_it_for_others():
    stdin = io.BytesIO(b"line\n")
    assert question(World(stdin=stdin).run(*MODEL, "--no-stdin", "Hi")) == "Hi"
    assert stdin.read() == b"line\n"
    assert World(stdin=stdin).run(*MODEL, "--no-stdin").code == 2


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfna\xc3\xafve\r\ntext\r\n",
        "naïve\r\ntext\r\n".encode("utf-16"),
        "\ufeffnaïve\r\ntext\r\n".encode("utf-16-be"),
    ],
)
def test_what_windows_writes_is_put_right(data):
    assert question(World(stdin=data).run(*MODEL)) == "naïve\ntext"


def test_bytes_that_are_no_text_are_replaced_with_a_warning():
    world = World(stdin=b"caf\xe9 ok").run(*MODEL)
    assert question(world) == "caf\ufffd ok"
    assert world.err == (
        "warning: standard input is not valid UTF-8 at byte 3; what cannot be read is shown as \ufffd.\n"
    )
    assert world.code == 0


def test_a_nul_is_an_error():
    world = World(stdin=b"ab\0c").run(*MODEL)
    assert (world.code, world.pair) == (2, None)
    assert world.err.startswith("error: standard input is not text: there is a NUL at character 2.\nhint: ")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    world = World().run(*MODEL, "-f", str(tmp_path / "none"), "Hi")
    assert (world.code, world.err.splitlines()[0]) == (
        2,
        f"error: {tmp_path / 'none'} cannot be read: No such file or directory.",
    )


def test_more_than_any_context_holds_is_not_read(tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2 * MOST_BYTES)
    world = World().run(*MODEL, "-f", str(tmp_path / "huge"), "Hi")
    assert (world.code, world.err.splitlines()[0]) == (
        2,
        f"error: {tmp_path / 'huge'} is longer than 64 MiB, which no context holds.",
    )


class OpenPipe(io.BytesIO):
    """Stays open until it is let go."""

    def __init__(self, closed: threading.Event) -> None:
        super().__init__(b"late")
        self.end = closed

    def read(self, size: int | None = -1, /) -> bytes:
        assert self.end.wait(5)
        return super().read(size)


class Watched(io.StringIO):
    """Sets `seen` when something is written."""

    def __init__(self, seen: threading.Event) -> None:
        super().__init__()
        self.seen = seen

    def write(self, text: str) -> int:
        self.seen.set()
        return super().write(text)


def test_an_input_that_stays_open_is_announced():
    said = threading.Event()
    world = World(stdin=OpenPipe(said), stderr=Watched(said), patience=0.01).run(*MODEL, "Hi")
    assert world.err == "reading stdin… --no-stdin skips it\n"
    assert question(world) == "late\n\nHi"


def test_an_input_that_ends_soon_is_not_announced():
    assert World(stdin=b"a", patience=0.2).run(*MODEL, "Hi").err == ""


def test_piped_input_is_announced_with_its_size_on_a_terminal():
    world = World(stdin=b"x" * 1234, screen=True, n_ctx=5000).run(*MODEL)
    assert world.transcript.startswith("1,234 characters from standard input\n")
