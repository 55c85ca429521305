"""From a model that somebody named to its file: what is here first, else what the hub has."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from specchat.profiles.hub.client import hub_of
from specchat.profiles.names import parse_model
from specchat.profiles.resolve import Whereabouts, locate
from specchat.profiles.stores.inventory import stored_models
from specchat.profiles.stores.places import Places
from specchat.speculative.errors import ModelLoadError

from .stores.layouts import hub_file


@pytest.fixture
def here(tmp_path, standin):
    """Stores of this machine, and a hub; `locate` finds what somebody types."""
    variables = {"HF_ENDPOINT": standin.endpoint, "HF_HUB_CACHE": str(tmp_path / "hub")}
    folder = tmp_path / "folder"
    folder.mkdir()

    def find(text, *, offline=False, words=()):
        where = Whereabouts(
            stored=lambda: stored_models(Places(hub=tmp_path / "hub", folders=(folder,))),
            hub=lambda: hub_of(variables, lambda: tmp_path, offline=offline),
            words=words,
        )
        return locate(parse_model(text), where)

    return SimpleNamespace(locate=find, cache=tmp_path / "hub", folder=folder, standin=standin)


def test_a_path_that_leads_to_nothing_is_left_to_loading(here):
    assert here.locate("./nothing.gguf").path == Path("nothing.gguf")


def test_a_part_of_a_split_model_means_all_of_it_and_the_first_is_loaded(here):
    parts = [here.folder / f"m-0000{part}-of-00002.gguf" for part in (1, 2)]
    for part in parts:
        part.write_bytes(b"GGUF")
    assert here.locate(str(parts[1])).path == parts[0]
    parts[0].unlink()
    with pytest.raises(ModelLoadError, match=r"is one of 2 parts of a model, and m-00001-of-00002\.gguf is not"):
        here.locate(str(parts[1]))


def test_what_is_here_needs_no_hub(here):
    link = hub_file(here.cache, "user/repo", "m-Q8_0.gguf", b"GGUF")
    for name in ("user/repo:Q8_0", "user/repo", "user/repo/m-Q8_0.gguf", "hf.co/user/repo:Q8_0"):
        found = here.locate(name, offline=True)
        assert (found.path, found.files) == (link, ())
    assert here.standin.requests == []


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("user/repo", "user/repo: user/repo:Q8_0, which is on this machine."),
        ("user/repo:Q5_K_XL", "user/repo:Q5_K_XL: user/repo:UD-Q5_K_XL, which is on this machine."),
        ("user/repo:q8_0", ""),
        ("user/repo/m-Q8_0.gguf", ""),
    ],
)
def test_a_quantisation_that_was_chosen_is_told(here, name, note):
    hub_file(here.cache, "user/repo", "m-UD-Q5_K_XL.gguf", b"GGUF 2")
    hub_file(here.cache, "user/repo", "m-Q8_0.gguf", b"GGUF")
    assert here.locate(name).note == note


def test_of_several_that_are_here_the_usual_one_is_meant(here):
    for quant in ("Q2_K", "Q4_K_M", "Q8_0"):
        hub_file(here.cache, "user/repo", f"m-{quant}.gguf", quant.encode())
    assert here.locate("user/repo").path.name == "m-Q4_K_M.gguf"


def test_a_mixed_quantisation_is_found_without_its_prefix_unless_a_plain_one_is_here(here):
    mixed = hub_file(here.cache, "user/repo", "m-UD-Q4_K_XL.gguf", b"GGUF")
    assert here.locate("user/repo:Q4_K_XL", offline=True).path == mixed
    plain = hub_file(here.cache, "user/repo", "m-Q4_K_XL.gguf", b"GGUF 2")
    assert here.locate("user/repo:Q4_K_XL", offline=True).path == plain
    assert here.locate("user/repo:UD-Q4_K_XL", offline=True).path == mixed


def test_another_quantisation_than_the_one_here_comes_from_the_hub(here):
    hub_file(here.cache, "user/repo", "m-Q8_0.gguf", b"GGUF")
    here.standin.add("user/repo", {"m-Q4_K_M.gguf": b"GGUF"})
    found = here.locate("user/repo:Q4_K_M")
    assert [file.path for file in found.files] == ["m-Q4_K_M.gguf"]
    assert not found.path.exists()


def test_a_revision_is_not_what_main_has_here(here):
    hub_file(here.cache, "user/repo", "m-Q8_0.gguf", b"GGUF")
    with pytest.raises(ModelLoadError, match="not on this machine"):
        here.locate("https://huggingface.co/user/repo/blob/v2/m-Q8_0.gguf", offline=True)


def test_a_repository_without_models_names_those_of_its_kin_that_have_some(here):
    here.standin.add("user/repo", {"model.safetensors": b"x"})
    here.standin.add("other/repo-GGUF", {"m-Q8_0.gguf": b"GGUF"})
    with pytest.raises(ModelLoadError) as caught:
        here.locate("user/repo")
    assert caught.value.message == "user/repo has no GGUF files, which is what llama.cpp loads."
    assert caught.value.hint == "These have: other/repo-GGUF."


def test_a_name_that_nothing_has_is_compared_with_profiles_and_models(here):
    hub_file(here.cache, "user/tiny-llama", "m-Q8_0.gguf", b"GGUF")
    with pytest.raises(ModelLoadError) as caught:
        here.locate("qwen-codr", words=("qwen-coder",))
    assert caught.value.message == "There is no model called qwen-codr."
    assert caught.value.hint.startswith("Did you mean qwen-coder? ")


def test_a_name_out_of_a_folder_is_its_file(here):
    file = here.folder / "small.gguf"
    file.write_bytes(b"GGUF")
    assert here.locate("small").path == file
