"""What can go wrong between a hub and a client."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event


@dataclass
class Fault:
    """Something that happens to requests whose path contains `path`, `times` of them after the first `skip`.

    With a `status` that is the answer. The others change an answer that is fine: `cut_at` closes the connection after
    so many bytes of the body, `stall_at` stops there and sets `stalled`, until the hub closes or `release` is set.
    """

    path: str = "/"
    times: int = 1
    skip: int = 0
    method: str = ""
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    cut_at: int | None = None
    stall_at: int | None = None
    corrupt_at: int | None = None
    """The place in the file of a byte that is served wrong."""
    extra_length: int = 0
    """How much longer the file claims to be."""
    ignore_range: bool = False
    moved_by: int = 0
    """How far beside the range that was asked for the answer lies."""
    unsized: bool = False
    """Whether the body ends with the connection, without a word on its length."""
    extra_body: int = 0
    """Bytes after the end of an unsized body."""
    stalled: Event = field(default_factory=Event)
    release: Event = field(default_factory=Event)

    def strikes(self, method: str, path: str) -> bool:
        """Whether this request is hit; counts it."""
        if self.path not in path or self.times <= 0 or (self.method and self.method != method):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


def gated_error(repository: str) -> dict[str, str]:
    """The headers with which the hub refuses a gated repository."""
    return {"X-Error-Code": "GatedRepo", "X-Error-Message": f"Access to model {repository} is restricted."}


ALWAYS = 10**9
"""For `Fault.times`."""
