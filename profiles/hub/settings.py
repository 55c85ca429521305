"""What the environment says about the hub, read as huggingface_hub reads it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from specchat.speculative.errors import UsageError

PUBLIC_HUB = "https://huggingface.co"
_YES = {"1", "ON", "YES", "TRUE"}


def endpoint(variables: Mapping[str, str]) -> str:
    """The address of the hub, a mirror's where HF_ENDPOINT names one. Raises `UsageError` for what is no address."""
    text = (variables.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")
    try:
        parts = urlsplit(text)
        if parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0):
            return text
    except ValueError:
        pass
    raise UsageError(f"HF_ENDPOINT is {text}, which is no address of a hub.", f"It looks like {PUBLIC_HUB}.")


def hub_home(variables: Mapping[str, str], home: Callable[[], Path]) -> Path:
    """The folder that the hub's tools share. Raises `UsageError` where there is no home folder and none is named."""
    if named := variables.get("HF_HOME"):
        return _expanded(named, home)
    if caches := variables.get("XDG_CACHE_HOME"):
        return _expanded(caches, home) / "huggingface"
    return _home(home) / ".cache" / "huggingface"


def cache_folder(variables: Mapping[str, str], home: Callable[[], Path]) -> Path:
    """The folder of downloaded repositories."""
    named = variables.get("HF_HUB_CACHE") or variables.get("HUGGINGFACE_HUB_CACHE")
    return _expanded(named, home) if named else hub_home(variables, home) / "hub"


def is_yes(value: str | None) -> bool:
    """Whether a variable of huggingface_hub is switched on."""
    return (value or "").upper() in _YES


def is_offline(variables: Mapping[str, str]) -> bool:
    """Whether the hub may not be asked."""
    return is_yes(variables.get("HF_HUB_OFFLINE")) or is_yes(variables.get("TRANSFORMERS_OFFLINE"))


def proxy_variable(address: str, variables: Mapping[str, str]) -> str:
    """The variable that names a proxy between here and `address`, empty where none does."""
    # brings http, which a name to be completed does not need; typeshed has it on no system
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]

    parts = urlsplit(address)
    exceptions = variables.get("no_proxy") or variables.get("NO_PROXY") or ""
    if exceptions and proxy_bypass_environment(parts.hostname or "", {"no": exceptions}):
        return ""
    names = (f"{parts.scheme}_proxy", f"{parts.scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    return next((name for name in names if variables.get(name)), "")


def _expanded(text: str, home: Callable[[], Path]) -> Path:
    if text == "~" or text.startswith("~/"):
        return _home(home) / text[2:]
    return Path(text)


def _home(home: Callable[[], Path]) -> Path:
    try:
        return home()
    except RuntimeError as error:
        raise UsageError("There is no home folder to keep models in.", "Name a folder in HF_HOME.") from error
