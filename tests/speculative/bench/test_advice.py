import pytest

from specchat.speculative.bench.advice import advice
from specchat.speculative.bench.answer import Pairing
from specchat.speculative.bench.report import Costs, report
from specchat.speculative.bench.subject import Subject

from .making import CODE, PROSE, answer, pairing

ALONE = Subject(title="big.gguf")


def said(speedup, *, repeats=3, costs=None, others=(), rival=None, ngrams=False):
    pairs = [pairing(speedup, case) for case in (CODE, PROSE) for _ in range(repeats)]
    return advice(report([*pairs, *others], costs, "time", 9.0), Subject(title="", rival=rival, ngrams=ngrams))


def test_a_draft_that_pays_is_kept():
    assert said(1.66) == "Keep this draft: 1.66 × plain decoding over these texts."


def test_too_few_measurements_make_no_certainty():
    assert said(1.66, repeats=1).startswith("Keep this draft for now: it looks like 1.66 ×")


def test_too_few_measurements_are_told_where_they_speak_against_a_draft_too():
    assert said(0.6, repeats=1).endswith("it brings 0.60 ×; more time (--seconds) has to confirm that.")
    assert "confirm" not in said(0.6)


def test_a_smaller_target_may_beat_the_draft():
    others = [pairing(2.4, case, "against big-q4") for case in (CODE, PROSE)]
    assert said(1.66, others=others, rival="big-q4").startswith("Take big-q4 instead: without any draft it is 2.40 ×")
    assert said(2.4, others=others, rival="big-q4").startswith("Keep this draft")


def test_n_grams_may_beat_the_draft():
    others = [pairing(1.9, case, "ngram") for case in (CODE, PROSE)]
    assert said(1.2, others=others).startswith("Draft by n-grams, with --draft ngram: 1.90 ×")


def test_where_two_tokens_cost_twice_as_much_no_draft_can_help():
    assert "a pass over two tokens costs this machine 1.7 passes over one" in said(1.0, costs=Costs((0.1, 0.17), 0.02))


def test_a_draft_that_is_right_and_slow_wants_to_be_smaller():
    right = answer(12.0, drafted=(2, 2), accepted=(2, 2))
    pairs = [Pairing(CODE, "adaptive", answer(12.0), right)]
    assert advice(report(pairs, Costs((0.1, 0.11), 0.09), "time", 9.0), ALONE).startswith(
        "Take a smaller draft, or none: this one is right often enough (100%), but a guess costs it 90% of a pass"
    )


def test_a_draft_that_is_wrong_wants_to_be_closer():
    assert "closer to the target, or none: only 67% of the guesses are right" in said(1.01, costs=Costs((1, 1.1), 0.1))


def test_n_grams_that_do_not_pay_want_a_model():
    assert said(1.01, ngrams=True) == (
        "Try a small model of the same family (--draft FILE), or take no draft (--draft none): n-grams do not pay on "
        "these texts, they bring 1.01 ×."
    )
    assert "passes over one" in said(1.0, costs=Costs((0.1, 0.17), 0.0), ngrams=True)


def test_answers_that_only_repeat_themselves_want_other_texts_and_not_more_time():
    found = report([pairing(5.0, looping=True)], None, "looping", 9.0)
    assert advice(found, ALONE).startswith("Give it other texts, with -f FILE")


def test_a_draft_that_never_spoke_is_no_draft():
    pairs = [Pairing(CODE, "adaptive", answer(12.0), answer(12.0, drafted=(0,), accepted=(0,)))]
    assert "saw nothing worth drafting" in advice(report(pairs, None, "time", 9.0), ALONE)


@pytest.mark.parametrize(
    ("speedup", "sentence"),
    [(1.8, "Take small where speed counts: it is 1.80 × as fast"), (0.9, "Keep this target: small is 0.90 × as fast")],
)
def test_without_a_draft_two_targets_are_compared(speedup, sentence):
    found = report([pairing(speedup, variant="against small")], None, "time", 9.0)
    assert advice(found, Subject(title="big.gguf", rival="small")).startswith(sentence)


def test_nothing_measured_gives_no_advice():
    assert "allow more time" in advice(report([], None, "stopped", 0.0), ALONE)


@pytest.mark.parametrize("ngrams", [True, False])
@pytest.mark.parametrize("speedup", [0.9, 1.0, 1.2, 3.0])
def test_advice_is_one_sentence(speedup, ngrams):
    text = said(speedup, ngrams=ngrams)
    assert text.endswith(".")
    assert ". " not in text
