"""What can be wrong with a session."""

from collections.abc import Sequence

from specchat.profiles.errors import nearest
from specchat.speculative.errors import SpecchatError, UsageError


class SessionError(SpecchatError):
    """A session cannot be read."""


class TakenError(UsageError):
    """Another session has this name."""


def unknown_session(name: str, known: Sequence[str] = ()) -> UsageError:
    """What to say about a name that no session has; one of the `known` ones may have been meant."""
    hint = f"{nearest(name, known)} specchat session list shows all names.".lstrip()
    return UsageError(f"There is no session called {name}.", hint)
