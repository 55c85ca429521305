"""A loaded pair that answers on the screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specchat.speculative.errors import PromptTooLongError
from specchat.speculative.events import GenerationFinished

from ..display.json_text import written
from ..environment import Environment
from ..interruption import ending
from ..models.loading import tell_notices
from ..options import OutputOptions
from ..request import Limits
from .answers import Answer, check_ended
from .render import Heard, Renderer, unheard

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


_ROOM = 512
"""So much longer than the prompt is the context that the engine advises."""


def check_length(pair: "Pair", prompt: Sequence[int], limits: Limits) -> None:
    """Raise `PromptTooLongError`, with a hint that does not ask for more than the model was made for."""
    try:
        pair.session.check(prompt, limits.max_tokens)
    except PromptTooLongError as error:
        trained = pair.target.n_ctx_train
        if len(prompt) + _ROOM <= trained:
            raise
        raise PromptTooLongError(error.message, f"Send less: this model was trained on {trained} tokens.") from error


@dataclass(frozen=True, slots=True)
class Speaker:
    """Generates after a prompt and shows it. An interrupt of the session ends the answer and keeps what was said.

    Reasoning is only counted with `folds`.
    """

    env: Environment
    pair: "Pair"
    limits: Limits
    output: OutputOptions
    folds: bool = False

    def speak(
        self,
        prompt: Sequence[int],
        index: int = 0,
        seed: int | None = None,
        heard: Heard = unheard,
    ) -> GenerationFinished:
        """Show what follows `prompt`, to its end or to the error that ended it. Raises `PromptTooLongError`.

        An answer that goes on has its tokens up to `index` at the end of the prompt, and its own `seed`. `heard` is
        called with each piece that was shown.
        """
        session = self.pair.session
        renderer = Renderer(self.env, self.output, session.n_ctx, self.folds)
        check_length(self.pair, prompt, self.limits)
        limits = self.limits
        events = session.generate(prompt, max_tokens=limits.max_tokens, stop=limits.stop, index=index, seed=seed)
        finished = renderer.show(events, heard)
        if self.output.json:
            self.env.stdout.write(written(Answer(finished, extract=False).content(self.pair)) + "\n")
            self.env.stdout.flush()
        renderer.conclude(finished, self.pair.exactness)
        tell_notices(self.env, self.pair, self.output.quiet)
        return finished

    def speak_once(self, prompt: Sequence[int]) -> GenerationFinished:
        """The same for a command that gives one answer: raises `Stopped` when Ctrl-C cut it short."""
        with ending(self.pair.session.interrupt):
            finished = self.speak(prompt)
            check_ended(finished)
        return finished
