"""Models with weights of fewer bits."""

from pathlib import Path

import llama_cpp

from specchat.speculative.llama.backend import start_backend


def quantised(path: Path, kind: int) -> Path:
    """The file with weights of another type, as llama.cpp makes it, beside it; made once."""
    written = path.with_name(f"{path.stem}-{kind}.gguf")
    if not written.exists():
        start_backend()  # which keeps what llama.cpp says to itself
        parameters = llama_cpp.llama_model_quantize_default_params()
        parameters.ftype, parameters.nthread = kind, 1
        assert llama_cpp.llama_model_quantize(bytes(path), bytes(written), parameters) == 0
    return written


def in_eight_bits(path: Path) -> Path:
    """The file with weights in 8 bits, with which no bit depends on how a text is cut into passes."""
    return quantised(path, llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0)
