"""`--prompt-cache`: where what was read is kept, what is said of it, and what it does not go with."""

from dataclasses import replace
from pathlib import Path

import pytest

from specchat.cli.answering.kept_states import state_place, states_folder
from specchat.cli.models.loading import load
from specchat.speculative.errors import UsageError
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.state_places import StatePlace

from .fakes import FakePair, World


def run(*arguments: str, **world: object) -> World:
    return World(**world).run("run", "-m", "model.gguf", *arguments)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.gguf").write_bytes(b"GGUF")


def home(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "caches"), "XDG_DATA_HOME": str(tmp_path / "data")}


def states(world: World) -> StatePlace | None:
    place: StatePlace | None = world.pair.config.states
    return place


@pytest.mark.parametrize("command", ["run", "complete"])
def test_it_is_kept_where_the_option_says(tmp_path, command):
    world = World(variables=home(tmp_path)).run(command, "-m", "model.gguf", "--prompt-cache", "my.state", "Hi")
    assert world.code == 0
    assert states(world) == StatePlace(tmp_path.resolve() / "my.state", is_folder=False, least_seconds=1.0, as_new=True)
    world = World(variables=home(tmp_path)).run(command, "-m", "model.gguf", "--prompt-cache", "auto", "Hi")
    assert states(world) == StatePlace(
        tmp_path / "caches/specchat/states", is_folder=True, least_seconds=1.0, as_new=True
    )


def test_an_answer_keeps_nothing_unasked_and_a_chat_or_a_named_session_what_takes_long(tmp_path):
    kept = StatePlace(tmp_path / "caches/specchat/states", is_folder=True, least_seconds=5.0, as_new=False)
    assert states(run("Hi", variables=home(tmp_path))) is None
    assert states(run("Hi", "--session", "talk", variables=home(tmp_path))) == kept
    assert states(run("Hi", "-C", variables=home(tmp_path))) == kept
    assert states(run(stdin=None, screen=True, lines=["Hi"], variables=home(tmp_path))) == kept


def test_where_nothing_is_to_be_kept_nothing_is(tmp_path):
    chat = run("--no-save", stdin=None, screen=True, lines=["Hi"], variables=home(tmp_path))
    assert states(chat) is None
    for option in ("--no-save", "--compare"):
        world = run("Hi", option, "--prompt-cache", "auto", variables=home(tmp_path))
        assert world.code == 2
        assert f"With {option} nothing is kept." in world.err
        assert world.pair is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (".", "is a folder"),
        ("none/my.state", "There is no folder"),
        ("model.gguf/x", "There is no folder"),
        ("", "empty"),
    ],
)
def test_where_it_cannot_be_kept_that_is_said_before_anything_is_loaded(tmp_path, value, said):
    world = run("Hi", "--prompt-cache", value, variables=home(tmp_path))
    assert world.code == 2
    assert said in world.err
    assert world.pair is None


def test_who_has_no_home_has_to_name_a_file():
    def homeless() -> Path:
        raise RuntimeError

    env = World(home=homeless).environment()
    assert states_folder(env) is None
    assert state_place(env, None, session=True) is None
    with pytest.raises(UsageError, match="no folder"):
        state_place(env, "auto", session=False)


def kept_run(tmp_path: Path, *arguments: str, **world: object) -> World:
    """A run that keeps what it read, however short."""
    options = ("--prompt-cache", "auto", *arguments)
    return run("word " * 100, *options, keeps_states=True, variables=home(tmp_path), **world)


def test_a_warm_start_is_told_on_a_terminal_and_with_stats_and_nowhere_else(tmp_path):
    first = kept_run(tmp_path, "--stats")
    assert "from the disk" not in first.err
    warm = kept_run(tmp_path, "--stats")
    assert "448 of 501 tokens of the prompt come from the disk." in warm.err
    assert warm.out == first.out
    assert kept_run(tmp_path).err == ""
    screen = kept_run(tmp_path, screen=True, stdin=None)
    assert screen.transcript.splitlines()[0] == "448 of 501 tokens of the prompt come from the disk."


def test_what_is_read_besides_is_counted_from_there_on(tmp_path):
    """400 tokens more, in passes of 64: a rate is that of these alone."""
    kept_run(tmp_path)
    world = kept_run(tmp_path, "more " * 80, screen=True, stdin=None)
    shown = [line.split("\x1b[K")[-1] for line in world.out.split("\r") if "reading" in line]
    assert shown[0] == "reading 448/902 tokens"
    assert all("tokens/s" in line for line in shown[1:])


def test_a_chat_goes_on_from_what_it_read(tmp_path):
    chat = {"screen": True, "stdin": None, "keeps_states": True, "variables": home(tmp_path)}
    run(lines=["word " * 100], **chat)
    world = run("-C", lines=["Go on"], **chat)
    assert "come from the disk." in world.transcript
    assert world.pair.session.decoder.target.passes[0] == [
        256,
        *b"Go on",
        257,
    ]  # the end of an answer may not be cached


def test_a_damaged_state_is_told_and_costs_nothing_else(tmp_path):
    first = kept_run(tmp_path)
    [kept] = (tmp_path / "caches/specchat/states").iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    warm = kept_run(tmp_path)
    assert (warm.code, warm.out) == (0, first.out)
    assert "is cut off or damaged, so the prompt is read anew" in warm.err


def test_what_cannot_be_kept_is_told_at_the_end(tmp_path):
    (tmp_path / "caches/specchat").mkdir(parents=True)
    (tmp_path / "caches/specchat/states").write_text("in the way")
    for chat in ((), ("-i",)):
        world = kept_run(tmp_path, *chat, screen=True, stdin=None)
        assert world.code == 0
        assert "What was read could not be kept in" in " ".join(world.out.splitlines()[-3:])


def test_a_large_state_that_is_loaded_or_kept_has_a_line_that_goes_away():
    world = World(screen=True)
    env, told = world.environment(), []
    found = replace(
        env, load_pair=lambda config, interrupt, on_progress: told.append(on_progress) or FakePair(config, None, [])
    )
    load(found, PairConfig(target=Path("model.gguf")), quiet=False)
    [progress] = told
    before = len(world.err)
    progress("keeping 40% of what was read")
    progress("keeping 60% of what was read")
    assert "keeping 60% of what was read" in world.err[before:]
    progress("")
    assert world.err.endswith("\r\x1b[K")
