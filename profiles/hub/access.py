"""Why the hub does not give what was asked for: each case a sentence of its own, and what to do about it."""

from typing import TYPE_CHECKING

from specchat.speculative.errors import SpecchatError

from ..errors import AccessError, FetchError
from .client import Hub
from .network import no_answer, no_hub

if TYPE_CHECKING:
    from httpx2 import Response

_BAD_TOKEN = ("Invalid credentials", "Invalid username or password", "Invalid user token")
_LOGIN = "hf auth login"


def explain(error: Exception, hub: Hub, repo: str, path: str = "") -> SpecchatError:
    """What `error` means, which came of asking `hub` about `repo`, or about the file `path` in it."""
    from httpx2 import HTTPError, InvalidURL
    from huggingface_hub.errors import HfHubHTTPError

    match error:
        case SpecchatError():
            return error
        case HfHubHTTPError():
            return _refusal(error.response, hub, repo, path)
        case HTTPError() | InvalidURL():
            return no_answer(error, hub)
        case _:
            return no_hub(hub)


def _refusal(response: "Response", hub: Hub, repo: str, path: str) -> SpecchatError:
    """What an answer of 400 and above means."""
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    said = response.headers.get("X-Error-Message", "")
    if response.history and response.url.host != response.history[0].url.host:
        return _cdn_refusal(response, path)
    if hub.token and status == 401 and (not code or said.startswith(_BAD_TOKEN)):
        return AccessError(f"{hub.name} refuses the token from {hub.token.origin}.", _other_token(hub))
    if code == "GatedRepo":
        return _gated(hub, repo)
    if code == "RevisionNotFound":
        return AccessError(f"{repo} has no such revision.", f"See {hub.address}/{repo} for those that there are.")
    if code == "EntryNotFound":
        return AccessError(f"{repo} has no file {path}.", f"See {hub.address}/{repo} for those that there are.")
    if code == "RepoNotFound" or (status == 404 and not path):
        return _missing(hub, repo)
    if status in (401, 403, 451):
        return AccessError(f"{hub.name} does not give {repo} away: {said or status}", _other_token(hub))
    return _trouble(response, hub)


def _gated(hub: Hub, repo: str) -> AccessError:
    page = f"{hub.address}/{repo}"
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
    if hub.token is None:
        return AccessError(
            f"{hub.name} has no repository {repo}, or it is private.",
            f"Check the name at {hub.address}/models. A private one takes a token: {_LOGIN}",
        )
    return AccessError(
        f"{hub.name} has no repository {repo}, or it is private and closed to the token from {hub.token.origin}.",
        f"Check the name at {hub.address}/models. {_other_token(hub)}",
    )


def _other_token(hub: Hub) -> str:
    """How to ask as somebody else."""
    if hub.token is None:
        return f"Log in: {_LOGIN}"
    if hub.token.in_variable:
        return f"For another account set {hub.token.origin} to its token, or unset it and type: {_LOGIN}"
    return f"For another account type: {_LOGIN}"


def _cdn_refusal(response: "Response", path: str) -> FetchError:
    return FetchError(
        f"{response.url.host}, where the hub keeps {path or 'its files'}, answers {response.status_code}.",
        "Try again in a minute.",
    )


def _trouble(response: "Response", hub: Hub) -> FetchError:
    status = response.status_code
    if status == 429:
        wait = response.headers.get("Retry-After", "")
        again = f"Type the command again in {wait} seconds" if wait.isdecimal() else "Try again in some minutes"
        more = "" if hub.token else f"; who is logged in may ask more often: {_LOGIN}"
        return FetchError(f"{hub.name} was asked too often and wants a pause.", f"{again}{more}.")
    if status >= 500 or status == 408:
        return FetchError(f"{hub.name} has trouble of its own: it answers {status}.", "Try again in some minutes.")
    return FetchError(f"{hub.name} answers {status} to a request that a hub understands.", no_hub(hub).hint)
