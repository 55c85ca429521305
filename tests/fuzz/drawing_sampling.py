"""Samplers out of a random number generator."""

from random import Random
from typing import Any

from ..tiny import TinyModel

LETTERS = "abehilnorstu"
_BPE_END, _SPM_END, _BPE_THINKS = 268, 2, (272, 273)


def draw_sampling(chance: Random, target: TinyModel) -> dict[str, Any]:
    """Some of all samplers, and biases towards what ends texts, reasoning and stop strings."""
    drawn: dict[str, Any] = {"temperature": chance.choice((0.0, 0.3, 0.8, 1.0, 1.5))}
    some = {
        "top_k": chance.choice((0, 1, 5, 100)),
        "top_p": chance.choice((0.3, 0.8, 1.0)),
        "min_p": chance.choice((0.0, 0.01, 0.3)),
        "typical_p": chance.choice((0.3, 0.8)),
        "top_n_sigma": chance.choice((0.5, 2.0)),
        "repeat_penalty": chance.choice((0.8, 1.3)),
        "presence_penalty": chance.choice((-1.5, 1.0)),
        "frequency_penalty": chance.choice((-0.5, 0.5)),
        "penalty_last_n": chance.choice((0, 3, -1)),
    }
    drawn |= {name: value for name, value in some.items() if chance.random() < 0.25}
    if chance.random() < 0.2:
        drawn |= {"xtc_probability": chance.choice((0.3, 1.0)), "xtc_threshold": chance.choice((0.02, 0.1))}
    if chance.random() < 0.2:
        drawn |= {"dry_multiplier": 0.8, "dry_allowed_length": chance.choice((0, 1, 3))}
        drawn["dry_penalty_last_n"] = chance.choice((-1, 10, 64))
    if biases := _biases(chance, target):
        drawn["logit_bias"] = biases
    return drawn


def _biases(chance: Random, target: TinyModel) -> tuple[str, ...]:
    ends = _SPM_END if target.tokenizer == "spm" else _BPE_END
    found = [f"{ends}{chance.choice(('+2', '+4', '-inf'))}"] if chance.random() < 0.5 else []
    if target.control:
        found += [f"{token}+{chance.choice((2, 4))}" for token in _BPE_THINKS]
    if chance.random() < 0.3:
        found += [f"{_byte(target, letter)}+{chance.choice((1, 3))}" for letter in chance.sample(LETTERS, 3)]
    return tuple(found)


def _byte(target: TinyModel, letter: str) -> int:
    return ord(letter) + 3 if target.tokenizer == "spm" else ord(letter) - 33
