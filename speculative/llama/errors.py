"""llama.cpp's return codes and complaints, as sentences."""

from pathlib import Path

from ..errors import Cancelled, DecodeError, ModelLoadError, OutOfMemoryError
from .backend import Backend
from .config import LlamaConfig

_ABORTED = 2
_MEANINGS = {
    1: "its cache has no room for these tokens",
    -1: "the tokens are not valid for this model",
    -2: "there is not enough memory",
    -3: "the computation failed",
}


def decode_error(code: int, backend: Backend) -> Cancelled | DecodeError:
    """What a return code of llama_decode means."""
    if code == _ABORTED:
        return Cancelled()
    complaint = backend.take_complaint()
    said = f" It says: {complaint.rstrip('.')}." if complaint else ""
    return DecodeError(f"llama.cpp could not compute a pass: {_MEANINGS.get(code, f'code {code}')}.{said}")


def load_error(path: Path, backend: Backend) -> ModelLoadError:
    """Why llama.cpp refused a file, in its own words."""
    complaint = backend.take_complaint() or "it does not say why"
    kind = OutOfMemoryError if is_of_memory(complaint) else ModelLoadError
    return kind(f"llama.cpp cannot load {path}: {complaint.rstrip('.')}.", _load_hint(complaint))


def context_error(path: Path, size: int, trained: int, config: LlamaConfig, backend: Backend) -> ModelLoadError:
    """Why there is no context of `size` tokens for a model that was `trained` on so many.

    Where llama.cpp is silent, some device had no memory.
    """
    complaint = backend.take_complaint().rstrip(".") or "there is not enough memory"
    kind = OutOfMemoryError if is_of_memory(complaint) else ModelLoadError
    less = max(256, min(size // 4, trained))
    hint = f"Less memory is needed with -c {less}, or with --cache-type-k q8_0 --cache-type-v q8_0"
    hint += "." if config.on_cpu else ", and less of it on devices with fewer layers there, -ngl N."
    return kind(f"llama.cpp cannot make a context of {size} tokens for {path}: {complaint}.", hint)


def is_of_memory(complaint: str) -> bool:
    """Whether llama.cpp complains of too little memory.

    Its backends have words of their own: "unable to allocate CUDA0 buffer", "cudaMalloc failed: out of memory",
    "failed to allocate buffer for kv cache", "ErrorOutOfDeviceMemory", "std::bad_alloc".
    """
    return "alloc" in complaint or "memory" in complaint.lower()


def _load_hint(complaint: str) -> str:
    if "unknown" in complaint:
        return "A newer llama-cpp-python may know this kind of model; specchat doctor shows the installed version."
    if "file bounds" in complaint or "read" in complaint:
        return "The file is incomplete or damaged: download it again."
    if is_of_memory(complaint):
        return "Use a smaller file (a stronger quantisation), or put fewer layers on the GPU: -ngl 0."
    return "--verbose shows everything that llama.cpp says."
