"""Chats that are kept: what lies on the disk afterwards, and going on with it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ..tiny import TinyModel, write_tiny
from .fakes import World

CHAT = ("run", "-m", "big.gguf")


@pytest.fixture
def data():
    with TemporaryDirectory() as folder:
        yield Path(folder)


def world(data, *arguments, lines=(), answers=("One.", "Two.", "Three."), variables=None, **settings):
    settings = {"stdin": None, "screen": True, "columns": 200, **settings}
    variables = {"XDG_DATA_HOME": str(data), **(variables or {})}
    return World(lines=lines, answers=answers, variables=variables, **settings).run(*arguments)


def kept(data):
    """The roles and texts of each session, one after the other."""
    exported = []
    for file in sorted((data / "specchat" / "sessions").glob("*.jsonl")):
        done = world(data, "session", "export", file.stem, "--format", "json", screen=False)
        exported.append([(each["role"], each["content"]) for each in json.loads(done.out)["messages"]])
    return exported


def told(done):
    return [(message.role, message.content) for message in done.pair.chats[-1]]


def shown(run, *options):
    """What --show-config tells: values and origins by name."""
    done = run("run", *options, "--show-config", "--json", screen=False)
    return {name: (row["value"], row["origin"]) for name, row in json.loads(done.out).items()}


def test_a_chat_is_kept_and_goes_on(data):
    world(data, *CHAT, "-sys", "Be brief.", lines=["Hi", "Well?"])
    first = [("user", "Hi"), ("assistant", "One."), ("user", "Well?"), ("assistant", "Two.")]
    assert kept(data) == [[("system", "Be brief."), *first]]
    done = world(data, "run", "-C", lines=["And?"], answers=["Three."] * 3)
    assert "Going on with " in done.out
    assert "2 answers so far. The last: Two." in done.out
    assert told(done) == [("system", "Be brief."), *first, ("user", "And?")]
    assert str(done.pair.config.target).endswith("big.gguf")
    assert len(kept(data)) == 1
    assert len(kept(data)[0]) == 7


def test_a_list_counts_answers_as_a_chat_does(data):
    world(data, *CHAT, lines=["Hi", "Well?", "/save plans"])
    assert "2 answers so far" in world(data, "run", "--session", "plans", lines=[]).out
    listed = json.loads(world(data, "session", "list", "--json", screen=False).out)["sessions"]
    assert {each["answers"] for each in listed} == {2}


def test_a_chat_in_which_nothing_was_said_leaves_nothing(data):
    world(data, *CHAT, lines=["/help"])
    assert kept(data) == []


def test_a_chat_in_which_all_was_taken_back_leaves_nothing(data):
    world(data, *CHAT, lines=["Hi", "/undo"])
    assert kept(data) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Hi", "/regen"], [("user", "Hi"), ("assistant", "One.")]),
        (["Hi", "Well?", "/undo"], [("user", "Hi"), ("assistant", "One.")]),
        (["Hi", "/system Be kind."], [("system", "Be kind."), ("user", "Hi"), ("assistant", "One.")]),
    ],
)  # fmt: skip
def test_what_was_taken_back_or_changed_is_so_on_the_disk(data, lines, expected):
    world(data, *CHAT, lines=lines)
    assert kept(data) == [expected]


def test_an_answer_that_goes_on_is_one_on_the_disk(data):
    world(data, *CHAT, "-n", "4", lines=["Hi", "/continue"], answers=["abcdefgh"])
    assert kept(data) == [[("user", "Hi"), ("assistant", "abcdefgh")]]


def test_a_cleared_chat_is_another_session(data):
    world(data, *CHAT, lines=["Hi", "/clear", "Well?"], answers=["One.", "Two."])
    assert sorted(len(chat) for chat in kept(data)) == [2, 2]


def test_a_chat_is_saved_under_a_name_and_loaded_by_it(data):
    world(data, *CHAT, lines=["Hi", "/save plans", "Well?"])
    done = world(data, *CHAT, lines=["/load plans", "And?"], answers=["One.", "Two.", "Three."])
    assert told(done)[:4] == [("user", "Hi"), ("assistant", "One."), ("user", "Well?"), ("assistant", "Two.")]


def test_a_question_that_a_killed_process_left_without_an_answer_is_told(data):
    world(data, *CHAT, lines=["Hi", "/save plans"])
    file = data / "specchat" / "sessions" / "plans.jsonl"
    sea = f"And what of the sea, {'the ' * 20}sea?"
    line = json.dumps({"role": "user", "content": sea, "at": ""})
    file.write_text(f"{file.read_text()}{line}\n")
    done = world(data, *CHAT, "--session", "plans", lines=["Well?"], answers=["One.", "Two."])
    assert f"This message was never answered, and is taken back: {sea}" in done.out
    assert told(done) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]


def test_a_system_prompt_that_an_option_gives_holds_over_that_of_the_session(data):
    world(data, *CHAT, "-sys", "Be brief.", "--session", "plans", lines=["Hi"])
    done = world(data, *CHAT, "-sys", "Be kind.", "--session", "plans", lines=["Well?"])
    assert told(done)[0] == kept(data)[0][0] == ("system", "Be kind.")


def test_a_session_that_is_open_here_is_not_open_in_another_chat(data):
    done = world(data, *CHAT, lines=["Hi", "/save plans", "/load plans"])
    assert "Going on with plans, 1 answer so far." in done.out
    assert "another chat" not in done.out


def test_one_answer_on_a_terminal_is_kept_and_in_a_pipe_only_with_a_name(data):
    world(data, *CHAT, "Hi", screen=False, stdin=b"")
    assert kept(data) == []
    world(data, *CHAT, "--session", "piped", "Hi", screen=False, stdin=b"")
    assert kept(data) == [[("user", "Hi"), ("assistant", "One.")]]
    done = world(data, *CHAT, "--session", "piped", "Well?", screen=False, stdin=b"", answers=["One.", "Two."])
    assert (done.out, done.err) == ("Two.\n", "")
    assert len(kept(data)[0]) == 4
    world(data, *CHAT, "Hi")
    assert len(kept(data)) == 2


def test_nothing_is_kept_where_that_is_asked(data):
    world(data, *CHAT, "--no-save", lines=["Hi"])
    assert kept(data) == []


WRONG = {
    ("-C", "--session", "a"): "-C is the latest session, --session one by its name.",
    ("-C", "--no-save"): "With --no-save nothing is kept.",
    ("--session", "a", "--compare"): "With --compare nothing is kept.",
    ("-C",): "There are no sessions yet.",
}


@pytest.mark.parametrize("options", WRONG)
def test_options_that_contradict_each_other_are_told(data, options):
    done = world(data, *CHAT, *options, "Hi")
    assert done.code == 2
    assert WRONG[options] in done.out


def test_files_are_for_their_owner_alone(data):
    world(data, *CHAT, lines=["Hi"])
    for path in (data / "specchat").rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_written_costs_the_keeping_and_not_the_chat(data):
    (data / "specchat").write_text("in the way")
    done = world(data, *CHAT, lines=["Hi", "Well?"])
    assert done.out.count("From here on this chat is not kept") == 1
    assert told(done)[-1] == ("user", "Well?")


def test_old_turns_are_forgotten_where_that_is_asked(data):
    lines = ["a" * 30, "b" * 30, "c" * 30]
    done = world(data, *CHAT, "--overflow", "drop-oldest", lines=lines, n_ctx=100)
    assert "The oldest 1 turn is forgotten" in done.out
    assert told(done)[0] == ("user", "b" * 30)
    refused = world(data, *CHAT, lines=lines, n_ctx=100)
    assert "error: The prompt has" in refused.transcript


def test_an_answer_that_goes_on_when_its_process_is_killed_keeps_both_its_parts(data, tmp_path):
    left = tmp_path / "left"

    def copy(world, count):
        """Leave what a killed process would: the folder as it is in the middle of the second part."""
        if count == 6:
            shutil.copytree(data, left)

    lines = ["Hi", "/save plans", "/continue"]
    world(data, *CHAT, "-n", "4", lines=lines, answers=["abcdefghij"], on_pass=copy)
    assert kept(data)[-1] == [("user", "Hi"), ("assistant", "abcdefgh")]
    [question, answer] = kept(left)[-1]
    assert answer[1] in ("abcde", "abcdef", "abcdefg")
    done = world(left, *CHAT, "--session", "plans", lines=["/continue"], answers=["abcdefghij"])
    assert "The last answer is not complete, but as it was shown; /continue in a chat goes on with it." in done.out
    assert kept(left)[-1] == [question, ("assistant", "abcdefghij")]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_a_killed_answer_keeps_what_was_shown(data, tmp_path):
    model = write_tiny(tmp_path / "m.gguf", TinyModel(n_ctx=4096))
    environment = {**os.environ, "XDG_DATA_HOME": str(data), "HOME": str(tmp_path)}
    command = (
        sys.executable,
        "-m",
        "specchat.cli.main",
        "run",
        "-t",
        "1",
        "-m",
        str(model),
        "--session",
        "s",
        "Hi there",
    )
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(40)
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        shown = process.stdout.read()
    [[question, answer]] = kept(data)
    assert question == ("user", "Hi there")
    assert answer[0] == "assistant"
    assert len(answer[1].encode()) >= 40 - 3
    done = world(data, *CHAT, "--session", "s", "And?", answers=["x"] * 9)
    assert told(done) == [question, answer, ("user", "And?")]
    assert shown is not None


def test_a_session_goes_on_with_the_draft_that_was_named(data, tmp_path):
    small = tmp_path / "small.gguf"
    small.touch()
    world(data, "run", "-m", "big.gguf", "--draft", str(small), "--session", "plans", lines=["Hi"])
    assert world(data, "run", "--session", "plans", lines=["Well?"]).pair.config.draft == small
    again = world(data, "run", "--session", "plans", "--draft", "none", lines=["Well?"])
    assert again.pair.config.draft == "none"


COLD = "target: big.gguf\ndraft: none\nsampling: {temperature: 0.3, top_k: 7}\n"


@pytest.fixture
def profile(tmp_path):
    """A function that writes the user's profile `cold`, or a file elsewhere; None removes it. It gives its path."""

    def write(content, file=tmp_path / "specchat" / "profiles" / "cold.yaml"):
        file.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            file.unlink()
        else:
            file.write_text(content)
        return file

    return write


