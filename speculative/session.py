"""One loaded pair: prompts go in, events come out, and only what is new of each prompt is read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from .constraint.constraint import Constraint
from .constraint.forecast import Forecast
from .constraint.gate import Gate, Threshold
from .constraint.matcher import Matcher
from .decoder import SpeculativeDecoder
from .errors import PromptTooLongError, UsageError
from .events import Event
from .generation import Generation
from .interrupt import Interrupt
from .model import common_prefix
from .noise import SeededNoise, answer_seed
from .prompt_cache import PromptCache
from .reading import Reading
from .reasoning.formats import ReasoningFormat
from .reasoning.resumed import Resumed
from .reasoning.spans import Splitter, Unsplit
from .reasoning.stream import AnswerStream
from .verification import VerificationName, verification

_TAIL = 32
"""Tokens at the end of a prompt in which it shows whether reasoning has begun."""


@dataclass(slots=True)
class Session:
    """Generates one text after the other with the same models.

    `piece` gives the bytes of a token, `n_ctx` and `n_batch` are the target's context and its longest pass. The n-th
    generation of a session has a seed of its own, derived from `seed`. Texts in which `reasoning` is told from answers
    are in its format. What `matcher` makes holds each answer to a form, and what `forecast` makes guesses by it;
    reasoning before it is free. Whoever requests the `interrupt` ends the running generation, or else the next one,
    which then finishes as cancelled; the request is met with that. What earlier runs read may be in the `prompt_cache`.
    """

    decoder: SpeculativeDecoder
    piece: Callable[[int], bytes]
    n_ctx: int
    n_batch: int
    seed: int
    verification: VerificationName = "coupled"
    interrupt: Interrupt = field(default_factory=Interrupt)
    reasoning: ReasoningFormat | None = None
    matcher: Callable[[], Matcher] | None = None
    forecast: Callable[[], Forecast] | None = None
    prompt_cache: PromptCache | None = None
    _generations: int = 0
    _context: list[int] = field(default_factory=list)
    _same_passes: bool = False
    _reading: Reading = field(init=False)

    def __post_init__(self) -> None:
        self._reading = Reading(self.n_batch, self.prompt_cache)

    def afresh(self, decoder: SpeculativeDecoder, seed: int) -> "Session":
        """A new session over the same models, which has generated nothing yet, and recalls nothing."""
        return replace(self, decoder=decoder, seed=seed, prompt_cache=None, _generations=0, _context=[])

    def start_over(self, *, seed: int | None = None, same_passes: bool = False) -> None:
        """Answer the next prompt as a new session would, with this seed, or the same one.

        What the cache holds of the prompt is not read again. A new session may cut the prompt into other passes, so its
        text is the same up to rounding only; with `same_passes` so much is read again that the passes are the same.
        """
        self.seed = self.seed if seed is None else seed
        self._generations = 0
        self._same_passes = same_passes

    def generate(
        self,
        prompt: Sequence[int],
        *,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        index: int = 0,
        seed: int | None = None,
    ) -> Iterator[Event]:
        """Read `prompt` and generate what follows it; `index` is the place of the first new token in its answer.

        An answer that goes on, at an `index` above 0, does so with its own `seed`.

        The last event is always `GenerationFinished`. Raises `PromptTooLongError` and `UsageError` at once, before
        anything is read.
        """
        self.check(prompt, max_tokens)
        constraint = self.constraint(prompt, index)
        if seed is None:
            seed = answer_seed(self.seed, self._generations)
            self._generations += 1
        noise = SeededNoise(seed)
        settled = self._settled(prompt)
        self._context = list(prompt)
        room = self.n_ctx - len(prompt)
        return Generation(
            decoder=replace(self.decoder, chain=self.decoder.chain.of_answer(noise, len(prompt) - index)),
            piece=self.piece,
            context=self._context,
            settle=partial(self._reading.settle, self.decoder.target, self._context, settled, self.interrupt.check),
            has_read=self._reading.has_read,
            n_batch=self.n_batch,
            room=room if max_tokens is None else min(room, max_tokens),
            full="context_full" if max_tokens is None or max_tokens > room else "length",
            seed=seed,
            index=index,
            verification=verification(self.verification, noise),
            stream=AnswerStream(self._splitter(prompt, index), stop),
            interrupt=self.interrupt,
            constraint=constraint,
        ).events()

    def constraint(self, prompt: Sequence[int], index: int = 0) -> Constraint | None:
        """What holds the answer to its form, behind those of its tokens that are in the prompt.

        Raises `UsageError` where they do not have it.
        """
        if self.matcher is None:
            return None
        start = len(prompt) - index
        gate = threshold = None
        if self.reasoning is not None and self.skip(prompt[:start]):  # it may come, and is not over yet
            gate = Gate(self.piece)
            threshold = Threshold(self.reasoning.splitter(self._ending(prompt[:start])))
        forecast = self.forecast() if self.forecast else None
        constraint = Constraint(self.matcher(), self.decoder.is_end, gate, threshold, forecast)
        constraint.begin(prompt[start:])
        return constraint

    def _settled(self, prompt: Sequence[int]) -> int:
        """How much of what the cache holds may be reused for `prompt`.

        What it holds of the last text beyond its last token but one depends on what was drafted. That is read again, so
        that every prompt is cut into the same passes with drafting on or off.
        """
        if not self._same_passes:
            return common_prefix(self._context[:-1], prompt)
        self._same_passes = False
        # the last token is read with its answer
        return self._reading.same_passes(common_prefix(self._context, prompt[:-1]))

    def keep(self) -> None:
        """Keep what was read for the next start, if that is worth it: the last thing that is done with a session."""
        self._reading.keep(self._context[:-1])

    def said(self, prompt: Sequence[int], tokens: Sequence[int]) -> AnswerStream:
        """What `tokens` say behind `prompt`, as far as its characters are complete."""
        stream = AnswerStream(self._splitter(prompt, 0))
        for token in tokens:
            stream.push(self.piece(token))
        stream.finish()
        return stream

    def before_answer(self, prompt: Sequence[int], tokens: Sequence[int], index: int) -> tuple[Sequence[int], str]:
        """What comes before the answer in `tokens`, which stand behind a prompt as `generate` takes it.

        Those of them that do as a whole, and the text behind them, where one token has the end of it and more.
        """
        stream = AnswerStream(self._splitter(prompt, index))
        for count, token in enumerate(tokens, 1):
            stream.push(self.piece(token))
            if stream.text:
                text = b"".join(map(self.piece, tokens[:count]))
                return self._beginning(tokens, max(0, text.rfind(stream.text.encode())))
        return tokens, ""

    def _beginning(self, tokens: Sequence[int], size: int) -> tuple[Sequence[int], str]:
        """The first `size` bytes of tokens that have more: whole tokens, and the text of what is left."""
        count = 0
        while len(piece := self.piece(tokens[count])) <= size:
            size -= len(piece)
            count += 1
        return tokens[:count], piece[:size].decode(errors="replace")

    def lead(self, prompt: Sequence[int]) -> str:
        """The text that stands between a prompt and an answer without reasoning."""
        return self.reasoning.lead(self._ending(prompt)) if self.reasoning else ""

    def around(self, prompt: Sequence[int]) -> tuple[str, str] | None:
        """The texts around reasoning that stands behind a prompt; None where there can be none."""
        return self.reasoning.around(self._ending(prompt)) if self.reasoning else None

    def skip(self, prompt: Sequence[int]) -> str:
        """What `lead` gives, or else reasoning that is empty, for a model that would begin to reason."""
        return self.reasoning.skip(self._ending(prompt)) if self.reasoning else ""

    def _splitter(self, prompt: Sequence[int], index: int) -> Splitter:
        """For what follows `prompt`, whose last `index` tokens are the beginning of the answer."""
        if self.reasoning is None:
            return Unsplit()
        start = len(prompt) - index
        splitter = self.reasoning.splitter(self._ending(prompt[:start]))
        return Resumed.behind(splitter, self._text(prompt[start:])) if index else splitter

    def _ending(self, prompt: Sequence[int]) -> str:
        return self._text(prompt[-_TAIL:])

    def _text(self, tokens: Sequence[int]) -> str:
        return b"".join(map(self.piece, tokens)).decode(errors="replace")

    def check(self, prompt: Sequence[int], max_tokens: int | None) -> None:
        """Raise `PromptTooLongError` or `UsageError` where nothing can be generated."""
        if not prompt:
            raise UsageError("The prompt is empty.", "Give the model at least one token to start from.")
        if max_tokens is not None and max_tokens < 1:
            raise UsageError(f"{max_tokens} tokens is nothing to generate.", "Ask for 1 or more, or for no limit.")
        if len(prompt) >= self.n_ctx:
            fits = len(prompt) + 512
            raise PromptTooLongError(
                f"The prompt has {len(prompt)} tokens, but the context holds {self.n_ctx}.",
                f"A context of {fits} leaves room for an answer: -c {fits}",
            )
