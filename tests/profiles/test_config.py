"""The config file: what it may say, and how the default profile gets into it."""

from pathlib import Path

import pytest

from specchat.profiles.config import Config, keep_default, load_config
from specchat.profiles.errors import ProfileError
from specchat.profiles.settings import Layer


def test_no_file_and_an_empty_file_say_nothing(tmp_path):
    assert load_config(None) == load_config(tmp_path) == Config()
    (tmp_path / "config.yaml").write_text("# context: 100\n")
    config = load_config(tmp_path)
    assert (config.layer, config.profile, config.model_folders) == (Layer(), None, ())


def test_settings_a_profile_and_folders_of_models_are_read(tmp_path):
    (tmp_path / "config.yaml").write_text("format: 1\nprofile: demo\ncontext: 9\nmodel_folders: [/models, more, ~/m]\n")
    config = load_config(tmp_path)
    assert (config.profile, config.layer.settings.said()) == ("demo", {"context": 9})
    assert config.model_folders == (Path("/models"), tmp_path / "more", Path.home() / "m")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("format: 2\n", "line 1: format is 2, but has to be 1."),
        ("description: x\n", "line 1: there is no setting called description."),
        ("profile: [a]\n", "line 1: profile is a list, but has to be a text."),
        ("target: a.gguf\nprofile: demo\n", "line 1: there is a profile, in line 2, and a target."),
        ("draft:\n", "line 1: draft has no value."),
    ],
)
def test_what_makes_no_sense_is_named_with_its_line(tmp_path, content, message):
    (tmp_path / "config.yaml").write_text(content)
    with pytest.raises(ProfileError) as caught:
        load_config(tmp_path)
    assert caught.value.message == f"{tmp_path}/config.yaml, {message}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "format: 1\nprofile: demo\n"),
        ("", "profile: demo\n"),
        ("# mine\ncontext: 9", "# mine\ncontext: 9\nprofile: demo\n"),
        ("profile: other  # old\r\ncontext: 9\r\n", "profile: demo\r\ncontext: 9\r\n"),
        ("system: |\n  profile: x\ncontext: 9\n", "system: |\n  profile: x\ncontext: 9\nprofile: demo\n"),
    ],
)
def test_the_default_is_kept_and_all_else_stays(tmp_path, before, after):
    file = tmp_path / "specchat" / "config.yaml"
    if before is not None:
        file.parent.mkdir()
        file.write_bytes(before.encode())
    assert keep_default(file.parent, "demo") == file
    assert file.read_bytes() == after.encode()
    assert load_config(file.parent).profile == "demo"


@pytest.mark.parametrize("content", ["{context: 9}\n", "profile:\n  other\n", "target: a.gguf\n", "context: [\n"])
def test_a_file_that_cannot_be_changed_by_a_line_is_left_alone(tmp_path, content):
    (tmp_path / "config.yaml").write_text(content)
    with pytest.raises(ProfileError):
        keep_default(tmp_path, "demo")
    assert (tmp_path / "config.yaml").read_text() == content


def test_a_link_to_the_file_stays_one(tmp_path):
    (tmp_path / "dotfiles.yaml").write_text("context: 9\n")
    (tmp_path / "config.yaml").symlink_to("dotfiles.yaml")
    keep_default(tmp_path, "demo")
    assert (tmp_path / "config.yaml").is_symlink()
    assert (tmp_path / "dotfiles.yaml").read_text() == "context: 9\nprofile: demo\n"
