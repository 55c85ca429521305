"""Computing on other machines with a build that cannot."""

import subprocess
import sys

import pytest

from specchat.speculative.llama.backend import build_info

COMMAND = (sys.executable, "-m", "specchat.cli.main")
without_rpc = pytest.mark.skipif("RPC" in (build_info().backends or ()), reason="llama.cpp was built with RPC")


def said(*arguments: object) -> str:
    """What a command that fails has to say."""
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


@without_rpc
@pytest.mark.parametrize("arguments", [("rpc-server",), ("run", "--rpc", "127.0.0.1:50052", "Hi", "-m")])
def test_a_build_without_rpc_is_told_with_the_command_that_makes_one(tiny_model_path, arguments):
    error, hint = said(*arguments, *([tiny_model_path] if "-m" in arguments else [])).splitlines()
    assert error == "error: This build of llama.cpp can neither use other machines nor be used by them."
    assert "-DGGML_RPC=on" in hint
    assert '"llama-cpp-python' in hint
    assert "--force-reinstall --no-cache-dir" in hint or "--reinstall --no-cache" in hint
