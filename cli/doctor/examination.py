"""All that the doctor looks at, one topic after the other."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from specchat.profiles.hub.client import hub_of
from specchat.profiles.hub.settings import cache_folder
from specchat.speculative.errors import SpecchatError

from ..environment import Environment
from .build import broken_rows, build_rows, found_build
from .disks import disk_rows
from .hub import access_rows
from .machine import machine_rows
from .offload import offload_rows
from .packages import needed_python, package_rows
from .places import cache_rows, hub_rows, kept_row
from .rebuilding import Machine, machine_of
from .rows import Row, Topic
from .servers import server_rows
from .settings import settings_rows
from .terminal import terminal_rows

if TYPE_CHECKING:
    from specchat.speculative.llama.backend import BuildInfo


def examine(env: Environment, *, offline: bool) -> Iterator[Topic]:
    """Each topic with its rows; where `offline`, the hub is not asked."""
    machine = machine_of(env)
    build, broken = _build(machine)
    yield Topic("packages", tuple(package_rows(machine.installer, needed_python())))
    yield Topic("llama_cpp", tuple(build_rows(build) if build else broken))
    yield Topic("gpu", tuple(offload_rows(machine, build)))
    yield Topic("other_machines", tuple(server_rows(machine, build)))
    yield Topic("machine", tuple(machine_rows()))
    yield Topic("settings", tuple(settings_rows(env)))
    yield Topic("kept", tuple(_kept(env)))
    yield Topic("hub", tuple(_hub(env, offline)))
    yield Topic("terminal", tuple(terminal_rows(env)))


def _build(machine: Machine) -> "tuple[BuildInfo | None, list[Row]]":
    """What llama.cpp is, or else why it cannot be used."""
    try:
        return found_build(), []
    except SpecchatError as error:
        return None, broken_rows(error.message, *machine.rebuild(machine.ways(None)))


def _kept(env: Environment) -> list[Row]:
    sessions = env.data_folder / "sessions" if env.data_folder else None
    rows = [*cache_rows(env.cache_folder), kept_row("sessions", sessions)]
    try:
        hub = cache_folder(env.variables, env.home)
    except SpecchatError as error:
        return [*rows, Row(name="hub's cache", value=error.message, advice=error.hint, wrong=True)]
    folders = {"models": hub, **({"chats": sessions} if sessions else {})}
    return [*rows, *hub_rows(hub), *disk_rows(folders)]


def _hub(env: Environment, offline: bool) -> list[Row]:
    try:
        return access_rows(hub_of(env.variables, env.home, offline=offline))
    except SpecchatError as error:
        return [Row(name="hub", value=error.message, advice=error.hint, wrong=True)]
