"""How to have llama.cpp compiled again here."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..environment import Environment
from .backends import recipe_for, way_for, ways_known
from .gpus import find_graphics
from .graphics import Graphics
from .installer import Installer, find_installer
from .toolkits import Toolkits, find_toolkits

if TYPE_CHECKING:
    from specchat.speculative.llama.backend import BuildInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What decides whether a GPU computes, beside llama.cpp."""

    graphics: Graphics
    toolkits: Toolkits
    installer: Installer
    variables: Mapping[str, str]

    def rebuild(self, ways: Sequence[str], *flags: str) -> tuple[str, str]:
        """What to type to have llama.cpp compiled for these and with more `flags`, and what no command does before."""
        recipes = [recipe_for(way, self.toolkits) for way in ways]
        built = self.installer.rebuild(" ".join([*(each.flags for each in recipes), *flags]))
        commands = [command for each in recipes for command in each.before]
        return self._joined([*commands, built]), " ".join(filter(None, (each.advice for each in recipes)))

    def ways(self, build: "BuildInfo | None") -> list[str]:
        """What a new build should be for: whatever this one is for, or else the GPU of this machine."""
        gpu = self.graphics.best
        known = ways_known(build.gpu_backends) if build else []
        return known or ([way_for(gpu, self.toolkits)] if gpu and not gpu.shared else [])

    def _joined(self, commands: list[str]) -> str:
        return ("; " if self.installer.powershell else " && ").join(commands)


def machine_of(env: Environment) -> Machine:
    """The one that we are on."""
    superuser = hasattr(os, "geteuid") and os.geteuid() == 0
    return Machine(
        graphics=find_graphics(env.system),
        toolkits=find_toolkits(env.system, env.variables, superuser=superuser),
        installer=find_installer(env.variables),
        variables=env.variables,
    )
