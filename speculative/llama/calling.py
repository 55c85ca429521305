"""How functions of llama.cpp are called, so that a test can let one fail."""

from collections.abc import Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Call(Protocol):
    """Calls a function of llama.cpp."""

    def __call__(self, function: Callable[..., Result], *arguments: object) -> Result:
        """What it returns."""


def call(function: Callable[..., Result], *arguments: object) -> Result:
    """Call it, and nothing else."""
    return function(*arguments)
