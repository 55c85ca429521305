"""GPUs, and what stands between them and a program."""

from dataclasses import dataclass

NVIDIA, AMD, INTEL, APPLE = "NVIDIA", "AMD", "Intel", "Apple"


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU; `shared` is whether it uses the memory of the CPU, as those in CPUs do, and so is not much faster."""

    vendor: str
    name: str = ""
    shared: bool = False

    @property
    def title(self) -> str:
        """What it is called, its vendor first."""
        return self.name if self.name.startswith(self.vendor) else f"{self.vendor} {self.name or 'GPU'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphics:
    """The GPUs, and what stands between them and a program.

    `driver` is the version of NVIDIA's, empty where it is not loaded; `devices` are the files through which programs
    reach GPUs, and `closed` those of them that this account may not open. `container` is the program whose container
    this is, empty where it is none.
    """

    gpus: tuple[Gpu, ...] = ()
    driver: str = ""
    devices: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    container: str = ""

    def of(self, vendor: str) -> tuple[Gpu, ...]:
        """Those that `vendor` made."""
        return tuple(gpu for gpu in self.gpus if gpu.vendor == vendor)

    @property
    def best(self) -> Gpu | None:
        """The one to compute on: with memory of its own, if there is one."""
        return next((gpu for gpu in sorted(self.gpus, key=lambda gpu: gpu.shared)), None)
