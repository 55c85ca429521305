"""What a chat has come to: the system prompt that holds, and the turns that were not taken back."""

from dataclasses import asdict, dataclass, field, replace

from specchat.speculative.messages import Message

from .lines import Drop, Entry, Header, Models, SystemPrompt, Turn


@dataclass(slots=True)
class Transcript:
    """A chat after all the entries that were applied to it.

    The `header` says which models hold by now. `chose_system` tells a chat without a system prompt from one of which an
    older version did not write that down.
    """

    header: Header
    system: str | None = None
    turns: list[Turn] = field(default_factory=list)
    chose_system: bool = False

    @classmethod
    def begun(cls, header: Header) -> "Transcript":
        """A chat in which nothing was said yet."""
        return cls(header, header.system, chose_system=header.system is not None)

    @property
    def messages(self) -> list[Message]:
        """What a model is to be told: the system prompt, if there is one, and the messages."""
        system = [] if self.system is None else [Message("system", self.system)]
        return [*system, *(turn.message for turn in self.turns)]

    @property
    def unanswered(self) -> bool:
        """Whether the last word is the user's."""
        return bool(self.turns) and self.turns[-1].message.role == "user"

    @property
    def last_answer(self) -> Message | None:
        """What the assistant said, if that is the last word."""
        last = self.turns[-1].message if self.turns else None
        return last if last and last.role == "assistant" else None

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return sum(turn.message.role == "assistant" for turn in self.turns)

    @property
    def first_words(self) -> str:
        """What the user said first; empty where nothing was said."""
        return next((turn.message.content for turn in self.turns if turn.message.role == "user"), "")

    def apply(self, entry: Entry) -> None:
        """Let an entry come true; of more turns to drop than there are, all are dropped."""
        match entry:
            case Turn():
                self.turns.append(entry)
            case Drop(count):
                del self.turns[max(0, len(self.turns) - count) :]
            case SystemPrompt(text):
                self.system, self.chose_system = text, True
            case Models():
                self.header = replace(self.header, **asdict(entry))
