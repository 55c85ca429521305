"""Which GPUs a machine has, why none of them computes, and what mends that."""

import re
from pathlib import Path

import pytest

from specchat.cli.doctor.graphics import Graphics
from specchat.cli.doctor.installer import Installer, needed

from .diagnosis import found, offload, rows, wrong
from .fake_system import BUILT_IN_SLOT, amd, build, nvidia, pci_card, vulkan, write

ROOT = Path(__file__).parents[2]
LLAMA = re.search(r'"(llama-cpp-python[^"]*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1]


def has_cuda(root: Path) -> None:
    write(root, "usr/local/cuda/bin/nvcc")


def test_a_machine_without_gpus_has_none_and_nothing_to_mend(tmp_path):
    assert found(tmp_path) == Graphics()
    assert wrong(tmp_path, build()) == {}
    assert "CPU only" in offload(tmp_path, build()).value


def test_a_root_that_is_no_folder_has_no_gpus():
    assert found(Path("/dev/null")) == Graphics()


def test_an_nvidia_gpu_is_known_by_the_bus_and_named_by_its_driver(tmp_path):
    nvidia(tmp_path)
    graphics = found(tmp_path)
    assert [gpu.title for gpu in graphics.gpus] == ["NVIDIA H200"]
    assert graphics.driver == "550.54.15"
    assert graphics.devices == ("/dev/nvidia0",)


def test_what_is_no_gpu_of_the_three_is_none(tmp_path):
    pci_card(tmp_path, "0x10de", "0000:01:00.1", kind="0x040300")  # the sound of a graphics card
    pci_card(tmp_path, "0x1a03", "0000:02:00.0")  # the console of a server
    pci_card(tmp_path, "0x8086", "0000:03:00.0", kind="0x120000")  # an NPU
    assert found(tmp_path).gpus == ()


def test_amds_accelerators_are_gpus(tmp_path):
    pci_card(tmp_path, "0x1002", kind="0x120000", product_name="AMD Instinct MI300X")
    assert [gpu.title for gpu in found(tmp_path).gpus] == ["AMD Instinct MI300X"]


def test_a_gpu_that_is_kept_for_a_virtual_machine_is_none(tmp_path):
    pci_card(tmp_path, "0x10de")
    (tmp_path / "drivers/vfio-pci").mkdir(parents=True)
    (tmp_path / "sys/bus/pci/devices/0000:01:00.0/driver").symlink_to(tmp_path / "drivers/vfio-pci")
    assert found(tmp_path).gpus == ()


def test_where_no_bus_is_shown_cards_are_known_by_their_vendor(tmp_path):
    write(tmp_path, "sys/class/drm/card1/device/vendor", "0x1002\n")
    write(tmp_path, "sys/class/drm/card1-HDMI-A-1/status", "connected")
    assert [gpu.vendor for gpu in found(tmp_path).gpus] == ["AMD"]


def test_linux_inside_windows_has_the_gpu_of_its_library(tmp_path):
    write(tmp_path, "usr/lib/wsl/lib/libcuda.so.1")
    write(tmp_path, "dev/dxg")
    assert [gpu.vendor for gpu in found(tmp_path).gpus] == ["NVIDIA"]
    has_cuda(tmp_path)
    assert set(wrong(tmp_path, build())) == {"GPU offload"}


def test_what_shares_the_memory_of_the_cpu_is_known(tmp_path):
    pci_card(tmp_path, "0x8086", BUILT_IN_SLOT)
    pci_card(tmp_path, "0x1002", "0000:05:00.0", mem_info_vram_total=str(512 << 20))
    assert [gpu.shared for gpu in found(tmp_path).gpus] == [True, True]


def test_a_mac_has_a_gpu_by_its_processor(tmp_path):
    assert [gpu.vendor for gpu in found(tmp_path, "Darwin", "arm64").gpus] == ["Apple"]
    assert found(tmp_path, "Darwin", "x86_64").gpus == ()


def test_a_build_for_the_cpu_is_mended_by_the_command_of_the_readme(tmp_path):
    nvidia(tmp_path)
    has_cuda(tmp_path)
    command = wrong(tmp_path, build())["GPU offload"]
    assert command == f'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir "{LLAMA}"'
    assert f"\n{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("installer", "command"),
    [
        (Installer(uv=True), "uv pip install --reinstall --no-cache"),
        (Installer(uv=True, python="/v/python"), "uv pip install --python /v/python --reinstall --no-cache"),
        (Installer(python="'/my v/python'"), "'/my v/python' -m pip install --force-reinstall --no-cache-dir"),
    ],
)
def test_each_installer_has_its_own_command(tmp_path, installer, command):
    nvidia(tmp_path)
    has_cuda(tmp_path)
    whole = f'CMAKE_ARGS="-DGGML_CUDA=on" {command} "llama-cpp-python"'
    assert wrong(tmp_path, build(), installer) == {"GPU offload": whole}


