import pytest

from specchat.speculative.bench.answer import Pairing, loops

from .making import CODE, answer


def test_the_speed_up_is_of_the_whole_answer():
    pair = Pairing(CODE, "adaptive", answer(12.0), answer(8.0))
    assert pair.speedup == 1.5
    assert pair.first_token == 1.0
    assert not pair.parted


def test_answers_of_different_lengths_are_compared_at_the_shorter_one():
    pair = Pairing(CODE, "adaptive", answer(11.0, tokens=11), answer(11.0, tokens=21))
    assert pair.parted
    assert pair.speedup == pytest.approx(11.0 / 6.0)


def test_an_answer_of_one_token_has_no_rate():
    short = answer(1.0, tokens=1)
    assert short.per_second is None
    assert short.seconds_for(1) == 1.0
    assert answer(11.0, tokens=21).per_second == 2.0


def test_a_line_that_comes_again_and_again_is_a_loop():
    assert loops([1, 2, 3, *range(10, 20), *[4, 5, 6] * 16])
    assert not loops([1, 2, 3, *[4, 5, 6] * 10, *range(10, 90)])
    assert not loops(list(range(200)))
    assert not loops([])


def test_a_loop_that_the_model_ends_itself_is_a_text():
    assert answer(12.0, looping=True).loops
    assert not answer(12.0, looping=True, end="stop").loops
