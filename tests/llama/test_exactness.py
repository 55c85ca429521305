"""`--exact` on tiny models: what is certified agrees bit for bit, however passes are cut; the rest is refused."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace

import llama_cpp
import numpy as np
import pytest

from specchat.speculative.errors import Cancelled, ModelLoadError, NotExactError, UsageError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.backend import device_names
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.exactness import exactness_cache, exactness_of, measured_rounding, verified
from specchat.speculative.llama.identity import loaded_identity
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.rounding_probe import command, probe
from specchat.speculative.model import advance

from ..quantised import in_eight_bits, quantised
from . import cuts

SETTINGS = LlamaConfig(n_ctx=1024, n_batch=64, threads=1)
TEXT = [int(token) for token in np.random.default_rng(2).integers(0, 256, 700)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A cache folder that all share: what is measured once need not be again."""
    return tmp_path_factory.mktemp("cache")


def config(path, folder, threads=1, **settings):
    return PairConfig(
        target=path, target_config=replace(SETTINGS, threads=threads), cache_folder=folder, exact=True, **settings
    )


def exactness(asked):
    return exactness_of(asked, exactness_cache(asked), lambda doing: None)


@pytest.fixture(scope="module")
def experts(write_tiny_model):
    return write_tiny_model(width=256, experts=4)


def cut_at_random(path, settings, most):
    """What `cuts` says of passes of up to `most` tokens."""
    job = [str(path), json.dumps(asdict(settings)), str(most)]
    done = subprocess.run([sys.executable, "-m", cuts.__name__, *job], capture_output=True, check=True, text=True)
    return done.stdout.strip()


