"""The profiles that come along: what they promise, against recorded listings of the repositories that they name.

`recorded_repositories.json` holds what public catalogues say of those repositories: for most of them all models in one
file, with sizes in GiB that are called GB; where `listing` is false only the files that somebody mentions.
"""

import json
import re
from pathlib import Path

import pytest

from specchat.profiles.hub.choice import choose
from specchat.profiles.sources import HubModel
from specchat.profiles.store import Profiles

RECORDED = json.loads((Path(__file__).parent / "recorded_repositories.json").read_text(encoding="utf-8"))
NAMES = Profiles().names()
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
FROM_THE_HUB = [name for name in NAMES if name != "demo"]
GATED = ("google/", "meta-llama/", "mistralai/")
FAMILIES = {
    "qwen2.5-coder": {8, 12, 24},
    "qwen2.5": {8, 12, 24},
    "qwen3": {8, 12, 24},
    "llama-3": {8, 12, 24},
    "gemma-3": {8, 12, 24},
    "smollm2": {4},
    "mistral-small": {24},
    "deepseek-r1": {8, 12, 24},
}


def references(name: str) -> list[HubModel]:
    """What a profile takes from the hub: target and draft."""
    settings = Profiles().load(name).settings
    return [source for source in (settings.target, settings.draft) if isinstance(source, HubModel)]


def file_of(reference: HubModel) -> str:
    """The file that a reference means in its recorded repository."""
    [path] = choose(list(RECORDED[reference.repo]["files"]), reference).paths
    return path


def gigabytes(text: str) -> float:
    """A recorded size in 10⁹ bytes."""
    number, unit = text.split()
    return float(number) * {"MB": 2**20, "GB": 2**30}[unit] / 1e9


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_profile_says_what_it_is_and_where_that_is_known_from(name):
    about = Profiles().load(name).about
    assert about.description
    assert about.licence
    assert about.memory
    assert any(line.startswith("Files: ") for line in about.source)


@pytest.mark.parametrize("name", FROM_THE_HUB)
def test_both_models_of_a_shipped_profile_are_chosen_files_of_ungated_repositories(name):
    pair = references(name)
    assert len(pair) == 2
    for reference in pair:
        assert reference.quant
        assert not reference.repo.startswith(GATED)
        assert re.search(rf"[-.]{reference.quant}\.gguf$", file_of(reference), re.IGNORECASE)
    assert any(line.startswith("Pair: ") for line in Profiles().load(name).about.source)


def test_all_references_but_two_were_found_in_listings():
    found = {reference for name in FROM_THE_HUB for reference in references(name)}
    mentioned = {f"{each.repo}:{each.quant}" for each in found if not RECORDED[each.repo]["listing"]}
    assert (len(found), len(mentioned)) == (31, 2)
    assert all(reference in README for reference in mentioned)
    assert {each.repo for each in found} == set(RECORDED)


@pytest.mark.parametrize("name", FROM_THE_HUB)
def test_the_download_is_what_the_files_are_recorded_to_be(name):
    sizes = [RECORDED[each.repo]["files"][file_of(each)] for each in references(name)]
    unknown = sizes.count("")
    recorded = sum(gigabytes(size) for size in sizes if size)
    promised = Profiles().load(name).about.download
    assert recorded - 0.1 <= promised <= recorded + 0.1 + 0.5 * unknown


@pytest.mark.parametrize(("family", "classes"), FAMILIES.items())
def test_a_family_comes_in_sizes_for_a_laptop_and_for_cards_of_12_and_24_gb(family, classes):
    others = [other for other in FAMILIES if other.startswith(family) and other != family]
    names = [name for name in NAMES if name.startswith(family) and not any(name.startswith(other) for other in others)]
    assert {Profiles().load(name).about.memory for name in names} == classes
    for name in names:
        about = Profiles().load(name).about
        assert about.download < about.memory
