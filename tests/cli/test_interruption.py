"""What Ctrl-C means, and when."""

import signal

import pytest

from specchat.cli.interruption import raising, stopping
from specchat.speculative.interrupt import Interrupt


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
