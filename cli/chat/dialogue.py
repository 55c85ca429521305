"""A chat as it stands: what was said, who answers, and what can be done with both. `loop.py` reads the lines."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from specchat.speculative.errors import PromptTooLongError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.messages import Message

from ..answering.answers import check_ended
from ..answering.render import unheard
from ..answering.speaker import Speaker, check_length
from ..answering.unanswered import unanswered
from ..display.notes import items_note, row_notes
from ..display.screen import note
from ..environment import Environment
from ..interruption import Stopped, heeding, stopping
from ..request import Limits
from ..sessions.lines import Header
from .conversation import Conversation
from .keeper import Keeper
from .kept import header_of
from .pair import ChatPair
from .spoken import Spoken, spoken_by
from .unechoed import unechoed

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair

_FULL = 0.85
"""The share of the context from which on the chat says what can be done about it."""
_SAID_OF_LENGTH = "/undo and /clear make room, /set ctx N more of it."


def _message(finished: GenerationFinished) -> Message:
    return Message("assistant", finished.text, finished.reasoning)


@dataclass(slots=True)
class Dialogue:
    """A conversation, with `who` answers in it and who keeps it.

    With `drops_oldest`, turns that no longer fit are forgotten.
    """

    who: ChatPair
    keeper: Keeper
    conversation: Conversation = field(default_factory=Conversation)
    drops_oldest: bool = False
    leaving: bool = False
    chatting: bool = False
    """Whether lines are typed in it, and commands that a hint can name."""
    unsent: str = ""
    """What was typed for a message that was taken back: it stands in the line again."""
    _last: Spoken | None = None

    @property
    def speaker(self) -> Speaker:
        """Who answers, and how that is shown."""
        return self.who.speaker

    @property
    def last(self) -> Spoken | None:
        """The last answer, if the pair that gave it is still here and nothing before it has changed."""
        return self._last if self._last and self._last.pair is self.pair else None

    @property
    def env(self) -> Environment:
        """Where it takes place."""
        return self.speaker.env

    @property
    def pair(self) -> "Pair":
        """Who answers."""
        return self.speaker.pair

    @property
    def limits(self) -> Limits:
        """Where answers end."""
        return self.speaker.limits

    @property
    def used(self) -> int:
        """Tokens of context that the last prompt and its answer take."""
        return len(self.last.prompt) + len(self.last.tokens) if self.last else 0

    def tell(self, text: str) -> None:
        """Something that the person asked for, or should know."""
        if not self.speaker.output.quiet:
            note(self.env, text)

    def tell_items(self, items: Sequence[str]) -> None:
        """Short things in as few lines as they fit in."""
        self.tell(items_note(self.env, items))

    def tell_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Names with what belongs to them."""
        for text in row_notes(self.env, rows):
            self.tell(text)

    def prompt(self, question: str) -> list[int]:
        """The tokens of everything with a new question behind it. Raises `ChatTemplateError`."""
        return self.pair.chat_tokens(self.conversation.asking(question))

    def fitting(self, question: str) -> list[int]:
        """The same. Raises `PromptTooLongError` where they leave no room for an answer."""
        prompt = self.prompt(question)
        try:
            check_length(self.pair, prompt, self.limits)
        except PromptTooLongError as error:
            hint = _SAID_OF_LENGTH if self.chatting else error.hint
            raise PromptTooLongError(error.message, hint) from error
        return prompt

    def answer(self, question: str, typed: str = "") -> None:
        """Answer a question and remember both; if Ctrl-C or an error comes before the first word, neither.

        What was `typed` for it is unsent then; what was unsent before stays so otherwise.
        """
        before = self.unsent
        self.unsent = typed or before
        spoken = self._answered(question)
        if spoken:
            self.unsent = before
        self._conclude(spoken, "Stopped; the message is taken back.")

    def answer_once(self, question: str) -> None:
        """The same where nothing follows: raises `Stopped` when Ctrl-C cut the answer short, and what else did."""
        with heeding(self.pair.session.interrupt):
            spoken = self._answered(question)
            if spoken is None:
                raise Stopped
            check_ended(spoken.finished)
            if missing := unanswered(spoken.finished):
                raise missing

    def answer_again(self) -> None:
        """Answer the last question, which there is, once more."""
        spoken = self._speak(lambda: self.pair.chat_tokens(self.conversation.messages[:-1]))
        if spoken:
            self.conversation.replace_answer(_message(spoken.finished))
            self._keep_anew(spoken.finished)
        self._conclude(spoken, "Stopped; the answer stays as it was.")

    def go_on(self) -> None:
        """Make the last answer, which there is, longer: it goes on where it ended, with the same seed."""
        prompt, tokens, seed = self._told()
        spoken = self._speak(lambda: [*prompt, *tokens], len(tokens), seed)
        if spoken:
            if not (spoken.finished.text or spoken.finished.reasoning):
                self.tell("The model has nothing to add.")
            spoken = replace(spoken, prompt=prompt, tokens=[*tokens, *spoken.tokens])
            said = self.pair.session.said(prompt, spoken.tokens)
            reasoning = said.reasoning if self.pair.session.around(prompt) else self._answer.reasoning
            self.conversation.replace_answer(Message("assistant", said.text, reasoning))
            self._keep_anew(spoken.finished)
        self._conclude(spoken, "Stopped; the answer stays as it was.")

    def take_back(self) -> str:
        """Forget the last question, which there is, and its answer; returns the question."""
        self._last = None
        self.keeper.drop(2)
        return self.conversation.undo()

    def forget(self) -> None:
        """Forget all turns; what is said from now on is another session."""
        self._last = None
        self.keeper.another()
        self.conversation.turns.clear()

    def set_system(self, text: str | None) -> None:
        """Another system prompt, or none."""
        self._last = None
        self.keeper.system(text)
        self.conversation.system = text

    def change_models(self, *, target: str | None = None, draft: str | None = None) -> None:
        """Another target or another draft. Raises what finding and loading raise: then all is as it was."""
        self.who.change_models(target=target, draft=draft)
        self.keeper.models(self.header().models)

    def header(self) -> Header:
        """The first line of a session that begins now."""
        return header_of(self.pair, self.who.names, self.conversation.system)

    def take_up(self, conversation: Conversation) -> None:
        """Go on from what was said elsewhere."""
        self._last = None
        self.conversation = conversation

    def close(self) -> None:
        """Free the models, and let others open the session."""
        self.keeper.close()
        self.who.close()

    def _answered(self, question: str) -> Spoken | None:
        def asking() -> list[int]:
            prompt = self._fitting(question)
            self.keeper.asked(question, self.header())
            return prompt

        spoken = self._speak(asking, kept=True)
        if spoken:
            self.conversation.add(question, _message(spoken.finished))
            self._keep(spoken.finished)
        return spoken

    @property
    def _answer(self) -> Message:
        """The last one, which there is."""
        return self.conversation.turns[-1]

    def _keep(self, finished: GenerationFinished) -> None:
        self.keeper.answered(self._answer, finished.finish_reason, finished.seed)

    def _keep_anew(self, finished: GenerationFinished) -> None:
        self.keeper.answered_anew(self._answer, finished.finish_reason, finished.seed)

    def _speak(
        self, prompt: Callable[[], list[int]], index: int = 0, seed: int | None = None, kept: bool = False
    ) -> Spoken | None:
        """An answer on the screen; None if Ctrl-C or an error came before its first word, or any that it goes on with.

        A question that is `kept` is dropped again then. What is shown is kept while it is, also of an answer that goes
        on, which is one from `index` on.
        """
        interrupt = self.pair.session.interrupt
        with stopping(interrupt), unechoed(self.env) if self.chatting else nullcontext():
            tokens = prompt()
            heard = self.keeper.show if kept or index else unheard
            finished = None if interrupt.requested else self.speaker.speak(tokens, index, seed, heard)
        said = finished and (finished.text or (index and finished.reasoning))
        if finished and (said or finished.finish_reason not in ("cancelled", "error")):
            return spoken_by(self.pair, tokens, index, finished)
        if kept:
            self.keeper.drop(1)
        if finished and finished.error:
            raise finished.error
        return None

    def _conclude(self, spoken: Spoken | None, stopped: str) -> None:
        if spoken is None:
            self.tell(stopped)
            return
        self._last = spoken
        if error := spoken.finished.error or unanswered(spoken.finished, in_a_chat=True):
            raise error
        if spoken.finished.complete is False and spoken.finished.finish_reason != "cancelled":
            self.tell("The answer is incomplete: it ended before its form did. /continue goes on.")
        n_ctx = self.pair.session.n_ctx
        if self.used >= _FULL * n_ctx and not self.drops_oldest:
            self.tell(f"The context is nearly full: {self.used:,} of {n_ctx:,} tokens. {_SAID_OF_LENGTH}")

    def _told(self) -> tuple[Sequence[int], Sequence[int], int | None]:
        """The prompt of the last answer, its tokens and its seed, if it was given just now, and to the same prompt."""
        prompt = self.pair.chat_tokens(self.conversation.messages[:-1])
        if self.last and list(self.last.prompt) == prompt:  # /think may have changed it
            return self.last.prompt, self.last.tokens, self.last.finished.seed
        return prompt, self.pair.answer_tokens(prompt, self._answer.content, self._answer.reasoning), None

    def _fitting(self, question: str) -> list[int]:
        """The prompt, for which old turns are dropped if they are to be. Raises `PromptTooLongError`."""
        dropped = 0
        while True:
            try:
                prompt = self.fitting(question)
            except PromptTooLongError:
                if not self.drops_oldest or not self.conversation.turns:
                    raise
                del self.conversation.turns[:2]
                dropped += 1
                continue
            if dropped:
                noun = "turn is" if dropped == 1 else "turns are"
                self.tell(f"The oldest {dropped} {noun} forgotten: the context is full.")
            return prompt
