"""`specchat pair`: which models draft for a target, by their headers alone."""

from dataclasses import dataclass
from functools import partial

from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.pairing.candidates import stored_candidates
from specchat.profiles.pairing.judgement import best_first

from ..display.json_text import written
from ..display.screen import note
from ..environment import Environment
from ..models.gains import known_gains
from ..models.hub_drafts import hub_drafts, judged_all
from ..models.stores import inventory, tell_of_stores
from ..models.whereabouts import see_named, whereabouts
from ..options.models import ModelArgument, OfflineOption
from ..options.output import JsonOption
from .pair_output import PairOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftsOptions:
    """For what, and where to look."""

    model: ModelArgument
    offline: OfflineOption = False
    json: JsonOption = False


def pair(env: Environment, options: DraftsOptions) -> None:
    """List what can draft for a model, and why others cannot.

    Those that fit come first, and of these what specchat bench measured to gain most here. What was not measured comes
    by size: a draft step reads all of a draft, so that is what it costs. What it gains is not guessed. Nothing is
    loaded, and only headers are fetched.
    """
    where = whereabouts(env, offline=options.offline)
    target = see_named(env, options.model, where)
    gains, found = known_gains(env), inventory(env)
    stored = stored_candidates(found.models, target.size, partial(gains.of, target.path))
    candidates = [*stored, *hub_drafts(env, target, where)]
    judgements = best_first(judged_all(env, vocabulary(target.header), candidates))
    output = PairOutput(target, judgements, gains.of(target.path, "ngram"))
    if options.json:
        env.stdout.write(f"{written(output.content())}\n")
        return
    env.stdout.writelines(f"{line}\n" for line in output.lines(env.room))
    if not any(judgement.fits for judgement in judgements):
        note(env, f"No model can draft for {target.header.name}; n-grams can, and need no model.")
    tell_of_stores(env, found)
