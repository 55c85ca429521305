"""What a chat says of its models: where the target computes, and what drafts for it."""

from collections import Counter
from typing import TYPE_CHECKING

from specchat.speculative.placement import Placement

from ..display.screen import one_line
from .draft_wish import DraftWish

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair
    from specchat.speculative.llama.pair_config import PairConfig

    from .dialogue import Dialogue

_NGRAMS = ("n-grams",)


def introduce(chat: "Dialogue") -> None:
    """Tell of the target in a line, and of what drafts in another; on a narrow terminal in more of them."""
    chat.tell_items(target_items(chat.pair))
    chat.tell_items(draft_items_of(chat))


def model_items(pair: "Pair") -> list[str]:
    """The target: its name, where it computes, and how fast it is alone, as far as that is known."""
    speed = [] if pair.plain_speed is None else [f"{pair.plain_speed:.1f} tokens/s plain"]
    return [one_line(pair.target.name), *placement_items(pair.placement), *speed]


def target_items(pair: "Pair") -> list[str]:
    """The same, and its context."""
    return [*model_items(pair), f"context {pair.session.n_ctx:,}"]


def placement_items(found: Placement | None) -> list[str]:
    """Where a model computes, if that is known: on what, and how much of it."""
    if found is None:
        return []
    if not found.devices:
        return ["on the CPU"]
    counted = Counter(map(one_line, found.devices))
    devices = " and ".join(name if count == 1 else f"{count} × {name}" for name, count in counted.items())
    layers = "all" if found.on_devices == found.layers else f"{found.on_devices} of"
    apart = [f"the experts of {found.apart} on the CPU"] if found.apart else []
    return [f"on {devices}", f"{layers} {found.layers} layers there", *apart]


def draft_items_of(chat: "Dialogue") -> list[str]:
    """What drafts in a chat."""
    if not chat.who.drafts:
        return ["nothing drafts", "/draft on switches it on"]
    return draft_items(chat.pair, chat.who.names.draft)


def draft_items(pair: "Pair", wish: DraftWish) -> list[str]:
    """What drafts, and why that."""
    if not pair.drafted_by:
        return ["nothing drafts", *_why_nothing(pair, wish)]
    drafted_by = f"drafted by {' and '.join(map(one_line, pair.drafted_by))}"
    if pair.drafted_by == _NGRAMS:
        return [drafted_by, *_why_ngrams(pair, wish)]
    return [drafted_by, *_draft_place(pair.config), _why_model(wish)]


def _draft_place(config: "PairConfig") -> list[str]:
    """Where the draft model computes, if that is not where the target does."""
    target, draft = config.target_config.devices, config.draft_config
    if not target or draft.devices == target:
        return []
    return [f"on {' and '.join(map(one_line, draft.devices or ()))}" if draft.n_gpu_layers else "on the CPU"]


def _why_model(wish: DraftWish) -> str:
    return f"named by {wish.said_at}" if wish.names_model else "found on this machine"


def _why_ngrams(pair: "Pair", wish: DraftWish) -> list[str]:
    if wish.choice == "ngram":
        return [f"as {wish.said_at} says"]
    if wish.names_model:
        return [f"{one_line(wish.choice)} cannot"]
    return ["no better draft is known here"] if pair.config.adapts else []


def _why_nothing(pair: "Pair", wish: DraftWish) -> list[str]:
    if pair.config.draft == "none":
        return [f"as {wish.said_at} says"]
    if pair.config.draft_length == 0:
        return ["the draft length is 0"]
    return ["the draft cannot"]
