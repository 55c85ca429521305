"""At a terminal, once for each target: the best draft that the hub has for it, if it can pay on this machine.

Whether it has room there is known from its header, before it is fetched.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from specchat.profiles.errors import FetchError
from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.hub.patience import Patience
from specchat.profiles.names import parse_model
from specchat.profiles.pairing.candidates import Candidate
from specchat.profiles.pairing.hub_candidates import drafts_on_hub
from specchat.profiles.pairing.judgement import Judgement, is_small, judged, rank
from specchat.profiles.resolve import Located, Whereabouts, locate
from specchat.profiles.seen_model import see_located
from specchat.speculative.cache import Cache
from specchat.speculative.compatibility import HasTokenTable
from specchat.speculative.errors import SpecchatError
from specchat.speculative.footprint.shape import ModelShape
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.model_file import file_identity

from ..display.quantities import file_size
from ..display.screen import agrees, note, one_line
from ..display.status_line import StatusLine
from ..environment import Environment
from ..memory.fitting import fitted, would_have_room
from .crowded import left_to_n_grams
from .fetching import FoundPair, check_before_fetching, fetch_pair

_FOLDER = "offers"
_WORTH_A_DOWNLOAD = 1.1
"""Times as fast as plain decoding, by guesses that are all right: with less, no draft is worth its download."""
_IMPATIENT = Patience(stall=5.0, attempts=1)
"""Nobody asked for this: a hub that does not answer is left alone until tomorrow."""
_SETTLED = "settled"
"""What is remembered of a target: this, or the day on which the hub did not answer, or had nothing with room."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The best that the hub has, or else what fits there but has no room here."""

    best: Judgement | None = None
    crowded: Candidate | None = None


def offered_draft(
    env: Environment, config: PairConfig, where: Whereabouts, crowded: Candidate | None = None
) -> Path | None:
    """The draft that the person at the terminal agreed to fetch for a target without one; None if there is none.

    A target is offered a draft once, and again only where the download of one that was taken did not come to its end,
    or, another day, where no draft had room. `crowded` is one on this machine of which that is known.
    """
    folder = env.cache_folder
    alone = not (env.stdin_is_terminal and env.stdout_is_terminal and env.stderr_is_terminal)
    if alone or folder is None:
        return None
    offers, key = Cache(folder / _FOLDER), file_identity(config.target)
    today = env.today().isoformat()
    if offers.load(key) in (_SETTLED, today):
        return None
    try:
        if where.hub().offline:
            return None
        found = _best_on_hub(env, config, where, tells=crowded is None)
    except SpecchatError:  # perhaps tomorrow
        offers.save(key, today)
        return None
    best = found.best
    draft = _fetched(env, config, best, where) if best and _agreed(env, config, best, crowded) else None
    offers.save(key, today if found.crowded else _SETTLED)
    return draft


def _fetched(env: Environment, config: PairConfig, best: Judgement, where: Whereabouts) -> Path:
    """Download it. Raises what fetching raises."""
    draft = locate(parse_model(best.candidate.name), where)
    pair = FoundPair(Located(config.target), draft)
    check_before_fetching(pair, where)
    fetch_pair(env, pair, where, quiet=False)
    return draft.path


def _best_on_hub(env: Environment, config: PairConfig, where: Whereabouts, *, tells: bool) -> _Found:
    """The smallest model of the target's family that fits and has room, if one is small enough.

    If it `tells`, it says why there is none. Raises what the hub raises.
    """
    line = StatusLine(env, delay=0.3)
    hub = replace(where.hub(), patience=_IMPATIENT)
    line.show(f"asking {hub.name} for a draft")
    try:
        target = see_located(Located(config.target), where)
        found = drafts_on_hub(target, replace(where, hub=lambda: hub))
        small = sorted((each for each in found if is_small(each.size, target.size)), key=rank)
        best = _first_that_fits(vocabulary(target.header), small, lambda shape: would_have_room(env, config, shape))
    finally:
        line.clear()
    if tells and found and not small:
        note(env, "N-grams draft: the hub has nothing of this family with at most a third of the target's size.")
    if tells and best.crowded:
        note(env, left_to_n_grams(best.crowded.name))
    return best


def _first_that_fits(
    target: HasTokenTable, candidates: list[Candidate], has_room: Callable[[ModelShape], bool]
) -> _Found:
    """Raises `FetchError` where that is not known of one before it."""
    crowded = None
    for candidate in candidates:
        judgement = judged(target, candidate)
        if not judgement.known:
            raise FetchError(judgement.reason)
        if judgement.fits:
            if judgement.shape is None or has_room(judgement.shape):
                return _Found(judgement)
            crowded = crowded or candidate
    return _Found(crowded=crowded)


def _agreed(env: Environment, config: PairConfig, best: Judgement, crowded: Candidate | None) -> bool:
    candidate = best.candidate
    name, gain = one_line(candidate.name), _conceivable_gain(env, config, candidate.size)
    if gain <= _WORTH_A_DOWNLOAD:
        if crowded is None:  # else what is said of that one tells why n-grams draft
            told = f"no draft model can pay here, where {name} could reach {gain:.2f} × at most."
            note(env, f"N-grams draft alone: {told}")
        return False
    here = f"{one_line(crowded.name)} has no room beside" if crowded else "No model here drafts for"
    note(
        env,
        f"{here} {one_line(config.target.name)}. {name} fits ({file_size(candidate.size)}, licence: "
        f"{best.licence or 'not stated'}); on this machine it could make answers up to {gain:.1f} times as fast.",
    )
    return agrees(env, "Download it?")


def _conceivable_gain(env: Environment, config: PairConfig, size: int) -> float:
    """What passes of the target, measured now unless they were before, let a draft of so many bytes gain at most."""
    line = StatusLine(env)
    try:
        placed = fitted(env, replace(config, draft="ngram", exact=False)).config
        with env.load_pair(placed, Interrupt(), line.show) as pair:
            line.show("measuring what passes cost here")
            pair.measure_costs()
            return pair.conceivable_gain(size)
    finally:
        line.clear()
