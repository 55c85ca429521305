"""Vocabularies and kinds as llama.cpp has them, for which it reads no weights."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llama_cpp

from specchat.speculative.llama.backend import start_backend
from specchat.speculative.llama.loading import vocabulary_of
from specchat.speculative.llama.vocabulary import Vocabulary


@contextmanager
def loaded(path: Path) -> Iterator[Any]:
    """The model without its weights; None where llama.cpp refuses the file."""
    start_backend()
    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
    try:
        yield model
    finally:
        if model is not None:
            llama_cpp.llama_model_free(model)


@contextmanager
def loaded_vocabulary(path: Path) -> Iterator[Vocabulary]:
    with loaded(path) as model:
        assert model is not None, "llama.cpp refuses this file"
        yield Vocabulary(vocabulary_of(model))
