"""Which format of reasoning a model uses, and what that makes of its prompts and tokens."""

import pytest

from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.reasoning import reasoning_format, showing_marks
from specchat.speculative.messages import Message
from specchat.speculative.reasoning.harmony import Harmony
from specchat.speculative.reasoning.tags import Tags

from ..tiny import CHATML, user

CHANNELS = ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>")
HARMONY = (
    "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)
OPENS = CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}")
SWITCHES = CHATML.replace(
    "assistant\n{% endif %}",
    "assistant\n{% if enable_thinking | default(true) %}{% else %}<think>\n\n</think>\n\n{% endif %}{% endif %}",
)
THINK = Tags("<think>", "</think>")


@pytest.fixture
def loaded(write_tiny_model):
    pairs: list[Pair] = []

    def load(thinks: bool | None = None, raw: bool = False, **model) -> Pair:  # type: ignore[no-untyped-def]
        pairs.append(load_pair(PairConfig(target=write_tiny_model(**model), thinks=thinks, raw=raw), Interrupt()))
        return pairs[-1]

    yield load
    for pair in pairs:
        pair.close()


def spell(pair: Pair, tokens: list[int]) -> str:
    vocabulary = pair.target.vocabulary
    return b"".join(vocabulary.piece(token) or vocabulary.text(token) for token in tokens).decode()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({}, None),
        ({"control": CHANNELS}, Harmony()),
        ({"control": ("<think>", "</think>")}, THINK),
        ({"template": SWITCHES}, THINK),
        ({"control": ("[THINK]", "[/THINK]")}, Tags("[THINK]", "[/THINK]")),
    ],
)
def test_a_format_is_known_by_its_tokens_or_its_template(write_tiny_model, model, expected):
    with LlamaModel.load(write_tiny_model(**model)) as loaded:
        assert reasoning_format(loaded.vocabulary, loaded.template) == expected


def test_marks_that_are_control_tokens_are_shown_and_others_are_not(write_tiny_model):
    with LlamaModel.load(write_tiny_model(control=CHANNELS)) as model:
        vocabulary = model.vocabulary
        piece = showing_marks(vocabulary, Harmony())
        assert [piece(token) for token in vocabulary.tokenize("<|channel|>a<|message|>", True)] == [
            b"<|channel|>",
            b"a",
            b"<|message|>",
        ]
        assert [piece(token) for token in vocabulary.tokenize("<|im_end|>", True)] == [b""]


def test_the_end_of_a_message_ends_no_answer_of_gpt_oss(write_tiny_model):
    with LlamaModel.load(write_tiny_model(control=CHANNELS)) as model:
        ends = {mark: model.vocabulary.is_end(model.vocabulary.tokenize(mark, True)[0]) for mark in CHANNELS}
    assert ends["<|end|>"] is False
    assert ends["<|return|>"] is ends["<|call|>"] is True


@pytest.mark.parametrize("switch", ["enable_thinking", "thinking"])
def test_a_template_is_told_whether_to_think(loaded, switch: str):
    template = SWITCHES.replace("enable_thinking", switch)
    prompts = {
        thinks: spell(pair, pair.chat_tokens(user("a")))
        for thinks in (None, True, False)
        if (pair := loaded(thinks, template=template))
    }
    assert prompts[None] == prompts[True]
    assert prompts[False] == prompts[None] + "<think>\n\n</think>\n\n"


def test_nothing_is_added_to_a_template_that_was_told_in_words(loaded):
    template = CHATML.replace("assistant\n{% endif %}", "assistant\n{{ enable_thinking }}<think>{% endif %}")
    pair = loaded(False, template=template)
    assert spell(pair, pair.chat_tokens(user("a"))).endswith("assistant\nFalse<think>")


@pytest.mark.parametrize(
    ("model", "tail"),
    [
        ({"template": OPENS}, "<think>\n\n\n</think>\n\n"),
        ({"control": ("<think>", "</think>")}, "<think>\n\n</think>\n\n"),
        ({"control": CHANNELS, "template": HARMONY}, "<|start|>assistant<|channel|>final<|message|>"),
        ({}, "<|im_start|>assistant\n"),
    ],
)
def test_where_a_template_has_no_switch_empty_reasoning_stands_in_the_prompt(loaded, model, tail):
    pair = loaded(False, **model)
    assert spell(pair, pair.chat_tokens(user("a"))).endswith(tail)


