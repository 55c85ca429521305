"""A pair with its layers in many places, on servers of this machine that stand for devices.

What it says can be compared with plain decoding on the CPU, what it takes with the plan that the product makes.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from specchat.cli.memory.plan import memory_plan
from specchat.profiles.seen_model import see_file
from specchat.speculative.devices import Device
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.events import GenerationFinished
from specchat.speculative.footprint.placing import Placed
from specchat.speculative.footprint.shape import ModelShape
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.lazy import loaded_model_drafter
from specchat.speculative.llama.backend import start_backend
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.ggml import device_pointers, named_devices, with_memory
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.rpc.courier import RemoteCall
from specchat.speculative.llama.rpc.servers import connect
from specchat.speculative.logprobs import ScoredToken
from specchat.speculative.parting import first_difference

from ..llama.allocated import Reported, reported
from ..real.same_text import Case, generate
from .servers import serving

BEST = 5
"""So many tokens are compared at each place of two texts."""
_GREW = "does not match expectation"
"""Said by llama.cpp at the end of a context whose buffers had to grow after it was made."""


@dataclass(frozen=True)
class Way:
    """The shares of the layers of target and draft that each device is to have; the CPU has the others."""

    target: tuple[float, ...] = ()
    draft: tuple[float, ...] = ()


@dataclass(frozen=True)
class Weighed:
    """What one model was planned to take at `places`, and what llama.cpp says of it."""

    places: Sequence[Device]
    planned: Placed
    reported: Reported

    @property
    def as_planned(self) -> bool:
        """Whether devices have the layers that they were to have, and no other place has anything."""
        found = sum(self.reported.of(place).total for place in self.places)
        return (self.planned.on_devices, found) == (self.reported.layers, self.reported.total)

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Bytes of each place that is to have any, by its name: as planned, and as reported."""
        pairs = zip(self.places, self.planned.shares, strict=True)
        return {place.name: (share.total, self.reported.of(place).total) for place, share in pairs if share.total}


@dataclass(frozen=True)
class Outcome:
    """A case, answered plain and drafted, by models that are placed in one way.

    `kept_to` says whether buffers are at the end what they were when the models were loaded.
    """

    plain: GenerationFinished
    drafted: GenerationFinished
    target: Weighed
    draft: Weighed
    kept_to: bool


@dataclass(frozen=True)
class Parted:
    """Texts that part at a `place`, where one token leads by `margin`; before that logarithms moved by `moved`."""

    place: int
    margin: float
    moved: float

    @property
    def is_near_tie(self) -> bool:
        """Whether rounding explains it: both tokens move."""
        return self.margin <= 2 * self.moved


@contextmanager
def devices(count: int) -> Iterator[tuple[Device, ...]]:
    """The CPU and so many devices, with their memory; those of servers that are gone are not asked."""
    with ExitStack() as opened:
        endpoints = [opened.enter_context(serving()).endpoint for _ in range(count)]
        connect(endpoints, start_backend(), Interrupt())
        ask = RemoteCall(Interrupt())
        known = zip(named_devices(), device_pointers(), strict=True)
        wanted = [each for each in known if each[0].kind == "CPU" or each[0].description in endpoints]
        yield tuple(ask(with_memory, device, pointer) for device, pointer in wanted)


def outcome(config: PairConfig, way: Way, there: Sequence[Device], case: Case) -> Outcome:
    """Plan, load, and answer a case twice; `config` says how many tokens are drafted in a round."""
    assert isinstance(config.draft, Path)
    assert config.draft_length is not None
    target, draft = _shape(config.target), _shape(config.draft)
    asked = replace(
        config,
        target_config=_placed(config.target_config, target, way.target, there),
        draft_config=_placed(config.draft_config, draft, way.draft, there),
        scores=BEST,
    )
    plan = (made := memory_plan(target, draft, asked, there)).plan
    assert plan is not None
    assert plan.draft is not None
    with redirect_stderr(io.StringIO()) as log, load_pair(made.applied(asked), Interrupt()) as pair:
        drafter = loaded_model_drafter(pair.session.decoder.drafter)
        assert drafter is not None
        plain, drafted = (generate(pair, case, each, config.draft_length) for each in (NoDrafter(), drafter))
    answering, guessing = reported(log.getvalue(), config.draft_length + 1, 1)
    return Outcome(
        plain,
        drafted,
        Weighed(plan.places, plan.target, answering),
        Weighed(plan.places, plan.draft, guessing),
        _GREW not in log.getvalue(),
    )


def parted(expected: GenerationFinished, found: GenerationFinished) -> Parted | None:
    """Where texts part, and whether they may; None where they are the same."""
    place = first_difference(expected.tokens, found.tokens)
    if place is None:
        assert len(expected.tokens) == len(found.tokens)
        return None
    moved = max(map(_moved, expected.scored[:place], found.scored[:place]), default=0.0)
    leader, other = expected.scored[place].chosen, found.scored[place].chosen.token
    beside = {each.token: each.logprob for each in expected.scored[place].best}
    return Parted(place, leader.logprob - beside.get(other, -inf), moved)


def _moved(expected: ScoredToken, found: ScoredToken) -> float:
    """By how much the logarithms of the probabilities of the best tokens differ, at most."""
    there = {each.token: each.logprob for each in found.best}
    return max(abs(each.logprob - there[each.token]) for each in expected.best if each.token in there)


def _placed(config: LlamaConfig, shape: ModelShape, shares: Sequence[float], there: Sequence[Device]) -> LlamaConfig:
    """Settings by which devices get so much of a model."""
    remote = [device for device in there if device.is_remote]
    counts = [round(share * (len(shape.layers) + 1)) for share in shares]
    taking = [(device.name, float(count)) for device, count in zip(remote, counts, strict=False) if count]
    return replace(
        config,
        rpc=tuple(device.description for device in remote),
        devices=tuple(name for name, _ in taking),
        tensor_split=tuple(count for _, count in taking),
        n_gpu_layers=sum(counts),
        mmap=False,
        verbose=True,
    )


def _shape(path: Path) -> ModelShape:
    shape = see_file(path).shape()
    assert shape is not None
    return shape
