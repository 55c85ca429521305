"""The line as prompt_toolkit is to show it."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import merge_key_bindings
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.renderer import CPR_Support
from prompt_toolkit.styles import Style

from specchat.speculative.errors import SpecchatError

from ...display.screen import one_line
from .completions import Candidate, Completions, candidates
from .directions import DirectionsShown
from .editor import edit_text
from .erasing import Eraser, reflows
from .fence import Fence
from .inputrc import edits_like_vi
from .keys import completion_keys, editor_keys, sending_keys, text_keys, untell

if TYPE_CHECKING:
    from .line import Line

_STYLE = Style.from_dict(
    {
        "validation-toolbar": "bg:default fg:ansired",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion.current": "bg:default fg:default reverse",
        "completion-menu.meta.completion": "bg:default fg:default",
        "completion-menu.meta.completion.current": "bg:default fg:default",
        "search": "bg:default fg:default underline",
    }
)


class _Menu(Completer):
    """Our candidates as prompt_toolkit wants them."""

    def __init__(self, find: Callable[[str], Sequence[Candidate]]) -> None:
        self._find = find

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What the menu shows."""
        for candidate in self._find(document.text_before_cursor):
            shown = one_line(candidate.shown or candidate.text)
            yield Completion(candidate.text, -candidate.replaces, shown, candidate.help or None)


def _found(before: str, completions: Completions) -> Sequence[Candidate]:
    try:
        return candidates(before, completions)
    except (OSError, SpecchatError):
        return ()  # models that cannot be listed complete nothing


def session(line: "Line", prompt: str, fence: Fence, refuse: Callable[[str], str | None]) -> "PromptSession[str]":
    """One message to be typed."""
    from .line import CONTINUED

    env = line.env
    find = partial(_found, completions=line.completions)
    keys = [sending_keys(fence, refuse), text_keys(fence), completion_keys(find), editor_keys(partial(edit_text, env))]
    vi = edits_like_vi(env)
    made: PromptSession[str] = PromptSession(
        prompt,
        vi_mode=vi,
        cursor=ModalCursorShapeConfig() if vi else None,
        multiline=True,  # Ctrl-R searches below the line then
        prompt_continuation=lambda width, row, wrapped: "" if wrapped else CONTINUED,
        complete_while_typing=False,
        completer=_Menu(find),
        history=InMemoryHistory(line.said),
        clipboard=line.clipboard,
        key_bindings=merge_key_bindings(keys),
        input_processors=[DirectionsShown(), TabsProcessor(tabstop=8, char1=" ", char2=" ")],
        style=_STYLE,
        include_default_pygments_style=False,
        color_depth=None if env.colors else ColorDepth.DEPTH_1_BIT,
        enable_suspend=True,
        erase_when_done=True,  # what is taller than the screen would lose its top: the line writes it whole
    )
    app = made.app
    app.renderer.cpr_support = (
        CPR_Support.NOT_SUPPORTED
    )  # a late answer of the terminal would be typed into the next line
    app.key_processor.before_key_press += lambda _: untell(made.default_buffer)
    Eraser(app, reflows(env.variables)).follow()
    return made
