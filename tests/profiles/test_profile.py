"""What a profile may say, and what is said about one that says something else."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from specchat.profiles.errors import ProfileError
from specchat.profiles.profile import KEYS, About, Profile, parse_profile
from specchat.profiles.settings import LISTS, SAMPLING, WHOLE, Layer, Settings
from specchat.profiles.sources import HubModel, LocalFile, NamedModel, WheelFile
from specchat.profiles.yaml_file import read_settings_file
from specchat.speculative.sampling import SamplingParams

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def parse(tmp_path):
    """A function that reads a profile called `pair`, in the file pair.yaml, of this text."""

    def parse(text: str) -> Profile:
        file = tmp_path / "pair.yaml"
        file.write_text(text, encoding="utf-8")
        return parse_profile("pair", read_settings_file(file), file)

    return parse


@pytest.fixture
def error_of(parse, tmp_path):
    """A function that gives the message and the hint for this text; the file's folder is left out."""

    def error_of(text: str) -> str:
        with pytest.raises(ProfileError) as caught:
            parse(text)
        return f"{caught.value.message} {caught.value.hint}".replace(f"{tmp_path}/", "")

    return error_of


def test_a_target_is_all_that_a_profile_needs(parse, tmp_path):
    profile = parse("target: big.gguf\n")
    assert profile.settings == Settings(target=LocalFile(tmp_path / "big.gguf"))
    assert (profile.name, profile.about, profile.extends) == ("pair", About(), None)


def test_every_setting_is_read_and_knows_its_line(parse):
    profile = parse(
        "description: a pair\ntarget: /models/big.gguf\ndraft: wheel:some_package/small.gguf\ndraft_max: 5\n"
        "draft_length: 0\ncontext: 0\ngpu_layers: -1\ndraft_gpu_layers: 3\nthreads: 4\nflash_attention: on\n"
        "cache_type_k: q8_0\ncache_type_v: f16\nsystem: Be brief.\nstop: [END, '\\n']\n"
        "sampling:\n  temperature: 0\n  top_k: 20\n  min_p: 0.1\n"
        "licence: mit\nsource: [here, there]\ndownload: 5.2\nmemory: 12\nextends: base\nformat: 1\n"
    )
    assert profile.settings == Settings(
        target=LocalFile(Path("/models/big.gguf")),
        draft=WheelFile("some_package", "small.gguf"),
        draft_max=5,
        draft_length=0,
        context=0,
        gpu_layers=-1,
        draft_gpu_layers=3,
        threads=4,
        flash_attention="on",
        cache_type_k="q8_0",
        cache_type_v="f16",
        system="Be brief.",
        stop=("END", "\\n"),
        temperature=0,
        top_k=20,
        min_p=0.1,
    )
    assert profile.about == About(
        description="a pair", licence="mit", source=("here", "there"), download=5.2, memory=12
    )
    assert profile.extends == "base"
    origins = profile.layer.origins
    assert set(origins) == set(profile.settings.said())
    assert (origins["target"], origins["min_p"]) == ("profile pair, line 2", "profile pair, line 18")


def test_the_samplers_are_those_of_the_engine():
    kinds = get_type_hints(SamplingParams)
    assert list(kinds) == list(SAMPLING)
    assert [name for name in kinds if kinds[name] is int] == list(WHOLE)
    assert [name for name in kinds if kinds[name] not in (int, float)] == list(LISTS)


def test_a_list_of_a_sampler_may_be_one_text_or_none(parse):
    text = "target: a\nsampling:\n  logit_bias: 15043-1\n  dry_sequence_breakers: none\n"
    settings = parse(text).settings
    assert (settings.logit_bias, settings.dry_sequence_breakers) == (("15043-1",), ())


@pytest.mark.parametrize("word", ["auto", "ngram", "none"])
def test_a_draft_can_be_a_word_instead_of_a_model(parse, word):
    assert parse(f"target: big.gguf\ndraft: {word}\n").settings.draft == word


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("user/repo:Q4_K_M", HubModel("user/repo", quant="Q4_K_M")),
        ("user/repo/file.gguf", HubModel("user/repo", file="file.gguf")),
        ("qwen2.5-coder:32b", NamedModel("qwen2.5-coder:32b")),
        ("~/big.gguf", LocalFile(Path.home() / "big.gguf")),
    ],
)
def test_models_are_named_as_on_the_command_line(parse, text, source):
    settings = parse(f"target: {text}\ndraft: {text}\n").settings
    assert (settings.target, settings.draft) == (source, source)


