"""The memory that is reckoned from headers, beside what llama.cpp allocates.

    python -m benchmarks.memory_plan MODEL...

Bars: weights and cache to 1 %, buffers never less than they are and within 15 %.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from specchat.speculative.llama.config import LlamaConfig
from tests.llama.allocated import MIB, allocated, predicted

CONTEXTS = (512, 4096, 8192)
CACHE_TYPES = ("f16", "q8_0")
HEADER = f"{'':42} {'weights':>17} {'cache':>17} {'buffers':>17}"


def main() -> None:
    """Load each model in all ways and print a table, in MiB: reckoned, then real."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    print(HEADER)
    for path in parser.parse_args().models:
        for config in ways():
            print(line(path, config), flush=True)


def ways() -> Iterator[LlamaConfig]:
    """The settings that are compared."""
    for n_ctx in CONTEXTS:
        for name in CACHE_TYPES:
            yield LlamaConfig(threads=1, n_ctx=n_ctx, cache_type_k=name, cache_type_v=name)


def line(path: Path, config: LlamaConfig) -> str:
    """One row; those that miss a bar end with a mark."""
    real, reckoned = allocated(path, config), predicted(path, config)
    pairs = [(reckoned.weights, real.weights), (reckoned.cache, real.cache), (reckoned.compute, real.compute)]
    exact = all(abs(one - other) <= other / 100 for one, other in pairs[:2])
    good = exact and real.compute <= reckoned.compute <= 1.15 * real.compute
    numbers = " ".join(f"{one / MIB:8.2f} {other / MIB:8.2f}" for one, other in pairs)
    return f"{path.stem[-30:]:30} {config.n_ctx:5} {config.cache_type_k:5} {numbers}{'' if good else '  *'}"


if __name__ == "__main__":
    main()
