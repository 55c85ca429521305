"""The search for exact settings, on machines whose rounding is made up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from specchat.speculative.errors import ModelLoadError, NotExactError
from specchat.speculative.llama.certificate import LONGEST
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.exact_search import PROOF, Search
from specchat.speculative.llama.rounding_probe import Probe
from specchat.speculative.rounding import Rounding

ASKED = LlamaConfig()


@dataclass
class Machine:
    """Rounds by the settings, as `attention` and `weights` say: the lengths up to which passes agree with one over one.

    0 of these is a pass over one that stands apart from all others, which agree.
    """

    weights: dict[tuple[bool, bool], int] = field(default_factory=dict)
    """By whether weights are laid out anew, and kernels tiled; what is not listed agrees at every length."""
    attention: dict[str, int] = field(default_factory=dict)
    """By the type of the V cache."""
    at_length: dict[str, int] = field(default_factory=dict)
    """The same in a long context only."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """What a pass with a V cache of a type costs, 1 if it is not listed."""
    unloadable: Sequence[str] = ()
    gpu: bool = False
    experts: bool = False
    measured: list[LlamaConfig] = field(default_factory=list)

    def measure(self, config, contexts, lengths, doing):
        self.measured.append(config)
        if config.cache_type_v in self.unloadable:
            raise ModelLoadError("This cannot be loaded.")
        roundings = tuple(self._rounding(config, context, lengths) for context in contexts)
        return Probe(
            roundings=roundings,
            cuts=(),
            experts=self.experts,
            gpu=self.gpu,
        )

    def _rounding(self, config, context, lengths):
        limits = [self.weights.get((config.repack, config.tiled), LONGEST)]
        if context > 256:
            limits.append(self.attention.get(config.cache_type_v, LONGEST))
        if context >= PROOF[-1]:
            limits.append(self.at_length.get(config.cache_type_v, LONGEST))
        group = lambda length: tuple(self._group(max(length, config.min_pass), limit) for limit in limits)  # noqa: E731
        differences = {
            reference: {length: float(group(length) != group(reference)) for length in lengths if length > reference}
            for reference in (1, 2)
        }
        factor = self.costs.get(config.cache_type_v, 1.0) * (1 if config.repack else 2)
        seconds = {length: factor * (2.0 + max(length, config.min_pass)) for length in lengths}
        return Rounding(context=context, differences=differences, seconds=seconds)

    def _group(self, length, limit):
        """Passes of one group round alike."""
        return min(length, 2) if limit == 0 else length if length > limit else 1

    def search(self, asked=ASKED):
        return Search(asked, self.measure, "big.gguf").run()


def test_what_is_exact_as_it_is_stays_as_it_is():
    machine = Machine()
    found = machine.search()
    assert found.applied(ASKED) == ASKED
    assert (found.least, found.most, found.context) == (1, LONGEST, PROOF[-1])
    assert found.plain_cost == found.drafted_cost == 1
    assert len(machine.measured) == 2, "once short and once long"


def test_attention_that_differs_is_mended_by_the_cache_and_the_most_precise_type_that_does_it():
    found = Machine(attention={"f16": 0}).search()
    assert found.applied(ASKED) == replace(ASKED, cache_type_k="bf16", cache_type_v="bf16")
    assert (found.least, found.most) == (1, LONGEST)


def test_a_dear_type_is_passed_over():
    found = Machine(attention={"f16": 0}, costs={"bf16": 2}).search()
    assert (found.cache_type_k, found.cache_type_v) == ("f16", "q8_0")


def test_a_type_that_fails_in_a_long_context_is_passed_over():
    found = Machine(attention={"f16": 0}, at_length={"bf16": 2}).search()
    assert (found.cache_type_k, found.cache_type_v) == ("f16", "q8_0")


def test_where_only_a_pass_over_one_stands_apart_it_is_padded_to_two():
    machine = Machine(weights={(True, True): 0, (False, True): 0, (False, False): 0})
    found = machine.search()
    assert found.applied(ASKED) == replace(ASKED, min_pass=2)
    assert found.most == LONGEST
    assert found.plain_cost == pytest.approx(4 / 3)


def test_short_drafts_are_cheaper_than_slow_kernels():
    found = Machine(weights={(True, True): 3, (False, True): 7}).search()
    assert (found.repack, found.tiled, found.least, found.most) == (True, True, 1, 3)


def test_slow_kernels_are_better_than_nothing():
    found = Machine(weights={(True, True): 1, (False, True): 1}).search()
    assert (found.repack, found.tiled, found.most) == (False, False, LONGEST)
    assert found.plain_cost == 2


def test_weights_and_attention_are_mended_together():
    found = Machine(weights={(True, True): 3, (False, True): 3}, attention={"f16": 0}).search()
    assert (found.cache_type_v, found.most, found.least) == ("bf16", 3, 1)


def test_experts_get_kernels_that_take_rows_one_by_one_even_if_others_look_exact():
    found = Machine(experts=True).search()
    assert (found.repack, found.tiled) == (False, False)


@pytest.mark.parametrize("most", [3, 8, LONGEST])
def test_with_experts_no_token_goes_alone_even_if_that_looks_exact(most):
    found = Machine(experts=True, weights={(False, False): most}).search()
    assert (found.least, found.most) == (2, most)


def test_nothing_is_promised_where_nothing_is_exact():
    machine = Machine(weights={(True, True): 1, (False, True): 1, (False, False): 1})
    with pytest.raises(NotExactError) as error:
        machine.search()
    assert "big.gguf" in error.value.message
    assert error.value.hint.startswith("Leave --exact out")
    with pytest.raises(NotExactError) as error:
        Machine(experts=True, weights={(False, False): 1}).search()
    assert "expert" in error.value.message


def test_what_is_promised_was_proven_at_every_length_in_a_long_context():
    machine = Machine(at_length=dict.fromkeys(("f16", "bf16", "q8_0"), 1))
    with pytest.raises(NotExactError):
        machine.search()
    shorter = Machine(at_length={"f16": 6}).search()
    assert (shorter.cache_type_v, shorter.most) == ("f16", 6)


def test_a_quantised_cache_is_not_tried_where_flash_attention_is_off():
    machine = Machine(attention={"f16": 1})
    asked = LlamaConfig(flash_attention="off")
    assert machine.search(asked).cache_type_v == "bf16"
    assert "q8_0" not in {config.cache_type_v for config in machine.measured}


def test_what_changes_is_said_in_words():
    found = Machine(weights={(True, True): 1, (False, True): 1}, attention={"f16": 0}).search()
    assert found.changes(ASKED) == [
        "a K cache of bf16 and a V cache of bf16",
        "weights laid out as in the file",
        "kernels that multiply row by row",
    ]
    assert Machine().search().changes(ASKED) == []


def test_the_most_precise_of_what_costs_about_as_much_is_taken_and_nothing_else_is_proven():
    machine = Machine(attention={"f16": 0}, costs={"bf16": 1.05, "q8_0": 0.98})
    assert machine.search().cache_type_v == "bf16"
    proofs = [config for config in machine.measured if config.cache_type_v == "q8_0"]
    assert len(proofs) == 2, "two types of K were explored, and none of them proven"


def test_lengths_between_the_explored_ones_count_where_they_were_proven():
    assert Machine(weights={(True, True): 7, (False, True): 7, (False, False): 7}).search().most == 7


def test_settings_by_which_the_model_cannot_be_loaded_are_passed_over():
    found = Machine(attention={"f16": 0}, unloadable=["bf16"]).search()
    assert found.cache_type_v == "q8_0"
    with pytest.raises(ModelLoadError):
        Machine(unloadable=["f16"]).search()


def test_experts_on_a_gpu_are_refused():
    with pytest.raises(NotExactError):
        Machine(experts=True, gpu=True).search()
    assert Machine(gpu=True).search().most == LONGEST
