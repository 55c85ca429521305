"""What Vulkan takes to build and to run, as the doctor finds it below a folder."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from specchat.cli.doctor.installer import Installer
from specchat.cli.doctor.rebuilding import Machine
from specchat.cli.doctor.servers import server_rows
from specchat.speculative.llama.ggml import with_silent

from .diagnosis import machine, offload, rows, wrong
from .fake_system import amd, build, nvidia, vulkan, write

BOOKWORM = "ID=debian\nVERSION_CODENAME=bookworm\n"
TRIXIE = "ID=debian\nVERSION_CODENAME=trixie\n"
INSTALL = "sudo apt update && sudo apt install libvulkan-dev glslc spirv-headers mesa-vulkan-drivers"
FETCH = (
    'headers="$(mktemp -d)" && git clone --quiet --depth 1 --branch v1.4.309 '
    'https://github.com/KhronosGroup/Vulkan-Headers "$headers"'
)
BUILD = 'pip install --force-reinstall --no-cache-dir "llama-cpp-python>=0.3.36,<0.4"'
OLD = f'{FETCH} && CMAKE_ARGS="-DGGML_VULKAN=on -DVulkan_INCLUDE_DIR=$headers/include" {BUILD}'
NEW = f'CMAKE_ARGS="-DGGML_VULKAN=on" {BUILD}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Of a machine with a card that a build for Vulkan can use."""
    amd(tmp_path)
    write(tmp_path, "etc/os-release", TRIXIE)
    return tmp_path


def servers(machine: Machine, *backends: str) -> str:
    [row] = server_rows(machine, build(*backends))
    return row.command


def test_what_is_all_here_is_not_installed_again(root):
    vulkan(root)
    assert wrong(root, build()) == {"GPU offload": NEW}


@pytest.mark.parametrize(
    "part",
    [
        "usr/bin/glslc",
        "usr/include/vulkan/vulkan_core.h",
        "usr/include/spirv/unified1/spirv.hpp",
        "usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
    ],
)
def test_each_part_that_is_missing_is_installed(root, part):
    vulkan(root)
    (root / part).unlink()
    assert wrong(root, build()) == {"GPU offload": f"{INSTALL} && {NEW}"}


def test_a_distribution_whose_headers_are_too_old_gets_newer_ones(root):
    write(root, "etc/os-release", BOOKWORM)
    assert wrong(root, build()) == {"GPU offload": f"{INSTALL} git && {OLD}"}


@pytest.mark.parametrize(("headers", "command"), [(239, OLD), (271, OLD), (272, NEW), (309, NEW)])
def test_headers_that_are_here_are_judged_by_their_version(root, headers, command):
    vulkan(root, headers)
    assert wrong(root, build()) == {"GPU offload": command}


def test_the_headers_of_an_sdk_come_first(root):
    vulkan(root, 239)
    write(root, "sdk/include/vulkan/vulkan_core.h", "#define VK_HEADER_VERSION 350\n")
    assert wrong(root, build(), VULKAN_SDK="/sdk") == {"GPU offload": NEW}


@pytest.mark.parametrize(
    "release", ["ID=ubuntu\nVERSION_CODENAME=jammy\n", "ID=linuxmint\nID_LIKE=ubuntu\nUBUNTU_CODENAME=jammy\n"]
)
def test_a_distribution_without_a_compiler_of_shaders_is_told_of_the_sdk(root, release):
    write(root, "etc/os-release", release)
    [row] = [row for row in rows(root, build()) if row.wrong]
    assert row.advice == "First install what Vulkan takes to build: https://vulkan.lunarg.com/sdk/home"
    assert row.command == NEW


def test_the_superuser_needs_no_sudo(root):
    assert "sudo" not in servers(machine(root, superuser=True), "CPU")


def test_a_build_without_a_driver_gets_one(root):
    vulkan(root)
    (root / "usr/share/vulkan/icd.d/radeon_icd.x86_64.json").unlink()
    mesa = "sudo apt update && sudo apt install mesa-vulkan-drivers"
    assert wrong(root, build("Vulkan")) == {"GPU offload": mesa}
    assert wrong(root, build("Vulkan"), GGML_VK_VISIBLE_DEVICES="0") == {"GPU offload": mesa}


