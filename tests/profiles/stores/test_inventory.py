"""Names over all stores: each is of one model, and means that when it is typed."""

import struct
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specchat.profiles.names import parse_model
from specchat.profiles.resolve import Whereabouts, locate
from specchat.profiles.stores.inventory import Inventory, stored_models
from specchat.profiles.stores.places import Places, places_of

from .layouts import hub_file, lm_studio_file, old_llama_file, ollama_model

EMPTY = struct.pack("<4sIQQ", b"GGUF", 3, 0, 0)
"""The header of a model without anything in it."""


def no_hub() -> NoReturn:
    raise AssertionError("the hub was asked")


def typed(found: Inventory, name: str) -> Path:
    """The file that a person gets who types `name`."""
    return locate(parse_model(name, Path("/dev/null")), Whereabouts(lambda: found, no_hub)).path


def check(found: Inventory) -> None:
    names = [model.name for model in found.models]
    assert len(set(names)) == len(names)
    for model in found.models:
        assert found.find(model.name) is model
        assert typed(found, model.name) == model.path


def test_the_same_model_in_four_stores_has_four_names(tmp_path):
    hub, llama, studio, ollama = (tmp_path / name for name in ("hub", "llama", "studio", "ollama"))
    link = hub_file(hub, "u/r", "m-Q8_0.gguf", b"x")
    flat = old_llama_file(llama, "u/r", "m-Q8_0.gguf", b"x")
    lm_studio_file(studio, "u/r", "m-Q8_0.gguf", b"x")
    ollama_model(ollama, "hf.co/u/r/Q8_0", EMPTY)
    found = stored_models(Places(hub=hub, llama_cpp=(llama,), lm_studio=(studio,), ollama=(ollama,)))
    check(found)
    assert [model.store for model in found.models] == ["hub cache", "llama.cpp", "LM Studio", "Ollama"]
    assert [model.name for model in found.models[:2]] == ["u/r:Q8_0", str(flat)]
    assert found.find("u/r").path == link


@st.composite
def stores(draw) -> list[tuple[str, str, str]]:
    """Some models in some stores, with repositories and names that meet often."""
    repos = st.sampled_from(["u/r", "U/r", "u/s", "library/r", "odd name/r", "none/none"])
    files = st.sampled_from(["m-Q8_0", "M-q8_0", "m-Q4_K_M", "m", "r", "none", "demo", "x y", "deep/m-Q8_0", "r:Q8_0"])
    places = st.sampled_from(["hub", "llama", "newer", "studio", "ollama", "ollama of the hub", "folder"])
    return draw(st.lists(st.tuples(places, repos, files), max_size=8))


@given(stores())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_name_is_of_one_model_and_means_it_when_typed(tmp_path_factory, models):
    root = tmp_path_factory.mktemp("stores")
    for number, (place, repo, name) in enumerate(models):
        lay_out(root, place, repo, name, EMPTY + str(number).encode())
    found = stored_models(
        Places(
            hub=root / "hub",
            llama_cpp=(root / "llama",),
            lm_studio=(root / "studio",),
            ollama=(root / "ollama",),
            folders=(root / "folder",),
        ),
        reserved=("none", "demo"),
    )
    check(found)
    assert {"none", "demo"}.isdisjoint(model.name for model in found.models)
    assert found.notices == ()


def lay_out(root: Path, place: str, repo: str, name: str, content: bytes) -> None:
    flat = name.replace("/", "-")
    match place:
        case "hub" | "newer":
            cache = root / ("hub" if place == "hub" else "llama")
            if not (cache / f"models--{repo.replace('/', '--')}" / "snapshots").exists():
                hub_file(cache, repo, f"{name}.gguf", content)
        case "llama":
            old_llama_file(root / "llama", repo, f"{name}.gguf", content)
        case "studio":
            lm_studio_file(root / "studio", repo, f"{flat}.gguf", content)
        case "ollama":
            ollama_model(root / "ollama", f"registry.ollama.ai/{repo}/{flat}", content)
        case "ollama of the hub":
            ollama_model(root / "ollama", f"hf.co/{repo}/{flat}", content)
        case "folder":
            lm_studio_file(root / "folder", repo, f"{name}.gguf", content)


def test_a_file_that_two_places_reach_is_listed_once(tmp_path):
    lm_studio_file(tmp_path, "p/r", "m-Q8_0.gguf", b"x")
    [model] = stored_models(Places(lm_studio=(tmp_path, tmp_path), folders=(tmp_path,))).models
    assert model.name == "p/r"


def test_a_newer_llama_cpp_uses_the_hub_s_layout_in_its_own_folder(tmp_path):
    hub_file(tmp_path, "u/r", "m-Q8_0.gguf", b"x")
    [model] = stored_models(Places(llama_cpp=(tmp_path,))).models
    assert (model.name, model.store) == ("u/r:Q8_0", "llama.cpp")
    [model] = stored_models(Places(hub=tmp_path, llama_cpp=(tmp_path,))).models
    assert model.store == "hub cache"


def test_what_is_incomplete_is_noticed_once(tmp_path):
    hub_file(tmp_path, "u/r", "m-Q8_0-00001-of-00002.gguf", b"x")
    for places in (Places(hub=tmp_path), Places(llama_cpp=(tmp_path, tmp_path))):
        assert len(stored_models(places).notices) == 1


@pytest.mark.parametrize(
    ("variables", "place", "folder"),
    [
        ({}, "llama_cpp", "/me/.cache/llama.cpp"),
        ({}, "llama_cpp", "/me/Library/Caches/llama.cpp"),
        ({"LLAMA_CACHE": "/l"}, "llama_cpp", "/l"),
        ({"XDG_CACHE_HOME": "/x"}, "llama_cpp", "/x/llama.cpp"),
        ({"LOCALAPPDATA": "/w"}, "llama_cpp", "/w/llama.cpp"),
        ({}, "lm_studio", "/me/.lmstudio/models"),
        ({}, "lm_studio", "/me/.cache/lm-studio/models"),
        ({}, "ollama", "/me/.ollama/models"),
        ({}, "ollama", "/root/usr/share/ollama/.ollama/models"),
        ({"OLLAMA_MODELS": "/o"}, "ollama", "/o"),
        ({}, "folders", "/mine"),
    ],
)
def test_stores_are_looked_for_where_their_tools_put_them(variables, place, folder):
    places = places_of(variables, lambda: Path("/me"), Path("/hub"), [Path("/mine")], Path("/root"))
    assert places.hub == Path("/hub")
    assert Path(folder) in getattr(places, place)


def test_without_a_home_folder_there_is_the_rest():
    def nobody() -> Path:
        raise RuntimeError

    places = places_of({"OLLAMA_MODELS": "/o"}, nobody, None, system=Path("/root"))
    assert places.ollama == (Path("/o"), Path("/root/usr/share/ollama/.ollama/models"))
    assert (places.hub, places.llama_cpp, places.lm_studio) == (None, (), ())
