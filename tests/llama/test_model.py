import gc
import signal
import threading
import time

import numpy as np
import pytest

from specchat.speculative.errors import Cancelled, DecodeError
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.model import advance

CONFIG = LlamaConfig(n_ctx=512, n_batch=32, threads=1, cache_type_k="f32", cache_type_v="f32")
TEXT = [int(token) for token in np.random.default_rng(1).integers(0, 256, 100)]


@pytest.fixture
def model(tiny_model_path):
    with LlamaModel.load(tiny_model_path, CONFIG) as model:
        yield model


@pytest.fixture
def recurrent(write_tiny_model):
    with LlamaModel.load(write_tiny_model(architecture="mamba"), CONFIG) as model:
        yield model


def one_by_one(path, tokens):
    """The logits after each token, each from a pass of its own."""
    with LlamaModel.load(path, CONFIG) as model:
        return np.array([model.decode([token], 1)[0].copy() for token in tokens])


def test_rows_are_the_logits_after_the_last_tokens(model, tiny_model_path):
    expected = one_by_one(tiny_model_path, TEXT[:20])
    rows = model.decode(TEXT[:20], 5)
    assert rows.shape == (5, model.vocabulary.n_tokens)
    np.testing.assert_allclose(rows, expected[-5:], atol=2e-3)


def test_a_long_text_is_read_in_pieces(model, tiny_model_path):
    expected = one_by_one(tiny_model_path, TEXT)
    rows = model.decode(TEXT, 1)
    np.testing.assert_allclose(rows, expected[-1:], atol=2e-3)
    assert model.cached == TEXT


def test_tokens_in_front_of_many_rows_are_read_in_passes_of_their_own(model, tiny_model_path):
    """The rows have to be the very bits that a pass over them alone gives."""
    rows = model.decode(TEXT[:40], 4).copy()
    model.rollback(0)
    model.decode(TEXT[:32], 0)
    model.decode(TEXT[32:36], 0)
    np.testing.assert_array_equal(rows, model.decode(TEXT[36:40], 4))


def test_no_rows_are_returned_when_none_are_asked_for(model):
    assert model.decode(TEXT, 0).shape == (0, model.vocabulary.n_tokens)
    assert model.cached == TEXT


def test_rows_are_views_of_one_buffer(model):
    first = model.decode(TEXT[:3], 2)
    assert first.base is not None
    second = model.decode(TEXT[3:5], 2)
    assert np.shares_memory(first, second)


def test_a_rejected_draft_is_forgotten(model):
    model.decode(TEXT[:10], 1)
    expected = model.decode([7], 1).copy()
    assert model.rollback(10) == 10
    model.decode([1, 2, 3], 3)
    assert model.rollback(10) == 10
    assert model.cached == TEXT[:10]
    np.testing.assert_array_equal(model.decode([7], 1), expected)


def test_rolling_back_further_than_the_cache_changes_nothing(model):
    model.decode(TEXT[:10], 0)
    assert model.rollback(50) == 10
    assert model.cached == TEXT[:10]


def test_advance_heals_an_edited_text(model, tiny_model_path):
    expected = one_by_one(tiny_model_path, [*TEXT[:10], 5, 6, 7])
    advance(model, TEXT[:30], 1)
    rows = advance(model, [*TEXT[:10], 5, 6, 7], 2)
    np.testing.assert_allclose(rows, expected[-2:], atol=2e-3)


def test_a_recurrent_model_goes_back_to_where_guesses_began(recurrent):
    recurrent.decode(TEXT[:12], 0)
    expected = recurrent.decode(TEXT[12:14], 1).copy()
    recurrent.rollback(0)
    recurrent.decode(TEXT[:12], 0)
    recurrent.keep()
    recurrent.decode([1], 1)
    recurrent.decode([2], 1)
    assert (recurrent.nearest(13), recurrent.rollback(13)) == (12, 12)
    np.testing.assert_array_equal(recurrent.decode(TEXT[12:14], 1), expected)


def test_a_recurrent_model_forgets_everything_where_no_way_back_was_kept(recurrent):
    assert not recurrent.takes_back(1)
    expected = recurrent.decode(TEXT[:12], 1).copy()
    recurrent.decode([1, 2], 1)
    assert recurrent.rollback(12) == 0
    assert recurrent.cached == []
    np.testing.assert_array_equal(recurrent.decode(TEXT[:12], 1), expected)


def test_a_recurrent_model_that_is_not_rolled_back_keeps_its_state(recurrent):
    recurrent.decode(TEXT[:12], 1)
    assert recurrent.rollback(12) == 12


@pytest.mark.parametrize(("count", "n_logits"), [(0, 0), (3, 4), (20, 18), (3, -1)])
def test_what_would_abort_the_process_is_an_error(model, count, n_logits):
    with pytest.raises(DecodeError, match=f"over {count} tokens"):
        model.decode(TEXT[:count], n_logits)


def test_a_text_beyond_the_context_is_an_error_that_names_a_context_that_fits(model):
    model.decode(TEXT * 5, 0)
    with pytest.raises(DecodeError, match="500 tokens are cached and 13 more") as error:
        model.decode(TEXT[:13], 1)
    assert "-c 513" in error.value.hint
    assert len(model.cached) == 500


