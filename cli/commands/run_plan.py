"""What `specchat run` is to do, found out from its options before any model is fetched or loaded."""

from dataclasses import dataclass
from pathlib import Path

from specchat.profiles.settings import Layer
from specchat.speculative.errors import UsageError
from specchat.speculative.state_places import StatePlace

from ..answering.compare import check_comparable
from ..answering.kept_states import state_place
from ..chat.kept import KeptChat, kept_chat
from ..environment import Environment
from ..flags import PairOptions, flag_settings
from ..input import read_prompt, text_or_file, typed_prompt
from ..models.suggest import with_model
from ..options import AnswerOptions, ChatOptions, OutputOptions, PromptOptions
from ..precedence import Asked, NamedProfile
from ..scripts.options import ScriptOptions
from ..scripts.rules import Many, prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """All the options of a run."""

    prompt: PromptOptions
    chat: ChatOptions
    answer: AnswerOptions
    pair: PairOptions
    output: OutputOptions
    script: ScriptOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What is to be loaded and said: `many` prompts, or the `text` of one, None for a chat that begins with none.

    `flags` and `profile` are what options say, or else the session of its models; `suggested` is a profile that was
    agreed to just now. `typed` is the text where all of it was typed.
    """

    flags: Layer
    profile: NamedProfile | None
    wanted: Asked
    suggested: str | None
    kept: KeptChat
    template: str | None
    many: Many | None
    destination: Path | None
    text: str | None
    typed: str
    chats: bool
    states: StatePlace | None


def run_flags(env: Environment, options: RunOptions) -> Layer:
    """What the options set."""
    chat = options.chat
    system = text_or_file(env, chat.system) if chat.system is not None else None
    answer = options.answer
    return flag_settings(options.pair, env.mirror, system, answer.stop, chat.think, answer.json_schema, answer.grammar)


def run_plan(env: Environment, options: RunOptions, flags: Layer) -> RunPlan:
    """What is to be done. Asks for a model where none is named, reads the prompt, and makes ready for a chat.

    Raises `UsageError` where options contradict each other or something cannot be read, and what `with_model` does.
    """
    chat, models, script = options.chat, options.pair.models, options.script
    kept = kept_chat(env, chat)
    if kept.name is not None and (script.batch or script.each or script.wanted):
        raise UsageError("A session keeps what is said in a chat.", "Leave it out, or the options for scripts.")
    flags, profile = kept.with_its_models(env, flags, models.profile, quiet=options.output.quiet)
    many, destination = prepared(env, script, options.prompt, options.output)
    wanted, suggested = with_model(env, flags, profile, options.prompt, offline=models.offline)
    template = text_or_file(env, f"@{chat.chat_template}") if chat.chat_template is not None else None
    text = "" if many else read_prompt(env, options.prompt, options.output.quiet)
    chats = text is None or chat.interactive
    if chats:
        _prepare_chat(env, options)
    if chat.compare:
        check_comparable(wanted.settings, options.pair.drafting.verification)
    return RunPlan(
        flags=flags,
        profile=profile,
        wanted=wanted,
        suggested=suggested,
        kept=kept,
        template=template,
        many=many,
        destination=destination,
        text=text,
        typed=typed_prompt(options.prompt, text),
        chats=chats,
        states=_states(env, options, kept, chats),
    )


def _states(env: Environment, options: RunOptions, kept: KeptChat, chats: bool) -> StatePlace | None:
    """Where to keep what was read. Raises `UsageError` where that contradicts other options."""
    asked, chat = options.prompt.prompt_cache, options.chat
    for option, given in (("--no-save", chat.no_save), ("--compare", chat.compare)):
        if given and asked is not None:
            raise UsageError(f"With {option} nothing is kept.", "Leave that out, or --prompt-cache.")
    return state_place(env, asked, session=kept.sessions is not None and (chats or kept.name is not None))


def _prepare_chat(env: Environment, options: RunOptions) -> None:
    """Let the person type. Raises `UsageError` where there can be no chat."""
    asked = ("--json", options.output.json), ("--compare", options.chat.compare), *options.script.single
    for option, given in asked:
        if given:
            raise UsageError(f"{option} answers one prompt, but this is a chat.", "Give a prompt and leave -i out.")
    if not env.stdin_is_terminal:
        env.take_terminal()
