"""A part of a remote file, as bytes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..errors import FetchError
from .client import Hub
from .files import RemoteFile
from .network import no_hub

if TYPE_CHECKING:
    from httpx2 import Response

_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came: `blocks` follow each other from `offset` on, which is 0 where a server knows no ranges."""

    offset: int
    blocks: Iterator[bytes]


@contextmanager
def open_range(hub: Hub, file: RemoteFile, start: int, stop: int) -> Iterator[Reply]:
    """Ask for the bytes from `start` to before `stop`. A connection that dies may end the blocks early.

    What a file with Xet is asked for this way comes over the same addresses and ranges as any other: the hub puts it
    together. Raises `httpx2.HTTPError` for what another attempt may mend, `FetchError` where the
    file is not the one that was listed.
    """
    hub.require_online(f"{file.repo}/{file.path}")
    url = f"{hub.endpoint}/{file.repo}/resolve/{file.revision}/{quote(file.path)}"
    # compressed, the range would be one of other bytes
    headers = {**hub.headers, "Range": f"bytes={start}-{stop - 1}", "Accept-Encoding": "identity"}
    with hub.session().stream("GET", url, headers=headers, timeout=hub.patience.stall) as response:
        response.raise_for_status()
        offset = _offset(response, hub, file)
        if offset not in (0, start):
            raise no_hub(hub)
        yield Reply(offset, response.iter_bytes())


def _offset(response: "Response", hub: Hub, file: RemoteFile) -> int:
    """Where the body starts. Raises `FetchError` where it is of another file."""
    for step in (*response.history, response):
        named = step.headers.get("X-Linked-Etag", "").removeprefix("W/").strip('"')
        _require_same(named in ("", file.etag), file)
        _require_size(step.headers.get("X-Linked-Size", ""), file)
    if response.status_code == 200:
        _require_size(response.headers.get("Content-Length", ""), file)
        return 0
    match = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status_code != 206 or match is None:
        raise no_hub(hub)
    _require_size(match[2], file)
    return int(match[1])


def _require_size(text: str, file: RemoteFile) -> None:
    _require_same(not text.isdecimal() or int(text) == file.size, file, f": it has {text} bytes, and not {file.size}")


def _require_same(same: bool, file: RemoteFile, how: str = "") -> None:
    if not same:
        raise FetchError(
            f"{file.repo}/{file.path} is not the file any more that the hub listed{how}.",
            "Type the command again; if that does not help, its mirror or a proxy on the way is out of date.",
        )
