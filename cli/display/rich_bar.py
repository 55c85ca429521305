"""A bar of Rich that is drawn when it is told to: no thread writes to a terminal that something else has by then."""

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn

from ..environment import Environment


def rich_bar(env: Environment, *columns: ProgressColumn) -> Progress:
    """A bar on standard error with `columns` behind it, gone at its end."""
    console = Console(
        file=env.stderr,
        force_terminal=True,
        width=env.columns(),
        no_color=not env.colors,
        legacy_windows=False,
    )
    return Progress(
        BarColumn(bar_width=None),
        *columns,
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        expand=True,
    )
