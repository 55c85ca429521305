"""The hub: who asks, where, and where the answers are kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, urlsplit

from specchat.speculative.errors import ModelLoadError

from ..errors import FetchError
from .files import RemoteFile, remote_files
from .patience import Patience, patiently
from .settings import PUBLIC_HUB, cache_folder, endpoint, hub_home, is_offline, proxy_variable
from .token import Token, find_token

if TYPE_CHECKING:
    from httpx2 import Client


@dataclass(frozen=True, slots=True)
class Hub:
    """A hub at `endpoint`, asked as the holder of `token`; `cache` is the folder that huggingface_hub keeps too.

    An `offline` one is never asked. `proxy` is the variable that names a proxy on the way there, if one does.
    """

    endpoint: str
    token: Token | None
    cache: Path
    offline: bool = False
    proxy: str = ""
    patience: Patience = field(default_factory=Patience)

    @property
    def address(self) -> str:
        """The endpoint as it may be shown: without a password."""
        parts = urlsplit(self.endpoint)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def name(self) -> str:
        """What the hub is called in a sentence."""
        return self.address.partition("//")[2]

    @property
    def is_mirror(self) -> bool:
        """Whether it is not the public hub."""
        return self.endpoint != PUBLIC_HUB

    @property
    def headers(self) -> dict[str, str]:
        """What every request says. huggingface_hub's own headers would ask the public hub about them first."""
        return {"User-Agent": "specchat", **({"Authorization": f"Bearer {self.token.value}"} if self.token else {})}

    def files(self, repo: str, revision: str = "main") -> list[RemoteFile]:
        """All files of `repo` at the commit that `revision` (a branch, a tag or a commit) now means.

        Raises `AccessError` and `FetchError`, and `ModelLoadError` where the hub may not be asked.
        """
        from huggingface_hub import ModelInfo

        answer = self._ask(f"models/{quote(repo)}/revision/{quote(revision, safe='')}", {"blobs": "true"}, repo)
        try:
            return remote_files(ModelInfo(**answer), revision)  # type: ignore[no-untyped-call]
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            self._fail(error, repo)

    def search(self, words: str, limit: int = 10) -> list[str]:
        """The names of repositories with GGUF files that have all `words` in them, the most downloaded first."""
        asked = {"search": words, "filter": "gguf", "sort": "downloads", "limit": str(limit)}
        answer = self._ask("models", asked, words)
        try:
            return [str(each["id"]) for each in answer]
        except (LookupError, TypeError) as error:
            self._fail(error, words)

    def session(self) -> "Client":
        """The connections that huggingface_hub keeps. Raises `FetchError` for a proxy that cannot be used."""
        from huggingface_hub import get_session

        try:
            return get_session()
        except (ImportError, ValueError) as error:  # a SOCKS proxy takes another package, other kinds are unknown
            raise FetchError(f"The proxy that {self.proxy or 'the system'} names cannot be used: {error}") from error

    def require_online(self, what: str) -> None:
        """Raise `ModelLoadError` where `what` would have to be asked for and the hub may not be."""
        if self.offline:
            raise ModelLoadError(
                f"{what} is not on this machine, and the hub may not be asked.",
                "Leave out --offline and HF_HUB_OFFLINE once, or name a file.",
            )

    def _ask(self, path: str, asked: Mapping[str, str], repo: str) -> Any:
        """An answer of the API, as it was decoded from JSON."""
        from httpx2 import ConnectError, HTTPError, InvalidURL, ProxyError

        self.require_online(repo)
        session = self.session()

        def answer() -> Any:
            url = f"{self.endpoint}/api/{path}"
            response = session.get(url, params=dict(asked), headers=self.headers, timeout=self.patience.stall)
            response.raise_for_status()
            return response.json()

        try:
            # who cannot be reached at all will not be reached in a minute, either
            return patiently(self.patience, answer, hopeless=(ConnectError, ProxyError))
        except (HTTPError, InvalidURL, ValueError) as error:
            self._fail(error, repo)

    def _fail(self, error: Exception, repo: str) -> NoReturn:
        from .access import explain

        raise explain(error, self, repo) from error


def hub_of(variables: Mapping[str, str], home: Callable[[], Path], *, offline: bool = False) -> Hub:
    """The hub that the environment names. `offline` forbids to ask it, as HF_HUB_OFFLINE does.

    Raises `UsageError` where HF_ENDPOINT is no address, or there is no folder to keep anything in.
    """
    address = endpoint(variables)
    return Hub(
        endpoint=address,
        token=find_token(variables, hub_home(variables, home)),
        cache=cache_folder(variables, home),
        offline=offline or is_offline(variables),
        proxy=proxy_variable(address, variables),
    )
