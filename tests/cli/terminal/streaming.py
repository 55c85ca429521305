"""The real command line on the streams of its process; unreal is only the pair, which says what it is told to.

`python -m tests.cli.terminal.streaming SCRIPT TRUTH ARGUMENT…` reads JSON from SCRIPT: the "answers", over how many
"seconds" the bytes of the last one are spread, before which pass Ctrl-C comes ("stopped") or an error, once ("failed"),
and other settings of `World`. What really happened is in TRUTH when it ends: of each pass when it began, when its time
was over, how much was cached before it, and how long it was.
"""

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

from specchat.cli.environment import process_environment
from specchat.cli.execution import execute
from specchat.cli.interruption import die_of
from specchat.speculative.errors import DecodeError
from tests.cli.fakes import World

_PROMPT_ENDS = 257  # tests.cli.fakes.ASK


def main() -> None:
    script, truth, *arguments = sys.argv[1:]
    settings: dict[str, Any] = json.loads(Path(script).read_text("utf-8"))
    seconds, stopped = settings.pop("seconds", 0.0), settings.pop("stopped", None)
    failing = {settings.pop("failed", None)}
    passes: list[tuple[float, float, int]] = []

    def on_pass(world: World, number: int) -> None:
        began, cached = time.perf_counter(), world.pair.session.decoder.target.cached
        if number == stopped:
            signal.raise_signal(signal.SIGINT)
        if number in failing:
            failing.remove(number)
            raise DecodeError("It cannot be computed.")
        if passes and _PROMPT_ENDS in cached:
            said = len(cached) - cached.index(_PROMPT_ENDS)
            due = passes[0][0] + seconds * said / len(settings["answers"][-1].encode())
            time.sleep(max(0.0, due - time.perf_counter()))
        passes.append((began, time.perf_counter(), len(cached)))

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    world = World(on_pass=on_pass, **settings)
    fakes = world.environment()
    code = execute(arguments, process_environment(fakes.load_pair, fakes.verify_target, fakes.devices))
    sys.stdout.flush()
    if world.pair:
        lengths = map(len, world.pair.session.decoder.target.passes)
        told = [(*each, length) for each, length in zip(passes, lengths, strict=True)]
        Path(truth).write_text(json.dumps(told), "utf-8")
    if code < 0:
        die_of(-code)
    sys.exit(code)


if __name__ == "__main__":
    main()
