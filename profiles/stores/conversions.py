"""Files that Ollama converted in a way of its own, which its build of llama.cpp reads and llama.cpp itself does not.

Ollama translates them when it loads them; what it looks for is what is looked for here (llama/compat in its sources).
"""

from ..gguf.header import GgufHeader

_ARCHITECTURES = (
    "deepseekocr",
    "glm4moelite",
    "glmocr",
    "gptoss",
    "mllama",
    "nemotron_h_omni",
    "olmo3",
    "qwen25vl",
)
"""Names that llama.cpp does not know, or knows under another spelling."""
_EMBEDDED = ("a.", "mm.", "model.vision_tower.", "mtp.", "s.", "v.")
"""Beginnings of the names of what llama.cpp keeps in another file: projectors, and what they stand behind."""
_NEEDED_KEYS = {
    "gemma3": "attention.layer_norm_rms_epsilon",
    "qwen3vl": "rope.dimension_sections",
    "qwen3vlmoe": "rope.dimension_sections",
}
_NEEDED_TENSORS = {"lfm2": "token_embd_norm.weight"}
_OTHER_NAMES = {"laguna": ".attn_g.weight", "nemotron_h_moe": ".ffn_latent_in.weight"}
"""Ends of tensors' names that llama.cpp spells otherwise."""


def ollama_only(header: GgufHeader) -> str | None:
    """Why llama.cpp cannot load a file that Ollama converted, as the rest of a sentence; None for any other file."""
    architecture = header.text("general.architecture") or ""
    names = {tensor.name for tensor in header.tensors}
    if architecture in _ARCHITECTURES:
        return f"is Ollama's own conversion, as {architecture}, which only Ollama can load."
    if architecture != "clip" and any(name.startswith(_EMBEDDED) for name in names):
        return "is Ollama's own conversion, with what sees or hears in the same file, which only Ollama can load."
    key, tensor = _NEEDED_KEYS.get(architecture), _NEEDED_TENSORS.get(architecture)
    lacks = bool(key and f"{architecture}.{key}" not in header.metadata) or bool(tensor and tensor not in names)
    other = _OTHER_NAMES.get(architecture)
    if lacks or (other and any(name.endswith(other) for name in names)):
        return f"is Ollama's own conversion of {architecture}, which only Ollama can load."
    return None
