"""`specchat bench`: what drafting gains with this pair on this machine."""

from .bench_options import BenchOptions, BenchOutputOptions
from .environment import Environment
from .options import DraftingOptions, MachineOptions, ModelOptions, PromptOptions


def bench(
    env: Environment,
    models: ModelOptions,
    what: BenchOptions,
    drafting: DraftingOptions,
    machine: MachineOptions,
    output: BenchOutputOptions,
) -> None:
    """Measure what drafting gains on this machine.

    Plain and drafted answers are given side by side, a round of each in turn, on several kinds of text.

    Takes three minutes unless told otherwise; Ctrl-C shows what is known by then. Without --draft, the best model on
    this machine drafts that specchat pair lists, or else the n-grams of the text. What is found out is kept: pair shows
    it, and --draft auto goes by it.
    """
    from contextlib import ExitStack

    from .bench_json import report_json
    from .bench_measure import measure
    from .bench_plot import check_plot, plot
    from .bench_setup import check_measurable, options_of, prepare, rival_config, with_drafter
    from .bench_table import bench_text
    from .bench_verify import check_verifiable, verify
    from .flags import flag_settings
    from .gains import keep_gains
    from .interruption import Stopped
    from .loading import load
    from .precedence import asked
    from .request import check_model, obtain_config
    from .screen import note
    from .show_config import show_config

    options = options_of(models, what, drafting, machine, output.verbose)
    wanted = asked(env, flag_settings(options, env.mirror), models.profile)
    if models.show_config:
        show_config(env, wanted, output.json)
        return
    check_model(env, wanted, PromptOptions(), "bench")
    if what.verify:
        check_verifiable(what, output)
        verify(env, obtain_config(env, options, wanted.without_draft_model, quiet=output.quiet), output)
        return
    check_measurable(wanted.settings, models, what)
    if output.plot is not None:
        check_plot(output.plot)
    config = with_drafter(obtain_config(env, options, wanted, quiet=output.quiet), models)
    with ExitStack() as loaded:
        pair = loaded.enter_context(load(env, config, output.quiet))
        rival = None
        if what.against is not None:
            other = rival_config(env, config, what.against, options, output.quiet)
            rival = loaded.enter_context(load(env, other, output.quiet, pair.session.interrupt))
        twin = loaded.enter_context(pair.twin())
        contest = prepare(env, pair, twin, rival, what)
        pair.measure_costs()
        measured = measure(env, contest, quiet=output.quiet)
    report, subject = measured.report, contest.subject
    keep_gains(env, pair.config, machine, report)
    if output.json:
        env.stdout.write(report_json(report, pair.config, contest) + "\n")
    else:
        env.stdout.write(bench_text(report, subject, env.width))
    env.stdout.flush()
    if output.plot is not None and report.rows:
        plot(report, subject.title, output.plot)
        if not output.quiet:
            note(env, f"drawn into {output.plot}")
    if measured.failure is not None:
        raise measured.failure
    if report.ending == "stopped":
        raise Stopped
