"""How exact the texts of a pair are: to the last bit, as measured, or up to rounding, and how much that is."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count

from ..cache import Cache
from ..errors import UsageError
from ..interrupt import Interrupt
from ..model_file import check_file, file_identity
from .certificate import LONGEST, Certificate, certificate_from
from .config import LlamaConfig
from .exact_search import ALL_LENGTHS, Search
from .identity import loaded_identity
from .pair_config import PairConfig
from .progress import Progress
from .rounding_probe import Probe, probe, probe_from

CONTEXTS = (100, 1500)
"""After so many tokens rounding is measured for whoever asks how much it is."""
_FAR = 2048
"""More tokens than any measurement reads."""
_RULES = 4
"""Grows when measuring changes: what was found by the old rules is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exactness:
    """What was measured of a target; nothing, where both are None.

    `certificate` is what `--exact` found; else `rounding` is the largest difference between the logits of a pass over
    one token and of the passes that drafting uses. Both were measured up to a context of `context` tokens. Of a mixture
    of experts no measurement says that there is none, since what an expert computes depends on the other tokens.
    """

    certificate: Certificate | None = None
    rounding: float | None = None
    context: int = 0
    experts: bool = False

    @property
    def bit_exact(self) -> bool | None:
        """Whether drafting cannot change a bit of the text, as far as was measured; None if nothing was."""
        if self.certificate is not None:
            return True
        return None if self.rounding is None else self.rounding == 0 and not self.experts

    def notice(self, config: PairConfig) -> str | None:
        """What `--exact` changes of `config` and what that costs, in a sentence; None if nothing."""
        found = self.certificate
        if found is None:
            return None
        changes = found.changes(config.target_config)
        costs = f"a token that is decoded plain takes {found.plain_cost:.2f} times as long"
        if config.draft != "none":
            costs += f", a drafted one at most {found.drafted_cost:.2f} times"
            if found.most <= config.most_drafted:
                changes.append(f"at most {found.most - 1} guesses in a round")
        if not changes:
            return None
        return (
            f"Exact with {', '.join(changes)}. Against a run without --exact {costs}, and the text may be another one."
        )

    def applied(self, config: PairConfig) -> PairConfig:
        """What to load. Raises `UsageError` where a fixed draft length goes beyond what is exact."""
        found = self.certificate
        if found is None:
            return config
        most = found.most - 1
        if config.draft_length is not None and config.draft_length > most:
            raise UsageError(
                f"With --exact at most {most} tokens can be drafted in a round, not {config.draft_length}.",
                f"Write --draft-length {most}, or leave one of the two out.",
            )
        return replace(
            config,
            target_config=found.applied(config.target_config),
            draft_config=replace(config.draft_config, tiled=found.tiled),
            draft_max=min(config.draft_max, most),
        )


@dataclass(frozen=True, slots=True)
class Verified:
    """What was measured of a target, with passes of up to `longest` tokens in use, and what `--exact` changed for that.

    With experts and kernels that do not take rows one by one, it is `uncertain` whether other tokens matter.
    """

    probe: Probe
    longest: int
    notice: str | None = None
    uncertain: bool = False


def verified(config: PairConfig, progress: Progress) -> Verified:
    """Measure how the passes of a target round, with `exact` under the settings that are exact. Raises as that does."""
    cache = exactness_cache(config)
    exactness = exactness_of(config, cache, progress)
    applied = exactness.applied(config)
    found = measured_rounding(applied, cache, progress)
    longest = min(applied.draft_max + 1, LONGEST)
    return Verified(found, longest, exactness.notice(config), found.experts and not config.exact)


def exactness_cache(config: PairConfig) -> Cache:
    """Where what was measured is kept."""
    return Cache(config.cache_folder / "exactness" if config.cache_folder else None)


def exactness_of(config: PairConfig, cache: Cache, progress: Progress, interrupt: Interrupt | None = None) -> Exactness:
    """What is known of a target; with `exact` it is measured unless an earlier run did, which takes minutes.

    Raises `NotExactError`, `ModelLoadError`, `DecodeError`, and `Cancelled` where the `interrupt` was requested.
    """
    if config.exact:
        certificate = certified(config, cache, progress, interrupt)
        return Exactness(certificate=certificate, context=certificate.context)
    known = known_rounding(config, cache)
    longest = config.most_drafted + 1
    if known is None or not known.roundings or longest > LONGEST:
        return Exactness()
    return Exactness(rounding=known.worst(longest), context=known.roundings[-1].context, experts=known.experts)


def certified(config: PairConfig, cache: Cache, progress: Progress, interrupt: Interrupt | None = None) -> Certificate:
    """The certificate of a target, from an earlier run or measured now. Raises as `exactness_of` does."""
    key = f"exact {_identity(config)}"
    if (known := certificate_from(cache.load(key))) is not None:
        return known
    name, steps = config.target.name, count(1)

    def measure(settings: LlamaConfig, contexts: Sequence[int], lengths: Sequence[int], doing: str) -> Probe:
        waiting = _waiting(progress, f"{name}, step {next(steps)}, {doing}", interrupt)
        return probe(config.target, settings, contexts, lengths, waiting)

    found = Search(config.target_config, measure, name).run()
    cache.save(key, asdict(found))
    return found


def known_rounding(config: PairConfig, cache: Cache) -> Probe | None:
    """What an earlier run measured of a target as it is loaded."""
    return probe_from(cache.load(_rounding_key(config)))


def measured_rounding(config: PairConfig, cache: Cache, progress: Progress) -> Probe:
    """The rounding of passes over up to `LONGEST` tokens, and between ways to cut a prompt; kept for later runs.

    Raises `ModelLoadError`, `DecodeError`, `Cancelled`.
    """
    if (known := known_rounding(config, cache)) is not None:
        return known
    waiting = _waiting(progress, config.target.name, None)
    found = probe(config.target, config.target_config, CONTEXTS, ALL_LENGTHS, waiting, cuts=True)
    cache.save(_rounding_key(config), asdict(found))
    return found


def _rounding_key(config: PairConfig) -> str:
    return f"rounding {_identity(config)}"


def _identity(config: PairConfig) -> str:
    """What it depends on; a context is measured as far as it goes, and none beyond `_FAR` tokens."""
    check_file(config.target)
    room = min(config.target_config.n_ctx or _FAR, _FAR)
    return f"{_RULES} | {room} | {loaded_identity(file_identity(config.target), config.target_config)}"


def _waiting(progress: Progress, what: str, interrupt: Interrupt | None) -> Callable[[float], None]:
    """What to call while a measurement of `what` goes on."""

    def waiting(seconds: float) -> None:
        if interrupt is not None:
            interrupt.check()
        progress(f"measuring how passes round, {seconds:.0f} s: {what}")

    return waiting
