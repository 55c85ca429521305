import subprocess
import sys

import llama_cpp
import pytest

from specchat.speculative.cache_types import CACHE_TYPES
from specchat.speculative.errors import Cancelled, ModelLoadError, UsageError
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.backend import build_info
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel


def load_error(path, config=None):
    with pytest.raises(ModelLoadError) as error:
        LlamaModel.load(path, config)
    assert str(path) in error.value.message
    assert "\n" not in error.value.message
    return error.value


def test_a_missing_file_is_named(tmp_path):
    assert "no model file" in load_error(tmp_path / "missing.gguf").message


def test_a_folder_is_no_model(tmp_path):
    error = load_error(tmp_path)
    assert "is a folder" in error.message
    assert ".gguf file inside" in error.hint


def test_an_empty_file_is_no_model(tmp_path):
    path = tmp_path / "empty.gguf"
    path.touch()
    assert "is empty" in load_error(path).message


def test_a_text_file_is_no_model(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary")
    assert "not a GGUF file: it starts with 'Dear'" in load_error(path).message


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_truncated_file_is_told_with_llama_cpps_own_reason(tiny_model_path, tmp_path, share):
    data = tiny_model_path.read_bytes()
    path = tmp_path / "truncated.gguf"
    path.write_bytes(data[: int(share * len(data))])
    error = load_error(path)
    assert "llama.cpp cannot load" in error.message
    assert "it does not say why" not in error.message
    assert "incomplete or damaged" in error.hint


def test_an_unknown_architecture_is_named(tiny_model_path, tmp_path):
    path = tmp_path / "unknown.gguf"
    path.write_bytes(tiny_model_path.read_bytes().replace(b"llama", b"lxama"))
    error = load_error(path)
    assert "unknown model architecture: 'lxama'" in error.message
    assert "newer llama-cpp-python" in error.hint


def test_an_embedding_model_is_refused(write_tiny_model):
    assert "is an embedding model (llama)" in load_error(write_tiny_model(metadata={"llama.pooling_type": 3})).message


def test_a_context_that_does_not_fit_the_memory_says_so(write_tiny_model):
    """About 400 GB, which are refused before any of them is touched."""
    path = write_tiny_model(layers=24, width=512, n_ctx=2**23)
    error = load_error(path, LlamaConfig(n_ctx=2**23, cache_type_k="f32", cache_type_v="f32"))
    assert f"a context of {2**23} tokens" in error.message
    assert "alloc" in error.message or "memory" in error.message
    assert f"-c {2**21}" in error.hint


@pytest.mark.parametrize(("asked", "size"), [(None, 1024), (0, 1024), (300, 300), (2048, 2048)])
def test_the_context_is_the_trained_one_unless_asked_for(tiny_model_path, asked, size):
    with LlamaModel.load(tiny_model_path, LlamaConfig(n_ctx=asked)) as model:
        assert model.n_ctx == size


def test_the_default_context_of_a_model_trained_on_more_is_8192(write_tiny_model):
    with LlamaModel.load(write_tiny_model(n_ctx=32768)) as model:
        assert model.n_ctx == 8192


@pytest.mark.parametrize("cache_type", CACHE_TYPES)
def test_every_cache_type_works(write_tiny_model, cache_type):
    config = LlamaConfig(n_ctx=256, cache_type_k=cache_type, cache_type_v=cache_type)
    with LlamaModel.load(write_tiny_model(), config) as model:
        assert model.decode([1, 2, 3], 1).shape == (1, 300)


def test_a_misspelt_cache_type_is_told_the_right_one():
    with pytest.raises(UsageError) as error:
        LlamaConfig(cache_type_k="q80")
    assert "'q80'" in error.value.message
    assert "Did you mean q8_0?" in error.value.hint


def test_a_quantised_v_cache_needs_flash_attention():
    with pytest.raises(UsageError, match="needs flash attention"):
        LlamaConfig(cache_type_v="q8_0", flash_attention="off")
    LlamaConfig(cache_type_k="q8_0", flash_attention="off")


@pytest.mark.parametrize("settings", [{"n_ctx": -1}, {"n_ctx": 2**40}, {"n_batch": 0}, {"threads": 0}, {"max_rows": 0}])
def test_numbers_out_of_range_are_usage_errors(settings):
    with pytest.raises(UsageError):
        LlamaConfig(**settings)


def test_loading_tells_how_far_it_is(tiny_model_path):
    shares = []
    with LlamaModel.load(tiny_model_path, on_progress=shares.append):
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


def test_loading_stops_at_an_interrupt(tiny_model_path):
    with pytest.raises(Cancelled):
        LlamaModel.load(tiny_model_path, interrupt=Interrupt(requested=True))


SILENT = """
import sys
from pathlib import Path
from specchat.speculative.errors import ModelLoadError
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
with LlamaModel.load(Path(sys.argv[1]), LlamaConfig(verbose=len(sys.argv) > 3)) as model:
    model.decode([1, 2, 3], 1)
try:
    LlamaModel.load(Path(sys.argv[2]))
except ModelLoadError:
    pass
"""


@pytest.mark.parametrize("verbose", [False, True])
def test_llama_cpp_is_silent_unless_verbose(tiny_model_path, tmp_path, verbose):
    truncated = tmp_path / "truncated.gguf"
    truncated.write_bytes(tiny_model_path.read_bytes()[:5000])
    arguments = [sys.executable, "-c", SILENT, tiny_model_path, truncated, *(["verbose"] if verbose else [])]
    result = subprocess.run(arguments, capture_output=True, check=True)
    assert result.stdout == b""
    assert (result.stderr != b"") == verbose


def test_the_build_describes_itself():
    info = build_info()
    assert info.llama_version
    assert "CPU" in info.features
    assert info.devices
    assert all(device.total >= device.free > 0 for device in info.devices)


def test_prompts_can_have_threads_of_their_own(tiny_model_path):
    found = []

    def asking(function, context, *arguments):
        if function is llama_cpp.llama_decode:
            found.append((llama_cpp.llama_n_threads(context), llama_cpp.llama_n_threads_batch(context)))
        return function(context, *arguments)

    with LlamaModel.load(tiny_model_path, LlamaConfig(threads=1, threads_batch=2), call=asking) as model:
        model.decode([1, 2, 3], 1)
    assert found == [(1, 2)]
