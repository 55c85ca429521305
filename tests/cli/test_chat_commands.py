"""What can be typed with a slash: transcripts of chats."""

import os
import re
import signal
from base64 import b64encode

import pytest

from specchat.cli.chat.commands.commands import COMMANDS
from specchat.cli.chat.commands.completing import completions
from specchat.speculative.drafting import Drafter, NoDrafter
from specchat.speculative.errors import ModelLoadError, ServerError

from .fakes import ASK, END, World

CHAT = ("run", "-m", "big.gguf", "--draft", "ngram")


def chat(*lines, answers=("One.", "Two.", "Three."), more=(), **settings):
    settings = {"stdin": None, "screen": True, "columns": 200, **settings}
    return World(lines=lines, answers=answers, **settings).run(*CHAT, *more)


def told(world):
    """The messages of the last prompt."""
    return [(message.role, message.content) for message in world.pair.chats[-1]]


def plain(world):
    """What was printed, without colours."""
    return re.sub(r"\x1b\[[0-9]*m", "", world.out)


def test_another_answer_takes_the_place_of_the_last():
    world = chat("Hi", "/regen", "Well?", answers=["One.", "Two."])
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]
    assert world.out.count("One.\n") == 2


def test_another_answer_has_a_seed_of_its_own():
    world = chat("Hi", "/regen", more=("--stats", "-s", "7"))
    assert len(set(re.findall(r"seed (\d+)", plain(world)))) == 2


def test_why_another_answer_is_the_same_is_told_where_nothing_is_drawn():
    why = "At temperature 0 there is one answer only; /set temp 0.8 gives others."
    world = chat("Hi", "/regen", "/set temp 0.8", "/regen", "/set temp 0", "/set xtc-probability 0.5", "/regen")
    shown = plain(world).split(">>> ")
    assert [lines.split("\n")[0] for lines in shown if why in lines] == ["/regen"]
    assert shown[2].endswith(f"\n{why}\n")


def test_of_one_token_nothing_is_drawn_at_any_temperature():
    why = "With top-k 1 there is one answer only; /set top-k 40 gives others."
    lines = "/set temp 0.8", "/set top-k 1", "/regen", "/set xtc-probability 0.5", "/regen", "/set top-k 40", "/regen"
    shown = plain(chat("Hi", *lines))
    assert shown.count(why) == shown.count("one answer only") == 2


def test_another_answer_that_differs_is_told_as_it_is():
    world = chat("Hi", "/set n 2", "/regen")
    assert "one answer only" not in plain(world)


def test_undo_takes_question_and_answer_back_and_says_which():
    world = chat("Hi", "Well?", "/undo", "And?")
    assert "Taken back: Well?" in world.transcript
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "And?")]


def test_clear_begins_anew_and_keeps_the_system_prompt():
    world = chat("Hi", "/clear", "And?", more=("-sys", "Be brief."))
    assert told(world) == [("system", "Be brief."), ("user", "And?")]


def test_the_system_prompt_is_shown_set_and_taken_away():
    world = chat("/system", "/system Be kind.", "/system", "Hi", "/system none", "And?")
    assert "There is no system prompt." in world.transcript
    assert "\nBe kind.\n" in world.transcript
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "And?")]
    assert [message.role for message in world.pair.chats[-2]] == ["system", "user"]


@pytest.mark.skipif(os.name == "nt", reason="needs a script as an editor")
def test_a_long_system_prompt_is_written_in_an_editor(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'Be brief.\\n' >> \"$1\"\n")
    editor.chmod(0o700)
    variables = {"EDITOR": str(editor), "PATH": os.environ["PATH"]}
    world = chat("/system Be kind. ", "/system edit", "Hi", variables=variables)
    assert told(world)[0] == ("system", "Be kind.Be brief.")
    unchanged = chat("/system Be kind.", "/system edit", variables={**variables, "EDITOR": "true"})
    assert "Nothing was changed." in unchanged.transcript


