"""Models that are not on this machine yet: compared by their headers, then fetched, with progress on a terminal."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.hub.download import check_room, download
from specchat.profiles.hub.files import RemoteFile
from specchat.profiles.resolve import Located, Whereabouts, locate
from specchat.profiles.seen_model import see_located
from specchat.profiles.settings import Settings
from specchat.speculative.compatibility import check_vocabularies
from specchat.speculative.errors import SpecchatError

from ..display.screen import note, warn
from ..environment import Environment
from ..interruption import raising
from .whereabouts import model_of


@dataclass(frozen=True, slots=True)
class FoundPair:
    """A target and the draft model that was named for it, if one was: where they are, or where they come from."""

    target: Located
    draft: Located | None = None

    @property
    def models(self) -> tuple[Located, ...]:
        """Both, or the one that there is."""
        return (self.target, self.draft) if self.draft else (self.target,)

    @property
    def names(self) -> list[str]:
        """What these models are to each other."""
        return ["target", "draft"] if self.draft else ["target"]

    @property
    def files(self) -> list[RemoteFile]:
        """What has to be fetched."""
        return list(dict.fromkeys(file for model in self.models for file in model.files))


def find_pair(env: Environment, settings: Settings, where: Whereabouts) -> FoundPair:
    """Find the models of `settings`, which name a target, without fetching them; of a profile that drafts, its target.

    Raises what `locate` does.
    """
    return FoundPair(locate_target(env, settings, where), locate_draft(env, settings, where))


def locate_target(env: Environment, settings: Settings, where: Whereabouts) -> Located:
    """The target of `settings`, which name one."""
    assert settings.target is not None
    return locate(model_of(env, settings.target), where)


def locate_draft(env: Environment, settings: Settings, where: Whereabouts) -> Located | None:
    """The draft model of `settings`, if they name one."""
    draft = settings.draft
    return None if draft is None or isinstance(draft, str) else locate(model_of(env, draft), where)


def check_fit(pair: FoundPair, where: Whereabouts) -> None:
    """Compare the headers of a pair, wherever they are. Raises `VocabularyMismatchError`."""
    if pair.draft:
        target, draft = (see_located(model, where) for model in (pair.target, pair.draft))
        check_vocabularies(vocabulary(target.header), vocabulary(draft.header))


def check_before_fetching(pair: FoundPair, where: Whereabouts) -> None:
    """Where something is to be fetched, there is room for all of it, and the draft fits, or what says so is raised."""
    if pair.files:
        check_room(where.hub(), pair.files)  # a header is megabytes, too
        check_fit(pair, where)


def obtain_pair(
    env: Environment,
    settings: Settings,
    where: Whereabouts,
    *,
    draft_required: bool,
    quiet: bool,
    naming: Callable[[Sequence[str]], AbstractContextManager[object]] = nullcontext,
) -> FoundPair:
    """Find and fetch the models of `settings`. A draft that is not required stops nothing: its reason is told.

    Raises what finding and fetching raise, out of what `naming` makes of the models that it is about.
    """
    with naming(["target"]):
        target = locate_target(env, settings, where)
    try:
        with naming(["draft"]):
            draft = locate_draft(env, settings, where)
        pair = FoundPair(target, draft)
        with naming(pair.names):
            check_before_fetching(pair, where)
    except SpecchatError as error:
        if draft_required:
            raise
        pair = FoundPair(target)
        with naming(pair.names):
            check_before_fetching(pair, where)
        if not quiet:
            warn(env, f"N-grams draft alone: {error.message}")
    if not quiet:
        tell_choices(env, pair)
    with naming(pair.names):
        fetch_pair(env, pair, where, quiet=quiet)
    return pair


def tell_choices(env: Environment, pair: FoundPair) -> None:
    """Say what was chosen; of models that are here, to people only."""
    for model in pair.models:
        if model.note and (model.files or env.stderr_is_terminal):
            note(env, model.note)


def fetch_pair(env: Environment, pair: FoundPair, where: Whereabouts, *, quiet: bool) -> None:
    """Fetch what is missing of a pair that was checked. Ctrl-C keeps what has arrived. Raises what `download` does."""
    if not pair.files:
        return
    from .download_bar import DownloadBar  # brings rich

    try:
        with raising(), DownloadBar(env, shown=not quiet) as bar:
            download(where.hub(), pair.files, bar)
    except KeyboardInterrupt:
        if not quiet:
            note(env, "Stopped. What has arrived is kept: the same command goes on from there.")
        raise
