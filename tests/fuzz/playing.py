"""Plays a case on a real pair, as a chat would use it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.errors import PromptTooLongError, UsageError
from specchat.speculative.events import Event
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.noise import answer_seed
from specchat.speculative.sampling_params import SamplingParams

from ..llama.faults import Faults
from ..tiny import user
from .case import Case, Turn
from .impatience import Countdown, listened
from .said import Asked, Said
from .setting_up import RandomLength, pair_config


def play(case: Case, folder: Path, own: Path) -> tuple[list[Said], Counter[str]]:
    """What was said in the turns of a case, and how often which things happened."""
    faults = Faults(Random(case.number), rarity=case.options.get("faults", 1), on=False)
    table = _Table(case, pair_config(case, folder, own), faults)
    try:
        said = [said for turn in case.turns if turn is not None for said in table.turn(turn)]
    finally:
        table.pair.close()
    table.counts["faults"] = faults.failed
    return said, table.counts


@dataclass
class _Table:
    """A chat: its text so far, and the pair that it is held with."""

    case: Case
    config: PairConfig
    faults: Faults
    interrupt: Countdown = field(default_factory=Countdown)
    counts: Counter[str] = field(default_factory=Counter)
    text: list[int] = field(default_factory=list)
    last: Said | None = None
    abandoned: list[Iterator[Event]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pair = self._load()

    def _load(self) -> Pair:
        pair = load_pair(self.config, self.interrupt, call=self.faults)  # type: ignore[arg-type]
        self.generated = 0
        if "lengths" in self.case.options and self.config.adapts:
            length = RandomLength(Random(self.case.options["lengths"]), self.config.draft_max)
            pair.session.decoder = replace(pair.session.decoder, draft_length=length)
        self.drafting = pair.session.decoder
        return pair

    def turn(self, turn: Turn) -> Iterator[Said]:
        """Do what a turn says."""
        self._change(turn)
        goes_on = turn.kind == "go on" and self._may_go_on()
        prompt = self._prompt(turn, goes_on)
        asked = self._asked(turn, prompt, goes_on)
        try:
            events = self.pair.session.generate(
                prompt,
                max_tokens=turn.max_tokens,
                stop=turn.stop,
                index=asked.index,
                seed=asked.seed if goes_on else None,
            )
        except PromptTooLongError:
            assert len(prompt) >= self.pair.session.n_ctx, "a prompt that fits was refused"
            self.text = prompt[: self.pair.session.n_ctx // 3]
            self.last = None
            self.counts["too long"] += 1
            return
        except UsageError:
            if not goes_on or self.config.grammar is None:
                raise
            self.counts["refused"] += 1  # what was said under other settings may not have the form
            return
        if not goes_on:
            self.generated += 1
        self.last = self._heard(asked, events, turn)
        self.text = [*prompt, *self.last.tokens]
        self._count(self.last)
        yield self.last

    def _change(self, turn: Turn) -> None:
        """Do what comes before the question."""
        session = self.pair.session
        match turn.before:
            case "draft off":
                session.decoder = replace(session.decoder, drafter=NoDrafter(), draft_length=FixedLength(0))
            case "draft on":
                drafting = self.drafting
                session.decoder = replace(session.decoder, drafter=drafting.drafter, draft_length=drafting.draft_length)
            case "restart":
                self.interrupt.clear()
                self.pair.close()
                self.pair = self._load()
            case "start over":
                self.pair.session.start_over(seed=session.seed + 1, same_passes=True)
                self.config, self.generated = replace(self.config, seed=session.seed), 0
        if turn.sampling:
            self.config = replace(self.config, sampling=turn.sampling)
            self._sample(turn.sampling)

    def _sample(self, sampling: Mapping[str, Any]) -> None:
        decoder = self.pair.session.decoder
        chain = replace(decoder.chain, params=SamplingParams(**sampling))
        self.pair.session.decoder = replace(decoder, chain=chain)

    def _may_go_on(self) -> bool:
        if self.last is None or not self.last.tokens:
            return False
        return not self.pair.target.vocabulary.is_end(self.last.tokens[-1])

    def _prompt(self, turn: Turn, goes_on: bool) -> list[int]:
        if goes_on:
            return list(self.text)
        if turn.kind == "again" and self.last is not None:
            return list(self.last.asked.prompt[: len(self.last.asked.prompt) - self.last.asked.index])
        kept = self.text[: max(0, len(self.text) - turn.back)]
        chat = self.pair.chat_tokens(user(turn.message)) if turn.message else []
        return [*kept, *self.text[: turn.quote], *turn.tokens, *chat]

    def _asked(self, turn: Turn, prompt: list[int], goes_on: bool) -> Asked:
        index, seed, alike = 0, answer_seed(self.config.seed, self.generated), True
        if goes_on and self.last is not None:
            before = self.last.asked
            index, seed = before.index + len(self.last.tokens), before.seed
            alike = before.alike and before.sampling == self.config.sampling
        return Asked(
            prompt=tuple(prompt),
            index=index,
            seed=seed,
            max_tokens=turn.max_tokens,
            stop=turn.stop,
            sampling=self.config.sampling,
            alike=alike,
        )

    def _heard(self, asked: Asked, events: Iterator[Event], turn: Turn) -> Said:
        """What comes, while llama.cpp fails now and then if it is to."""
        self.faults.on = "faults" in self.case.options
        said = listened(asked, events, turn, self.interrupt)
        self.faults.on = False
        if turn.ending == "left":
            self.abandoned.append(events)
        return said

    def _count(self, said: Said) -> None:
        self.counts.update({"generations": 1, "tokens": len(said.tokens), **said.told})
        self.counts["tokens recalled"] += said.recalled
        self.counts["of a text beyond 256 tokens"] += len(self.text) > 256
        self.counts[f"ended by {said.reason or 'nobody listening'}"] += 1
