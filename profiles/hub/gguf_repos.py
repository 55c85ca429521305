"""Where the GGUF files are of a model whose own repository has none."""

from ..errors import AccessError, FetchError
from .client import Hub

_MOST = 5


def gguf_repos(hub: Hub, repo: str) -> list[str]:
    """Repositories with GGUF files of the model in `repo`, conversions of just this one first, else the most popular.

    Where the hub does not answer there are none: they are advice.
    """
    name = repo.rpartition("/")[2].lower()
    try:
        found = [each for each in hub.search(name) if name in each.lower() and each != repo]
    except (AccessError, FetchError):
        return []
    return sorted(found, key=lambda each: not each.lower().endswith(f"{name}-gguf"))[:_MOST]
