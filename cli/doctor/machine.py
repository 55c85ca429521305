"""What there is to compute with beside GPUs."""

from ..display.quantities import file_size
from ..memory.devices import main_memory
from .rows import Row


def machine_rows() -> list[Row]:
    """Threads and main memory."""
    return [*_threads(), _memory(main_memory())]


def _threads() -> list[Row]:
    try:
        from specchat.speculative.llama.threads import default_threads
    except ImportError:  # llama.cpp is broken, which is told elsewhere
        return []
    count = default_threads()
    return [Row(name="threads", value=f"{count}, one for each fast core that may be used", figures={"threads": count})]


def _memory(memory: dict[str, int]) -> Row:
    """What is free, caches that give way included, of what there is."""
    if "MemTotal" not in memory or "MemAvailable" not in memory:
        return Row(name="memory", value="unknown")
    free, total = memory["MemAvailable"], memory["MemTotal"]
    figures = {"free_bytes": free, "total_bytes": total}
    return Row(name="memory", value=f"{file_size(free)} of {file_size(total)} free", figures=figures)
