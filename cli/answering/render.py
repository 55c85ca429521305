"""Events of a session onto the screen: the answer to stdout, everything about it to stderr."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specchat.speculative.events import Event, GenerationFinished, PromptProgress, RoundFinished, TextChunk

from ..display.answer_writer import AnswerWriter
from ..display.live_line import LiveLine
from ..display.notes import items_note
from ..display.screen import note, warn
from ..display.status_line import StatusLine
from ..environment import Environment
from ..markdown.pieces import Piece, Pieces
from ..options import OutputOptions
from .live_figures import LiveFigures
from .statistics import statistics
from .thoughts import Thoughts

if TYPE_CHECKING:
    from specchat.speculative.llama.exactness import Exactness

Heard = Callable[[TextChunk], None]
"""What is told each piece that is shown."""
LONG_PROMPT = 256
"""From so many new tokens on, reading a prompt is worth a line."""


def unheard(_: TextChunk) -> None:
    """For answers of which nothing is kept before they are complete."""


@dataclass(slots=True)
class Renderer:
    """Shows one generation after the other; `n_ctx` is the target's context.

    Reasoning is dimmed, or with `folds` only counted.
    """

    env: Environment
    options: OutputOptions
    n_ctx: int
    folds: bool = False
    _line: StatusLine = field(init=False)
    _reading_since: tuple[float, int] = (0.0, -1)

    def __post_init__(self) -> None:
        self._line = StatusLine(self.env, shown=not self.options.quiet)

    def show(self, events: Iterator[Event], heard: Heard = unheard) -> GenerationFinished:
        """Show a whole generation as it happens, each piece told to `heard`, and return how it ended."""
        figures = LiveFigures(self.env.now, self.n_ctx)
        live = LiveLine(self.env, figures.items, shown=not self.options.quiet and not self.options.json)
        writer, pieces = AnswerWriter(self.env, live, self.options.tint), Pieces(self.env, self.options.markdown)
        shown = not self.folds and not self.options.json
        thoughts = Thoughts(self.env, writer, self._line, shown, noted=not self.options.quiet)
        self._reading_since = (self.env.now(), -1)

        def write(found: Iterable[Piece]) -> None:
            for piece in found:
                writer.write(*piece)

        try:
            for event in events:
                match event:
                    case PromptProgress(total=total):
                        figures.reads(total)
                        self._recalled(event)
                        self._progress(event)
                    case RoundFinished(step):
                        figures.add(step)
                        thoughts.count(len(step.tokens))
                    case TextChunk(text, is_reasoning=True):
                        thoughts.add(text)
                        heard(event)
                    case TextChunk(text, from_draft):
                        thoughts.end()
                        self._line.clear()
                        if not self.options.json:
                            write(pieces.push(text, from_draft))
                        heard(event)
                    case GenerationFinished():
                        return event
        finally:
            self._line.clear()
            write(pieces.finish())
            writer.finish()
        raise AssertionError("a generation ends with GenerationFinished")

    def conclude(self, finished: GenerationFinished, exactness: "Exactness | None" = None) -> None:
        """Say what there is to say about a generation that is over."""
        if finished.finish_reason == "context_full" and not self.options.quiet:
            warn(self.env, f"The context of {self.n_ctx} tokens is full, so the answer is cut. -c N makes it larger.")
        if finished.complete is False and finished.finish_reason == "cancelled" and not self.options.quiet:
            warn(self.env, "The answer is incomplete: it was stopped before its form ended.")
        if self._wants_statistics() and finished.tokens:
            thorough = self.options.stats or self.options.verbose
            note(self.env, items_note(self.env, statistics(finished, self.n_ctx, thorough, exactness)))

    def _wants_statistics(self) -> bool:
        if self.options.stats or self.options.verbose:
            return True
        watched = self.env.stdout_is_terminal and self.env.stderr_is_terminal
        return watched and not self.options.quiet and not self.options.json

    def _recalled(self, event: PromptProgress) -> None:
        """Say once what need not be read."""
        if event.recalled and event.read == event.cached and self._wants_statistics():
            note(self.env, f"{event.recalled:,} of {event.total:,} tokens of the prompt come from the disk.")

    def _progress(self, event: PromptProgress) -> None:
        if event.total - event.cached < LONG_PROMPT:
            return
        since, before = self._reading_since
        if before < 0:
            self._reading_since = (self.env.now(), event.read)
        items = [f"reading {event.read:,}/{event.total:,} tokens"]
        elapsed = self.env.now() - since
        if event.read > before >= 0 and elapsed > 0:
            rate = (event.read - before) / elapsed
            items += [f"{(event.total - event.read) / rate:.0f} s left", f"{rate:.0f} tokens/s"]
        self._line.show(*items)
