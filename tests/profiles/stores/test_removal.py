"""Removing from the hub's cache: what is named goes, and nothing else."""

from pathlib import Path

import pytest

from specchat.profiles.stores.inventory import stored_models
from specchat.profiles.stores.places import Places
from specchat.profiles.stores.removal import check_removable, remove
from specchat.profiles.stores.stored import StoredModel
from specchat.speculative.errors import UsageError

from .layouts import hub_file, lm_studio_file, old_llama_file, ollama_model


def model(cache: Path, name: str) -> StoredModel:
    return stored_models(Places(hub=cache)).find(name)


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def test_a_model_goes_with_its_blob_and_its_neighbour_stays(tmp_path):
    hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"eight")
    kept = hub_file(tmp_path, "u/r", "m-Q4_K_M.gguf", b"four")
    assert remove(model(tmp_path, "u/r:Q8_0")) == 5
    assert [each.path for each in stored_models(Places(hub=tmp_path)).models] == [kept]
    assert sum("blobs" in file for file in files(tmp_path)) == 1
    assert (tmp_path / "models--u--r" / "refs" / "main").exists()


def test_the_last_model_takes_its_repository_along(tmp_path):
    hub_file(tmp_path, "u/r", "deep/m-Q8_0.gguf", b"x")
    remove(model(tmp_path, "u/r:Q8_0"))
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_goes_on_in_the_repository_stays(tmp_path):
    link = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"x")
    partial = link.resolve().parent / f"{'a' * 64}.incomplete"
    partial.write_bytes(b"half")
    remove(model(tmp_path, "u/r:Q8_0"))
    assert files(tmp_path) == [partial.relative_to(tmp_path).as_posix()]


def test_a_split_model_goes_in_all_its_parts(tmp_path):
    for n in (1, 2):
        hub_file(tmp_path, "u/r", f"m-Q8_0-0000{n}-of-00002.gguf", b"x" * n)
    assert remove(model(tmp_path, "u/r:Q8_0")) == 3
    assert files(tmp_path) == []


def test_a_blob_goes_from_all_revisions_that_have_it(tmp_path):
    for commit in ("a" * 40, "b" * 40):
        hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"same", commit=commit)
    hub_file(tmp_path, "u/r", "README.md", b"text", commit="b" * 40)
    remove(model(tmp_path, "u/r:Q8_0"))
    assert [Path(file).name for file in files(tmp_path / "models--u--r" / "snapshots")] == ["README.md"]


def test_what_a_link_out_of_the_cache_leads_to_stays(tmp_path):
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"x" * 10_000)
    cache = tmp_path / "hub"
    link = hub_file(cache, "u/r", "m-Q8_0.gguf", b"x")
    link.unlink()
    link.symlink_to(mine)
    assert remove(model(cache, "u/r:Q8_0")) < 10_000
    assert mine.stat().st_size == 10_000
    assert not link.is_symlink()


def test_where_links_are_no_links_the_file_itself_goes(tmp_path):
    link = hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"x")
    link.resolve().replace(link)
    remove(model(tmp_path, "u/r:Q8_0"))
    assert files(tmp_path) == []


def test_a_repository_that_is_kept_elsewhere_by_a_link_is_emptied(tmp_path):
    cache, disk = tmp_path / "hub", tmp_path / "disk"
    hub_file(disk, "u/r", "m-Q8_0.gguf", b"x")
    cache.mkdir()
    (cache / "models--u--r").symlink_to(disk / "models--u--r")
    assert remove(model(cache, "u/r:Q8_0")) == 1
    assert files(disk) == []


def test_what_others_keep_is_refused_with_their_way_to_remove_it(tmp_path):
    folders = [tmp_path / name for name in ("llama", "studio", "ollama", "mine")]
    llama, studio, ollama, mine = folders
    flat = old_llama_file(llama, "u/r", "m-Q8_0.gguf", b"x")
    file = lm_studio_file(studio, "p/r", "m-Q8_0.gguf", b"x")
    ollama_model(ollama, "llama3.2/latest", b"x")
    lm_studio_file(mine, "a/b", "own.gguf", b"x")
    found = stored_models(Places(llama_cpp=(llama,), lm_studio=(studio,), ollama=(ollama,), folders=(mine,)))
    said = []
    for each in found.models:
        with pytest.raises(UsageError) as refused:
            check_removable(each)
        said.append((refused.value.message, refused.value.hint))
    assert said == [
        (
            "u/r:Q8_0 lies in llama.cpp's store, where specchat removes nothing.",
            f"Remove its files yourself: {flat}",
        ),
        (
            "p/r lies in LM Studio's store, where specchat removes nothing.",
            f"LM Studio does, under My Models; its files: {file}",
        ),
        (
            "llama3.2:latest lies in Ollama's store, where specchat removes nothing.",
            "Ollama does: ollama rm llama3.2:latest",
        ),
        (
            "own lies in a folder of yours, where specchat removes nothing.",
            f"Remove its files yourself: {mine / 'a' / 'b' / 'own.gguf'}",
        ),
    ]
