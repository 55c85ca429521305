"""Reasoning between two tags in front of the answer, as most models write it: `<think>…</think>`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..text import overlap
from .spans import Phase, Span, spans


@dataclass(frozen=True, slots=True)
class Tags:
    """The opening and the closing tag. Only what the answer begins with is reasoning: later tags are its subject."""

    opening: str
    closing: str

    @property
    def marks(self) -> Sequence[str]:
        """Both."""
        return self.opening, self.closing

    @property
    def signs(self) -> Sequence[str]:
        """Some templates name only the opening tag, with which they end, others the closing one, at which they cut."""
        return self.marks

    def splitter(self, before: str) -> "TagSplitter":
        """Some templates end with the opening tag."""
        return TagSplitter(self, "repeat" if self._is_open(before) else "start")

    def lead(self, before: str) -> str:
        """What has to stand between `before`, the end of a prompt, and an answer without reasoning."""
        return f"\n\n{self.closing}\n\n" if self._is_open(before) else ""

    def around(self, before: str) -> tuple[str, str] | None:
        """What stands around reasoning behind `before`; None where no more of it can follow."""
        if before.rstrip().endswith(self.closing):
            return None
        return "" if self._is_open(before) else f"{self.opening}\n", f"\n{self.closing}\n\n"

    def skip(self, before: str) -> str:
        """What `lead` gives, or else that the model reasoned and thought nothing, for one that would begin to.

        Source: Ma et al. 2025, "Reasoning Models Can Be Effective Without Thinking".
        """
        if before.rstrip().endswith(self.closing):
            return ""
        return self.lead(before) or f"{self.opening}\n\n{self.closing}\n\n"

    def _is_open(self, before: str) -> bool:
        return before.rstrip().endswith(self.opening)


@dataclass(slots=True)
class TagSplitter:
    """Splits one answer. White space around the tags belongs to neither part."""

    tags: Tags
    _state: Literal["start", "repeat", "opened", "reasoning", "closed", "answer"]
    _held: str = ""

    @property
    def phase(self) -> Phase:
        """Behind the closing tag comes white space, which there may be none of."""
        match self._state:
            case "start":
                return "undecided"
            case "closed":
                return "between"
            case "answer":
                return "answer"
            case _:
                return "reasoning"

    def push(self, text: str) -> Sequence[Span]:
        """What is certain; held back are beginnings of tags, and white space in front of them."""
        self._held += text
        found: list[Span] = []
        while True:
            state = self._state
            found += self._step()
            if self._state == state:
                return found

    def finish(self) -> Sequence[Span]:
        """White space is left out where a tag stood before or behind it."""
        held, self._held = self._held, ""
        match self._state:
            case "start" | "answer":
                return spans((held, False))
            case "opened" | "closed":
                return ()
            case "repeat":
                return spans((held.strip(), True))
            case "reasoning":
                return spans((held.rstrip(), True))

    def _step(self) -> Sequence[Span]:
        match self._state:
            case "start":
                return self._open("answer")
            case "repeat":  # a model may write the tag again that stands in the prompt
                return self._open("opened")
            case "opened":
                return self._skip_space("reasoning")
            case "reasoning":
                return self._reason()
            case "closed":
                return self._skip_space("answer")
            case "answer":
                held, self._held = self._held, ""
                return spans((held, False))

    def _open(self, otherwise: Literal["answer", "opened"]) -> Sequence[Span]:
        """Go on behind an opening tag that comes first, or without it."""
        tag, bare = self.tags.opening, self._held.lstrip()
        if bare.startswith(tag):
            self._held, self._state = bare[len(tag) :], "opened"
        elif not tag.startswith(bare):
            self._state = otherwise
        return ()

    def _skip_space(self, then: Literal["answer", "reasoning"]) -> Sequence[Span]:
        self._held = self._held.lstrip()
        if self._held:
            self._state = then
        return ()

    def _reason(self) -> Sequence[Span]:
        reasoning, closing, rest = self._held.partition(self.tags.closing)
        if closing:
            self._held, self._state = rest, "closed"
            return spans((reasoning.rstrip(), True))
        certain = reasoning[: len(reasoning) - overlap(reasoning, self.tags.closing)].rstrip()
        self._held = reasoning[len(certain) :]
        return spans((certain, True))
