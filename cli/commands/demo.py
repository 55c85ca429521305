"""`make demo`: the same question answered plain and drafted, by a small model that pip has installed."""

import os
import shutil
import sys
from pathlib import Path

from specchat.profiles.resolve import locate
from specchat.profiles.store import Profiles
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message

from ..answering.compare import Comparer
from ..environment import Environment
from ..execution import guarded, run_process
from ..exit_codes import FINE
from ..models.loading import load
from ..models.whereabouts import whereabouts
from ..options import OutputOptions
from ..request import Limits

PASSAGE = (
    "The lighthose keeper climbs the stairs every evening. He lights the lamp, cleans the glass, and writes the "
    "weather in his book. When the fog comes in from the sea, he rings the bel until the morning. The sailors cannot "
    "see him, but they know that the lamp and the bell are there, and they steer their ships around the rocks."
)
"""Two words are wrong, and this model puts both right."""
QUESTION = f"Correct the spelling mistakes in this text and write out the corrected text:\n\n{PASSAGE}"
RUNS = 5


def demo(env: Environment) -> int:
    """Answer plain and drafted, and compare; returns the exit code."""
    profile = Profiles().load("demo")
    settings = profile.settings
    assert settings.target is not None
    target = locate(settings.target, whereabouts(env, offline=True)).path
    config = PairConfig(target=target, draft="ngram", sampling=settings.sampling(), cache_folder=env.cache_folder)
    env.stdout.write(f"{profile.about.description}\n\n{QUESTION}\n\n")
    with load(env, config, quiet=False) as pair:
        comparer = Comparer(env, pair, Limits(max_tokens=200, stop=()), OutputOptions(tint=True))
        comparer.run(pair.chat_tokens([Message("user", QUESTION)]), repetitions=RUNS)
    env.stdout.write(f"\n{next_step(env)}")
    return FINE.code


def next_step(env: Environment) -> str:
    """The command to type next, as it can be typed here."""
    command = "specchat" if shutil.which("specchat") else os.path.relpath(Path(sys.executable).with_name("specchat"))
    return (
        f'Next, ask it something yourself:\n\n  {command} run --profile demo "What is a lighthouse?"\n\n'
        f"or take a real pair:\n\n  {command} run -m BIG.gguf --draft SMALL.gguf\n"
    )


if __name__ == "__main__":
    run_process(lambda env: guarded(lambda: demo(env), env))
