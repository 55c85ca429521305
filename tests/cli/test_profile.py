"""`specchat profile list|show|new|path|check`."""

import json
from pathlib import Path

import pytest

from specchat.profiles.store import Profiles

from .fakes import World


@pytest.fixture
def folder(tmp_path):
    """The user's folder of profiles."""
    folder = tmp_path / "specchat" / "profiles"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def profile(folder):
    """A function that runs `specchat profile` with that folder."""

    def run(*line: str, **settings) -> World:
        return World(variables={"XDG_CONFIG_HOME": str(folder.parents[1])}, **settings).run("profile", *line)

    return run


def test_the_list_has_every_profile_with_what_it_takes(profile, folder):
    (folder / "mine.yaml").write_text("description: my pair\ntarget: big.gguf\n")
    (folder / "bad.yml").write_text("target: [\n")
    lines = profile("list").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == sorted([*Profiles().names(), "bad", "mine"])
    [mine] = [line for line in lines if line.startswith("mine ")]
    [bad] = [line for line in lines if line.startswith("bad ")]
    [shipped] = [line for line in lines if line.startswith("qwen2.5-7b ")]
    assert mine.endswith("  yours: my pair")
    assert f"cannot be used: {folder}/bad.yml, line 2: this is not YAML." in bad
    assert " ".join(shipped.split()) == "qwen2.5-7b 5.2 GB 8 GB Qwen2.5 7B, drafted by its 0.5B sibling"


def test_the_list_fits_a_narrow_terminal_and_is_not_broken_in_a_pipe(profile):
    assert max(map(len, profile("list", screen=True, columns=60).out.splitlines())) <= 60
    assert len(profile("list").out.splitlines()) == len(Profiles().names()) + 1


def test_the_list_is_json_too(profile, folder):
    (folder / "bad.yaml").write_text("")
    rows = {row["name"]: row for row in json.loads(profile("list", "--json").out)["profiles"]}
    assert rows["bad"] == {"name": "bad", "error": f"{folder}/bad.yaml is empty."}
    assert rows["demo"]["shipped"]
    assert rows["qwen3-4b"]["settings"]["draft"] == "Qwen/Qwen3-0.6B-GGUF:Q8_0"


def test_a_profile_is_shown_with_what_it_takes_from_others(profile, folder):
    (folder / "base.yaml").write_text("licence: mit\nsource: [here, there]\ntarget: big.gguf\ncontext: 9\n")
    (folder / "mine.yaml").write_text("extends: base\ndescription: mine\nsystem: Be brief.\n")
    lines = profile("show", "mine").out.replace(str(folder), "~").splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "name mine",
        "file ~/mine.yaml",
        "extends base",
        "description mine",
        "licence mit",
        "source here",
        "there",
        "",
        "target ~/big.gguf profile base, line 3",
        "context 9 profile base, line 4",
        "system Be brief. profile mine, line 3",
    ]
    shown = json.loads(profile("show", "mine", "--json").out)
    assert (shown["licence"], shown["settings"]["system"], shown["shipped"]) == ("mit", "Be brief.", False)


def test_what_a_profile_says_cannot_command_a_terminal(profile, folder):
    (folder / "evil.yaml").write_text('target: a.gguf\ndescription: "\\e[2J"\nsystem: "\\e]0;x\\a"\nlicence: "\\x9b"\n')
    for line in (("show", "evil"), ("list",), ("show", "evil", "--json")):
        assert all(character.isprintable() or character == "\n" for character in profile(*line).out)


def test_the_paths_are_those_of_the_folder_and_of_a_profile(profile, folder):
    assert profile("path").out == f"{folder}\n"
    assert Path(profile("path", "demo").out.strip()) == Profiles().file("demo")
    assert profile("path", "dmeo").code == 2


def test_a_new_profile_is_a_start_that_can_be_used(profile, folder):
    world = profile("new", "mine", "--extends", "qwen3-4b", "--draft", "none")
    assert (world.code, world.out) == (0, f"{folder}/mine.yaml\n")
    assert (folder / "mine.yaml").read_text().startswith("format: 1\nextends: qwen3-4b\ndraft: none\n# ")
    settings = Profiles((folder, *Profiles().folders)).load("mine").settings
    assert (settings.draft, settings.top_k) == ("none", 20)


