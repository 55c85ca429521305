"""Whether logits depend on how passes are cut, in a process of its own: some kernels are chosen once for each.

    python -m tests.llama.cuts MODEL SETTINGS MOST

prints "the same" or "different" for random cuts into passes of 1 to MOST tokens.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np

from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel

_PROMPT, _END, _CUTS = 40, 600, 3
TEXT = [int(token) for token in np.random.default_rng(2).integers(0, 256, _END)]


def rows(model: LlamaModel, chance: Random, most: int) -> list[bytes]:
    """The logits after each token of the text behind the prompt, in passes of random lengths."""
    places = [_PROMPT]
    while places[-1] < _END:
        places.append(min(_END, places[-1] + chance.randint(1, most)))
    model.rollback(0)
    model.decode(TEXT[:_PROMPT], 1)
    return [row.tobytes() for a, b in pairwise(places) for row in model.decode(TEXT[a:b], b - a)]


def main(path: str, settings: str, most: str) -> None:
    chance = Random(1)
    with LlamaModel.load(Path(path), LlamaConfig(**json.loads(settings))) as model:
        found = [rows(model, chance, int(most)) for _ in range(_CUTS)]
    print("the same" if all(each == found[0] for each in found) else "different")


if __name__ == "__main__":
    main(*sys.argv[1:])
