"""The gap between two passes of the target, round by round: whose time it is.

    python -m benchmarks.gap TARGET [--draft DRAFT] [--device NAME,…] [--tokens 200] [--markdown] > /dev/null

Answers as `run` does, on the screen and into a session, and prints on stderr what was done between the end of one pass
and the beginning of the next. In a pipe nothing draws; for the screen's share run it on a terminal, or under `script`.
What llama.cpp takes for the draft model is no part of our gap; what we take to call llama.cpp is. The bar: at most 5 %
of a pass in the median.
"""

import argparse
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import llama_cpp

from specchat.cli.answering.render import Renderer
from specchat.cli.environment import Environment, process_environment
from specchat.cli.memory.devices import machine_devices
from specchat.cli.models.loading import load_real_pair, verify_real_target
from specchat.cli.options import OutputOptions
from specchat.cli.sessions.lines import Header
from specchat.cli.sessions.log import SessionLog
from specchat.profiles.settings import devices_of_words
from specchat.speculative.draft_length import DraftLength
from specchat.speculative.drafting import Draft, Offers
from specchat.speculative.events import Event, RoundFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message
from specchat.speculative.model import Rows
from specchat.speculative.rounds import Round

PASS, DRAFT_PASS = "the target's pass", "the draft's passes"
CALLING, GUESSING, LEARNING = "calling llama.cpp", "guessing", "learning what pays"
CHOOSING, BACK, TEXT, SCREEN = "choosing tokens", "taking back", "text and statistics", "screen and session"
OURS = (CHOOSING, TEXT, SCREEN, LEARNING, GUESSING, BACK, CALLING)
FUNCTIONS = ("llama_decode", "llama_synchronize", "llama_get_logits", "llama_memory_seq_rm")
PROMPT = "Write a Python class for a priority queue, with push, pop, peek and merge, and then tests for each of them."


@dataclass
class Ledger:
    """Whose each moment is: the innermost of those that are at work."""

    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    at_work: list[str] = field(default_factory=lambda: [TEXT])
    since: float = field(default_factory=perf_counter)

    @contextmanager
    def of(self, who: str) -> Iterator[None]:
        """What happens inside is the time of `who`."""
        self.charge()
        self.at_work.append(who)
        try:
            yield
        finally:
            self.charge()
            self.at_work.pop()

    def charge(self) -> None:
        """Put the time since the last charge down to whoever was at work."""
        now = perf_counter()
        self.spent[self.at_work[-1]] += now - self.since
        self.since = now

    def take(self) -> dict[str, float]:
        """What was spent, by whom, since the last time this was asked."""
        self.charge()
        spent, self.spent = dict(self.spent), defaultdict(float)
        return spent

    def watch(self) -> None:
        """Tell llama.cpp's own time from ours."""
        for name in FUNCTIONS:
            setattr(llama_cpp, name, self._timed(getattr(llama_cpp, name)))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            with self.of(PASS if CALLING in self.at_work else BACK if BACK in self.at_work else DRAFT_PASS):
                return function(*arguments)

        return timed


@dataclass
class WatchedTarget:
    """A target whose passes are told apart."""

    model: LlamaModel
    ledger: Ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        """As the model does."""
        with self.ledger.of(CALLING):
            return self.model.decode(tokens, n_logits)

    def rollback(self, length: int) -> int:
        """As the model does."""
        with self.ledger.of(BACK):
            return self.model.rollback(length)


@dataclass
class WatchedLength:
    """Decides as `inner` does; guesses are made where they are taken."""

    inner: DraftLength
    ledger: Ledger

    def take(self, offers: Offers, most: int) -> Draft:
        """As it does."""
        with self.ledger.of(GUESSING):
            return self.inner.take(offers, most)

    def observe(self, step: Round) -> None:
        """As it does."""
        with self.ledger.of(LEARNING):
            self.inner.observe(step)

    def plain_seconds(self) -> float | None:
        """As it says."""
        return self.inner.plain_seconds()


def answer(pair: Pair, ledger: Ledger, env: Environment, output: OutputOptions, tokens: int) -> list[dict[str, float]]:
    """Answer, and say what each round but the first took, which read the prompt."""
    decoder = pair.session.decoder
    watched = replace(
        decoder,
        target=WatchedTarget(pair.target, ledger),
        draft_length=WatchedLength(decoder.draft_length, ledger),
    )
    session = pair.session.afresh(watched, pair.session.seed)
    rounds: list[dict[str, float]] = []

    def timed(events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, RoundFinished):
                spent = ledger.take()
                chosen = event.round.target_seconds - sum(spent.get(who, 0.0) for who in (PASS, CALLING, BACK))
                rounds.append({**spent, CHOOSING: chosen, TEXT: spent.get(TEXT, 0.0) - chosen})
            with ledger.of(SCREEN):
                yield event

    prompt = pair.chat_tokens([Message("user", PROMPT)])
    with TemporaryDirectory() as folder, SessionLog.create(Path(folder), "gap", Header("", "", "")) as log:
        ledger.take()
        Renderer(env, output, session.n_ctx).show(
            timed(session.generate(prompt, max_tokens=tokens)), lambda piece: log.show(piece.text)
        )
    return rounds[1:]


def report(rounds: Sequence[dict[str, float]]) -> None:
    """The table."""
    passes = statistics.median(step[PASS] for step in rounds)
    gaps = [sum(step.get(who, 0.0) for who in OURS) for step in rounds]
    print(f"{'milliseconds a round':<24}{'median':>9}{'p90':>9}{'% of a pass':>13}", file=sys.stderr)
    for who in (PASS, DRAFT_PASS, *OURS):
        line(who, [step.get(who, 0.0) for step in rounds], passes)
    line("our gap", gaps, passes)
    shares = [gap / step[PASS] for gap, step in zip(gaps, rounds, strict=True)]
    share = statistics.median(shares)
    tenths = statistics.quantiles(shares, n=10)
    print(
        f"{len(rounds)} rounds; our gap is {share:.1%} of the pass before it in the median "
        f"(tenths: {', '.join(f'{tenth:.1%}' for tenth in tenths)})",
        file=sys.stderr,
    )


def line(who: str, seconds: Sequence[float], passes: float) -> None:
    """A row of it."""
    median, ninth = statistics.median(seconds), statistics.quantiles(seconds, n=10)[-1]
    print(f"{who:<24}{median * 1e3:>9.3f}{ninth * 1e3:>9.3f}{median / passes:>13.1%}", file=sys.stderr)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--draft", default="ngram", help="a file, ngram or none")
    parser.add_argument("--draft-length", type=int)
    parser.add_argument("--device", default="")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    devices = devices_of_words(arguments.device.split(",")) if arguments.device else None
    loading = LlamaConfig(devices=devices, threads=arguments.threads)
    config = PairConfig(
        target=arguments.target,
        draft=arguments.draft if arguments.draft in ("ngram", "none") else Path(arguments.draft),
        draft_length=arguments.draft_length,
        target_config=loading,
        draft_config=loading,
        sampling={"temperature": 0.8},
    )
    env = process_environment(load_real_pair, verify_real_target, machine_devices)
    ledger = Ledger()
    with load_pair(config, Interrupt()) as pair:
        ledger.watch()
        report(answer(pair, ledger, env, OutputOptions(markdown=arguments.markdown), arguments.tokens))


if __name__ == "__main__":
    main()
