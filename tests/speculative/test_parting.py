"""Near ties are told from bugs: what rounding can do is found, what it cannot do is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.speculative.noise import Purpose, SeededNoise
from specchat.speculative.parting import Choice, distance, first_difference, swaps
from specchat.speculative.sampling import SamplerChain, SamplingParams

from .fakes import FakeModel

OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
ROUNDING = 0.01


class Favour:
    """Noise that lets the listed token win wherever it is in the set, else the next one, and so on."""

    def __init__(self, *tokens: int) -> None:
        self.tokens = tokens

    def draw(self, distribution, index, purpose):  # type: ignore[no-untyped-def]
        assert purpose == Purpose.TARGET
        present = distribution.tokens.tolist()
        return next((token for token in self.tokens if token in present), int(present[0]))

    def accept(self, probability, index, purpose):  # type: ignore[no-untyped-def]
        assert purpose == Purpose.EXCLUDE
        return True


def choice(logits, noise=None, history=(), index=0, **params) -> Choice:  # type: ignore[no-untyped-def]
    chain = SamplerChain(SamplingParams(**{"temperature": 1.0, **OFF, **params}))
    return Choice(np.asarray(logits, np.float32), history, index, chain, noise or SeededNoise(0))


def is_near(of: Choice, other: int, far: float) -> None:
    """`other` is reached by a movement of `far`, and by none that is clearly less."""
    assert swaps(of, other, far * 1.001)
    assert not swaps(of, other, far * 0.98)
    assert distance(of, other) == pytest.approx(far, rel=0.03)


def test_texts_part_at_their_first_difference():
    assert first_difference([1, 2, 3], [1, 2, 4]) == 2
    assert first_difference([1, 2, 3], [1, 2]) is None
    assert first_difference([], []) is None
    assert first_difference([5], [6]) == 0


def test_two_greedy_tokens_are_as_far_apart_as_half_their_logits():
    is_near(choice([1.0, 3.0, 2.9, 0.0], temperature=0), 2, 0.05)
    is_near(choice([1.0, 3.0, 2.9, 0.0], temperature=0), 0, 1.0)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_a_sampled_token_is_as_far_from_another_as_half_their_scores_by_the_temperature(temperature: float):
    """With equal logits, the token that the noise prefers is as far from any other as their noise differs."""
    noise, index = SeededNoise(3), 5
    logits = np.array([0.3, 1.0, -0.4, 0.9, 0.0])
    of = choice(logits, noise, index=index, temperature=temperature)
    best = of.token()
    for other in {0, 1, 2, 3, 4} - {best}:
        gap = 0.0  # how far the other must be lifted alone
        while of.token(logits + gap * np.eye(5)[other]) != other:
            gap += 0.001
        is_near(of, other, gap / 2)


def test_a_token_enters_the_top_k():
    is_near(choice([5.0, 4.0, 3.0, 2.9], Favour(3, 1), top_k=3), 3, 0.05)


def test_the_chosen_token_leaves_the_top_k():
    is_near(choice([5.0, 4.0, 3.0, 2.9], Favour(2, 0), top_k=3), 0, 0.05)


def test_a_token_enters_by_min_p():
    logits = [5.0, 4.0, 5.0 + np.log(0.05) - 0.1]
    is_near(choice(logits, Favour(2, 1), min_p=0.05), 2, 0.05)


def test_the_chosen_token_leaves_by_min_p():
    logits = [5.0, 4.0, 5.0 + np.log(0.05) + 0.1]
    is_near(choice(logits, Favour(2, 1), min_p=0.05), 1, 0.05)


def test_a_token_enters_the_top_p():
    """The likelier tokens hold 0.91 of the mass, and 0.9 is asked for."""
    of = choice(np.log([0.6, 0.31, 0.09]), Favour(2, 0), top_p=0.9)
    assert of.token() == 0
    far = np.log(0.91 / 0.09 * 0.1 / 0.9) / 2  # until 0.91 e^-far : 0.09 e^far is 0.9 : 0.1
    is_near(of, 2, far)


def test_the_chosen_token_leaves_the_top_p():
    """The likelier tokens hold 0.89 of the mass, and 0.9 is asked for."""
    of = choice(np.log([0.6, 0.29, 0.11]), Favour(2, 0), top_p=0.9)
    assert of.token() == 2
    far = np.log(0.9 / 0.1 * 0.11 / 0.89) / 2
    is_near(of, 0, far)


def test_the_chosen_token_leaves_the_top_p_though_less_likely_ones_follow_it():
    """All tokens before it rise, it and all behind it fall."""
    of = choice(np.log([0.6, 0.29, 0.06, 0.03, 0.02]), Favour(2, 0), top_p=0.9)
    assert of.token() == 2
    far = np.log(0.9 / 0.1 * 0.11 / 0.89) / 2
    is_near(of, 0, far)


def test_a_token_comes_back_when_xtc_spares_it():
    """Two tokens reach the threshold, so that the first is left out; it stays when the second does not reach it."""
    of = choice(np.log([0.6, 0.21, 0.19]), Favour(0, 2), xtc_probability=0.5, xtc_threshold=0.2)
    assert of.token() == 2
    is_near(of, 0, np.log(0.21 / 0.79 * 0.8 / 0.2) / 2)


def test_penalties_count():
    of = choice([3.0, 2.9, 0.0], history=[0, 0], temperature=0, presence_penalty=0.05)
    is_near(of, 1, 0.025)


def test_a_token_that_no_movement_lets_win_is_infinitely_far():
    assert distance(choice([5.0, 4.0], Favour(0), top_k=0), 1) == float("inf")


PARAMS = st.sampled_from(
    [
        {"temperature": 0.0},
        {"temperature": 1.2},
        {"temperature": 1.0, "top_k": 5},
        {"temperature": 1.5, "min_p": 0.1},
        {"temperature": 1.0, "top_p": 0.8},
        {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05},
        {"temperature": 1.0, "top_n_sigma": 1.0},
        {"temperature": 1.0, "typical_p": 0.8},
        {"temperature": 1.0, "xtc_probability": 1.0},
        {"temperature": 0.0, "xtc_probability": 0.5},
    ]
)


@given(st.integers(0, 2**32 - 1), PARAMS, st.sampled_from(["uniform", "extreme"]), st.sampled_from([0.003, 0.03]))
@settings(deadline=None, max_examples=2000, derandomize=True)
def test_whatever_rounding_does_is_a_near_tie(seed: int, params: dict[str, float], kind: str, rounding: float):
    """So small a movement does not move three tokens past each other at once, which is more than `swaps` tries."""
    chance = np.random.default_rng(seed)
    logits = np.array(FakeModel(n_vocab=30, seed=seed, scale=2.0).logits([seed]), np.float32)
    moves = chance.uniform(-1, 1, 30) if kind == "uniform" else chance.choice([-1.0, 1.0], 30)
    rounded = (logits + 0.999 * rounding * moves).astype(np.float32)
    of = choice(logits, SeededNoise(seed % 1000), index=seed % 7, **params)
    other = of.token(rounded)
    assert other == of.token() or swaps(of, other, rounding)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.1, 0.2, 0.3]), st.sampled_from([0.0, 0.8]))
@settings(deadline=None, max_examples=400, derandomize=True)
def test_several_tokens_that_tie_at_the_threshold_of_xtc_are_a_near_tie(
    seed: int, threshold: float, temperature: float
):
    """Which is the least likely of them that reaches it hangs on all."""
    chance, rounding = np.random.default_rng(seed), 0.01
    tied = min(int(chance.integers(2, 6)), int(0.95 / threshold))
    chances = np.full(12, 1e-3)
    chances[:tied] = threshold * np.exp(chance.uniform(-1.5, 1.5, tied) * rounding)
    chances[tied] = max(0.01, 1 - chances.sum())
    logits = np.log(chance.permutation(chances)).astype(np.float32)
    of = choice(logits, SeededNoise(seed % 1000), temperature=temperature, xtc_probability=1.0, xtc_threshold=threshold)
    for _ in range(10):
        other = of.token((logits + rounding * chance.uniform(-1, 1, 12)).astype(np.float32))
        assert other == of.token() or swaps(of, other, rounding)


@pytest.mark.parametrize("other", [0, 2])
def test_under_xtc_what_is_far_from_the_threshold_is_no_near_tie(other: int):
    of = choice(np.log([0.6, 0.25, 0.15]), Favour(1), temperature=0.0, xtc_probability=1.0, xtc_threshold=0.2)
    assert of.token() == 1
    assert not swaps(of, other, 0.05)
    assert 0.05 < distance(of, other) < 0.3


PLANTED = [
    ([3.0, 2.9, 0.0], None, 1, {"temperature": 0.0}),
    ([5.0, 4.0, 3.0, 2.9], Favour(3, 1), 3, {"top_k": 3}),
    ([5.0, 4.0, 5.0 + np.log(0.05) - 0.1], Favour(2, 1), 2, {"min_p": 0.05}),
    (np.log([0.6, 0.307, 0.093]), Favour(2, 0), 2, {"top_p": 0.9}),
]


@pytest.mark.parametrize(("logits", "noise", "token", "params"), PLANTED)
def test_an_error_of_ten_times_the_rounding_in_one_logit_is_no_near_tie(logits, noise, token, params):  # type: ignore[no-untyped-def]
    of = choice(logits, noise, **params)
    wrong = of.logits.copy()
    wrong[token] += 10.01 * ROUNDING
    assert of.token(wrong) == token != of.token()
    assert not swaps(of, token, ROUNDING)
    assert ROUNDING < distance(of, token) < 10 * ROUNDING


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=300, derandomize=True)
def test_a_wrong_logit_that_wins_by_more_than_twice_the_rounding_is_no_near_tie(seed: int):
    logits = np.array(FakeModel(n_vocab=30, seed=seed, scale=2.0).logits([seed]), np.float32)
    of = choice(logits, SeededNoise(seed % 1000), index=seed % 7)
    for token in range(30):
        planted, rounded = logits.copy(), logits.copy()
        planted[token] += 10 * ROUNDING
        rounded[token] += 2.01 * ROUNDING
        if of.token(planted) == token != of.token(rounded):
            assert not swaps(of, token, ROUNDING)
