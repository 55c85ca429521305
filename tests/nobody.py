"""Being somebody who may not read everything: tests may run as root."""

import grp  # noqa: F401 - nobody could import it later
import os
from collections.abc import Iterator
from contextlib import contextmanager

NOBODY = 65534


@contextmanager
def nobody() -> Iterator[None]:
    """As root, be nobody, of no group; anybody else stays."""
    if os.geteuid() != 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
