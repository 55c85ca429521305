"""The files that say how to run, and whether they can be read."""

from specchat.profiles.config import FILE
from specchat.profiles.settings import Layer
from specchat.profiles.variables import unknown_variables
from specchat.speculative.errors import SpecchatError

from ..environment import Environment
from ..precedence import asked
from .rows import Row


def settings_rows(env: Environment) -> list[Row]:
    """The config file, variables that mean nothing, and settings that keep models from the GPU."""
    folder = env.config_folder
    if folder is None:
        return [Row(name="config file", value="none: there is no home folder")]
    file = folder / FILE
    where = Row(name="config file", value=f"{file}, {'in use' if file.exists() else 'not there'}")
    try:
        return [where, *_no_layers(env), *_unknown(env)]
    except SpecchatError as error:
        return [Row(name="settings", value=error.message, advice=error.hint, wrong=True), *_unknown(env)]


def _no_layers(env: Environment) -> list[Row]:
    layer = asked(env, Layer(), None).layer
    if layer.settings.gpu_layers != 0:
        return []
    said = f"gpu_layers is 0, by {layer.origins['gpu_layers']}: models stay on the CPU"
    return [Row(name="settings", value=said, advice="Take it out, or run with -ngl -1.")]


def _unknown(env: Environment) -> list[Row]:
    return [
        Row(name="variable", value=f"{name} is no setting{f'; did you mean {meant}?' if meant else ''}")
        for name, meant in unknown_variables(env.variables).items()
    ]
