"""One answer for a script: its events, its code block, or a file with it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from specchat.speculative.events import Event, GenerationFinished

from ..answering.answers import Answer
from ..answering.render import Renderer
from ..answering.speaker import Speaker, check_length
from ..display.json_text import written
from ..display.screen import write_text
from ..display.status_line import StatusLine
from ..interruption import ending
from ..models.loading import tell_notices
from .event_lines import told
from .options import ScriptOptions
from .output_file import write_answer
from .unshown import last_of, watched


@dataclass(frozen=True, slots=True)
class Scripted:
    """Answers one prompt as a `speaker` would, but shows it otherwise.

    `path` is the file for the answer, None for standard output.
    """

    speaker: Speaker
    script: ScriptOptions
    path: Path | None

    def run(self, prompt: Sequence[int]) -> None:
        """Answer. Raises what `Speaker.speak_once` raises, and `SpecchatError` where there is no code block."""
        env, pair, limits, output = self.speaker.env, self.speaker.pair, self.speaker.limits, self.speaker.output
        check_length(pair, prompt, limits)
        with ending(pair.session.interrupt):
            events = pair.session.generate(prompt, max_tokens=limits.max_tokens, stop=limits.stop)
            answer = Answer(self._finished(events), self.script.extract)
            self._deliver(answer)
            shown = replace(output, json=output.json or self.script.events)
            Renderer(env, shown, pair.session.n_ctx).conclude(answer.finished, pair.exactness)
            tell_notices(env, pair, output.quiet)
            answer.check()

    def _finished(self, events: Iterator[Event]) -> GenerationFinished:
        env = self.speaker.env
        if self.script.events:
            return last_of(told(env, self.speaker.pair, events, self.script.extract))
        line = StatusLine(env, shown=not self.speaker.output.quiet)
        try:
            return last_of(watched(env, line, events))
        finally:
            line.clear()

    def _deliver(self, answer: Answer) -> None:
        """Put the answer where it belongs. The file is left alone by one that is not whole, which is shown instead."""
        as_json = self.speaker.output.json
        text = f"{written(answer.content(self.speaker.pair))}\n" if as_json else answer.wanted
        if self.path is None or not answer.whole:
            if not self.script.events:
                self._show(text)
            return
        try:
            write_answer(self.path, text)
        except OSError:
            self._show(text)
            raise

    def _show(self, text: str) -> None:
        write_text(self.speaker.env, text)
