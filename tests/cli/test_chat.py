"""Chats as a person sees them."""

import signal

from specchat.speculative.errors import ChatTemplateError

from .fakes import World

CHAT = ("run", "-m", "big.gguf", "-q")


def roles(world: World) -> list[str]:
    return [message.role for message in world.pair.chats[-1]]


def test_a_chat_remembers():
    world = World(stdin=None, screen=True, answers=["Hello.", "Blue.", "Bye."], lines=["Hi", "Why?", "And now?"])
    world.run(*CHAT, "-sys", "Be brief.")
    assert world.transcript == ">>> Hi\nHello.\n>>> Why?\nBlue.\n>>> And now?\nBye.\n>>> \n"
    assert [(message.role, message.content) for message in world.pair.chats[-1]] == [
        ("system", "Be brief."),
        ("user", "Hi"),
        ("assistant", "Hello."),
        ("user", "Why?"),
        ("assistant", "Blue."),
        ("user", "And now?"),
    ]
    assert world.code == 0
    assert world.pair.closed


def test_a_turn_reads_only_what_is_new():
    world = World(stdin=None, screen=True, answers=["Hello.", "Blue."], lines=["x" * 100, "Why?"]).run(*CHAT)
    passes = world.pair.session.decoder.target.passes
    second = passes[-6:]  # reads, and then one pass for each further token of "Blue." and its end
    assert len(second[0]) <= len("Why?") + 1 + 2


def test_ways_to_leave():
    for line in ("/exit", "/bye", "/quit", "/exit now"):
        world = World(stdin=None, screen=True, lines=[line, "never read"]).run(*CHAT)
        assert (world.code, world.transcript) == (0, f">>> {line}\n")


def test_empty_lines_are_ignored_and_unknown_commands_are_not_sent():
    lines = ["", "  ", "/sytem be brief", "/undo it", "/exit"]
    world = World(stdin=None, screen=True, columns=200, lines=lines).run("run", "-m", "big.gguf", "--draft", "none")
    assert world.transcript == (
        "Fake · on the CPU · context 1,000\nnothing drafts · as --draft says\n"
        "Ctrl-D or /exit leaves; Ctrl-C stops an answer; /help has more.\n>>> \n>>>   \n>>> /sytem be brief\n"
        "error: There is no command /sytem.\n"
        "hint: Did you mean /system? /help lists all; //sytem sends it as it is.\n>>> /undo it\n"
        "error: /undo takes nothing behind it.\nhint: //undo … sends it as it is.\n>>> /exit\n"
    )


def test_a_path_is_not_a_command():
    lines = ["/etc/passwd", " /set x", "//set x", "/Users/me is …"]
    world = World(stdin=None, screen=True, answers=["A.", "B.", "C.", "D."], lines=lines).run(*CHAT)
    assert world.transcript == (">>> /etc/passwd\nA.\n>>>  /set x\nB.\n>>> //set x\nC.\n>>> /Users/me is …\nD.\n>>> \n")
    asked = [message.content for message in world.pair.chats[-1]][::2]
    assert asked == ["/etc/passwd", " /set x", "/set x", "/Users/me is …"]


def test_several_lines_are_a_message_though_they_begin_with_a_command():
    world = World(stdin=None, screen=True, lines=["/exit\nis what I typed"]).run(*CHAT)
    assert world.transcript == ">>> /exit\nis what I typed\nHello.\n>>> \n"


def test_ctrl_c_in_an_answer_keeps_it_and_the_history_alternates():
    def interrupt(world: World, count: int) -> None:
        if count == 3:
            signal.raise_signal(signal.SIGINT)

    world = World(stdin=None, screen=True, answers=["abcdefgh", "Fine."], lines=["Hi", "Well?"], on_pass=interrupt).run(
        *CHAT
    )
    assert world.transcript == ">>> Hi\nabcd\n>>> Well?\nFine.\n>>> \n"
    assert roles(world) == ["user", "assistant", "user"]
    assert world.pair.chats[-1][1].content == "abcd"
    assert world.code == 0


def test_ctrl_c_before_the_answer_takes_the_message_back():
    def interrupt(world: World, count: int) -> None:
        if count == 1:
            signal.raise_signal(signal.SIGINT)

    world = World(stdin=None, screen=True, lines=["x" * 200, "Hi"], on_pass=interrupt).run("run", "-m", "big.gguf")
    assert "Stopped; the message is taken back." in world.transcript
    assert [message.content for message in world.pair.chats[-1]] == ["Hi"]
    assert "Hello." in world.transcript


def test_ctrl_c_while_the_prompt_is_made_takes_the_message_back():
    def interrupt(count: int) -> None:
        if count == 1:  # the first only looks for the template
            signal.raise_signal(signal.SIGINT)

    world = World(stdin=None, screen=True, lines=["One", "Two"], on_chat=interrupt).run("run", "-m", "big.gguf")
    assert "Stopped; the message is taken back." in world.transcript
    assert [message.content for message in world.pair.chats[-1]] == ["Two"]
    assert world.transcript.count("Hello.") == 1


def test_ctrl_c_while_typing_drops_the_line():
    world = World(stdin=None, screen=True, lines=["^C", "Hi"]).run(*CHAT)
    assert world.transcript == ">>> ^C\n>>> Hi\nHello.\n>>> \n"


def test_an_error_does_not_end_the_chat_and_takes_its_message_back():
    world = World(stdin=None, screen=True, n_ctx=50, lines=["x" * 100, "Hi"]).run(*CHAT)
    assert "error: The prompt has 101 tokens, but the context holds 50." in world.transcript
    assert [message.content for message in world.pair.chats[-1]] == ["Hi"]
    assert world.transcript.endswith("Hello.\n>>> \n")


def test_not_even_a_mistake_of_ours_ends_the_chat():
    accidents = [None, ValueError("odd"), None]  # the first call only looks for the template

    def fail(_: int) -> None:
        if accident := accidents.pop(0):
            raise accident

    world = World(stdin=None, screen=True, lines=["One", "Two"], on_chat=fail).run(*CHAT)
    assert "error: specchat made a mistake: ValueError('odd')." in world.transcript
    assert world.transcript.endswith("Hello.\n>>> \n")
    assert world.code == 0


def test_a_missing_template_is_told_before_anything_is_typed():
    world = World(stdin=None, screen=True, template_error=ChatTemplateError("None.", "Use one."), lines=["Hi"])
    world.run(*CHAT)
    assert (world.code, world.transcript) == (1, "error: None.\nhint: Use one.\n")


def test_interactive_goes_on_after_piped_input():
    world = World(stdin=b"text", screen=True, answers=["One.", "Two."], lines=["more"]).run(*CHAT, "-i")
    assert world.terminal_taken
    assert world.transcript == "One.\n>>> more\nTwo.\n>>> \n"


def test_interactive_goes_on_after_a_prompt():
    world = World(stdin=None, screen=True, answers=["One.", "Two."], lines=["more"]).run(*CHAT, "-i", "first")
    assert not world.terminal_taken
    assert world.transcript == "One.\n>>> more\nTwo.\n>>> \n"


def test_a_chat_has_no_json():
    world = World(stdin=None).run("run", "-m", "big.gguf", "--json")
    assert (world.code, world.pair) == (2, None)
