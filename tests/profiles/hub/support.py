"""A hub object for the stand-in, somebody who watches, and what a message looks like on the screen."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from specchat.cli.exit_codes import exit_code
from specchat.profiles.hub.client import Hub, hub_of
from specchat.profiles.hub.files import RemoteFile
from specchat.profiles.hub.patience import Patience
from specchat.speculative.errors import SpecchatError

DATA = Random(6).randbytes(100_000)


@dataclass
class Watch:
    """Remembers what it was told of a download."""

    total: int = -1
    done: int = 0
    steps: list[int] = field(default_factory=list)

    def started(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    def advanced(self, count: int) -> None:
        self.steps.append(count)
        self.done += count


def no_home() -> Path:
    raise RuntimeError


def hub_at(endpoint: str, cache: Path, token: str = "", **variables: str) -> Hub:
    """A hub that waits for nothing, asked with the token in HF_TOKEN."""
    named = {"HF_ENDPOINT": endpoint, "HF_HOME": str(cache), "HF_TOKEN": token, **variables}
    hub = hub_of(named, no_home)
    return Hub(
        hub.endpoint, hub.token, hub.cache, hub.offline, hub.proxy, Patience(stall=5, sleep=lambda seconds: None)
    )


def file_of(hub: Hub, repo: str = "user/repo", path: str = "model.gguf", revision: str = "main") -> RemoteFile:
    """The file as the hub lists it."""
    return next(file for file in hub.files(repo, revision) if file.path == path)


def told(action: Callable[[], object], *names: tuple[str, str]) -> str:
    """What a person is told when `action` fails, with the exit code; each of `names` is replaced first."""
    with pytest.raises(SpecchatError) as caught:
        action()
    text = f"error: {caught.value.message}\nhint: {caught.value.hint}\nexit code {exit_code(caught.value)}\n"
    for name, shown in names:
        text = text.replace(name, shown)
    return text


def whole_files(cache: Path) -> list[str]:
    """All that has a final name in the cache."""
    paths = [*cache.glob("*/blobs/*"), *cache.glob("*/snapshots/**/*")]
    return sorted(path.name for path in paths if not path.is_dir() and not path.name.endswith(".incomplete"))
