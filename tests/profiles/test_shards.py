"""Models in several files."""

import pytest

from specchat.profiles.shards import first_shard, parts_among, shard_of


@pytest.mark.parametrize("name", ["m.gguf", "m-0001-of-0003.gguf", "m-00004-of-00003.gguf", "m-00000-of-00003.gguf"])
def test_a_name_without_a_place_is_a_whole_model(name):
    assert shard_of(name) is None
    assert first_shard(name) == name
    assert parts_among(name, [name, "other.gguf"]) == (name,)


def test_any_part_leads_to_all_in_order():
    names = [f"a/m-{index:05}-of-00003.gguf" for index in (3, 1, 2)]
    others = ["a/m-00001-of-00004.gguf", "b/m-00001-of-00003.gguf", "a/n-00001-of-00003.gguf", "a/m.gguf"]
    for name in names:
        assert first_shard(name) == "a/m-00001-of-00003.gguf"
        assert parts_among(name, names + others) == tuple(sorted(names))


def test_only_parts_that_are_there_are_parts_of_the_model():
    assert parts_among("m-00002-of-00003.gguf", ["m-00002-of-00003.gguf"]) == ("m-00002-of-00003.gguf",)
