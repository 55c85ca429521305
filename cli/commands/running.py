"""How `specchat run` goes: what is asked for, then the models, then one of four ways to answer."""

from collections.abc import Sequence
from dataclasses import replace

from ..answering.askers import Ask, chat_asker
from ..answering.compare import Comparer
from ..answering.speaker import Speaker
from ..chat.conversation import Conversation
from ..chat.dialogue import Dialogue
from ..chat.kept import kept_chat
from ..chat.loop import Chat
from ..chat.other_models import OtherModels
from ..doctor.reminder import remind_of_gpu
from ..environment import Environment
from ..form import asked_form
from ..models.loading import load, tell_notices
from ..models.suggest import keep_suggestion
from ..precedence import asked
from ..request import limits, obtain_config
from ..scripts.rules import check_script
from ..scripts.scripted import Scripted
from ..scripts.unshown import Answerer
from .run_plan import RunOptions, RunPlan, run_flags, run_plan
from .show_config import show_config


def carry_out(env: Environment, options: RunOptions) -> None:
    """Do what the options ask for."""
    models, chat, quiet = options.pair.models, options.chat, options.output.quiet
    check_script(options.script, options.output, chat=chat.interactive, compare=chat.compare)
    flags = run_flags(env, options)
    if models.show_config:
        flags, profile = kept_chat(env, chat).with_its_models(env, flags, models.profile, quiet=quiet)
        show_config(env, asked(env, flags, profile), options.output.json)
        return
    plan = run_plan(env, options, flags)
    form = asked_form(env, plan.wanted.layer)
    options = replace(options, pair=replace(options.pair, states=plan.states, form=form))
    settings = plan.wanted.settings
    config = obtain_config(env, options.pair, plan.wanted, quiet=quiet, chat_template=plan.template)
    config = replace(config, scores=options.script.logprobs)
    if plan.suggested:
        keep_suggestion(env, plan.suggested)
    with load(env, config, quiet) as pair:
        remind_of_gpu(env, pair.placement, settings.on_cpu, quiet=quiet or options.output.json)
        speaker = Speaker(env, pair, limits(options.answer, settings), options.output, folds=settings.think == "hide")
        ask = chat_asker(pair, Conversation(settings.system).messages)
        if plan.many:
            plan.many.run(Answerer(env, pair, speaker.limits, ask, options.script.extract, quiet, speaker.folds))
        elif chat.compare:
            Comparer(env, pair, speaker.limits, options.output, speaker.folds).run(_prompt(ask, plan))
        elif options.script.wanted:
            Scripted(speaker, options.script, plan.destination).run(_prompt(ask, plan))
        else:
            _talk(_dialogue(speaker, options, plan), plan)
    tell_notices(env, pair, quiet)


def _prompt(ask: Ask, plan: RunPlan) -> Sequence[int]:
    """The tokens of the one prompt, which there is where there is no chat."""
    assert plan.text is not None
    return ask(plan.text, None)


def _dialogue(speaker: Speaker, options: RunOptions, plan: RunPlan) -> Dialogue:
    """The chat, or the one answer that is kept like a chat."""
    env, pair = speaker.env, options.pair
    others = OtherModels(env, pair, plan.flags, plan.profile, plan.template, options.output.quiet)
    kept = plan.kept.if_wanted(env, plan.chats)
    drops_oldest = options.chat.overflow == "drop-oldest"
    dialogue = others.dialogue(speaker, plan.wanted, kept, chatting=plan.chats, drops_oldest=drops_oldest)
    if plan.flags.settings.system is not None:  # over that of the session
        dialogue.set_system(plan.flags.settings.system)
    return dialogue


def _talk(dialogue: Dialogue, plan: RunPlan) -> None:
    if plan.chats:
        Chat(dialogue).run(plan.text, plan.typed)
        return
    assert plan.text is not None
    try:
        dialogue.answer_once(plan.text)
    finally:
        dialogue.close()
