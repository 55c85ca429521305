"""What was said in a chat, and what can be taken back of it."""

from dataclasses import dataclass, field

from specchat.speculative.messages import Message


@dataclass(slots=True)
class Conversation:
    """A system prompt, if there is one, and turns: always one of the user, then one of the assistant."""

    system: str | None = None
    turns: list[Message] = field(default_factory=list)

    @property
    def messages(self) -> list[Message]:
        """All of it, as a chat template takes it."""
        return [*([Message("system", self.system)] if self.system else []), *self.turns]

    @property
    def question(self) -> str | None:
        """What the user said last."""
        return self.turns[-2].content if self.turns else None

    @property
    def answer(self) -> Message | None:
        """What the assistant said last."""
        return self.turns[-1] if self.turns else None

    def asking(self, question: str) -> list[Message]:
        """All of it, and a question that has no answer yet."""
        return [*self.messages, Message("user", question)]

    def add(self, question: str, answer: Message) -> None:
        """Remember a question with its answer."""
        self.turns += [Message("user", question), answer]

    def replace_answer(self, answer: Message) -> None:
        """Put another answer in the place of the last one, which there is."""
        self.turns[-1] = answer

    def undo(self) -> str:
        """Take the last question and its answer back, which there are; returns the question."""
        question, _ = self.turns[-2:]
        del self.turns[-2:]
        return question.content