def test_a_context_that_is_no_multiple_of_256_holds_what_was_asked_for(tiny_model_path):
    with LlamaModel.load(tiny_model_path, LlamaConfig(n_ctx=50)) as model:
        model.decode(TEXT[:50], 1)
        with pytest.raises(DecodeError):
            model.decode([1], 1)


def test_a_token_outside_the_vocabulary_is_an_error_and_leaves_the_cache_alone(model):
    expected = model.decode(TEXT[:5], 1).copy()
    with pytest.raises(DecodeError, match=r"not valid for this model\. It says: invalid token"):
        model.decode([1, 100_000], 1)
    assert model.cached == TEXT[:5]
    model.rollback(4)
    np.testing.assert_allclose(model.decode(TEXT[4:5], 1), expected, atol=2e-3)


def test_an_interrupt_before_a_pass_leaves_even_a_recurrent_cache_alone(recurrent):
    recurrent.decode(TEXT[:5], 0)
    recurrent.interrupt.request()
    with pytest.raises(Cancelled):
        recurrent.decode([1], 1)
    assert recurrent.cached == TEXT[:5]


class InterruptsItself(Interrupt):
    """Requested by being looked at often enough: the abort callback looks between any two operations."""

    __slots__ = ("looks", "patience")

    def __init__(self, patience):
        self.patience = patience
        self.looks = 0

    @property
    def requested(self):
        self.looks += 1
        return self.looks > self.patience


@pytest.mark.parametrize("architecture", ["llama", "mamba"])
def test_an_interrupted_pass_is_cancelled_and_leaves_a_cache_that_is_right(write_tiny_model, architecture):
    path = write_tiny_model(architecture=architecture)
    expected = one_by_one(path, TEXT[:21])[-1:]
    interrupt = InterruptsItself(10**9)
    with LlamaModel.load(path, CONFIG, interrupt=interrupt) as model:
        model.decode(TEXT[:20], 0)
        looks = interrupt.looks
        interrupt.patience = looks + 10
        with pytest.raises(Cancelled):
            model.decode(TEXT[20:90], 1)
        assert interrupt.looks < looks + 20
        assert model.cached == TEXT[:20]
        interrupt.patience = 10**9
        np.testing.assert_allclose(advance(model, TEXT[:21], 1), expected, atol=2e-3)


def test_an_interrupt_from_another_thread_stops_a_pass_at_once(write_tiny_model):
    path = write_tiny_model(layers=24, width=512)
    with LlamaModel.load(path, LlamaConfig(n_ctx=1024, threads=1)) as model:
        requested = 0.0

        def request():
            nonlocal requested
            requested = time.perf_counter()
            model.interrupt.request()

        def read_for_long():
            for _ in range(100):
                model.rollback(0)
                model.decode(TEXT * 5, 1)

        timer = threading.Timer(0.05, request)
        timer.start()
        with pytest.raises(Cancelled):
            read_for_long()
        assert time.perf_counter() - requested < 0.2
        timer.join()


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this system has no alarm signal")
def test_a_signal_handler_stops_a_pass_in_the_main_thread(write_tiny_model):
    """Python runs handlers between two of its own instructions, of which a pass has few."""
    with LlamaModel.load(write_tiny_model(layers=24, width=512), LlamaConfig(n_ctx=1024, threads=1)) as model:
        before = signal.signal(signal.SIGALRM, lambda *_: model.interrupt.request())
        try:
            started = time.perf_counter()
            model.decode(TEXT * 5, 1)
            whole = time.perf_counter() - started
            model.rollback(0)
            signal.setitimer(signal.ITIMER_REAL, whole / 4)
            started = time.perf_counter()
            with pytest.raises(Cancelled):
                model.decode(TEXT * 5, 1)
            assert time.perf_counter() - started < whole * 0.8
        finally:
            signal.signal(signal.SIGALRM, before)


def test_closing_twice_is_safe_and_loading_again_works(tiny_model_path):
    for _ in range(3):
        model = LlamaModel.load(tiny_model_path, CONFIG)
        rows = model.decode(TEXT[:5], 2).copy()
        model.close()
        model.close()
        gc.collect()
    assert np.isfinite(rows).all()


def test_the_model_describes_itself(model, tiny_model_path):
    assert model.name == tiny_model_path.stem
    assert model.description.startswith("llama")
    assert model.metadata("general.architecture") == "llama"
    assert model.metadata("no.such.key") is None
    assert model.n_ctx_train == 1024
    assert model.path == tiny_model_path


def test_long_metadata_is_whole(write_tiny_model):
    template = "é" * 1000
    with LlamaModel.load(write_tiny_model(template=template)) as model:
        assert model.metadata("tokenizer.chat_template") == template


def test_a_twin_reads_for_itself_with_the_same_weights(model):
    with model.twin() as twin:
        alone = twin.decode(TEXT[:20], 1).copy()
        model.decode(TEXT[20:40], 1)
        assert (twin.cached, model.cached) == (TEXT[:20], TEXT[20:40])
        twin.rollback(0)
        assert np.array_equal(twin.decode(TEXT[:20], 1), alone)
    model.rollback(0)
    assert np.array_equal(model.decode(TEXT[:20], 1), alone)
