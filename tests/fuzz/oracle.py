"""What plain decoding says: each answer from a model that was loaded for it alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig

from .case import Case
from .said import Asked, Said
from .setting_up import pair_config, plain


@dataclass(frozen=True, slots=True)
class Expected:
    """The whole answer, `upto` where it was cut behind a token, and `at_once` with what it goes on, made in one go."""

    whole: Said
    upto: Said | None = None
    at_once: Said | None = None


def expected_answers(case: Case, folder: Path, said: Sequence[Said]) -> list[Expected]:
    """What was to be said in place of each."""
    config = plain(pair_config(case, folder, folder))
    return [_expected(config, each) for each in said]


def _expected(config: PairConfig, said: Said) -> Expected:
    asked, upto, at_once = said.asked, None, None
    if said.ending == "cut" and said.tokens:
        upto = _plain_answer(config, replace(asked, max_tokens=len(said.tokens)))
    if asked.index and asked.alike:
        most = None if asked.max_tokens is None else asked.index + asked.max_tokens
        start = asked.prompt[: len(asked.prompt) - asked.index]
        at_once = _plain_answer(config, replace(asked, prompt=start, index=0, max_tokens=most, stop=()))
    return Expected(_plain_answer(config, asked), upto, at_once)


def _plain_answer(config: PairConfig, asked: Asked) -> Said:
    """The target's own answer."""
    with load_pair(replace(config, sampling=asked.sampling), Interrupt()) as pair:
        events = pair.session.generate(
            asked.prompt, max_tokens=asked.max_tokens, stop=asked.stop, index=asked.index, seed=asked.seed
        )
        said = Said(asked=asked)
        for event in events:
            said.hear(event)
        return said
