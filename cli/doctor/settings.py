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
    ways = {"gpu_layers": ("0", "-ngl -1"), "device": ("none", "--device NAME")}
    return [
        Row(
            name="settings",
            value=f"{name} is {value}, by {layer.origins[name]}: models stay on the CPU",
            advice=f"Take it out, or run with {option}.",
        )
        for name, (value, option) in ways.items()
        if getattr(layer.settings, name) in (0, ())
    ]


def _unknown(env: Environment) -> list[Row]:
    return [
        Row(name="variable", value=f"{name} is no setting{f'; did you mean {meant}?' if meant else ''}")
        for name, meant in unknown_variables(env.variables).items()
    ]
