"""The hub's listings, and bytes out of the middle of its files."""

import pytest

from specchat.profiles.hub.bytes_source import HubBytes

from ...hub.faults import Fault
from .support import DATA, file_of, hub_at


@pytest.fixture
def hub(standin, tmp_path):
    standin.add("User/Repo-GGUF", {"sub/model.gguf": DATA, "b.gguf": DATA[:10]}, downloads=3)
    return hub_at(standin.endpoint, tmp_path)


def test_files_come_with_sizes_checksums_and_the_commit(hub, standin):
    listed = hub.files("User/Repo-GGUF")
    stored = standin.repositories["User/Repo-GGUF"]
    commit = stored.branches["main"]
    assert [(file.path, file.size, file.revision, file.branch) for file in listed] == [
        ("sub/model.gguf", len(DATA), commit, "main"),
        ("b.gguf", 10, commit, "main"),
    ]
    assert [file.sha256 for file in listed] == [content.sha256 for content in stored.commits[commit].values()]


def test_a_commit_stands_for_itself(hub, standin):
    commit = standin.repositories["User/Repo-GGUF"].branches["main"]
    standin.add("User/Repo-GGUF", {"new.gguf": DATA})
    listed = hub.files("User/Repo-GGUF", commit)
    assert [(file.path, file.branch) for file in listed] == [("sub/model.gguf", ""), ("b.gguf", "")]


def test_a_repository_is_named_as_its_owner_writes_it(hub):
    assert {file.repo for file in hub.files("user/repo-gguf")} == {"User/Repo-GGUF"}


def test_a_branch_with_a_slash_is_a_branch(hub, standin):
    standin.add("User/Repo-GGUF", {"pr.gguf": DATA}, branch="refs/pr/1")
    assert [file.path for file in hub.files("User/Repo-GGUF", "refs/pr/1")] == ["pr.gguf"]


def test_a_search_finds_the_most_downloaded_first(hub, standin):
    standin.add("other/repo-GGUF", {"model.gguf": DATA}, downloads=9)
    standin.add("other/else", {"model.gguf": DATA})
    assert hub.search("repo gguf") == ["other/repo-GGUF", "User/Repo-GGUF"]
    assert hub.search("repo gguf", limit=1) == ["other/repo-GGUF"]


@pytest.mark.parametrize(("offset", "size"), [(0, 4), (99_990, 100), (50_000, 1), (100_000, 5), (200_000, 5), (7, 0)])
def test_bytes_are_those_of_the_file_and_no_more_travel(hub, standin, offset, size):
    source = HubBytes(hub, file_of(hub, "User/Repo-GGUF", "sub/model.gguf"))
    assert source.read(offset, size) == DATA[offset : offset + size]
    assert standin.served == len(DATA[offset : offset + size])


def test_bytes_of_a_broken_connection_are_asked_for_again(hub, standin):
    source = HubBytes(hub, file_of(hub, "User/Repo-GGUF", "sub/model.gguf"))
    standin.inject(Fault("/cdn/", cut_at=10))
    standin.inject(Fault("/cdn/", status=503))
    assert source.read(100, 50) == DATA[100:150]


def test_a_server_that_knows_no_ranges_gives_the_right_bytes_too(hub, standin):
    source = HubBytes(hub, file_of(hub, "User/Repo-GGUF", "sub/model.gguf"))
    standin.inject(Fault("/cdn/", ignore_range=True))
    assert source.read(100, 50) == DATA[100:150]