def test_one_stop_text_needs_no_list_and_an_empty_list_is_something_said(parse):
    assert parse("target: big.gguf\nstop: END\n").settings.stop == ("END",)
    assert parse("target: big.gguf\nstop: []\n").settings.said()["stop"] == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7: b\n", "pair.yaml, line 1: there is no setting called 7."),
        ("null: b\n", "there is no setting called None."),
        (f"? 0x{'f' * 5000}\n: b\n", "there is no setting called a huge number."),
        (f"{'b' * 1000}: c\n", f"there is no setting called {'b' * 80}…."),
        (f"target: 0x{'f' * 5000}\n", "line 1: target is a huge number, but has to be a text"),
        ("target: [a, b]\n", "target is a list, but has to be a text"),
        ("target: ''\n", "target is '', but has to be a model."),
        ("target: yes\n", "target is true, but has to be a text"),
        ("target: a\ndraft_max: 2147483648\n", "line 2: draft_max is 2147483648, but has to be a whole number from 1"),
        ("target: a\ndraft_max: true\n", "draft_max is true"),
        ("target: a\ncontext: 8k\n", "context is '8k'"),
        ("target: a\ncontext: 99999999\n", "pair.yaml, line 2: The context size is 99999999, but must be between"),
        ("target: a\nthreads: 0\n", "threads is 0, but has to be a whole number from 1"),
        ("target: a\nflash_attention: maybe\n", "flash_attention is 'maybe', but has to be one of auto, on, off."),
        ("target: a\ncache_type_k: q8\n", "line 2: There is no cache type 'q8'. Did you mean q8_0?"),
        ("target: a\nstop: ['x', '']\n", "none may be empty"),
        ("target: a\nstop: {x: 1}\n", "stop is a mapping, but has to be a list of texts"),
        ("target: a\nsampling: 0.7\n", "sampling is 0.7, but has to be a mapping"),
        ("target: a\nsampling:\n  temp: 0.7\n", "line 3: there is no setting called temp. Did you mean temperature?"),
        ("target: a\nsampling: {top_k: 0.5}\n", "line 2: top_k is 0.5, but has to be a whole number"),
        ("target: a\nsampling: {logit_bias: [x+1]}\n", "line 2: 'x+1' is no logit bias."),
        ("target: a\nsampling: {dry_base: 0.5}\n", "line 2: dry_base is 0.5, but longer repetitions cannot cost less."),
        ("target: a\nsampling: {min_p: low}\n", "min_p is 'low', but has to be a number"),
        (f"target: a\nsampling: {{temperature: 0x{'f' * 5000}}}\n", "temperature is a huge number, but"),
        ("target: a\nsampling: {temperature: .nan}\n", "line 2: temperature is nan, which is out of range."),
        ("target: a\nsampling:\n  top_k: 1\n  top_p: 2\n", "pair.yaml, line 4: top_p is 2, but it is a probability."),
        ("target: wheel:pkg\n", "pair.yaml, line 1: wheel:pkg names no file in a package"),
        ("target: wheel:pkg/../x.gguf\n", "names no file in a package"),
        ("target: a\nformat: 2\n", "line 2: format is 2, but has to be 1. It is for a newer specchat."),
    ],
)
def test_what_makes_no_sense_is_named_with_its_file_and_line(error_of, text, expected):
    assert expected in error_of(text)


def test_the_readme_has_every_key_and_an_example_that_can_be_read(parse):
    [section] = re.findall(r"^### Profiles\n(.*?)^###? ", README, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", section, re.MULTILINE)
    assert sorted(re.findall(r"\w+", " ".join(rows))) == sorted(KEYS)
    [sampling] = re.findall(r"^\| `sampling` \| (.*) \|$", section, re.MULTILINE)
    assert re.findall(r"\w+", sampling) == [each.name for each in fields(SamplingParams)]
    [example] = re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert parse(example).settings.temperature == 0.2


def test_nothing_is_said_by_an_empty_layer():
    assert (Layer().settings.said(), dict(Layer().origins)) == ({}, {})
