"""Loading the models, with progress on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from specchat.speculative.errors import SpecchatError

from ..display.screen import warn, warn_once
from ..display.status_line import StatusLine

if TYPE_CHECKING:
    from specchat.speculative.interrupt import Interrupt
    from specchat.speculative.llama.exactness import Verified
    from specchat.speculative.llama.pair import Pair
    from specchat.speculative.llama.pair_config import PairConfig

    from ..environment import Environment


@contextmanager
def importing_llama_cpp() -> Iterator[None]:
    """Where llama.cpp is imported for the first time: raises `SpecchatError` if it cannot be."""
    try:
        yield
    except (ImportError, OSError, RuntimeError) as error:
        hint = "specchat doctor says how to build it again."
        raise SpecchatError(f"llama.cpp cannot be used: {error}", hint) from error


class PairLoader(Protocol):
    """How models become a pair."""

    def __call__(self, config: "PairConfig", interrupt: "Interrupt", on_progress: Callable[[str], None]) -> "Pair":
        """Load what `config` names."""


def load_real_pair(config: "PairConfig", interrupt: "Interrupt", on_progress: Callable[[str], None]) -> "Pair":
    """Load with llama.cpp, which is imported now and not before. Raises `SpecchatError` where it is not there."""
    with importing_llama_cpp():
        from specchat.speculative.llama.pair import load_pair

    return load_pair(config, interrupt, on_progress)


class Verifier(Protocol):
    """How it is found out how passes round."""

    def __call__(self, config: "PairConfig", tell: Callable[[str], None]) -> "Verified":
        """Measure the target of `config`, or remember it."""


def verify_real_target(config: "PairConfig", tell: Callable[[str], None]) -> "Verified":
    """Measure with llama.cpp. Raises `SpecchatError` where it is not there, and as `verified` does."""
    with importing_llama_cpp():
        from specchat.speculative.llama.exactness import verified

    return verified(config, tell)


def load(env: "Environment", config: "PairConfig", quiet: bool, interrupt: "Interrupt | None" = None) -> "Pair":
    """Load a pair where it fits, and tell what is odd about it; another pair may share its `interrupt`.

    The line that says how far that is comes back where the pair loads or keeps much of what was read.
    Ctrl-C kills meanwhile: there is nothing to keep.
    """
    from specchat.speculative.interrupt import Interrupt

    line = StatusLine(env, shown=not quiet, delay=0.3)

    def progress(doing: str) -> None:
        if doing:
            line.show(doing)
        else:
            line.clear()

    try:
        pair = env.load_pair(_placed(env, config, quiet), interrupt or Interrupt(), progress)
    finally:
        line.clear()
    tell_notices(env, pair, quiet)
    return pair


def _placed(env: "Environment", config: "PairConfig", quiet: bool) -> "PairConfig":
    """The same with all decided that it leaves open, and what is odd about that told."""
    from ..memory.fitting import fitted

    found = fitted(env, config)
    if not quiet:
        from ..memory.notes import fit_notes
        from ..memory.shapes import stored_shape
        from ..memory.unheeded import unheeded

        asked = config.unfitted
        for sentence in unheeded(asked, found.devices, lambda: stored_shape(env, config.target)):
            warn_once(env, sentence)
        for sentence in fit_notes(env, asked, found.made) if found.made else ():
            warn(env, sentence)
    return found.config


def tell_notices(env: "Environment", pair: "Pair", quiet: bool) -> None:
    """Show what a pair has to say and did not say before."""
    for notice in pair.take_notices():
        if not quiet:
            warn(env, notice)
