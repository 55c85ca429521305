"""llama.cpp's return codes and complaints, as sentences."""

from pathlib import Path

from ..errors import Cancelled, DecodeError, ModelLoadError
from .backend import Backend

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
    return ModelLoadError(f"llama.cpp cannot load {path}: {complaint.rstrip('.')}.", _load_hint(complaint))


def _load_hint(complaint: str) -> str:
    if "unknown" in complaint:
        return "A newer llama-cpp-python may know this kind of model; specchat doctor shows the installed version."
    if "file bounds" in complaint or "read" in complaint:
        return "The file is incomplete or damaged: download it again."
    if "alloc" in complaint or "memory" in complaint:
        return "Use a smaller file (a stronger quantisation), or put fewer layers on the GPU: -ngl 0."
    return "--verbose shows everything that llama.cpp says."
