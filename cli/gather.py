"""From a function that takes groups of options to a command as Typer wants it, with one parameter an option."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

import typer

Job = Callable[[], None]
"""A command with its options filled in, ready to run."""


def gathered(command: Callable[..., None]) -> Callable[..., Job]:
    """A Typer command for `command(env, group, …)`, whose parameters are dataclasses with a Typer option a field.

    Parsing only makes the job: it runs when Typer is out of the way, which would swallow signals and broken pipes.
    """
    [_env, *names] = inspect.signature(command).parameters
    hints = get_type_hints(command)
    groups = {name: hints[name] for name in names}

    def prepare(invocation: typer.Context, **values: Any) -> Job:
        filled = [kind(**{each.name: values[each.name] for each in fields(kind)}) for kind in groups.values()]
        return lambda: command(invocation.obj, *filled)

    parameters = [_parameter("invocation", typer.Context)]
    for kind in groups.values():
        types = get_type_hints(kind, include_extras=True)
        parameters += [_parameter(each.name, types[each.name], _default(each)) for each in fields(kind)]
    prepare.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    prepare.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    prepare.__doc__ = command.__doc__
    return prepare


def _parameter(name: str, kind: object, default: object = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _default(field: "Field[Any]") -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default
