"""Who drafts for a loaded target."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter

from ..cache import Cache
from ..compatibility import Compatibility, check_vocabularies
from ..draft_states import DraftStates
from ..drafting import Drafter, ModelDrafter, NoDrafter, SeveralDrafters
from ..errors import ModelLoadError, SpecchatError
from ..interrupt import Interrupt
from ..lazy import ForgivingDrafter, LazyDrafter
from ..model_file import check_file, file_identity
from ..ngram import NgramDrafter
from ..state_shelf import StateShelf
from .config import LlamaConfig
from .fit import Fit, fit_key, keep_fit, known_fit
from .identity import loaded_identity
from .model import LlamaModel
from .pair_config import PairConfig
from .progress import Progress, loading_progress
from .rungs import GivesWay
from .stepping import Stepping

_QUICKLY, _SLOWLY = 0.5, 5e8
"""Loading is not expected to take longer than so many seconds, and one more for so many bytes."""

Tell = Callable[[str], None]
"""Told a sentence that the user should read."""


def drafter_for(config: PairConfig, target: LlamaModel, fits: Cache, tell: Tell, on_progress: Progress) -> Drafter:
    """The drafter of a pair.

    Beside a model, n-grams draft too, save where every draft has its length fixed: there it is the model that was
    named. Raises `ModelLoadError` and `VocabularyMismatchError`.
    """
    if config.draft == "none":
        return NoDrafter()
    if config.draft == "ngram":
        return NgramDrafter()
    check_file(config.draft)
    settings = config.draft_settings(target.n_ctx)
    states = _states(config, settings, tell, target.interrupt, on_progress)
    loader = _DraftLoader(config.draft, settings, config.draft_gives_way, target, tell, states)
    drafter = loader.checked(fits, on_progress)
    return SeveralDrafters((NgramDrafter(), drafter)) if config.adapts else drafter


def _states(
    config: PairConfig, settings: LlamaConfig, tell: Tell, interrupt: Interrupt, progress: Progress
) -> DraftStates | None:
    """What the draft read in earlier runs. Under rejection its last bits are part of the text, so there is nothing."""
    if config.states is None or config.verification != "coupled":
        return None
    key = f"{loaded_identity(file_identity(Path(config.draft)), settings)} | {settings.n_ctx} | draft"
    shelf = StateShelf(config.states.of_draft(), key, piece=1, as_new=False, tell=tell)
    return DraftStates(shelf, interrupt.check, progress)


def names(drafter: Drafter, model: str) -> tuple[str, ...]:
    """What `drafter` is made of, for people; `model` names the one that has a model."""
    match drafter:
        case SeveralDrafters(drafters):
            return tuple(name for each in drafters for name in names(each, model))
        case NgramDrafter():
            return ("n-grams",)
        case NoDrafter():
            return ()
        case _:
            return (model,)


def _beyond(name: str, trained: int) -> str:
    return (
        f"{name} was trained on texts of {trained:,} tokens. This one is longer, so it guesses from the latest of it, "
        "and may be right less often."
    )


@dataclass(slots=True)
class Once:
    """Does something the first time that it is called."""

    action: Callable[[], None]
    _done: bool = False

    def __call__(self) -> None:
        """Do it, unless it was done."""
        if not self._done:
            self._done = True
            self.action()


@dataclass(frozen=True, slots=True)
class _DraftLoader:
    """Loads the draft of a target."""

    path: Path
    settings: LlamaConfig
    gives_way: GivesWay
    target: LlamaModel
    tell: Tell
    states: DraftStates | None

    def checked(self, fits: Cache, on_progress: Progress) -> Drafter:
        """A drafter that fits. It is loaded now only if it is not known of these files that they do."""
        key = fit_key(self.target, self.path)
        known = known_fit(fits, key, self.target.vocabulary.n_tokens)
        if known is not None:
            self._warn(known.compatibility)
            seconds = min(known.seconds, _QUICKLY + self.path.stat().st_size / _SLOWLY)
            lazy = self._lazy(lambda: self._load_again(known, fits, key), seconds, known)
            return ForgivingDrafter(lazy, self._give_up)
        started = perf_counter()
        with ExitStack() as opened:
            draft = opened.enter_context(self._load(loading_progress(self.path, on_progress)))
            fit = Fit(
                check_vocabularies(self.target.vocabulary, draft.vocabulary),
                draft.n_ctx_train,
                perf_counter() - started,
            )
            self._warn(fit.compatibility)
            opened.pop_all()
        keep_fit(fits, key, fit)
        drafter = self._drafter(draft, fit)
        lazy = self._lazy(lambda: drafter, 0.0, fit)
        lazy.load_now()
        return ForgivingDrafter(lazy, self._give_up)

    def _lazy(self, load: Callable[[], ModelDrafter], seconds: float, fit: Fit) -> LazyDrafter:
        return LazyDrafter(load, seconds, self._n_ctx(fit), fit.compatibility.limit, self.states)

    def _load_again(self, known: Fit, fits: Cache, key: str) -> ModelDrafter:
        """Load a draft that is known to fit, and keep how long that took: disks are slow only the first time.

        Raises `ModelLoadError`, also where it is not the file any more that is known to fit.
        """
        started = perf_counter()
        with ExitStack() as opened:
            draft = opened.enter_context(self._load())
            if draft.identity not in key:
                raise ModelLoadError(f"{self.path} was changed since the start.", "Start again.")
            opened.pop_all()
        keep_fit(fits, key, replace(known, seconds=perf_counter() - started))
        return self._drafter(draft, known)

    def _load(self, on_progress: Callable[[float], None] | None = None) -> LlamaModel:
        target = self.target
        load = partial(
            LlamaModel.load, self.path, interrupt=target.interrupt, on_progress=on_progress, call=target.caller
        )
        return Stepping(self.path, load, self.tell).down(self.settings, self.gives_way)

    def _drafter(self, draft: LlamaModel, fit: Fit) -> ModelDrafter:
        ids = fit.compatibility
        is_end = self.target.vocabulary.is_end
        if self.states:
            self.states.serve(draft)
        beyond = Once(lambda: self.tell(_beyond(draft.name, fit.n_ctx_train)))
        return ModelDrafter(draft, is_end, self._n_ctx(fit), ids.limit, ids.forbidden, beyond)

    def _n_ctx(self, fit: Fit) -> int:
        return min(self.target.n_ctx, fit.n_ctx_train)

    def _warn(self, fit: Compatibility) -> None:
        for warning in fit.warnings:
            self.tell(warning)

    def _give_up(self, error: SpecchatError) -> None:
        self.tell(f"The draft failed, and drafts nothing any more: {error.message}")