def test_an_answer_that_was_cut_goes_on_as_one():
    world = chat("Hi", "/continue", "Well?", answers=["abcdefgh", "Fine."], more=("-n", "4"))
    assert told(world) == [("user", "Hi"), ("assistant", "abcdefgh"), ("user", "Well?")]
    assert world.transcript.count("efgh") == 1


def test_an_answer_that_was_whole_stays_and_that_is_told():
    world = chat("Hi", "/continue", "Well?")
    assert "The model has nothing to add." in plain(world)
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]


def test_the_tint_is_switched_on_and_off():
    world = chat("Hi", "/tint", "/regen", "/tint", "/regen", answers=["abc" * 20])
    before, colored, after = re.split(r"[^\n]*/tint\n", world.out)
    assert ["\x1b[36m" in shown for shown in (before, colored, after)] == [False, True, False]


def test_a_stopped_answer_goes_on():
    def interrupt(world, count):
        if count == 3:
            signal.raise_signal(signal.SIGINT)

    world = chat("Hi", "/continue", "Well?", answers=["abcdefgh", "Fine."], on_pass=interrupt)
    assert told(world)[1] == ("assistant", "abcdefgh")


@pytest.mark.parametrize("command", ["/regen", "/continue", "/undo", "/edit", "/copy", "/stats"])
def test_what_needs_an_answer_says_so(command):
    assert "error: Nothing was said yet.\nhint: Ask something first." in plain(chat(command))


