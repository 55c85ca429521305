"""Measures rounding in a process of its own: some settings of llama.cpp count from its first pass on.

`probe` starts that process, which gets what to do as JSON in its argument and prints what it found as JSON.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any

from .. import errors
from ..errors import Cancelled, ModelLoadError, SpecchatError
from ..rounding import Rounding, difference, measure_rounding, read_prompt, worst_of
from .backend import sees_gpu
from .config import LlamaConfig, read_config
from .model import LlamaModel

_FAILED = 3
_SEED = 7
_PIECE = 64
_PATIENCE = 0.5
# not -m, which would let files of the working folder be imported for others of their names
_PROGRAM = f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import main; sys.exit(main(sys.argv[1]))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What was found about a file: the rounding after each context, and what kind of model it is.

    `cuts` says how far the logits after each context lie from those after the same one read in smaller pieces.
    """

    roundings: tuple[Rounding, ...]
    cuts: tuple[float, ...]
    experts: bool
    gpu: bool = False

    def worst(self, longest: int) -> float:
        """The largest difference between a pass over one token and those over up to `longest`, after any context."""
        return max((rounding.worst(longest) for rounding in self.roundings), default=0.0)


def probe(
    path: Path,
    config: LlamaConfig,
    contexts: Sequence[int],
    lengths: Sequence[int],
    waiting: Callable[[float], None],
    cuts: bool = False,
) -> Probe:
    """Load a file by `config` and measure passes of these lengths after contexts of random tokens.

    What does not fit the context is shortened. `waiting` is called now and then, with the seconds that it takes so far;
    what it raises ends the measuring. Raises `ModelLoadError`, `DecodeError`, and `Cancelled` for Ctrl-C.
    """
    started = perf_counter()
    with ExitStack() as opened:
        output = opened.enter_context(TemporaryFile())
        complaint = None if config.verbose else opened.enter_context(TemporaryFile())
        line = command(path, config, contexts, lengths, cuts)
        # it watches its standard input, and ends when that is closed: on leaving here, or because this process is gone
        process = opened.enter_context(subprocess.Popen(line, stdin=subprocess.PIPE, stdout=output, stderr=complaint))
        while process.poll() is None:
            waiting(perf_counter() - started)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
        output.seek(0)
        return _result(path, process.returncode, output.read().decode())


def command(path: Path, config: LlamaConfig, contexts: Sequence[int], lengths: Sequence[int], cuts: bool) -> list[str]:
    """The command line of the process that measures."""
    settings = asdict(replace(config, max_rows=max(lengths)))
    job = {"path": str(path), "config": settings, "contexts": contexts, "lengths": lengths, "cuts": cuts}
    return [sys.executable, "-c", _PROGRAM, json.dumps(job), *sys.path]


def _result(path: Path, code: int, output: str) -> Probe:
    if code == -signal.SIGINT:
        raise Cancelled
    if code == _FAILED:
        told = json.loads(output)
        kind: type[SpecchatError] = getattr(errors, told["kind"], SpecchatError)
        raise kind(told["message"], told["hint"])
    if code != 0:
        reason = f"it was ended by signal {-code}" if code < 0 else f"it ended with code {code}"
        raise ModelLoadError(
            f"{path} could not be measured: the process that did {reason}.",
            "There may be too little memory: try a smaller context, -c.",
        )
    return _probe(json.loads(output))


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
        gpu=bool(found["gpu"]),
    )


def _rounding(value: dict[str, Any]) -> Rounding:
    gaps = {reference: value["differences"][str(reference)] for reference in (1, 2)}
    return Rounding(
        context=int(value["context"]),
        differences={
            reference: {int(length): float(gap) for length, gap in gaps[reference].items()} for reference in gaps
        },
        seconds={int(length): float(seconds) for length, seconds in value["seconds"].items()},
    )


def main(argument: str) -> int:
    """The process: measure what `argument` says, print it, and return the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an exception would be lost in a callback of llama.cpp
    threading.Thread(target=_end_with_parent, daemon=True).start()
    job = json.loads(argument)
    try:
        with LlamaModel.load(Path(job["path"]), read_config(job["config"])) as model:
            found = asdict(measure(model, job["contexts"], job["lengths"], job["cuts"]))
    except SpecchatError as error:
        found, code = {"kind": type(error).__name__, "message": error.message, "hint": error.hint}, _FAILED
    else:
        code = 0
    sys.stdout.write(json.dumps(found))
    return code


def _end_with_parent() -> None:
    """Wait for the end of standard input: whoever wanted the result is gone, however that came."""
    while os.read(0, 1):  # not by sys.stdin, whose lock the interpreter wants at its own end
        pass
    os._exit(_FAILED)


def measure(model: LlamaModel, contexts: Sequence[int], lengths: Sequence[int], cuts: bool) -> Probe:
    """Measure a loaded model after contexts of random tokens, as far as they fit."""
    chance = Random(_SEED)
    lengths = [length for length in lengths if 2 * length < model.n_ctx]
    longest = max(lengths, default=1)
    texts = [[_ordinary(model, chance) for _ in range(2 * longest)]]
    if model.has_experts:  # the same token again and again goes to the same experts
        texts.append(texts[0][:1] * 2 * longest)
    room = max(1, model.n_ctx - 2 * longest)
    fitting = sorted({min(context, room) for context in contexts})
    prompt = [_ordinary(model, chance) for _ in range(max(fitting, default=0))]
    roundings = [
        worst_of([measure_rounding(model, prompt[:context], text, lengths, model.n_batch) for text in texts])
        for context in fitting
    ]
    return Probe(
        roundings=tuple(roundings),
        cuts=tuple(_cut(model, prompt[:context]) for context in fitting) if cuts else (),
        experts=model.has_experts,
        gpu=sees_gpu(model.config.devices, model.config.rpc) and not model.config.on_cpu,
    )


def _cut(model: LlamaModel, prompt: Sequence[int]) -> float:
    """How far the logits after a prompt depend on the pieces that it is read in."""
    return difference([read_prompt(model, prompt, model.n_batch)], [read_prompt(model, prompt, _PIECE)])


def _ordinary(model: LlamaModel, chance: Random) -> int:
    """A token that is not the end of anything."""
    while model.vocabulary.is_end(token := chance.randrange(model.vocabulary.n_tokens)):
        pass
    return token
