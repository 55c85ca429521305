"""What stands in for models and chance: a model that is a function of its cache, and noise that can be enumerated."""

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import numpy as np

from specchat.speculative.distribution import TokenDistribution
from specchat.speculative.drafting import Draft, Drafter, Guess, Offer, Propose
from specchat.speculative.model import Rows
from specchat.speculative.noise import Purpose, SeededNoise
from specchat.speculative.sampling import Logits, SamplerChain, SamplingParams
from specchat.speculative.verification import CoupledVerification

Outcome = TypeVar("Outcome", bound=Hashable)


@dataclass
class FakeModel:
    """Logits are a function of the cached tokens, so a cache that is wrong gives other logits.

    `memory` limits how far the context counts, `forgets` makes every rollback lose everything (recurrent models).
    """

    n_vocab: int = 4
    seed: int = 0
    memory: int = 100
    forgets: bool = False
    scale: float = 1.0
    cached: list[int] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)
    closed: bool = False
    loads: list[bytes] = field(default_factory=list)
    """All states that it was given."""
    keeps: list[int] = field(default_factory=list)
    """How many tokens it held whenever a way back was to be kept."""

    def rollback(self, length: int) -> int:
        if self.forgets and length < len(self.cached):
            length = 0
        del self.cached[length:]
        return len(self.cached)

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        assert tokens, "an empty decode is an error of llama.cpp"
        self.passes.append(len(tokens))
        self.cached.extend(tokens)
        ends = range(len(self.cached) - n_logits + 1, len(self.cached) + 1)
        return np.array([self.logits(self.cached[:end]) for end in ends], np.float32).reshape(n_logits, self.n_vocab)

    @property
    def shortens_states(self) -> bool:
        return not self.forgets

    def save_state(self) -> memoryview:
        return memoryview(bytes(self.cached) * 2)

    def load_state(self, tokens: Sequence[int], state: bytearray) -> bool:
        self.cached[:] = []
        self.loads.append(bytes(state))
        if bytes(tokens) * 2 != bytes(state):
            return False
        self.cached[:] = tokens
        return True

    def logits(self, context: Sequence[int]) -> list[float]:
        chance = random.Random(f"{self.seed}:{list(context[-self.memory :])}")
        return [self.scale * chance.gauss(0, 1) for _ in range(self.n_vocab)]

    def nearest(self, length: int) -> int:
        return 0 if self.forgets and length < len(self.cached) else min(length, len(self.cached))

    def keep(self) -> None:
        self.keeps.append(len(self.cached))

    def close(self) -> None:
        self.closed = True


@dataclass
class BranchingNoise:
    """Takes the branches that `script` says, then the first of each; `weight` is the probability of the path.

    XTC's coin falls once at each place: draft and target see the same side of it.
    """

    script: Sequence[int]
    weight: float = 1.0
    taken: list[tuple[int, int]] = field(default_factory=list)
    coins: dict[int, bool] = field(default_factory=dict)

    def draw(self, distribution: TokenDistribution, index: int, purpose: Purpose) -> int:
        return int(distribution.tokens[self._branch(np.exp(distribution.logprobs).tolist())])

    def accept(self, probability: float, index: int, purpose: Purpose = Purpose.ACCEPT) -> bool:
        if purpose == Purpose.EXCLUDE and index in self.coins:
            return self.coins[index]
        falls = self._branch([min(1.0, probability), max(0.0, 1 - probability)]) == 0
        if purpose == Purpose.EXCLUDE:
            self.coins[index] = falls
        return falls

    def _branch(self, weights: Sequence[float]) -> int:
        possible = [branch for branch, weight in enumerate(weights) if weight > 0]
        place = len(self.taken)
        choice = self.script[place] if place < len(self.script) else 0
        self.taken.append((choice, len(possible)))
        self.weight *= weights[possible[choice]]
        return possible[choice]


def law(run: Callable[[BranchingNoise], Outcome]) -> dict[Outcome, float]:
    """The exact distribution of what `run` returns, by taking every branch of its noise."""
    outcomes: dict[Outcome, float] = {}
    scripts: list[list[int]] = [[]]
    while scripts:
        noise = BranchingNoise(scripts.pop())
        fixed = len(noise.script)
        outcome = run(noise)
        outcomes[outcome] = outcomes.get(outcome, 0.0) + noise.weight
        path = [choice for choice, _ in noise.taken]
        for place in range(fixed, len(path)):
            scripts += [[*path[:place], other] for other in range(1, noise.taken[place][1])]
    return outcomes


@dataclass
class ScriptedDrafter:
    """Drafts what a function of the context says, as a point mass."""

    guess: Callable[[Sequence[int]], Sequence[int]]

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        return (Offer("script", map(Guess.certain, self.guess(context))),)

    def close(self) -> None:
        pass


CHAIN = SamplerChain(SamplingParams(temperature=1.0, min_p=0.0, presence_penalty=0.2))


def propose(seed: int) -> Propose:
    """Guesses as the loop makes them, with `CHAIN` and the noise of `seed`."""
    return Proposing(seed)


@dataclass
class Proposing:
    """Guesses with the noise of `seed`; behind some texts others are `forced_behind` them."""

    seed: int
    forced_behind: Callable[[Sequence[int]], Sequence[int]] = lambda text: ()

    def __call__(self, logits: Logits, text: Sequence[int]) -> Guess:
        distribution = CHAIN.distribution(logits, text)
        return Guess(CoupledVerification(SeededNoise(self.seed)).propose(distribution, len(text)), distribution)

    def forced(self, text: Sequence[int]) -> Sequence[Guess]:
        return [Guess(token, None, 1.0, is_forced=True) for token in self.forced_behind(text)]


def guesses(drafter: Drafter, context: Sequence[int], propose: Propose, most: int = 100) -> list[Guess]:
    """What a drafter with a single offer guesses."""
    return [guess for offer in drafter.offers(context, propose) for guess in islice(offer.guesses, most)]


def certain(tokens: Sequence[int]) -> Draft:
    """A draft by something that has no distribution."""
    return Draft(tuple(map(Guess.certain, tokens)))
