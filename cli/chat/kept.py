"""Which session a run goes on with or begins, as its options say."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specchat.profiles.names import parse_model
from specchat.profiles.settings import Layer, parse_draft
from specchat.profiles.sources import LocalFile, ModelSource, spelled
from specchat.speculative.errors import UsageError

from ..environment import Environment
from ..options import ChatOptions
from ..sessions.lines import Header
from ..sessions.log import local_time
from ..sessions.store import Sessions, sessions_of
from .draft_wish import DraftWish

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


@dataclass(frozen=True, slots=True)
class KeptChat:
    """A session by its `name`, which may have `begun` already; without `sessions`, nothing is kept."""

    sessions: Sessions | None = None
    name: str | None = None
    begun: bool = False

    def with_its_model(self, flags: Layer, profile: str | None) -> Layer:
        """The options with the models that the session was held with, if they name none themselves.

        Raises `UsageError` and `SessionError` where the session cannot be read.
        """
        if not (self.sessions and self.name and self.begun) or flags.settings.target or profile:
            return flags
        header, said_at = self.sessions.read(self.name).transcript.header, f"session {self.name}"
        settings, origins = replace(flags.settings, target=parse_model(header.model)), {"target": said_at}
        if header.draft_named is not None and settings.draft is None:
            settings, origins = replace(settings, draft=parse_draft(header.draft_named)), {**origins, "draft": said_at}
        return Layer(settings, {**flags.origins, **origins})

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


def header_of(pair: "Pair", source: ModelSource | None, wish: DraftWish, system: str | None) -> Header:
    """The first line of a session with `pair`, whose target was named as `source` says, and its draft as `wish`."""
    target = pair.config.target.absolute()
    model = str(target) if source is None or isinstance(source, LocalFile) else spelled(source)
    started, drafted_by = local_time().isoformat(timespec="seconds"), " and ".join(pair.drafted_by)
    return Header(started, model, drafted_by, system, _named(wish))


def _named(wish: DraftWish) -> str | None:
    """What is to draft, so that it means the same in another folder; None leaves that to us."""
    choice = parse_draft(wish.choice)
    if isinstance(choice, LocalFile):
        return str(choice.path.absolute())
    return None if choice == "auto" else wish.choice
