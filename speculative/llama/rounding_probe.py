"""Measures rounding in a process of its own: some settings of llama.cpp count from its first pass on.

`probe` starts that process, which gets what to do as JSON in its argument and prints what it found as JSON.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from ..errors import Cancelled, ModelLoadError, SpecchatError
from ..rounding import Rounding, difference, measure_rounding, read_prompt, worst_of
from .config import LlamaConfig
from .model import LlamaModel

_FAILED = 3
_SEED = 7
_PIECE = 64
_PATIENCE = 0.5


Tell = Callable[[str], None]
"""Told what is being done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What was found about a file: the rounding after each context, and what kind of model it is.

    `cuts` says how far the logits after each context lie from those after the same one read in smaller pieces. A model
    that `forgets` cannot take tokens back, so nothing is measured, and nothing is ever drafted for it.
    """

    roundings: tuple[Rounding, ...]
    cuts: tuple[float, ...]
    experts: bool
    forgets: bool

    @property
    def worst(self) -> float:
        """The largest difference from a pass over one token, of all lengths and contexts."""
        return max((rounding.worst for rounding in self.roundings), default=0.0)


def probe(
    path: Path,
    config: LlamaConfig,
    contexts: Sequence[int],
    lengths: Sequence[int],
    waiting: Callable[[float], None],
    cuts: bool = False,
) -> Probe:
    """Load a file by `config` and measure passes of these lengths after contexts of random tokens.

    A context that does not fit is shortened. `waiting` is called now and then, with the seconds that it takes so far.
    Raises `ModelLoadError`, and `Cancelled` when the process was stopped.
    """
    job = {"path": str(path), "config": asdict(config), "contexts": contexts, "lengths": lengths, "cuts": cuts}
    command = [sys.executable, "-m", __spec__.name, json.dumps(job)]
    pipe, started = subprocess.PIPE, perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, encoding="utf-8") as process:
        while True:
            waiting(perf_counter() - started)
            try:
                found, complaint = process.communicate(timeout=_PATIENCE)
                break
            except subprocess.TimeoutExpired:
                continue
            except BaseException:
                process.kill()
                raise
    if process.returncode < 0:
        raise Cancelled
    if process.returncode == _FAILED:
        raise ModelLoadError(**json.loads(found))
    if process.returncode != 0:
        raise ModelLoadError(f"{path} could not be measured: {complaint.strip().rpartition(chr(10))[2]}")
    return _probe(json.loads(found))


def probe_from(value: Any) -> Probe | None:
    """The probe in a cached value; None if that cannot be true."""
    try:
        return _probe(value)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _probe(found: dict[str, Any]) -> Probe:
    return Probe(
        roundings=tuple(map(_rounding, found["roundings"])),
        cuts=tuple(map(float, found["cuts"])),
        experts=bool(found["experts"]),
        forgets=bool(found["forgets"]),
    )


def _rounding(value: dict[str, Any]) -> Rounding:
    return Rounding(
        context=int(value["context"]),
        differences={
            int(reference): {int(length): float(gap) for length, gap in gaps.items()}
            for reference, gaps in value["differences"].items()
        },
        seconds={int(length): float(seconds) for length, seconds in value["seconds"].items()},
    )


def measure(model: LlamaModel, contexts: Sequence[int], lengths: Sequence[int], cuts: bool) -> Probe:
    """Measure a loaded model after contexts of random tokens, as far as they fit."""
    chance, longest = Random(_SEED), max(lengths)
    texts = [[_ordinary(model, chance) for _ in range(2 * longest)]]
    if model.has_experts:  # the same token again and again goes to the same experts
        texts.append(texts[0][:1] * 2 * longest)
    room = max(1, model.n_ctx - 2 * longest)
    fitting = sorted({min(context, room) for context in contexts}) if model.can_rollback else []
    prompt = [_ordinary(model, chance) for _ in range(max(fitting, default=0))]
    roundings = [
        worst_of([measure_rounding(model, prompt[:context], text, lengths, model.n_batch) for text in texts])
        for context in fitting
    ]
    return Probe(
        roundings=tuple(roundings),
        cuts=tuple(_cut(model, prompt[:context]) for context in fitting) if cuts else (),
        experts=model.has_experts,
        forgets=not model.can_rollback,
    )


def _cut(model: LlamaModel, prompt: Sequence[int]) -> float:
    """How far the logits after a prompt depend on the pieces that it is read in."""
    return difference([read_prompt(model, prompt, model.n_batch)], [read_prompt(model, prompt, _PIECE)])


def _ordinary(model: LlamaModel, chance: Random) -> int:
    """A token that is not the end of anything."""
    while model.vocabulary.is_end(token := chance.randrange(model.vocabulary.n_tokens)):
        pass
    return token


def _main(job: dict[str, Any]) -> int:
    try:
        with LlamaModel.load(Path(job["path"]), LlamaConfig(**job["config"])) as model:
            found = asdict(measure(model, job["contexts"], job["lengths"], job["cuts"]))
    except SpecchatError as error:
        found, code = {"message": error.message, "hint": error.hint}, _FAILED
    else:
        code = 0
    sys.stdout.write(json.dumps(found))
    return code


if __name__ == "__main__":
    sys.exit(_main(json.loads(sys.argv[1])))