def test_powershell_sets_variables_its_own_way(tmp_path):
    write(tmp_path, "Windows/System32/nvcuda.dll")
    has_cuda(tmp_path)
    windows = Installer(powershell=True, python="C:\\v\\python.exe")
    assert wrong(tmp_path, build(), windows) == {
        "GPU offload": '$env:CMAKE_ARGS="-DGGML_CUDA=on"; & C:\\v\\python.exe -m pip install --force-reinstall '
        '--no-cache-dir "llama-cpp-python"'
    }


@pytest.mark.skipif(not needed(), reason="specchat is not installed as a package")
def test_our_own_bounds_are_those_that_the_package_has():
    assert Installer(requirements=needed()).bounded("llama-cpp-python") == LLAMA


@pytest.mark.parametrize(
    ("release", "before"),
    [
        ("ID=ubuntu\nID_LIKE=debian\n", "sudo apt update && sudo apt install nvidia-cuda-toolkit && CMAKE_ARGS="),
        ('ID="arch"\n', "sudo pacman -S cuda && CMAKE_ARGS="),
    ],
)
def test_a_toolkit_that_is_missing_is_installed_first(tmp_path, release, before):
    nvidia(tmp_path)
    write(tmp_path, "etc/os-release", release)
    assert wrong(tmp_path, build())["GPU offload"].startswith(before)


def test_a_toolkit_without_a_known_command_is_advised(tmp_path):
    nvidia(tmp_path)
    [row] = [row for row in rows(tmp_path, build()) if row.wrong]
    assert row.advice == "First install what CUDA takes to build: https://developer.nvidia.com/cuda-downloads"
    assert row.command.startswith("CMAKE_ARGS=")


def test_a_toolkit_is_found_where_path_looks(tmp_path):
    nvidia(tmp_path)
    write(tmp_path, "opt/mine/nvcc")
    assert wrong(tmp_path, build(), PATH="/usr/bin:/opt/mine")["GPU offload"].startswith("CMAKE_ARGS=")


@pytest.mark.parametrize(
    ("vendor", "file", "flags"),
    [
        ("0x1002", "opt/rocm/bin/hipconfig", 'CMAKE_ARGS="-DGGML_HIP=on"'),
        ("0x1002", "", 'CMAKE_ARGS="-DGGML_VULKAN=on"'),
        ("0x8086", "", 'CMAKE_ARGS="-DGGML_VULKAN=on"'),
        ("0x8086", "opt/intel/oneapi/setvars.sh", '. /opt/intel/oneapi/setvars.sh && CMAKE_ARGS="-DGGML_SYCL=on '),
    ],
)
def test_amd_and_intel_are_built_for_with_what_is_here(tmp_path, vendor, file, flags):
    pci_card(tmp_path, vendor)
    vulkan(tmp_path)
    if file:
        write(tmp_path, file)
    write(tmp_path, "dev/dri/renderD128")
    write(tmp_path, "dev/kfd")
    [row] = [row for row in rows(tmp_path, build()) if row.wrong]
    assert row.command.startswith(flags)
    assert row.advice == ""


def test_a_mac_is_built_for_metal(tmp_path):
    mac = found(tmp_path, "Darwin", "arm64")
    command = wrong(tmp_path, build("BLAS"), graphics=mac)["GPU offload"]
    assert command.startswith('CMAKE_ARGS="-DGGML_METAL=on" pip install')


def test_a_gpu_that_shares_the_memory_of_the_cpu_can_be_tried_and_needs_nothing(tmp_path):
    pci_card(tmp_path, "0x8086", BUILT_IN_SLOT)
    assert wrong(tmp_path, build()) == {}
    assert "-DGGML_VULKAN=on" in offload(tmp_path, build()).command


