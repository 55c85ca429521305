"""Models on the hub that may draft for a target, found by its name: whether they fit, only their headers say."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from specchat.speculative.errors import ModelLoadError

from ..errors import AccessError
from ..hub.bytes_source import HubBytes
from ..hub.client import Hub
from ..resolve import Whereabouts, locate
from ..seen_model import SeenModel
from ..sources import HubModel, spelled
from ..store import SHIPPED, Profiles
from .candidates import Candidate
from .family import Kin, kin_of
from .judgement import MOST_SHARE

ON_HUB = "hub"
_MOST_FOUND = 50
_MOST_OF_A_KIND = 3
"""So many siblings and so many trained drafts: each costs a header of some megabytes."""
_TRAINED = "draft"
"""What is in the name of a model that was trained to draft."""


def drafts_on_hub(target: SeenModel, where: Whereabouts) -> list[Candidate]:
    """What the hub has for a target's family that is not on this machine.

    Nothing where the name of the target says no family, or the hub may not be asked. Raises what `Hub.search` does.
    """
    kin = kin_of(target.facts.name or "") or kin_of(PurePath(target.header.name).stem)
    if kin is None or where.hub().offline:
        return []
    return hub_candidates([*shipped_drafts(kin), *published_drafts(where.hub(), kin)], target.size, where)


def shipped_drafts(target: Kin) -> list[HubModel]:
    """What drafts for this family in the profiles that come along."""
    profiles = Profiles((SHIPPED,))
    settings = [profiles.load(name).settings for name in profiles.names()]
    pairs = [(each.target, each.draft) for each in settings]
    return [
        draft
        for big, draft in pairs
        if isinstance(big, HubModel) and isinstance(draft, HubModel) and _is_of(target.family, big.repo)
    ]


def published_drafts(hub: Hub, target: Kin) -> list[HubModel]:
    """Repositories of smaller siblings and of trained drafts, the most downloaded of each size.

    Raises `AccessError`, `FetchError`, and `ModelLoadError` where the hub may not be asked.
    """
    trained = [repo for repo in hub.search(f"{target.family} {_TRAINED}", _MOST_FOUND) if _TRAINED in repo.lower()]
    siblings = [repo for repo in hub.search(target.family, _MOST_FOUND) if _is_of(target.family, repo)]
    small = _one_a_size(repo for repo in siblings if repo not in trained and _is_smaller(repo, target))
    return [HubModel(repo) for repo in (*trained[:_MOST_OF_A_KIND], *small[:_MOST_OF_A_KIND])]


def hub_candidates(models: Sequence[HubModel], below: int, where: Whereabouts) -> list[Candidate]:
    """Those of `models` that are not on this machine, with less than `below` bytes.

    What the hub does not have is left out: nobody asked for it by name. Raises `FetchError`.
    """
    found: list[Candidate] = []
    for model in dict.fromkeys(models):
        try:
            files = locate(model, where).files
        except (AccessError, ModelLoadError):
            continue
        size = sum(file.size for file in files)
        if files and size < below:
            source, name, licence = HubBytes(where.hub(), files[0]), spelled(model), files[0].licence
            found.append(Candidate(name=name, where=ON_HUB, size=size, source=source, licence=licence))
    return found


def _is_of(family: str, repo: str) -> bool:
    kin = kin_of(repo)
    return kin is not None and kin.family == family


def _is_smaller(repo: str, target: Kin) -> bool:
    kin = kin_of(repo)
    return kin is not None and kin.parameters * MOST_SHARE <= target.parameters


def _one_a_size(repos: Iterable[str]) -> list[str]:
    """The first of each size, the smallest size first."""
    by_size: dict[float, str] = {}
    for repo in repos:
        if kin := kin_of(repo):
            by_size.setdefault(kin.parameters, repo)
    return [by_size[size] for size in sorted(by_size)]
