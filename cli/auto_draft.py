"""What drafts where only the target was named: a model on this machine that fits, or else n-grams."""

from dataclasses import replace

from specchat.profiles.settings import DraftChoice
from specchat.speculative.cache import Cache
from specchat.speculative.errors import SpecchatError
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.model_file import check_file

from .environment import Environment
from .screen import note

_FOLDER = "pairs"


def with_draft(env: Environment, config: PairConfig, draft: DraftChoice | None, quiet: bool) -> PairConfig:
    """The settings with the best draft on this machine, if `draft` leaves that to us; says which it is.

    Where draft lengths do not adapt to what pays, n-grams draft: a model could then be slower than none, and under
    rejection the text would depend on which files lie here.
    """
    if draft not in (None, "auto") or not config.adapts:
        return config
    from specchat.profiles.pairing.automatic import best_stored

    from .stores import inventory

    folder = env.cache_folder
    try:
        check_file(config.target)
        models = inventory(env).models
    except SpecchatError:  # loading says what is wrong with the target; stores that nobody asked for stop nothing
        return config
    found = best_stored(config.target, models, Cache(folder / _FOLDER if folder else None))
    if found is None:
        return config
    if not quiet:
        note(env, f"{found.name} drafts, the smallest model here that fits; --draft ngram drafts without one.")
    return replace(config, draft=found.path, draft_named=False)
