"""From the options of `specchat bench` to what is measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from specchat.profiles.settings import Settings
from specchat.speculative.bench.cases import HELD_OUT_SET, KINDS, QUICK_KINDS, Case, Prompt, cases_of, packaged_prompts
from specchat.speculative.bench.schedule import Plan
from specchat.speculative.bench.subject import Subject
from specchat.speculative.bench.variants import PLAIN, Engine, Variant, challengers, opponents, plain
from specchat.speculative.errors import UsageError
from specchat.speculative.llama.pair_config import DEFAULT_DRAFT_MAX, PairConfig
from specchat.speculative.messages import Message
from specchat.speculative.model import LanguageModel

from ..display.screen import warn
from ..environment import Environment
from ..flags import PairOptions
from ..input import text_or_file
from ..models.fetching import obtain_pair
from ..models.whereabouts import source_of, whereabouts
from ..options import DraftingOptions, MachineOptions, ModelOptions, PlacingOptions, SamplingOptions
from .options import BenchOptions

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair

_QUICK_SECONDS, _FULL_SECONDS = 180.0, 3600.0
_QUICK_TOKENS, _FULL_TOKENS = 128, 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """All that is measured: `variants` by their names, plain first, each against plain; `twin` is the target again."""

    subject: Subject
    twin: LanguageModel
    variants: dict[str, Variant]
    plan: Plan
    tokens: int
    seed: int

    def opponents(self, name: str, swapped: bool = False) -> tuple[Variant, Variant]:
        """Plain decoding and the variant of a name; see `variants.opponents`."""
        return opponents(self.variants[PLAIN], self.variants[name], self.twin, swapped)


def options_of(
    models: ModelOptions,
    what: BenchOptions,
    drafting: DraftingOptions,
    placing: PlacingOptions,
    machine: MachineOptions,
    verbose: bool,
) -> PairOptions:
    """The options that say how a pair is loaded."""
    return PairOptions(
        models=models,
        drafting=drafting,
        placing=placing,
        machine=machine,
        sampling=SamplingOptions(seed=what.seed),
        verbose=verbose,
    )


def check_measurable(settings: Settings, models: ModelOptions, what: BenchOptions) -> None:
    """Raise `UsageError` where there is nothing to compare."""
    if models.draft == "none" and what.against is None:
        raise UsageError("Without a draft there is nothing to compare.", "Name one with --draft FILE, or leave it out.")
    if settings.draft_length is not None:
        raise UsageError(
            "A fixed draft length is measured beside the adaptive one.", f"Write --fixed {settings.draft_length}"
        )
    _check_lengths(what, settings.draft_max or DEFAULT_DRAFT_MAX, "Allow it with --draft-max {}")


def with_drafter(config: PairConfig, models: ModelOptions) -> PairConfig:
    """The same with something that drafts, unless the options say that nothing shall."""
    return config if config.draft != "none" or models.draft == "none" else replace(config, draft="ngram")


def _check_lengths(what: BenchOptions, most: int, hint: str) -> None:
    for length in what.fixed.items if what.fixed else ():
        if length > most:
            raise UsageError(f"The fixed length {length} is longer than drafts may be.", hint.format(length))


def rival_config(env: Environment, config: PairConfig, model: str, options: PairOptions, quiet: bool) -> PairConfig:
    """The same with the model of --against, which nothing drafts for; it is fetched where it is not here."""
    where = whereabouts(env, offline=options.models.offline)
    rival = obtain_pair(env, Settings(target=source_of(env, model)), where, draft_required=True, quiet=quiet)
    return replace(config, target=rival.target.path, draft="none")


def prepare(env: Environment, pair: "Pair", twin: LanguageModel, rival: "Pair | None", what: BenchOptions) -> Contest:
    """What to measure with the loaded models, `twin` being the target once more. Raises `UsageError` if nothing can."""
    _check_lengths(what, pair.config.draft_max, f"With --exact they may have {pair.config.draft_max} tokens here.")
    engines = [_engine(each) for each in (pair, rival) if each]
    subject = subject_of(pair.config, rival.config if rival else None)
    found = [plain(engines[0]), *challengers(engines[0], what.fixed.items if what.fixed else (), what.full)]
    if rival and subject.rival_variant:
        found.append(plain(engines[1], subject.rival_variant))
    if len(found) == 1:
        raise UsageError(f"Nothing can be drafted for {pair.target.name}.", "Compare it with another: --against FILE")
    variants = {variant.name: variant for variant in found}
    tokens = what.tokens or (_FULL_TOKENS if what.full else _QUICK_TOKENS)
    plan = Plan(
        cases=cases_of(_fitting(env, _prompts(env, what), engines, tokens), _temperatures(engines[0], what)),
        variants=tuple(variants)[1:],
        seconds=what.seconds or (_FULL_SECONDS if what.full else _QUICK_SECONDS),
    )
    return Contest(
        subject=subject,
        twin=twin,
        variants=variants,
        plan=plan,
        tokens=tokens,
        seed=what.seed,
    )


def subject_of(config: PairConfig, rival: PairConfig | None = None) -> Subject:
    """What a benchmark of this pair is about, and beside it of the target of a `rival`."""
    draft = config.draft if isinstance(config.draft, str) else config.draft.name
    return Subject(
        title=f"{config.target.name}, drafted by {draft}" if draft != "none" else config.target.name,
        ngrams=config.draft == "ngram",
        rival=rival.target.stem if rival else None,
        same_text=config.verification == "coupled",
    )


def _engine(pair: "Pair") -> Engine:
    return Engine(pair.session, partial(_chat, pair.chat_tokens))


def _chat(tokens: Callable[[Sequence[Message]], list[int]], text: str) -> list[int]:
    return tokens([Message("user", text)])


def _prompts(env: Environment, what: BenchOptions) -> tuple[Prompt, ...]:
    if what.files and not what.kinds:
        return tuple(Prompt(Path(file).stem, text_or_file(env, f"@{file}")) for file in what.files)
    own = tuple(Prompt(Path(file).stem, text_or_file(env, f"@{file}")) for file in what.files or ())
    kinds = what.kinds.items if what.kinds else (KINDS if what.full else QUICK_KINDS)
    return (*own, *packaged_prompts(kinds, what.prompt_set or HELD_OUT_SET))


def _temperatures(engine: Engine, what: BenchOptions) -> tuple[float, ...]:
    usual = engine.decoder.chain.params.temperature
    if what.temperatures:
        return what.temperatures.items
    return (0.0, usual) if what.full else (usual,)


def _fitting(env: Environment, prompts: Sequence[Prompt], engines: Sequence[Engine], tokens: int) -> list[Prompt]:
    """The prompts that leave room for an answer of every engine; the others are told."""
    fitting = [prompt for prompt in prompts if all(_fits(prompt, engine, tokens) for engine in engines)]
    smallest = min(engine.session.n_ctx for engine in engines)
    if not fitting:
        raise UsageError(
            f"No prompt leaves room for {tokens} tokens in a context of {smallest}.",
            "Ask for fewer with --tokens, or make the context larger with -c.",
        )
    if long := [prompt.kind for prompt in prompts if prompt not in fitting]:
        warn(env, f"Left out, too long for a context of {smallest}: {', '.join(long)}.")
    return fitting


def _fits(prompt: Prompt, engine: Engine, tokens: int) -> bool:
    return len(engine.tokens(prompt.text)) + tokens <= engine.session.n_ctx


def labels(cases: Sequence[Case]) -> dict[Case, str]:
    """What to call each case: its kind, and its temperature where there are several."""
    several = len({case.temperature for case in cases}) > 1
    return {case: f"{case.prompt.kind}, T {case.temperature:g}" if several else case.prompt.kind for case in cases}
