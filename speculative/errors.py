"""The one tree of errors: each says what is wrong in a sentence, and what to do about it in a hint."""


class SpecchatError(Exception):
    """Anything that ends a command with one sentence instead of a traceback.

    `message` names the thing and the number; `hint` says what to type or change next.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SpecchatError):
    """What was asked for contradicts itself or is out of range."""


class ModelLoadError(SpecchatError):
    """A model file is missing, unreadable, or of a kind that llama.cpp cannot run."""


class OutOfMemoryError(ModelLoadError):
    """A model takes more memory than there is, as it was to be loaded; with less of it on devices it may fit."""


class VocabularyMismatchError(SpecchatError):
    """The draft model's tokens are not the target's tokens."""


class PromptTooLongError(SpecchatError):
    """The prompt leaves no room for an answer in the context."""


class ChatTemplateError(SpecchatError):
    """The model has no chat template, or its template cannot be rendered."""


class NotExactError(SpecchatError):
    """No settings were found under which passes of different lengths agree to the last bit."""


class DecodeError(SpecchatError):
    """llama.cpp could not compute a pass."""


class ServerError(SpecchatError):
    """Another machine that computes for this one cannot be reached, or is lost: nothing that it holds can be used."""


class NoServersError(ServerError):
    """The installed llama.cpp can neither use other machines nor be used by them."""


class IncompleteError(SpecchatError):
    """An answer ended before it met the schema or the grammar that was asked for."""


class Cancelled(Exception):
    """A pass was stopped because the user asked for it; the cache holds what it held before."""
