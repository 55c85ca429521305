"""What a chat loads that goes on with other models."""

from dataclasses import dataclass, replace

from specchat.profiles.names import parse_model
from specchat.profiles.settings import Layer, parse_draft
from specchat.speculative.llama.pair_config import PairConfig

from .chat_pair import ChatPair
from .conversation import Conversation
from .dialogue import Dialogue
from .draft_wish import draft_wish
from .environment import Environment
from .flags import SPELLED, PairOptions
from .keeper import Keeper
from .kept_chat import KeptChat
from .loading import load
from .precedence import Asked, asked
from .request import obtain_config
from .resuming import resume
from .screen import warn
from .speaker import Speaker


@dataclass(slots=True)
class OtherModels:
    """The options that a chat was started with, of which all but the models still hold; remembers what was named."""

    env: Environment
    options: PairOptions
    flags: Layer
    profile: str | None
    template: str | None
    quiet: bool

    def config(self, target: str | None, draft: str | None) -> PairConfig:
        """What to load, fetched where it is not here; for another target a draft is found unless it is named.

        Raises what finding and fetching raise.
        """
        mirror, settings = self.env.mirror, self.flags.settings
        if target:
            settings = replace(settings, target=parse_model(target, mirror=mirror), draft="auto")
        if draft:
            settings = replace(settings, draft=parse_draft(draft, mirror=mirror))
        flags = Layer(settings, {**self.flags.origins, **{name: SPELLED[name] for name in ("target", "draft")}})
        profile, template = (None, None) if target else (self.profile, self.template)
        wanted = asked(self.env, flags, profile)
        config = obtain_config(self.env, self.options, wanted, quiet=self.quiet, chat_template=template)
        self.flags, self.profile, self.template = flags, profile, template
        return config

    def dialogue(self, speaker: Speaker, wanted: Asked, kept: KeptChat, *, drops_oldest: bool) -> Dialogue:
        """A chat with the pair that is loaded, which goes on with the session that is `kept`, if that has begun.

        Raises what opening it does.
        """
        settings = wanted.settings
        load_other = lambda config: load(self.env, config, self.quiet)  # noqa: E731
        dialogue = Dialogue(
            ChatPair(speaker, load_other, self.config, settings.target, draft_wish(wanted)),
            Keeper(lambda sentence: warn(self.env, sentence), kept.sessions, kept.name),
            conversation=Conversation(settings.system),
            drops_oldest=drops_oldest,
        )
        if kept.begun and kept.sessions and kept.name:
            resume(dialogue, kept.sessions, kept.name)
        return dialogue
