"""What `specchat run` says once a day of a GPU that its llama.cpp cannot use."""

from datetime import date
from pathlib import Path

import pytest

from specchat.cli.doctor.reminder import remind_of_gpu
from specchat.speculative.llama.backend import build_info
from specchat.speculative.placement import Placement

from .fake_system import BUILT_IN_SLOT, nvidia, pci_card
from .fakes import World

LINE = "This llama.cpp cannot use the NVIDIA GPU here: specchat doctor says why.\n"
ON_CPU = Placement(33)


@pytest.fixture
def say(tmp_path):
    """Asks for the reminder on a machine with a GPU; returns what was said."""
    nvidia(tmp_path / "root")
    return reminder(tmp_path)


def reminder(folder: Path):
    def said(placement=ON_CPU, on_cpu=False, *, quiet=False, cpu_only=True, variables=(), **settings):
        caches = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": str(folder / "config")}
        terminal = {"screen": True, "stdin": None, "columns": 80, "system": folder / "root"}
        world = World(variables={**caches, **dict(variables), "NO_COLOR": "1"}, **{**terminal, **settings})
        env = world.environment()
        if not world.screen:
            world.stdout = world.stderr
        remind_of_gpu(env, placement, on_cpu, quiet=quiet, cpu_only=lambda: cpu_only)
        return world.out + world.err

    return said


def test_it_is_said_once_a_day(say):
    assert LINE in say(today=date(2026, 1, 1))
    assert say(today=date(2026, 1, 1)) == ""
    assert LINE in say(today=date(2026, 1, 2))


def test_it_is_said_until_the_build_can_use_it(say):
    assert say(cpu_only=False) == ""
    assert say(Placement(33, 33, ("NVIDIA H200",))) == ""
    assert LINE in say()


@pytest.mark.parametrize(
    "how",
    [
        {"quiet": True},
        {"screen": False},
        {"stdin": b""},
        {"on_cpu": True},
        {"variables": {"CUDA_VISIBLE_DEVICES": ""}},
    ],
)
def test_it_is_not_said_in_pipes_nor_to_who_wants_silence_or_the_cpu(say, how):
    assert say(**how) == ""
    assert LINE in say()


def test_choosing_one_of_several_gpus_is_no_wish_for_none(say):
    assert LINE in say(variables={"CUDA_VISIBLE_DEVICES": "0"})


def test_a_variable_silences_it_and_wins_over_the_file(say, tmp_path):
    assert say(variables={"SPECCHAT_GPU_HINT": "off"}) == ""
    (tmp_path / "config/specchat").mkdir(parents=True)
    (tmp_path / "config/specchat/config.yaml").write_text("gpu_hint: off\n")
    assert say() == ""
    assert LINE in say(variables={"SPECCHAT_GPU_HINT": "on"})


def test_a_variable_that_makes_no_sense_is_told_and_stops_nothing(say):
    said = say(variables={"SPECCHAT_GPU_HINT": "never"})
    assert "SPECCHAT_GPU_HINT is 'never', but has to be one of on, off." in said
    assert LINE in said


def test_it_is_not_said_where_that_cannot_be_remembered(say, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert say(variables={"XDG_CACHE_HOME": str(tmp_path / "file")}) == ""


def test_without_a_gpu_that_is_worth_it_nothing_is_said_or_kept(tmp_path):
    pci_card(tmp_path / "root", "0x8086", BUILT_IN_SLOT)
    assert reminder(tmp_path)() == ""
    assert not (tmp_path / "cache").exists()


def test_run_says_it_before_the_answer(tmp_path, tiny_model_path):
    nvidia(tmp_path / "root")
    variables = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "SPECCHAT_GPU_HINT": "on"}
    settings = {"screen": True, "stdin": None, "columns": 80, "system": tmp_path / "root", "variables": variables}
    arguments = ("run", "-m", str(tiny_model_path), "--draft", "ngram")
    first = World(**settings).run(*arguments, "Hi").transcript
    told = build_info().cpu_only  # what runs these tests may have been built for a GPU
    assert first.partition("Hello.")[0].count(LINE) == told
    assert LINE not in World(**settings).run(*arguments, "Hi").transcript
    assert LINE not in World(**settings, today=date(2027, 1, 1)).run(*arguments, "-q", "Hi").transcript
