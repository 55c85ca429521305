"""What may stand for a value, by what --help calls it there."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..environment import Environment
from .names import model_names, profile_names, removable_models, session_names
from .offer import Offer, Values, Word

Lister = Callable[[Environment], Values]


def offer_of(env: Environment, parameter: Any, path: Sequence[str], begun: str, given: Sequence[str]) -> Offer:
    """What an option or an argument of the command at `path` takes; `given` are values that it has already."""
    metavar = (parameter.metavar or "").strip("[]").removesuffix("…")
    found = [_values(env, part, (parameter.name, " ".join(path), *path[:1])) for part in metavar.split("|")]
    words = tuple(word for each in found for word in each.words if word.text not in given and word.text.isprintable())
    files = next((each for each in found if each.endings is not None), Values())
    if not begun.startswith(files.mark):
        return Offer("", begun, Values(words=words))
    head = files.mark or begun[: begun.rfind(",") + 1 if metavar.endswith(",") else 0]
    return Offer(head, begun.removeprefix(head), Values(words=words, endings=files.endings))


def _values(env: Environment, part: str, places: Sequence[str]) -> Values:
    """What a `part` of a metavar stands for; a word that is no placeholder stands for itself."""
    if part == part.lower():
        return Values(words=(Word(part),) if part else ())
    lister = lister_of(part, places)
    return lister(env) if lister else Values()


def lister_of(part: str, places: Sequence[str]) -> Lister | None:
    """What lists the values of a placeholder that is known, by the parameter, command or group that it belongs to."""
    keys = [*(f"{place} {part}" for place in places), part]
    return next((_LISTERS[key] for key in keys if key in _LISTERS), None)


def _nothing(env: Environment) -> Values:
    return Values()


def _models(env: Environment) -> Values:
    return Values(words=model_names(env), endings=(".gguf",))


def _profiles(env: Environment) -> Values:
    from specchat.profiles.store import ENDINGS

    return Values(words=profile_names(env), endings=ENDINGS)


def _model_file(env: Environment) -> Values:
    return Values(endings=(".gguf",))


def _file(env: Environment) -> Values:
    return Values(endings=())


def _file_behind_at(env: Environment) -> Values:
    return Values(endings=(), mark="@")


def _kinds(env: Environment) -> Values:
    from specchat.speculative.bench.cases import KINDS

    return Values(words=tuple(map(Word, KINDS)))


def _cache_types(env: Environment) -> Values:
    from specchat.speculative.cache_types import CACHE_TYPES

    return Values(words=tuple(map(Word, CACHE_TYPES)))


def _devices(env: Environment) -> Values:
    devices = [device for device in env.devices() if device.kind != "CPU"]
    return Values(words=(*(Word(device.name, device.description) for device in devices), Word("none")))


def _topics(env: Environment) -> Values:
    from ..help_topics import TOPICS

    return Values(words=tuple(map(Word, TOPICS)))


_LISTERS: Mapping[str, Lister] = {
    "MODEL": _models,
    "FILE": _file,
    "@FILE": _file_behind_at,
    "against FILE": _model_file,
    "verify NAME": lambda env: Values(words=model_names(env)),
    "rm NAME": lambda env: Values(words=removable_models(env)),
    "session NAME": lambda env: Values(words=session_names(env)),
    "profile NAME": _profiles,
    "profile new NAME": _nothing,
    "extends NAME": _profiles,
    "profile FILE": _nothing,  # those that a profile's name already stands for
    "extends FILE": _nothing,
    "KIND,": _kinds,
    "NAME,": _devices,
    **dict.fromkeys(("HOST", "HOST:PORT,"), _nothing),
    "TYPE": _cache_types,
    "TOPIC": _topics,
    **dict.fromkeys(("PROMPT", "TEXT", "N", "N,", "T", "T,", "P", "X", "S", "ID±BIAS"), _nothing),
}
"""By the placeholder, where need be behind the parameter, the command or its group that it belongs to."""
