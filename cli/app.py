"""The commands, as Typer knows them."""

from collections.abc import Callable, Collection
from importlib import import_module
from typing import Annotated, Any

import typer

from .gather import gathered
from .help_format import GroupedCommand

_PLACES = {
    "run": "commands.run.run",
    "complete": "commands.complete.complete",
    "bench": "bench.command.bench",
    "pull": "commands.pull.pull",
    "pair": "commands.pair.pair",
    "show": "commands.show.show",
    "list": "commands.list.list_models",
    "verify": "commands.verify.verify",
    "rm": "commands.rm.rm",
    "profile": "commands.profile.profile_commands",
    "session": "commands.session.session_commands",
    "doctor": "doctor.command.doctor",
    "rpc-server": "commands.rpc_server.rpc_server",
    "completion": "completion.command.completion",
    "help": "help_topics.help_topic",
}
"""Where the commands are, in the order of --help."""
GROUPS = ("profile", "session")
COMMANDS = tuple(_PLACES)


def application(names: Collection[str] = COMMANDS) -> typer.Typer:
    """The whole command line, or the commands called `names` alone, for which nothing else is imported.

    Called with arguments, it returns a `Job`, or an exit code after `--help`.
    """
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_specchat)
    for name in names:
        if name in GROUPS:
            app.add_typer(_imported(name)(), name=name)
        else:
            app.command(name, cls=GroupedCommand)(gathered(_imported(name)))
    return app


def _imported(name: str) -> Callable[..., Any]:
    module, _, function = _PLACES[name].rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f".{module}", __package__), function)
    return found


def _version(wanted: bool) -> None:
    if wanted:
        from .version import installed_version

        typer.echo(f"specchat {installed_version()}")
        raise typer.Exit


def _specchat(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Chat with a large local model at the speed that a small one can lend it."""
