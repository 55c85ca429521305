"""The pair that answers in a chat, whose place other settings or other models can take."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from specchat.profiles.settings import SAMPLING, Settings
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.draft_length import DraftLength, FixedLength
from specchat.speculative.drafting import Drafter, NoDrafter
from specchat.speculative.errors import ServerError, SpecchatError
from specchat.speculative.llama.pair_config import PairConfig

from ..answering.speaker import Speaker
from ..models.loading import tell_notices
from ..request import with_settings
from .model_names import ModelNames

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


class NamedModels(Protocol):
    """The models that a chat named last, and what loads them."""

    def renamed(self, target: str | None, draft: str | None) -> "NamedModels":
        """The same with another target or another draft. Raises `UsageError` for what is no name."""

    def config(self, taken: Mapping[str, int]) -> tuple[PairConfig, ModelNames]:
        """What to load once as many bytes of devices are free again as are `taken`, and how that was named.

        Raises what finding and fetching raise.
        """

    def load(self, config: PairConfig) -> "Pair":
        """The pair. Raises what loading raises."""


@dataclass(slots=True)
class ChatPair:
    """Who speaks in a chat.

    `models` are those that were named, in the options or since, and `names` how those were that are loaded.
    """

    speaker: Speaker
    models: NamedModels
    names: ModelNames = field(default_factory=ModelNames)
    _changes: Settings = field(default_factory=Settings)
    _seed: int | None = None
    """The seed of the chat, if it was set in it."""
    _drafting: tuple[Drafter, DraftLength] | None = None
    """What drafts, while nothing does."""

    @property
    def drafts(self) -> bool:
        """Whether drafting is on."""
        return self._drafting is None

    def draft(self, on: bool) -> None:
        """Switch drafting on or off; the models stay loaded."""
        session = self.speaker.pair.session
        if on and self._drafting:
            drafter, length = self._drafting
            session.decoder, self._drafting = replace(session.decoder, drafter=drafter, draft_length=length), None
        elif not on and not self._drafting:
            self._drafting = session.decoder.drafter, session.decoder.draft_length
            session.decoder = replace(session.decoder, drafter=NoDrafter(), draft_length=FixedLength(0))

    def toggle_tint(self) -> bool:
        """Colour accepted guesses, or no more; returns which."""
        output = replace(self.speaker.output, tint=not self.speaker.output.tint)
        self.speaker = replace(self.speaker, output=output)
        return output.tint

    def toggle_markdown(self) -> bool:
        """Show Markdown in colours, or no more; returns which."""
        output = replace(self.speaker.output, markdown=not self.speaker.output.markdown)
        self.speaker = replace(self.speaker, output=output)
        return output.markdown

    def change(self, settings: Settings) -> None:
        """Let these settings hold from now on; models are loaded anew where that takes it.

        Raises `UsageError` for what makes no sense, and what loading raises: then all is as it was. A `ServerError`
        comes only where it cannot be.
        """
        said = settings.said()
        config = with_settings(self.speaker.pair.config, settings)
        if any(name not in (*SAMPLING, "stop", "think") for name in said):
            self._reload(config)
        else:
            self._sample(config, settings)
        if settings.stop is not None:
            self.speaker = replace(self.speaker, limits=replace(self.speaker.limits, stop=settings.stop))
        if settings.think is not None:
            self.speaker = replace(self.speaker, folds=settings.think == "hide")
        self._changes = replace(self._changes, **said)

    def set_seed(self, seed: int) -> None:
        """Answer as a new chat with this seed would. Raises `UsageError` for one that is out of range."""
        pair = self.speaker.pair
        pair.config = replace(pair.config, seed=seed)
        pair.session.start_over(seed=seed, same_passes=True)
        self._seed = seed

    def set_form(self, form: Grammar | None) -> None:
        """Let answers have this form, or none; models are loaded anew. Raises as `change` does."""
        self._reload(replace(self.speaker.pair.config, grammar=form))

    def set_limit(self, max_tokens: int | None) -> None:
        """Let answers have at most so many tokens; None is no limit."""
        self.speaker = replace(self.speaker, limits=replace(self.speaker.limits, max_tokens=max_tokens))

    def change_models(self, *, target: str | None = None, draft: str | None = None) -> None:
        """Go on with another target or another draft. Raises what finding and loading raise: then all is as it was."""
        models, before = self.models.renamed(target, draft), self.speaker.pair.config
        config, names = models.config(before.taken)
        config = with_settings(config, self._changes)
        seed = config.seed if self._seed is None else self._seed
        self._reload(replace(config, seed=seed, grammar=before.grammar))
        self.models, self.names = models, names

    def close(self) -> None:
        """Free the models."""
        self.draft(True)
        self.speaker.pair.close()
        tell_notices(self.speaker.env, self.speaker.pair, self.speaker.output.quiet)

    def _sample(self, config: PairConfig, settings: Settings) -> None:
        pair = self.speaker.pair
        pair.config, pair.sampling = config, replace(pair.sampling, **settings.sampling())
        decoder = pair.session.decoder
        pair.session.decoder = replace(decoder, chain=replace(decoder.chain, params=pair.sampling))

    def _reload(self, config: PairConfig) -> None:
        before, speaker, drafts = self.speaker.pair.config, self.speaker, self.drafts
        self.close()
        try:
            self.speaker = replace(speaker, pair=self.models.load(config))
        except SpecchatError as error:
            self.speaker = replace(speaker, pair=self.models.load(before))
            if isinstance(error, ServerError):  # one that holds nothing of this chat
                raise SpecchatError(error.message, error.hint) from error
            raise
        finally:
            self.draft(drafts)