def test_a_file_is_a_message(tmp_path):
    path = tmp_path / "my notes.txt"
    path.write_text("Line one.\n\nLine two.\n")
    world = chat(f"/file '{path}'", "/file", "/file nowhere.txt")
    assert world.pair.chats[1][-1].content == "Line one.\n\nLine two."
    assert "error: No file is named." in plain(world)
    assert "error: nowhere.txt cannot be read: No such file or directory." in plain(world)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Some files in the folder where the chat is."""
    for name in ("a.py", "b.py", "my notes.txt", "x -- y.txt", "[1].txt"):
        (tmp_path / name).write_text(f"({name})\n")
    (tmp_path / "c.py").mkdir()
    monkeypatch.chdir(tmp_path)


SENT = {
    "/file a.py -- What is it?": "(a.py)\n\nWhat is it?",
    "/file a.py b.py": "(a.py)\n\n(b.py)",
    "/file *.py 'my notes.txt' a.py -- Why -- and how?": "(a.py)\n\n(b.py)\n\n(my notes.txt)\n\nWhy -- and how?",
    "/file my notes.txt --": "(my notes.txt)",
    "/file x -- y.txt": "(x -- y.txt)",
    "/file [1].txt": "([1].txt)",
}


@pytest.mark.skipif(os.name == "nt", reason="backslashes part no words there")
@pytest.mark.parametrize("line", SENT)
def test_files_go_along_with_a_question(line, files):
    assert told(chat(line)) == [("user", SENT[line])]


UNSENT = {
    "/file -- What is it?": "No file is named.",
    "/file a.py nowhere.py": "nowhere.py cannot be read: No such file or directory.",
    "/file my note": "my note cannot be read: No such file or directory.",
    "/file *.md": "No file is called like *.md.",
}


@pytest.mark.parametrize("line", UNSENT)
def test_files_that_are_not_there_send_nothing(line, files):
    world = chat(line)
    assert f"error: {UNSENT[line]}" in plain(world)
    assert len(world.pair.chats) == 1  # that at the start, which finds out whether there is a template


def test_so_many_files_are_no_question(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(101):
        (tmp_path / str(number)).touch()
    assert "error: * is 101 files, more than 100." in plain(chat("/file *"))


@pytest.mark.skipif(os.name == "nt", reason="needs a script as an editor")
def test_the_last_question_is_edited_and_answered_anew(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'Well, Hi' > \"$1\"\n")
    editor.chmod(0o700)
    world = chat("Hi", "/edit", "And?", variables={"EDITOR": str(editor), "PATH": os.environ["PATH"]})
    assert told(world) == [("user", "Well, Hi"), ("assistant", "One."), ("user", "And?")]


def test_the_last_answer_is_copied_through_the_terminal():
    assert f"\x1b]52;c;{b64encode(b'One.').decode()}\a" in chat("Hi", "/copy").out


def test_settings_hold_from_now_on():
    world = chat("/set temp 0.2", "/set top-k 7", "/set repeat_penalty 1.1", "Hi")
    params = world.pair.session.decoder.chain.params
    assert (params.temperature, params.top_k, params.repeat_penalty) == (0.2, 7, 1.1)
    assert world.pair.config.sampling == {"temperature": 0.2, "top_k": 7, "repeat_penalty": 1.1}
    assert "temp is 0.2." in world.out


def seeds(world):
    return [int(seed) for seed in re.findall(r"(?:^|· )seed (\d+)", plain(world), re.MULTILINE)]


def test_a_seed_makes_the_next_answers_those_of_a_new_chat_with_it():
    new = seeds(chat("Hi", "Well?", more=("--stats", "-s", "5")))
    assert seeds(chat("Hi", "/set seed 5", "Hi", "Well?", more=("--stats", "-s", "9")))[1:] == new


def test_where_models_compute_can_be_set_in_a_chat():
    lines = "/set device GPU0,GPU1", "/set tensor-split 3,1", "/set cpu_moe on", "/set mmap off", "/set threads-batch 2"
    config = chat(*lines, "Hi").pair.config.target_config
    assert (config.devices, config.tensor_split, config.cpu_moe) == (("GPU0", "GPU1"), (3, 1), -1)
    assert (config.mmap, config.threads_batch) == (False, 2)
    assert chat("/set device none", "Hi").pair.config.target_config.devices == ()
    config = chat("/set -dev GPU0", "/set devd none", "/set ts 3", "/set cmoe on", "Hi").pair.config
    assert (config.target_config.devices, config.draft_config.devices) == (("GPU0",), ())
    assert (config.target_config.tensor_split, config.target_config.cpu_moe) == ((3,), -1)


@pytest.mark.parametrize("line", ["/set device none", "/set devd none", "/set rpc none", "/set ngld 0"])
def test_where_models_compute_from_then_on_is_told(line):
    assert chat(line).transcript.count("Fake · on the CPU · context 1,000\n") == 2


def test_after_a_seed_is_set_the_passes_are_those_of_a_new_chat_as_well():
    world = chat("Hi", "/set seed 5", "Well?", more=("--draft", "none"))
    passes = world.pair.session.decoder.target.passes
    assert [*b"Hi", ASK, *b"One.", END, *b"Well?", ASK] in passes


def test_a_seed_outlives_a_change_of_models():
    assert seeds(chat("/set seed 5", "/model other.gguf", "Hi", more=("--stats", "-s", "9"))) == [5]
    assert chat("/set seed 5", "/set ctx 900", "Hi").pair.config.seed == 5


def test_a_seed_is_chosen_and_told_where_it_is_left_to_chance():
    said = [re.search(r"\nseed is (\d+), ", plain(chat("/set seed -1", more=("-s", "5")))) for _ in range(2)]
    assert len({match and match[1] for match in said}) == 2


def test_answers_are_as_long_as_n_says():
    world = chat("Hi", "/set n 4", "Well?", "/set n -1", "And?", answers=["abcdefgh"] * 3)
    answers = [line for line in plain(world).splitlines() if line.startswith("abcd")]
    assert answers == ["abcdefgh", "abcd", "abcdefgh"]
    assert "n is 4." in plain(world)
    assert "Answers have no limit." in plain(world)


def test_n_outlives_a_change_of_models():
    assert "abcde" not in plain(chat("/set n 4", "/model other.gguf", "Hi", answers=["abcdefgh"]))


def test_show_tells_the_seed_and_the_limit():
    shown = plain(chat("/show", "/set n 4000", "/set max-tokens 1234", "/set s 7", "/show", more=("-s", "5")))
    assert re.findall(r"\nseed +(\d+)\n", shown) == ["5", "7"]
    assert re.findall(r"\nn  +(.*)\n", shown) == ["no limit", "1,234"]


def test_show_tells_the_seed_of_the_chat_and_that_of_the_last_answer():
    world = chat("Hi", "/show", "/regen", "/show", "/set seed 7", "/show", more=("--stats", "-s", "5"))
    first, second = re.findall(r"· seed (\d+)", plain(world))
    shown = re.findall(r"\nseed +(\d+); the last answer's own is (\d+)\n", plain(world))
    assert shown == [("5", first), ("5", second), ("7", second)]
    assert first != second


def test_an_empty_stop_string_takes_all_away_and_says_so():
    world = chat('/set stop "e."', "Hi", '/set stop ""', "/show", "Well?")
    assert "e. ends answers." in plain(world)
    assert "No string ends answers any more." in plain(world)
    assert re.search(r"\nstop +none\n", plain(world))
    assert told(world)[1] == ("assistant", "On")
    assert "\nTwo.\n" in plain(world)


WRONG = {
    "/set": "No setting is named.",
    "/set temp": "What shall temp be?",
    "/set tmp 1": "There is no setting called tmp.",
    "/set temp hot": "temp is 'hot', but has to be a number such as 0.8.",
    "/set top-p 3": "top-p: top_p is 3, but it is a probability.",
    "/set draft x": "draft has a command of its own.",
    "/set tensor-split 3;1": "tensor-split is '3;1', but has to be a list of numbers, such as [3, 1].",
    "/set cpu-moe maybe": "cpu-moe is 'maybe', but has to be on, off, auto, or a whole number from 0 to 2147483647.",
    "/set seed x": "seed: 'x' is not a number.",
    "/set seed -2": "The seed -2 is out of range.",
    "/set n 0": "n: 0 tokens is nothing to generate.",
    "/set n -2": "n: -2 is too small.",
    "/set ctx -5": "ctx is -5, but has to be auto, or a whole number from 0 to 2147483647.",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_setting_that_makes_no_sense_changes_nothing(line):
    world = chat(line, "Hi")
    assert f"error: {WRONG[line]}" in plain(world)
    assert world.pair.config.sampling == {}
    assert world.code == 0


def test_another_context_loads_the_model_anew_and_keeps_the_chat():
    loaded = []
    world = chat("Hi", "/set ctx 4000", "Well?", on_load=loaded.append)
    assert [pair.config.target_config.n_ctx for pair in loaded] == [None, 4000]
    assert [pair.closed for pair in loaded] == [True, True]
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]


def test_what_nothing_obeys_is_told_once_however_often_models_are_loaded():
    loaded = []
    world = chat("/set ctx 4000", "/set ctx 5000", more=("-ngl", "9"), on_load=loaded.append)
    assert len(loaded) == 3
    assert plain(world).count("warning: No device here takes layers, so gpu_layers 9 (-ngl)") == 1


def test_a_context_without_room_for_the_chat_is_refused_before_anything_is_loaded():
    loaded = []
    world = chat("Hi", "/set ctx 10", "/set ctx 11", "/set ctx 1", on_load=loaded.append)
    assert [pair.config.target_config.n_ctx for pair in loaded] == [None, 11]
    for size in (10, 1):
        assert (
            f"error: A context of {size} leaves no room for an answer: "
            "the chat so far takes 10 tokens with one more question.\n"
            "hint: /set ctx 522 has room; /undo and /clear make the chat shorter.\n"
        ) in plain(world)


def test_old_turns_need_no_room_in_a_context_where_they_are_forgotten():
    loaded = []
    lines = "a" * 90, "/set ctx 50", "/set ctx 7"
    world = chat(*lines, on_load=loaded.append, more=("--overflow", "drop-oldest", "-sys", "Brief."))
    assert [pair.config.target_config.n_ctx for pair in loaded] == [None, 50]
    assert "no room for an answer: the chat so far takes 8 tokens with one more question." in plain(world)


def test_the_trained_context_may_be_too_small_as_well():
    assert "A context of 5 leaves no room" in plain(chat("Hi", "/set ctx 0", n_ctx_train=5))


def drafting(world):
    """What was said of drafting, the opening left out."""
    return [line for line in plain(world).splitlines() if line.startswith(("drafted", "nothing drafts"))][1:]


def test_drafting_is_switched_off_and_on():
    world = chat("/draft", "/draft off", "/draft", "Hi", "/draft on", "/draft")
    on, off = "drafted by n-grams · as --draft says", "nothing drafts · /draft on switches it on"
    assert drafting(world) == [on, off, off, on, on]


def test_drafting_stays_off_whatever_is_loaded():
    lines = "/draft off", "/set ctx 900", "/draft", "/model nothing-like-it", "/draft", "/model other.gguf", "/draft"
    assert set(drafting(chat(*lines))) == {"nothing drafts · /draft on switches it on"}


@pytest.mark.parametrize("line", ["/set ctx 900", "/model other.gguf", "/model broken.gguf"])
def test_a_pair_that_is_loaded_while_nothing_drafts_has_its_own_drafter_back_in_the_end(line):
    def load(pair):
        if pair.config.target.name == "broken.gguf":
            raise ModelLoadError("It is broken.")
        drafters.append(pair.session.decoder.drafter)

    def answer(world, _):
        answering.append(type(world.pair.session.decoder.drafter))

    drafters: list[Drafter] = []
    answering: list[type[Drafter]] = []
    world = chat("/draft off", line, "Hi", on_load=load, on_pass=answer)
    assert set(answering) == {NoDrafter}
    assert world.pair.session.decoder.drafter is drafters[-1]


def test_mistyped_commands_are_no_messages_and_capitals_do_not_matter():
    world = chat("/exit2", "/SET temp 1", "/Temp")
    assert "There is no command /exit2." in plain(world)
    assert "temp is 1." in plain(world)
    assert "There is no command /Temp." in plain(world)
    assert [len(messages) for messages in world.pair.chats] == [1]


def test_a_message_that_is_too_long_names_what_makes_room_in_a_chat():
    world = chat("x" * 200, n_ctx=100)
    assert "hint: /undo and /clear make room, /set ctx N more of it." in plain(world)


def test_another_model_goes_on_with_the_chat_and_another_draft_as_well():
    loaded = []
    world = chat("Hi", "/model other.gguf", "Well?", "/draft small.gguf", "And?", on_load=loaded.append)
    assert [pair.config.target.name for pair in loaded] == ["big.gguf", "other.gguf", "other.gguf"]
    assert str(loaded[2].config.draft) == "small.gguf"
    assert told(world)[:2] == [("user", "Hi"), ("assistant", "One.")]
    assert world.code == 0


def test_another_model_comes_without_the_draft_and_the_template_of_the_first(tmp_path):
    template = tmp_path / "chat.jinja"
    template.write_text("{{ messages }}")
    loaded = []
    lines = "/model other.gguf", "/draft small.gguf"
    chat(*lines, more=("--draft", "small.gguf", "--chat-template", str(template)), on_load=loaded.append)
    drafts_and_templates = [(str(pair.config.draft), pair.config.chat_template) for pair in loaded]
    assert drafts_and_templates == [("small.gguf", "{{ messages }}"), ("ngram", None), ("small.gguf", None)]


def test_settings_outlive_a_change_of_models():
    world = chat("/set temp 0.2", "/model other.gguf", "Hi")
    assert world.pair.config.sampling == {"temperature": 0.2}


def test_a_model_that_cannot_be_had_leaves_all_as_it_was():
    world = chat("Hi", "/model nothing-like-it", "Well?")
    assert "error: There is no model called nothing-like-it." in plain(world)
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]


def test_a_model_that_cannot_be_loaded_leaves_all_as_it_was():
    def fail(pair):
        if pair.config.target.name == "other.gguf":
            raise ModelLoadError("It is broken.")

    world = chat("Hi", "/model other.gguf", "Well?", on_load=fail)
    assert "error: It is broken." in plain(world)
    assert world.pair.config.target.name == "big.gguf"
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]


def test_a_server_that_cannot_be_reached_leaves_the_chat_as_it_was():
    def reach(endpoints):
        raise ServerError("The server host:1 cannot be reached.", "Start it.")

    world = chat("Hi", "/set rpc host:1", "Well?", reach=reach)
    assert (world.code, world.pair.config.target_config.rpc) == (0, ())
    assert "error: The server host:1 cannot be reached.\nhint: Start it.\n" in world.transcript
    assert told(world) == [("user", "Hi"), ("assistant", "One."), ("user", "Well?")]


def test_a_server_that_is_lost_with_what_it_holds_ends_the_chat():
    world = World(stdin=None, screen=True, columns=200, lines=["/set rpc host:2", "Hi"])
    reached = []

    def reach(endpoints):
        reached.append(*endpoints)
        if len(reached) > 1:
            raise ServerError(f"The server {endpoints[0]} cannot be reached.")

    world.reach = reach
    world.run(*CHAT, "--rpc", "host:1")
    assert (world.code, reached) == (1, ["host:1", "host:2", "host:1"])
    assert world.transcript.endswith("error: The server host:1 cannot be reached.\n")


def test_a_model_that_could_not_be_loaded_is_not_tried_again_with_the_next_draft():
    def fail(pair):
        loaded.append(pair.config.target.name)
        if pair.config.target.name == "other.gguf":
            raise ModelLoadError("It is broken.")

    loaded: list[str] = []
    world = chat("/model other.gguf", "/draft small.gguf", "Hi", on_load=fail)
    assert loaded == ["big.gguf", "other.gguf", "big.gguf", "big.gguf"]
    assert str(world.pair.config.draft) == "small.gguf"


def test_what_another_pair_read_does_not_fill_the_context_of_this_one():
    shown = plain(chat("Hi", "/set ctx 900", "/show"))
    assert re.search(r"\ncontext +0 of 1,000 tokens; the chat is counted with its next answer\n", shown)


def test_show_tells_models_settings_and_the_context():
    shown = plain(chat("Hi", "/show"))
    assert re.search(r"\nmodel +Fake · on the CPU\n", shown)
    assert re.search(r"\ndraft +n-grams · as --draft says\n", shown)
    assert re.search(r"\ncontext +7 of 1,000 tokens\n", shown)
    assert re.search(r"\ntemperature +0\n", shown)


def test_help_lists_every_command():
    shown = plain(chat("/help"))
    for name in ("/regen", "/continue", "/undo", "/edit", "/clear", "/file PATH", "/set NAME VALUE", "/draft"):
        assert f"\n{name}" in shown


def test_tab_knows_what_can_stand_behind_a_command(tmp_path):
    known = completions(World(variables={"XDG_DATA_HOME": str(tmp_path)}, home=lambda: tmp_path).environment())
    assert {"temp", "top-p", "context", "draft-max", "seed", "n"} <= set(known.words["/set"]())
    for name in known.words["/set"]():
        assert "There is no setting" not in plain(chat(f"/set {name} x"))
    assert known.words["/load"]() == []
    assert "off" in known.words["/draft"]()
    assert all(name in known.commands for name in [*known.words, *known.before_files])


def test_help_has_a_line_for_every_command_on_a_usual_terminal():
    lines = plain(chat("/help", columns=80)).splitlines()
    assert sum(line.startswith("/") for line in lines) == len(COMMANDS)
    assert not any(line.startswith("    ") for line in lines)


def test_what_needs_several_lines_on_a_narrow_terminal_hangs_below_its_name():
    lines = plain(chat("/system " + "word " * 20, "/help", "/show", columns=40)).splitlines()
    below = lines.index("system") + 1
    assert lines[below : below + 3] == ["    " + "word " * 6 + "word"] * 2 + ["    " + "word " * 5 + "word"]
    below = lines.index("/think [on|off|hide]") + 1
    assert lines[below : below + 2] == ["    show thoughts; whether to think, and", "    show it"]


def test_a_pasted_command_is_a_message():
    world = chat("/exit\nis what I typed")
    assert told(world) == [("user", "/exit\nis what I typed")]


def test_a_context_that_fills_is_told_before_it_is_full():
    world = chat("x" * 90, n_ctx=100)
    assert "The context is nearly full: " in plain(world)
    assert "/undo and /clear make room, /set ctx N more of it." in plain(world)
