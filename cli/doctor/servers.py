"""Whether other machines can compute for this one, and it for them."""

from typing import TYPE_CHECKING

from specchat.speculative.errors import NoServersError

from ..environment import Environment
from .offload import Machine, machine_of
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
    return [Row(name=NAME, value=value, command="" if works else _command(machine), figures={"works": works})]


def with_command(env: Environment, error: NoServersError) -> NoServersError:
    """The same error with a hint that is the command that mends it."""
    return NoServersError(error.message, f"This builds one that can: {_command(machine_of(env))}")


def _command(machine: Machine) -> str:
    return machine.installer.rebuild(f"{machine.flags()} {_FLAG}".strip())
