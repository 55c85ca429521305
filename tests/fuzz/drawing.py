"""Cases out of a random number generator: the same ones for the same seed."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from ..tiny import CHATML, TinyModel
from .case import Case, Turn
from .forms import FORMS

SMALL = {"layers": 2, "width": 64}
KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"architecture": "gemma2", "window": 24},
    {"architecture": "mamba"},
    {"architecture": "jamba"},
    {"architecture": "lfm2"},
    {"experts": 4},
)
THINKS = ("<think>", "</think>")
OPENS = CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}")
BPE_END, BPE_MARKS = 268, tuple(range(266, 274))
SPM_END = 2
_LETTERS = "abehilnorstu"
EXACT, ANY = ("bf16", "q8_0"), ("bf16", "q8_0", "f16", "f32")
"""Types of caches: of the target, whose bits must not depend on the lengths of passes, and of the draft."""


def draw(seed: int, number: int) -> Case:
    """The case of a number."""
    chance = Random(f"{seed} {number}")
    target = _target(chance)
    draft = _draft(chance, target)
    options = _loading(chance) | _drafting(chance, draft) | _answering(chance, target)
    options |= {f"sampling.{name}": value for name, value in _sampling(chance, target).items()}
    turns = tuple(_turn(chance, target, options) for _ in range(chance.randint(2, 8)))
    if draft != "none" and chance.random() < 0.08:
        options, turns = _rejecting(options, turns)
    return Case(seed=seed, number=number, target=target, draft=draft, options=options, turns=turns)


def _target(chance: Random) -> TinyModel:
    kind = chance.choice(KINDS)
    if chance.random() < 0.15:
        return TinyModel(**SMALL, **kind, tokenizer="spm", seed=chance.randrange(3))
    if chance.random() < 0.7:
        return TinyModel(**SMALL, **kind, seed=chance.randrange(3))
    template = chance.choice((CHATML, OPENS))
    return TinyModel(**SMALL, **kind, control=THINKS, template=template, seed=chance.randrange(3))


def _draft(chance: Random, target: TinyModel) -> Any:
    what = chance.choices(("model", "ngram", "none"), (80, 15, 5))[0]
    if what != "model":
        return what
    control = chance.choice((target.control, target.control, ()))
    shared = {"tokenizer": target.tokenizer, "control": control, "seed": target.seed}
    n_vocab = chance.choice((target.n_vocab, target.n_vocab, target.n_vocab - 2, target.n_vocab + 10))
    alike = {"architecture": target.architecture, "window": target.window, "experts": target.experts}
    kind = alike if chance.random() < 0.7 else chance.choice(KINDS)
    noise, n_ctx = chance.choice((0.0, 0.0, 0.02, 0.1)), chance.choice((1024, 1024, 64))
    return TinyModel(**SMALL, **kind, **shared, n_vocab=n_vocab, noise=noise, n_ctx=n_ctx)


def _loading(chance: Random) -> dict[str, Any]:
    n_batch = chance.choice((8, 16, 24, 64, 512))
    options: dict[str, Any] = {
        "load.n_batch": n_batch,
        "load.cache_type_k": chance.choice(EXACT),
        "load.cache_type_v": chance.choice(EXACT),
        "load.whole_windows": chance.random() < 0.7,
        "load.repack": chance.random() < 0.5,
        "draft_load.n_batch": chance.choice((8, 32, 512)),
        "draft_load.cache_type_k": chance.choice(ANY),
        "draft_load.cache_type_v": chance.choice(ANY),
        "draft_load.whole_windows": chance.random() < 0.7,
    }
    if chance.random() < 0.35:
        options["load.n_ctx"] = chance.randint(30, 140)
    if chance.random() < 0.2:
        options["load.min_pass"] = chance.randint(2, 4)
    if chance.random() < 0.3:
        options["states"] = chance.choice(("folder", "folder as new", "file", "file as new"))
    if chance.random() < 0.15:
        options["faults"] = chance.choice((20, 60, 200))
    return options


def _drafting(chance: Random, draft: Any) -> dict[str, Any]:
    most = chance.choice((1, 2, 4, 7))
    options: dict[str, Any] = {"pair.draft_max": most}
    lengths = chance.choices(("fixed", "random", "adaptive"), (40, 40, 20))[0]
    if lengths == "fixed":
        options["pair.draft_length"] = most
    elif lengths == "random":
        options["lengths"] = chance.randrange(1000)
    if chance.random() < 0.4:
        options["lazy"] = True
    return options


def _rejecting(options: dict[str, Any], turns: tuple[Turn, ...]) -> tuple[dict[str, Any], tuple[Turn, ...]]:
    """The same with the other verification, where the likeliest tokens are chosen: else texts depend on drafts."""
    cold = {"temperature": 0.0}
    changed = tuple(replace(turn, sampling={**turn.sampling, **cold}) if turn.sampling else turn for turn in turns)
    return {**options, "pair.verification": "rejection", "sampling.temperature": 0.0}, changed


def _answering(chance: Random, target: TinyModel) -> dict[str, Any]:
    options: dict[str, Any] = {"pair.seed": chance.randrange(1000)}
    if chance.random() < 0.3:
        options["pair.scores"] = chance.choice((0, 1, 5))
    if chance.random() < 0.25:
        options["form"] = chance.choice(sorted(FORMS))
    if target.control and chance.random() < 0.2:
        options["pair.raw"] = True
    if chance.random() < 0.3:
        options["pair.thinks"] = chance.random() < 0.5
    return options


def _sampling(chance: Random, target: TinyModel) -> dict[str, Any]:
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
    ends = SPM_END if target.tokenizer == "spm" else BPE_END
    found = [f"{ends}{chance.choice(('+2', '+4', '-inf'))}"] if chance.random() < 0.5 else []
    if target.control:
        found += [f"{token}+{chance.choice((2, 4))}" for token in (272, 273)]
    if chance.random() < 0.3:
        found += [f"{_byte(target, letter)}+{chance.choice((1, 3))}" for letter in chance.sample(_LETTERS, 3)]
    return tuple(found)


def _byte(target: TinyModel, letter: str) -> int:
    return ord(letter) + 3 if target.tokenizer == "spm" else ord(letter) - 33


def _turn(chance: Random, target: TinyModel, options: Mapping[str, Any]) -> Turn:
    n_ctx, restarts = options.get("load.n_ctx", 1024), 30 if "states" in options else 6
    long = chance.random() < 0.25
    endings = ("whole", "rounds", "looks", "dropped", "left")
    ending = chance.choices(endings, (55, 12, 18, 10, 5))[0]
    place = chance.randrange(1, 1500) if ending == "looks" else chance.randrange(1, 12)
    changed = chance.random() < 0.1
    return Turn(
        kind=chance.choices(("ask", "again", "go on"), (60, 20, 20))[0],
        back=chance.choice((0, 0, 0, 1, 2, chance.randrange(60), 5000)),
        quote=chance.choice((0, 0, 0, chance.randrange(40))),
        tokens=_tokens(chance, target, min(n_ctx - 2, chance.randrange(1, 250 if long else 30))),
        max_tokens=chance.choice((1, 5, 20, 40, chance.randrange(1, 80), None if n_ctx < 200 else 100)),
        stop=tuple(chance.sample((*_LETTERS, "th", "in", " a", "\n", "he"), 2)) if chance.random() < 0.25 else (),
        ending=ending,
        place=place,
        message=chance.choice(("", "", "", "on the inn", "the user in a tone")),
        before=chance.choices(("", "draft off", "draft on", "restart", "start over"), (70, 7, 11, restarts, 4))[0],
        sampling=_sampling(chance, target) if changed else {},
    )


def _tokens(chance: Random, target: TinyModel, count: int) -> tuple[int, ...]:
    """A prompt, mostly of few different tokens, so that it repeats itself; some end as a template's would."""
    alphabet = [chance.randrange(3, 259) for _ in range(chance.choice((3, 12, 200)))]
    found = [chance.choice(alphabet) for _ in range(count)]
    if target.tokenizer == "bpe" and chance.random() < 0.5:
        found.append(chance.choice(BPE_MARKS[: 6 + len(target.control)]))
    return tuple(found)
