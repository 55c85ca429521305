"""`specchat doctor`: what is installed, what it can do, what is kept where, and what to do about what is wrong."""

from dataclasses import dataclass

from specchat.speculative.errors import SpecchatError

from ..display.json_text import written
from ..display.quantities import counted
from ..environment import Environment
from ..options.models import OfflineOption
from ..options.output import JsonOption


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """How to look."""

    json: JsonOption = False
    offline: OfflineOption = False


def doctor(env: Environment, options: DoctorOptions) -> None:
    """Show what is installed, what it can do, and what needs mending.

    Why a GPU is not used, where models are kept, whether the hub answers. What is marked "mend" comes with the command
    that mends it, and makes the exit code 1.
    """
    from .examination import examine
    from .report import report_content, write_report
    from .rows import wrong_rows

    topics = list(examine(env, offline=options.offline))
    if options.json:
        env.stdout.write(f"{written(report_content(topics))}\n")
    else:
        write_report(env, topics)
    if wrong := wrong_rows(topics):
        names = ", ".join(dict.fromkeys(row.name.strip() for row in wrong))
        needs = "needs" if len(wrong) == 1 else "need"
        raise SpecchatError(f"{counted(len(wrong), 'thing')} {needs} mending: {names}.", "The report says how.")