KINDS = {"f32": None, "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M, "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_experts", [0, 4])
def test_what_is_certified_agrees_however_passes_are_cut(write_tiny_model, folder, n_experts, kind, threads):
    path = write_tiny_model(width=256, experts=n_experts)
    path = path if KINDS[kind] is None else quantised(path, KINDS[kind])
    asked = config(path, folder, threads)
    try:
        found = exactness(asked)
    except NotExactError:
        pytest.fail("each of these has exact settings")
    assert found.bit_exact
    assert found.context > 256
    if n_experts:
        assert not found.certificate.repack
        assert not found.certificate.tiled
    settings = found.applied(asked).target_settings
    assert cut_at_random(path, settings, found.certificate.most) == "the same"


@pytest.mark.parametrize(("least", "differing"), [(1, True), (2, False)])
def test_a_router_rounds_otherwise_for_one_token_which_few_texts_show(write_tiny_model, least, differing):
    """Three in six thousand tokens here, so that a short measurement says nothing."""
    path = in_eight_bits(write_tiny_model(experts=4))
    settings = replace(SETTINGS, cache_type_k="bf16", cache_type_v="bf16", repack=False, min_pass=least)
    texts = [[int(token) for token in np.random.default_rng(seed).integers(0, 256, 1000)] for seed in range(6)]
    with LlamaModel.load(path, settings) as model:
        rows = {length: [row for text in texts for row in rows_of(model, text, length)] for length in (1, 4)}
    assert (rows[1] != rows[4]) is differing


def rows_of(model, text, length):
    """The logits after each token, in passes of a length."""
    model.rollback(0)
    passes = (model.decode(text[begin : begin + length], length) for begin in range(0, len(text), length))
    return [row.tobytes() for rows in passes for row in rows]


def test_without_exact_settings_the_same_check_finds_differences(write_tiny_model):
    path = quantised(write_tiny_model(width=256, experts=4), KINDS["q4_k_m"])
    assert cut_at_random(path, SETTINGS, 17) == "different"


def test_kernels_are_chosen_once_for_a_process(tiny_model_path):
    with LlamaModel.load(tiny_model_path, SETTINGS), pytest.raises(ModelLoadError) as error:
        LlamaModel.load(tiny_model_path, replace(SETTINGS, tiled=False))
    assert error.value.hint == "Load it alone."


def test_texts_are_the_same_bytes_with_drafting_on_and_off(write_tiny_model, folder):
    path, draft = write_tiny_model(width=256), write_tiny_model(width=256, noise=0.1)
    texts = {}
    for name in ("none", "ngram", draft):
        asked = config(path, folder, draft=name, sampling={"temperature": 1.1}, draft_config=SETTINGS)
        with load_pair(asked, Interrupt()) as pair:
            assert pair.exactness.bit_exact
            for seed in range(4):
                *_, last = pair.session.afresh(pair.session.decoder, seed).generate(TEXT[:300], max_tokens=60)
                assert isinstance(last, GenerationFinished)
                texts.setdefault(seed, set()).add(last.tokens)
    assert all(len(found) == 1 for found in texts.values())


def test_a_certificate_is_measured_once_and_a_damaged_one_again(tiny_model_path, tmp_path):
    asked, told = config(tiny_model_path, tmp_path), []
    cache = exactness_cache(asked)
    first = exactness_of(asked, cache, told.append)
    measurements = len(told)
    assert measurements > 0
    assert exactness_of(asked, cache, told.append) == first
    assert len(told) == measurements
    [file] = (tmp_path / "exactness").iterdir()
    content = json.loads(file.read_text())
    for damage in ({"most": 99}, {"cache_type_k": "q9"}, {"least": "1"}, {"plain_cost": "dear"}):
        file.write_text(json.dumps(content | {"value": content["value"] | damage}))
        assert exactness_of(asked, cache, told.append).bit_exact
        assert len(told) > measurements
        measurements = len(told)


def test_a_draft_length_beyond_what_is_exact_is_refused_and_a_limit_is_lowered(tiny_model_path, folder):
    found = exactness(config(tiny_model_path, folder))
    short = replace(found, certificate=replace(found.certificate, most=3))
    drafted = config(tiny_model_path, folder, draft="ngram")
    assert short.applied(drafted).draft_max == 2
    assert "at most 2 guesses" in short.notice(drafted)
    assert "guesses" not in (short.notice(config(tiny_model_path, folder)) or "")
    with pytest.raises(UsageError) as error:
        short.applied(config(tiny_model_path, folder, draft_length=5))
    assert error.value.hint.startswith("Write --draft-length 2")

    with pytest.raises(UsageError):
        config(tiny_model_path, folder, draft_length=17)


def test_nothing_is_said_where_nothing_drafts(tiny_model_path, folder):
    with load_pair(replace(config(tiny_model_path, folder), exact=False), Interrupt()) as pair:
        assert pair.exactness is None


def test_the_processes_environment_does_not_reach_into_a_measurement(write_tiny_model, monkeypatch):
    """As a target that multiplies row by row would leave it."""
    path = quantised(write_tiny_model(width=256), KINDS["q4_k_m"])
    clean = probe(path, SETTINGS, (40,), (1, 2, 17), lambda seconds: None).roundings[0].differences
    monkeypatch.setenv("GGML_CPU_TILED_MM", "0")
    assert probe(path, SETTINGS, (40,), (1, 2, 17), lambda seconds: None).roundings[0].differences == clean


def test_files_of_the_working_folder_are_not_imported(tiny_model_path, tmp_path, monkeypatch):
    (tmp_path / "random.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert probe(tiny_model_path, SETTINGS, (40,), (1, 2), lambda seconds: None).roundings


def test_a_measurement_is_stopped_by_an_interrupt_and_leaves_no_process(tiny_model_path, folder):
    interrupt = Interrupt()
    asked = replace(config(tiny_model_path, None), target_config=replace(SETTINGS, n_ctx=1000))
    with pytest.raises(Cancelled):
        exactness_of(asked, exactness_cache(asked), lambda doing: interrupt.request(), interrupt)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_measurement_ends_with_whoever_wanted_it(tiny_model_path):
    line = command(tiny_model_path, SETTINGS, (900,) * 50, tuple(range(1, 18)), False)
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (3, b"")


def test_a_process_that_dies_is_told(tiny_model_path):
    def kill(seconds):
        subprocess.run(["pkill", "-KILL", "-P", str(os.getpid()), "-f", "rounding_probe"], check=False)

    with pytest.raises(ModelLoadError) as error:
        probe(tiny_model_path, SETTINGS, (900,), tuple(range(1, 18)), kill)
    assert "signal 9" in error.value.message


def test_small_contexts_are_measured_as_far_as_they_go(tiny_model_path, folder):
    asked = replace(config(tiny_model_path, folder), target_config=replace(SETTINGS, n_ctx=20))
    assert exactness(asked).certificate.most <= 9


def test_the_draft_gets_the_kernels_of_its_target(tiny_model_path, folder):
    found = exactness(config(tiny_model_path, folder))
    by_row = replace(found, certificate=replace(found.certificate, tiled=False))
    applied = by_row.applied(config(tiny_model_path, folder))
    assert not applied.target_config.tiled
    assert not applied.draft_config.tiled


def test_what_is_measured_depends_on_the_devices():
    assert device_names()
    assert all(name in loaded_identity("big.gguf", SETTINGS) for name in device_names())


def test_rejection_cannot_be_exact(tiny_model_path):
    with pytest.raises(UsageError):
        config(tiny_model_path, None, verification="rejection")


def test_rounding_is_measured_without_exact_too_and_kept_for_the_statistics(tiny_model_path, tmp_path):
    asked = replace(config(tiny_model_path, tmp_path), exact=False, draft="ngram")
    assert exactness(asked).bit_exact is None
    found = measured_rounding(asked, exactness_cache(asked), lambda doing: None)
    assert [each.context for each in found.roundings] == [100, 1024 - 2 * 17]
    assert len(found.cuts) == 2
    known = exactness(asked)
    assert (known.rounding, known.context) == (found.worst(17), 990)
    assert known.bit_exact == (found.worst(17) == 0)
    longer = replace(asked, draft="ngram", draft_max=40)
    assert exactness(longer).bit_exact is None, "passes over 41 tokens were not measured"


def test_verifying_exact_settings_finds_no_difference(tiny_model_path, folder):
    found = verified(config(tiny_model_path, folder), lambda doing: None)
    assert found.probe.worst(found.longest) == 0


def test_verifying_looks_no_further_than_drafts_go(tiny_model_path, tmp_path):
    asked = config(tiny_model_path, tmp_path)
    found = exactness(asked)
    [file] = (tmp_path / "exactness").iterdir()
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"value": content["value"] | {"most": 3}}))
    assert exactness(asked).certificate == replace(found.certificate, most=3)
    assert verified(asked, lambda doing: None).longest == 3


