"""A hub for commands that fetch."""

from types import SimpleNamespace

import pytest

from ..tiny import TinyModel, write_tiny
from .fakes import World


@pytest.fixture
def hub(standin, tmp_path):
    """A hub with a target and two drafts, of which one fits; `run` runs a command against it."""
    sizes = {}
    for name, model in {
        "big-Q4_K_M.gguf": TinyModel(layers=3),
        "small-Q8_0.gguf": TinyModel(),
        "other-Q8_0.gguf": TinyModel(altered=(100, "odd")),
    }.items():
        write_tiny(tmp_path / name, model)
        standin.add(f"user/{name[:-5].rsplit('-', 1)[0]}-GGUF", {name: tmp_path / name})
        sizes[name] = (tmp_path / name).stat().st_size

    def run(*arguments, more=(), **settings):
        variables = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(tmp_path / "hf"), **dict(more)}
        return World(home=lambda: tmp_path, variables=variables, stdin=b"", **settings).run(*arguments)

    return SimpleNamespace(standin=standin, run=run, sizes=sizes, cache=tmp_path / "hf" / "hub")
