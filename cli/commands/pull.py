"""`specchat pull`: fetch a target and its draft, once they are known to fit."""

from dataclasses import dataclass
from typing import Annotated

import typer

from specchat.profiles.hub.download import outstanding
from specchat.profiles.names import parse_model
from specchat.profiles.resolve import Located, Whereabouts
from specchat.profiles.settings import Layer, Settings, parse_draft
from specchat.speculative.model_file import check_file

from ..display.quantities import file_size
from ..display.screen import one_line
from ..environment import Environment
from ..models.fetching import FoundPair, check_before_fetching, check_fit, fetch_pair, find_pair, tell_choices
from ..models.whereabouts import whereabouts
from ..options.models import FittingDraftOption, ModelArgument, OfflineOption
from ..options.panels import OUTPUT


@dataclass(frozen=True, slots=True, kw_only=True)
class PullOptions:
    """What to fetch."""

    model: ModelArgument
    draft: FittingDraftOption = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be fetched, and how much.", rich_help_panel=OUTPUT)
    ] = False
    offline: OfflineOption = False
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress and no notes.", rich_help_panel=OUTPUT)] = (
        False
    )


def pull(env: Environment, options: PullOptions) -> None:
    """Fetch models from the hub, once they are known to fit.

    They go into the hub's own cache, which other tools share. Of a profile, its draft comes along. What was cut off
    goes on where it stopped; nothing counts before its checksum is right. Prints the files.
    """
    from ..precedence import asked

    named = Settings(
        target=parse_model(options.model, mirror=env.mirror),
        draft=None if options.draft is None else parse_draft(options.draft, mirror=env.mirror),
    )
    where = whereabouts(env, offline=options.offline)
    pair = find_pair(env, asked(env, Layer(named, {"target": "MODEL", "draft": "--draft"}), None).settings, where)
    if not pair.files:
        for model in pair.models:
            check_file(model.path)
        check_fit(pair, where)
    if options.dry_run:
        _tell(env, pair, where)
    check_before_fetching(pair, where)
    if options.dry_run:
        return
    if not options.quiet:
        tell_choices(env, pair)
    fetch_pair(env, pair, where, quiet=options.quiet)
    for model in pair.models:
        env.stdout.write(f"{one_line(str(model.path))}\n")


def _tell(env: Environment, pair: FoundPair, where: Whereabouts) -> None:
    for model in pair.models:
        env.stdout.writelines(f"{one_line(line)}\n" for line in _plan(model))
    if not pair.files:
        env.stdout.write("nothing to fetch\n")
        return
    missing = outstanding(where.hub(), pair.files)
    rest = "" if missing == sum(file.size for file in pair.files) else "; the rest is here"
    env.stdout.write(f"{file_size(missing)} to fetch{rest}\n")


def _plan(model: Located) -> list[str]:
    if not model.files:
        return [f"{model.path}: on this machine"]
    *others, last = (f"{file.repo}/{file.path}: {file_size(file.size)}" for file in model.files)
    return [*others, f"{last} ({model.note.rstrip('.')})" if model.note else last]
