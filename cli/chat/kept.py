"""Which session a run goes on with or begins, as its options say."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specchat.profiles.names import parse_model
from specchat.profiles.profile import Profile
from specchat.profiles.settings import AUTO, DraftChoice, Layer, parse_draft
from specchat.profiles.sources import LocalFile, spelled
from specchat.speculative.errors import SpecchatError, UsageError

from ..display.screen import warn
from ..environment import Environment
from ..options import ChatOptions
from ..precedence import NamedProfile, named_profile, profiles_of
from ..sessions.lines import Header
from ..sessions.log import local_time
from ..sessions.store import Sessions, sessions_of
from .model_names import ModelNames

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


@dataclass(frozen=True, slots=True)
class KeptChat:
    """A session by its `name`, which may have `begun` already; without `sessions`, nothing is kept."""

    sessions: Sessions | None = None
    name: str | None = None
    begun: bool = False

    def with_its_models(
        self, env: Environment, flags: Layer, profile: str | None, *, quiet: bool
    ) -> tuple[Layer, NamedProfile | None]:
        """The options with the models and the profile that the session was held with, if they name none themselves.

        Raises `UsageError` and `SessionError` where the session cannot be read.
        """
        if not (self.sessions and self.name and self.begun) or flags.settings.target or profile:
            return flags, named_profile(profile)
        header, said_at = self.sessions.read(self.name).transcript.header, f"session {self.name}"
        in_use = _profile(env, header, quiet)
        if in_use is None or not _names_the_models(in_use, header):
            flags = _with_models(flags, header, said_at)
        return flags, named_profile(header.profile if in_use else None, said_at)

    def if_wanted(self, env: Environment, chatting: bool) -> "KeptChat":
        """The same, or nothing for an answer in a script that names no session."""
        wanted = self.name or chatting or (env.stdout_is_terminal and env.stderr_is_terminal)
        return self if wanted else KeptChat()


def kept_chat(env: Environment, options: ChatOptions) -> KeptChat:
    """What the options say. Raises `UsageError` where they contradict each other, or nothing can be kept."""
    if options.resume and options.session is not None:
        raise UsageError("-C is the latest session, --session one by its name.", "Leave one of the two out.")
    named = options.session is not None or options.resume
    if options.no_save or options.compare:
        if named:
            other = "--no-save" if options.no_save else "--compare"
            raise UsageError(f"With {other} nothing is kept.", "Leave that out, or the session.")
        return KeptChat()
    if env.data_folder is None and not named:
        return KeptChat()
    sessions = sessions_of(env)
    name = sessions.latest() if options.resume else options.session
    return KeptChat(sessions, name, begun=name is not None and name in sessions.names())


def header_of(pair: "Pair", names: ModelNames, system: str | None) -> Header:
    """The first line of a session with `pair`, whose models were named so."""
    model = _anywhere(names.target or LocalFile(pair.config.target))
    started, drafted_by = local_time().isoformat(timespec="seconds"), " and ".join(pair.drafted_by)
    draft = _anywhere(parse_draft(names.draft.choice))
    return Header(started, model, drafted_by, system, None if draft == AUTO else draft, names.profile)


def _anywhere(choice: DraftChoice) -> str:
    """What to type for it, so that it means the same in another folder."""
    match choice:
        case str():
            return choice
        case LocalFile(path):
            return str(path.absolute())
        case _:
            return spelled(choice)


def _profile(env: Environment, header: Header, quiet: bool) -> Profile | None:
    """The profile of a session, if it has one that still makes sense."""
    if header.profile is None:
        return None
    try:
        return profiles_of(env).load(header.profile)
    except SpecchatError as error:
        if not quiet:
            warn(env, f"{error.message} The chat goes on without that profile.")
        return None


def _names_the_models(profile: Profile, header: Header) -> bool:
    """Whether a profile still names the models that a session was held with."""
    target, draft = profile.settings.target, profile.settings.draft or AUTO
    return target is not None and (_anywhere(target), _anywhere(draft)) == (header.model, header.draft_named or AUTO)


def _with_models(flags: Layer, header: Header, said_at: str) -> Layer:
    """The options with the models of a session."""
    draft = flags.settings.draft or parse_draft(header.draft_named or AUTO)
    settings = replace(flags.settings, target=parse_model(header.model), draft=draft)
    return Layer(settings, {"target": said_at, "draft": said_at, **flags.origins})
