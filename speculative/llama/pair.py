"""A target and its drafter, loaded and put together."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType

from ..cache import Cache
from ..costs import conceivable_gain
from ..decoder import SpeculativeDecoder
from ..drafting import Drafter, NoDrafter
from ..errors import ServerError, SpecchatError, UsageError
from ..interrupt import Interrupt
from ..lazy import loaded_model_drafter
from ..measuring import DRAFT_LENGTHS, TARGET_LENGTHS
from ..messages import Message
from ..placement import Placement, placement
from ..prompt_cache import PromptCache
from ..sampling import SamplerChain
from ..sampling_params import SamplingParams
from ..session import Session
from ..state_shelf import StateShelf
from .backend import gpus
from .breakers import BreakerTokens
from .calling import Call, call
from .chat import ChatTemplate
from .constraint import constraint_on, forecasts_on
from .drafters import Tell, drafter_for, names
from .exactness import Exactness, exactness_cache, exactness_of
from .identity import loaded_identity
from .known_costs import KnownCosts
from .lengths import lengths_for, step_share
from .model import LlamaModel
from .pair_config import PairConfig
from .placing import used_devices
from .progress import Progress, loading_progress
from .reasoning import reasoning_format, showing_marks
from .recommended import recommended_sampling, recommends_mirostat
from .rpc.shapes import meet_shapes
from .stepping import Stepping

_SHARED_PASS = 128
"""Tokens of a prompt that are read together where what prompts share is to be read once, but in whole passes only."""


@dataclass
class Pair:
    """A session with its target: text and messages to tokens, tokens to events.

    `exactness` is None where nothing drafts, or the text is meant to depend on the draft. `notices` are sentences that
    the user should read once; more may come while it generates.
    """

    config: PairConfig
    target: LlamaModel
    sampling: SamplingParams
    session: Session
    costs: KnownCosts
    exactness: Exactness | None
    notices: list[str]

    @cached_property
    def template(self) -> ChatTemplate:
        """The chat template in use. Raises `ChatTemplateError` when there is none, or it does not parse."""
        vocabulary, name = self.target.vocabulary, self.target.name
        if (given := self.config.chat_template) is not None:
            return ChatTemplate(vocabulary, given, name, title="The given chat template")
        return ChatTemplate(vocabulary, self.target.template, name)

    def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        """The prompt that asks for the next message. Raises `ChatTemplateError`."""
        prompt = self.template.tokens(messages, thinks=self.config.thinks)
        if self.config.thinks is False and prompt == self.template.tokens(messages, thinks=True):
            return [*prompt, *self._marks(self.session.skip(prompt))]
        return prompt

    def answer_tokens(self, prompt: Sequence[int], text: str, reasoning: str = "") -> list[int]:
        """The tokens of an answer to `prompt`, behind `reasoning` if that can follow it; without text, that goes on."""
        around = self.session.around(prompt) if reasoning else None
        if around is None:
            return [*self._marks(self.session.lead(prompt)), *self.inner_tokens(text)]
        opening, closing = around
        end = [*self._marks(closing), *self.inner_tokens(text)] if text else []
        return [*self._marks(opening), *self.inner_tokens(reasoning), *end]

    def _marks(self, text: str) -> list[int]:
        return self.target.vocabulary.tokenize(text, True) if text else []

    def text_tokens(self, text: str, special: bool) -> list[int]:
        """The tokens of raw text, after the BOS that the vocabulary wants; `special` parses control tokens in it."""
        vocabulary = self.target.vocabulary
        tokens = vocabulary.tokenize(text, True) if special else vocabulary.tokenize_plain(text)
        if vocabulary.adds_bos and vocabulary.bos is not None and tokens[:1] != [vocabulary.bos]:
            return [vocabulary.bos, *tokens]
        return tokens

    def inner_tokens(self, text: str) -> list[int]:
        """The tokens of a text that stands in the middle of another."""
        return self.target.vocabulary.tokenize_plain(text)

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

    def spelled(self, token: int) -> tuple[str, bytes]:
        """A token as people read it, and the bytes that it adds to a text: a mark has a name and no bytes."""
        piece = self.target.vocabulary.piece(token)
        return (piece or self.target.vocabulary.shown(token)).decode(errors="replace"), piece

    def measure_costs(self) -> None:
        """Measure what passes cost, for a few seconds, where earlier runs left gaps; empties the caches."""
        self.costs.measure(self.target, [length for length in TARGET_LENGTHS if length <= self.target.max_rows])
        drafter = loaded_model_drafter(self.session.decoder.drafter)
        if drafter and isinstance(drafter.model, LlamaModel):
            self.costs.measure(drafter.model, DRAFT_LENGTHS)

    def conceivable_gain(self, draft_size: int) -> float:
        """How many times as fast as plain decoding a draft of so many bytes could make it at best, by cost."""
        curve = self.costs.of(self.target.identity, self.target.config)
        passes = curve.upto(1 + self.config.most_drafted)
        return conceivable_gain(passes, step_share(draft_size, self.target.size) * float(passes[0]))

    def twin(self) -> LlamaModel:
        """The target with a second cache, to be closed before the pair. Raises `ModelLoadError`."""
        return self.target.twin()

    @property
    def drafted_by(self) -> tuple[str, ...]:
        """What guesses, by name: a model, "n-grams", both or nothing."""
        if self.config.draft_length == 0:
            return ()
        return names(self.session.decoder.drafter, model=Path(self.config.draft).stem)

    @property
    def placement(self) -> Placement | None:
        """Where the target computes; None where this build of llama.cpp does not tell."""
        loaded = self.target.config
        devices = gpus(loaded.devices, loaded.rpc)
        layers = self.target.n_layers
        if devices is None:
            return None
        apart = loaded.layers_apart(layers) if self.target.has_experts else 0
        return placement(layers, loaded.layers_on_devices(layers), devices, apart)

    @property
    def plain_speed(self) -> float | None:
        """Tokens a second without guesses, if passes over one token were measured on this machine."""
        curve = self.costs.of(self.target.identity, self.target.config)
        return 1 / curve.at(1) if 1 in curve.measured else None

    def take_notices(self) -> list[str]:
        """What the user should be told and was not yet."""
        taken = list(self.notices)
        self.notices.clear()
        return taken

    def close(self) -> None:
        """Keep what was learned of costs, and what was read where that is wanted, and free both models.

        May be called again. There may be a new notice then.
        """
        try:
            self.costs.save()
            with suppress(ServerError):  # what is lost can be kept by nobody, and was told
                self.session.keep()
        finally:
            self.session.decoder.drafter.close()
            self.target.close()

    def __enter__(self) -> "Pair":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_biases(sampling: SamplingParams, target: LlamaModel) -> None:
    """Raise `UsageError` for a bias of a token that the target does not have."""
    n_tokens = target.vocabulary.n_tokens
    for token in (token for token, _ in sampling.biases if token >= n_tokens):
        message = f"logit_bias names the token {token}, but {target.name} has none above {n_tokens - 1}."
        raise UsageError(message, "Token ids differ from model to model.")


def _drafted(
    config: PairConfig, target: LlamaModel, fits: Cache, tell: Tell, on_progress: Progress
) -> tuple[PairConfig, Drafter]:
    """The drafter of a pair, and the settings with what drafts: n-grams, where a draft fails that nobody named."""
    try:
        return config, drafter_for(config, target, fits, tell, on_progress)
    except SpecchatError as error:
        if config.draft_required or isinstance(error, UsageError):
            raise
        tell(f"N-grams draft alone: {error.message}")
    config = replace(config, draft="ngram")
    return config, drafter_for(config, target, fits, tell, on_progress)


def _loaded_target(
    config: PairConfig, tell: Tell, interrupt: Interrupt, on_progress: Callable[[float], None], call: Call
) -> LlamaModel:
    load = partial(LlamaModel.load, config.target, interrupt=interrupt, on_progress=on_progress, call=call)
    return Stepping(config.target, load, tell).down(config.target_settings, config.target_gives_way)


def _prompt_cache(
    config: PairConfig, target: LlamaModel, piece: int, tell: Tell, progress: Progress
) -> PromptCache | None:
    """What was read of the target's texts, by all that shapes its state."""
    if config.states is None:
        return None
    loaded = loaded_identity(target.identity, target.config)
    as_new = config.exact or config.states.as_new
    key = f"{loaded} | {target.n_ctx} | {piece}"
    return PromptCache(target, StateShelf(config.states, key, piece, as_new, tell, progress))


