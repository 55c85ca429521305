"""The shells that complete."""

from collections.abc import Mapping

from . import bash, fish, zsh
from .offer import Shell

SHELLS: Mapping[str, Shell] = {
    "bash": Shell(bash.SCRIPT, bash.bash_lines),
    "zsh": Shell(zsh.SCRIPT, zsh.zsh_lines),
    "fish": Shell(fish.SCRIPT, fish.fish_lines),
}
