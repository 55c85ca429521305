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
    from .askers import chat_asker
    from .chat import Chat
    from .compare import Comparer, check_comparable
    from .conversation import Conversation
    from .flags import PairOptions, flag_settings
    from .kept_chat import kept_chat
    from .loading import load
    from .other_models import OtherModels
    from .precedence import asked
    from .request import limits, obtain_config
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
    flags = flag_settings(options, env.mirror, system, answer.stop, chat.think)
    if models.show_config:
        show_config(env, asked(env, flags, models.profile), output.json)
        return
    kept = kept_chat(env, chat)
    if kept.name is not None and (script.batch or script.each or script.wanted):
        raise UsageError("A session keeps what is said in a chat.", "Leave it out, or the options for scripts.")
    flags = kept.with_its_model(flags, models.profile)
    several, destination = prepared(env, script, prompt, output)
    wanted, suggested = with_model(env, flags, models, prompt)
    settings = wanted.settings
    template = text_or_file(env, f"@{chat.chat_template}") if chat.chat_template is not None else None
    text = "" if several else read_prompt(env, prompt, output.quiet)
    if text is None or chat.interactive:
        _prepare_chat(env, output, chat, script)
    if chat.compare:
        check_comparable(settings, drafting.verification)
    config = obtain_config(env, options, wanted, quiet=output.quiet, chat_template=template)
    if suggested:
        keep_suggestion(env, suggested)
    conversation = Conversation(settings.system)
    with load(env, config, output.quiet) as pair:
        speaker = Speaker(env, pair, limits(answer, settings), output, folds=settings.think == "hide")
        if several:
            ask = chat_asker(pair, conversation.messages)
            several.run(Answerer(env, pair, speaker.limits, ask, script.extract, output.quiet, speaker.folds))
            return
        if chat.compare:
            Comparer(env, pair, speaker.limits, output, speaker.folds).run(
                pair.chat_tokens(conversation.asking(text or ""))
            )
            return
        if script.wanted:
            Scripted(speaker, script, destination).run(pair.chat_tokens(conversation.asking(text or "")))
            return
        kept = kept.if_wanted(env, text is None or chat.interactive)
        others = OtherModels(env, options, flags, models.profile, template, output.quiet)
        dialogue = others.dialogue(speaker, wanted, kept, drops_oldest=chat.overflow == "drop-oldest")
        if system is not None:
            dialogue.set_system(system)
        if text is None or chat.interactive:
            Chat(dialogue).run(text)
            return
        try:
            dialogue.answer_once(text)
        finally:
            dialogue.close()


def _prepare_chat(env: Environment, output: OutputOptions, chat: ChatOptions, script: ScriptOptions) -> None:
    """Raise `UsageError` where there can be no chat."""
    for option, given in (("--json", output.json), ("--compare", chat.compare), *script.single):
        if given:
            raise UsageError(f"{option} answers one prompt, but this is a chat.", "Give a prompt and leave -i out.")
    if not env.stdin_is_terminal:
        env.take_terminal()
