"""Whether other machines can compute for this one, and it for them."""

from typing import TYPE_CHECKING

from specchat.speculative.errors import NoServersError

from ..environment import Environment
from .build import found_build
from .rebuilding import Machine, machine_of
from .rows import Row

if TYPE_CHECKING:
    from specchat.speculative.llama.backend import BuildInfo

NAME = "other machines"
_BACKEND, _FLAG = "RPC", "-DGGML_RPC=on"


def server_rows(machine: Machine, build: "BuildInfo | None") -> list[Row]:
    """What this build, None where it cannot be imported, can do with them; nothing where it does not tell."""
    if build is None or build.backends is None:
        return []
    works = _BACKEND in build.backends
    value = "yes: specchat rpc-server there, run --rpc here" if works else "no: built without RPC"
    command, advice = ("", "") if works else _rebuild(machine, build)
    return [Row(name=NAME, value=value, command=command, advice=advice, figures={"works": works})]


def with_command(env: Environment, error: NoServersError) -> NoServersError:
    """The same error with a hint that is the command that mends it."""
    command, advice = _rebuild(machine_of(env), found_build())
    return NoServersError(error.message, f"{advice} This builds one that can: {command}".lstrip())


def _rebuild(machine: Machine, build: "BuildInfo") -> tuple[str, str]:
    return machine.rebuild(machine.ways(build), _FLAG)
