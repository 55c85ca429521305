"""Where texts part: near ties are told from bugs by what rounding does on the very text."""

from dataclasses import dataclass

import pytest

from specchat.speculative.constraint.constraint import Constraint
from specchat.speculative.explain import Explainer
from specchat.speculative.noise import Purpose, SeededNoise
from specchat.speculative.sampling import SamplerChain, SamplingParams

from .grammars import ListedMatcher, is_token
from .test_rounding import OddModel

SEED, PROMPT = 3, [1, 2, 3, 0, 2]


@dataclass
class Teller:
    """Tells texts by a model that rounds differently in passes of two or more; `planted` errors are by place."""

    rounding: float = 0.02
    temperature: float = 0.0

    @property
    def chain(self):
        return SamplerChain(SamplingParams(temperature=self.temperature, top_k=0, top_p=1, min_p=0))

    def model(self):
        return OddModel(n_vocab=6, seed=1, long=self.rounding, from_length=2)

    def choose(self, logits, text):
        distribution = self.chain.distribution(logits, [*PROMPT, *text])
        return SeededNoise(SEED).draw(distribution, len(text), Purpose.TARGET)

    def text(self, count, planted=None):
        """A plain text; at the place `planted[0]` the logit of the token `planted[1]` is too high by `planted[2]`."""
        model, text = self.model(), []
        logits = model.decode(PROMPT, 1)[0]
        while len(text) < count:
            if planted and planted[0] == len(text):
                logits[planted[1]] += planted[2]
            text.append(self.choose(logits, text))
            logits = model.decode(text[-1:], 1)[0]
        return text

    def explain(self, plain, drafted, **options):
        settings = {"n_ctx": 500, "n_batch": 4, "longest": 17, **options}
        explainer = Explainer(target=self.model(), chain=self.chain, seed=SEED, **settings)
        return explainer.explain(PROMPT, plain, drafted)


def planted_at(teller, place, error):
    """The text with an error that changes its token at `place`, if it does."""
    plain = teller.text(place + 1)
    for token in range(6):
        other = teller.text(place + 1, (place, token, error))
        if other[place] != plain[place]:
            return plain, other
    return None


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("place", [3, 30, 100])
def test_an_error_of_ten_times_the_rounding_is_no_near_tie(place, temperature):
    teller = Teller(temperature=temperature)
    found = [
        teller.explain(*texts)
        for shift in range(20)
        if (texts := planted_at(teller, place + shift, 10 * teller.rounding)) is not None
    ]
    assert found, "the error has to change a text"
    for parting in found:
        assert parting.rounding == pytest.approx(teller.rounding, rel=1e-3)
        assert parting.is_near_tie == (parting.distance <= parting.rounding)
    assert any(not parting.is_near_tie for parting in found)
    assert all(parting.distance <= 10 * teller.rounding for parting in found)


def test_a_swap_that_rounding_can_make_is_a_near_tie():
    teller = Teller(rounding=0.5)
    swapped = [texts for place in range(80) if (texts := planted_at(teller, place, 0.5 * 0.99)) is not None]
    assert swapped
    partings = [teller.explain(*texts) for texts in swapped if len(texts[0]) > 2]
    assert all(parting.is_near_tie for parting in partings)


def test_a_parting_under_a_form_is_judged_by_what_the_form_allows():
    """The best token is never allowed, so that it is ahead says nothing of how far the two others are from a swap."""
    teller, end = Teller(rounding=0.0), 6
    best = teller.text(1)[0]
    logits = teller.model().decode(PROMPT, 1)[0]
    second, third = [token for token in (-logits).argsort().tolist() if token != best][:2]
    gap = float(logits[second] - logits[third])
    allowed = Constraint(ListedMatcher([(second, 0), (third, 0)], 6, end), is_token(end))
    settings = {"n_ctx": 500, "n_batch": 4, "longest": 17}
    said = Explainer(target=teller.model(), chain=teller.chain, seed=SEED, constraint=allowed, **settings)
    parting = said.explain(PROMPT, [second, 0], [third, 0])
    assert parting.distance == pytest.approx(gap / 2, rel=0.02)
    assert teller.explain([second, 0], [third, 0]).distance == float("inf")


def test_texts_that_do_not_part_have_nothing_to_explain():
    text = Teller().text(10)
    assert Teller().explain(text, text) is None
    assert Teller().explain(text, text[:5]) is None


def test_a_plain_text_that_its_own_logits_do_not_give_is_a_bug_whatever_rounding_does():
    teller = Teller(rounding=5.0)
    plain, wrong = planted_at(teller, 8, 20.0)
    assert not teller.explain(wrong, plain).is_near_tie


def test_passes_stay_within_the_context_and_the_longest_length():
    teller = Teller()
    plain, drafted = planted_at(teller, 11, 20.0)
    only_single_tokens_fit = teller.explain(plain, drafted, n_ctx=len(PROMPT) + 11)
    assert only_single_tokens_fit.rounding == 0
    assert teller.explain(plain, drafted, n_ctx=len(PROMPT) + 13, longest=2).rounding > 0


def test_a_prompt_that_is_cached_is_not_read_again():
    teller = Teller()
    plain, drafted = planted_at(teller, 11, 20.0)
    model = teller.model()
    explainer = Explainer(target=model, chain=teller.chain, seed=SEED, n_ctx=500, n_batch=4, longest=17)
    fresh = explainer.explain(PROMPT, plain, drafted)
    model.passes.clear()
    assert explainer.explain(PROMPT, plain, drafted) == fresh
    assert model.passes[:11] == [1] * 11
    model.cached[2] += 1
    model.passes.clear()
    assert explainer.explain(PROMPT, plain, drafted) == fresh
    assert model.passes[0] == 4
