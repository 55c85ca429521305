"""`specchat pair`: which models draft for a target, by their headers alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.pairing.candidates import Candidate, stored_candidates
from specchat.profiles.pairing.family import kin_of
from specchat.profiles.pairing.verdict import Verdict, best_first, is_small, judged
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.seen import SeenModel
from specchat.speculative.errors import SpecchatError

from .environment import Environment
from .json_text import written
from .quantities import file_size
from .screen import note, one_line, warn
from .shared_options import JsonOption, ModelArgument, OfflineOption
from .status_line import StatusLine
from .stores import inventory, tell_notices
from .table import Entry, table_lines
from .whereabouts import seen, whereabouts

_HEADER = ("fits", "size", "of target", "where", "licence")
_OTHERS = ("does not fit", "size", "of target", "where", "licence")
_THIRD = "--draft auto leaves it alone: it has more than a third of the target's size."


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftsOptions:
    """For what, and where to look."""

    model: ModelArgument
    offline: OfflineOption = False
    json: JsonOption = False


def pair(env: Environment, options: DraftsOptions) -> None:
    """List what can draft for a model, and why others cannot.

    Those that fit come first, and of these the smaller: a draft step reads all of a draft, so its size is what it
    costs. What it gains is not guessed: specchat bench measures it. Nothing is loaded, and only headers are fetched.
    """
    where = whereabouts(env, offline=options.offline)
    target = seen(env, options.model, where)
    table = vocabulary(target.header)
    found = inventory(env)
    candidates = [*stored_candidates(found.models, target.size), *_on_hub(env, target, where)]
    verdicts: list[Verdict] = []
    line = StatusLine(env, delay=0.3)
    for candidate in candidates:
        line.show(f"reading what {one_line(candidate.name)} is")
        verdicts.append(judged(table, candidate))
    line.clear()
    verdicts = best_first(verdicts)
    if options.json:
        env.stdout.write(f"{written(_content(target, verdicts))}\n")
        return
    columns = env.columns() if env.stdout_is_terminal else None
    env.stdout.writelines(f"{line}\n" for line in _lines(target, verdicts, columns))
    if not any(verdict.fits for verdict in verdicts):
        note(env, f"No model can draft for {target.header.name}; n-grams can, and need no model.")
    tell_notices(env, found)


def _on_hub(env: Environment, target: SeenModel, where: Whereabouts) -> list[Candidate]:
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


def _lines(target: SeenModel, verdicts: Sequence[Verdict], columns: int | None) -> list[str]:
    fitting = [Entry(_cells(target, each), _but(target, each)) for each in verdicts if each.fits]
    others = [Entry(_cells(target, each), (each.reason,)) for each in verdicts if not each.fits]
    between = [""] if fitting and others else []
    return [*table_lines(_HEADER, fitting, columns), *between, *table_lines(_OTHERS, others, columns)]


def _cells(target: SeenModel, verdict: Verdict) -> tuple[str, ...]:
    candidate, licence = verdict.candidate, verdict.facts.licence if verdict.facts else None
    share = f"{_ratio(target, verdict):.2f}"
    return (candidate.name, file_size(candidate.size), share, candidate.where, licence or "not stated")


def _but(target: SeenModel, verdict: Verdict) -> tuple[str, ...]:
    return (*verdict.warnings, *([] if is_small(verdict.candidate.size, target.size) else [_THIRD]))


def _ratio(target: SeenModel, verdict: Verdict) -> float:
    return verdict.candidate.size / max(1, target.size)


def _content(target: SeenModel, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "model": {"file": target.header.name, "size": target.size, "fetched": target.fetched},
        "drafts": [_draft_content(target, each) for each in verdicts],
    }


def _draft_content(target: SeenModel, verdict: Verdict) -> dict[str, Any]:
    candidate, facts = verdict.candidate, verdict.facts
    return {
        "name": candidate.name,
        "where": candidate.where,
        "size": candidate.size,
        "ratio": round(_ratio(target, verdict), 4),
        "quantisation": facts and facts.quantisation,
        "licence": facts and facts.licence,
        "fits": verdict.fits,
        "automatic": verdict.fits and is_small(candidate.size, target.size),
        "warnings": list(verdict.warnings),
        "reason": verdict.reason or None,
    }
