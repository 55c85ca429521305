"""Drafts that the hub has for a target, and what headers say of candidates, while a terminal shows that it waits."""

from collections.abc import Iterable

from specchat.profiles.pairing.candidates import Candidate
from specchat.profiles.pairing.judgement import Judgement, judged
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.seen_model import SeenModel
from specchat.speculative.compatibility import HasTokenTable
from specchat.speculative.errors import SpecchatError

from ..display.screen import one_line, warn
from ..display.status_line import StatusLine
from ..environment import Environment


def hub_drafts(env: Environment, target: SeenModel, where: Whereabouts) -> list[Candidate]:
    """What the hub has for the family of the target; a hub that cannot be asked is a warning."""
    from specchat.profiles.pairing.hub_candidates import drafts_on_hub

    line = StatusLine(env, delay=0.3)
    line.show("asking the hub for drafts")
    try:
        return drafts_on_hub(target, where)
    except SpecchatError as error:  # what is on this machine is worth knowing all the same
        line.clear()
        warn(env, error.message)
        return []
    finally:
        line.clear()


def judged_all(env: Environment, target: HasTokenTable, candidates: Iterable[Candidate]) -> list[Judgement]:
    """Compare each with the target, by its header."""
    line = StatusLine(env, delay=0.3)
    judgements = []
    for candidate in candidates:
        line.show(f"reading what {one_line(candidate.name)} is")
        judgements.append(judged(target, candidate))
    line.clear()
    return judgements
