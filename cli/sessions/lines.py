"""The lines of a session's file, each an object of JSON. Keys that are not known are left alone."""

import json
from dataclasses import asdict, dataclass
from typing import Any, get_args

from specchat.speculative.messages import Message, Role

from ..display.json_text import written

FORMAT = 1
_ROLES: tuple[Role, ...] = get_args(Role)


class Damaged(Exception):
    """A line is not what this program writes."""


class OtherFormat(Exception):
    """The first line is that of a file that another version writes."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models from here on: the target, what drafted, and what was to, as both were named.

    `draft_named` of None left that to us. What else was set is that of the `profile` in use, which may change: it is
    not kept.
    """

    model: str
    draft: str
    draft_named: str | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: when the chat began (ISO 8601), with which models, as in `Models`, and the system prompt."""

    started: str
    model: str
    draft: str
    system: str | None = None
    draft_named: str | None = None
    profile: str | None = None

    @property
    def models(self) -> Models:
        """What it says of the models."""
        return Models(self.model, self.draft, self.draft_named, self.profile)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message, when it was complete (ISO 8601), and for an answer why it ended and how it was sampled."""

    message: Message
    at: str = ""
    finish_reason: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """The last `count` turns are taken back."""

    count: int


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """The system prompt from here on."""

    text: str | None


Entry = Turn | Drop | SystemPrompt | Models


def header_line(header: Header) -> bytes:
    """The first line of a file."""
    facts = {"started": header.started, **_models_content(header.models), "system": header.system}
    return _line({"format": FORMAT, **facts})


def entry_line(entry: Entry) -> bytes:
    """A further line."""
    match entry:
        case Drop(count):
            return _line({"drop": count})
        case SystemPrompt(text):
            return _line({"system": text})
        case Models():
            return _line(_models_content(entry))
        case Turn():
            return _line(turn_content(entry))


def _models_content(models: Models) -> dict[str, str]:
    return {key: name for key, name in asdict(models).items() if name is not None}


def turn_content(turn: Turn) -> dict[str, Any]:
    """What JSON says of a turn."""
    content: dict[str, Any] = {"role": turn.message.role, "content": turn.message.content, "at": turn.at}
    if turn.message.role == "assistant":
        content |= {"reasoning": turn.message.reasoning} if turn.message.reasoning else {}
        content |= {"finish_reason": turn.finish_reason, "seed": turn.seed}
    return content


def parse_header(line: bytes) -> Header:
    """The header in a line. Raises `Damaged` and `OtherFormat`."""
    content = _content(line)
    if type(content.get("format")) is not int:
        raise Damaged
    if content["format"] != FORMAT:
        raise OtherFormat(content["format"])
    keys = ("started", "model", "draft", "system", "draft_named", "profile")
    started, model, draft, *others = (_text(content.get(key)) for key in keys)
    return Header(started or "", model or "", draft or "", *others)


def parse_entry(line: bytes) -> Entry | None:
    """What a further line says; None if all it says is unknown. Raises `Damaged`."""
    match _content(line):
        case {"role": role, "content": str(text), **facts} if role in _ROLES:
            seed = facts.get("seed")
            at, finish_reason = _text(facts.get("at")) or "", _text(facts.get("finish_reason"))
            reasoning = _text(facts.get("reasoning")) or ""
            return Turn(Message(role, text, reasoning), at, finish_reason, seed if type(seed) is int else None)
        case {"drop": int(count)} if count > 0 and count is not True:
            return Drop(count)
        case {"system": None | str() as system}:
            return SystemPrompt(system)
        case {"model": str(model), "draft": str(draft), **facts}:
            return Models(model, draft, _text(facts.get("draft_named")), _text(facts.get("profile")))
        case {"role": _} | {"drop": _} | {"system": _} | {"model": _}:
            raise Damaged
    return None


def _line(content: dict[str, Any]) -> bytes:
    return written(content).encode() + b"\n"


def _content(line: bytes) -> dict[Any, Any]:
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise Damaged from error
    if not isinstance(content, dict):
        raise Damaged
    return content


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
