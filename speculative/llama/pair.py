"""A target and its drafter, loaded and put together."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType

from ..compatibility import check_vocabularies
from ..cost_store import CostStore
from ..decoder import SpeculativeDecoder
from ..drafting import Drafter, ModelDrafter, NoDrafter
from ..errors import UsageError
from ..interrupt import Interrupt
from ..messages import Message
from ..ngram import NgramDrafter
from ..sampling import SamplerChain, SamplingParams
from ..session import Session
from .chat import ChatTemplate
from .lengths import KnownCosts, lengths_for
from .model import LlamaModel
from .pair_config import PairConfig
from .recommended import recommended_sampling

Progress = Callable[[float], None]
"""Told the share that is loaded, 0 to 1."""


@dataclass
class Pair:
    """A session with its target: text and messages to tokens, tokens to events.

    `notices` are sentences that the user should read once.
    """

    config: PairConfig
    target: LlamaModel
    sampling: SamplingParams
    session: Session
    costs: KnownCosts
    notices: tuple[str, ...] = ()

    @cached_property
    def template(self) -> ChatTemplate:
        """The chat template in use. Raises `ChatTemplateError` when there is none, or it does not parse."""
        vocabulary, name = self.target.vocabulary, self.target.name
        if (given := self.config.chat_template) is not None:
            return ChatTemplate(vocabulary, given, name, title="The given chat template")
        return ChatTemplate(vocabulary, self.target.metadata("tokenizer.chat_template"), name)

    def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        """The prompt that asks for the next message. Raises `ChatTemplateError`."""
        return self.template.tokens(messages)

    def text_tokens(self, text: str, special: bool) -> list[int]:
        """The tokens of raw text, after the BOS that the vocabulary wants; `special` parses control tokens in it."""
        vocabulary = self.target.vocabulary
        tokens = vocabulary.tokenize(text, True) if special else vocabulary.tokenize_plain(text)
        if vocabulary.adds_bos and vocabulary.bos is not None and tokens[:1] != [vocabulary.bos]:
            return [vocabulary.bos, *tokens]
        return tokens

    def infill_tokens(self, prefix: str, suffix: str) -> list[int]:
        """The prompt that asks for what stands between two texts. Raises `UsageError` where the model cannot."""
        vocabulary = self.target.vocabulary
        before, after, middle = vocabulary.infill
        if before is None or after is None or middle is None:
            raise UsageError(
                f"{self.target.name} has no tokens for filling in the middle.",
                "Leave --suffix out, or take a model trained for it, such as Qwen2.5-Coder.",
            )
        text = [before, *vocabulary.tokenize_plain(prefix), after, *vocabulary.tokenize_plain(suffix), middle]
        return [vocabulary.bos, *text] if vocabulary.adds_bos and vocabulary.bos is not None else text

    def close(self) -> None:
        """Keep what was learned of costs, and free both models; may be called again."""
        try:
            self.costs.save()
        finally:
            self.session.decoder.drafter.close()
            self.target.close()

    def __enter__(self) -> "Pair":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def load_pair(config: PairConfig, interrupt: Interrupt, on_progress: Progress = lambda share: None) -> Pair:
    """Load the models of a pair and check that they fit; `on_progress` is told the share that is loaded.

    Raises `ModelLoadError`, `VocabularyMismatchError`, `UsageError`, or `Cancelled` when `interrupt` was requested.
    """
    with ExitStack() as opened:
        target = opened.enter_context(_load_target(config, interrupt, on_progress))
        sampling = SamplingParams(**{**recommended_sampling(target.metadata), **config.sampling})
        drafter, notices = _load_drafter(config, target, interrupt, on_progress)
        opened.callback(drafter.close)
        on_progress(1.0)  # what is measured now is part of the wait
        costs = KnownCosts(CostStore(config.costs_folder) if config.costs_folder else None)
        length = lengths_for(config, target, drafter, costs)
        opened.pop_all()
    session = Session(
        decoder=SpeculativeDecoder(target, drafter, length, SamplerChain(sampling), target.vocabulary.is_end),
        piece=target.vocabulary.piece,
        n_ctx=target.n_ctx,
        n_batch=target.n_batch,
        seed=config.seed,
        verification=config.verification,
        interrupt=interrupt,
    )
    return Pair(config, target, sampling, session, costs, notices)


def _load_target(config: PairConfig, interrupt: Interrupt, on_progress: Progress) -> LlamaModel:
    settings, share = replace(config.target_config, max_rows=config.most_drafted + 1), _target_share(config)
    return LlamaModel.load(
        config.target, settings, interrupt=interrupt, on_progress=lambda loaded: on_progress(share * loaded)
    )


def _load_drafter(
    config: PairConfig, target: LlamaModel, interrupt: Interrupt, on_progress: Progress
) -> tuple[Drafter, tuple[str, ...]]:
    if config.draft == "none":
        return NoDrafter(), ()
    if not target.can_rollback:
        return NoDrafter(), (_recurrent(target),)
    if config.draft == "ngram":
        return NgramDrafter(), ()
    settings, share = replace(config.draft_config, n_ctx=target.n_ctx, max_rows=1), _target_share(config)
    with ExitStack() as opened:
        draft = opened.enter_context(
            LlamaModel.load(
                config.draft,
                settings,
                interrupt=interrupt,
                on_progress=lambda loaded: on_progress(share + (1 - share) * loaded),
            )
        )
        fit = check_vocabularies(target.vocabulary, draft.vocabulary)
        if not draft.can_rollback:
            return NoDrafter(), (_recurrent(draft),)
        opened.pop_all()
    n_ctx = min(draft.n_ctx, draft.n_ctx_train)
    drafter = ModelDrafter(draft, target.vocabulary.is_end, n_ctx, fit.limit, fit.forbidden)
    return drafter, fit.warnings


def _recurrent(model: LlamaModel) -> str:
    return f"{model.name} cannot take tokens back (it is recurrent), so nothing is drafted."


def _target_share(config: PairConfig) -> float:
    """The target's part of the bytes that both files have; all of them where there are no two files."""
    files = (config.target, config.draft)
    sizes = [file.stat().st_size for file in files if isinstance(file, Path) and file.is_file()]
    total = sum(sizes)
    return sizes[0] / total if len(sizes) == len(files) and total > 0 else 1.0
