"""`specchat doctor`, `specchat help` and `--version`."""

import json
import re
import sys
from pathlib import Path

import pytest

from specchat.cli.doctor.build import build_rows
from specchat.cli.doctor.installer import Installer, split_requirement
from specchat.cli.doctor.packages import package_rows
from specchat.cli.doctor.report import write_report
from specchat.cli.doctor.rows import Row, Topic
from specchat.cli.exit_codes import TABLE
from specchat.speculative.devices import Device
from specchat.speculative.llama.backend import BuildInfo, build_info

from .fake_system import nvidia
from .fakes import World

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def doctor(tmp_path):
    """Runs the doctor, who asks no network, on a machine and for a person that have nothing."""

    def run(*arguments, **settings):
        settings = {"system": tmp_path / "root", "home": lambda: tmp_path / "home", **settings}
        return World(**settings).run("doctor", "--offline", *arguments)

    return run


def test_the_doctor_names_versions_build_devices_and_memory(doctor):
    world = doctor()
    assert world.code == 0
    names = [line.split("  ")[0] for line in world.out.splitlines()]
    for name in ("specchat", "Python", "llama-cpp-python", "llama.cpp", "GPU offload", "device", "memory"):
        assert name in names
    for name in ("GPU", "cache", "sessions", "hub's cache", "free for models", "hub", "terminal", "letters"):
        assert name in names


def test_the_doctor_counts_threads_as_the_engine_does(doctor):
    from specchat.speculative.llama.threads import default_threads

    assert re.search(rf"^threads +{default_threads()}, ", doctor().out, re.MULTILINE)


@pytest.mark.parametrize("columns", [80, 40])
def test_the_doctor_fits_the_terminal_but_for_what_is_to_be_copied(doctor, tmp_path, columns):
    nvidia(tmp_path / "root")
    lines = doctor(screen=True, columns=columns, variables={"NO_COLOR": "1"}).out.splitlines()
    copied = re.compile(rf"(mend|try):|https://|{re.escape(str(tmp_path))}")
    whole = [line for line in lines if not copied.search(line)]
    assert len(whole) > 30
    assert max(map(len, whole)) <= columns


def test_what_needs_mending_says_so_with_its_command_and_in_the_exit_code(doctor, tmp_path):
    nvidia(tmp_path / "root", driver=False, devices=False)
    world = doctor()
    assert world.code == 1
    driver = world.out.splitlines().index(next(line for line in world.out.splitlines() if line.startswith("driver")))
    assert world.out.splitlines()[driver + 1].startswith("    mend: Install NVIDIA's driver")
    assert re.search(r"^error: \d things? needs? mending: driver", world.err)


def test_json_has_the_same_with_its_figures(doctor, tmp_path):
    nvidia(tmp_path / "root", driver=False, devices=False)
    world = doctor("--json")
    content = json.loads(world.out)
    assert world.code == 1
    assert content["fine"] is False
    driver = next(row for row in content["topics"]["gpu"] if row["name"] == "driver")
    assert driver["needs_mending"] is True
    assert driver["advice"].startswith("Install NVIDIA's driver")
    gpu = next(row for row in content["topics"]["gpu"] if row["name"] == "GPU")
    assert gpu["figures"] == {"vendor": "NVIDIA", "name": None, "shared": False}


def test_a_fine_machine_is_fine_in_json(doctor):
    world = doctor("--json")
    assert (world.code, json.loads(world.out)["fine"], world.err) == (0, True, "")


def test_what_can_be_tried_is_not_what_needs_mending():
    world = World()
    write_report(world.environment(), [Topic("any", (Row(name="a", value="b", command="do it"),))])
    assert world.out == "a  b\n    try: do it\n"


def test_names_of_folders_obey_nobody():
    world = World()
    write_report(world.environment(), [Topic("any", (Row(name="a", value="\x1b[2J\n"),))])
    assert "\x1b" not in world.out
    assert world.out.count("\n") == 1


def test_the_doctor_shows_each_gpu_with_its_memory():
    gpu = Device("CUDA0", "Big GPU", 3 << 30, 8 << 30)
    rows = build_rows(BuildInfo("2", True, "CPU : AVX2 = 1 | SSE3 = 0 | CUDA : ARCHS = 900 |", (gpu,), ("CUDA", "CPU")))
    values = [(row.name, row.value) for row in rows]
    assert ("device", "CUDA0: Big GPU, 3.2 GB of 8.6 GB free") in values
    assert ("built with", "AVX2 ARCHS") in values
    assert ("built for", "CUDA, CPU") in values


