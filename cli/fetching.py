"""Models that are not on this machine yet: compared by their headers, then fetched, with progress on a terminal."""

from dataclasses import dataclass

from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.hub.download import download
from specchat.profiles.resolve import Located, Whereabouts, locate
from specchat.profiles.seen import seen
from specchat.profiles.settings import Settings
from specchat.speculative.compatibility import check_vocabularies

from .environment import Environment
from .screen import note


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
    def is_here(self) -> bool:
        """Whether nothing has to be fetched."""
        return not any(model.files for model in self.models)


def find_pair(settings: Settings, where: Whereabouts) -> FoundPair:
    """Find the models of `settings`, which name a target, without fetching them. Raises what `locate` does."""
    assert settings.target is not None
    draft = None if settings.draft is None or isinstance(settings.draft, str) else locate(settings.draft, where)
    return FoundPair(locate(settings.target, where), draft)


def fetch_pair(env: Environment, pair: FoundPair, where: Whereabouts, *, quiet: bool) -> None:
    """Fetch what is missing of a pair; before that, its vocabularies are compared.

    Raises `VocabularyMismatchError` where the draft does not fit, and what `download` raises.
    """
    if pair.is_here:
        return
    for model in pair.models:
        if model.files and model.note and not quiet:
            note(env, model.note)
    if pair.draft:
        target, draft = (seen(model, where) for model in (pair.target, pair.draft))
        check_vocabularies(vocabulary(target.header), vocabulary(draft.header))
    from .download_bar import DownloadBar  # brings rich

    files = list(dict.fromkeys(file for model in pair.models for file in model.files))
    with DownloadBar(env, shown=not quiet) as bar:
        download(where.hub(), files, bar)
