"""Which of two caches of a model a benchmark gives to whom, and who goes first."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from specchat.cli.bench.measure import measure
from specchat.cli.bench.setup import Contest
from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.bench.schedule import Plan
from specchat.speculative.bench.subject import Subject
from specchat.speculative.bench.variants import Engine, fixed, plain
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import ModelDrafter
from specchat.speculative.model import Rows
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session

from ..speculative.fakes import FakeModel
from .fakes import World

DRAFTED = "fixed 3"
PROMPT = "12301230"


@dataclass
class Watched(FakeModel):
    """A model that writes down each pass: its own name, how many tokens, and whether guesses were checked."""

    name: str = ""
    log: list[tuple[str, int, bool]] = field(default_factory=list)

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        self.log.append((self.name, len(tokens), n_logits > 1))
        return super().decode(tokens, n_logits)


def passes() -> list[tuple[str, int, bool]]:
    """Of a benchmark until all is known, with its first and its second cache called so."""
    log: list[tuple[str, int, bool]] = []
    first, second = (Watched(n_vocab=8, memory=3, name=name, log=log) for name in ("first", "second"))
    drafter = ModelDrafter(FakeModel(n_vocab=8, memory=3), lambda token: False, 1000, 8)
    chain = SamplerChain(SamplingParams(temperature=0.5))
    decoder = SpeculativeDecoder(first, drafter, FixedLength(3), chain, lambda token: False)
    session = Session(decoder, lambda token: bytes([65 + token]), 1000, 1000, 0)
    engine = Engine(session, lambda text: [int(character) for character in text])
    case = Case(Prompt("code", PROMPT), 0.8)
    contest = Contest(
        subject=Subject(title="big"),
        twin=second,
        variants={"plain": plain(engine), DRAFTED: fixed(engine, 3)},
        plan=Plan(cases=(case,), variants=(DRAFTED,), seconds=1e6),
        tokens=12,
        seed=1,
    )
    measured = measure(World().environment(), contest, quiet=True)
    assert len(measured.report.pairings) > 6
    assert not any(pair.parted for pair in measured.report.pairings)
    return log


def test_guesses_are_checked_in_either_cache():
    assert {name for name, _, checked in passes() if checked} == {"first", "second"}


def test_the_second_cache_is_woken_up_too():
    assert [name for name, _, _ in passes()[:4]] == ["second"] * 4


def test_plain_decoding_and_the_variant_take_turns_in_who_goes_first():
    """In both caches: a race begins with a pass over the prompt by whoever goes first."""
    prompts = [name for name, tokens, _ in passes() if tokens == len(PROMPT)]
    races = prompts[3:]  # before them both caches and the draft are woken up
    # a lap is a race of the variant and one of plain decoding with itself
    assert races[0:16:2] == ["second", "second"] * 2 + ["first", "first"] * 2