def test_a_recurrent_model_is_measured_like_any(write_tiny_model, folder):
    """It reads again what it cannot take back, and its passes agree where those of others do."""
    asked = config(quantised(write_tiny_model(architecture="mamba"), llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0), folder)
    assert exactness(asked).certificate.most == 17
    found = verified(asked, lambda doing: None)
    assert (len(found.probe.roundings), found.probe.worst(found.longest)) == (2, 0)


@pytest.mark.parametrize("architecture", ["llama", "mamba", "jamba", "lfm2", "gemma2"])
def test_wrong_guesses_leave_no_bit_behind(write_tiny_model, architecture):
    path = quantised(write_tiny_model(architecture=architecture), llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0)
    settings = replace(SETTINGS, cache_type_k="bf16", cache_type_v="bf16")
    with LlamaModel.load(path, settings) as model, model.twin() as oracle:
        text = TEXT[:300]
        for each in (model, oracle):
            advance(each, text, 1)
        for token in TEXT[300:340]:
            text = [*text, token]
            expected = oracle.decode([token], 1)[0].copy()
            rows = advance(model, [*text, 1, 2, 3, 4], 5)
            assert np.array_equal(rows[0], expected)


def test_a_file_that_cannot_be_loaded_is_told_as_ever(tmp_path):
    missing = tmp_path / "none.gguf"
    for load in (
        lambda: probe(missing, SETTINGS, (32,), (1, 2), lambda seconds: None),
        lambda: load_pair(config(missing, tmp_path), Interrupt()),
        lambda: verified(config(missing, tmp_path), lambda doing: None),
    ):
        with pytest.raises(ModelLoadError) as error:
            load()
        assert "no model file" in error.value.message
        assert error.value.hint


def test_a_padded_pass_leaves_no_trace(tiny_model_path):
    with LlamaModel.load(tiny_model_path, replace(SETTINGS, min_pass=3, max_rows=4)) as model:
        rows = model.decode(TEXT[:1], 1).copy()
        assert (rows.shape[0], model.cached) == (1, TEXT[:1])
        both = model.decode(TEXT[1:3], 2).copy()
        assert model.cached == TEXT[:3]
        model.rollback(0)
        assert np.allclose(model.decode(TEXT[:3], 3), [*rows, *both], atol=1e-3)
        for token in TEXT[3 : model.n_ctx]:
            model.decode([token], 1)
        while len(model.cached) < model.n_ctx:
            model.decode([5], 1)
