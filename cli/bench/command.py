"""`specchat bench`: what drafting gains with this pair on this machine."""

from ..environment import Environment
from ..options import DraftingOptions, MachineOptions, ModelOptions, PlacingOptions
from .options import BenchOptions, BenchOutputOptions


def bench(
    env: Environment,
    models: ModelOptions,
    what: BenchOptions,
    drafting: DraftingOptions,
    placing: PlacingOptions,
    machine: MachineOptions,
    output: BenchOutputOptions,
) -> None:
    """Measure what drafting gains on this machine.

    Plain and drafted answers are given side by side, a round of each in turn, on several kinds of text.

    Takes three minutes unless told otherwise; Ctrl-C shows what is known by then. Without --draft, the best model on
    this machine drafts that specchat pair lists, or else the n-grams of the text. What is found out is kept: pair shows
    it, and --draft auto goes by it.
    """
    from .running import carry_out
    from .setup import options_of

    carry_out(env, options_of(models, what, drafting, placing, machine, output.verbose), what, output)
