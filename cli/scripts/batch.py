"""`specchat run --batch`: many prompts, one after the other, with the models loaded once."""

from dataclasses import dataclass, field, replace
from typing import Any

from specchat.speculative.errors import ServerError, SpecchatError, UsageError

from ..answering.answers import failure_content
from ..display.status_line import StatusLine
from ..interruption import Stopped, ending
from .batch_items import Batch, Item
from .batch_results import Results, Write, key
from .tally import Tally
from .unshown import Answerer


@dataclass(frozen=True, slots=True)
class BatchRun:
    """A batch and where its answers go; `opening` comes before every prompt.

    A prompt that cannot be answered has its error in the place of an answer, and ends nothing.
    """

    batch: Batch
    results: Results
    opening: str
    _seen: set[str] = field(default_factory=set)

    def run(self, answerer: Answerer) -> None:
        """Answer them all. Raises an error like the last of a prompt, at the end, and `Stopped` for Ctrl-C."""
        tally = Tally(answerer.env, "prompts", shown=not answerer.quiet)
        line = StatusLine(answerer.env, shown=not answerer.quiet)
        try:
            with self.results.opened() as write:
                for item in map(self._unique, self.batch.items(answerer.env)):
                    if self.results.has(item.id):
                        tally.skipped += 1
                    else:
                        self._settle(item, answerer, tally, line, write)
        except Stopped:
            line.clear()
            tally.tell("stopped")
            raise
        finally:
            line.clear()
        failed = f"{self.results.failed:,} of them an error, which stays until its line is taken out of the file"
        tally.tell(*([failed] if self.results.failed else []))
        tally.conclude()

    def _unique(self, item: Item) -> Item:
        """The item; one whose id is that of another has an error."""
        identity = key(item.id)
        if identity not in self._seen:
            self._seen.add(identity)
            return item
        twice = UsageError(
            f"A line before it has the id {identity}, too.", "Leave it out: then it is the line's number."
        )
        return replace(item, error=twice)

    def _settle(self, item: Item, answerer: Answerer, tally: Tally, line: StatusLine, write: Write) -> None:
        """Answer one, and write that down whole: Ctrl-C leaves it out, or is heard when it is written."""
        with ending(answerer.pair.session.interrupt):
            content, error = self._answered(item, answerer, tally, line)
            line.clear()
            if isinstance(error, ServerError):  # as it would be for all that follow: another run takes them up
                raise error
            write({"id": item.id, "index": item.index, **content, **failure_content(error)})
            tally.count(error and type(error)(f"line {item.line}: {error.message}", error.hint))

    def _answered(
        self, item: Item, answerer: Answerer, tally: Tally, line: StatusLine
    ) -> tuple[dict[str, Any], SpecchatError | None]:
        """What JSON says of the answer, if there is one, and what is wrong."""
        if item.error is not None:
            return {}, item.error
        place = f"{item.index + 1:,} of {self.batch.total:,}" if self.batch.total else f"{item.index + 1:,}"
        try:
            answer = answerer.answer(line, place, self.opening + item.prompt, item.system)
        except SpecchatError as error:
            return {}, error
        tally.tokens += answer.finished.stats.completion_tokens
        return answer.content(answerer.pair), answer.error
