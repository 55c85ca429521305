"""The options of the commands, in the groups that `--help` shows. None means: not given, so something else decides."""

from dataclasses import dataclass
from typing import Annotated

import typer

from specchat.profiles.settings import THINK

from .habits import context_value, draft_value, seed_value
from .values import filled, number, one_of, token_limit, whole

MODELS, PROMPT, ANSWER, SAMPLING = "Models", "Prompt", "Answer", "Sampling"
DRAFTING, MACHINE, OUTPUT = "Drafting", "Machine", "Output"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which models."""

    model: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--model",
            parser=filled("a .gguf file, USER/REPO:QUANT or a name that specchat list shows"),
            metavar="MODEL",
            help="What answers: a GGUF file, USER/REPO[:QUANT] of the hub, a profile, a name that specchat list shows.",
            rich_help_panel=MODELS,
        ),
    ] = None
    draft: Annotated[
        str | None,
        typer.Option(
            "-md",
            "--draft",
            "--model-draft",
            parser=draft_value,
            metavar="MODEL|auto|ngram|none",
            help="What guesses ahead: a small model, the n-grams of the text or nothing. auto, the default, takes "
            "the best model on this machine that fits, or else n-grams.",
            rich_help_panel=MODELS,
        ),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            parser=filled("the name of a profile, or a YAML file"),
            metavar="NAME|FILE",
            help="A pair with its settings, as specchat profile list shows them, or a YAML file of your own.",
            rich_help_panel=MODELS,
        ),
    ] = None
    offline: Annotated[bool, typer.Option("--offline", help="Ask nothing of the hub.", rich_help_panel=MODELS)] = False
    show_config: Annotated[
        bool,
        typer.Option(
            "--show-config",
            help="Show what is set, and where each of it was said, and do nothing else.",
            rich_help_panel=MODELS,
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptions:
    """What to say to the model."""

    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROMPT", show_default=False, help="The prompt, in quotation marks or not.", rich_help_panel=PROMPT
        ),
    ] = None
    prompt: Annotated[
        str | None, typer.Option("-p", "--prompt", metavar="TEXT", help="The prompt.", rich_help_panel=PROMPT)
    ] = None
    files: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--file",
            metavar="FILE",
            show_default=False,
            help="Put this file before the prompt (repeatable).",
            rich_help_panel=PROMPT,
        ),
    ] = None
    no_stdin: Annotated[
        bool, typer.Option("--no-stdin", help="Leave standard input alone.", rich_help_panel=PROMPT)
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How to talk to the model."""

    system: Annotated[
        str | None,
        typer.Option(
            "-sys",
            "--system",
            "--system-prompt",
            metavar="TEXT|@FILE",
            help="The system prompt.",
            rich_help_panel=PROMPT,
        ),
    ] = None
    interactive: Annotated[
        bool,
        typer.Option("-i", "--interactive", help="Go on with a chat after the first answer.", rich_help_panel=PROMPT),
    ] = False
    resume: Annotated[
        bool,
        typer.Option("-C", "--continue", help="Go on with the latest session, and its model.", rich_help_panel=PROMPT),
    ] = False
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            parser=filled("the name of a session, as specchat session list shows it, or a new one"),
            metavar="NAME",
            help="Go on with this session, or begin it.",
            rich_help_panel=PROMPT,
        ),
    ] = None
    no_save: Annotated[bool, typer.Option("--no-save", help="Keep nothing of this chat.", rich_help_panel=PROMPT)] = (
        False
    )
    overflow: Annotated[
        str,
        typer.Option(
            "--overflow",
            parser=one_of("refuse", "drop-oldest"),
            metavar="refuse|drop-oldest",
            help="What a chat does when its context is full: refuse the message, or forget the oldest turns.",
            rich_help_panel=PROMPT,
        ),
    ] = "refuse"
    think: Annotated[
        str | None,
        typer.Option(
            "--think",
            parser=one_of(*THINK),
            metavar="on|off|hide",
            help="Whether the model reasons before it answers, and whether that is shown; usually as its template has "
            "it, and dimmed. Reasoning is never written into pipes and files.",
            rich_help_panel=ANSWER,
        ),
    ] = None
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Answer twice, plain and drafted: both times, and whether the text is the same.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    chat_template: Annotated[
        str | None,
        typer.Option(
            "--chat-template",
            metavar="FILE",
            help="Use this Jinja template, not the model's own.",
            rich_help_panel=PROMPT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOptions:
    """How to continue raw text."""

    suffix: Annotated[
        str | None,
        typer.Option(
            "--suffix",
            metavar="TEXT|@FILE",
            help="Fill in the middle: what comes after the gap.",
            rich_help_panel=PROMPT,
        ),
    ] = None
    special: Annotated[
        bool,
        typer.Option(
            "--special", help="Read control tokens such as <|im_start|> in the prompt.", rich_help_panel=PROMPT
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """Where the answer ends."""

    limit: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--n-predict",
            "--max-tokens",
            parser=token_limit,
            metavar="N",
            help="At most N tokens; -1, the default, is no limit.",
            rich_help_panel=ANSWER,
        ),
    ] = None
    stop: Annotated[
        list[str] | None,
        typer.Option(
            "-r",
            "--stop",
            metavar="TEXT",
            show_default=False,
            help="End the answer before this text (repeatable).",
            rich_help_panel=ANSWER,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingOptions:
    """How tokens are chosen. What is not given comes from the profile, the model's file, or llama.cpp's defaults."""

    seed: Annotated[
        int,
        typer.Option(
            "-s",
            "--seed",
            parser=seed_value,
            metavar="N",
            help="-1, the default, chooses one.",
            show_default=False,
            rich_help_panel=SAMPLING,
        ),
    ] = -1
    temperature: Annotated[
        float | None,
        typer.Option(
            "--temp",
            "--temperature",
            parser=number(0),
            metavar="T",
            help="0 takes the likeliest token; usually 0.8.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k",
            parser=whole(-1),
            metavar="N",
            help="Keep the N likeliest tokens; usually 40, 0 keeps all.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    top_p: Annotated[
        float | None,
        typer.Option(
            "--top-p",
            parser=number(0, 1),
            metavar="P",
            help="Keep tokens up to this total probability; usually 0.95.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    min_p: Annotated[
        float | None,
        typer.Option(
            "--min-p",
            parser=number(0, 1),
            metavar="P",
            help="Drop tokens below P times the best; usually 0.05.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    repeat_penalty: Annotated[
        float | None,
        typer.Option(
            "--repeat-penalty",
            parser=number(),
            metavar="X",
            help="Make recent tokens less likely; 1 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    presence_penalty: Annotated[
        float | None,
        typer.Option(
            "--presence-penalty",
            parser=number(),
            metavar="X",
            help="Taken off what occurred at all; 0 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    frequency_penalty: Annotated[
        float | None,
        typer.Option(
            "--frequency-penalty",
            parser=number(),
            metavar="X",
            help="Taken off each time it occurred; 0 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    penalty_last_n: Annotated[
        int | None,
        typer.Option(
            "--repeat-last-n",
            parser=whole(-1),
            metavar="N",
            help="How many tokens are recent: usually 64, -1 all.",
            rich_help_panel=SAMPLING,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftingOptions:
    """How to draft."""

    draft_max: Annotated[
        int | None,
        typer.Option(
            "--draft-max",
            parser=whole(1, "Give 1 or more; --draft none drafts nothing."),
            metavar="N",
            help="Guess at most N tokens ahead (16), fewer where that pays better.",
            rich_help_panel=DRAFTING,
        ),
    ] = None
    draft_length: Annotated[
        int | None,
        typer.Option(
            "--draft-length",
            parser=whole(0),
            metavar="N",
            help="Always guess N tokens ahead; a draft model then guesses alone, without n-grams.",
            rich_help_panel=DRAFTING,
        ),
    ] = None
    verification: Annotated[
        str,
        typer.Option(
            "--verification",
            parser=one_of("coupled", "rejection"),
            metavar="coupled|rejection",
            show_default=False,
            help="Same text with any draft (the default), or accept a little more often.",
            rich_help_panel=DRAFTING,
        ),
    ] = "coupled"
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="The same text to the last bit, by settings that are found by measuring, once, for minutes.",
            rich_help_panel=DRAFTING,
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineOptions:
    """What to compute with."""

    context: Annotated[
        int | None,
        typer.Option(
            "-c",
            "--ctx-size",
            parser=context_value,
            metavar="N",
            help="Tokens of context: 8192 unless the model was trained on less; 0 is what it was trained on.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    gpu_layers: Annotated[
        int | None,
        typer.Option(
            "-ngl",
            "--gpu-layers",
            "--n-gpu-layers",
            parser=whole(-1),
            metavar="N",
            help="Layers of the model on the GPU; -1, the default, is all.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    draft_gpu_layers: Annotated[
        int | None,
        typer.Option(
            "-ngld",
            "--gpu-layers-draft",
            "--n-gpu-layers-draft",
            parser=whole(-1),
            metavar="N",
            help="The same for the draft model.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(
            "-t",
            "--threads",
            parser=whole(1),
            metavar="N",
            help="CPU threads; one a core unless given.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    flash_attention: Annotated[
        str | None,
        typer.Option(
            "-fa",
            "--flash-attn",
            parser=one_of("auto", "on", "off"),
            metavar="on|off|auto",
            show_default=False,
            help="Flash attention; usually auto.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    cache_type_k: Annotated[
        str | None,
        typer.Option(
            "-ctk",
            "--cache-type-k",
            metavar="TYPE",
            help="Type of the K cache; usually f16.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    cache_type_v: Annotated[
        str | None,
        typer.Option(
            "-ctv",
            "--cache-type-v",
            metavar="TYPE",
            help="Type of the V cache; usually f16.",
            rich_help_panel=MACHINE,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """What to show."""

    json: Annotated[
        bool, typer.Option("--json", help="One JSON object with text and statistics.", rich_help_panel=OUTPUT)
    ] = False
    stats: Annotated[
        bool,
        typer.Option("--stats", help="The statistics line, also when output is redirected.", rich_help_panel=OUTPUT),
    ] = False
    tint: Annotated[
        bool, typer.Option("--tint", help="Colour the tokens that were drafted right.", rich_help_panel=OUTPUT)
    ] = False
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Show Markdown and code in colours; the text stays.", rich_help_panel=OUTPUT),
    ] = False
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="The answer and errors only.", rich_help_panel=OUTPUT)
    ] = False
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="llama.cpp's log, and the statistics.", rich_help_panel=OUTPUT)
    ] = False
    debug: Annotated[bool, typer.Option("--debug", help="Tracebacks of errors.", rich_help_panel=OUTPUT)] = False
