"""The law of a constrained choice by enumeration, and that its state costs what is new."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.constraint.constraint import Constraint
from specchat.speculative.constraint.forecast import Forecast
from specchat.speculative.constraint.gate import Gate, Threshold
from specchat.speculative.constraint.law import Law
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import Drafter, ModelDrafter, NoDrafter
from specchat.speculative.errors import IncompleteError, UsageError
from specchat.speculative.noise import Purpose, SeededNoise
from specchat.speculative.reasoning.formats import ReasoningFormat
from specchat.speculative.reasoning.harmony import Harmony
from specchat.speculative.reasoning.tags import Tags
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.verification import VerificationName, verification

from .fakes import BranchingNoise, FakeModel, ScriptedDrafter, law
from .grammars import ListedMatcher, is_token

END, N_VOCAB, LENGTH = 3, 4, 3
PROMPT = [0, 1]
GRAMMARS = {
    "some": [(0,), (1, 0), (1, 2, 0), (2, 2), (2, 1, 1)],
    "one": [(2, 0, 1)],
    "all": [text for length in range(LENGTH + 1) for text in product(range(3), repeat=length)],
}
SETTINGS = [
    SamplingParams(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0),
    SamplingParams(temperature=0.6, top_k=2, top_p=1.0, min_p=0.0),
    SamplingParams(temperature=1.7, top_k=0, top_p=0.6, min_p=0.0),
    SamplingParams(temperature=1.0, top_k=1, top_p=1.0, min_p=0.4),
    SamplingParams(temperature=0.0),
    SamplingParams(temperature=1.0, top_k=2, repeat_penalty=1.8, presence_penalty=0.3, frequency_penalty=0.4),
]


BY_FORM = ("form", "form and model")
"""Drafters beside which the form guesses."""


def drafters() -> dict[str, Drafter]:
    is_end, model = is_token(END), FakeModel(N_VOCAB, seed=1)
    return {
        "none": NoDrafter(),
        "model": ModelDrafter(model, is_end, n_ctx=100, n_vocab=N_VOCAB),
        "short": ModelDrafter(model, is_end, n_ctx=100, n_vocab=2, forbidden=(0,)),
        "quotes": ScriptedDrafter(lambda context: [1, 2, END]),
        "form": NoDrafter(),
        "form and model": ModelDrafter(model, is_end, n_ctx=100, n_vocab=N_VOCAB),
    }


def constraint(grammar: str, forecasts: bool = False) -> Constraint:
    """With `forecasts`, the bytes of a text are its tokens."""
    sentences = GRAMMARS[grammar]
    forecast = Forecast(ListedMatcher(sentences, 257, 256), lambda text: list(text.encode()), bytes_of, END, False)
    held = Constraint(ListedMatcher(sentences, N_VOCAB, END), is_token(END))
    return replace(held, forecast=forecast) if forecasts else held


def bytes_of(token: int) -> bytes:
    return bytes([token])


def texts(name: VerificationName, params: SamplingParams, drafter: str, grammar: str):  # type: ignore[no-untyped-def]
    """The distribution of what the whole loop generates."""

    def run(noise: BranchingNoise) -> tuple[int, ...]:
        decoder = SpeculativeDecoder(
            FakeModel(N_VOCAB), drafters()[drafter], FixedLength(2), SamplerChain(params), is_token(END)
        )
        context = list(PROMPT)
        held = constraint(grammar, drafter in BY_FORM)
        for _ in decoder.rounds(context, LENGTH + 1, verification(name, noise), constraint=held):
            pass
        return tuple(context[len(PROMPT) :])

    return law(run)


def truncated(params: SamplingParams, text: Sequence[int], allowed: Sequence[int]) -> dict[int, float]:
    """The law by its words: the truncated set without what is not allowed, or else the masked vocabulary truncated."""
    chain, context = SamplerChain(params), [*PROMPT, *text]
    logits = np.array(FakeModel(N_VOCAB).logits(context), np.float32)
    said = chain.distribution(logits, context)
    if not set(said.tokens.tolist()) & set(allowed):
        said = chain.distribution(np.where(np.isin(range(N_VOCAB), allowed), logits, -np.inf), context)
    weights = {token: said.probability(token) for token in allowed if said.probability(token)}
    return {token: weight / sum(weights.values()) for token, weight in weights.items()}


def wanted_law(params: SamplingParams, grammar: str) -> dict[tuple[int, ...], float]:
    """The texts by that law, without any code of the loop."""
    laws: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(LENGTH + 1):
        longer: dict[tuple[int, ...], float] = {}
        for text, weight in laws.items():
            if text and text[-1] == END:
                longer[text] = weight
                continue
            allowed = [
                token
                for token in range(3)
                if any(each[: len(text) + 1] == (*text, token) for each in GRAMMARS[grammar])
            ] + ([END] if text in GRAMMARS[grammar] else [])
            for token, share in truncated(params, text, allowed).items():
                longer[(*text, token)] = weight * share
        laws = longer
    return laws


@pytest.mark.parametrize("params", SETTINGS)
@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("drafter", ["none", "model", "short", "quotes", *BY_FORM])
@pytest.mark.parametrize("name", ["coupled", "rejection"])
def test_a_constrained_text_has_the_law(name: VerificationName, drafter: str, grammar: str, params: SamplingParams):
    assert texts(name, params, drafter, grammar) == pytest.approx(wanted_law(params, grammar), abs=1e-12)


@given(seed=st.integers(0, 2**32), logits=st.lists(st.floats(-5, 5, width=32), min_size=N_VOCAB, max_size=N_VOCAB),
       grammar=st.sampled_from(list(GRAMMARS)), settings=st.sampled_from(SETTINGS))  # fmt: skip
def test_the_lazy_choice_is_that_of_the_best_allowed_token(seed, logits, grammar, settings):
    row, noise = np.array(logits, np.float32), SeededNoise(seed)
    said = Law(SamplerChain(settings), constraint(grammar)).distribution(row, PROMPT, ())
    whole = SamplerChain(settings).distribution(row, PROMPT)
    lazy = said.drawn(lambda each: noise.draw(each, 0, Purpose.TARGET))
    assert lazy == noise.draw(said.exactly(), 0, Purpose.TARGET)
    allowed = [token for token in range(N_VOCAB) if constraint(grammar).allows((), token)]
    kept = set(whole.tokens.tolist()) & set(allowed)
    assert set(said.exactly().tokens.tolist()) <= (kept or set(allowed))


@pytest.mark.parametrize("drafter", ["model", "short", "quotes", *BY_FORM])
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_drafting_changes_no_constrained_text(drafter, grammar):
    for seed, params in product(range(20), SETTINGS):
        outcomes = []
        for who in ("none", drafter):
            decoder = SpeculativeDecoder(
                FakeModel(N_VOCAB), drafters()[who], FixedLength(3), SamplerChain(params), is_token(END)
            )
            context = list(PROMPT)
            judge = verification("coupled", SeededNoise(seed))
            list(decoder.rounds(context, 4, judge, constraint=constraint(grammar, who in BY_FORM)))
            outcomes.append(context)
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("drafter", BY_FORM)
def test_what_is_forced_is_guessed_and_right(drafter):
    decoder = SpeculativeDecoder(
        FakeModel(N_VOCAB), drafters()[drafter], FixedLength(9), SamplerChain(SETTINGS[0]), is_token(END)
    )
    first, second = decoder.rounds(
        list(PROMPT), 9, verification("coupled", SeededNoise(0)), constraint=constraint("one", forecasts=True)
    )
    assert (first.tokens, second.draft.tokens, second.tokens) == ((2,), (0, 1, END), (0, 1, END))
    assert all(guess.is_forced for guess in second.draft.guesses)


def test_where_the_best_token_is_allowed_no_mask_is_made():
    matcher = ListedMatcher(GRAMMARS["all"], N_VOCAB, END)
    decoder = SpeculativeDecoder(
        FakeModel(N_VOCAB, seed=5), NoDrafter(), FixedLength(0), SamplerChain(SETTINGS[0]), is_token(END)
    )
    list(decoder.rounds(list(PROMPT), LENGTH, verification("coupled", SeededNoise(2)),
                        constraint=Constraint(matcher, is_token(END))))  # fmt: skip
    assert matcher.masks == 0


def test_the_state_moves_by_the_tokens_that_are_new():
    matcher = ListedMatcher([(0,) * 200], 2, 1)
    held = Constraint(matcher, is_token(1))
    for _ in range(197):
        assert held.allows((), 0)
        held.allows((0, 0), 0)  # guesses, taken back
        held.settle((0,))
    assert matcher.moved <= 197 * 5
    held.settle((0, 0, 0))
    assert held.complete


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 2), max_size=3)), max_size=12))
def test_a_state_that_went_to_and_fro_is_a_fresh_one(moves):
    moving, settled = constraint("some"), []
    for settles, path in moves:
        try:
            (moving.settle if settles else moving.ended)(path)
        except IncompleteError:
            return
        settled += path if settles else []
        fresh = constraint("some")
        fresh.settle(settled)
        assert [moving.allows((), token) for token in range(4)] == [fresh.allows((), token) for token in range(4)]


def test_behind_an_end_everything_is_allowed():
    held = constraint("one")
    assert held.allows((2, 0, 1), END)
    assert not held.allows((2, 0), END)
    assert held.ended((2, 0, 1, END))
    assert held.ended((2, 0, 1, END, 0, 0))
    assert held.allows((2, 0, 1, END), 0)
    held.settle((2, 0, 1))
    assert held.complete  # only the end may come
    assert not constraint("some").complete


def test_a_beginning_that_is_not_allowed_is_named():
    with pytest.raises(UsageError, match="does not have the form"):
        constraint("one").begin([1])


def test_where_nothing_is_allowed_the_answer_is_incomplete():
    matcher = ListedMatcher([(0, 7)], N_VOCAB, END)  # 7 is no token
    decoder = SpeculativeDecoder(
        FakeModel(N_VOCAB), NoDrafter(), FixedLength(0), SamplerChain(SETTINGS[0]), is_token(END)
    )
    with pytest.raises(IncompleteError, match="no token"):
        list(decoder.rounds(list(PROMPT), 5, verification("coupled", SeededNoise(0)),
                            constraint=Constraint(matcher, is_token(END))))  # fmt: skip


WORDS = ["<think>", "</think>", "\n\n", "{", "}", "hm", "<", ">{", "</", "think>", "", "<end>"]
"""The texts of a vocabulary; the last one but one is a mark that is no text."""
LAST = len(WORDS) - 1
TAGS = Tags("<think>", "</think>")


def gated(before: str, formatted: ReasoningFormat = TAGS, words: Sequence[str] = WORDS) -> Constraint:
    matcher = ListedMatcher([(words.index("{"), words.index("}"))], len(words), len(words) - 1)
    gate = Gate(lambda token: words[token].encode())
    return Constraint(matcher, is_token(len(words) - 1), gate, Threshold(formatted.splitter(before)))


def said(*words: str) -> list[int]:
    return [WORDS.index(word) for word in words]


def allowed(held: Constraint, *path: str) -> set[str]:
    tokens = said(*path)
    found = {WORDS[token] for token in range(len(WORDS)) if held.allows(tokens, token)}
    assert {WORDS[token] for token in np.flatnonzero(held.mask(tokens))} == found
    return found


def test_an_answer_begins_with_reasoning_or_with_what_the_grammar_allows():
    assert allowed(gated("")) == {"<think>", "<", "{"}
    assert allowed(gated(""), "{") == {"}"}
    assert allowed(gated(""), "<") == {"think>"}


def test_reasoning_is_free_but_cannot_end_the_text():
    assert allowed(gated(""), "<think>") == set(WORDS) - {"<end>"}
    assert allowed(gated("<think>"), "hm") == set(WORDS) - {"<end>"}


def test_a_token_that_closes_the_reasoning_and_begins_the_answer_is_neither():
    assert ">{" not in allowed(gated("<think>"), "hm", "</", "think>", "\n\n")
    words = [*WORDS[:-1], "</think", "<end>"]
    held = gated("<think>", words=words)
    assert not held.allows([words.index("</think")], words.index(">{"))


def test_behind_the_reasoning_the_grammar_rules_save_for_one_white_space():
    assert allowed(gated("<think>"), "hm", "</think>") == {"\n\n", "{"}
    assert allowed(gated("<think>"), "hm", "</think>", "\n\n") == {"{"}
    assert allowed(gated("<think>"), "hm", "</think>", "{") == {"}"}
    assert allowed(gated("<think>"), "hm", "</think>", "\n\n", "{", "}") == {"<end>"}


def test_a_state_goes_back_over_the_gate():
    held = gated("")
    held.settle(said("<"))
    assert allowed(held, "think>", "hm", "</think>", "{") == {"}"}
    assert allowed(held) == {"think>"}
    assert allowed(held, "think>", "hm", "</think>", "\n\n") == {"{"}


def test_half_a_character_is_no_white_space():
    pieces = [b"<think>", b"</think>", b"\xe2", b"{", b"}", b""]
    matcher = ListedMatcher([(3, 4)], len(pieces), 5)
    for before, path, free in (("", (), {0}), ("<think>", (1,), set())):
        held = Constraint(matcher, is_token(5), Gate(pieces.__getitem__), Threshold(TAGS.splitter(before)))
        assert {token for token in range(6) if held.allows(path, token)} == free | {3}
        held.settle(())


def test_the_final_channel_is_the_answer():
    words = [
        "<|channel|>",
        "analysis",
        "final",
        "<|message|>",
        "<|end|>",
        "<|start|>",
        "assistant",
        "{",
        "}",
        "<|return|>",
    ]
    held = gated("<|start|>assistant", Harmony(), words)
    path = [words.index(word) for word in ("<|channel|>", "analysis", "<|message|>", "final", "<|end|>", "<|start|>",
                                           "assistant", "<|channel|>", "final", "<|message|>")]  # fmt: skip
    for place, token in enumerate(path):
        assert held.allows(path[:place], token)
    assert [words[token] for token in range(len(words)) if held.allows(path, token)] == ["{"]
    first = {words[token] for token in range(len(words)) if held.allows((), token)}
    assert {"<|channel|>", "{"} <= first
    assert not {"}", "analysis", "<|return|>"} & first


MANY = 100


def choice(logits: Sequence[float], sentences: Sequence[tuple[int, ...]], **settings):  # type: ignore[no-untyped-def]
    """The law over a hundred tokens, and what it gives at the beginning of an answer."""
    row = np.array(logits, np.float32)
    last = MANY - 1
    held = Law(
        SamplerChain(SamplingParams(**settings)), Constraint(ListedMatcher(sentences, MANY, last), is_token(last))
    )
    return held, row, held.distribution(row, PROMPT, ())


def test_a_large_truncated_set_keeps_what_is_allowed_and_is_not_truncated_again():
    logits = np.linspace(1, 0, MANY)
    _, _, said = choice(logits, [(token,) for token in range(0, MANY, 2)], top_k=80, top_p=1.0, min_p=0.0)
    assert said.exactly().tokens.tolist() == list(range(0, 80, 2))


@pytest.mark.parametrize("k", [2, 80])
def test_the_lead_of_a_token_is_that_above_the_other_allowed_ones(k: int):
    logits = [9.0, 5.0, 3.0, 2.0] + [0.0] * (MANY - 4)
    law, row, said = choice(logits, [(1,), (3,)], temperature=1.0, top_k=k, top_p=1.0, min_p=0.0)
    assert law.lead(row, said, 1) == pytest.approx(-4)  # what is allowed is not known yet
    assert said.drawn(lambda each: int(each.tokens[np.argmax(each.logprobs)])) == 1
    assert law.lead(row, said, 1) == law.guess(row, said, 1).lead == pytest.approx(3 if k > 3 else 10)


def test_guesses_that_may_not_come_are_not_checked():
    drafter = ScriptedDrafter(lambda context: [2, 0, 2, 2])
    decoder = SpeculativeDecoder(FakeModel(N_VOCAB), drafter, FixedLength(3), SamplerChain(SETTINGS[0]), is_token(END))
    held = Constraint(ListedMatcher([(1, 2, 0, 1, 0)], N_VOCAB, END), is_token(END))
    _, step, *_ = decoder.rounds(list(PROMPT), 6, verification("coupled", SeededNoise(0)), constraint=held)
    assert (step.draft.tokens, step.tokens) == ((2, 0), (2, 0, 1))
