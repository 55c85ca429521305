from dataclasses import replace

import pytest

from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import Drafter, ModelDrafter, NoDrafter
from specchat.speculative.errors import DecodeError, PromptTooLongError, UsageError
from specchat.speculative.events import GenerationFinished, PromptProgress, RoundFinished, TextChunk
from specchat.speculative.noise import MAX_SEED
from specchat.speculative.reasoning.tags import Tags
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session

from .fakes import FakeModel, ScriptedDrafter
from .grammars import ListedMatcher

N_VOCAB = 26
CHAIN = SamplerChain(SamplingParams(temperature=1.0, min_p=0.0))
PROMPT = [1, 2, 3]


def never(token: int) -> bool:
    return False


def session(drafted: bool = False, seed: int = 3, n_ctx: int = 60, n_batch: int = 8, is_end=never) -> Session:  # type: ignore[no-untyped-def]
    drafter: Drafter = NoDrafter()
    if drafted:
        drafter = ModelDrafter(FakeModel(N_VOCAB, memory=1), is_end, n_ctx=n_ctx, n_vocab=N_VOCAB)
    decoder = SpeculativeDecoder(FakeModel(N_VOCAB, memory=2, scale=3), drafter, FixedLength(4), CHAIN, is_end)
    return Session(decoder, piece=lambda token: bytes([97 + token]), n_ctx=n_ctx, n_batch=n_batch, seed=seed)


def target(of: Session) -> FakeModel:
    model = of.decoder.target
    assert isinstance(model, FakeModel)
    return model


def finish(of: Session, prompt: list[int] = PROMPT, **options) -> GenerationFinished:  # type: ignore[no-untyped-def]
    *_, last = of.generate(prompt, **options)
    assert isinstance(last, GenerationFinished)
    return last


@pytest.mark.parametrize("drafted", [False, True])
def test_events_tell_the_whole_story_in_order(drafted: bool):
    events = list(session(drafted).generate(PROMPT, max_tokens=9))
    finished = events[-1]
    assert isinstance(events[0], PromptProgress)
    assert isinstance(finished, GenerationFinished)
    assert "".join(event.text for event in events if isinstance(event, TextChunk)) == finished.text
    rounds = [event.round for event in events if isinstance(event, RoundFinished)]
    assert tuple(token for step in rounds for token in step.tokens) == finished.tokens
    assert finished.stats.completion_tokens == len(finished.text) == 9
    assert finished.stats.rounds == len(rounds)


def test_text_from_accepted_drafts_is_marked():
    chunks = [event for event in session(True).generate(PROMPT, max_tokens=40) if isinstance(event, TextChunk)]
    finished = finish(session(True), max_tokens=40)
    assert sum(chunk.from_draft for chunk in chunks) == finished.stats.accepted > 0


def test_the_reasons_to_finish():
    assert finish(session(), max_tokens=5).finish_reason == "length"
    assert finish(session(n_ctx=20)).finish_reason == "context_full"
    text = finish(session(), max_tokens=30).text
    assert finish(session(), max_tokens=30, stop=[text[10:12]]).finish_reason == "stop_string"
    end = ord(text[10]) - 97
    assert finish(session(is_end=lambda token: token == end)).finish_reason == "stop"


@pytest.mark.parametrize("drafted", [False, True])
def test_the_context_is_filled_exactly_and_never_more(drafted: bool):
    for n_ctx in range(5, 40):
        talk = session(drafted, n_ctx=n_ctx)
        assert len(PROMPT) + finish(talk).stats.completion_tokens == n_ctx
        assert len(target(talk).cached) < n_ctx


@pytest.mark.parametrize("drafted", [False, True])
def test_a_stop_string_takes_back_the_rest_of_its_round(drafted: bool):
    text = finish(session(), max_tokens=30).text
    talk = session(drafted)
    finished = finish(talk, max_tokens=30, stop=[text[10:12]])
    assert finished.text == text[: text.index(text[10:12])]
    again = [*PROMPT, *finished.tokens, 5]
    assert finish(talk, again).stats.cached_tokens == len(again) - 2


def test_the_next_turn_reads_only_what_is_new_the_same_passes_with_and_without_drafts():
    passes = []
    for drafted in (False, True):
        talk = session(drafted)
        first = finish(talk, max_tokens=10)
        before = len(target(talk).passes)
        turn = [*PROMPT, *first.tokens, *range(20)]
        second = finish(talk, turn, max_tokens=4)
        assert second.stats.cached_tokens == len(PROMPT) + 9
        passes.append(target(talk).passes[before : before + 3])
    assert passes == [[8, 8, 5]] * 2


