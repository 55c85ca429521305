"""The commands, as Typer knows them."""

from typing import Annotated

import typer

from .bench import bench
from .complete import complete
from .doctor import doctor
from .gather import gathered
from .help_format import GroupedCommand
from .help_topics import help_topic
from .list import list_models
from .pair import pair
from .profile import profile_commands
from .pull import pull
from .rm import rm
from .run import run
from .session import session_commands
from .show import show
from .verify import verify
from .version import installed_version


def application() -> typer.Typer:
    """The whole command line. Called with arguments, it returns a `Job`, or an exit code after `--help`."""
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_specchat)
    app.command("run", cls=GroupedCommand)(gathered(run))
    app.command("complete", cls=GroupedCommand)(gathered(complete))
    app.command("bench", cls=GroupedCommand)(gathered(bench))
    app.command("pull", cls=GroupedCommand)(gathered(pull))
    app.command("pair", cls=GroupedCommand)(gathered(pair))
    app.command("show", cls=GroupedCommand)(gathered(show))
    app.command("list", cls=GroupedCommand)(gathered(list_models))
    app.command("verify", cls=GroupedCommand)(gathered(verify))
    app.command("rm", cls=GroupedCommand)(gathered(rm))
    app.add_typer(profile_commands(), name="profile")
    app.add_typer(session_commands(), name="session")
    app.command("doctor", cls=GroupedCommand)(gathered(doctor))
    app.command("help", cls=GroupedCommand)(gathered(help_topic))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"specchat {installed_version()}")
        raise typer.Exit


def _specchat(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Chat with a large local model at the speed that a small one can lend it."""