def test_a_build_for_gpus_of_others_is_no_use(tmp_path):
    amd(tmp_path)
    assert "this build is for CUDA" in offload(tmp_path, build("CUDA")).value
    assert set(wrong(tmp_path, build("CUDA"))) == {"GPU offload"}


def test_a_gpu_that_computes_needs_nothing(tmp_path):
    nvidia(tmp_path)
    assert wrong(tmp_path, build("CUDA", gpu=True)) == {}
    assert offload(tmp_path, build("CUDA", gpu=True)).value == "yes"


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=ubuntu", "sudo ubuntu-drivers install"),
        ("ID=debian", "sudo apt install nvidia-driver"),
        ("ID=other", "Install NVIDIA's driver: https://www.nvidia.com/drivers"),
    ],
)
def test_a_driver_that_is_missing_is_told_beside_the_build(tmp_path, release, command):
    nvidia(tmp_path, driver=False, devices=False)
    has_cuda(tmp_path)
    write(tmp_path, "etc/os-release", release)
    assert list(wrong(tmp_path, build())) == ["driver", "GPU offload"]
    assert wrong(tmp_path, build())["driver"] == command
    assert set(wrong(tmp_path, build("CUDA"))) == {"driver"}


def test_a_driver_is_told_of_where_llama_cpp_cannot_be_imported(tmp_path):
    nvidia(tmp_path, driver=False, devices=False)
    assert set(wrong(tmp_path, None)) == {"driver"}


@pytest.mark.parametrize(
    ("mark", "command"),
    [(".dockerenv", "docker run --gpus all …"), ("run/.containerenv", "podman run --device nvidia.com/gpu=all …")],
)
def test_a_container_without_its_gpu_is_started_with_it(tmp_path, mark, command):
    nvidia(tmp_path, devices=False)
    write(tmp_path, mark)
    assert wrong(tmp_path, build("CUDA")) == {"driver": command}
    assert "the reason above" in offload(tmp_path, build("CUDA")).value


def test_amd_in_a_container_needs_both_of_its_files(tmp_path):
    pci_card(tmp_path, "0x1002")
    write(tmp_path, ".dockerenv")
    assert wrong(tmp_path, build("ROCm")) == {"driver": "docker run --device /dev/kfd --device /dev/dri …"}


@pytest.mark.parametrize("value", ["", "-1"])
def test_a_variable_that_hides_all_devices_is_named(tmp_path, value):
    nvidia(tmp_path)
    row = offload(tmp_path, build("CUDA"), CUDA_VISIBLE_DEVICES=value)
    assert row.wrong
    assert row.command == "unset CUDA_VISIBLE_DEVICES"
    assert "which leaves llama.cpp no device" in row.value


def test_a_variable_hides_only_from_builds_that_read_it(tmp_path):
    amd(tmp_path)
    assert offload(tmp_path, build("ROCm"), HIP_VISIBLE_DEVICES="").command == "unset HIP_VISIBLE_DEVICES"
    assert "HIP_VISIBLE" not in offload(tmp_path, build("Vulkan"), HIP_VISIBLE_DEVICES="").value


def test_a_driver_that_is_missing_weighs_more_than_a_variable_that_chooses_a_device(tmp_path):
    nvidia(tmp_path, driver=False, devices=False)
    assert set(wrong(tmp_path, build("CUDA"), CUDA_VISIBLE_DEVICES="0")) == {"driver"}


def test_a_driver_that_shows_nothing_is_asked(tmp_path):
    nvidia(tmp_path)
    row = offload(tmp_path, build("CUDA"))
    assert row.wrong
    assert row.command.startswith("nvidia-smi")


def test_files_that_an_account_may_not_open_are_opened_to_it(tmp_path):
    amd(tmp_path)
    graphics = found(tmp_path)
    shut = Graphics(gpus=graphics.gpus, devices=graphics.devices, closed=graphics.devices)
    assert 'usermod -aG render,video "$USER"' in wrong(tmp_path, build("ROCm"), graphics=shut)["devices"]
    assert "devices" not in wrong(tmp_path, build("ROCm"))
