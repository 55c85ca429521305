import numpy as np
import pytest

from specchat.speculative.distribution import TokenDistribution


def of(**probabilities: float) -> TokenDistribution:
    tokens = np.array([int(name[1:]) for name in probabilities], np.int32)
    return TokenDistribution(tokens, np.log(np.array(list(probabilities.values()))))


def as_dict(distribution: TokenDistribution) -> dict[int, float]:
    return dict(zip(distribution.tokens.tolist(), np.exp(distribution.logprobs).tolist(), strict=True))


def test_logits_become_probabilities_that_add_up_to_one():
    distribution = TokenDistribution.from_logits(np.array([3, 5], np.int32), np.array([1000.0, 1000 + np.log(3)]))
    assert as_dict(distribution) == pytest.approx({3: 0.25, 5: 0.75})


def test_a_token_that_is_not_listed_has_probability_zero():
    assert of(t3=0.25, t5=0.75).probability(4) == 0
    assert of(t3=0.25, t5=0.75).probability(5) == pytest.approx(0.75)


def test_the_residual_is_what_the_draft_did_not_cover():
    residual = of(t1=0.5, t2=0.3, t3=0.2).residual(of(t2=0.6, t3=0.1, t9=0.3))
    assert as_dict(residual) == pytest.approx({1: 0.5 / 0.6, 3: 0.1 / 0.6})


def test_the_residual_of_equal_distributions_is_the_distribution():
    same = of(t1=0.5, t2=0.5)
    assert as_dict(same.residual(same)) == pytest.approx({1: 0.5, 2: 0.5})


def test_the_residual_of_a_point_mass_leaves_the_other_tokens():
    residual = of(t1=0.5, t2=0.3, t3=0.2).residual(TokenDistribution.point(1))
    assert as_dict(residual) == pytest.approx({2: 0.6, 3: 0.4})
