"""`specchat rpc-server`: compute for other machines."""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specchat.speculative.endpoints import DEFAULT_PORT
from specchat.speculative.errors import UsageError

from ..display.quantities import file_size
from ..display.screen import note, warn
from ..environment import Environment
from ..models.loading import importing_llama_cpp
from ..values import Several, filled, several, whole

if TYPE_CHECKING:
    from specchat.speculative.llama.rpc.serving import Server

LOOPBACK = "127.0.0.1"
_KEPT = "rpc"
"""The folder in the cache where weights are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """What to serve, and where."""

    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="An address of this machine, at which others reach it.")
    ] = LOOPBACK
    port: Annotated[int, typer.Option("-p", "--port", parser=whole(1), metavar="N", help="The port.")] = DEFAULT_PORT
    device: Annotated[
        Several[str] | None,
        typer.Option(
            "-dev",
            "--device",
            parser=several(filled("the name of a device, as specchat doctor shows it")),
            metavar="NAME,…",
            show_default=False,
            help="Devices, as specchat doctor names them; the GPUs unless given, or the CPU without one.",
        ),
    ] = None
    threads: Annotated[
        int | None, typer.Option("-t", "--threads", parser=whole(1), metavar="N", help="Threads of the CPU.")
    ] = None
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep large weights on the disk, so that they are sent only once.")
    ] = False


def rpc_server(env: Environment, options: ServerOptions) -> None:
    """Compute for other machines, until Ctrl-C: layers of their models come here with specchat run --rpc.

    llama.cpp's protocol knows no password and trusts what it is sent: for networks that you trust, and no others. It
    serves one program at a time.
    """
    with importing_llama_cpp():
        from specchat.speculative.llama.rpc.serving import server

    kept = _kept(env) if options.keep else None
    names = options.device.items if options.device else ()
    made = server(options.host, options.port, names, options.threads, kept)
    _announce(env, made)
    made.run()


def _kept(env: Environment) -> Path:
    """The folder for weights. Raises `UsageError` where there is no place for it."""
    if env.cache_folder is None:
        raise UsageError("There is no folder to keep weights in.", "Set XDG_CACHE_HOME, or leave --keep out.")
    folder = env.cache_folder / _KEPT
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _announce(env: Environment, made: "Server") -> None:
    for device in made.devices:
        room = f", {file_size(device.free)} free" if device.free else ""
        note(env, f"{device.name}: {device.description}{room}")
    if ip_address(made.address).is_loopback:
        note(env, f"Only this machine reaches {made.address}; --host ADDRESS lets others in.")
    else:
        warn(env, "Whoever reaches this port can take over this machine: let none but a trusted network do so.")
    note(env, f"Listening at {made.address}:{made.port}, until Ctrl-C.")
