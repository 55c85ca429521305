"""What the doctor says of a machine whose files are below a folder."""

from pathlib import Path

from specchat.cli.doctor.gpus import find_graphics
from specchat.cli.doctor.graphics import Graphics
from specchat.cli.doctor.installer import Installer
from specchat.cli.doctor.offload import offload_rows
from specchat.cli.doctor.rebuilding import Machine
from specchat.cli.doctor.rows import Row
from specchat.cli.doctor.toolkits import find_toolkits
from specchat.speculative.llama.backend import BuildInfo

PIP = Installer(requirements=("numpy>=2.0", "llama-cpp-python<0.4,>=0.3.36"))


def found(root: Path, system: str = "Linux", machine: str = "x86_64") -> Graphics:
    return find_graphics(root, system, machine)


def machine(
    root: Path, installer: Installer = PIP, graphics: Graphics | None = None, superuser: bool = False, **variables: str
) -> Machine:
    toolkits = find_toolkits(root, variables, superuser=superuser)
    return Machine(graphics=graphics or found(root), toolkits=toolkits, installer=installer, variables=variables)


def rows(
    root: Path, build: BuildInfo | None, installer: Installer = PIP, graphics: Graphics | None = None, **variables: str
) -> list[Row]:
    return offload_rows(machine(root, installer, graphics, **variables), build)


def wrong(*arguments, **settings) -> dict[str, str]:
    """What needs mending, and the commands."""
    return {row.name: row.command or row.advice for row in rows(*arguments, **settings) if row.wrong}


def offload(*arguments, **settings) -> Row:
    return rows(*arguments, **settings)[-1]
