"""`specchat run --each`: one prompt for each of many files, with the models loaded once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from specchat.profiles.paths import exists
from specchat.speculative.errors import ServerError, SpecchatError, UsageError

from ..answering.answers import Answer
from ..answering.render import Renderer
from ..display.json_text import written
from ..display.screen import one_line, report, write_text
from ..display.status_line import StatusLine
from ..environment import Environment
from ..input import text_or_file
from ..interruption import Stopped, ending
from ..options import OutputOptions
from .each_files import AskedFile
from .output_file import write_answer
from .tally import Tally
from .unshown import Answerer


@dataclass(frozen=True, slots=True)
class EachRun:
    """Files to ask about; `opening` comes before what is in them. Answers that are there are kept unless `force`.

    A file that cannot be asked about is reported, and ends nothing.
    """

    files: Sequence[AskedFile]
    opening: str
    force: bool
    output: OutputOptions

    def run(self, answerer: Answerer) -> None:
        """Ask about them all. Raises an error like the last of a file, at the end, and `Stopped` for Ctrl-C."""
        tally = Tally(answerer.env, "files", shown=not answerer.quiet)
        line = StatusLine(answerer.env, shown=not answerer.quiet)
        try:
            for number, asked in enumerate(self.files, 1):
                if asked.path is not None and exists(asked.path) and not self.force:
                    tally.skipped += 1
                else:
                    self._settle(asked, f"{number:,} of {len(self.files):,}", answerer, tally, line)
        except Stopped:
            line.clear()
            tally.tell("stopped")
            raise
        finally:
            line.clear()
        tally.tell()
        tally.conclude()

    def _settle(self, asked: AskedFile, place: str, answerer: Answerer, tally: Tally, line: StatusLine) -> None:
        """Ask about one; Ctrl-C leaves it out, or is heard when its answer is written."""
        error: SpecchatError | None
        with ending(answerer.pair.session.interrupt):
            try:
                answer = self._answer(asked, place, answerer, tally, line)
                tally.tokens += answer.finished.stats.completion_tokens
                error = answer.error
            except SpecchatError as before_it:
                error = before_it
            if isinstance(error, ServerError):  # as it would be for all that follow
                raise error
            tally.count(error and type(error)(f"{one_line(asked.name)}."))  # the rest of it is told right here
            if error is not None:
                line.clear()
                report(answerer.env, _named(error, asked.name), error.hint)

    def _answer(self, asked: AskedFile, place: str, answerer: Answerer, tally: Tally, line: StatusLine) -> Answer:
        text = self.opening + _content(answerer.env, asked.name)
        if asked.path is None and not answerer.extract and not self.output.json:
            return self._shown(asked, text, answerer, tally)
        answer = answerer.answer(line, f"{place}: {one_line(asked.name)}", text)
        if not answer.whole:
            return answer
        content = {"file": asked.name, **answer.content(answerer.pair)}
        wanted = f"{written(content)}\n" if self.output.json else answer.wanted
        if asked.path is not None:
            _save(asked.path, wanted)
            return answer
        line.clear()
        heading = "" if self.output.json else _heading(asked, tally)
        write_text(answerer.env, heading + wanted)
        return answer

    def _shown(self, asked: AskedFile, text: str, answerer: Answerer, tally: Tally) -> Answer:
        """Show an answer as it comes."""
        env, pair = answerer.env, answerer.pair
        events = answerer.events(text)
        env.stdout.write(_heading(asked, tally))
        renderer = Renderer(env, self.output, pair.session.n_ctx, answerer.folds)
        answer = Answer(renderer.show(events), extract=False)
        if self.output.stats or self.output.verbose:
            renderer.conclude(answer.finished, pair.exactness)
        if answer.finished.finish_reason == "cancelled":
            raise Stopped
        return answer


def _heading(asked: AskedFile, tally: Tally) -> str:
    """The line above an answer, and between it and the one before an empty one."""
    return ("\n" if tally.tokens else "") + f"--- {one_line(asked.name)}\n\n"


def _save(path: Path, text: str) -> None:
    """Write an answer. Raises `SpecchatError`, so that the other files are still asked about."""
    try:
        write_answer(path, text)
    except OSError as error:
        raise SpecchatError(f"{path} cannot be written: {error.strerror or error}.", "Is the disk full?") from error


def _content(env: Environment, name: str) -> str:
    text = text_or_file(env, f"@{name}")
    if not text.strip():
        raise UsageError(f"{name} is empty.", "There is nothing in it to ask about.")
    return text


def _named(error: SpecchatError, name: str) -> str:
    """The message, with the file that it is about."""
    return error.message if error.message.startswith(name) else f"{name}: {error.message}"
