"""What comes out is what the target alone would have written: through real llama.cpp, on tiny random models."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scipy import stats

from specchat.speculative.distribution import TokenDistribution
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.events import GenerationFinished, RoundFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.noise import SeededNoise
from specchat.speculative.parting import Choice, distance, first_difference
from specchat.speculative.rounds import Round
from specchat.speculative.sampling import SamplerChain, SamplingParams

from ..speculative.fakes import ScriptedDrafter
from .raw import raw_model

# Without flash attention passes of different lengths agree to 1e-5 on these models, with it to 5e-3.
CONFIG = LlamaConfig(n_ctx=512, n_batch=32, threads=1, cache_type_k="f32", cache_type_v="f32", flash_attention="off")
ROUNDING = 5e-5
SMALL = {"layers": 1, "width": 32}
OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
PROMPT = [int(token) for token in np.random.default_rng(7).integers(0, 256, 24)]


@pytest.fixture(scope="module")
def target_path(write_tiny_model):
    return write_tiny_model(**SMALL)


@pytest.fixture(scope="module")
def draft_path(write_tiny_model):
    """Agrees with the target more often than not."""
    return write_tiny_model(**SMALL, noise=0.1)


@contextmanager
def pair(target, draft="none", **settings) -> Iterator[Pair]:
    settings = {"target_config": CONFIG, "draft_config": CONFIG, "draft_length": 5, **settings}
    with load_pair(PairConfig(target=target, draft=draft, **settings), Interrupt()) as loaded:
        yield loaded


def finish(session, prompt=PROMPT, **options) -> GenerationFinished:
    *_, last = session.generate(prompt, **options)
    assert isinstance(last, GenerationFinished)
    return last


def afresh(loaded: Pair, seed: int, **changes):
    """A new session over the same models, with empty caches."""
    loaded.target.rollback(0)
    drafter = loaded.session.decoder.drafter
    if hasattr(drafter, "model"):
        drafter.model.rollback(0)
    decoder = replace(loaded.session.decoder, **changes)
    return loaded.session.afresh(decoder, seed)


# The law of the first tokens


def probabilities(logits, history, sampling):
    """The target's distribution as a dictionary, written down from llama.cpp's definitions alone."""
    values = {token: float(logit) for token, logit in enumerate(logits)}
    last_n = sampling.get("penalty_last_n", 64)
    for token, count in Counter(history if last_n < 0 else history[max(0, len(history) - last_n) :]).items():
        repeat = sampling.get("repeat_penalty", 1.0)
        values[token] = values[token] * repeat if values[token] <= 0 else values[token] / repeat
        values[token] -= count * sampling.get("frequency_penalty", 0.0) + sampling.get("presence_penalty", 0.0)
    ranked = sorted(values, key=lambda token: -values[token])
    ranked = ranked[: sampling["top_k"] or None]
    likely, reached = [], 0.0
    total = sum(np.exp(values[token] - values[ranked[0]]) for token in ranked)
    for token in ranked:
        if reached < sampling["top_p"] or not likely:
            likely.append(token)
        reached += np.exp(values[token] - values[ranked[0]]) / total
    kept = [token for token in likely if np.exp(values[token] - values[ranked[0]]) >= sampling["min_p"]]
    weights = {token: np.exp((values[token] - values[ranked[0]]) / sampling["temperature"]) for token in kept}
    return {token: weight / sum(weights.values()) for token, weight in weights.items()}


def law(raw, prompt, sampling, length, ends, least):
    """The probability of each text of `length` tokens, or of fewer up to an end, that has at least `least`."""
    found, open_texts = {}, [((), 1.0)]
    while open_texts:
        text, probability = open_texts.pop()
        if len(text) == length or ends.intersection(text[-1:]):
            found[text] = probability
            continue
        after = [*prompt, *text]
        longer = probabilities(raw.logits(after), after, sampling)
        open_texts += [((*text, token), probability * p) for token, p in longer.items() if probability * p >= least]
    return found


def p_value(counts, expected_law, n):
    """Of a chi-square test; texts that are too rare for it are one cell."""
    expected = [n * probability for probability in expected_law.values()]
    observed = [counts[text] for text in expected_law]
    rest, rest_observed = n - sum(expected), n - sum(observed)
    if rest < 5:
        smallest = int(np.argmin(expected))
        expected[smallest] += rest
        observed[smallest] += rest_observed
    else:
        expected.append(rest)
        observed.append(rest_observed)
    return float(stats.chisquare(observed, expected).pvalue)


ALL_PAIRS = [1, 1, 2, 2, 3, 3, 1, 3, 2, 1, 2, 3, 1]
LAWS = {
    "hot and cut to four": (PROMPT, {"temperature": 1.4, **OFF, "top_k": 4}),
    "cool, top-p": (PROMPT, {"temperature": 0.7, **OFF, "top_p": 0.7}),
    "min-p": (PROMPT, {"temperature": 1.0, **OFF, "min_p": 0.15}),
    "everything cut": (PROMPT, {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}),
    "cold, nothing cut": (PROMPT, {"temperature": 0.3, **OFF}),
    "penalties on all that was said": (
        ALL_PAIRS,
        {"temperature": 1.0, **OFF, "top_k": 5, "repeat_penalty": 1.8, "frequency_penalty": 0.4, "penalty_last_n": -1},
    ),
    "the last two tokens are wanted again": (
        PROMPT,
        {"temperature": 1.0, **OFF, "top_k": 4, "presence_penalty": -5.0, "penalty_last_n": 2},
    ),
}
WANTED = {"temperature": 1.2, **OFF, "top_k": 4, "presence_penalty": -7.0, "penalty_last_n": 16}
N_TEXTS, LENGTH = 4000, 3


def check_law(loaded, raw_path, prompt, sampling):
    """The first token is drawn without a draft, the second and third with one of two tokens."""
    rounds, counts = [], Counter()
    for _ in range(N_TEXTS):
        *events, last = loaded.session.generate(prompt, max_tokens=LENGTH + 1)
        rounds += [event.round for event in events if isinstance(event, RoundFinished)]
        counts[last.tokens[:LENGTH]] += 1
    with raw_model(raw_path) as raw:
        expected = law(raw, prompt, sampling, LENGTH, loaded.target.vocabulary.end_tokens, least=8 / N_TEXTS)
    assert len(expected) >= 8
    accepted = sum(step.verdict.accepted for step in rounds)
    tested = sum(step.verdict.tested for step in rounds)
    assert 0.1 * tested < accepted < tested
    assert tested > N_TEXTS / 4
    assert p_value(counts, expected, N_TEXTS) > 1e-4


@pytest.mark.parametrize("verification", ["coupled", "rejection"])
@pytest.mark.parametrize("name", LAWS)
def test_the_law_of_texts_drafted_by_a_model_is_the_targets(target_path, draft_path, name, verification):
    prompt, sampling = LAWS[name]
    with pair(target_path, draft_path, sampling=sampling, verification=verification, seed=11) as loaded:
        check_law(loaded, target_path, prompt, sampling)


@pytest.mark.parametrize("verification", ["coupled", "rejection"])
def test_the_law_of_texts_drafted_by_n_grams_is_the_targets(target_path, verification):
    """Every pair of the three wanted tokens has occurred, so that there is always something to quote."""
    with pair(target_path, "ngram", sampling=WANTED, verification=verification, seed=11) as loaded:
        check_law(loaded, target_path, ALL_PAIRS, WANTED)


# Greedy texts


@pytest.mark.parametrize("draft", ["model", "ngram", "none"])
@pytest.mark.parametrize("verification", ["coupled", "rejection"])
def test_greedy_text_is_that_of_a_loop_that_shares_no_code(tiny_model_path, write_tiny_model, draft, verification):
    path = write_tiny_model(noise=0.1) if draft == "model" else draft
    accepted = rejected = 0
    with (
        raw_model(tiny_model_path) as raw,
        pair(tiny_model_path, path, sampling={"temperature": 0.0}, verification=verification, draft_length=4) as loaded,
    ):
        ends = loaded.target.vocabulary.end_tokens
        for seed in range(6):
            prompt = [int(token) for token in np.random.default_rng(seed).integers(0, 256, 40)]
            finished = finish(loaded.session, prompt, max_tokens=100)
            assert list(finished.tokens) == raw.greedy(prompt, 100, ends)
            accepted += finished.stats.accepted
            rejected += finished.stats.tested - finished.stats.accepted
    if draft != "none":
        assert accepted > 10
        assert rejected > 10


# The same text


@dataclass(frozen=True)
class Recorder:
    """A sampler chain that keeps the logits it was given, by the length of the history."""

    chain: SamplerChain
    rows: dict[int, np.ndarray] = field(default_factory=dict)

    def of_answer(self, noise, start) -> "Recorder":
        return replace(self, chain=self.chain.of_answer(noise, start))

    def distribution(self, logits, history) -> TokenDistribution:
        self.rows[len(history)] = logits.copy()
        return self.chain.distribution(logits, history)

    def lead(self, logits, distribution, token) -> float:
        return self.chain.lead(logits, distribution, token)


@dataclass(frozen=True)
class Told:
    """A text with the logits that it was chosen from."""

    finished: GenerationFinished
    rows: dict[int, np.ndarray]


def tell(session, prompt, **options) -> Told:
    recorder = Recorder(session.decoder.chain)
    recording = replace(session, decoder=replace(session.decoder, chain=recorder))
    return Told(finish(recording, prompt, **options), recorder.rows)


def rounding(left: Told, right: Told, sizes) -> float:
    return max(float(np.abs(left.rows[size] - right.rows[size]).max()) for size in sizes)


def assert_same(left: Told, right: Told, prompt, params) -> bool:
    """Whether the texts are equal; where they part, it must be a near tie by the rounding up to there."""
    place = first_difference(left.finished.tokens, right.finished.tokens)
    shared = range(len(left.finished.tokens)) if place is None else range(place + 1)
    moved = rounding(left, right, [len(prompt) + index for index in shared])
    assert moved < ROUNDING
    if place is None:
        assert left.finished == replace(right.finished, stats=left.finished.stats)
        return True
    history = [*prompt, *left.finished.tokens[:place]]
    noise = SeededNoise(left.finished.seed)
    choice = Choice(left.rows[len(history)], history, place, SamplerChain(params), noise)
    assert distance(choice, right.finished.tokens[place]) <= moved
    return False


@pytest.mark.parametrize("temperature", [0.8, 1.2])
@pytest.mark.parametrize("draft", ["model", "ngram"])
def test_coupled_texts_are_the_same_with_drafting_on_and_off(target_path, draft_path, draft, temperature):
    """Passes of other lengths round differently by about 1e-6 here, which no text of these has met."""
    params = SamplingParams(temperature=temperature, presence_penalty=-2.0 if draft == "ngram" else 0.0)
    path = draft_path if draft == "model" else draft
    sampling = {"temperature": params.temperature, "presence_penalty": params.presence_penalty}
    parted = accepted = rejected = 0
    with pair(target_path, path, sampling=sampling, draft_length=4) as loaded:
        for seed in range(60):
            plain = tell(afresh(loaded, seed, drafter=NoDrafter()), PROMPT, max_tokens=60)
            drafted = tell(afresh(loaded, seed), PROMPT, max_tokens=60)
            parted += not assert_same(plain, drafted, PROMPT, params)
            accepted += drafted.finished.stats.accepted
            rejected += drafted.finished.stats.tested - drafted.finished.stats.accepted
    assert parted <= 1
    assert accepted > 100
    assert rejected > 100


# Several turns


@pytest.mark.parametrize("draft", ["model", "ngram", "none"])
def test_three_turns_with_a_cache_say_what_fresh_sessions_say(target_path, draft_path, draft):
    path = draft_path if draft == "model" else draft
    params = SamplingParams(temperature=1.0)
    parted = 0
    with pair(target_path, path, sampling={"temperature": 1.0}) as loaded, pair(target_path) as other:
        for seed in range(10):
            talk, text = afresh(loaded, seed), []
            cached_before = 0
            for turn in range(3):
                text += [int(token) for token in np.random.default_rng([seed, turn]).integers(0, 256, 45)]
                told = tell(talk, text, max_tokens=30)
                talk = replace(talk, _generations=turn + 1, _context=[*text, *told.finished.tokens])
                assert told.finished.stats.cached_tokens == cached_before
                fresh = tell(afresh(other, told.finished.seed, chain=SamplerChain(params)), text, max_tokens=30)
                parted += not assert_same(fresh, told, text, params)
                text += told.finished.tokens
                cached_before = len(text) - 1
    assert parted == 0


# The end of a text


def ending_seed(loaded: Pair) -> tuple[int, tuple[int, ...]]:
    """A seed whose plain text ends by itself after a while, and this text."""
    for seed in range(300):
        finished = finish(afresh(loaded, seed, drafter=NoDrafter()), max_tokens=40)
        if finished.finish_reason == "stop" and len(finished.tokens) > 8:
            return seed, finished.tokens
    raise AssertionError("no text ends")


def test_an_end_inside_an_accepted_block_ends_the_text_and_the_next_turn_reads_only_what_is_new(target_path):
    sampling = {"temperature": 1.5, **OFF}
    with pair(target_path, sampling=sampling, draft_length=6) as loaded:
        seed, tokens = ending_seed(loaded)
        endless = finish(afresh(loaded, seed, drafter=NoDrafter(), is_end=lambda token: False), max_tokens=60).tokens
        assert endless[: len(tokens)] == tokens
        told_past_the_end = [*PROMPT, *endless]
        drafter = ScriptedDrafter(lambda context: told_past_the_end[len(context) :])
        talk = afresh(loaded, seed, drafter=drafter, draft_length=FixedLength(6))
        *events, finished = talk.generate(PROMPT, max_tokens=60)
        last = [event.round for event in events if isinstance(event, RoundFinished)][-1]
        assert (finished.tokens, finished.finish_reason) == (tokens, "stop")
        assert last.verdict.accepted > len(last.tokens), "the block must go on behind the end"
        turn = [*PROMPT, *tokens, *range(10, 20)]
        told = finish(talk, turn, max_tokens=20)
        assert told.stats.cached_tokens == len(PROMPT) + len(tokens) - 1
        assert told.tokens == finish(afresh(loaded, told.seed, drafter=NoDrafter()), turn, max_tokens=20).tokens


def test_an_end_that_the_draft_model_guesses_ends_the_text(target_path):
    """The draft equals the target, so every end is guessed."""
    sampling = {"temperature": 1.5, **OFF}
    with pair(target_path, target_path, sampling=sampling) as loaded:
        seed, tokens = ending_seed(loaded)
        talk = afresh(loaded, seed)
        *events, finished = talk.generate(PROMPT, max_tokens=60)
        last: Round = [event.round for event in events if isinstance(event, RoundFinished)][-1]
        assert (finished.tokens, finished.finish_reason) == (tokens, "stop")
        assert last.draft.tokens == last.tokens
        turn = [*PROMPT, *tokens, *range(10, 20)]
        assert finish(talk, turn, max_tokens=20).stats.cached_tokens == len(PROMPT) + len(tokens) - 1


# A memory that cannot go back


@pytest.mark.parametrize("draft", ["model", "ngram"])
def test_a_recurrent_target_decodes_plain_and_says_so_and_is_right(write_tiny_model, draft):
    path = write_tiny_model(architecture="mamba", name="Snake")
    with (
        raw_model(path) as raw,
        pair(path, write_tiny_model() if draft == "model" else draft, sampling={"temperature": 0.0}) as loaded,
    ):
        [notice] = loaded.notices
        assert notice.startswith(f"{path.stem} cannot take tokens back")
        assert "recurrent" in notice
        ends, text = loaded.target.vocabulary.end_tokens, list(PROMPT)
        for _ in range(3):
            finished = finish(loaded.session, text, max_tokens=30)
            assert finished.stats.drafted == 0
            assert list(finished.tokens) == raw.greedy(text, 30, ends)
            text += [*finished.tokens, 5, 6, 7]
