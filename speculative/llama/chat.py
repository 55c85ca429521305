"""Chats as tokens: the template of the model speaks to it in control tokens, what people type never does."""

from collections.abc import Sequence

import jinja2
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from ..errors import ChatTemplateError
from ..messages import Message
from .standins import Marks, StandIns
from .vocabulary import SpecialToken, Vocabulary

_HINT = "Give a template of your own with --chat-template FILE, or continue raw text with specchat complete."
_SWITCHES = ("enable_thinking", "thinking")
"""What templates call the switch for reasoning: Qwen3 and most others the first, DeepSeek and Granite the second."""


class ChatTemplate:
    """A Jinja template, as in the `tokenizer.chat_template` of a GGUF file, with the vocabulary it is written for."""

    def __init__(self, vocabulary: Vocabulary, source: str | None, name: str, title: str = "") -> None:
        """Take the template `source` for the model `name`; `title` is what to call it if it is not the model's own.

        Raises `ChatTemplateError` if there is none, or if it does not parse.
        """
        if not source or source.isspace():
            raise ChatTemplateError(f"{title} is empty." if title else f"{name} has no chat template.", _HINT)
        self._vocabulary = vocabulary
        self.source = source
        self._title = title or f"The chat template of {name}"
        self._formatters = (self._formatter(False), self._formatter(True))
        special = [token for token in vocabulary.special_tokens if not token.is_typeable]
        self._typed_marks = Marks(token.text for token in special)
        self._model_marks = Marks(token.text for token in special if token.is_control)

    def tokens(
        self, messages: Sequence[Message], add_generation_prompt: bool = True, thinks: bool | None = None
    ) -> list[int]:
        """The tokens of a chat: those of the rendered text, save that no text in it can pass for a control token.

        In messages of the model, user-defined tokens (`<tool_call>`) stay what they are, so that an answer is read as
        it was written. There is exactly one BOS if the vocabulary adds one. Templates that can be told whether to ask
        for reasoning are told what `thinks` says, unless that is None.

        Raises `ChatTemplateError` with the template's own words if it rejects the messages.
        """
        stand_ins = StandIns([self.source, *(message.content for message in messages)])
        replaced = [Message(message.role, self._replace(message, stand_ins)) for message in messages]
        rendered = self.render(replaced, add_generation_prompt, thinks)
        if stand_ins.used:
            tokens = [token for part in self._partition(rendered) for token in self._part_tokens(part, stand_ins)]
        else:
            tokens = self._vocabulary.tokenize(rendered, parse_special=True)
        return self._with_one_bos(tokens)

    def render(
        self, messages: Sequence[Message], add_generation_prompt: bool = True, thinks: bool | None = None
    ) -> str:
        """The text of a chat; a system message that the template does not know becomes part of the first turn."""
        folded = _fold_system(messages)
        try:
            rendered = self._render(messages, add_generation_prompt, thinks)
        except ChatTemplateError:
            if folded is None:
                raise
            return self._render(folded, add_generation_prompt, thinks)
        if folded is not None and messages[0].content.strip() not in rendered:
            return self._render(folded, add_generation_prompt, thinks)
        return rendered

    def _render(self, messages: Sequence[Message], add_generation_prompt: bool, thinks: bool | None) -> str:
        said = {} if thinks is None else dict.fromkeys(_SWITCHES, thinks)
        dictionaries = [{"role": message.role, "content": message.content} for message in messages]
        try:
            response = self._formatters[add_generation_prompt](messages=dictionaries, **said)  # type: ignore[arg-type]
        except Exception as error:  # somebody else's program ran, and it can raise anything
            raise ChatTemplateError(f"{self._title} rejects the chat: {_said(error)}", _HINT) from error
        return response.prompt

    def _formatter(self, add_generation_prompt: bool) -> Jinja2ChatFormatter:
        vocabulary = self._vocabulary
        try:
            return Jinja2ChatFormatter(
                template=self.source,
                eos_token=_text(vocabulary, vocabulary.eos),
                bos_token=_text(vocabulary, vocabulary.bos),
                add_generation_prompt=add_generation_prompt,
            )
        except jinja2.TemplateSyntaxError as error:
            raise ChatTemplateError(
                f"{self._title} does not parse: line {error.lineno}: {error.message}", _HINT
            ) from error
        except Exception as error:  # it is a program, and Python may not like what Jinja makes of it
            raise ChatTemplateError(f"{self._title} does not parse: {_said(error)}", _HINT) from error

    def _replace(self, message: Message, stand_ins: StandIns) -> str:
        marks = self._model_marks if message.role == "assistant" else self._typed_marks
        return stand_ins.replace(message.content, marks)

    def _partition(self, text: str) -> list[str | int]:
        parts: list[str | int] = [text]
        for special in self._vocabulary.special_tokens:
            if special.text in text:
                parts = [piece for part in parts for piece in cut_out(part, special)]
        return parts

    def _part_tokens(self, part: str | int, stand_ins: StandIns) -> list[int]:
        return [part] if isinstance(part, int) else self._vocabulary.tokenize_plain(stand_ins.restore(part))

    def _with_one_bos(self, tokens: list[int]) -> list[int]:
        bos = self._vocabulary.bos
        if bos is None or not self._vocabulary.adds_bos:
            return tokens
        written = 0
        while written < len(tokens) and tokens[written] == bos:
            written += 1
        return [bos, *tokens[written:]]


def cut_out(part: str | int, special: SpecialToken) -> list[str | int]:
    """Cut every occurrence of a special token out of a text, as llama.cpp does."""
    if isinstance(part, int):
        return [part]
    space = " \t\n\v\f\r"
    pieces: list[str | int] = []
    left, found, rest = part.partition(special.text)
    while found:
        left = left.rstrip(space) if special.strips_left else left
        rest = rest.lstrip(space) if special.strips_right else rest
        pieces += [left, special.id] if left else [special.id]
        left, found, rest = rest.partition(special.text)
    return [*pieces, left] if left else pieces


def _fold_system(messages: Sequence[Message]) -> list[Message] | None:
    """The same chat with the system message in front of the first user's; None if there is nothing to fold."""
    if len(messages) < 2 or messages[0].role != "system" or messages[1].role != "user":
        return None
    system, user, *others = messages
    return [Message("user", f"{system.content}\n\n{user.content}"), *others]


def _said(error: Exception) -> str:
    """The words of an error, in one line; its name if it has none. Where Python stumbled is no line of a template."""
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(words.split()) or type(error).__name__


def _text(vocabulary: Vocabulary, token: int | None) -> str:
    return "" if token is None else vocabulary.text(token).decode(errors="replace")
