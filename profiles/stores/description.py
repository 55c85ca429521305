"""What the header of a stored model adds to what its store says."""

from dataclasses import dataclass

from specchat.speculative.errors import ModelLoadError, SpecchatError

from ..gguf.facts import ModelFacts, model_facts
from ..gguf.header import FileBytes, read_header
from .conversions import ollama_only
from .stored import OLLAMA, StoredModel


@dataclass(frozen=True, slots=True)
class Description:
    """The facts, if there are any, and what is wrong with the file, in a sentence."""

    facts: ModelFacts | None
    problem: str = ""


def described(model: StoredModel) -> Description:
    """What is in the file of a model; a damaged one is described as that."""
    try:
        header = read_header(FileBytes(model.path), str(model.path))
    except SpecchatError as error:
        return Description(None, error.message)
    facts = model_facts(header)
    objection = ollama_only(header) or facts.objection
    return Description(facts, f"It {objection}" if objection else "")


def check_loadable(model: StoredModel) -> None:
    """Raise `ModelLoadError` for a file of Ollama's that only Ollama can load, or that is none."""
    if model.store != OLLAMA:
        return
    reason = ollama_only(read_header(FileBytes(model.path), model.name))
    if reason:
        hint = "Get the same model from the hub: specchat pull USER/REPO, one whose name ends in -GGUF."
        raise ModelLoadError(f"{model.name} {reason}", hint)
