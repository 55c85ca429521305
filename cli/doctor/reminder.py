"""Once a day at a terminal: that there is a GPU which this build of llama.cpp cannot use."""

from collections.abc import Callable

from specchat.profiles.errors import ProfileError
from specchat.profiles.variables import gpu_hint
from specchat.speculative.cache import Cache
from specchat.speculative.placement import Placement

from ..display.screen import note, warn
from ..environment import Environment

_FOLDER, _KEY = "reminders", "gpu"


def built_for_the_cpu_only() -> bool:
    """Whether the installed llama.cpp can use no GPU."""
    from .build import found_build

    return found_build().cpu_only


def remind_of_gpu(
    env: Environment,
    placement: Placement | None,
    on_cpu: bool,
    *,
    quiet: bool,
    cpu_only: Callable[[], bool] = built_for_the_cpu_only,
) -> None:
    """Say it, if models were not kept from the GPU by wish: `on_cpu`, or with the key or the variable that silences it.

    What takes no time is asked first, and most of the time nothing else is. Without a place to remember that it was
    said, it is not.
    """
    terminals = env.stdin_is_terminal and env.stdout_is_terminal and env.stderr_is_terminal
    folder = env.cache_folder
    if quiet or not terminals or folder is None or on_cpu or placement is None or placement.devices:
        return
    said, today = Cache(folder / _FOLDER), env.today().isoformat()
    if said.load(_KEY) == today or not (title := _unused_gpu(env)) or not _wanted(env) or not cpu_only():
        return
    said.save(_KEY, today)
    if said.load(_KEY) == today:
        note(env, f"This llama.cpp cannot use the {title} here: specchat doctor says why.")


def _unused_gpu(env: Environment) -> str:
    """A GPU that is worth it and that no variable hides; empty without one."""
    from .gpus import find_graphics
    from .hiding import hiding
    from .toolkits import CUDA, HIP

    gpu = find_graphics(env.system).best
    return "" if gpu is None or gpu.shared or hiding((CUDA, HIP), env.variables) else f"{gpu.vendor} GPU"


def _wanted(env: Environment) -> bool:
    """The variable comes before the key; one that makes no sense is told, and stops nothing."""
    from specchat.profiles.config import load_config

    try:
        by_variable = gpu_hint(env.variables)
    except ProfileError as error:
        warn(env, error.message)
        by_variable = None
    return load_config(env.config_folder).gpu_hint if by_variable is None else by_variable
