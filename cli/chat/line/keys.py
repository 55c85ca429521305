"""The keys of the line that differ from prompt_toolkit's own, which are those of Emacs and readline, or of vi."""

from collections.abc import Callable, Sequence

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer, ValidationState
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import emacs_insert_mode, has_completions, has_focus, vi_insert_mode, vi_mode
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.keys import Keys
from prompt_toolkit.validation import ValidationError

from specchat.speculative.errors import SpecchatError

from ...display.screen import one_line
from .completions import Candidate, shared_start
from .fence import Fence
from .graphemes import length_after, length_before

_TYPING = has_focus(DEFAULT_BUFFER)
_INSERTING = _TYPING & (emacs_insert_mode | vi_insert_mode)
"""What is typed becomes text: it commands nothing, and replaces no selection."""


def tell(buffer: Buffer, sentence: str) -> None:
    """Show `sentence` below the line until the next key."""
    buffer.validation_error = ValidationError(message=one_line(sentence))
    buffer.validation_state = ValidationState.INVALID


def untell(buffer: Buffer) -> None:
    """Take it away."""
    buffer.validation_error = None
    buffer.validation_state = ValidationState.UNKNOWN


def sending_keys(fence: Fence, refuse: Callable[[str], str | None]) -> KeyBindings:
    """Enter, which sends; Alt-Enter; Ctrl-C, which clears the line or leaves it."""
    keys = KeyBindings()

    @keys.add("enter", filter=_TYPING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None  # the first Enter takes what the menu has put there
        elif fence.is_open(buffer.text):
            buffer.insert_text("\n")
        elif sentence := refuse(fence.content(buffer.text)):
            tell(buffer, sentence)
        else:
            event.app.exit(result=buffer.text)

    @keys.add("escape", "enter", filter=_TYPING & ~vi_mode)  # Escape ends typing there, and Enter sends
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c", filter=_TYPING)
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if not buffer.text:
            event.app.exit(exception=KeyboardInterrupt())
            return
        event.app.clipboard.set_text(buffer.text)  # Ctrl-Y brings it back
        buffer.reset()
        event.app.vi_state.input_mode = InputMode.INSERT

    return keys


def text_keys(fence: Fence) -> KeyBindings:
    """What is typed and pasted, and moving over it by characters as people see them."""
    keys = KeyBindings()

    @keys.add('"', filter=_INSERTING)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text('"' * event.arg)
        fence.typed(event.current_buffer.document.text_before_cursor)

    @keys.add(Keys.BracketedPaste, filter=_TYPING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        fence.pasted(buffer.document.text_before_cursor)
        buffer.insert_text(event.data.replace("\r\n", "\n").replace("\r", "\n"))

    @keys.add("left", filter=_TYPING)
    @keys.add("c-b", filter=_TYPING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        buffer.cursor_position -= length_before(buffer.document.text_before_cursor, event.arg) or 1

    @keys.add("right", filter=_TYPING)
    @keys.add("c-f", filter=_TYPING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        buffer.cursor_position += length_after(buffer.document.text_after_cursor, event.arg) or 1

    @keys.add("backspace", filter=_INSERTING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        buffer.delete_before_cursor(length_before(buffer.document.text_before_cursor, event.arg) or 1)

    @keys.add("delete", filter=_INSERTING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        buffer.delete(length_after(buffer.document.text_after_cursor, event.arg) or 1)

    return keys


def completion_keys(find: Callable[[str], Sequence[Candidate]]) -> KeyBindings:
    """Tab, which puts in what all candidates begin with, and opens a menu where that is nothing more."""
    keys = KeyBindings()

    @keys.add("tab", filter=_TYPING & ~has_completions)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        found = find(buffer.document.text_before_cursor)
        shared = shared_start([candidate.text for candidate in found])
        if not found:
            return
        if len(found) == 1 or len(shared) > found[0].replaces:
            buffer.delete_before_cursor(found[0].replaces)
            buffer.insert_text(shared)
        else:
            buffer.start_completion()

    return keys


def editor_keys(edit: Callable[[str], str]) -> KeyBindings:
    """Ctrl-X Ctrl-E, which has `edit` change the line."""
    keys = KeyBindings()

    @keys.add("c-x", "c-e", filter=_TYPING)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer

        def in_editor() -> None:
            try:
                text = edit(buffer.text)
            except SpecchatError as error:
                tell(buffer, f"{error.message} {error.hint}".rstrip())
            else:
                buffer.document = Document(text, len(text))

        run_in_terminal(in_editor)

    return keys
