"""An answer of a chat with its tokens, on which it can go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specchat.speculative.events import GenerationFinished

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


@dataclass(frozen=True, slots=True)
class Spoken:
    """An answer: who gave it, what it followed, its tokens without an end token, and how its last part ended."""

    pair: "Pair"
    prompt: Sequence[int]
    tokens: Sequence[int]
    finished: GenerationFinished


def spoken_by(pair: "Pair", prompt: Sequence[int], index: int, finished: GenerationFinished) -> Spoken:
    """What `pair` said behind a prompt, the last `index` tokens of which are the beginning of the answer."""
    return Spoken(pair, prompt, _without_end(pair, prompt, index, finished), finished)


def _without_end(pair: "Pair", prompt: Sequence[int], index: int, finished: GenerationFinished) -> Sequence[int]:
    """The tokens of the text: without an end token, and without what a stop string cut off."""
    if finished.finish_reason == "stop_string":
        tokens, between = pair.session.before_answer(prompt, finished.tokens, index)
        return [*tokens, *pair.inner_tokens(between + finished.text)]
    is_end = pair.session.decoder.is_end
    return finished.tokens[:-1] if finished.tokens and is_end(finished.tokens[-1]) else finished.tokens
