"""What a model's own file and llama.cpp's defaults set, where nobody says otherwise."""

from pathlib import Path

from specchat.speculative.llama.config import DEFAULT_CONTEXT, LlamaConfig
from specchat.speculative.llama.pair_config import DEFAULT_DRAFT_MAX
from specchat.speculative.llama.recommended import recommended_sampling
from specchat.speculative.sampling_params import SamplingParams

from .gguf.header import FileBytes, read_header
from .settings import AUTO, SAMPLING, Layer, Settings

MODEL, BUILT_IN = "the model's file", "built-in"


def file_settings(file: Path) -> Layer:
    """What a GGUF file recommends. Raises `ModelLoadError` for what is none."""
    header = read_header(FileBytes(file), str(file))
    metadata = header.metadata
    trained = header.integer(f"{header.text('general.architecture')}.context_length")
    settings = Settings(
        context=trained if trained is not None and trained < DEFAULT_CONTEXT else None,
        **recommended_sampling(lambda key: str(metadata[key]) if key in metadata else None),  # type: ignore[arg-type]
    )
    return Layer(settings, dict.fromkeys(settings.said(), MODEL))


def built_in_settings() -> Layer:
    """What is left; a setting that is missing here has no value, or is found out while running."""
    loading, sampling = LlamaConfig(), SamplingParams()
    settings = Settings(
        draft="auto",
        draft_max=DEFAULT_DRAFT_MAX,
        context=AUTO,
        gpu_layers=AUTO,
        draft_gpu_layers=AUTO,
        cpu_moe=AUTO,
        mmap="on",
        flash_attention=loading.flash_attention,
        cache_type_k=loading.cache_type_k,
        cache_type_v=loading.cache_type_v,
        **{name: getattr(sampling, name) for name in SAMPLING},
    )
    return Layer(settings, dict.fromkeys(settings.said(), BUILT_IN))
