"""`specchat doctor`, `specchat help` and `--version`."""

import re
import sys
from pathlib import Path

from specchat.cli.doctor import build_rows
from specchat.cli.exit_codes import TABLE
from specchat.speculative.llama.backend import BuildInfo, Device

from .fakes import World

README = Path(__file__).parents[2] / "README.md"


def test_the_doctor_names_versions_build_devices_and_memory():
    world = World().run("doctor")
    assert world.code == 0
    names = [line.split("  ")[0] for line in world.out.splitlines()]
    for name in ("specchat", "Python", "llama-cpp-python", "llama.cpp", "GPU offload", "device", "memory"):
        assert name in names


def test_the_doctor_counts_threads_as_the_engine_does():
    from specchat.speculative.llama.threads import default_threads

    assert re.search(rf"^threads +{default_threads()}, ", World().run("doctor").out, re.MULTILINE)


def test_the_doctor_fits_a_narrow_terminal():
    shown = World(screen=True, columns=50).run("doctor").out
    assert max(map(len, shown.splitlines())) <= 50


def test_the_doctor_shows_each_gpu_with_its_memory():
    gpu = Device("CUDA0", "Big GPU", 3 << 30, 8 << 30)
    rows = build_rows(BuildInfo("2", True, "CPU : AVX2 = 1 | SSE3 = 0 | CUDA : ARCHS = 900 |", (gpu,)))
    assert ("device", "CUDA0: Big GPU, 3.0 of 8.0 GiB free") in rows
    assert ("built with", "AVX2 ARCHS") in rows


def test_the_doctor_shows_the_rest_where_llama_cpp_is_broken(monkeypatch):
    monkeypatch.setitem(sys.modules, "specchat.speculative.llama.backend", None)  # what a failed import looks like
    world = World().run("doctor")
    assert world.code == 1
    assert re.search(r"^memory +\d", world.out, re.MULTILINE)
    assert "llama.cpp cannot be used" in world.err
    assert "llama-cpp-python" in world.err.splitlines()[-1]


def test_the_exit_codes_are_explained_as_they_are():
    text = World().run("help", "exit-codes").out
    shown = {int(code): meaning for code, meaning in re.findall(r"^ *(\d+)  (.*)$", text, re.MULTILINE)}
    assert shown == {row.code: row.meaning for row in TABLE}
    assert sorted(shown) == [0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_the_readme_explains_the_exit_codes_alike():
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [(int(code), meaning) for code, meaning in rows] == [(row.code, row.meaning) for row in TABLE]


def test_help_without_a_topic_lists_them_and_an_unknown_one_is_an_error():
    assert "exit-codes" in World().run("help").out
    assert World().run("help", "nothing").code == 2


def test_help_groups_the_options():
    world = World().run("run", "--help")
    assert world.code == 0
    text = world.out
    for group in ("Prompt:", "Models:", "Answer:", "Sampling:", "Drafting:", "Machine:", "Output:"):
        assert f"\n{group}\n" in text
    assert "\x1b" not in text
    assert "╭" not in text
    assert "or a YAML file of your own" in " ".join(text.split())


def test_the_version_is_one_line():
    world = World().run("--version")
    assert world.code == 0
    assert re.fullmatch(r"specchat .+\n", world.out)


def test_no_command_at_all_shows_the_help_and_is_a_usage_error():
    world = World().run()
    assert world.code == 2
    assert "Usage: specchat" in world.out
