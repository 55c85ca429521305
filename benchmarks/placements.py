"""A pair with its layers in many places: what it says, and the memory that was planned beside what llama.cpp reports.

    python -m benchmarks.placements TARGET DRAFT [--kind code] [--tokens 48] [--exact] 2> /dev/null

Two servers on this machine stand for devices, and have all, some or none of the layers of either model. Texts
are greedy, and compared with plain decoding on the CPU; where one parts, it is said by how much the other token was
behind, and how far logarithms of probabilities moved in the text before. The V cache is q8_0, with which drafting
changes no bit of what a target of q8_0 says on the CPU. Bars: no text parts but in a near tie, layers are where they
were planned, and each model takes of each place what was planned, to 10 %. Takes a build of llama.cpp with RPC.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from specchat.speculative.events import GenerationFinished
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig
from tests.llama.allocated import MIB
from tests.real.same_text import Case
from tests.rpc.placed import Outcome, Way, Weighed, devices, outcome, parted

TARGETS = ((), (0.5,), (1.0,), (0.3, 0.2), (0.6, 0.4))
DRAFTS = ((), (1.0,), (0.0, 1.0), (0.5,))
DRAFTED = 4
BAR = 0.1


def ways() -> Iterator[Way]:
    """All on the CPU comes first: what the others are compared with."""
    return (Way(target, draft) for target, draft in product(TARGETS, DRAFTS))


def main(arguments: Sequence[str] | None = None) -> None:
    """Three lines for each way: texts, the target, the draft."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path)
    parser.add_argument("draft", type=Path)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--kind", default="code", help="of text, as in tests/real/same_text.py")
    parser.add_argument("--exact", action="store_true", help="by settings that are exact: minutes more for each way")
    parser.add_argument("-c", "--context", type=int, default=2048)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args(arguments)
    loaded = LlamaConfig(threads=asked.threads, n_ctx=asked.context, cache_type_v="q8_0")
    config = PairConfig(
        target=asked.target,
        draft=asked.draft,
        target_config=loaded,
        draft_config=loaded,
        draft_length=DRAFTED,
        exact=asked.exact,
    )
    case = Case(asked.kind, 0.0, seed=1, max_tokens=asked.tokens)
    expected: GenerationFinished | None = None
    with devices(2) as there:
        for way in ways():
            found = outcome(config, way, there, case)
            expected = expected or found.plain
            print(*lines(way, [device.name for device in there[1:]], expected, found), sep="\n", flush=True)


def lines(way: Way, names: Sequence[str], expected: GenerationFinished, found: Outcome) -> Iterator[str]:
    """What is said of one way, on devices of these names; what misses a bar ends with a mark."""
    grown = "" if found.kept_to else ", buffers grew  *"
    yield f"plain {_compared(expected, found.plain)}, drafted {_compared(expected, found.drafted)}{grown}"
    for name, shares, model in (("target", way.target, found.target), ("draft", way.draft, found.draft)):
        yield f"    {name:6} {_shares(shares, names):18} {_layers(model):14} {_memory(model)}"


def _compared(expected: GenerationFinished, found: GenerationFinished) -> str:
    if (there := parted(expected, found)) is None:
        return "the same"
    verdict = "near tie" if there.is_near_tie else "NO NEAR TIE  *"
    return f"parts at token {there.place} ({verdict}: behind by {there.margin:.4f}, moved by {there.moved:.4f})"


def _shares(shares: Sequence[float], names: Sequence[str]) -> str:
    on_devices = [f"{share:.0%} {name}" for share, name in zip(shares, names, strict=False) if share]
    return " ".join(on_devices) or "none"


def _layers(model: Weighed) -> str:
    planned, real = model.planned.on_devices, model.reported.layers
    return f"{planned} / {real} layers{'' if model.as_planned else '  *'}"


def _memory(model: Weighed) -> str:
    """MiB of each place, as planned and as reported."""
    return ", ".join(f"{name} {_compared_sizes(*sizes)}" for name, sizes in model.sizes.items())


def _compared_sizes(planned: int, real: int) -> str:
    error = planned / max(1, real) - 1
    return f"{planned / MIB:.1f} / {real / MIB:.1f} {error:+.1%}{'' if abs(error) <= BAR else '  *'}"


if __name__ == "__main__":
    main()