def test_cancelling_ends_the_answer_and_keeps_what_was_said():
    talk = session()
    said = ""
    for event in talk.generate(PROMPT):
        if isinstance(event, TextChunk):
            said += event.text
            if len(said) == 5:
                talk.interrupt.request()
    assert isinstance(event, GenerationFinished)
    assert (event.finish_reason, event.text) == ("cancelled", said)
    assert finish(talk, [*PROMPT, *event.tokens, 7], max_tokens=3).finish_reason == "length"


def test_cancelling_while_the_prompt_is_read_says_nothing():
    talk = session()
    events = []
    for event in talk.generate(list(range(26)) * 2):
        talk.interrupt.request()
        events.append(event)
    finished = events[-1]
    assert isinstance(finished, GenerationFinished)
    assert (finished.finish_reason, finished.text, finished.stats.completion_tokens) == ("cancelled", "", 0)
    assert finished.stats.prompt_seconds > 0 == finished.stats.predicted_seconds


def test_a_request_to_stop_that_comes_between_two_answers_is_met_once():
    talk = session()
    talk.interrupt.request()
    assert finish(talk).finish_reason == "cancelled"
    assert finish(talk, max_tokens=3).finish_reason == "length"


def test_a_text_cut_by_a_stop_string_counts_what_was_said():
    """The first token comes alone; of the four that are drafted right after it, the second ends the stop string."""
    whole = finish(session(), max_tokens=30)
    perfect = ScriptedDrafter(lambda context: whole.tokens[len(context) - len(PROMPT) :])
    talk = session()
    talk = talk.afresh(replace(talk.decoder, drafter=perfect), talk.seed)
    *events, cut = talk.generate(PROMPT, max_tokens=30, stop=[whole.text[1:3]])
    assert isinstance(cut, GenerationFinished)
    assert (cut.finish_reason, cut.tokens, cut.stats.accepted) == ("stop_string", whole.tokens[:3], 2)
    rounds = [event.round for event in events if isinstance(event, RoundFinished)]
    assert tuple(token for step in rounds for token in step.tokens) == cut.tokens


def test_an_error_ends_an_answer_with_what_was_said_before_it():
    talk = session()
    passes = 0
    decode = target(talk).decode

    def failing(tokens, n_logits):  # type: ignore[no-untyped-def]
        nonlocal passes
        passes += 1
        if passes == 6:
            raise DecodeError("There is no memory left.")
        return decode(tokens, n_logits)

    target(talk).decode = failing  # type: ignore[method-assign]
    *events, finished = talk.generate(PROMPT)
    assert (finished.finish_reason, str(finished.error)) == ("error", "There is no memory left.")
    assert finished.text == "".join(event.text for event in events if isinstance(event, TextChunk))
    assert finished.text


def test_each_generation_has_its_own_seed_which_reproduces_it():
    talk = session()
    first, second, third = (finish(talk, max_tokens=20) for _ in range(3))
    assert first.seed == 3
    assert len({first.text, second.text, third.text}) == 3
    assert finish(session(seed=second.seed), max_tokens=20).text == second.text
    assert finish(session(seed=third.seed), max_tokens=20).text == third.text
    assert 0 <= third.seed <= MAX_SEED


def test_the_same_seed_and_history_give_the_same_text():
    assert finish(session(), max_tokens=20).text == finish(session(True), max_tokens=20).text


def test_a_prompt_that_does_not_fit_is_refused_with_the_numbers_before_anything_is_read():
    talk = session(n_ctx=10)
    with pytest.raises(PromptTooLongError, match="12 tokens, but the context holds 10") as error:
        talk.generate([1] * 12)
    assert "-c 524" in error.value.hint
    assert target(talk).passes == []


def test_nothing_to_read_or_to_say_is_refused():
    with pytest.raises(UsageError):
        session().generate([])
    with pytest.raises(UsageError):
        session().generate(PROMPT, max_tokens=0)


