"""The stand-in hub is good enough for the real client, and its faults happen."""

from http.client import IncompleteRead
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

from .faults import Fault

SMALL = bytes(range(256)) * 40


@pytest.fixture
def api(standin):
    return HfApi(endpoint=standin.endpoint, token=False)


def test_the_real_client_downloads_a_file_of_either_kind(standin, tmp_path):
    standin.add("user/repo", {"sub/big.gguf": SMALL})
    standin.add("user/plain", {"small.txt": b"hello"}, in_lfs=False)
    for name, path, data in [("user/repo", "sub/big.gguf", SMALL), ("user/plain", "small.txt", b"hello")]:
        found = hf_hub_download(name, path, cache_dir=tmp_path, endpoint=standin.endpoint, token=False)
        assert Path(found).read_bytes() == data


def test_large_files_come_from_another_host_which_sees_no_token(standin, tmp_path):
    standin.add("user/repo", {"big.gguf": SMALL})
    hf_hub_download("user/repo", "big.gguf", cache_dir=tmp_path, endpoint=standin.endpoint, token="hf_x")
    hosts = {(request.host, request.token) for request in standin.requests}
    assert hosts == {("127.0.0.1", "hf_x"), ("localhost", None)}


def test_the_real_client_lists_and_searches(standin, api):
    standin.add("user/repo-GGUF", {"sub/a.gguf": SMALL, "b.gguf": SMALL}, downloads=5)
    standin.add("user/repo", {"config.json": b"{}"}, in_lfs=False)
    assert sorted(api.list_repo_files("user/repo-GGUF")) == ["b.gguf", "sub/a.gguf"]
    info = api.model_info("user/repo-GGUF", files_metadata=True)
    assert [each.size for each in info.siblings] == [len(SMALL)] * 2
    tree = api.list_repo_tree("user/repo-GGUF", recursive=True)
    assert sorted(each.path for each in tree) == ["b.gguf", "sub", "sub/a.gguf"]
    assert [each.id for each in api.list_models(search="REPO")] == ["user/repo-GGUF", "user/repo"]


def test_a_name_in_another_case_is_the_same_repository(standin, api):
    standin.add("User/Repo", {"a.gguf": SMALL})
    assert api.model_info("user/repo").id == "User/Repo"


def test_refusals_are_those_of_the_real_hub(standin, api, tmp_path):
    standin.add("user/gated", {"a.gguf": SMALL}, gated=True)
    standin.add("user/private", {"a.gguf": SMALL}, private=True)
    with pytest.raises(RepositoryNotFoundError):
        api.model_info("user/private")
    with pytest.raises(RepositoryNotFoundError):
        api.model_info("user/absent")
    with pytest.raises(RevisionNotFoundError):
        api.model_info("user/gated", revision="absent")
    with pytest.raises(GatedRepoError):
        hf_hub_download("user/gated", "a.gguf", cache_dir=tmp_path, endpoint=standin.endpoint, token=False)


def test_a_cut_happens_at_its_byte_and_is_counted(standin):
    standin.add("user/repo", {"big.gguf": SMALL})
    standin.inject(Fault("/cdn/", cut_at=1000))
    url = f"{standin.endpoint}/user/repo/resolve/main/big.gguf"
    with urlopen(url) as answer, pytest.raises(IncompleteRead) as cut:
        answer.read()
    assert (len(cut.value.partial), standin.sent) == (1000, {"big.gguf": 1000})
    with urlopen(url) as answer:
        assert answer.read() == SMALL


def test_a_range_is_a_range(standin):
    standin.add("user/repo", {"big.gguf": SMALL})
    request = Request(f"{standin.endpoint}/user/repo/resolve/main/big.gguf", headers={"Range": "bytes=10-19"})
    with urlopen(request) as answer:
        assert (answer.status, answer.read()) == (206, SMALL[10:20])
        assert answer.headers["Content-Range"] == f"bytes 10-19/{len(SMALL)}"
