"""Whose token it is: the one request that shows whether a hub answers."""

from .access import explain, refused
from .answers import failed_answer
from .client import Hub
from .network import no_hub

_NOBODY, _NOT_HERE = 401, 404


def account(hub: Hub) -> str:
    """The name of the account that the hub's token belongs to; empty where there is no token, or a mirror has none.

    Raises `AccessError` for a token that is refused, `FetchError` where the hub does not answer, `ModelLoadError` where
    it may not be asked.
    """
    from httpx2 import HTTPError, InvalidURL

    hub.require_online("The name of an account")
    session = hub.session()
    try:
        address = f"{hub.endpoint}/api/whoami-v2"
        response = session.get(address, headers=hub.headers, timeout=hub.patience.stall)
    except (HTTPError, InvalidURL) as error:
        raise explain(error, hub, "") from error
    if response.status_code == _NOBODY and hub.token:
        raise refused(hub, hub.token)
    if response.status_code == _NOBODY or (response.status_code == _NOT_HERE and hub.is_mirror):
        return ""
    if not response.is_success:
        raise failed_answer(response, hub, "")
    try:
        return str(response.json()["name"])
    except (ValueError, LookupError, TypeError) as error:
        raise no_hub(hub) from error
