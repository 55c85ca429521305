"""Whatever is done in a chat, the caches agree with a new process that was told the same messages."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specchat.cli.answering.speaker import Speaker
from specchat.cli.chat.conversation import Conversation
from specchat.cli.chat.dialogue import Dialogue
from specchat.cli.chat.keeper import Keeper
from specchat.cli.chat.pair import ChatPair
from specchat.cli.options import OutputOptions
from specchat.cli.request import Limits
from specchat.profiles.settings import Settings
from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig

from ..cli.fakes import World
from ..quantised import in_eight_bits
from ..tiny import Architecture

# under which no bit depends on how a prompt is cut into passes: weights in 8 bits, and a cache that is not f16
ONE_THREAD = LlamaConfig(threads=1, n_ctx=1024, cache_type_k="bf16", cache_type_v="bf16")
STEPS = ("ask", "again", "go on", "undo", "edit", "stop", "short", "system", "draft off", "draft on", "hot")


def config(target, draft) -> PairConfig:
    return PairConfig(
        target=target, draft=draft, target_config=ONE_THREAD, draft_config=ONE_THREAD, sampling={"temperature": 0}
    )


@dataclass(frozen=True)
class TheseModels:
    """The models of a chat that never gets others."""

    pair: Pair

    def renamed(self, target: str | None, draft: str | None) -> "TheseModels":
        return self

    def config(self) -> PairConfig:
        return self.pair.config

    def load(self, config: PairConfig) -> Pair:
        return self.pair


def dialogue(pair: Pair, tokens: int = 12) -> Dialogue:
    speaker = Speaker(World().environment(), pair, Limits(max_tokens=tokens, stop=()), OutputOptions(quiet=True))
    return Dialogue(ChatPair(speaker, TheseModels(pair)), Keeper(lambda _: None))


def do(chat: Dialogue, step: str, count: int) -> None:
    turns = chat.conversation.turns
    match step:
        case "ask":
            chat.answer(f"Question {count}, and why?")
        case "again" if turns:
            chat.answer_again()
        case "go on" if turns:
            chat.go_on()
        case "undo" if turns:
            chat.take_back()
        case "edit" if turns:
            chat.answer(chat.take_back().replace("why", "how"))
        case "stop":
            stopped(chat, lambda: chat.answer(f"Question {count}, stopped."))
        case "short":
            chat.who.change(Settings(stop=("e",) if count % 2 else ()))
        case "system":
            chat.set_system(f"Rule {count}." if count % 2 else None)
        case "draft off":
            chat.who.draft(False)
        case "draft on":
            chat.who.draft(True)
        case "hot":
            chat.who.change(Settings(temperature=0.9 if count % 2 else 0.0))


def stopped(chat: Dialogue, action: Callable[[], None]) -> None:
    """Let Ctrl-C come while the answer is shown."""
    keeper = chat.keeper

    class Impatient(Keeper):
        def show(self, text: str) -> None:
            chat.pair.session.interrupt.request()

    chat.keeper = Impatient(lambda _: None)
    action()
    chat.keeper = keeper


def next_tokens(pair: Pair, chat: Dialogue) -> tuple[int, ...]:
    prompt = pair.chat_tokens(chat.conversation.asking("And now?"))
    *_, finished = pair.session.generate(prompt, max_tokens=32)
    assert isinstance(finished, GenerationFinished)
    return finished.tokens


PAIRS = (
    *(({"architecture": kind},) * 2 for kind in get_args(Architecture) if kind != "llama"),
    ({"architecture": "llama"}, {"architecture": "jamba"}),
    ({"architecture": "jamba"}, {"architecture": "llama"}),
    ({"experts": 4}, {"experts": 4}),
)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(STEPS), max_size=9))
def test_caches_and_messages_agree_with_a_new_process(write_tiny_model, steps):
    agree(write_tiny_model(), write_tiny_model(noise=0.1), steps)


@pytest.mark.parametrize(("target", "draft"), PAIRS, ids=lambda model: "-".join(map(str, model.values())))
@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(STEPS), max_size=9))
def test_so_they_do_with_other_architectures(write_tiny_model, target, draft, steps):
    agree(write_tiny_model(**target), write_tiny_model(**draft, noise=0.1), steps)


def agree(target, draft, steps):
    files = config(in_eight_bits(target), in_eight_bits(draft))
    with load_pair(files, Interrupt()) as pair, load_pair(files, Interrupt()) as fresh:
        chat = dialogue(pair)
        for count, step in enumerate(steps):
            do(chat, step, count)
            roles = [message.role for message in chat.conversation.turns]
            assert roles == ["user", "assistant"] * (len(roles) // 2)
        chat.who.change(Settings(temperature=0.0))
        assert next_tokens(pair, chat) == next_tokens(fresh, chat)
        chat.who.draft(True)


def test_an_answer_that_goes_on_is_the_longer_answer(tiny_model_path):
    with load_pair(config(tiny_model_path, "ngram"), Interrupt()) as pair:
        chat, whole = dialogue(pair, 10), dialogue(pair, 30)
        chat.answer("Hi")
        chat.go_on()
        chat.go_on()
        whole.answer("Hi")
        assert chat.conversation.answer == whole.conversation.answer


def test_a_sampled_answer_goes_on_with_its_own_seed(tiny_model_path):
    with load_pair(config(tiny_model_path, "ngram"), Interrupt()) as pair:
        chat = dialogue(pair, 10)
        chat.who.change(Settings(temperature=1.0))
        chat.answer("Hi")
        seed = chat.last.finished.seed
        chat.go_on()
        prompt = pair.chat_tokens(Conversation().asking("Hi"))
        *_, finished = pair.session.generate(prompt, max_tokens=20, seed=seed)
        assert tuple(chat.last.tokens) == finished.tokens


def test_the_answer_after_a_seed_was_set_is_that_of_a_new_chat_with_it(tiny_model_path):
    hot = replace(config(tiny_model_path, "none"), sampling={"temperature": 1.0})
    with load_pair(hot, Interrupt()) as pair, load_pair(replace(hot, seed=5), Interrupt()) as fresh:
        chat, new = dialogue(pair), dialogue(fresh)
        chat.answer("Hi")
        new.conversation.turns += chat.conversation.turns
        chat.who.set_seed(5)
        for question in ("Why?", "And now?"):
            chat.answer(question)
            new.answer(question)
        assert chat.conversation.turns == new.conversation.turns
