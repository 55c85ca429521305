"""How `specchat bench` goes: what is asked for, then the models, then the measuring, then what came of it."""

from contextlib import ExitStack
from dataclasses import replace

from specchat.speculative.llama.pair_config import PairConfig

from ..commands.show_config import show_config
from ..display.screen import note
from ..environment import Environment
from ..flags import PairOptions, flag_settings
from ..interruption import Stopped
from ..memory.fitting import fitted
from ..models.gains import keep_gains
from ..models.loading import load
from ..options import PromptOptions
from ..precedence import asked, named_profile
from ..request import check_model, obtain_config
from .as_json import report_json
from .measure import Measured, measure
from .options import BenchOptions, BenchOutputOptions
from .plot import check_plot, plot
from .rounding import check_verifiable, verify
from .setup import Contest, check_measurable, prepare, rival_config, with_drafter
from .table import bench_text


def carry_out(env: Environment, options: PairOptions, what: BenchOptions, output: BenchOutputOptions) -> None:
    """Do what the options ask for. Raises what ended the measuring, once it is told what is known."""
    models, quiet = options.models, output.quiet
    wanted = asked(env, flag_settings(options, env.mirror), named_profile(models.profile))
    if models.show_config:
        show_config(env, wanted, output.json)
        return
    check_model(env, wanted, PromptOptions(), "bench")
    if what.verify:
        check_verifiable(what, output)
        config = obtain_config(env, options, wanted.without_draft_model, quiet=quiet)
        verify(env, fitted(env, config).config, output)
        return
    check_measurable(wanted.settings, models, what)
    if output.plot is not None:
        check_plot(output.plot)
    config = with_drafter(obtain_config(env, options, wanted, quiet=quiet), models)
    config = replace(config, contexts=2)  # the target is measured beside its twin
    measured, contest, config = _measured(env, config, options, what, quiet)
    keep_gains(env, config, options, measured.report)
    _show(env, measured, contest, config, output)
    if measured.failure is not None:
        raise measured.failure
    if measured.report.ending == "stopped":
        raise Stopped


def _measured(
    env: Environment, config: PairConfig, options: PairOptions, what: BenchOptions, quiet: bool
) -> tuple[Measured, Contest, PairConfig]:
    """What was found out and what about, and how the models were loaded in the end."""
    with ExitStack() as loaded:
        pair = loaded.enter_context(load(env, config, quiet))
        rival = None
        if what.against is not None:
            other = rival_config(env, config, what.against, options, quiet)
            rival = loaded.enter_context(load(env, other, quiet, pair.session.interrupt))
        twin = loaded.enter_context(pair.twin())
        contest = prepare(env, pair, twin, rival, what)
        pair.measure_costs()
        return measure(env, contest, quiet), contest, pair.config


def _show(
    env: Environment, measured: Measured, contest: Contest, config: PairConfig, output: BenchOutputOptions
) -> None:
    report, subject = measured.report, contest.subject
    if output.json:
        env.stdout.write(report_json(report, config, contest) + "\n")
    else:
        env.stdout.write(bench_text(report, subject, env.width))
    env.stdout.flush()
    if output.plot is not None and report.rows:
        plot(report, subject.title, output.plot)
        if not output.quiet:
            note(env, f"drawn into {output.plot}")
