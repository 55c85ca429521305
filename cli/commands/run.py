"""`specchat run`: one answer, or a chat."""

from ..environment import Environment
from ..options import (
    AnswerOptions,
    ChatOptions,
    DraftingOptions,
    MachineOptions,
    ModelOptions,
    OutputOptions,
    PlacingOptions,
    PromptOptions,
    SamplingOptions,
)
from ..scripts.options import ScriptOptions


def run(
    env: Environment,
    prompt: PromptOptions,
    models: ModelOptions,
    chat: ChatOptions,
    answer: AnswerOptions,
    sampling: SamplingOptions,
    drafting: DraftingOptions,
    placing: PlacingOptions,
    machine: MachineOptions,
    output: OutputOptions,
    script: ScriptOptions,
) -> None:
    """Answer a prompt, or chat when there is none.

    Piped input comes before the prompt. The answer goes to standard output, everything else to standard error.
    """
    from ..flags import PairOptions
    from .run_plan import RunOptions
    from .running import carry_out

    env.color = script.color
    pair = PairOptions(
        models=models,
        drafting=drafting,
        placing=placing,
        machine=machine,
        sampling=sampling,
        verbose=output.verbose,
    )
    carry_out(env, RunOptions(prompt=prompt, chat=chat, answer=answer, pair=pair, output=output, script=script))
