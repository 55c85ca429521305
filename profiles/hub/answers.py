"""What an answer means that brings nothing, though nobody was refused anything."""

from typing import TYPE_CHECKING

from ..errors import FetchError
from .network import no_hub
from .patience import asked_pause

if TYPE_CHECKING:
    from httpx2 import Response

    from .client import Hub


def is_elsewhere(response: "Response") -> bool:
    """Whether the hub sent us on to another host, which then answered: that one knows no accounts."""
    return bool(response.history) and response.url.host != response.history[0].url.host


def failed_answer(response: "Response", hub: "Hub", path: str) -> FetchError:
    """Why `response`, of 300 and above, says no; `path` is the file that was asked for, if it was one."""
    status, elsewhere = response.status_code, is_elsewhere(response)
    who = response.url.host if elsewhere else hub.name
    if status == 429:
        return _too_often(response, hub, who)
    if status >= 500 or status == 408:
        return FetchError(f"{who} has trouble of its own: it answers {status}.", "Try again in some minutes.")
    if status == 416:
        return FetchError(f"{path} is shorter at {who} than the hub lists it.", "Try again in some minutes.")
    if elsewhere:
        return FetchError(f"{who}, where the hub keeps its files, refuses {path}: {status}.", "Try again in a minute.")
    return FetchError(f"{who} answers {status} to what any hub is asked.", no_hub(hub).hint)


def _too_often(response: "Response", hub: "Hub", who: str) -> FetchError:
    wait = asked_pause(response)
    again = f"Type the command again in {wait} seconds" if wait else "Try again in some minutes"
    more = "" if hub.token else "; who is logged in may ask more often: hf auth login"
    return FetchError(f"{who} was asked too often and wants a pause.", f"{again}{more}.")
