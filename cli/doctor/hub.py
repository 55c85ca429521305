"""Whether the hub can be asked, and as whom: by one request."""

from collections.abc import Callable
from dataclasses import replace
from threading import Thread

from specchat.profiles.hub.account import account
from specchat.profiles.hub.client import Hub
from specchat.profiles.hub.patience import Patience
from specchat.speculative.errors import SpecchatError

from .rows import Row

SECONDS = 5.0
_IMPATIENT = Patience(stall=4.0, attempts=1)


def access_rows(hub: Hub, ask: Callable[[Hub], str] = account, seconds: float = SECONDS) -> list[Row]:
    """Rows for the hub, and for the token where there is one. Takes `seconds` at most."""
    where = f"{hub.address}{', a mirror that HF_ENDPOINT names' if hub.is_mirror else ''}"
    if hub.offline:
        return [_row(f"{where}: not asked", None), *_token(hub, "")]
    outcome = within(seconds, lambda: ask(replace(hub, patience=_IMPATIENT)))
    if isinstance(outcome, str):
        return [_row(f"{where}: answers", True), *_token(hub, outcome)]
    if outcome is None:
        outcome = SpecchatError(
            f"{hub.name} did not answer within {seconds:.0f} seconds.",
            "Check the network. What is on this machine needs none: --offline.",
        )
    return [_row(outcome.message, False, outcome.hint)]


def _row(value: str, reachable: bool | None, advice: str = "") -> Row:
    figures = {"reachable": reachable}
    return Row(name="hub", value=value, advice=advice, wrong=reachable is False, figures=figures)


def _token(hub: Hub, holder: str) -> list[Row]:
    if hub.token is None:
        return [Row(name="token", value="none: public models only", command="hf auth login", figures={"origin": None})]
    said = f", of {holder}" if holder else ", not checked"
    figures = {"origin": hub.token.origin, "account": holder or None}
    return [Row(name="token", value=f"from {hub.token.origin}{said}", figures=figures)]


def within(seconds: float, ask: Callable[[], str]) -> str | SpecchatError | None:
    """What `ask` returns or raises; None where it takes longer: no timeout of a connection counts the search for it."""
    outcome: list[str | SpecchatError] = []

    def run() -> None:
        try:
            outcome.append(ask())
        except SpecchatError as error:
            outcome.append(error)
        except Exception as error:  # noqa: BLE001 - whatever is broken there, the other rows stand
            outcome.append(SpecchatError(f"asking failed: {error!r}.", "Install huggingface-hub again."))

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return outcome[0] if outcome else None
