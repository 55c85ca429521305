"""The options of the commands, in the groups that `--help` shows. None means: not given, so something else decides."""

from .answer import AnswerOptions
from .chat import ChatOptions
from .drafting import DraftingOptions
from .machine import MachineOptions
from .models import ModelOptions
from .output import OutputOptions
from .placing import PlacingOptions
from .prompt import PromptOptions, RawOptions
from .sampling import SamplingOptions

__all__ = [
    "AnswerOptions",
    "ChatOptions",
    "DraftingOptions",
    "MachineOptions",
    "ModelOptions",
    "OutputOptions",
    "PlacingOptions",
    "PromptOptions",
    "RawOptions",
    "SamplingOptions",
]
