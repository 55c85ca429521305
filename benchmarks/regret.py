"""What adaptive draft lengths miss in simulation: against plain decoding, and the best fixed length in hindsight.

    python -m benchmarks.regret

Takes no model: `tests/speculative/simulation.py` has machines and texts in numbers, and the tests hold the bounds.
"""

from tests.speculative.test_adaptive import MACHINES, SWITCHING, TEXTS, speedup


def main() -> None:
    """Print a line for each machine and text."""
    print(f"{'machine':<10}{'text':<12}{'adaptive':>9}{'unlearned':>10}{'best fixed':>11}{'at':>4}{'regret':>8}")
    for machine, costs in MACHINES.items():
        for text, chances in {**TEXTS, "switching": SWITCHING}.items():
            best, at = max((speedup(costs, chances, fixed), fixed) for fixed in range(13))
            known, learning = (speedup(costs, chances, known=known) for known in (True, False))
            regret = 1 - known / best
            print(f"{machine:<10}{text:<12}{known:>8.3f}x{learning:>9.3f}x{best:>10.3f}x{at:>4}{regret:>8.1%}")


if __name__ == "__main__":
    main()
