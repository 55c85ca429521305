"""Why the hub does not give what was asked for: each case a sentence of its own, and what to do about it."""

from typing import TYPE_CHECKING

from specchat.speculative.errors import SpecchatError

from ..errors import AccessError
from .answers import failed_answer, is_elsewhere
from .client import Hub
from .network import no_answer, no_hub
from .token import Token

if TYPE_CHECKING:
    from httpx2 import Response

_CLOSED = "Access to this resource is disabled"
_LOGIN = "hf auth login"
_SAID = 200
"""Characters of the hub's own words that are repeated."""


def explain(error: Exception, hub: Hub, repo: str, path: str = "") -> SpecchatError:
    """What `error` means, which came of asking `hub` about `repo`, or about the file `path` in it."""
    from httpx2 import HTTPError, HTTPStatusError, InvalidURL

    match error:
        case SpecchatError():
            return error
        case HTTPStatusError(response=response):
            denied = None if is_elsewhere(response) else _denied(response, hub, repo, path)
            return denied or failed_answer(response, hub, path)
        case HTTPError() | InvalidURL():
            return no_answer(error, hub)
        case _:
            return no_hub(hub)


def _denied(response: "Response", hub: Hub, repo: str, path: str) -> AccessError | None:
    """Who is not let in to what; None where the answer is about neither."""
    said = response.headers.get("X-Error-Message", "")[:_SAID]
    page = f"{hub.address}/{repo}"
    match response.status_code, response.headers.get("X-Error-Code"):
        case _, "GatedRepo":
            return _gated(hub, repo, page)
        case _, "RevisionNotFound":
            return AccessError(f"{repo} has no such revision.", f"See {page} for those that there are.")
        case _, "EntryNotFound":
            return AccessError(f"{repo} has no file {path}.", f"See {page} for those that there are.")
        case (_, "RepoNotFound") | (404, _):
            return _missing(hub, repo)
        case 401, _:  # whoever the hub knows gets a 404 for what is not there
            return refused(hub, hub.token) if hub.token else _missing(hub, repo)
        case 403, _ if said.startswith(_CLOSED):
            return AccessError(f"{hub.name} has closed {repo} for everybody.", f"See {page} for the reason.")
        case (403 | 451) as status, _:
            return AccessError(f"{hub.name} does not give {repo} away: {said or status}", _other_token(hub))
    return None


def refused(hub: Hub, token: Token) -> AccessError:
    """What it means that the hub does not know a token."""
    return AccessError(f"{hub.name} refuses the token from {token.origin}.", _other_token(hub))


def _gated(hub: Hub, repo: str, page: str) -> AccessError:
    if hub.token is None:
        return AccessError(
            f"{repo} is gated: its licence has to be accepted by somebody who is logged in.",
            f"Accept it at {page}, then type: {_LOGIN}",
        )
    return AccessError(
        f"{repo} is gated, and the token from {hub.token.origin} has no access to it.",
        f"Accept the licence at {page} with that account. {_other_token(hub)}",
    )


def _missing(hub: Hub, repo: str) -> AccessError:
    check = f"Check the name at {hub.address}/models."
    if hub.token is None:
        return AccessError(
            f"{hub.name} has no repository {repo}, or it is private.",
            f"{check} A private one takes a token: {_LOGIN}",
        )
    return AccessError(
        f"{hub.name} has no repository {repo}, or it is private and closed to the token from {hub.token.origin}.",
        f"{check} {_other_token(hub)}",
    )


def _other_token(hub: Hub) -> str:
    """How to ask as somebody else."""
    if hub.token is None:
        return f"Log in: {_LOGIN}"
    if hub.token.in_variable:
        return f"For another account set {hub.token.origin} to its token, or unset it and type: {_LOGIN}"
    return f"For another account type: {_LOGIN}"
