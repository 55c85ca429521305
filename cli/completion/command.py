"""`specchat completion`: the script by which a shell completes."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated

import typer

from specchat.speculative.errors import UsageError

from ..environment import Environment
from ..values import one_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionOptions:
    """For which shell."""

    shell: Annotated[
        str | None,
        typer.Argument(
            parser=one_of("bash", "zsh", "fish"),
            metavar="bash|zsh|fish",
            show_default=False,
            help="The shell; that of the variable SHELL unless it is named.",
            rich_help_panel="Shell",
        ),
    ] = None


def completion(env: Environment, options: CompletionOptions) -> None:
    """Print what lets a shell complete by Tab.

    It completes commands, options, models, profiles, sessions and files once a file of your shell has this line:

    bash, ~/.bashrc: eval "$(specchat completion bash)"

    zsh, ~/.zshrc, below compinit: eval "$(specchat completion zsh)"

    fish, ~/.config/fish/config.fish: specchat completion fish | source
    """
    from .shells import SHELLS

    shell = options.shell or PurePath(env.variables.get("SHELL", "")).name
    if shell not in SHELLS:
        words = f"SHELL is {shell}, for which there is none" if shell else "SHELL names no shell"
        raise UsageError(f"Which shell is to complete? {words}.", f"Name one of: {', '.join(SHELLS)}.")
    env.stdout.write(SHELLS[shell].script)
