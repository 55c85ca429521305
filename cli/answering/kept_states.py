"""Where what a model has read is kept between two runs, as the options say."""

from pathlib import Path

from specchat.speculative.errors import UsageError
from specchat.speculative.state_places import StatePlace

from ..environment import Environment

AUTO = "auto"
_ASKED_SECONDS = 1.0
"""What is read more quickly is not worth a file, though one is asked for."""
_UNASKED_SECONDS = 5.0
"""From here on a session keeps what was read by itself."""


def states_folder(env: Environment) -> Path | None:
    """The folder of what was read, of all models; None where there is no place for that."""
    return env.cache_folder / "states" if env.cache_folder else None


def state_place(env: Environment, asked: str | None, *, session: bool) -> StatePlace | None:
    """Where to keep it: as `--prompt-cache` has it, and for a `session`, which goes on where it was, in the folder.

    Raises `UsageError` where it cannot be kept there.
    """
    if asked is not None and asked != AUTO:
        return StatePlace(_file(asked), is_folder=False, least_seconds=_ASKED_SECONDS, as_new=not session)
    folder = states_folder(env)
    if asked == AUTO and folder is None:
        raise UsageError("There is no folder for what was read.", "Name a file: --prompt-cache FILE")
    if folder is None or not (asked or session):
        return None
    least = _ASKED_SECONDS if asked else _UNASKED_SECONDS
    return StatePlace(folder, is_folder=True, least_seconds=least, as_new=not session)


def _file(asked: str) -> Path:
    try:
        path = Path(asked).resolve()
        folder_there, taken = path.parent.is_dir(), path.is_dir()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{asked} cannot be looked at: {error}.", "Name another file for --prompt-cache.") from error
    if taken:
        raise UsageError(f"{asked} is a folder.", "Name a file for --prompt-cache, or write auto.")
    if not folder_there:
        raise UsageError(f"There is no folder {path.parent}.", "Make it first, or write --prompt-cache auto.")
    return path