def test_an_answer_that_goes_on_stands_outside_the_reasoning(loaded):
    pair = loaded(template=OPENS)
    prompt = pair.chat_tokens(user("a"))
    assert spell(pair, pair.answer_tokens(prompt, "Yes")) == "\n\n</think>\n\nYes"
    said = pair.session.said(prompt, pair.answer_tokens(prompt, "Yes"))
    assert (said.reasoning, said.text) == ("", "Yes")


@pytest.mark.parametrize("model", [{"template": OPENS}, {"template": SWITCHES}, {"control": CHANNELS}])
def test_an_answer_goes_on_behind_its_reasoning_or_in_it(loaded, model):
    pair = loaded(**model)
    prompt = pair.chat_tokens(user("a"))
    whole = pair.session.said(prompt, pair.answer_tokens(prompt, "Yes", "Hm <|im_end|>."))
    assert (whole.reasoning, whole.text) == ("Hm <|im_end|>.", "Yes")
    cut = pair.session.said(prompt, [*pair.answer_tokens(prompt, "", "Hm"), *pair.inner_tokens(" so.")])
    assert (cut.reasoning, cut.text) == ("Hm so.", "")
    asked = loaded(False, **model)
    prompt = asked.chat_tokens(user("a"))
    assert spell(asked, asked.answer_tokens(prompt, "Yes", "Hm.")) == "Yes"


def test_what_tokens_say_is_told_apart(loaded):
    pair = loaded(template=OPENS)
    prompt, tokens = pair.chat_tokens(user("a")), pair.inner_tokens("Hm.\n</think>\n\nYes")
    said = pair.session.said(prompt, tokens)
    assert (said.reasoning, said.text) == ("Hm.", "Yes")
    before, between = pair.session.before_answer(prompt, tokens, 0)
    assert (spell(pair, [*before]), between) == ("Hm.\n</think>\n\n", "")
    assert pair.session.before_answer([*prompt, *tokens], pair.inner_tokens("No"), len(tokens)) == ([], "")


@pytest.mark.parametrize("answer", ["\U0001f600 a", "<b", " \nb", "\u6f22", "a"])
@pytest.mark.parametrize("reasoning", ["", "Hm.\n</think>", "Hm."])
def test_nothing_of_an_answer_comes_before_it(loaded, reasoning: str, answer: str):
    pair = loaded(control=("<think>", "</think>"))
    prompt = pair.chat_tokens(user("a"))
    opening = f"<think>{reasoning}" if reasoning else ""
    tokens = pair.target.vocabulary.tokenize(opening + answer, True)
    before, between = pair.session.before_answer(prompt, tokens, 0)
    said = pair.session.said(prompt, tokens)
    assert spell(pair, [*before]) + between + said.text == opening + answer


def test_a_token_that_ends_the_reasoning_and_begins_the_answer_is_cut(loaded):
    session = loaded(template=OPENS).session
    pieces = {1: b"<think>Hm.</think", 2: b">Yes", 3: b" sir"}
    session.piece = pieces.__getitem__
    session.reasoning = Tags("<think>", "</think>")
    assert session.before_answer([], [1, 2, 3], 0) == ([1], ">")


def test_raw_text_is_not_told_apart(loaded):
    assert loaded(raw=True, template=OPENS).session.reasoning is None


def test_a_template_that_is_given_says_how_a_model_reasons(write_tiny_model):
    with load_pair(PairConfig(target=write_tiny_model(), chat_template=SWITCHES), Interrupt()) as pair:
        assert pair.session.reasoning == THINK


def test_who_does_not_reason_says_so_when_asked_to(loaded):
    assert "is not known to reason" in " ".join(loaded(True).take_notices())
    assert not loaded(True, template=SWITCHES).take_notices()


def test_reasoning_is_no_part_of_what_a_template_is_told(loaded):
    pair = loaded(template=SWITCHES)
    told = [Message("user", "a"), Message("assistant", "b", reasoning="secret"), Message("user", "c")]
    assert "secret" not in spell(pair, pair.chat_tokens(told))