@pytest.mark.parametrize("drafted", [False, True])
def test_a_session_that_starts_over_says_what_a_new_one_would_and_reads_only_what_is_new(drafted: bool):
    prompts = [[*range(20), last] for last in (1, 2, 3)]
    alone = [finish(session(), prompt, max_tokens=15).text for prompt in prompts]
    talk, together = session(drafted), []
    for prompt in prompts:
        talk.start_over()
        together.append(finish(talk, prompt, max_tokens=15))
    assert [each.text for each in together] == alone
    assert [each.seed for each in together] == [3, 3, 3]
    assert [each.stats.cached_tokens for each in together] == [0, 20, 20]


@pytest.mark.parametrize("shared", [0, 3, 4, 18, 19, 20])
@pytest.mark.parametrize("more", [1, 4, 9])
def test_a_session_that_starts_over_with_the_same_passes_makes_those_of_a_new_one(shared: int, more: int):
    talk, new = session(n_batch=4), session(n_batch=4)
    finish(talk, [*range(shared), *range(30, 34)], max_tokens=5)
    before = len(target(talk).passes)
    talk.start_over(same_passes=True)
    prompt = [*range(shared), *range(50, 50 + more)]
    cached = finish(talk, prompt, max_tokens=5).stats.cached_tokens
    assert cached == shared - shared % 4
    finish(new, prompt, max_tokens=5)
    assert target(talk).passes[before:] == target(new).passes[cached // 4 :]


@pytest.mark.parametrize("size", [4, 7, 8, 9])
def test_the_passes_are_also_the_same_for_a_prompt_that_the_one_before_begins_with(size: int):
    talk, new = session(n_batch=4), session(n_batch=4)
    finish(talk, list(range(20)), max_tokens=1)
    before = len(target(talk).passes)
    talk.start_over(same_passes=True)
    cached = finish(talk, list(range(size)), max_tokens=5).stats.cached_tokens
    finish(new, list(range(size)), max_tokens=5)
    assert target(talk).passes[before:] == target(new).passes[cached // 4 :]


def test_an_answer_is_read_again_where_passes_are_to_be_the_same():
    talk = session(n_batch=4)
    answer = finish(talk, list(range(8)), max_tokens=12).tokens
    talk.start_over(same_passes=True)
    assert finish(talk, [*range(8), *answer, 1], max_tokens=1).stats.cached_tokens == 4


def test_a_session_that_starts_over_with_another_seed_is_a_session_with_that():
    talk, new = session(), replace(session(), seed=8)
    finish(talk, [*range(20), 1], max_tokens=5)
    talk.start_over(seed=8)
    for prompt in ([*range(20), 2], [*range(20), 3]):
        again, expected = finish(talk, prompt, max_tokens=5), finish(new, prompt, max_tokens=5)
        assert (again.text, again.seed) == (expected.text, expected.seed)


FORM = [(0, 1, 2)]
END = N_VOCAB - 1


def formed(of: Session) -> Session:
    return replace(of, matcher=lambda: ListedMatcher(FORM, N_VOCAB, END))


def ends() -> Session:
    return formed(session(is_end=lambda token: token == END))


def test_what_a_stop_string_or_an_error_ended_lacks_something_of_its_form():
    whole = finish(ends(), max_tokens=3)
    assert (whole.text, whole.complete) == ("abc", True)
    stopped = finish(ends(), max_tokens=3, stop=["c"])
    assert (stopped.finish_reason, stopped.complete) == ("stop_string", False)
    talk = replace(session(), matcher=lambda: ListedMatcher([(0, 99)], N_VOCAB, END))
    failed = finish(talk)
    assert (failed.finish_reason, failed.complete) == ("error", False)


THINK = Tags("<think>", "</think>")


def test_reasoning_that_was_held_back_to_the_end_is_told_as_such():
    talk = replace(session(), piece=lambda token: b"<think>" if token == 3 else b"x</", reasoning=THINK)
    *_, chunk, finished = talk.generate(PROMPT, max_tokens=1)
    assert chunk == TextChunk("</", from_draft=False, is_reasoning=True)
    assert (finished.text, finished.reasoning) == ("", "x</")


def test_no_reasoning_comes_before_a_form_behind_a_prompt_that_closes_it():
    pieces = {3: b"</think>", 4: b"<think>"}
    for seed in range(20):
        talk = replace(formed(session(seed=seed)), piece=lambda token: pieces.get(token, b"a"), reasoning=THINK)
        assert finish(talk, max_tokens=3).tokens == FORM[0]
