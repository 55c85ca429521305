"""llama.cpp's older cache, LM Studio's, Ollama's, and folders that are nobody's."""

import json
import os
from pathlib import Path

import pytest

from specchat.profiles.stores.inventory import Inventory, stored_models
from specchat.profiles.stores.lm_studio import lm_studio_folders
from specchat.profiles.stores.places import Places

from .layouts import MEDIA, lm_studio_file, old_llama_file, ollama_model, sha256


def listing(found: Inventory) -> dict[str, Path]:
    assert found.notices == ()
    return {model.name: model.path for model in found.models}


def test_llama_cpp_s_older_files_are_called_as_they_were_asked_for(tmp_path):
    file = old_llama_file(tmp_path, "ggml-org/gemma-3-1b-it-GGUF", "gemma-3-1b-it-Q4_K_M.gguf", b"gemma")
    found = stored_models(Places(llama_cpp=(tmp_path,)))
    [model] = found.models
    assert (model.name, model.path, model.store) == ("ggml-org/gemma-3-1b-it-GGUF:Q4_K_M", file, "llama.cpp")
    assert model.sums == (f"sha256:{sha256(b'gemma')}",)
    for name in ("ggml-org/gemma-3-1b-it-GGUF", "ggml-org/gemma-3-1b-it-GGUF:latest", file.stem):
        assert found.find(name) is model


def test_llama_cpp_s_files_of_other_downloads_are_called_by_file(tmp_path):
    (tmp_path / "some-model-Q8_0.gguf").write_bytes(b"x")
    (tmp_path / "some-model-Q8_0.gguf.downloadInProgress").write_bytes(b"x")
    assert listing(stored_models(Places(llama_cpp=(tmp_path,)))) == {
        "some-model-Q8_0": tmp_path / "some-model-Q8_0.gguf"
    }


@pytest.mark.parametrize(
    "written", ["", "[]", "{", "[" * 100_000, '{"ggufFile": 3}', '{"ggufFile": {"rfilename": []}}']
)
def test_a_senseless_manifest_of_llama_cpp_is_none(tmp_path, written):
    file = old_llama_file(tmp_path, "u/r", "m-Q8_0.gguf", b"x")
    (tmp_path / "manifest=u=r=latest.json").write_text(written)
    assert listing(stored_models(Places(llama_cpp=(tmp_path,)))) == {"u_r_m-Q8_0": file}


def test_a_senseless_sum_of_llama_cpp_s_is_none(tmp_path):
    old_llama_file(tmp_path, "u/r", "m-Q8_0.gguf", b"x")
    manifest = tmp_path / "manifest=u=r=latest.json"
    manifest.write_text(manifest.read_text().replace(sha256(b"x"), "no sum"))
    assert [model.sums for model in stored_models(Places(llama_cpp=(tmp_path,))).models] == [("",)]


def test_a_split_model_of_llama_cpp_s_older_cache_is_one(tmp_path):
    first = old_llama_file(tmp_path, "u/r", "m-Q8_0-00001-of-00002.gguf", b"1")
    second = tmp_path / "u_r_m-Q8_0-00002-of-00002.gguf"
    second.write_bytes(b"2")
    found = stored_models(Places(llama_cpp=(tmp_path,)))
    assert found.find("u/r:Q8_0").shards == (first, second)
    second.unlink()
    [notice] = stored_models(Places(llama_cpp=(tmp_path,))).notices
    assert "u/r:Q8_0 (llama.cpp) is incomplete: part 2 is missing." in notice.message


def test_a_model_that_is_alone_in_lm_studio_s_repository_is_called_by_that(tmp_path):
    file = lm_studio_file(tmp_path, "lmstudio-community/Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf", b"x")
    lm_studio_file(tmp_path, "lmstudio-community/Qwen3-8B-GGUF", "mmproj-F16.gguf", b"x")
    lm_studio_file(tmp_path, "mlx-community/Qwen3-8B-4bit", "model.safetensors", b"x")
    assert listing(stored_models(Places(lm_studio=(tmp_path,)))) == {"lmstudio-community/Qwen3-8B-GGUF": file}


