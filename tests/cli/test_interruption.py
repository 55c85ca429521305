"""What Ctrl-C means, and when."""

import io
import signal

import pytest

from specchat.cli.interruption import Stopped, ending, raising, stopping
from specchat.speculative.errors import ServerError
from specchat.speculative.interrupt import Interrupt

from .fakes import World


@pytest.fixture(autouse=True)
def _signals():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_ctrl_c_asks_and_the_second_one_would_kill():
    before, interrupt = signal.getsignal(signal.SIGINT), Interrupt()
    with stopping(interrupt):
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before


def test_a_line_editor_hears_of_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with pytest.raises(KeyboardInterrupt), raising():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def test_a_command_that_ends_with_it_hears_of_a_ctrl_c_that_came_too_late():
    with pytest.raises(Stopped), ending(Interrupt()):
        signal.raise_signal(signal.SIGINT)
    with ending(Interrupt()):
        pass


class Late(io.StringIO):
    """Standard output behind whose last line Ctrl-C comes: all was said by then."""

    def write(self, text):
        written = super().write(text)
        if text.endswith("\n"):
            signal.raise_signal(signal.SIGINT)
        return written


LINE, BLOCK = "ab", "```\nab\n```"


@pytest.mark.parametrize(
    ("command", "answer"),
    [(("run",), LINE), (("complete",), LINE), (("run", "-x"), BLOCK), (("run", "--json", "-x"), BLOCK)],
)
def test_ctrl_c_behind_the_last_word_ends_the_command_by_it_too(command, answer):
    done = World(stdout=Late(), stdin=b"", answers=[answer]).run(*command, "-m", "big.gguf", "Hi")
    assert done.code == -signal.SIGINT
    assert "ab" in done.out


@pytest.mark.parametrize("command", [("run",), ("complete",), ("run", "--json"), ("run", "-x"), ("run", "--no-save")])
@pytest.mark.parametrize("screen", [False, True])
def test_whenever_ctrl_c_comes_in_an_answer_the_command_ends_by_it(command, screen):
    def run(when):
        def interrupt(world, count):
            passes.append(count)
            if count == when:
                signal.raise_signal(signal.SIGINT)

        passes = []
        world = World(screen=screen, stdin=b"", answers=["```\nab\n```"], on_pass=interrupt)
        done = world.run(*command, "-m", "big.gguf", "Hi")
        return done.code, len(passes)

    code, passes = run(None)
    assert code == 0
    assert [run(when)[0] for when in range(passes)] == [-signal.SIGINT] * passes


@pytest.mark.parametrize(
    "command",
    [("run",), ("complete",), ("run", "--json"), ("run", "-x"), ("run", "--no-save"), ("run", "--compare")],
)
@pytest.mark.parametrize("when", [0, 3])
def test_what_goes_wrong_after_ctrl_c_is_told_and_the_command_ends_by_it_nevertheless(command, when):
    def lose(world, count):
        if count == when:
            signal.raise_signal(signal.SIGINT)
            raise ServerError("It is silent.", "Look after it.")

    done = World(stdin=b"", answers=["Some words."], on_pass=lose).run(*command, "-m", "big.gguf", "Hi")
    assert done.code == -signal.SIGINT
    assert done.err.endswith("error: It is silent.\nhint: Look after it.\n")
    assert done.err.count("silent") == 1
