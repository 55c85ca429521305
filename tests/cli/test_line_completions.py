"""What Tab finds."""

import pytest

from specchat.cli.chat.line.completions import Completions, candidates, path_argument

KNOWN = Completions(
    commands={"/exit": "leaves", "/file": "reads a file"},
    words={"/model": lambda: ["big", "big-7b", "small"], "/load": lambda: ["ducks", "drakes"]},
    before_files={"/file": ("",), "/model": (".txt",)},
)


def texts(before: str) -> list[str]:
    return [candidate.text for candidate in candidates(before, KNOWN)]


def test_commands_are_completed_at_the_start_with_a_line_on_each():
    assert [(found.text, found.replaces, found.help) for found in candidates("/e", KNOWN)] == [("/exit", 2, "leaves")]
    assert texts("") == ["/exit", "/file"]
    assert texts("say /e") == texts("/exit ") == texts("x") == texts("\n/e") == []


def test_words_are_completed_after_the_commands_that_take_them():
    assert texts("/load d") == ["ducks", "drakes"]
    assert texts("/load  du") == ["ducks"]
    assert texts("/other d") == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("plain.txt", "two words.txt", "it's.txt", 'quo"te', "both'\".txt", ".hidden", "back\\slash", "li\nne"):
        (tmp_path / name).touch()
    (tmp_path / "my folder").mkdir()
    (tmp_path / "my folder" / "in side").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_files_are_completed_after_file(folder):
    assert texts("/file pl") == ["plain.txt"]
    assert texts(f"/file {folder}/pl") == [f"{folder}/plain.txt"]
    assert texts("/file ~/pl") == ["~/plain.txt"]
    assert texts("/file .h") == [".hidden"]
    assert len(texts("/file ")) == 7  # not the hidden one, nor one that would break the line
    assert texts("/file nowhere/") == texts("/file plain.txt/") == []


def test_files_stand_beside_words_once_something_is_typed_and_only_with_the_right_ending(folder):
    (folder / "big.txt").touch()
    (folder / "big.png").touch()
    assert texts("/model bi") == ["big", "big-7b", "big.txt"]
    assert texts("/model ") == ["big", "big-7b", "small"]
    assert texts("/model m") == ["'my folder/"]


@pytest.mark.parametrize("before", ["plain.txt ", "'two words.txt' ", '"a b" ', "c\\ d "])
def test_the_last_of_several_files_is_completed(folder, before):
    (found,) = candidates(f"/file {before}tw", KNOWN)
    assert (found.text, found.replaces) == ("'two words.txt'", 2)
    assert texts(f"/file {before}'not tw") == []
    assert len(texts(f"/file {before}")) == 7


@pytest.mark.parametrize("begun", ["my", "'my", '"my', "my\\ f"])
def test_a_folder_stays_open_to_go_on(folder, begun):
    (found,) = texts(f"/file {begun}")
    assert found == ('"my folder/' if begun.startswith('"') else "'my folder/")
    assert [path_argument(text) for text in texts(f"/file {found}")] == ["my folder/in side"]


def test_every_name_that_is_completed_is_read_back_as_it_was(folder):
    names = {path_argument(candidate.text): candidate.shown for candidate in candidates("/file ", KNOWN)}
    assert all(name == shown or shown == "my folder/" for name, shown in names.items())
    for candidate in candidates("/file ", KNOWN):
        begun = candidate.text[:4]
        assert candidate.text in texts(f"/file {begun}")


def test_bare_names_may_have_spaces_and_apostrophes():
    for text in ("two words.txt", "it's.txt", "~/a b"):
        assert path_argument(f" {text} ") == text
    assert path_argument("two\\ words.txt") == path_argument("'two words.txt'") == "two words.txt"
    assert path_argument("") == ""
