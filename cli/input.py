"""What the user wants to say: arguments, files and standard input, put together."""

from threading import Timer

from specchat.profiles.paths import expanded
from specchat.speculative.errors import UsageError

from .display.screen import note, one_line
from .environment import Environment
from .foreign_bytes import clean_argument, decoded
from .options import PromptOptions

MOST_BYTES = 64 << 20
"""More than any context holds."""


def read_prompt(env: Environment, options: PromptOptions, quiet: bool = False) -> str | None:
    """The prompt: piped input, files and arguments in this order, a blank line between them.

    None if nothing was given and the standard input is a terminal. Raises `UsageError` for an empty prompt and for
    everything that cannot be read.
    """
    argument = _argument(options)
    piped = env.stdin is not None and not env.stdin_is_terminal and not options.no_stdin
    parts = [("standard input", _read_stdin(env, quiet))] if piped else []
    parts += [(name, read_file(env, name)) for name in options.files or ()]
    parts += [("the argument", argument)] if argument is not None else []
    if not parts:
        if env.stdin_is_terminal and not options.no_stdin:
            return None
        raise UsageError("There is no prompt.", "Write it behind the options, in quotation marks.")
    prompt = "\n\n".join(text for _, text in parts if text)
    if not prompt.strip():
        sources = " and ".join(name for name, _ in parts)
        raise UsageError(
            f"There is no prompt: {sources} {'is' if len(parts) == 1 else 'are'} empty.",
            "Write it behind the options, in quotation marks.",
        )
    return prompt


def typed_prompt(options: PromptOptions, prompt: str | None) -> str:
    """The `prompt` if all of it was typed; empty where files or piped input are in it, which no line shall hold."""
    typed = _argument(options)
    return typed if typed and typed == prompt else ""


def text_or_file(env: Environment, value: str) -> str:
    """The value of an option that takes a text, or a file as @FILE."""
    return read_file(env, value[1:]) if value.startswith("@") else clean_argument(value)


def _argument(options: PromptOptions) -> str | None:
    if options.words and options.prompt is not None:
        raise UsageError(
            f"There are two prompts: -p {options.prompt!r} and {' '.join(options.words)!r}.",
            "Give one of them; -f FILE puts a file before it.",
        )
    if options.prompt is not None:
        return clean_argument(options.prompt)
    return clean_argument(" ".join(options.words)) if options.words else None


def read_file(env: Environment, name: str) -> str:
    """The text in a file. Raises `UsageError` where it cannot be read, or is no text."""
    if not name:
        raise UsageError("A file has an empty name.", "Write its name behind the option, or behind the @.")
    try:
        with expanded(name).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{one_line(name)} cannot be read: {error.strerror}.", "Check the path.") from error
    _check_size(data, one_line(name))
    return decoded(env, data, one_line(name))


def _read_stdin(env: Environment, quiet: bool) -> str:
    waiting = Timer(env.patience, lambda: note(env, "reading stdin… --no-stdin skips it"))
    waiting.daemon = True
    if not quiet:
        waiting.start()
    try:
        data = env.stdin.read(MOST_BYTES + 1) if env.stdin else b""
    finally:
        waiting.cancel()
    _check_size(data, "Standard input")
    text = decoded(env, data, "standard input")
    if text and env.stderr_is_terminal and not quiet:
        note(env, f"{len(text):,} characters from standard input")
    return text


def _check_size(data: bytes, name: str) -> None:
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name} is longer than {MOST_BYTES >> 20} MiB, which no context holds.", "Send less.")
