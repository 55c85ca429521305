"""Cases out of a random number generator: the same ones for the same seed."""

from dataclasses import replace
from random import Random
from typing import Any

from ..tiny import CHATML, TinyModel
from .case import Case, Turn
from .drawing_sampling import draw_sampling
from .drawing_turns import draw_turn
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
EXACT, ANY = ("bf16", "q8_0"), ("bf16", "q8_0", "f16", "f32")
"""Types of caches: of the target, whose bits must not depend on the lengths of passes, and of the draft."""


def draw(seed: int, number: int) -> Case:
    """The case of a number."""
    chance = Random(f"{seed} {number}")
    target = _target(chance)
    draft = _draft(chance, target)
    options = _loading(chance) | _drafting(chance, draft) | _answering(chance, target)
    options |= {f"sampling.{name}": value for name, value in draw_sampling(chance, target).items()}
    turns = tuple(draw_turn(chance, target, options) for _ in range(chance.randint(2, 8)))
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
