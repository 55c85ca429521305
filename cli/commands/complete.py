"""`specchat complete`: raw text goes on, without a chat template."""

from dataclasses import replace

from specchat.speculative.errors import UsageError

from ..environment import Environment
from ..input import read_prompt, text_or_file
from ..options import (
    AnswerOptions,
    DraftingOptions,
    MachineOptions,
    ModelOptions,
    OutputOptions,
    PlacingOptions,
    PromptOptions,
    RawOptions,
    SamplingOptions,
)
from ..scripts.options import ScriptOptions


def complete(
    env: Environment,
    prompt: PromptOptions,
    models: ModelOptions,
    raw: RawOptions,
    answer: AnswerOptions,
    sampling: SamplingOptions,
    drafting: DraftingOptions,
    placing: PlacingOptions,
    machine: MachineOptions,
    output: OutputOptions,
    script: ScriptOptions,
) -> None:
    """Go on with a text, as it is, without a chat template.

    With --suffix, write what stands between the prompt and the suffix. Only the new text is printed.
    """
    from ..answering.askers import raw_asker
    from ..answering.kept_states import state_place
    from ..answering.speaker import Speaker
    from ..flags import PairOptions, flag_settings
    from ..form import asked_form
    from ..models.loading import load, tell_notices
    from ..precedence import asked, named_profile
    from ..request import check_model, limits, obtain_config
    from ..scripts.rules import check_script, prepared
    from ..scripts.scripted import Scripted
    from ..scripts.unshown import Answerer
    from .show_config import show_config

    env.color = script.color
    check_script(script, output)
    states = state_place(env, prompt.prompt_cache, session=False)
    options = PairOptions(
        models=models,
        drafting=drafting,
        placing=placing,
        machine=machine,
        sampling=sampling,
        verbose=output.verbose,
        states=states,
    )
    said = flag_settings(options, env.mirror, stop=answer.stop, json_schema=answer.json_schema, grammar=answer.grammar)
    wanted = asked(env, said, named_profile(models.profile))
    if models.show_config:
        show_config(env, wanted, output.json)
        return
    check_model(env, wanted, prompt, "complete")
    suffix = text_or_file(env, raw.suffix) if raw.suffix is not None else None
    if suffix is not None and raw.special:
        raise UsageError("--special has no meaning with --suffix.", "The tokens for filling in are put there anyway.")
    several, destination = prepared(env, script, prompt, output)
    text = "" if several else read_prompt(env, prompt, output.quiet)
    if text is None:
        raise UsageError("There is no text to go on with.", "Write it behind the options, or pipe it in.")
    options = replace(options, form=asked_form(env, wanted.layer))
    config = replace(obtain_config(env, options, wanted, quiet=output.quiet), raw=True, scores=script.logprobs)
    with load(env, config, output.quiet) as pair:
        speaker = Speaker(env, pair, limits(answer, wanted.settings), output)
        ask = raw_asker(pair, suffix, raw.special)
        if several:
            several.run(Answerer(env, pair, speaker.limits, ask, script.extract, output.quiet))
        elif script.wanted:
            Scripted(speaker, script, destination).run(ask(text, None))
        else:
            speaker.speak_once(ask(text, None))
    tell_notices(env, pair, output.quiet)
