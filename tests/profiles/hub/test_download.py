"""Files of the hub into its cache: resumed, verified, and shared."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from threading import Event
from time import sleep

import pytest
from huggingface_hub import hf_hub_download, scan_cache_dir
from huggingface_hub.utils import WeakFileLock

from specchat.profiles.errors import FetchError
from specchat.profiles.hub.download import download
from specchat.profiles.hub.layout import Place, cached_file
from specchat.speculative.errors import ModelLoadError, SpecchatError

from ...hub.faults import ALWAYS, Fault
from .support import DATA, Watch, file_of, hub_at, told, whole_files


@pytest.fixture
def hub(standin, tmp_path):
    standin.add("user/repo", {"model.gguf": DATA})
    return hub_at(standin.endpoint, tmp_path)


def fetch(hub, *files):
    """Download; the path of the first and who watched."""
    watch = Watch()
    return download(hub, files or [file_of(hub)], watch)[0], watch


def test_a_file_arrives_whole_and_under_its_name(hub, standin):
    path, watch = fetch(hub)
    assert path.read_bytes() == DATA
    assert path.parts[-4:-2] == ("models--user--repo", "snapshots")
    assert (watch.total, watch.done, standin.served) == (len(DATA), len(DATA), len(DATA))


def test_what_was_refused_leaves_no_empty_file(hub, standin, tmp_path):
    file = file_of(hub)
    standin.inject(Fault("/resolve/", status=404, times=ALWAYS))
    with pytest.raises(SpecchatError):
        fetch(hub, file)
    assert not list(hub.cache.rglob("*.incomplete"))


def test_what_lies_in_git_itself_is_verified_by_its_git_checksum(standin, tmp_path):
    standin.add("user/plain", {"sub/small.gguf": b"GGUF small"}, in_lfs=False)
    hub = hub_at(standin.endpoint, tmp_path)
    file = file_of(hub, "user/plain", "sub/small.gguf")
    assert fetch(hub, file)[0].read_bytes() == b"GGUF small"
    standin.inject(Fault("/resolve/", corrupt_at=3))
    with pytest.raises(FetchError, match="damaged"):
        fetch(hub_at(standin.endpoint, tmp_path / "other"), file)


def test_a_huge_file_is_asked_for_in_pieces(hub, standin):
    path, _ = fetch(replace(hub, patience=replace(hub.patience, piece=30_000)))
    assert path.read_bytes() == DATA
    ranges = [request.range for request in standin.requests if request.path.startswith("/cdn/")]
    assert ranges == ["bytes=0-29999", "bytes=30000-59999", "bytes=60000-89999", "bytes=90000-99999"]


def test_an_empty_file_takes_no_request(standin, tmp_path):
    standin.add("user/repo", {"model.gguf": b""}, in_lfs=False)
    hub = hub_at(standin.endpoint, tmp_path)
    assert fetch(hub)[0].read_bytes() == b""
    assert standin.served == 0


def test_the_same_file_twice_is_fetched_once(hub, standin):
    file = file_of(hub)
    paths = download(hub, [file, file], Watch())
    assert paths[0] == paths[1]
    assert standin.served == len(DATA)


def test_what_is_there_takes_no_request_and_works_offline(hub, standin, tmp_path):
    file = file_of(hub)
    path, _ = fetch(hub, file)
    standin.requests.clear()
    offline = hub_at(standin.endpoint, tmp_path, HF_HUB_OFFLINE="1")
    again, watch = fetch(offline, file)
    assert (again, watch.total, watch.done) == (path, len(DATA), len(DATA))
    assert cached_file(offline.cache, "user/repo", "main", "model.gguf") == path
    assert standin.requests == []


def test_offline_nothing_is_asked_for_what_is_missing(hub, standin, tmp_path):
    file = file_of(hub)
    standin.requests.clear()
    offline = hub_at(standin.endpoint, tmp_path, HF_HUB_OFFLINE="1")
    for action in (lambda: fetch(offline, file), lambda: offline.files("user/repo"), lambda: offline.search("qwen")):
        with pytest.raises(ModelLoadError, match="not on this machine"):
            action()
    assert standin.requests == []
    assert list(tmp_path.iterdir()) == []


def test_while_another_process_fetches_its_progress_is_told(hub):
    place = Place(hub.cache, file_of(hub))
    for folder in (place.partial.parent, place.lock.parent):
        folder.mkdir(parents=True)
    seen = Event()

    class Waiting(Watch):
        def advanced(self, count):
            super().advanced(count)
            seen.set()

    watch = Waiting()
    with ThreadPoolExecutor() as threads:
        with WeakFileLock(place.lock):
            place.partial.write_bytes(DATA[:100])
            waiting = threads.submit(download, hub, [place.file], watch)
            while watch.total < 0:
                sleep(0.01)
            place.partial.write_bytes(DATA[:60_000])
            assert seen.wait(60)
        assert waiting.result(60)[0].read_bytes() == DATA
    assert watch.done == len(DATA)
    assert watch.steps[0] == 60_000 - 100


def test_ten_cuts_at_random_places_cost_at_most_a_tenth(hub, standin):
    places = Random(10)
    for _ in range(10):
        standin.inject(Fault("/cdn/", cut_at=places.randrange(len(DATA) // 11)))
    path, watch = fetch(hub)
    assert path.read_bytes() == DATA
    assert standin.served <= 1.1 * len(DATA)
    assert watch.done == len(DATA)


@pytest.mark.parametrize("xet", [False, True])
def test_what_a_broken_download_left_is_gone_on_with(hub, standin, xet):
    standin.repositories["user/repo"].xet = xet
    fault = standin.inject(Fault("/cdn/", cut_at=60_000))
    standin.inject(Fault("/resolve/", status=500, times=ALWAYS, skip=1))
    with pytest.raises(FetchError) as caught:
        fetch(hub)
    assert "the same command goes on from there" in caught.value.hint
    assert whole_files(hub.cache) == []
    assert fault.times == 0
    standin.faults.clear()
    path, watch = fetch(hub)
    assert path.read_bytes() == DATA
    assert standin.served == len(DATA)
    assert sum(watch.steps) == len(DATA) - 60_000
    assert not list(hub.cache.glob("**/*.incomplete"))


def test_a_repository_with_xet_is_fetched_without_it(hub, standin):
    standin.repositories["user/repo"].xet = True
    assert fetch(hub)[0].read_bytes() == DATA
    assert not [request for request in standin.requests if "xet" in request.path]


def test_a_stall_is_a_cut(hub, standin):
    standin.inject(Fault("/cdn/", stall_at=60_000))
    impatient = replace(hub, patience=replace(hub.patience, stall=0.2))
    assert fetch(impatient)[0].read_bytes() == DATA
    assert standin.served == len(DATA)


def test_a_server_that_knows_no_ranges_starts_over(hub, standin):
    standin.inject(Fault("/cdn/", cut_at=60_000))
    standin.inject(Fault("/cdn/", ignore_range=True))
    path, watch = fetch(hub)
    assert path.read_bytes() == DATA
    assert min(watch.steps) < 0
    assert watch.done == len(DATA)


@pytest.mark.parametrize("status", [408, 416, 429, 500, 502, 503, 504])
def test_an_answer_that_may_be_better_next_time_is_asked_for_again(hub, standin, status):
    standin.inject(Fault("/cdn/", status=status, times=3))
    standin.inject(Fault("/api/", status=status if status != 416 else 500, times=3))
    assert fetch(hub)[0].read_bytes() == DATA


def test_an_address_that_ran_out_is_asked_for_again(hub, standin):
    standin.inject(Fault("/cdn/", status=403))
    assert fetch(hub)[0].read_bytes() == DATA


def test_the_hub_says_how_long_to_wait(hub, standin):
    waited: list[float] = []
    hub = replace(hub, patience=replace(hub.patience, sleep=waited.append))
    standin.inject(Fault("/cdn/", status=429, headers={"Retry-After": "17"}))
    standin.inject(Fault("/cdn/", status=503, times=2))
    fetch(hub)
    assert waited == [17, 2, 4]


def test_nobody_waits_for_an_hour(hub, standin):
    standin.inject(Fault("/cdn/", status=429, headers={"Retry-After": "3600"}, times=ALWAYS))
    text = told(lambda: fetch(hub), (hub.name, "HUB"))
    assert "wants a pause" in text
    assert "in 3600 seconds" in text


def test_a_damaged_file_is_thrown_away(hub, standin):
    standin.inject(Fault("/cdn/", corrupt_at=50_000))
    assert told(lambda: fetch(hub)) == (
        "error: user/repo/model.gguf arrived damaged: its checksum is not the one that the hub lists.\n"
        "hint: None of it was kept: type the command again. If it happens again, a mirror or proxy alters it.\n"
        "exit code 5\n"
    )
    assert whole_files(hub.cache) == []
    assert fetch(hub)[0].read_bytes() == DATA


def test_a_partial_file_that_was_damaged_on_the_disk_is_noticed(hub):
    file = file_of(hub)
    partial = Place(hub.cache, file).partial
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"x" * 50_000)
    with pytest.raises(FetchError, match="damaged"):
        fetch(hub, file)
    assert fetch(hub, file)[0].read_bytes() == DATA


def test_a_partial_file_that_is_too_long_is_no_beginning(hub):
    file = file_of(hub)
    partial = Place(hub.cache, file).partial
    partial.parent.mkdir(parents=True)
    partial.write_bytes(DATA + b"x")
    assert fetch(hub, file)[0].read_bytes() == DATA


def test_a_whole_partial_file_needs_only_its_name(hub, standin):
    file = file_of(hub)
    partial = Place(hub.cache, file).partial
    partial.parent.mkdir(parents=True)
    partial.write_bytes(DATA)
    assert fetch(hub, file)[0].read_bytes() == DATA
    assert standin.served == 0


def test_a_blob_of_the_wrong_size_is_fetched_again(hub):
    path, _ = fetch(hub)
    with path.resolve().open("r+b") as stream:
        stream.truncate(1000)
    assert fetch(hub)[0].read_bytes() == DATA


@pytest.mark.parametrize("fault", [Fault("/resolve/"), Fault("/cdn/"), Fault("/cdn/", ignore_range=True)])
def test_a_file_of_another_length_is_not_the_one_that_was_listed(hub, standin, fault):
    standin.inject(replace(fault, extra_length=1000, times=ALWAYS))
    assert told(lambda: fetch(hub)) == (
        "error: user/repo/model.gguf is not the file any more that the hub listed: "
        "it has 101000 bytes, and not 100000.\n"
        "hint: Type the command again; if that does not help, its mirror or a proxy on the way is out of date.\n"
        "exit code 5\n"
    )
    assert whole_files(hub.cache) == []


def test_a_body_that_ends_early_without_a_word_is_gone_on_with(hub, standin):
    standin.inject(Fault("/cdn/", unsized=True, cut_at=60_000))
    assert fetch(hub)[0].read_bytes() == DATA
    assert standin.served == len(DATA)


def test_bodies_that_are_empty_again_and_again_are_given_up(hub, standin):
    standin.inject(Fault("/cdn/", unsized=True, cut_at=0, times=50))
    with pytest.raises(FetchError, match="the connection ended early"):
        fetch(hub)


def test_a_body_that_does_not_end_is_refused(hub, standin):
    standin.inject(Fault("/cdn/", unsized=True, extra_body=10))
    with pytest.raises(FetchError, match=r"More came than model\.gguf holds: 100000 bytes"):
        fetch(hub)
    assert whole_files(hub.cache) == []


def test_bytes_of_another_place_are_refused(hub, standin):
    standin.inject(Fault("/cdn/", cut_at=60_000))
    standin.inject(Fault("/cdn/", moved_by=-1))
    with pytest.raises(FetchError, match="does not answer as a hub does"):
        fetch(hub)


def test_a_file_that_changed_between_attempts_is_fetched_anew_and_the_old_part_removed(hub, standin):
    standin.inject(Fault("/cdn/", cut_at=60_000))
    standin.inject(Fault("/resolve/", status=500, times=ALWAYS, skip=1))
    with pytest.raises(FetchError):
        fetch(hub)
    standin.faults.clear()
    changed = DATA[::-1]
    standin.add("user/repo", {"model.gguf": changed})
    assert fetch(hub)[0].read_bytes() == changed
    assert not list(hub.cache.glob("**/*.incomplete"))


def test_a_file_that_changes_under_a_commit_is_refused(hub, standin):
    file = file_of(hub)
    standin.repositories["user/repo"].commits[file.revision]["model.gguf"] = replace(
        standin.repositories["user/repo"].commits[file.revision]["model.gguf"], source=DATA[::-1]
    )
    assert "is not the file any more that the hub listed.\n" in told(lambda: fetch(hub, file))


def test_a_changed_branch_keeps_the_old_file_for_those_who_work_offline_until_the_new_one_is_whole(hub, standin):
    old, _ = fetch(hub)
    standin.add("user/repo", {"model.gguf": DATA[::-1]})
    standin.inject(Fault("/cdn/", status=500, times=ALWAYS))
    with pytest.raises(FetchError):
        fetch(hub)
    assert cached_file(hub.cache, "user/repo", "main", "model.gguf") == old
    standin.faults.clear()
    new, _ = fetch(hub)
    assert cached_file(hub.cache, "user/repo", "main", "model.gguf") == new != old


def test_what_is_there_is_not_written_to(hub):
    fetch(hub)
    before = {path: path.lstat().st_ino for path in hub.cache.rglob("*")}
    fetch(hub)
    assert {path: path.lstat().st_ino for path in hub.cache.rglob("*")} == before


def test_a_branch_is_never_written_outside_of_its_folder(hub):
    Place(hub.cache, replace(file_of(hub), branch="../../evil")).name_branch()
    assert list(hub.cache.rglob("evil")) == []


def test_what_stands_in_the_place_of_the_file_is_replaced(hub):
    file = file_of(hub)
    pointer = Place(hub.cache, file).pointer
    pointer.parent.mkdir(parents=True)
    pointer.write_bytes(b"half")
    assert fetch(hub, file)[0].read_bytes() == DATA
    assert pointer.is_symlink()


def test_a_new_commit_of_the_same_file_fetches_nothing(hub, standin):
    fetch(hub)
    standin.add("user/repo", {"model.gguf": DATA, "README.md": b"new"})
    path, watch = fetch(hub)
    assert path.read_bytes() == DATA
    assert standin.served == len(DATA)
    assert (watch.total, watch.done, watch.steps) == (len(DATA), len(DATA), [])


def test_orphans_of_killed_downloads_are_removed(hub):
    file = file_of(hub)
    blobs = Place(hub.cache, file).blob.parent
    blobs.mkdir(parents=True)
    (blobs / f"{file.etag}.1234abcd.incomplete").write_bytes(b"x" * 1000)
    (blobs / f"{file.etag}.incomplete").write_bytes(b"x" * 1000)
    (blobs / f"{'0' * 64}.1234abcd.incomplete").write_bytes(b"of another file, which may be coming now")
    fetch(hub, file)
    assert [path.name for path in blobs.glob("*.incomplete")] == [f"{'0' * 64}.1234abcd.incomplete"]


def test_the_real_client_takes_what_we_fetched_for_its_own(hub, standin, monkeypatch):
    path, _ = fetch(hub)
    found = hf_hub_download("user/repo", "model.gguf", cache_dir=hub.cache, endpoint=standin.endpoint, token=False)
    assert found == str(path)
    assert standin.served == len(DATA)
    info = scan_cache_dir(hub.cache)
    assert [(repo.repo_id, repo.size_on_disk) for repo in info.repos] == [("user/repo", len(DATA))]
    assert [ref for repo in info.repos for ref in repo.refs] == ["main"]
    assert not info.warnings


def test_we_take_what_the_real_client_fetched_for_our_own(hub, standin):
    found = hf_hub_download("user/repo", "model.gguf", cache_dir=hub.cache, endpoint=standin.endpoint, token=False)
    path, _ = fetch(hub)
    assert str(path) == found
    assert standin.served == len(DATA)


def test_a_token_goes_to_the_hub_and_not_to_the_host_with_the_files(standin, tmp_path):
    standin.add("user/repo", {"model.gguf": DATA})
    fetch(hub_at(standin.endpoint, tmp_path, token="hf_secret"))
    seen = {(request.host, request.token) for request in standin.requests}
    assert seen == {("127.0.0.1", "hf_secret"), ("localhost", None)}


def test_a_place_in_a_snapshot_never_lies_outside_of_it(standin, tmp_path):
    outside = ["../../../evil.gguf", "/evil.gguf", "a/../../evil.gguf", "a\\..\\evil.gguf", "C:evil.gguf", "a//b.gguf"]
    standin.add("user/repo", {"good.gguf": DATA, **dict.fromkeys(outside, DATA)})
    assert [file.path for file in hub_at(standin.endpoint, tmp_path).files("user/repo")] == ["good.gguf"]


def test_where_there_can_be_no_links_the_file_itself_is_in_the_snapshot(hub, monkeypatch):
    def refuse(*_):
        raise OSError("no right to make links")

    monkeypatch.setattr("pathlib.Path.symlink_to", refuse)
    path, _ = fetch(hub)
    assert not path.is_symlink()
    assert fetch(hub)[0].read_bytes() == DATA
