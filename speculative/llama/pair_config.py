"""What a target and its drafter are made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..constraint.grammar import Grammar
from ..devices import is_remote
from ..errors import UsageError
from ..noise import MAX_SEED
from ..sampling_params import SamplingParams
from ..state_places import StatePlace
from ..verification import VerificationName
from .config import LlamaConfig
from .rungs import GivesWay

DEFAULT_DRAFT_MAX = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConfig:
    """A target, what drafts for it, and how both choose.

    `draft` is a model file, "ngram" for the n-grams of the context, or "none" for plain decoding. `draft_max` is the
    largest number of tokens drafted in a round; how many it is adapts to what pays, or is always `draft_length`. What
    is found out about the models is kept in `cache_folder` between runs. With `exact`, settings are looked for under
    which nothing that is drafted can change a bit of the text. `sampling` holds arguments of `SamplingParams`; what it
    leaves out is as the target's file recommends (`general.sampling.*`), or llama.cpp's default. `chat_template`
    replaces the file's own. Without `draft_required`, a draft that fails stops nothing. Answers begin with reasoning or
    not as `thinks` says, and None leaves that to the template; with `raw`, all that is generated is text. Tokens are
    scored, with so many of the best at their places, as `scores` says; None scores none. With a `grammar`, answers have
    its form. What was read is kept at the place `states` for the next start.

    Where memory does not do, experts and layers on devices, and the context, give way, save for numbers that are given.
    Where something has decided what these settings leave open, `asked` are those of target and draft before that, and
    `taken` the bytes that both are reckoned to take of each device, by its name. If layers or experts of the target
    gave way to the draft, its plain passes take `slowdown` times as long as they would alone. There is to be room for
    so many `contexts` of the target.
    """

    target: Path
    draft: Path | Literal["ngram", "none"] = "none"
    draft_required: bool = True
    target_config: LlamaConfig = field(default_factory=LlamaConfig)
    draft_config: LlamaConfig = field(default_factory=LlamaConfig)
    sampling: Mapping[str, Any] = field(default_factory=dict)
    draft_max: int = DEFAULT_DRAFT_MAX
    draft_length: int | None = None
    cache_folder: Path | None = None
    verification: VerificationName = "coupled"
    exact: bool = False
    seed: int = 0
    chat_template: str | None = None
    thinks: bool | None = None
    raw: bool = False
    scores: int | None = None
    grammar: Grammar | None = None
    states: StatePlace | None = None
    asked: tuple[LlamaConfig, LlamaConfig] | None = None
    taken: Mapping[str, int] = field(default_factory=dict)
    slowdown: float = 1.0
    contexts: int = 1

    @property
    def unfitted(self) -> "PairConfig":
        """The same as it was asked for, with nothing decided."""
        if self.asked is None:
            return self
        target, draft = self.asked
        return replace(self, target_config=target, draft_config=draft, asked=None, taken={}, slowdown=1.0)

    def fitted(
        self, target: LlamaConfig, draft: LlamaConfig, taken: Mapping[str, int], slowdown: float = 1.0
    ) -> "PairConfig":
        """The same with all decided that it leaves open."""
        asked = self.target_config, self.draft_config
        return replace(self, target_config=target, draft_config=draft, asked=asked, taken=taken, slowdown=slowdown)

    @property
    def most_drafted(self) -> int:
        """The largest number of tokens that can be drafted in a round."""
        return self.draft_max if self.draft_length is None else self.draft_length

    @property
    def adapts(self) -> bool:
        """Whether draft lengths adapt to what pays.

        Under rejection the text depends on how much is drafted. For a seed to give one text, time must have no say
        there.
        """
        return self.draft != "none" and self.draft_length is None and self.verification == "coupled"

    @property
    def target_settings(self) -> LlamaConfig:
        """How the target is loaded: with room for the rows that are verified together."""
        return replace(self.target_config, max_rows=self.most_drafted + 1)

    @property
    def target_gives_way(self) -> GivesWay:
        """What of the target may be less, as nobody gave its number: nothing, where that must not round otherwise."""
        asked = self.unfitted.target_config
        numbers = (asked.n_gpu_layers, asked.cpu_moe, asked.n_ctx)
        layers, experts, context = (not self.exact and number is None for number in numbers)
        return GivesWay(layers=layers, experts=experts, context=context)

    @property
    def draft_gives_way(self) -> GivesWay:
        """What of the draft may be less; its context is that of the target."""
        return GivesWay(layers=self.unfitted.draft_config.n_gpu_layers is None, context=False)

    def draft_settings(self, n_ctx: int) -> LlamaConfig:
        """How a draft model is loaded for a target with a context of `n_ctx`."""
        return replace(self.draft_config, n_ctx=n_ctx, max_rows=1)

    def __post_init__(self) -> None:
        remote = [name for name in self.draft_config.devices or () if is_remote(name)]
        if remote and not self.draft_config.rpc:  # no option gives a draft servers of its own
            raise UsageError(
                f"The draft stays on this machine, and {remote[0]} is on another.", "Name one of this one."
            )
        if self.draft_max < 1:
            raise UsageError(f"{self.draft_max} tokens is nothing to draft.", "Use --draft none to decode plain.")
        if self.draft_length is not None and self.draft_length < 0:
            raise UsageError(f"The draft length is {self.draft_length}.", "Give 0 for plain decoding, or a count.")
        if self.most_drafted >= self.target_config.n_batch:
            raise UsageError(
                f"{self.most_drafted} tokens are too many to draft in one round.",
                f"Give a number below {self.target_config.n_batch}; more than 16 seldom pays.",
            )
        if self.exact and self.verification != "coupled":
            raise UsageError(
                f"With --verification {self.verification} the text depends on the draft, so it cannot be exact.",
                "Leave one of --exact and --verification out.",
            )
        if self.exact and (self.draft_length or 0) > DEFAULT_DRAFT_MAX:
            raise UsageError(
                f"With --exact at most {DEFAULT_DRAFT_MAX} tokens can be drafted in a round, not {self.draft_length}.",
                f"Write --draft-length {DEFAULT_DRAFT_MAX}, or leave one of the two out.",
            )
        SamplingParams(**self.sampling)  # what makes no sense is told before anything is loaded
        if not 0 <= self.seed <= MAX_SEED:
            raise UsageError(f"The seed {self.seed} is out of range.", f"Give a number from 0 to {MAX_SEED}.")