def test_several_models_in_lm_studio_s_repository_are_called_by_quantisation(tmp_path):
    for quant in ("Q4_K_M", "Q8_0"):
        lm_studio_file(tmp_path, "p/r", f"m-{quant}.gguf", b"x")
    found = stored_models(Places(lm_studio=(tmp_path,)))
    assert set(listing(found)) == {"p/r:Q4_K_M", "p/r:Q8_0"}
    assert found.find("p/r") is found.find("p/r:Q4_K_M")


def test_lm_studio_s_folder_is_where_its_settings_say(tmp_path):
    home = tmp_path / "me"
    elsewhere = tmp_path / "big" / "lm"
    elsewhere.mkdir(parents=True)
    home.mkdir()
    (home / ".lmstudio-home-pointer").write_text(f"{elsewhere}\n")
    assert list(lm_studio_folders(home)) == [
        elsewhere / "models",
        home / ".lmstudio" / "models",
        home / ".cache" / "lm-studio" / "models",
    ]
    (elsewhere / "settings.json").write_text(json.dumps({"downloadsFolder": "/disk/models"}))
    assert next(lm_studio_folders(home)) == Path("/disk/models")


def test_lm_studio_s_folders_may_be_links(tmp_path):
    real = lm_studio_file(tmp_path / "disk", "p/r", "m-Q8_0.gguf", b"x")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "p").symlink_to(real.parent.parent)
    assert listing(stored_models(Places(lm_studio=(tmp_path / "models",)))) == {
        "p/r": tmp_path / "models" / "p" / "r" / "m-Q8_0.gguf"
    }


def test_ollama_s_models_are_called_as_ollama_calls_them(tmp_path):
    paths = {
        name: ollama_model(tmp_path, folder, name.encode())
        for name, folder in {
            "qwen2.5-coder:32b": "qwen2.5-coder/32b",
            "llama3.2:latest": "llama3.2/latest",
            "me/mine:v1": "registry.ollama.ai/me/mine/v1",
            "hf.co/user/repo-GGUF:Q4_K_M": "hf.co/user/repo-GGUF/Q4_K_M",
        }.items()
    }
    found = stored_models(Places(ollama=(tmp_path,)))
    assert listing(found) == paths
    assert found.find("llama3.2").name == "llama3.2:latest"
    assert found.find("user/repo-GGUF:Q4_K_M").name == "hf.co/user/repo-GGUF:Q4_K_M"
    assert found.find("qwen2.5-coder:32b").sums == (f"sha256:{sha256(b'qwen2.5-coder:32b')}",)
    assert found.find("qwen2.5-coder") is None


def test_two_of_ollama_s_names_may_mean_one_file(tmp_path):
    blob = ollama_model(tmp_path, "llama3.2/latest", b"same")
    ollama_model(tmp_path, "llama3.2/3b", b"same")
    assert listing(stored_models(Places(ollama=(tmp_path,)))) == {"llama3.2:latest": blob, "llama3.2:3b": blob}


def test_a_model_of_a_registry_that_cannot_be_typed_is_called_by_path(tmp_path):
    blob = ollama_model(tmp_path, "registry.example.com/team/model/v1", b"x")
    found = stored_models(Places(ollama=(tmp_path,)))
    assert listing(found) == {str(blob): blob}
    assert found.find("registry.example.com/team/model:v1").path == blob


def test_an_older_ollama_wrote_blobs_with_a_colon(tmp_path):
    blob = ollama_model(tmp_path, "old/latest", b"x")
    older = blob.rename(blob.with_name(blob.name.replace("-", ":")))
    assert listing(stored_models(Places(ollama=(tmp_path,)))) == {"old:latest": older}


def test_an_adapter_is_told(tmp_path):
    ollama_model(tmp_path, "tuned/latest", b"x", more=("adapter",))
    [model] = stored_models(Places(ollama=(tmp_path,))).models
    assert model.note == "without the adapter that Ollama applies to it"