def test_models_of_a_new_profile_are_found_from_its_folder(profile, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a: b.yaml").write_text("target: big.gguf\n")
    assert profile("new", "one", "-m", "big: 1.gguf", "--draft", "user/repo:Q8_0").code == 0
    assert profile("new", "two", "--extends", "a: b.yaml").code == 0
    profiles = Profiles((folder,))
    assert profiles.load("one").settings.target.path == tmp_path / "big: 1.gguf"
    assert profiles.load("two").settings.target.path == tmp_path / "big.gguf"


@pytest.mark.parametrize("text", ["yes", "1", 'Say "no".\nC:\\new', "# 😀 日\u2028\t\x7f\x85: -", " two ", "# x"])
def test_a_system_prompt_of_a_new_profile_is_what_was_said(profile, folder, text):
    assert profile("new", "mine", "-m", "a.gguf", "-sys", text).code == 0
    assert Profiles((folder,)).load("mine").settings.system == text


def test_a_system_prompt_of_a_new_profile_can_be_a_file(profile, folder, tmp_path):
    (tmp_path / "pirate.txt").write_text("Talk like a pirate.\n")
    assert profile("new", "mine", "-m", "a.gguf", "-sys", f"@{tmp_path}/pirate.txt").code == 0
    assert Profiles((folder,)).load("mine").settings.system == "Talk like a pirate."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("there", "-m", "a.gguf"), "There is a profile there: "),
        (("new",), "A profile needs a model."),
        (("a/b", "-m", "a.gguf"), "a/b is no name for a profile."),
        (("a.yaml", "-m", "a.gguf"), "a.yaml is no name for a profile."),
        (("-", "-m", "a.gguf"), "- is no name for a profile."),
        (("new", "--extends", "dmeo"), "There is no profile called dmeo."),
        (("new", "-m", "wheel:x"), "wheel:x names no file in a package."),
    ],
)
def test_a_new_profile_that_makes_no_sense_is_not_written(profile, folder, line, message):
    (folder / "there.yml").write_text("target: a.gguf\n")
    world = profile("new", *line)
    assert world.code == 2
    assert world.err.startswith(f"error: {message}")
    assert [file.name for file in folder.iterdir()] == ["there.yml"]


def test_a_check_names_what_is_wrong_and_goes_on(profile, folder):
    (folder / "fine.yaml").write_text("target: big.gguf\ndraft: ngram\n")
    (folder / "big.gguf").touch()
    (folder / "lost.yaml").write_text("target: big.gguf\ndraft: small.gguf\n")
    (folder / "odd.yaml").write_text("target: big.gguf\ncontext: much\n")
    world = profile("check")
    assert world.code == 2
    assert world.out.splitlines() == [f"{name}: fine" for name in sorted([*Profiles().names(), "fine"])]
    assert world.err.replace(str(folder), "~").splitlines() == [
        "error: profile lost, line 2: there is no file ~/small.gguf.",
        "hint: A path starts at the folder of its profile.",
        "error: ~/odd.yaml, line 2: context is 'much', but has to be auto, or a whole number from 0 to 2147483647.",
    ]
    assert profile("check", "fine").out == "fine: fine\n"
    assert profile("check", "lost").code == 2
    assert profile("check", str(folder / "odd.yaml")).code == 2


def test_without_a_home_the_shipped_profiles_are_left():
    def homeless() -> Path:
        raise RuntimeError

    assert World(home=homeless).run("profile", "list").code == 0
    world = World(home=homeless).run("profile", "path")
    assert (world.code, world.out) == (2, "")


@pytest.mark.parametrize("line", [(), ("lst",)])
def test_a_command_that_is_missing_or_unknown_is_an_error_with_the_way_on(profile, line):
    world = profile(*line)
    assert (world.code, world.out) == (2, "")
    assert world.err.endswith("hint: specchat profile --help lists the commands.\n")


@pytest.mark.parametrize(
    ("line", "command"), [(("new",), "profile new"), (("new", "q", "-ngl", "3"), "profile new"), (("--of",), "profile")]
)
def test_the_help_that_is_named_has_the_options_that_are_meant(profile, line, command):
    assert f"specchat {command} --help lists the options" in profile(*line).err
