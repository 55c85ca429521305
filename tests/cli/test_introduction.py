"""What a chat says of its models when it begins, and when others take their place."""

import re
from types import SimpleNamespace

import pytest

from specchat.cli.chat.draft_wish import DraftWish
from specchat.cli.chat.introduction import draft_items, placement_items
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.placement import Placement

from .fakes import World

CHAT = ("run", "-m", "big.gguf")
KEYS = "Ctrl-D or /exit leaves; Ctrl-C stops an answer; /help has more."


def opened(*options, lines=(), columns=200, **settings):
    world = World(stdin=None, screen=True, columns=columns, lines=lines, **settings).run(*CHAT, *options)
    return re.sub(r"[^\n]*\r\x1b\[K|\x1b\[[0-9]*m", "", world.out).splitlines()


def test_two_lines_and_the_keys_begin_a_chat():
    assert opened("--draft", "small.gguf")[:3] == [
        "Fake · on the CPU · context 1,000",
        "drafted by n-grams and small · named by --draft",
        KEYS,
    ]


def test_a_quiet_chat_begins_without_them():
    assert opened("-q") == [">>> "]


def test_on_a_narrow_terminal_they_are_broken_between_their_items():
    def fill(pair):
        pair.placement, pair.plain_speed = Placement(33, 20, ("Some Big GPU",)), 61.25

    shown = opened("--draft", "small.gguf", columns=40, on_load=fill)
    assert shown[:5] == [
        "Fake · on Some Big GPU",
        "20 of 33 layers there",
        "61.2 tokens/s plain · context 1,000",
        "drafted by n-grams and small",
        "named by --draft",
    ]
    assert all(len(line) <= 40 for line in shown)


@pytest.mark.parametrize(
    ("found", "items"),
    [
        (None, []),
        (Placement(33), ["on the CPU"]),
        (Placement(33, 33, ("Big GPU",)), ["on Big GPU", "all 33 layers there"]),
        (Placement(33, 20, ("Big GPU",)), ["on Big GPU", "20 of 33 layers there"]),
        (
            Placement(33, 33, ("Big GPU",), apart=12),
            ["on Big GPU", "all 33 layers there", "the experts of 12 on the CPU"],
        ),
        (Placement(33, 33, ("A", "B", "A")), ["on 2 × A and B", "all 33 layers there"]),
    ],
)
def test_a_model_is_where_its_layers_are(found, items):
    assert placement_items(found) == items


def test_the_speed_is_told_where_it_was_measured():
    def fill(pair):
        pair.plain_speed = 61.25

    assert opened(on_load=fill)[0] == "Fake · on the CPU · 61.2 tokens/s plain · context 1,000"


MODEL = ("n-grams", "small")
NGRAMS = ("n-grams",)


def pair_of(drafted_by, **facts):
    usual = {"target_config": LlamaConfig(), "draft_config": LlamaConfig()}
    settings = {"draft": "small.gguf", "draft_length": None, "adapts": True, **usual, **facts}
    target = SimpleNamespace()
    return SimpleNamespace(drafted_by=drafted_by, target=target, config=SimpleNamespace(**settings))


@pytest.mark.parametrize(
    ("pair", "wish", "items"),
    [
        (pair_of(MODEL), DraftWish("small.gguf", "--draft"), ["drafted by n-grams and small", "named by --draft"]),
        (pair_of(("small",)), DraftWish("small.gguf", "/draft"), ["drafted by small", "named by /draft"]),
        (pair_of(MODEL), DraftWish(), ["drafted by n-grams and small", "found on this machine"]),
        (pair_of(NGRAMS), DraftWish("ngram", "--draft"), ["drafted by n-grams", "as --draft says"]),
        (pair_of(NGRAMS), DraftWish("small.gguf", "x"), ["drafted by n-grams", "small.gguf cannot"]),
        (pair_of(NGRAMS), DraftWish(), ["drafted by n-grams", "no better draft is known here"]),
        (pair_of(NGRAMS, adapts=False), DraftWish(), ["drafted by n-grams"]),
        (pair_of((), draft="none"), DraftWish("none", "--draft"), ["nothing drafts", "as --draft says"]),
        (pair_of((), draft_length=0), DraftWish(), ["nothing drafts", "the draft length is 0"]),
        (pair_of(()), DraftWish("small.gguf", "--draft"), ["nothing drafts", "the draft cannot"]),
    ],
)
def test_what_drafts_is_told_with_why_that_does(pair, wish, items):
    assert draft_items(pair, wish) == items


@pytest.mark.parametrize(
    ("draft", "items"),
    [
        ({"devices": ("CUDA0",), "n_gpu_layers": 5}, []),
        ({"devices": ("CUDA1",), "n_gpu_layers": 5}, ["on CUDA1"]),
        ({"n_gpu_layers": 0}, ["on the CPU"]),
    ],
)
def test_where_a_draft_computes_is_told_if_that_is_somewhere_else(draft, items):
    target = LlamaConfig(devices=("CUDA0",), n_gpu_layers=33)
    pair = pair_of(MODEL, target_config=target, draft_config=LlamaConfig(**draft))
    assert draft_items(pair, DraftWish()) == ["drafted by n-grams and small", *items, "found on this machine"]


def test_a_draft_is_named_by_whoever_named_it(tmp_path):
    (tmp_path / "specchat" / "profiles").mkdir(parents=True)
    variables = {"XDG_CONFIG_HOME": str(tmp_path)}
    both = {"SPECCHAT_MODEL": "big.gguf", "SPECCHAT_DRAFT": "small.gguf"}
    world = World(stdin=None, screen=True, columns=200, variables={**variables, **both}).run("run")
    assert " · named by SPECCHAT_DRAFT\n" in world.transcript
    config = tmp_path / "specchat" / "config.yaml"
    config.write_text("format: 1\ntarget: big.gguf\ndraft: small.gguf\n")
    world = World(stdin=None, screen=True, columns=200, variables=variables).run("run")
    assert " · named by config.yaml\n" in world.transcript
    config.unlink()
    (tmp_path / "specchat" / "profiles" / "mine.yaml").write_text("format: 1\ntarget: big.gguf\ndraft: small.gguf\n")
    world = World(stdin=None, screen=True, columns=200, variables=variables).run("run", "--profile", "mine")
    assert " · named by the profile mine\n" in world.transcript


def test_other_models_are_told_as_those_of_the_beginning():
    shown = opened("--draft", "ngram", lines=["/model other.gguf", "/draft small.gguf", "/set ctx 900", "/model"])
    first = "Fake · on the CPU · context 1,000"
    named = "drafted by n-grams and small · named by /draft"
    assert shown[3:] == [
        ">>> /model other.gguf",
        first,
        "drafted by n-grams · no better draft is known here",
        ">>> /draft small.gguf",
        first,
        named,
        ">>> /set ctx 900",
        first,
        named,
        ">>> /model",
        first,
        ">>> ",
    ]
