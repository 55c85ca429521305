"""Timed answers, with models that are functions of their caches."""

from dataclasses import dataclass, field, replace

import pytest

from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import Engine, challengers, fixed, plain
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import ModelDrafter
from specchat.speculative.errors import Cancelled, PromptTooLongError
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session

from ..fakes import FakeModel

CASE = Case(Prompt("code", "12301230"), 0.8)


@dataclass
class Clock:
    """Each look at it takes a second; a tick takes a hundred."""

    now: float = 0.0
    ticks: int = 0

    def __call__(self) -> float:
        self.now += 1
        return self.now

    def tick(self) -> None:
        self.ticks += 1
        self.now += 100


@dataclass
class World:
    target: FakeModel = field(default_factory=lambda: FakeModel(n_vocab=8, memory=3))
    draft: FakeModel = field(default_factory=lambda: FakeModel(n_vocab=8, memory=3))
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        drafter = ModelDrafter(self.draft, lambda token: False, 1000, 8)
        chain = SamplerChain(SamplingParams(temperature=0.5))
        decoder = SpeculativeDecoder(self.target, drafter, FixedLength(3), chain, lambda token: False)
        session = Session(decoder, lambda token: bytes([65 + token]), 1000, 4, 0)
        self.engine = Engine(session, lambda text: [int(character) for character in text])

    def runner(self, most: int = 40, seed: int = 1) -> Runner:
        return Runner(most=most, seed=seed, clock=self.clock, tick=self.clock.tick)


def test_plain_and_drafted_answers_are_the_same_text_at_any_temperature():
    world = World()
    answers = [
        world.runner().answer(variant, Case(CASE.prompt, temperature))
        for temperature in (0.0, 0.8)
        for variant in (plain(world.engine), *challengers(world.engine, [2]))
    ]
    assert answers[0].tokens == answers[1].tokens == answers[2].tokens
    assert answers[3].tokens == answers[4].tokens == answers[5].tokens
    assert answers[0].tokens != answers[3].tokens
    assert answers[0].drafted == (0,) * 40
    assert sum(answers[1].accepted) > 0


def test_every_answer_reads_its_whole_prompt_with_both_models():
    world = World()
    drafted = fixed(world.engine, 3)
    first = world.runner().answer(drafted, CASE)
    passes = sum(world.target.passes), sum(world.draft.passes)
    assert world.runner().answer(drafted, CASE) == first
    assert (sum(world.target.passes), sum(world.draft.passes)) == (2 * passes[0], 2 * passes[1])


class Timing(FixedLength):
    """Takes a plain pass to need a second."""

    def plain_seconds(self) -> float:
        return 1.0


def test_the_speed_up_that_is_shown_counts_the_seconds_of_that_answer_alone():
    """Between its rounds others work, which its own statistics cannot know; here they see microseconds pass."""
    world = World()
    answer = world.runner().answer(replace(fixed(world.engine, 3), length=lambda: Timing(3)), CASE)
    assert answer.shown == pytest.approx(1 + 39 / answer.seconds, rel=0.01)


def test_another_seed_is_another_text():
    world = World()
    texts = {world.runner(seed=seed).answer(plain(world.engine), CASE).tokens for seed in (1, 1, 2)}
    assert len(texts) == 2


def test_showing_progress_takes_none_of_the_measured_time():
    world = World()
    answer = world.runner(most=10).answer(plain(world.engine), CASE)
    assert world.clock.ticks == 10
    assert answer.first_token == 3  # two pieces of the prompt and a round, each timed alone
    assert answer.seconds == 3 + 9 + 1


def test_a_requested_stop_raises_before_and_during_an_answer():
    world = World()
    interrupt = world.engine.session.interrupt
    runner = Runner(most=10, seed=1, clock=world.clock, tick=interrupt.request)
    with pytest.raises(Cancelled):
        runner.answer(plain(world.engine), CASE)
    interrupt.request()
    with pytest.raises(Cancelled):
        runner.answer(plain(world.engine), CASE)


def test_a_prompt_that_does_not_fit_is_told():
    world = World()
    with pytest.raises(PromptTooLongError):
        world.runner().answer(plain(world.engine), Case(Prompt("long", "1" * 1000), 0.0))


def test_waking_up_makes_a_few_tokens():
    world = World()
    world.runner().warm_up(plain(world.engine), CASE)
    assert len(world.target.cached) == 8 + 4 - 1


def test_two_answers_side_by_side_are_what_each_is_alone():
    world = World()
    reference, drafted = plain(world.engine.beside(FakeModel(n_vocab=8, memory=3))), fixed(world.engine, 3)
    for other_first in (False, True):
        pairing = world.runner().race(reference, drafted, CASE, other_first)
        assert pairing.plain == world.runner().answer(reference, CASE)
        assert pairing.other == world.runner().answer(drafted, CASE)
        assert pairing.variant == "fixed 3"


def test_a_machine_that_changes_its_speed_changes_both_answers_alike():
    class Slowing(Clock):
        def __call__(self) -> float:
            self.now *= 1.01
            return self.now

    world = World(clock=Slowing(now=1.0))
    reference = plain(world.engine.beside(FakeModel(n_vocab=8, memory=3)))
    for other_first in (False, True):
        pairing = world.runner().race(reference, plain(world.engine), CASE, other_first)
        assert pairing.speedup == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("other_first", [False, True])
def test_whoever_is_asked_to_goes_first(other_first):
    world, order = World(), []
    twin = FakeModel(n_vocab=8, memory=3)
    for name, model in (("plain", twin), ("other", world.target)):
        model.decode = lambda *args, name=name, decode=model.decode: (order.append(name), decode(*args))[1]
    world.runner(most=3).race(plain(world.engine.beside(twin)), plain(world.engine), CASE, other_first)
    assert order[:2] == (["other", "plain"] if other_first else ["plain", "other"])
