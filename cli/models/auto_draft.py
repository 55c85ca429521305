"""What drafts where only the target was named: a model on this machine that fits, or else n-grams."""

from dataclasses import replace
from typing import TYPE_CHECKING

from specchat.profiles.resolve import Whereabouts
from specchat.profiles.settings import DraftChoice
from specchat.speculative.cache import Cache
from specchat.speculative.errors import SpecchatError
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.model_file import check_file

from ..display.screen import note, one_line
from ..environment import Environment
from .crowded import has_no_room, left_to_n_grams

if TYPE_CHECKING:
    from specchat.profiles.pairing.automatic import Automatic

_FOLDER = "pairs"


def with_draft(
    env: Environment, config: PairConfig, draft: DraftChoice | None, where: Whereabouts, quiet: bool
) -> PairConfig:
    """The settings with the best draft on this machine, if `draft` leaves that to us; says which it is.

    Where there is none, or none that has room beside the target, a terminal is offered the best one of the hub.

    Where draft lengths do not adapt to what pays, n-grams draft: a model could then be slower than none, and under
    rejection the text would depend on which files lie here.
    """
    if draft not in (None, "auto") or not config.adapts:
        return config
    from specchat.profiles.pairing.automatic import best_stored

    from ..memory.fitting import has_room
    from .gains import known_gains
    from .offer import offered_draft
    from .stores import inventory

    folder = env.cache_folder
    try:
        check_file(config.target)
        models = inventory(env).models
    except SpecchatError:  # loading says what is wrong with the target; stores that nobody asked for stop nothing
        return config
    found = best_stored(
        config.target,
        models,
        Cache(folder / _FOLDER if folder else None),
        known_gains(env),
        lambda draft: has_room(env, config, draft),
    )
    offered = None
    if not (found.draft or found.useless or quiet):
        offered = offered_draft(env, config, where, found.crowded)
    if not (offered or quiet) and (said := _said(found)):
        note(env, said)
    path = found.draft.path if found.draft else offered
    return replace(config, draft=path, draft_required=False) if path else config


def giving_way(env: Environment, config: PairConfig, quiet: bool) -> PairConfig:
    """The settings without a draft model that has no room beside the target, where nobody here named it; says so."""
    from ..memory.fitting import has_room

    draft = config.draft
    if isinstance(draft, str) or has_room(env, config, draft):
        return config
    if not quiet:
        note(env, left_to_n_grams(draft.name))
    return replace(config, draft="ngram")


def _said(found: "Automatic") -> str:
    if draft := found.draft:
        gain = draft.gain
        room, other = (" and has room", f" {has_no_room(found.crowded.name)}") if found.crowded else ("", "")
        why = (
            f"measured {gain.speedup:.2f} × here" if gain and gain.pays else f"the smallest model here that fits{room}"
        )
        return f"{one_line(draft.name)} drafts, {why}; specchat pair shows others, --draft ngram takes none.{other}"
    if found.crowded:
        return left_to_n_grams(found.crowded.name)
    if (useless := found.useless) and useless.gain:
        return f"N-grams draft: {one_line(useless.name)} was measured to bring no more ({useless.gain.speedup:.2f} ×)."
    return ""
