"""What a chat loads that goes on with other models."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specchat.profiles.names import parse_model
from specchat.profiles.settings import Layer, Settings, over, parse_draft, without
from specchat.speculative.devices import given_back
from specchat.speculative.llama.pair_config import PairConfig

from ..answering.speaker import Speaker
from ..display.screen import warn
from ..environment import Environment
from ..flags import IN_CHATS, PairOptions
from ..models.loading import load
from ..precedence import Asked, NamedProfile, asked
from ..request import obtain_config
from .conversation import Conversation
from .dialogue import Dialogue
from .keeper import Keeper
from .kept import KeptChat
from .model_names import ModelNames, names_in
from .pair import ChatPair
from .resuming import resume

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


@dataclass(frozen=True, slots=True)
class OtherModels:
    """The options that a chat was started with, but with the models that were named last."""

    env: Environment
    options: PairOptions
    flags: Layer
    profile: NamedProfile | None
    template: str | None
    quiet: bool

    def renamed(self, target: str | None, draft: str | None) -> "OtherModels":
        """The same with these models; another target comes with the draft of its profile, or leaves it to be found.

        Raises `UsageError`.
        """
        mirror = self.env.mirror
        settings = Settings(
            target=parse_model(target, mirror=mirror) if target else None,
            draft=parse_draft(draft, mirror=mirror) if draft else None,
        )
        named = Layer(settings, {name: IN_CHATS[name] for name in settings.said()})
        profile, template = (None, None) if target else (self.profile, self.template)
        return replace(self, flags=over(named, without(self.flags, ("draft",))), profile=profile, template=template)

    def config(self, taken: Mapping[str, int]) -> tuple[PairConfig, ModelNames]:
        """What to load, fetched where it is not here, once as many bytes of devices are free again as are `taken`.

        With it comes how that was named. Raises what finding and fetching raise.
        """
        wanted = asked(self.env, self.flags, self.profile)
        env = replace(self.env, devices=lambda: given_back(self.env.devices(), taken))
        config = obtain_config(env, self.options, wanted, quiet=self.quiet, chat_template=self.template)
        return config, names_in(self.env, wanted)

    def load(self, config: PairConfig) -> "Pair":
        """The pair. Raises what loading raises."""
        return load(self.env, config, self.quiet)

    def dialogue(
        self, speaker: Speaker, wanted: Asked, kept: KeptChat, *, chatting: bool, drops_oldest: bool
    ) -> Dialogue:
        """A chat with the pair that is loaded, which goes on with the session that is `kept`, if that has begun.

        Raises what opening it does.
        """
        dialogue = Dialogue(
            ChatPair(speaker, self, names_in(self.env, wanted)),
            Keeper(lambda sentence: warn(self.env, sentence), kept.sessions, kept.name),
            conversation=Conversation(wanted.settings.system),
            drops_oldest=drops_oldest,
            chatting=chatting,
        )
        if kept.begun and kept.sessions and kept.name:
            resume(dialogue, kept.sessions, kept.name)
        return dialogue