def test_a_driver_that_shows_nothing_is_asked(root):
    vulkan(root)
    asked = "vulkaninfo --summary  # what the driver says"
    assert wrong(root, build("Vulkan")) == {"GPU offload": f"{asked}; it is in the package vulkan-tools"}
    write(root, "etc/os-release", "ID=nixos\n")
    assert wrong(root, build("Vulkan")) == {"GPU offload": asked}


def test_where_no_package_is_known_a_driver_that_is_missing_is_told_nevertheless(root):
    write(root, "etc/os-release", "ID=nixos\n")
    row = offload(root, build("Vulkan"))
    assert (row.value, row.wrong) == ("no: there is no driver for Vulkan", True)
    assert (row.command, row.advice) == ("", "Install Mesa's driver for Vulkan.")


def test_a_build_for_vulkan_is_one_even_where_no_driver_answers():
    assert with_silent(("CPU",), SimpleNamespace(ggml_backend_vk_reg=0)) == ("Vulkan", "CPU")
    assert with_silent(("Vulkan", "CPU"), SimpleNamespace(ggml_backend_vk_reg=0)) == ("Vulkan", "CPU")
    assert with_silent(("CPU",), SimpleNamespace()) == with_silent(("CPU",), None) == ("CPU",)


@pytest.mark.parametrize("name", ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"])
def test_a_variable_that_names_no_driver_is_taken_out(root, name):
    vulkan(root)
    variables = {name: f"{root}/neither.json:{root}/sys", "GGML_VK_VISIBLE_DEVICES": "0"}
    row = offload(root, build("Vulkan"), **variables)
    assert (row.wrong, row.command) == (True, f"unset {name}")
    assert row.value == f"no: {name} is {variables[name]}, where there is no driver"


def test_a_variable_that_names_no_driver_counts_where_no_gpu_is_known(tmp_path):
    assert offload(tmp_path, build("Vulkan"), VK_ICD_FILENAMES="/nowhere.json").command == "unset VK_ICD_FILENAMES"
    assert wrong(tmp_path, build("CUDA"), VK_ICD_FILENAMES="/nowhere.json") == {}


def test_nothing_between_two_paths_is_not_the_folder_that_we_are_in(root, monkeypatch):
    vulkan(root)
    write(root, "package.json")
    monkeypatch.chdir(root)
    row = offload(root, build("Vulkan"), VK_DRIVER_FILES="/nowhere.json:")
    assert row.value == "no: VK_DRIVER_FILES is /nowhere.json:, where there is no driver"


def test_the_first_variable_decides_which_drivers_there_are(root):
    vulkan(root)
    here = str(root / "usr/share/vulkan/icd.d")
    row = offload(root, build("Vulkan"), VK_DRIVER_FILES=here, VK_ICD_FILENAMES="/nowhere.json")
    assert row.value == f"no: VK_DRIVER_FILES is {here}, which may leave llama.cpp no device"


def test_a_build_for_servers_keeps_what_the_one_before_it_is_for(root):
    vulkan(root)
    nvidia(root)
    assert servers(machine(root), "Vulkan") == f'CMAKE_ARGS="-DGGML_VULKAN=on -DGGML_RPC=on" {BUILD}'


def test_a_build_for_servers_is_for_the_gpu_with_all_that_takes(root):
    assert servers(machine(root)).startswith(f'{INSTALL} && CMAKE_ARGS="-DGGML_VULKAN=on -DGGML_RPC=on" ')


def test_a_build_for_servers_takes_nothing_more_without_a_gpu(tmp_path):
    assert servers(machine(tmp_path)) == f'CMAKE_ARGS="-DGGML_RPC=on" {BUILD}'


@pytest.mark.parametrize(
    ("headers", "advice"),
    [(239, "First install what Vulkan takes to build: https://vulkan.lunarg.com/sdk/home"), (309, "")],
)
def test_on_windows_an_sdk_has_all_and_a_newer_one_what_an_old_one_lacks(tmp_path, headers, advice):
    write(tmp_path, "sdk/Bin/glslc.exe")
    write(tmp_path, "sdk/include/vulkan/vulkan_core.h", f"#define VK_HEADER_VERSION {headers}\n")
    write(tmp_path, "sdk/include/spirv-headers/spirv.hpp")
    windows = machine(tmp_path, Installer(powershell=True), VULKAN_SDK="/sdk", PATH="/sdk/Bin")
    [row] = server_rows(windows, build("Vulkan"))
    assert row.advice == advice
    assert row.command.startswith('$env:CMAKE_ARGS="-DGGML_VULKAN=on -DGGML_RPC=on"; pip install')