def load_pair(
    config: PairConfig, interrupt: Interrupt, on_progress: Progress = lambda doing: None, call: Call = call
) -> Pair:
    """Load the models of a pair and check that they fit; `on_progress` is told how far that is.

    A draft model that is known to fit is loaded when it is wanted; passes and caches go through `call`. Later
    `on_progress` is told how far a large state is that is loaded or kept, and an empty text when that is over. Raises
    `ModelLoadError`, `VocabularyMismatchError`, `NotExactError`, `UsageError`, or `Cancelled` when `interrupt` was
    requested.
    """
    # raises for names of no devices; those of servers nobody knows until they are connected
    if not config.target_config.rpc:
        used_devices(config.draft_config)
    folder = config.cache_folder
    costs = KnownCosts(Cache(folder / "costs" if folder else None))
    notices: list[str] = []
    exactness = exactness_of(config, exactness_cache(config), on_progress, interrupt)
    notices += filter(None, [exactness.notice(config)])
    config = exactness.applied(config)
    with ExitStack() as opened:
        target = opened.enter_context(
            _loaded_target(config, notices.append, interrupt, loading_progress(config.target, on_progress), call)
        )
        sampling = SamplingParams(**{**recommended_sampling(target.metadata), **config.sampling})
        _check_biases(sampling, target)
        if recommends_mirostat(target.metadata):
            notices.append(f"The file of {target.name} recommends Mirostat, under which nothing could be drafted.")
        chain = SamplerChain(sampling, BreakerTokens(target.vocabulary))
        fits = Cache(folder / "fits" if folder else None)
        matcher = constraint_on(target.vocabulary, config.grammar)
        config, drafter = _drafted(config, target, fits, notices.append, on_progress)
        opened.callback(drafter.close)
        length = lengths_for(config, target, costs)
        opened.pop_all()
    reasoning = None if config.raw else reasoning_format(target.vocabulary, config.chat_template or target.template)
    if config.thinks and reasoning is None:
        notices.append(f"{target.name} is not known to reason; it answers at once.")
    in_whole_passes = config.exact or (config.states is not None and config.states.as_new)
    piece = min(target.n_batch, _SHARED_PASS) if in_whole_passes else target.n_batch
    session = Session(
        decoder=SpeculativeDecoder(
            target, drafter, length, chain, target.vocabulary.is_end, config.scores, config.slowdown
        ),
        piece=showing_marks(target.vocabulary, reasoning) if reasoning else target.vocabulary.piece,
        n_ctx=target.n_ctx,
        n_batch=piece,
        seed=config.seed,
        verification=config.verification,
        interrupt=interrupt,
        reasoning=reasoning,
        matcher=matcher,
        forecast=forecasts_on(target.vocabulary, config.grammar),
        prompt_cache=_prompt_cache(config, target, piece, notices.append, on_progress),
    )
    means_the_same = config.verification == "coupled" and not isinstance(drafter, NoDrafter)
    told = exactness if config.exact or means_the_same else None
    pair = Pair(config, target, sampling, session, costs, told, notices)
    if config.adapts and target.config.rpc:
        _measure_way(pair, on_progress)
    return pair


def _measure_way(pair: Pair, on_progress: Progress) -> None:
    """Find out how far away servers are before anything is drafted: no size of a file tells that."""
    with ExitStack() as opened:
        opened.callback(pair.close)
        on_progress(f"measuring the way to {' and '.join(pair.target.config.rpc)}")
        meet_shapes(pair.target)
        pair.measure_costs()
        opened.pop_all()
