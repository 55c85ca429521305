"""The hub's cache, as huggingface_hub and newer llama.cpp fill it."""

import os
from pathlib import Path

import pytest

from specchat.profiles.stores.inventory import Inventory, stored_models
from specchat.profiles.stores.places import Places

from .layouts import git_sum, hub_file, sha256


def listed(cache: Path) -> Inventory:
    return stored_models(Places(hub=cache))


def names(cache: Path) -> list[str]:
    return [model.name for model in listed(cache).models]


def test_a_file_is_called_by_repository_and_quantisation(tmp_path):
    link = hub_file(tmp_path, "Qwen/Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf", b"four")
    [model] = listed(tmp_path).models
    assert model.name == "Qwen/Qwen3-8B-GGUF:Q4_K_M"
    assert (model.path, model.size, model.store) == (link, 4, "hub cache")
    assert model.sums == (f"sha256:{sha256(b'four')}",)


def test_a_file_that_says_no_quantisation_is_called_by_its_path_in_the_repository(tmp_path):
    hub_file(tmp_path, "user/repo", "deep/model.gguf", b"x")
    assert names(tmp_path) == ["user/repo/deep/model.gguf"]


def test_two_files_of_one_quantisation_are_called_by_file(tmp_path):
    hub_file(tmp_path, "user/repo", "a-Q8_0.gguf", b"a")
    hub_file(tmp_path, "user/repo", "b-Q8_0.gguf", b"b")
    assert names(tmp_path) == ["user/repo/a-Q8_0.gguf", "user/repo/b-Q8_0.gguf"]


def test_a_small_file_that_git_keeps_has_the_sum_of_git(tmp_path):
    hub_file(tmp_path, "user/repo", "a-Q8_0.gguf", b"a", git=True)
    assert listed(tmp_path).models[0].sums == (f"git-sha1:{git_sum(b'a')}",)


def test_companions_and_other_files_are_no_models(tmp_path):
    for name in ("mmproj-F16.gguf", "imatrix.gguf", "mtp-x-Q8_0.gguf", "README.md", "config.json"):
        hub_file(tmp_path, "user/repo", name, name.encode())
    (tmp_path / "datasets--user--data" / "snapshots" / "x").mkdir(parents=True)
    (tmp_path / "datasets--user--data" / "snapshots" / "x" / "a.gguf").write_bytes(b"a")
    assert names(tmp_path) == []


def test_a_split_model_is_one_whose_first_part_is_loaded(tmp_path):
    links = [hub_file(tmp_path, "u/r", f"Q8_0/m-Q8_0-0000{n}-of-00003.gguf", b"x" * n) for n in (1, 2, 3)]
    [model] = listed(tmp_path).models
    assert (model.name, model.path, model.shards, model.size) == ("u/r:Q8_0", links[0], tuple(links), 6)
    assert len(model.sums) == 3


def test_a_split_model_without_a_part_is_noticed_and_not_listed(tmp_path):
    for n in (1, 3):
        hub_file(tmp_path, "u/r", f"m-Q8_0-0000{n}-of-00003.gguf", b"x" * n)
    found = listed(tmp_path)
    assert found.models == ()
    [notice] = found.notices
    assert notice.message == "u/r/m-Q8_0-00001-of-00003.gguf (hub cache) is incomplete: part 2 is missing."
    assert notice.hint == "specchat pull u/r/m-Q8_0-00001-of-00003.gguf fetches the rest."


def test_a_link_without_its_blob_is_nothing(tmp_path):
    hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"x").resolve().unlink()
    assert names(tmp_path) == []


def test_what_main_is_now_is_meant_and_an_older_revision_is_called_by_path(tmp_path):
    old = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"old", commit="a" * 40)
    new = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"new", commit="b" * 40)
    same = hub_file(tmp_path, "u/r", "n-Q4_0.gguf", b"same", commit="a" * 40, ref=None)
    found = listed(tmp_path)
    assert {model.name: model.path for model in found.models} == {"u/r:Q8_0": new, str(old): old, "u/r:Q4_0": same}
    assert found.find(str(old)).note == "an older revision of u/r/m-Q8_0.gguf"


def test_another_branch_is_not_what_a_repository_means(tmp_path):
    side = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"side", commit="a" * 40, ref="v2")
    found = listed(tmp_path)
    assert [found.find(name) for name in ("u/r", "u/r:Q8_0", "u/r/m-Q8_0.gguf")] == [None] * 3
    assert [(model.name, model.note) for model in found.models] == [(str(side), "of the branch v2 of u/r")]
    main = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"main", commit="b" * 40)
    assert listed(tmp_path).find("u/r").path == main


def test_a_branch_that_is_at_what_main_is_at_is_main(tmp_path):
    for branch in ("main", "v2"):
        link = tmp_path / "models--u--r/snapshots" / ("a" * 40) / "m-Q8_0.gguf"
        link.unlink(missing_ok=True)
        hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"same", commit="a" * 40, ref=branch)
    assert names(tmp_path) == ["u/r:Q8_0"]


def test_where_no_branch_says_what_is_meant_it_is_the_newest(tmp_path):
    links = [hub_file(tmp_path, "u/r", "m-Q8_0.gguf", commit.encode(), commit * 40, ref=None) for commit in "abc"]
    for place, link in enumerate(links):
        os.utime(link.parent, (place % 2, place % 2))
    assert listed(tmp_path).find("u/r").path == links[1]


def test_a_part_that_an_older_revision_lacks_is_not_missed(tmp_path):
    for n in (1, 2):
        hub_file(tmp_path, "u/r", f"m-Q8_0-0000{n}-of-00002.gguf", b"new" * n, commit="b" * 40)
    hub_file(tmp_path, "u/r", "m-Q8_0-00001-of-00002.gguf", b"old", commit="a" * 40, ref=None)
    assert listed(tmp_path).notices == ()
    assert names(tmp_path) == ["u/r:Q8_0"]


def test_a_part_without_its_blob_is_missing(tmp_path):
    for n in (1, 2):
        link = hub_file(tmp_path, "u/r", f"m-Q8_0-0000{n}-of-00002.gguf", b"x" * n)
    link.resolve().unlink()
    [notice] = listed(tmp_path).notices
    assert notice.message.endswith("is incomplete: part 2 is missing.")


def test_a_blob_in_two_revisions_is_listed_once(tmp_path):
    hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"same", commit="a" * 40)
    hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"same", commit="b" * 40)
    assert names(tmp_path) == ["u/r:Q8_0"]


def test_where_links_are_no_links_files_count(tmp_path):
    link = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"copy")
    link.unlink()
    link.write_bytes(b"copy")
    [model] = listed(tmp_path).models
    assert (model.name, model.sums) == ("u/r:Q8_0", ("",))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("u/r", "Q4_K_M"),
        ("U/R", "Q4_K_M"),
        ("u/r:q4_k_m", "Q4_K_M"),
        ("u/r:Q2_K", "Q2_K"),
        ("u/r/m-Q8_0.gguf", "Q8_0"),
        ("u/r:Q6_K", None),
        ("u/s", None),
        ("", None),
    ],
)
def test_a_repository_is_searched_as_llama_cpp_does(tmp_path, name, meant):
    for quant in ("Q2_K", "Q8_0", "Q4_K_M"):
        hub_file(tmp_path, "u/r", f"m-{quant}.gguf", quant.encode())
    found = listed(tmp_path).find(name)
    assert (found and found.path.read_text()) == meant
