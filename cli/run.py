"""`specchat run`: one answer, or a chat."""

from specchat.speculative.errors import UsageError

from .environment import Environment
from .input import read_prompt, text_or_file
from .options import (
    AnswerOptions,
    ChatOptions,
    DraftingOptions,
    MachineOptions,
    ModelOptions,
    OutputOptions,
    PromptOptions,
    SamplingOptions,
)
from .script_options import ScriptOptions


def run(
    env: Environment,
    prompt: PromptOptions,
    models: ModelOptions,
    chat: ChatOptions,
    answer: AnswerOptions,
    sampling: SamplingOptions,
    drafting: DraftingOptions,
    machine: MachineOptions,
    output: OutputOptions,
    script: ScriptOptions,
) -> None:
    """Answer a prompt, or chat when there is none.

    Piped input comes before the prompt. The answer goes to standard output, everything else to standard error.
    """
    from specchat.speculative.messages import Message

    from .askers import chat_asker
    from .auto_draft import with_draft
    from .chat import Chat
    from .compare import Comparer, check_comparable
    from .flags import PairOptions, flag_settings
    from .loading import load
    from .precedence import asked
    from .request import limits, pair_config
    from .script_rules import check_script, prepared
    from .scripted import Scripted
    from .show_config import show_config
    from .speaker import Speaker
    from .suggest import keep_suggestion, with_model
    from .unseen import Answerer

    env.color = script.color
    check_script(script, output, chat=chat.interactive, compare=chat.compare)
    options = PairOptions(models=models, drafting=drafting, machine=machine, sampling=sampling, verbose=output.verbose)
    system = text_or_file(env, chat.system) if chat.system is not None else None
    flags = flag_settings(options, env.mirror, system, answer.stop)
    if models.show_config:
        show_config(env, asked(env, flags, models.profile), output.json)
        return
    several, destination = prepared(env, script, prompt, output)
    wanted, suggested = with_model(env, flags, models, prompt)
    settings = wanted.settings
    template = text_or_file(env, f"@{chat.chat_template}") if chat.chat_template is not None else None
    text = "" if several else read_prompt(env, prompt, output.quiet)
    if text is None or chat.interactive:
        _prepare_chat(env, output, chat, script)
    if chat.compare:
        check_comparable(settings, drafting.verification)
    config = pair_config(env, options, wanted, quiet=output.quiet, chat_template=template)  # gigabytes may come
    if suggested:
        keep_suggestion(env, suggested)
    config = with_draft(env, config, settings.draft, offline=models.offline, quiet=output.quiet)
    history = [Message("system", settings.system)] if settings.system else []
    with load(env, config, output.quiet) as pair:
        speaker = Speaker(env, pair, limits(answer, settings), output)
        if text is None or chat.interactive:
            Chat(speaker, history).run(text)
            return
        if several:
            several.run(Answerer(env, pair, speaker.limits, chat_asker(pair, history), script.extract, output.quiet))
            return
        tokens = pair.chat_tokens([*history, Message("user", text)])
        if chat.compare:
            Comparer(env, pair, speaker.limits, output).run(tokens)
        elif script.wanted:
            Scripted(speaker, script, destination).run(tokens)
        else:
            speaker.speak_once(tokens)


def _prepare_chat(env: Environment, output: OutputOptions, chat: ChatOptions, script: ScriptOptions) -> None:
    """Raise `UsageError` where there can be no chat."""
    for option, given in (("--json", output.json), ("--compare", chat.compare), *script.single):
        if given:
            raise UsageError(f"{option} answers one prompt, but this is a chat.", "Give a prompt and leave -i out.")
    if not env.stdin_is_terminal:
        env.take_terminal()
