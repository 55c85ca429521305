"""A remote file, read in places: enough to see what a model is before it is fetched."""

from dataclasses import dataclass

from .access import explain
from .client import Hub
from .files import RemoteFile
from .patience import patiently
from .ranges import open_range


@dataclass(frozen=True, slots=True)
class HubBytes:
    """The bytes of `file`, each read a request to `hub`."""

    hub: Hub
    file: RemoteFile

    def read(self, offset: int, size: int) -> bytes:
        """`size` bytes from `offset` on, fewer only where the file ends. Raises `AccessError` and `FetchError`."""
        from httpx2 import HTTPError

        stop = min(offset + size, self.file.size)
        if offset >= stop:
            return b""
        try:
            return patiently(self.hub.patience, lambda: self._read(offset, stop))
        except HTTPError as error:
            raise explain(error, self.hub, self.file.repo, self.file.path) from error

    def _read(self, start: int, stop: int) -> bytes:
        from httpx2 import RemoteProtocolError

        found = bytearray()
        with open_range(self.hub, self.file, start, stop) as reply:
            wanted = stop - reply.offset
            for block in reply.blocks:
                found += block
                if len(found) >= wanted:
                    return bytes(found[start - reply.offset : wanted])
        raise RemoteProtocolError("the connection ended early")
