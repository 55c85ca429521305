"""What benchmarks on this machine found out, between `specchat bench`, which keeps it, and who chooses a draft."""

from typing import TYPE_CHECKING

from specchat.speculative.bench.gains import KnownGains, measured_gain
from specchat.speculative.cache import Cache

from ..environment import Environment
from ..options import MachineOptions, PlacingOptions

if TYPE_CHECKING:
    from specchat.speculative.bench.report import Report
    from specchat.speculative.llama.pair_config import PairConfig

    from ..flags import PairOptions

_FOLDER = "gains"


def known_gains(env: Environment) -> KnownGains:
    """What was measured here."""
    folder = env.cache_folder
    return KnownGains(Cache(folder / _FOLDER if folder else None))


def keep_gains(env: Environment, config: "PairConfig", options: "PairOptions", report: "Report") -> None:
    """Keep the gain of what drafted, and of n-grams where they were measured alone beside it.

    Other rules of drafting say nothing about an ordinary run, nor do `options` of the machine that were only tried.
    """
    from specchat.speculative.bench.variants import ADAPTIVE
    from specchat.speculative.drafting import NGRAM

    placing = options.placing
    tried = placing != PlacingOptions(context=placing.context) or options.machine != MachineOptions()
    if tried or config.draft == "none" or config.exact or not config.adapts:
        return
    gains = known_gains(env)
    if gain := measured_gain(report, ADAPTIVE):
        gains.keep(config.target, config.draft, gain)
    if gain := measured_gain(report, NGRAM):
        gains.keep(config.target, "ngram", gain)
