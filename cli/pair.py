"""`specchat pair`: which models on this machine can draft for a target, and why others cannot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from specchat.profiles.pairing import WORTH_TRYING, Candidate, candidates
from specchat.profiles.seen import see

from .environment import Environment
from .json_text import written
from .options import MODELS, OUTPUT
from .quantities import file_size
from .screen import note, one_line, tabulated
from .sources import named_source
from .stores import inventory, tell_notices
from .values import filled
from .whereabouts import whereabouts

_HEADER = ("draft", "size", "target is", "weights", "licence", "store")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingOptions:
    """For which target."""

    model: Annotated[
        str,
        typer.Argument(
            parser=filled("a .gguf file, USER/REPO:QUANT or a name that specchat list shows"),
            metavar="MODEL",
            show_default=False,
            help="The target: a GGUF file, USER/REPO[:QUANT] of the hub, or a name that specchat list shows.",
            rich_help_panel=MODELS,
        ),
    ]
    offline: Annotated[bool, typer.Option("--offline", help="Ask nothing of the hub.", rich_help_panel=MODELS)] = False
    json: Annotated[bool, typer.Option("--json", help="One JSON object.", rich_help_panel=OUTPUT)] = False


def pair(env: Environment, options: PairingOptions) -> None:
    """List the models on this machine that can draft for a target.

    Those that fit come first, and of these the smallest, whose guesses cost least; what a pair gains is measured by
    specchat bench. Nothing is loaded: the first megabytes of a file say it all.
    """
    where = whereabouts(env, offline=options.offline)
    target = see(named_source(env, options.model), where)
    found = inventory(env)
    listed = candidates(target.header, target.size, found.models)
    if options.json:
        env.stdout.write(f"{written({'target': target.header.name, 'drafts': [_content(each) for each in listed]})}\n")
        return
    fitting = [each for each in listed if each.fits]
    rows = [_cells(each) for each in fitting]
    details = [[f"but: {warning}" for warning in each.warnings] for each in fitting]
    env.stdout.writelines(f"{line}\n" for line in tabulated(env, _HEADER, rows, details))
    for each in listed:
        if each.reason:
            env.stdout.write(f"{one_line(each.model.name)}: {one_line(each.reason)}\n")
    if not fitting:
        note(env, "No model on this machine fits: n-grams draft alone, and specchat pull fetches a smaller sibling.")
    elif fitting[0].ratio < WORTH_TRYING:
        note(env, f"None is taken unasked, since the target is less than {WORTH_TRYING:.0f} times as large: name one.")
    tell_notices(env, found)


def _cells(candidate: Candidate) -> Sequence[str]:
    facts, model = candidate.facts, candidate.model
    told = (facts.quantisation or "", facts.licence or "not stated")
    return (model.name, file_size(model.size), f"{candidate.ratio:.1f} x as large", *told, model.store)


def _content(candidate: Candidate) -> dict[str, Any]:
    model, facts = candidate.model, candidate.facts
    return {
        "name": model.name,
        "store": model.store,
        "path": str(model.path),
        "size": model.size,
        "ratio": round(candidate.ratio, 2),
        "quantisation": facts.quantisation,
        "licence": facts.licence,
        "fits": candidate.fits,
        "warnings": list(candidate.warnings),
        "reason": candidate.reason or None,
    }
