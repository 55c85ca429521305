"""What a profile may say, and what is said about one that says something else."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from specchat.profiles.errors import ProfileError
from specchat.profiles.profile import KEYS, Profile, parse_profile
from specchat.profiles.sources import LocalFile, WheelFile
from specchat.speculative.sampling import SamplingParams

HOME = Path("/somewhere")
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def parse(**content: object) -> Profile:
    """The profile of this content, called `pair`, in the file pair.yaml."""
    return parse_profile("pair", content, "pair.yaml", HOME)


def error_of(content: object) -> str:
    """The message and the hint for this content."""
    with pytest.raises(ProfileError) as caught:
        parse_profile("pair", content, "pair.yaml", HOME)
    return f"{caught.value.message} {caught.value.hint}"


def test_a_target_is_all_that_a_profile_needs():
    assert parse(target="big.gguf") == Profile(name="pair", target=LocalFile(HOME / "big.gguf"))


def test_every_setting_is_read():
    profile = parse(
        description="a pair",
        target="/models/big.gguf",
        draft="wheel:some_package/small.gguf",
        draft_max=5,
        context=0,
        gpu_layers=-1,
        system="Be brief.",
        stop=["END", "\n\n"],
        sampling={"temperature": 0, "top_k": 20, "min_p": 0.1},
    )
    assert profile == Profile(
        name="pair",
        description="a pair",
        target=LocalFile(Path("/models/big.gguf")),
        draft=WheelFile("some_package", "small.gguf"),
        draft_max=5,
        context=0,
        gpu_layers=-1,
        system="Be brief.",
        stop=("END", "\n\n"),
        sampling={"temperature": 0, "top_k": 20, "min_p": 0.1},
    )


@pytest.mark.parametrize("word", ["ngram", "none"])
def test_a_draft_can_be_a_word_instead_of_a_model(word):
    assert parse(target="big.gguf", draft=word).draft == word


def test_a_model_can_stand_in_the_home_folder():
    assert parse(target="~/big.gguf").target == LocalFile(Path.home() / "big.gguf")


def test_one_stop_text_needs_no_list():
    assert parse(target="big.gguf", stop="END").stop == ("END",)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([1], "pair.yaml: this is no profile."),
        (None, "pair.yaml: this is no profile."),
        ({}, "no target is named"),
        ({"target": "a", "drfat": "b"}, "no setting called drfat. Did you mean draft?"),
        ({"target": "a", 7: "b"}, "no setting called 7."),
        ({"target": "a", None: "b"}, "no setting called None."),
        ({"target": "a", 16**5000: "b"}, "no setting called a huge number."),
        ({"target": "a", "b" * 1000: "c"}, f"no setting called {'b' * 80}…."),
        ({"target": 7}, "target is 7, but has to be a text"),
        ({"target": 16**5000}, "target is a huge number, but has to be a text"),
        ({"target": ["a"] * 1000}, f"target is {repr(['a'] * 1000)[:80]}…, but has to be a text"),
        ({"target": "a", "draft_max": 0}, "draft_max is 0, but has to be a whole number from 1 to 2147483647"),
        ({"target": "a", "draft_max": 2**31}, "draft_max is 2147483648, but has to be a whole number from 1 to"),
        ({"target": "a", "context": 16**5000}, "context is a huge number"),
        ({"target": "a", "draft_max": True}, "draft_max is True"),
        ({"target": "a", "context": "8k"}, "context is '8k'"),
        ({"target": "a", "stop": ["x", ""]}, "none may be empty"),
        ({"target": "a", "stop": {"x": 1}}, "stop is {'x': 1}, but has to be a list of texts"),
        ({"target": "a", "sampling": 0.7}, "sampling is 0.7, but has to be a mapping"),
        ({"target": "a", "sampling": {"temp": 0.7}}, "no setting called temp. Did you mean temperature?"),
        ({"target": "a", "sampling": {"top_k": 0.5}}, "top_k is 0.5, but has to be a whole number"),
        ({"target": "a", "sampling": {"top_k": 2**31}}, "top_k is 2147483648, but has to be a whole number up to"),
        ({"target": "a", "sampling": {"min_p": "low"}}, "min_p is 'low', but has to be a number"),
        (
            {"target": "a", "sampling": {"temperature": 16**5000}},
            "temperature is a huge number, but",
        ),
        ({"target": "a", "sampling": {"top_p": 2}}, "pair.yaml: top_p is 2"),
        ({"target": "wheel:pkg"}, "wheel:pkg names no file in a package"),
        ({"target": "wheel:a.b/model.gguf"}, "names no file in a package"),
        ({"target": "wheel:pkg/../x.gguf"}, "names no file in a package"),
    ],
)
def test_what_makes_no_sense_is_named_with_its_file(content, expected):
    assert expected in error_of(content)


def test_the_readme_has_every_key_and_an_example_that_can_be_read():
    [section] = re.findall(r"^### Profiles\n(.*?)^###? ", README, re.MULTILINE | re.DOTALL)
    assert sorted(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == sorted(KEYS)
    [sampling] = re.findall(r"^\| `sampling` \| (.*) \|$", section, re.MULTILINE)
    assert re.findall(r"\w+", sampling) == [each.name for each in fields(SamplingParams)]
    [example] = re.findall(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert parse(**yaml.safe_load(example)).sampling == {"temperature": 0.2}