@pytest.fixture
def home(data, tmp_path):
    """A function that runs a chat where the user's profiles are."""

    def run(*arguments, lines=("Hi",), **settings):
        variables = {"XDG_CONFIG_HOME": str(tmp_path), **settings.pop("variables", {})}
        return world(data, *arguments, lines=lines, variables=variables, **settings)

    return run


@pytest.mark.parametrize("named", ["-m", "--profile", "SPECCHAT_PROFILE", "/model"])
def test_a_chat_goes_on_with_the_settings_of_its_profile(home, profile, named):
    profile(COLD)
    match named:
        case "SPECCHAT_PROFILE":
            home("run", variables={named: "cold"})
        case "/model":
            home(*CHAT, lines=["/model cold", "Hi"])
        case _:
            home("run", named, "cold")
    config = home("run", "-C").pair.config
    assert (dict(config.sampling), config.draft) == ({"temperature": 0.3, "top_k": 7}, "none")
    assert dict(home("run", "-C", "--temp", "0.9").pair.config.sampling) == {"temperature": 0.9, "top_k": 7}
    assert dict(home("run", "-C", "-m", "other.gguf").pair.config.sampling) == {}


def test_a_profile_in_a_file_is_found_from_another_folder(home, profile, tmp_path, monkeypatch):
    profile(COLD, tmp_path / "here" / "mine.yaml")
    monkeypatch.chdir(tmp_path / "here")
    home("run", "--profile", "mine.yaml")
    monkeypatch.chdir(tmp_path)
    assert home("run", "-C").pair.config.sampling["temperature"] == 0.3


