"""How packages were installed here, and so the commands that install them again."""

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, metadata

LLAMA = "llama-cpp-python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installer:
    """Who installed our packages: uv, or else pip. `python` is the interpreter they are for, if they have to be told.

    `requirements` are what specchat says of itself that it needs, empty where it is not installed.
    """

    uv: bool = False
    python: str = ""
    powershell: bool = False
    requirements: tuple[str, ...] = ()

    def rebuild(self, flags: str) -> str:
        """The command that compiles llama.cpp with these `flags`; installers keep what was built with others."""
        again = "--reinstall --no-cache" if self.uv else "--force-reinstall --no-cache-dir"
        return self._with_flags(flags, f'{self._install} {again} "{self.bounded(LLAMA)}"')

    def install(self, requirements: Sequence[str]) -> str:
        """The command that installs these."""
        return " ".join([self._install, *(f'"{each}"' for each in requirements)])

    def without(self, variable: str) -> str:
        """The command that takes a variable out of the environment."""
        return f"Remove-Item Env:{variable}" if self.powershell else f"unset {variable}"

    def bounded(self, package: str) -> str:
        """A package with the bounds of its version, the lower one first."""
        for each in self.requirements:
            name, bounds = split_requirement(each)
            if name == package:
                return package + ",".join(sorted(bounds, key=lambda bound: bound.startswith("<")))
        return package

    @property
    def _install(self) -> str:
        if self.uv:
            return f"uv pip install --python {self.python}" if self.python else "uv pip install"
        return f"{'& ' if self.powershell else ''}{self.python} -m pip install" if self.python else "pip install"

    def _with_flags(self, flags: str, command: str) -> str:
        if not flags:
            return command
        return f'$env:CMAKE_ARGS="{flags}"; {command}' if self.powershell else f'CMAKE_ARGS="{flags}" {command}'


def find_installer(variables: Mapping[str, str]) -> Installer:
    """Who installed what runs here."""
    try:
        by = distribution(LLAMA).read_text("INSTALLER") or ""
    except PackageNotFoundError:
        by = ""
    active = sys.prefix in (variables.get("VIRTUAL_ENV"), variables.get("CONDA_PREFIX"))
    return Installer(
        uv=by.strip() == "uv",
        python="" if active else shlex.quote(sys.executable),
        powershell=os.name == "nt",
        requirements=needed(),
    )


def needed() -> tuple[str, ...]:
    """What specchat needs, as its own metadata says; nothing where it runs without being installed."""
    try:
        said = metadata("specchat").get_all("Requires-Dist") or []
    except PackageNotFoundError:
        return ()
    return tuple(each for each in said if "extra ==" not in each)


def split_requirement(text: str) -> tuple[str, list[str]]:
    """The name of a package, and the bounds of its version."""
    match = re.match(r"([\w.-]+)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)", text)
    name, bounds = (match[1], match[2]) if match else (text, "")
    return name, [bound.strip() for bound in bounds.split(",") if bound.strip()]
