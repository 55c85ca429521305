"""Drafts that the hub has for a target, and what headers say of candidates, while a terminal shows that it waits."""

from collections.abc import Iterable
from pathlib import PurePath

from specchat.profiles.pairing.candidates import Candidate
from specchat.profiles.pairing.family import kin_of
from specchat.profiles.pairing.verdict import Verdict, judged
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.seen import SeenModel
from specchat.speculative.compatibility import HasTokenTable
from specchat.speculative.errors import SpecchatError

from .environment import Environment
from .screen import one_line, warn
from .status_line import StatusLine


def drafts_on_hub(env: Environment, target: SeenModel, where: Whereabouts) -> list[Candidate]:
    """What the hub has for the family of the target; nothing where it may not be asked or the family is not known."""
    from specchat.profiles.pairing.hub_candidates import hub_candidates, published_drafts, shipped_drafts

    kin = kin_of(target.facts.name or "") or kin_of(PurePath(target.header.name).stem)
    if kin is None:
        return []
    line = StatusLine(env)
    try:
        hub = where.hub()
        if hub.offline:
            return []
        line.show(f"asking {hub.name} for drafts")
        models = [*shipped_drafts(kin), *published_drafts(hub, kin)]
        found, refused = hub_candidates(models, target.size, where)
    except SpecchatError as error:  # what is on this machine is worth knowing all the same
        found, refused = [], [error.message]
    finally:
        line.clear()
    for reason in refused:
        warn(env, reason)
    return found


def judged_all(env: Environment, target: HasTokenTable, candidates: Iterable[Candidate]) -> list[Verdict]:
    """Compare each with the target, by its header."""
    line = StatusLine(env, delay=0.3)
    verdicts = []
    for candidate in candidates:
        line.show(f"reading what {one_line(candidate.name)} is")
        verdicts.append(judged(target, candidate))
    line.clear()
    return verdicts
