"""How exact the texts of a pair are: to the last bit, as measured, or up to rounding, and how much that is."""

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from ..cache import Cache
from ..errors import SpecchatError, UsageError
from .config import LlamaConfig
from .exact_search import ALL_LENGTHS, LONGEST, Certificate, Search
from .identity import file_identity, loaded_identity
from .loading import check_file
from .pair_config import PairConfig
from .rounding_probe import Probe, Tell, probe, probe_from

CONTEXTS = (100, 1500)
"""After so many tokens rounding is measured for whoever asks how much it is."""
_RULES = 1
"""Grows when measuring changes: what was found by the old rules is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exactness:
    """What was measured of a target; nothing, where both are None.

    `certificate` is what `--exact` found; else `rounding` is the largest difference between the logits of a pass over
    one token and of those in use. Both were measured up to a context of `context` tokens.
    """

    certificate: Certificate | None = None
    rounding: float | None = None
    context: int = 0

    @property
    def bit_exact(self) -> bool | None:
        """Whether drafting cannot change a bit of the text, as far as was measured; None if nothing was."""
        if self.certificate is not None:
            return True
        return None if self.rounding is None else self.rounding == 0

    def notice(self, config: PairConfig) -> str | None:
        """What `--exact` changes of `config` and what that costs, in a sentence; None if nothing."""
        found = self.certificate
        if found is None:
            return None
        changes = found.changes(config.target_config)
        if found.most <= config.draft_max:
            changes.append(f"at most {found.most - 1} guesses in a round")
        if not changes:
            return None
        return (
            f"Exact with {', '.join(changes)}: decoding plain takes {found.plain_cost:.2f} times as long, drafted "
            f"{found.drafted_cost:.2f} times or more, and the text may be another than without --exact."
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
        return replace(config, target_config=found.applied(config.target_config), draft_max=min(config.draft_max, most))


@dataclass(frozen=True, slots=True)
class Verified:
    """What was measured of a target, and what `--exact` changed for that."""

    probe: Probe
    notice: str | None


def verified(config: PairConfig, tell: Tell) -> Verified:
    """Measure how the passes of a target round, with `exact` under the settings that are exact. Raises as that does."""
    cache = exactness_cache(config)
    exactness = exactness_of(config, cache, tell)
    return Verified(measured_rounding(exactness.applied(config), cache, tell), exactness.notice(config))


def exactness_cache(config: PairConfig) -> Cache:
    """Where what was measured is kept."""
    return Cache(config.cache_folder / "exactness" if config.cache_folder else None)


def exactness_of(config: PairConfig, cache: Cache, tell: Tell) -> Exactness:
    """What is known of a target; with `exact` it is measured unless an earlier run did, which takes a minute or so.

    `tell` is told what is being done. Raises `NotExactError`, `ModelLoadError`, `Cancelled`.
    """
    if config.exact:
        certificate = certified(config, cache, tell)
        return Exactness(certificate=certificate, context=certificate.context)
    known = known_rounding(config, cache)
    if known is None or not known.roundings:
        return Exactness()
    return Exactness(rounding=known.worst, context=known.roundings[-1].context)


def certified(config: PairConfig, cache: Cache, tell: Tell) -> Certificate:
    """The certificate of a target, from an earlier run or measured now. Raises as `exactness_of` does."""
    key = f"exact {_identity(config)}"
    if (known := _certificate(cache.load(key))) is not None:
        return known
    name = config.target.name
    search = Search(
        config.target_config,
        lambda settings, contexts, lengths, doing: probe(
            config.target, settings, contexts, lengths, partial(_tell_measuring, tell, name, doing)
        ),
        name,
    )
    found = search.run()
    cache.save(key, asdict(found))
    return found


def known_rounding(config: PairConfig, cache: Cache) -> Probe | None:
    """What an earlier run measured of a target as it is loaded."""
    return probe_from(cache.load(_rounding_key(config)))


def measured_rounding(config: PairConfig, cache: Cache, tell: Tell) -> Probe:
    """The rounding of passes of all lengths in use, and between ways to cut a prompt; kept for later runs.

    `tell` is told what is being done. Raises `ModelLoadError`, `Cancelled`.
    """
    if (known := known_rounding(config, cache)) is not None:
        return known
    doing = partial(_tell_measuring, tell, config.target.name, "")
    found = probe(config.target, config.target_config, CONTEXTS, ALL_LENGTHS, doing, cuts=True)
    cache.save(_rounding_key(config), asdict(found))
    return found


def _rounding_key(config: PairConfig) -> str:
    return f"rounding {_identity(config)}"


def _identity(config: PairConfig) -> str:
    check_file(config.target)
    return f"{_RULES} | {loaded_identity(file_identity(config.target), config.target_config)}"


def _tell_measuring(tell: Tell, name: str, doing: str, seconds: float) -> None:
    tell(f"measuring how passes of {name} round{doing and ', '}{doing}: {seconds:.0f} s")


def _certificate(value: Any) -> Certificate | None:
    """The certificate in a cached value; None if that cannot be true."""
    try:
        found = Certificate(**value)
        LlamaConfig(cache_type_k=found.cache_type_k, cache_type_v=found.cache_type_v, min_pass=found.least)
        plausible = 1 <= found.least < found.most <= LONGEST
    except (TypeError, SpecchatError):
        return None
    return found if plausible else None
