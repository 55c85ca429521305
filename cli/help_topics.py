"""`specchat help TOPIC`: what belongs to no single option."""

from dataclasses import dataclass
from typing import Annotated

import typer

from specchat.speculative.errors import UsageError

from .environment import Environment
from .exit_codes import TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOptions:
    """What to explain."""

    topic: Annotated[str | None, typer.Argument(metavar="TOPIC", show_default=False, help="exit-codes")] = None


def help_topic(env: Environment, options: HelpOptions) -> None:
    """Explain a topic; without one, list them. Options are explained by `specchat COMMAND --help`."""
    if options.topic is None:
        env.stdout.write("Topics: " + ", ".join(TOPICS) + "\nCommands: specchat --help\n")
    elif options.topic in TOPICS:
        env.stdout.write(TOPICS[options.topic]())
    else:
        raise UsageError(f"There is no topic {options.topic}.", f"The topics are: {', '.join(TOPICS)}.")


def exit_codes_text() -> str:
    """The table of exit codes."""
    rows = [f"{row.code:>3}  {row.meaning}\n" for row in TABLE]
    return "".join(rows) + "Ctrl-C and a closed pipe end specchat by their signals: shells say 130 and 141.\n"


TOPICS = {"exit-codes": exit_codes_text}