def test_a_build_knows_what_it_was_built_for():
    assert "CPU" in (build_info().backends or ("CPU",))
    assert BuildInfo("", False, "", (), ("BLAS", "CPU")).cpu_only
    assert not BuildInfo("", False, "", (), ("CUDA", "CPU")).cpu_only  # and sees no device


def test_the_doctor_shows_the_rest_where_llama_cpp_is_broken(doctor, monkeypatch):
    monkeypatch.setitem(sys.modules, "specchat.speculative.llama.backend", None)  # what a failed import looks like
    world = doctor()
    assert world.code == 1
    assert re.search(r"^memory +\d", world.out, re.MULTILINE)
    assert re.search(
        r"^llama.cpp +llama.cpp cannot be used: .*\n    mend: .*--(re|force-re)install", world.out, re.MULTILINE
    )
    assert "mending: llama.cpp" in world.err


def test_packages_outside_their_bounds_are_named_with_the_command():
    installer = Installer(requirements=("numpy>=2.0", "rich>=13.8", "llama-cpp-python<0.4,>=0.3.36"))
    versions = {"numpy": "1.26.4", "rich": "14.0", "specchat": "1"}
    rows = {row.name: row for row in package_rows(installer, ">=3.10", lambda name: versions.get(name, ""), "3.12.1")}
    assert rows["numpy"].value == "1.26.4, but >=2.0 is needed"
    assert rows["numpy"].command == 'pip install "numpy>=2.0"'
    assert rows["numpy"].wrong
    assert "rich" not in rows
    assert rows["llama-cpp-python"].command == 'pip install "llama-cpp-python>=0.3.36,<0.4"'


def test_a_python_that_is_too_old_is_named():
    rows = package_rows(Installer(), ">=3.10", lambda name: "1", "3.9.2")
    assert [row.name for row in rows if row.wrong] == ["Python"]


def test_versions_that_fit_are_counted():
    rows = package_rows(Installer(requirements=("numpy>=2.0", "rich")), ">=3.10", lambda name: "2.1rc1", "3.13.0")
    assert rows[-1].value == "all 2 as specchat needs them"


def test_bounds_are_read_out_of_requirements():
    assert split_requirement("a-b.c[extra]>=1, <2; python_version > '3'") == ("a-b.c", [">=1", "<2"])
    assert split_requirement("rich") == ("rich", [])


def test_a_config_file_that_makes_no_sense_needs_mending(doctor, tmp_path):
    folder = tmp_path / "config/specchat"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("contxt: 1\n")
    world = doctor(variables={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert world.code == 1
    assert "there is no setting called contxt" in world.out


def test_a_setting_that_keeps_models_from_the_gpu_is_told(doctor):
    world = doctor(variables={"SPECCHAT_GPU_LAYERS": "0", "SPECCHAT_DEVICE": "none", "SPECCHAT_GPU_HINTS": "off"})
    assert "gpu_layers is 0, by SPECCHAT_GPU_LAYERS" in world.out
    assert "device is none, by SPECCHAT_DEVICE" in world.out
    assert "SPECCHAT_GPU_HINTS is no setting; did you mean SPECCHAT_GPU_HINT?" in world.out
    assert world.code == 0


def test_who_has_no_home_is_told(doctor):
    def nobody() -> Path:
        raise RuntimeError("no home")

    world = doctor(home=nobody)
    assert world.code == 1
    assert re.search(r"^cache +nowhere: there is no home folder", world.out, re.MULTILINE)
    assert "HF_HOME" in world.out


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "none: this goes into a pipe or a file"),
        ({"screen": True, "variables": {"TERM": "dumb"}}, "80 columns, no escape codes"),
        ({"screen": True, "variables": {"TERM": "xterm"}}, "80 columns, escape codes (TERM=xterm)"),
        ({"screen": True, "variables": {"NO_COLOR": "1"}}, "no: NO_COLOR is set"),
        ({"variables": {"LANG": "de_DE.UTF-8"}}, "UTF-8, by LANG=de_DE.UTF-8"),
        ({"variables": {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}}, "UTF-8 is written, though LC_ALL=C says otherwise"),
    ],
)
def test_the_doctor_says_what_the_terminal_can_do(doctor, settings, told):
    assert told in doctor(**settings).out


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
