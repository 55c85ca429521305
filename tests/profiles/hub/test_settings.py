"""What the environment says about the hub is read as huggingface_hub reads it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from specchat.profiles.hub.client import hub_of
from specchat.speculative.errors import UsageError

from .support import no_home


def test_without_any_variable_it_is_the_public_hub_and_the_usual_cache(tmp_path):
    hub = hub_of({}, lambda: tmp_path)
    assert hub.endpoint == "https://huggingface.co"
    assert hub.cache == tmp_path / ".cache/huggingface/hub"
    assert (hub.token, hub.offline, hub.proxy, hub.is_mirror) == (None, False, "", False)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"XDG_CACHE_HOME": "/x"},
        {"HF_HOME": "/h", "XDG_CACHE_HOME": "/x"},
        {"HF_HOME": "~/h"},
        {"HF_HUB_CACHE": "/c", "HF_HOME": "/h"},
        {"HUGGINGFACE_HUB_CACHE": "/old"},
        {"HF_ENDPOINT": "https://mirror.example/"},
        {"HF_TOKEN": " hf_a\n", "HUGGING_FACE_HUB_TOKEN": "hf_b"},
        {"HUGGING_FACE_HUB_TOKEN": "hf_b"},
        {"HF_TOKEN_PATH": "TOKEN_FILE"},
        {"HF_HUB_OFFLINE": "1"},
        {"HF_HUB_OFFLINE": "0"},
        {"TRANSFORMERS_OFFLINE": "yes"},
    ],
)
def test_the_cache_the_endpoint_and_the_token_are_those_of_the_real_client(variables, tmp_path):
    (tmp_path / "named").write_text("hf_file\n")
    variables = {name: value.replace("TOKEN_FILE", str(tmp_path / "named")) for name, value in variables.items()}
    program = (
        "import json; from huggingface_hub import constants, get_token;"
        "print(json.dumps([constants.HF_HUB_CACHE, constants.ENDPOINT, get_token(), constants.HF_HUB_OFFLINE]))"
    )
    clean = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], **variables}
    done = subprocess.run([sys.executable, "-c", program], env=clean, capture_output=True, text=True, check=True)
    hub = hub_of(variables, lambda: tmp_path)
    token = hub.token.value if hub.token else None
    assert [str(hub.cache), hub.endpoint, token, hub.offline] == json.loads(done.stdout)


@pytest.mark.parametrize("text", ["", " \n", "hf_ä", "hf_a\x00b"])
def test_what_can_be_no_header_is_no_token(text, tmp_path):
    (tmp_path / "token").write_text(text)
    assert hub_of({"HF_HOME": str(tmp_path), "HF_TOKEN": text}, no_home).token is None


def test_a_token_is_kept_back_where_the_real_client_would():
    assert hub_of({"HF_HOME": "/h", "HF_TOKEN": "hf_a", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, no_home).token is None


def test_a_token_file_that_is_no_text_or_not_there_is_no_token(tmp_path):
    assert hub_of({"HF_HOME": str(tmp_path)}, no_home).token is None
    (tmp_path / "token").write_bytes(b"\xff\xfe")
    assert hub_of({"HF_HOME": str(tmp_path)}, no_home).token is None


@pytest.mark.parametrize("text", ["hub", "ftp://hub", "http://", "http://[", "http://hub:port"])
def test_an_endpoint_that_is_no_address_is_named(text):
    with pytest.raises(UsageError, match="HF_ENDPOINT is"):
        hub_of({"HF_ENDPOINT": text, "HF_HOME": "/h"}, no_home)


def test_without_a_home_folder_one_has_to_be_named():
    with pytest.raises(UsageError) as caught:
        hub_of({}, no_home)
    assert caught.value.hint == "Name a folder in HF_HOME."
    assert hub_of({"HF_HOME": "/h"}, no_home).cache == Path("/h/hub")
