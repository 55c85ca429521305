"""Habits from other tools: what they would do here silently, or as a riddle, gets a sentence with the right spelling.

The tools are llama.cpp's command line, Ollama's, LM Studio's (`lms`) and Simon Willison's `llm`.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import typer

from specchat.profiles.paths import is_file
from specchat.profiles.settings import AUTO, Chosen
from specchat.speculative.errors import UsageError

from .values import whole

RANDOM_SEED = -1
CONTEXT_HINT = "It is the context size, as in -c 8192; -C goes on with the latest chat."
_LLAMA_RANDOM_SEED = 0xFFFFFFFF

_DOWNLOAD = "Models of the hub are fetched with specchat pull USER/REPO[:QUANT], or when -m names them."
_MODES = "With a prompt there is one answer, without one a chat, and -i chats after the first answer."
_GPU = "Layers on the GPU are -ngl N (-ngl 0 for none); as many as fit is the default."
_FORMS = (
    "The form of the answer is --json-schema FILE, or --grammar FILE; --json prints the answer with its statistics."
)
_FORM_FILES = "--json-schema and --grammar take files as well: leave -file out."
_FILES = "Models are files here, and a pair with its settings is a profile: specchat profile new NAME -m MODEL"
_LIST = "specchat list shows the models that are on this machine."
_SESSIONS = "Chats are kept as sessions: specchat session list"
_MIROSTAT = (
    "Mirostat's cut depends on how surprising each token before was to the model, not on the text alone: guesses could "
    "not be checked together. --top-nsigma N and --min-p P adapt to each token, too."
)

COMMANDS = {
    "chat": "A chat is what run does without a prompt: specchat run -m FILE",
    "prompt": 'Ask like this: specchat run -m FILE "…"',
    "generate": 'Ask like this: specchat run -m FILE "…", or go on with a text: specchat complete -m FILE "…"',
    "serve": "There is no server here; run answers in the terminal.",
    "server": "There is no server here; run answers in the terminal.",
    "get": _DOWNLOAD,
    "download": _DOWNLOAD,
    "load": "Every run loads its models itself: specchat run -m FILE",
    "ls": _LIST,
    "create": _FILES,
    "cp": _FILES,
    "import": _FILES,
    "push": _FILES,
    "ps": "Nothing stays loaded between two runs.",
    "stop": "Nothing stays loaded between two runs.",
    "unload": "Nothing stays loaded between two runs.",
    "models": _LIST,
    "log": _SESSIONS,
    "logs": _SESSIONS,
    "sessions": _SESSIONS,
    "history": _SESSIONS,
    "version": "Write specchat --version, or specchat doctor for everything that matters.",
}
"""Commands that other tools have."""

OPTIONS = {
    "-hf": _DOWNLOAD,
    "-hfr": _DOWNLOAD,
    "--hf-repo": _DOWNLOAD,
    "-hfd": _DOWNLOAD,
    "-mu": "The address of a file on the hub goes behind -m as well.",
    "--model-url": "The address of a file on the hub goes behind -m as well.",
    "-cnv": _MODES,
    "--conversation": _MODES,
    "-no-cnv": "To go on with raw text, use specchat complete.",
    "--no-conversation": "To go on with raw text, use specchat complete.",
    "-st": _MODES,
    "--single-turn": _MODES,
    "-if": _MODES,
    "--interactive-first": _MODES,
    "-ins": _MODES,
    "--instruct": _MODES,
    "-sysf": "The system prompt comes from a file with --system @FILE.",
    "--system-prompt-file": "The system prompt comes from a file with --system @FILE.",
    "--sf": "The system prompt comes from a file with --system @FILE.",
    "-co": "--tint colours the tokens that were drafted right.",
    "-e": r"Backslashes are kept as they are; most shells write a line break as $'\n'.",
    "--escape": r"Backslashes are kept as they are; most shells write a line break as $'\n'.",
    "--jinja": "Chat templates always are Jinja here: leave it out.",
    "--no-display-prompt": "The prompt is never repeated in the output: leave it out.",
    "--draft-n": "The number of tokens to draft is --draft-max N.",
    "--draft-min": "How many tokens to draft at most is --draft-max N; there is no least.",
    "--draft-p-min": "How many tokens to draft at most is --draft-max N.",
    "--spec-type": "Draft without a model by --draft ngram.",
    "-cd": "The draft's context is always as long as the target's (-c).",
    "--ctx-size-draft": "The draft's context is always as long as the target's (-c).",
    "--prompt-cache-all": "--prompt-cache FILE keeps the answer of a chat as well: leave it out.",
    "--prompt-cache-ro": "--prompt-cache FILE writes again only where much is new: leave it out.",
    "--mirostat": _MIROSTAT,
    "--mirostat-lr": _MIROSTAT,
    "--mirostat-ent": _MIROSTAT,
    "--grammar-file": _FORM_FILES,
    "-j": _FORMS,
    "-jf": _FORM_FILES,
    "--json-schema-file": _FORM_FILES,
    "--schema": _FORMS,
    "--format": _FORMS,
    "--keepalive": "Nothing stays loaded between two runs: leave it out.",
    "--ttl": "Nothing stays loaded between two runs: leave it out.",
    "--insecure": "A mirror of the hub is named in HF_ENDPOINT.",
    "--nowordwrap": "Words are never wrapped: leave it out.",
    "--hidethinking": "Write --think hide.",
    "--num-ctx": "The context size is -c N.",
    "--context-length": "The context size is -c N.",
    "--num-predict": "The length of the answer is -n N.",
    "--gpu": _GPU,
    "--no-stream": "Text is shown as it comes; --json prints all of it at the end.",
    "-u": "--stats shows the statistics.",
    "--usage": "--stats shows the statistics.",
    "--cid": "--session NAME goes on with a chat that was kept.",
}
"""Options that other tools have and that would be unknown here, or worse, be taken for something else."""

_LLM_OPTIONS = {
    "temperature": "--temp",
    "max_tokens": "-n",
    "num_predict": "-n",
    "num_ctx": "-c",
    "n_ctx": "-c",
    "top_p": "--top-p",
    "top_k": "--top-k",
    "min_p": "--min-p",
    "seed": "-s",
    "stop": "--stop",
    "repeat_penalty": "--repeat-penalty",
    "presence_penalty": "--presence-penalty",
    "frequency_penalty": "--frequency-penalty",
    "typical_p": "--typical",
    "logit_bias": "--logit-bias",
}

_FAMILIES = "llama|qwen|gemma|mistral|mixtral|phi|deepseek|smollm|gpt-oss|granite|olmo|codellama|tinyllama|starcoder"
_MODEL_NAME = re.compile(rf".*\.gguf|({_FAMILIES})[\w.-]*|[\w.-]+(/[\w.-]+)?:[\w.-]+|[\w.-]+/[\w.-]+", re.IGNORECASE)


def check_arguments(arguments: Sequence[str], options: Sequence[int]) -> None:
    """Raise `UsageError` for a command line that belongs to another tool; `options` are the places of its options."""
    if not arguments:
        return
    command, *rest = arguments
    if command in COMMANDS:
        spelled_out = command in ("chat", "prompt", "generate") and "-m" in rest
        hint = f"Write specchat run {shlex.join(rest)}" if spelled_out else COMMANDS[command]
        raise UsageError(f"There is no command {command}.", hint)
    if command == "session":  # its options have nothing to do with those of models
        return
    for place in options:
        option = arguments[place]
        if option == "--option":
            raise UsageError(f"There is no option {option}.", _llm_option(arguments[place + 1 : place + 3]))
        if option == "-o" and (setting := "".join(arguments[place + 1 : place + 2])) in _LLM_OPTIONS:
            message = f"-o takes a file for the answer, and {setting} is a setting."
            raise UsageError(message, _llm_option(arguments[place + 1 : place + 3]))
        name = option.partition("=")[0] if option.startswith("--") else option
        if name in OPTIONS:
            raise UsageError(f"There is no option {name}.", OPTIONS[name])


def _llm_option(pair: Sequence[str]) -> str:
    if len(pair) == 2 and pair[0] in _LLM_OPTIONS:
        return f"Write {_LLM_OPTIONS[pair[0]]} {pair[1]}"
    return "Each setting has an option of its own, such as --temp 0.7; specchat run --help lists them."


def draft_value(text: str) -> str:
    """The value of --draft: a file, auto, ngram or none. In llama.cpp it was a number of tokens."""
    if not text:
        raise typer.BadParameter("The name is empty.\nGive a .gguf file, auto, ngram or none.")
    if text.isdecimal() and not Path(text).exists():
        raise typer.BadParameter(f"{text} is no draft model.\nThe number of tokens to draft is --draft-max {text}")
    return text


def seed_value(text: str) -> int:
    """The value of -s. In llm and LM Studio it is the system prompt."""
    try:
        value = int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.\nThe system prompt is --system {text!r}") from None
    return RANDOM_SEED if value == _LLAMA_RANDOM_SEED else value


def context_value(text: str) -> Chosen:
    """The value of -c. In llm it takes none and goes on with the last chat."""
    if text == AUTO:
        return AUTO
    try:
        value = int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.\n{CONTEXT_HINT}") from None
    if value < 0:
        raise typer.BadParameter(f"{value} is too small: 0, what the model was trained on, is the least.")
    return value


def layers_value(text: str) -> Chosen:
    """The value of -ngl, -ngld and -ncmoe; llama.cpp has these words too."""
    return AUTO if text == AUTO else -1 if text == "all" else whole(-1, "Give a number, auto or all.")(text)


def looks_like_model(word: str) -> bool:
    """Whether a person who types `word` probably means a model."""
    return " " not in word and (_MODEL_NAME.fullmatch(word) is not None or is_file(Path(word)))


def no_model(words: Sequence[str], profiles: Sequence[str], command: str = "run") -> UsageError:
    """What to say when no model is named for `command`."""
    hint = "Name a model with -m, a GGUF file or one that specchat list shows, or try the small one: --profile demo"
    return misplaced_model(words, profiles, command) or UsageError("No model is named.", hint)


def misplaced_model(words: Sequence[str], profiles: Sequence[str], command: str) -> UsageError | None:
    """What to say when the prompt starts with a model, as it does for Ollama and LM Studio; None when it does not."""
    first, rest = (words[0], words[1:]) if words else ("", ())
    prompt = f' "{" ".join(rest)}"' if rest else ""
    if first in profiles:
        return UsageError("No model is named.", f"{first} is a profile: specchat {command} --profile {first}{prompt}")
    if looks_like_model(first):
        return UsageError(
            f"No model is named, and the first word of the prompt, {first}, looks like one.",
            f"Models are named with -m: specchat {command} -m {first}{prompt}",
        )
    return None