def test_a_chat_goes_on_with_its_models_where_its_profile_names_others_by_now(home, profile):
    profile(COLD)
    home("run", "-m", "cold")
    profile("target: other.gguf\nsampling: {temperature: 0.1}\n")
    config = home("run", "-C").pair.config
    assert (config.target.name, config.draft, config.sampling["temperature"]) == ("big.gguf", "none", 0.1)


def test_a_chat_whose_profile_is_gone_goes_on_and_says_so(home, profile):
    profile(COLD)
    home("run", "-m", "cold")
    profile(None)
    assert "warning" not in home("run", "-C", "-q", lines=()).transcript
    done = home("run", "-C")
    assert "warning: There is no profile called cold. The chat goes on without that profile." in done.transcript
    assert (done.code, done.pair.config.target.name, dict(done.pair.config.sampling)) == (0, "big.gguf", {})


def test_a_system_prompt_that_was_taken_away_stays_away(home, profile):
    profile(f"{COLD}system: Be brief.\n")
    home("run", "-m", "cold", lines=["/system none", "Hi"])
    assert told(home("run", "-C", lines=["Well?"]))[0] == ("user", "Hi")
    home("run", "-m", "cold", lines=["Hi", "/system none"])
    assert told(home("run", "-C", lines=["Well?"]))[0] == ("user", "Hi")


