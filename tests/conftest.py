"""What all tests share: the folder of real models, and who may do without it."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from .hub.standin import StandIn
from .tiny import TinyModel, write_tiny

FOLDER = "SPECCHAT_TEST_MODELS"
REQUIRE = "SPECCHAT_REQUIRE_MODELS"

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"  # huggingface_hub would look something up at the public hub

# A busy machine is no failure; and a run that decides whether a change lands finds what it finds every time.
settings.register_profile("specchat", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("specchat")


@pytest.fixture(scope="session", autouse=True)
def folders_of_the_run(tmp_path_factory):
    """What is kept between runs is kept for this one, and nothing of the user's is read or written."""
    with pytest.MonkeyPatch.context() as variables:
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            variables.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of real models; a test that takes it also carries the mark `models`."""
    if FOLDER not in os.environ:
        pytest.skip(f"{FOLDER} names no folder of models")
    return Path(os.environ[FOLDER])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Where the models have to be there, a skipped test of them has failed."""
    report = yield
    if report.skipped and os.environ.get(REQUIRE) == "1" and item.get_closest_marker("models"):
        report.outcome = "failed"
        report.longrepr = f"skipped, though {REQUIRE} is set: {report.longrepr}"
    return report


@pytest.fixture
def standin():
    """A hub on this machine, without any repository yet."""
    with StandIn() as hub:
        yield hub


@pytest.fixture(scope="session")
def write_tiny_model(tmp_path_factory):
    """A function that writes a tiny random model with the settings of `TinyModel`, once each, and gives its path."""
    folder = tmp_path_factory.mktemp("tiny-models")
    paths: dict[TinyModel, Path] = {}

    def write(**settings: Any) -> Path:
        model = TinyModel(**settings)
        if model not in paths:
            paths[model] = write_tiny(folder / f"tiny-{len(paths)}.gguf", model)
        return paths[model]

    return write


@pytest.fixture(scope="session")
def tiny_model_path(write_tiny_model):
    """A tiny random model: dense, byte-level BPE, 300 tokens, two end tokens, ChatML."""
    return write_tiny_model()
