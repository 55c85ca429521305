"""How far positions reach that a header says are scaled, as llama_model_base::load_hparams reads it."""

from .hyperparameters import Hyperparameters

_SCALING = "rope.scaling."


def scaled_context(found: Hyperparameters) -> int:
    """The tokens to which scaling stretches the context of a model; 0 where it says nothing of that.

    What a file calls its context is stretched already, as a rule; with YaRN and no original length, it is not.
    """
    kind = found.text(f"{found.architecture}.{_SCALING}type")
    original = found.number(f"{_SCALING}original_context_length")
    if not original and kind == "yarn":
        original = found.number("context_length")
    return 0 if kind == "none" else round(original * found.real(f"{_SCALING}factor"))
