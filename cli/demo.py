"""`make demo`: the same question answered plain and drafted, by a small model that pip has installed."""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Literal

from specchat.profiles.store import load_profile
from specchat.speculative.events import GenerationFinished
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message

from .environment import Environment
from .execution import guarded, run_process
from .exit_codes import FINE
from .interruption import Stopped, stopping
from .loading import load
from .options import OutputOptions
from .render import Renderer
from .request import model_file
from .status_line import StatusLine

PASSAGE = (
    "The lighthose keeper climbs the stairs every evening. He lights the lamp, cleans the glass, and writes the "
    "weather in his book. When the fog comes in from the sea, he rings the bel until the morning. The sailors cannot "
    "see him, but they know that the lamp and the bell are there, and they steer their ships around the rocks."
)
"""Two words are wrong, and this model puts both right."""
QUESTION = f"Correct the spelling mistakes in this text and write out the corrected text:\n\n{PASSAGE}"
RUNS = 5
Draft = Literal["none", "ngram"]


def demo(env: Environment) -> int:
    """Answer plain and drafted, with caches that hold nothing before, and compare; returns the exit code."""
    profile = load_profile("demo")
    config = PairConfig(target=model_file(profile.target), sampling=profile.sampling, cache_folder=env.cache_folder)
    env.stdout.write(f"{profile.description}\n\n{QUESTION}\n")
    plain, drafted = [], []
    line = StatusLine(env)
    for number in range(RUNS):
        shown = number == 0
        if not shown:
            line.show(f"timing both again, {number} of {RUNS - 1} …")
        plain.append(answer(env, config, "none", "Plain: one token a pass", shown))
        drafted.append(answer(env, config, "ngram", "Drafted: guesses from the text so far, checked together", shown))
    line.clear()
    env.stdout.write(f"\n{comparison(plain, drafted)}\n\n{next_step(env)}")
    return FINE.code


def answer(env: Environment, config: PairConfig, draft: Draft, title: str, shown: bool) -> GenerationFinished:
    """One answer by freshly loaded models, shown as it comes or not at all. Raises `Stopped` for Ctrl-C."""
    if shown:
        env.stdout.write(f"\n--- {title}\n\n")
    with load(env, replace(config, draft=draft), quiet=not shown) as pair:
        renderer = Renderer(env, OutputOptions(tint=True, json=not shown), pair.session.n_ctx)
        prompt = pair.chat_tokens([Message("user", QUESTION)])
        with stopping(pair.session.interrupt):
            finished = renderer.show(pair.session.generate(prompt, max_tokens=200))
    if finished.error is not None:
        raise finished.error
    if finished.finish_reason == "cancelled":
        raise Stopped
    return finished


def comparison(plain: Sequence[GenerationFinished], drafted: Sequence[GenerationFinished]) -> str:
    """What the answers took and whether they are equal. Runs next to each other are compared: machines have moods."""
    times = [median(each.stats.predicted_seconds for each in runs) for runs in (plain, drafted)]
    ratio = median(
        slow.stats.predicted_seconds / fast.stats.predicted_seconds for slow, fast in zip(plain, drafted, strict=True)
    )
    rows = [
        f"{name:<8} {seconds:5.2f} s for {runs[0].stats.completion_tokens} tokens in {runs[0].stats.rounds} passes"
        for name, seconds, runs in zip(("plain", "drafted"), times, (plain, drafted), strict=True)
    ]
    speed = f"{ratio:.1f} times as fast" if ratio >= 1.05 else "not faster this time (a busy machine?)"
    same = len({each.text.encode() for each in (*plain, *drafted)}) == 1
    text = "the same text, byte for byte" if same else "not the same text, as where rounding swaps near ties"
    return "\n".join([*rows, f"Drafting was {speed}, by the median of {len(plain)} repetitions.", f"It is {text}."])


def next_step(env: Environment) -> str:
    """The command to type next, as it can be typed here."""
    command = "specchat" if shutil.which("specchat") else os.path.relpath(Path(sys.executable).with_name("specchat"))
    return (
        f'Next, ask it something yourself:\n\n  {command} run --profile demo "What is a lighthouse?"\n\n'
        f"or take a real pair:\n\n  {command} run -m BIG.gguf --draft SMALL.gguf\n"
    )


if __name__ == "__main__":
    run_process(lambda env: guarded(lambda: demo(env), env))
