"""How many threads compute, on machines that are told by the files of their systems."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from specchat.speculative.llama.cgroups import cpu_limit
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.cpus import mac_cores
from specchat.speculative.llama.threads import chosen_threads, default_threads, linux_threads, threads_of

CPU = "sys/devices/system/cpu/cpu{}/{}"
CGROUP = "sys/fs/cgroup"


@pytest.fixture
def root(tmp_path: Path):
    """A function that makes the root of a file system with these files."""

    def made(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(f"{text}\n")
        return tmp_path

    return made


def paired(cpus: int) -> dict[str, str]:
    """Two hyperthreads a core, numbered as Intel does."""
    half = cpus // 2
    return {
        CPU.format(cpu, "topology/thread_siblings_list"): f"{cpu % half},{cpu % half + half}" for cpu in range(cpus)
    }


def test_hyperthreads_share_one(root):
    assert linux_threads(root(paired(16)), range(16)) == 8


def test_only_cores_that_may_be_used_count(root):
    assert linux_threads(root(paired(16)), {0, 8, 3}) == 2


def test_each_cpu_is_a_core_where_nothing_is_told(root):
    assert linux_threads(root({}), range(6)) == 6


def test_of_a_hybrid_intel_the_performance_cores_compute(root):
    """Six of two hyperthreads each, and eight small ones."""
    big = {
        CPU.format(cpu, "topology/thread_siblings_list"): f"{cpu - cpu % 2}-{cpu - cpu % 2 + 1}" for cpu in range(12)
    }
    small = {CPU.format(cpu, "topology/thread_siblings_list"): str(cpu) for cpu in range(12, 20)}
    kinds = {"sys/devices/cpu_core/cpus": "0-11", "sys/devices/cpu_atom/cpus": "12-19"}
    machine = root({**big, **small, **kinds})
    assert linux_threads(machine, range(20)) == 6
    assert linux_threads(machine, range(12, 20)) == 8
    assert linux_threads(machine, [0, 1, 12]) == 1


def test_of_an_arm_the_cores_that_are_able_to_most_compute(root):
    machine = root({CPU.format(cpu, "cpu_capacity"): "1024" if cpu > 3 else "530" for cpu in range(8)})
    assert linux_threads(machine, range(8)) == 4
    assert linux_threads(machine, range(4)) == 4


GROUPS = {
    "none": ({}, None),
    "no limit": ({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "max 100000"}, None),
    "of a container": ({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "250000 100000"}, 2.5),
    "of the group itself": ({"proc/self/cgroup": "0::/a/b", f"{CGROUP}/a/b/cpu.max": "300000 100000"}, 3),
    "of a group around it": (
        {
            "proc/self/cgroup": "0::/user.slice/me/app",
            f"{CGROUP}/user.slice/cpu.max": "200000 100000",
            f"{CGROUP}/user.slice/me/app/cpu.max": "600000 100000",
            f"{CGROUP}/user.slice/me/cpu.max": "max 100000",
        },
        2,
    ),
    "path of the host": ({"proc/self/cgroup": "0::/../../host/x", f"{CGROUP}/cpu.max": "100000 100000"}, 1),
    "version 1": (
        {
            "proc/self/cgroup": "5:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n0::/",
            f"{CGROUP}/cpu,cpuacct/docker/a/cpu.cfs_quota_us": "400000",
            f"{CGROUP}/cpu,cpuacct/docker/a/cpu.cfs_period_us": "100000",
            f"{CGROUP}/cpu,cpuacct/cpu.cfs_quota_us": "-1",
            f"{CGROUP}/cpu,cpuacct/cpu.cfs_period_us": "100000",
        },
        4,
    ),
    "version 1 of a container": (
        {
            "proc/self/cgroup": "4:cpuacct,cpu:/docker/a",
            f"{CGROUP}/cpu/cpu.cfs_quota_us": "150000",
            f"{CGROUP}/cpu/cpu.cfs_period_us": "100000",
        },
        1.5,
    ),
    "nonsense": ({"proc/self/cgroup": "0:\n::\nx", f"{CGROUP}/cpu.max": "1 2 3"}, None),
    "no period": ({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "100000 0"}, None),
}


@pytest.mark.parametrize("case", GROUPS)
def test_the_limit_of_a_container_is_the_smallest_of_its_groups(root, case):
    files, limit = GROUPS[case]
    assert cpu_limit(root(files)) == limit


def test_a_limit_leaves_whole_threads_and_at_least_one(root):
    machine = root({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "250000 100000"})
    assert linux_threads(machine, range(8)) == 2
    (machine / CGROUP / "cpu.max").write_text("50000 100000")
    assert linux_threads(machine, range(8)) == 1


def test_on_a_mac_the_performance_cores_compute():
    assert mac_cores({"hw.perflevel0.physicalcpu": 8, "hw.physicalcpu": 10}.get) == 8
    assert mac_cores({"hw.physicalcpu": 6}.get) == 6
    assert mac_cores({}.get) is None


def test_where_only_cpus_are_counted_two_of_many_are_a_core():
    assert [threads_of(cpus) for cpus in (1, 2, 4, 6, 16)] == [1, 2, 4, 3, 8]


@pytest.mark.parametrize(
    ("said", "on_devices", "threads"),
    [
        ({}, False, (16, 16)),
        ({"threads": 3}, False, (3, 3)),
        ({"threads_batch": 8}, False, (16, 8)),
        ({"threads": 3, "threads_batch": 8}, False, (3, 8)),
        ({}, True, (4, 4)),
        ({"threads": 16}, True, (16, 16)),
        ({"threads_batch": 16}, True, (4, 16)),
    ],
)
def test_what_is_said_holds_and_few_threads_compute_beside_devices(said, on_devices, threads):
    assert chosen_threads(LlamaConfig(**said), on_devices, cores=16) == threads


def test_this_machine_has_a_thread():
    assert default_threads() >= 1