def test_of_several_models_ollama_takes_the_last(tmp_path):
    first, last = (ollama_model(tmp_path, f"{name}/latest", name.encode()) for name in ("first", "last"))
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "first" / "latest"
    layers = [{"mediaType": f"{MEDIA}model", "digest": blob.name.replace("-", ":")} for blob in (first, last)]
    manifest.write_text(json.dumps({"layers": layers}))
    assert stored_models(Places(ollama=(tmp_path,))).find("first").path == last


def test_a_huge_manifest_is_none(tmp_path):
    ollama_model(tmp_path, "huge/latest", b"x")
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "huge" / "latest"
    manifest.write_text(manifest.read_text() + " " * 2**20)
    assert listing(stored_models(Places(ollama=(tmp_path,)))) == {}


def test_a_pipe_in_the_place_of_a_manifest_holds_nobody_up(tmp_path):
    ollama_model(tmp_path, "pipe/latest", b"x")
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "pipe" / "latest"
    manifest.unlink()
    os.mkfifo(manifest)
    assert listing(stored_models(Places(ollama=(tmp_path,)))) == {}


def test_what_ollama_has_that_is_no_file_to_load_is_noticed(tmp_path):
    ollama_model(tmp_path, "mlx/latest", b"x", kind="tensor")
    ollama_model(tmp_path, "cloud/latest", b"y", kind="license")
    ollama_model(tmp_path, "half/latest", b"z").unlink()
    found = stored_models(Places(ollama=(tmp_path,)))
    assert found.models == ()
    assert [(notice.message, notice.hint) for notice in found.notices] == [
        ("half:latest (Ollama) is incomplete: its model is missing.", "Fetch it again: ollama pull half:latest"),
        ("mlx:latest (Ollama) is no GGUF file but safetensors.", ""),
    ]


@pytest.mark.parametrize(
    "digest", ["sha256:../../../../etc/passwd", __file__, "sha256:" + "0" * 63, "md5:x", 3, None, ["sha256"]]
)
def test_a_senseless_digest_of_ollama_s_leads_nowhere(tmp_path, digest):
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "evil" / "latest"
    manifest.parent.mkdir(parents=True)
    layers = [{"mediaType": "application/vnd.ollama.image.model", "digest": digest}]
    manifest.write_text(json.dumps({"layers": layers}))
    assert stored_models(Places(ollama=(tmp_path,))).models == ()


@pytest.mark.parametrize("written", [b"", b"{", b"\xff\xfe", b"[]", b'{"layers": 3}', b'{"layers": [3]}', b"x" * 2**21])
def test_a_senseless_manifest_of_ollama_s_is_none(tmp_path, written):
    ollama_model(tmp_path, "evil/latest", b"x")
    (tmp_path / "manifests" / "registry.ollama.ai" / "library" / "evil" / "latest").write_bytes(written)
    assert listing(stored_models(Places(ollama=(tmp_path,)))) == {}


def test_files_in_a_folder_are_called_by_their_names(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "one-Q8_0.gguf").write_bytes(b"1")
    (tmp_path / "deep" / "er" / "two.gguf").write_bytes(b"2")
    (tmp_path / "deep" / "loop").symlink_to(tmp_path)
    assert listing(stored_models(Places(folders=(tmp_path,)))) == {
        "one-Q8_0": tmp_path / "one-Q8_0.gguf",
        "two": tmp_path / "deep" / "er" / "two.gguf",
    }


def test_files_of_one_name_in_two_folders_are_called_by_path(tmp_path):
    files = [tmp_path / folder / "m.gguf" for folder in ("a", "b", "B")]
    for file in files:
        file.parent.mkdir()
        file.write_bytes(b"1")
    found = stored_models(Places(folders=(tmp_path,)))
    assert set(listing(found)) == set(map(str, files))
    assert [found.find(str(file)).path for file in files] == files


def test_places_that_are_not_there_hold_nothing(tmp_path):
    gone = tmp_path / "gone"
    file = tmp_path / "file"
    file.write_bytes(b"")
    for place in (gone, file, Path("a\0b"), Path("\ud800"), Path("x" * 5000)):
        found = stored_models(
            Places(hub=place, llama_cpp=(place,), lm_studio=(place,), ollama=(place,), folders=(place,))
        )
        assert (found.models, found.notices) == ((), ())
