from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.bench.variants import (
    Engine,
    Variant,
    challengers,
    cold,
    cost_curves,
    opponents,
    plain,
    unlearned,
)
from specchat.speculative.costs import CostCurve
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import MODEL, NGRAM, Drafter, ModelDrafter, NoDrafter, SeveralDrafters
from specchat.speculative.lazy import LazyDrafter
from specchat.speculative.model import LanguageModel
from specchat.speculative.ngram import NgramDrafter
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session

from ..fakes import FakeModel, guesses


def adaptive() -> AdaptiveLength:
    known = sources((NGRAM, MODEL), CostCurve({1: 0.1, 2: 0.1}), 0.1)
    return AdaptiveLength(CostCurve({1: 1.0, 2: 1.1}), known, 5)


def model_drafter() -> ModelDrafter:
    return ModelDrafter(FakeModel(), lambda token: False, 100, 4)


def both() -> SeveralDrafters:
    return SeveralDrafters((NgramDrafter(), model_drafter()))


def engine(drafter: Drafter) -> Engine:
    length = FixedLength(0) if isinstance(drafter, NoDrafter) else adaptive()
    decoder = SpeculativeDecoder(FakeModel(), drafter, length, SamplerChain(SamplingParams()), lambda token: False)
    return Engine(Session(decoder, lambda token: b"", 100, 4, 0), lambda text: [1])


def names(drafter: Drafter, *lengths: int, every_source: bool = False) -> list[str]:
    return [variant.name for variant in challengers(engine(drafter), lengths, every_source)]


def test_what_is_compared_with_plain_depends_on_what_drafts():
    assert names(both()) == ["adaptive"]
    assert names(both(), 2, 4, every_source=True) == ["adaptive", "model", "ngram", "fixed 2", "fixed 4"]
    assert names(NgramDrafter(), 3, every_source=True) == ["adaptive", "fixed 3"]
    assert names(NoDrafter(), 3, every_source=True) == []


def test_plain_is_plain_with_any_pair():
    decoder = plain(engine(model_drafter())).decoder(0.0)
    assert isinstance(decoder.drafter, NoDrafter)
    assert decoder.draft_length == FixedLength(0)
    assert decoder.chain.params.temperature == 0.0


def test_each_source_can_draft_alone():
    [_, model, ngram, fixed] = challengers(engine(both()), [3], every_source=True)
    assert isinstance(ngram.decoder(0.8).drafter, NgramDrafter)
    assert isinstance(model.decoder(0.8).drafter, ModelDrafter)
    assert isinstance(fixed.decoder(0.8).drafter, ModelDrafter)


def test_a_drafter_that_is_loaded_when_it_is_wanted_is_loaded_before_anything_is_measured():
    lazy = LazyDrafter(model_drafter, 1.0, n_ctx=100, n_vocab=4)
    assert isinstance(cold(lazy), ModelDrafter)


def test_a_new_process_knows_the_costs_and_nothing_else():
    length = adaptive()
    length.mood = 0.1
    length.sources[NGRAM].by_lead.observe(1.0, right=True)
    new = unlearned(length)
    assert new == adaptive()
    assert new.target_costs is length.target_costs
    assert new.sources[MODEL].costs is length.sources[MODEL].costs


def test_a_cold_drafter_has_read_nothing():
    model = model_drafter()
    model.model.decode([1, 2], 1)
    assert cold(model).model.cached == []
    ngram = NgramDrafter(longest=3)
    guesses(ngram, [1, 2, 1, 2], lambda logits, text: None, 2)
    assert cold(ngram) == NgramDrafter(longest=3)


def test_opponents_have_a_cache_each_and_can_swap_them():
    ours, twin, rival = engine(NgramDrafter()), FakeModel(), engine(NoDrafter())
    [drafted] = challengers(ours)

    def caches(other: Variant, swapped: bool) -> list[LanguageModel]:
        return [each.engine.decoder.target for each in opponents(plain(ours), other, twin, swapped)]

    first, foreign = ours.decoder.target, rival.decoder.target
    assert caches(drafted, swapped=False) == caches(plain(ours), swapped=False) == [twin, first]
    assert caches(drafted, swapped=True) == caches(plain(ours), swapped=True) == [first, twin]
    assert [caches(plain(rival), swapped) for swapped in (False, True)] == [[twin, foreign], [first, foreign]]


def test_costs_are_known_where_lengths_adapt():
    assert cost_curves(engine(model_drafter())) == (CostCurve({1: 1.0, 2: 1.1}), CostCurve({1: 0.1, 2: 0.1}))
    assert cost_curves(engine(NoDrafter())) == (None, None)
