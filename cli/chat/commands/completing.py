"""What Tab completes in a chat."""

from ...environment import Environment
from ...models.stores import inventory
from ...sessions.store import sessions_of
from ..line.completions import Completions
from .commands import COMMANDS
from .setting import setting_names

_WEIGHTS = (".gguf",)


def completions(env: Environment) -> Completions:
    """The commands, and what can stand behind them: what was kept, the models and files that are here, settings."""

    def models() -> list[str]:
        return [model.name for model in inventory(env).models]

    return Completions(
        commands={f"/{name}": command.help for command in COMMANDS for name in command.names[:1]},
        words={
            "/model": models,
            "/draft": lambda: ["off", "on", "auto", "ngram", *models()],
            "/set": setting_names,
            "/think": lambda: ["on", "off", "hide"],
            "/load": lambda: sessions_of(env).names(),
        },
        before_files={"/file": ("",), "/model": _WEIGHTS, "/draft": _WEIGHTS},
    )
