"""`--events`: what happens in a generation, a line of JSON each, as it happens."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from specchat.speculative.events import Event, GenerationFinished, PromptProgress, RoundFinished, TextChunk

from ..answering.answers import Answer
from ..answering.logprobs_json import logprobs_content
from ..display.json_text import written
from ..environment import Environment

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


def told(env: Environment, pair: "Pair", events: Iterator[Event], extract: bool) -> Iterator[Event]:
    """The events, each written to standard output before it goes on."""
    for event in events:
        env.stdout.write(f"{written(_content(event, pair, extract))}\n")
        env.stdout.flush()
        yield event


def _content(event: Event, pair: "Pair", extract: bool) -> dict[str, Any]:
    match event:
        case PromptProgress(read, total, cached):
            return {"event": "prompt", "read": read, "total": total, "cached": cached}
        case TextChunk(text, from_draft, is_reasoning):
            return {"event": "reasoning" if is_reasoning else "text", "text": text, "from_draft": from_draft}
        case RoundFinished(step):
            counts = {"event": "round", "drafted": step.draft.guessed, "accepted": step.accepted}
            if pair.config.scores is None:
                return counts
            return {**counts, "logprobs": logprobs_content(step.scored, pair.spelled)}
        case GenerationFinished():
            return {"event": "finished", **Answer(event, extract).content(pair)}