@pytest.mark.parametrize("named_by", ["config.yaml", "SPECCHAT_SYSTEM"])
def test_a_system_prompt_of_all_chats_that_was_taken_away_stays_away(home, profile, tmp_path, named_by):
    variables = {named_by: "Be brief."}
    if named_by == "config.yaml":
        profile("system: Be brief.\n", tmp_path / "specchat" / named_by)
    home(*CHAT, lines=["/system none", "Hi"], variables=variables)
    assert told(home("run", "-C", lines=["Well?"], variables=variables))[0] == ("user", "Hi")


def test_a_session_that_does_not_say_that_it_has_no_system_prompt_goes_on_with_one(data, home):
    home(*CHAT, "--session", "plans")
    file = data / "specchat" / "sessions" / "plans.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if json.loads(line) != {"system": None}))
    variables = {"SPECCHAT_SYSTEM": "Be brief."}
    assert told(home("run", "-C", lines=["Well?"], variables=variables))[0] == ("system", "Be brief.")
    home("run", "-C", lines=["/system none"], variables=variables)
    assert told(home("run", "-C", lines=["Well?"], variables=variables))[0] == ("user", "Hi")


SHOWN = [("-C",), ("--session", "plans")]


@pytest.mark.parametrize("which", SHOWN)
def test_the_models_that_a_chat_would_go_on_with_are_shown(home, which):
    home(*CHAT, "--draft", "none", "--session", "plans")
    found = shown(home, *which)
    assert Path(found["target"][0]).name == "big.gguf"
    assert found["draft"] == ("none", "session plans")


@pytest.mark.parametrize("which", SHOWN)
def test_the_profile_that_a_chat_would_go_on_with_is_shown(home, profile, which):
    profile(COLD)
    home("run", "-m", "cold", "--session", "plans")
    found = shown(home, *which)
    assert (found["profile"], found["top_k"][0]) == (("cold", "session plans"), 7)
    assert "profile" not in shown(home, *which, "-m", "other.gguf")


def test_another_model_leaves_the_profile_of_the_first_behind(home, profile):
    profile(COLD)
    home("run", "-m", "cold", lines=["/model other.gguf", "Hi"])
    assert dict(home("run", "-C").pair.config.sampling) == {}


def test_another_model_comes_with_the_draft_of_its_profile_also_in_the_chat_that_goes_on(home, profile):
    profile("target: big.gguf\ndraft: none\n")
    assert home("run", "-m", "other.gguf", lines=["/model cold", "Hi"]).pair.config.draft == "none"
    profile("target: big.gguf\ndraft: none\nsampling: {temperature: 0.1}\n")
    config = home("run", "-C").pair.config
    assert (config.draft, dict(config.sampling)) == ("none", {"temperature": 0.1})


def test_a_chat_goes_on_with_the_models_that_were_named_in_it_last(data, home, profile):
    home(*CHAT, lines=["Hi", "/model other.gguf", "/draft none"])
    config = home("run", "-C").pair.config
    assert (config.target.name, config.draft) == ("other.gguf", "none")
    [listed] = json.loads(world(data, "session", "list", "--json", screen=False).out)["sessions"]
    assert Path(listed["model"]).name == "other.gguf"
    profile(COLD)
    home("run", "-C", lines=["/model cold"])
    assert dict(home("run", "-C").pair.config.sampling) == {"temperature": 0.3, "top_k": 7}


def test_another_model_is_kept_as_it_was_named(data, hub):
    variables = {"HF_ENDPOINT": hub.standin.endpoint, "HF_HOME": str(hub.cache.parent)}
    world(data, *CHAT, "-q", lines=["/model user/big-GGUF", "Hi"], variables=variables)
    listed = json.loads(world(data, "session", "list", "--json", screen=False).out)["sessions"]
    assert [each["model"] for each in listed] == ["user/big-GGUF"]


def test_a_model_that_cannot_be_had_is_told_with_the_session_that_names_its_profile(data, home, profile):
    profile(COLD)
    home("run", "-m", "cold", "--session", "plans")
    file = data / "specchat" / "sessions" / "plans.jsonl"
    model = json.loads(file.read_text().splitlines()[0])["model"]
    profile(COLD.replace("big.gguf", "wheel:nothing_like_it/m.gguf"))
    file.write_text(file.read_text().replace(model, "wheel:nothing_like_it/m.gguf"))
    assert "The profile cold (session plans) names it." in home("run", "-C").transcript
