"""Where the answer begins behind the reasoning, token by token: a grammar is about the answer alone."""

import codecs
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

from ..reasoning.spans import Phase, Splitter


@dataclass(frozen=True, slots=True)
class Threshold:
    """A place before the answer has begun, or may not have; never changed.

    `pending` are the bytes of an unfinished character, and `spaced` says that it is behind white space that stands
    between reasoning and answer.
    """

    splitter: Splitter
    pending: bytes = b""
    spaced: bool = False

    @property
    def phase(self) -> Phase:
        """What the text is here."""
        return self.splitter.phase


@dataclass(frozen=True, slots=True)
class Gate:
    """Tells tokens of the answer from those before it, by the splitter that tells the texts apart.

    `piece` gives the bytes of a token, marks of the reasoning included.
    """

    piece: Callable[[int], bytes]

    def outside(self, place: Threshold, token: int) -> Threshold | None:
        """The place behind a `token` that is no part of the answer; None where it would be.

        A token that ends the reasoning and begins the answer in one would be, too. Of white space between the two,
        which belongs to neither, one token may be outside.
        """
        behind, answered = self._behind(place, token)
        piece = self.piece(token)
        match place.phase:
            case "undecided":  # neither white space nor half a character opens any reasoning
                inside = behind.phase == "answer" or not piece.strip() or bool(behind.pending)
            case "between":
                inside = not piece.isspace() or place.spaced
            case _:
                inside = answered
        return None if inside else behind

    def may_continue(self, place: Threshold, token: int) -> Threshold | None:
        """The place behind a `token` that may be the beginning of an answer or of reasoning; None if it is clear."""
        if place.phase != "undecided":
            return None
        behind, _ = self._behind(place, token)
        return behind if behind.phase == "undecided" else None

    def _behind(self, place: Threshold, token: int) -> tuple[Threshold, bool]:
        """The place behind a token, and whether any text of the answer became clear with it."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.setstate((place.pending, 0))
        splitter = copy(place.splitter)
        spans = splitter.push(decoder.decode(self.piece(token)))
        pending, _ = decoder.getstate()
        return Threshold(splitter, pending, place.phase == "between"), any(not span.is_reasoning for span in spans)
