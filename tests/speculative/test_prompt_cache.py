"""What was read, kept for the next start: the same text from less work, and nothing that is not whole is ever used."""

import os
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import pytest

from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.errors import Cancelled
from specchat.speculative.events import GenerationFinished, PromptProgress
from specchat.speculative.prompt_cache import PromptCache
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session
from specchat.speculative.state_file import KeptTokens, read_tokens, write_state
from specchat.speculative.state_places import StatePlace, kept_bytes
from specchat.speculative.state_shelf import StateShelf

from .fakes import FakeModel

CHAIN = SamplerChain(SamplingParams(temperature=1.0, min_p=0.0))
DOCUMENT = [token % 26 for token in range(100)]
QUESTION, OTHER = [1, 2, 3, 4, 5], [9, 8, 7, 6]
PIECE = 8
N_CTX = 300


@dataclass
class Run:
    """A process that answers prompts, and then keeps what it read."""

    place: StatePlace
    as_new: bool = False
    forgets: bool = False
    key: str = "a model"
    told: list[str] = field(default_factory=list)
    model: FakeModel = field(init=False)
    session: Session = field(init=False)

    def __post_init__(self) -> None:
        self.model = FakeModel(26, memory=50, forgets=self.forgets)
        decoder = SpeculativeDecoder(self.model, NoDrafter(), FixedLength(0), CHAIN, lambda token: False)
        shelf = StateShelf(self.place, self.key, PIECE, self.as_new, self.told.append)
        cache = PromptCache(self.model, shelf)
        self.session = Session(
            decoder,
            piece=lambda token: bytes([97 + token]),
            n_ctx=N_CTX,
            n_batch=PIECE,
            seed=3,
            prompt_cache=cache,
        )

    def answer(self, prompt: Sequence[int], tokens: int = 20) -> GenerationFinished:
        *_, last = self.session.generate(prompt, max_tokens=tokens)
        assert isinstance(last, GenerationFinished)
        return last

    def end(self) -> "Run":
        self.session.keep()
        return self


def folder(path: Path, **changes: float) -> StatePlace:
    return replace(StatePlace(path / "states", is_folder=True, least_seconds=0.0, as_new=False), **changes)  # type: ignore[arg-type]


def file(path: Path) -> StatePlace:
    return StatePlace(path / "my.state", is_folder=False, least_seconds=0.0, as_new=False)


@pytest.fixture(params=[folder, file])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StatePlace:
    made: StatePlace = request.param(tmp_path)
    return made


def only(place: StatePlace) -> Path:
    [found] = place.path.iterdir() if place.is_folder else [place.path]
    return found


def cold(prompt: Sequence[int], tmp_path: Path) -> GenerationFinished:
    return Run(folder(tmp_path / "cold")).answer(prompt)


def test_a_warm_start_says_what_a_cold_one_says_and_reads_only_the_last_token(place, tmp_path):
    first = Run(place)
    said = first.answer(DOCUMENT)
    first.end()
    warm = Run(place)
    again = warm.answer(DOCUMENT)
    assert (again.text, again.seed) == (said.text, said.seed)
    assert again.stats.cached_tokens == len(DOCUMENT) - 1
    assert sum(warm.model.passes) == 1 + 19
    assert warm.told == []


def test_another_question_about_the_same_document_reads_only_the_question(place, tmp_path):
    first = Run(place)
    first.answer([*DOCUMENT, *QUESTION])
    first.end()
    warm = Run(place).answer([*DOCUMENT, *OTHER])
    assert warm.stats.cached_tokens == len(DOCUMENT)
    assert warm.text == cold([*DOCUMENT, *OTHER], tmp_path).text


def test_a_chat_that_goes_on_finds_its_answers_too(place):
    first = Run(place)
    answer = first.answer(DOCUMENT)
    first.end()
    warm = Run(place).answer([*DOCUMENT, *answer.tokens, *QUESTION])
    assert warm.stats.cached_tokens == len(DOCUMENT) + 19


def test_what_is_recalled_is_told_with_the_progress(place):
    first = Run(place)
    first.answer(DOCUMENT)
    first.end()
    warm = Run(place)
    events = list(warm.session.generate([*DOCUMENT, *OTHER], max_tokens=1))
    assert events[0] == PromptProgress(100, 104, 100, recalled=100)
    events = list(warm.session.generate([*DOCUMENT, *OTHER, 3, 4], max_tokens=1))
    assert events[0] == PromptProgress(104, 106, 104, recalled=0)


@pytest.mark.parametrize("shared", [0, 7, 8, 63, 64, 65, 99, 100])
@pytest.mark.parametrize("earlier", [0, 12])
def test_where_the_text_is_to_be_that_of_a_cold_start_its_passes_are_made(tmp_path, shared: int, earlier: int):
    """Also where the first run had a chat, and read its last prompt in other passes."""
    place, first = folder(tmp_path), Run(folder(tmp_path), as_new=True)
    prompt = DOCUMENT[:40]
    while earlier:
        prompt, earlier = [*prompt, *first.answer(prompt, 5).tokens, 1], earlier - 6
    first.answer([*prompt, *DOCUMENT[len(prompt) :]])
    first.end()
    asked = [*prompt, *DOCUMENT[len(prompt) :]][:shared] + [25] * 30
    warm, new = Run(place, as_new=True), Run(folder(tmp_path / "new"), as_new=True)
    said = warm.answer(asked)
    assert new.answer(asked).text == said.text
    cached = said.stats.cached_tokens
    assert cached % PIECE == 0
    assert warm.model.passes == new.model.passes[cached // PIECE :]
    assert cached <= shared
    assert cached or shared < 40


def test_what_a_chat_kept_is_read_anew_where_that_makes_another_text_and_both_are_kept(tmp_path):
    place = folder(tmp_path)
    chat = Run(place)
    text = [*DOCUMENT[:20], *chat.answer(DOCUMENT[:20], 5).tokens, *DOCUMENT]
    chat.answer(text)
    chat.end()
    for cached in (16, 120):
        run = Run(place, as_new=True)
        assert run.answer(text).stats.cached_tokens == cached
        run.end()
    assert Run(place).answer(text).stats.cached_tokens == len(text) - 1


def test_a_model_that_cannot_go_back_recalls_what_goes_on_where_it_ended(place):
    first = Run(place, forgets=True)
    answer = first.answer(DOCUMENT)
    first.end()
    said = [*DOCUMENT, *answer.tokens[:-1]]
    assert Run(place, forgets=True).answer([*said, 1, 2]).stats.cached_tokens == len(said)
    assert Run(place, forgets=True).answer([*DOCUMENT, 1]).stats.cached_tokens == 0


def test_what_is_read_quickly_is_not_kept(tmp_path):
    slow = folder(tmp_path, least_seconds=60.0)
    run = Run(slow)
    run.answer(DOCUMENT)
    run.end()
    assert not slow.path.exists()


@pytest.mark.parametrize(("as_new", "tokens"), [(False, 3), (True, 100)])
def test_another_question_does_not_write_the_document_again(tmp_path, as_new: bool, tokens: int):
    """As new, answers are no part of what is kept, however long they are."""
    place = folder(tmp_path)
    for question in (QUESTION, OTHER):
        run = Run(place, as_new=as_new)
        run.answer([*DOCUMENT, *question], tokens)
        run.end()
    assert len(list(place.path.iterdir())) == 1


def test_a_longer_state_takes_the_place_of_its_beginning(tmp_path):
    place = folder(tmp_path)
    for text in (DOCUMENT, [*DOCUMENT, *DOCUMENT[:80]]):
        run = Run(place)
        run.answer(text, tokens=1)
        run.end()
    assert len(list(place.path.iterdir())) == 1
    assert Run(place).answer([*DOCUMENT, *DOCUMENT[:80]]).stats.cached_tokens == 179


def test_the_states_that_were_not_used_for_longest_go_first(tmp_path):
    place = folder(tmp_path, limit=2000)
    texts = [[start, *DOCUMENT] for start in range(4)]
    for age, text in enumerate(texts[:3]):
        path = place.target("a model", text)
        write_state(path, "a model", KeptTokens(text, 96, 1.0, 202), memoryview(bytes(text) * 2))
        os.utime(path, (1e9 + age, 1e9 + age))
    Run(place).answer(texts[0], tokens=1)  # which is used now
    last = Run(place)
    last.answer(texts[3], tokens=1)
    last.end()
    assert kept_bytes(place.path) <= 2000
    cached = [Run(place).answer(text, tokens=1).stats.cached_tokens for text in texts]
    assert cached == [100, 0, 0, 100]


def test_what_a_process_that_was_killed_left_half_written_goes_after_a_while(tmp_path):
    place = folder(tmp_path)
    place.path.mkdir()
    for name, age in ((".old", 1e9), (".new", None)):
        (place.path / name).write_bytes(b"half")
        os.utime(place.path / name, None if age is None else (age, age))
    run = Run(place)
    run.answer(DOCUMENT)
    run.end()
    assert sorted(path.name for path in place.path.iterdir() if path.suffix != ".state") == [".new"]


def test_what_is_too_large_is_told_and_not_kept(tmp_path):
    run = Run(folder(tmp_path, limit=100))
    run.answer(DOCUMENT)
    [told] = run.end().end().told
    assert "would take 0.0 GB" in told


def test_only_its_owner_may_read_it_and_nothing_else_is_left(place):
    run = Run(place)
    run.answer(DOCUMENT)
    run.end()
    run.end()
    assert only(place).stat().st_mode & 0o077 == 0
    assert len(list(only(place).parent.iterdir())) == 1


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything may be written")
def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    tmp_path.chmod(0o500)
    run = Run(folder(tmp_path))
    run.answer(DOCUMENT)
    assert "could not be kept" in run.end().told[0]


def test_a_path_that_leads_through_a_file_is_told_and_ends_nothing(tmp_path):
    (tmp_path / "states").write_text("in the way")
    run = Run(folder(tmp_path))
    assert run.answer(DOCUMENT).stats.completion_tokens == 20
    assert "could not be kept" in run.end().told[0]


def test_a_file_that_cannot_grow_is_told_and_nothing_is_left(place, tmp_path):
    resource = pytest.importorskip("resource")
    run = Run(place)
    run.answer(DOCUMENT)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
    try:
        run.end()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "could not be kept" in run.told[0]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_ctrl_c_while_a_state_is_read_ends_the_answer_and_leaves_the_file(place):
    first = Run(place)
    first.answer(DOCUMENT)
    first.end()
    warm = Run(place)
    warm.session.interrupt.request()
    assert warm.answer([*DOCUMENT, 1]).finish_reason == "cancelled"
    assert (warm.model.loads, warm.model.cached) == ([], [])
    assert warm.answer([*DOCUMENT, 1]).stats.cached_tokens == 100


@pytest.mark.parametrize(("size", "share"), [(1 << 23, []), (1 << 25, ["50%"])])
def test_whoever_waits_for_a_large_state_sees_how_far_it_is_and_that_it_is_over(place, size, share):
    shown: list[str] = []
    shelf = StateShelf(place, "a model", PIECE, as_new=False, tell=print, progress=shown.append)
    path = place.target("a model", DOCUMENT)
    shelf.write(path, KeptTokens(DOCUMENT, 96, 1.0, size), memoryview(bytes(size)))
    assert shown == [*(f"keeping {each} of what was read" for each in share), ""]
    shown.clear()
    shelf.load(path, lambda: None)
    assert shown == [*(f"loading {each} of what was read" for each in share), ""]


HEAD = struct.Struct("<16sI32sIIdQ")
NAMES = ("magic", "version", "key", "n_tokens", "whole", "seconds", "size")


def with_head(**values: object) -> Callable[[bytes], bytes]:
    """Another head, with a checksum that is right."""

    def changed(content: bytes) -> bytes:
        head = dict(zip(NAMES, HEAD.unpack(content[: HEAD.size]), strict=True)) | values
        end = HEAD.size + 4 * 119
        body = HEAD.pack(*head.values()) + content[HEAD.size : end]
        body += blake2b(body, digest_size=32).digest() + content[end + 32 : -32]
        return body + blake2b(body, digest_size=32).digest()

    return changed


def flipped(place: int) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        damaged = bytearray(content)
        damaged[place] ^= 1
        return bytes(damaged)

    return changed


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "one byte": lambda content: content[:1],
    "the magic alone": lambda content: content[:16],
    "half a head": lambda content: content[:40],
    "the head alone": lambda content: content[: HEAD.size],
    "half the tokens": lambda content: content[: HEAD.size + 200],
    "no state": lambda content: content[: HEAD.size + 400] + content[-32:],
    "half the state": lambda content: content[:-120],
    "no checksum": lambda content: content[:-32],
    "one byte missing at the end": lambda content: content[:-1],
    "one byte missing at the start": lambda content: content[1:],
    "one byte more": lambda content: content + b"\0",
    "twice": lambda content: content * 2,
    "zeros": lambda content: bytes(len(content)),
    "a bit of the magic": flipped(3),
    "a bit of the version": flipped(16),
    "a bit of the key": flipped(25),
    "a bit of the number of tokens": flipped(52),
    "a bit of the whole passes": flipped(56),
    "a bit of the seconds": flipped(62),
    "a bit of the size": flipped(68),
    "a bit of the first token": flipped(HEAD.size),
    "a bit of the last token": flipped(HEAD.size + 4 * 118),
    "a bit of the checksum of the tokens": flipped(HEAD.size + 4 * 119 + 5),
    "a bit of the state": flipped(HEAD.size + 4 * 119 + 32 + 50),
    "the last bit of the state": flipped(-33),
    "a bit of the checksum": flipped(-1),
    "the end of the state is zeros, as after a crash": lambda content: content[:-100] + bytes(100),
    "another version": with_head(version=2),
    "another key": with_head(key=b"k" * 32),
    "more tokens than there are": with_head(n_tokens=2**31),
    "fewer tokens": with_head(n_tokens=3),
    "no tokens": with_head(n_tokens=0),
    "more whole passes than tokens": with_head(whole=10**6),
    "a time that is no number": with_head(seconds=float("nan")),
    "a time before all times": with_head(seconds=-1.0),
    "a time without end": with_head(seconds=float("inf")),
    "an immense state": with_head(size=2**63),
    "a state of no bytes": with_head(size=0),
    "a text": lambda content: b"These are my notes.\n" * 40,
    "a model": lambda content: b"GGUF" + content[4:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_what_is_damaged_is_never_loaded_and_ends_nothing(place, tmp_path, damage):
    first = Run(place)
    said = first.answer(DOCUMENT)
    first.end()
    path = only(place)
    path.write_bytes(damage(path.read_bytes()))
    warm = Run(place)
    again = warm.answer(DOCUMENT)
    assert warm.model.loads == []
    assert (again.text, again.stats.cached_tokens) == (said.text, 0)
    [sentence] = warm.end().told
    assert sentence.startswith(str(path))
    assert "so the prompt is read anew" in sentence


@pytest.mark.parametrize("damage", ["a text", "zeros", "a model", "a bit of the magic"])
def test_a_file_that_is_not_ours_is_never_written_over(tmp_path, damage):
    place = file(tmp_path)
    run = Run(place)
    run.answer(DOCUMENT)
    run.end()
    content = DAMAGES[damage](place.path.read_bytes())
    place.path.write_bytes(content)
    other = Run(place)
    other.answer(DOCUMENT)
    assert "left as it is" in other.end().told[0]
    assert place.path.read_bytes() == content


def test_what_is_damaged_is_replaced_by_what_was_read_anew(place):
    for _ in range(2):
        run = Run(place)
        run.answer(DOCUMENT)
        run.end()
        only(place).write_bytes(DAMAGES["half the state"](only(place).read_bytes()))
    run = Run(place)
    run.answer(DOCUMENT)
    run.end()
    assert Run(place).answer(DOCUMENT).stats.cached_tokens == 99


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None), lambda path: path.symlink_to("nowhere")])
def test_what_is_no_file_is_never_read_and_stays(tmp_path, make):
    place = file(tmp_path)
    make(place.path)
    run = Run(place)
    assert run.answer(DOCUMENT).stats.cached_tokens == 0
    assert "is not a file" in run.end().told[0]
    assert not place.path.is_file()


def test_a_state_that_the_model_does_not_take_is_told_and_read_anew(place, tmp_path):
    path = place.target("a model", DOCUMENT)
    write_state(path, "a model", KeptTokens(DOCUMENT, 96, 1.0, 4), memoryview(b"\1\2\3\4"))
    run = Run(place)
    assert run.answer(DOCUMENT).text == cold(DOCUMENT, tmp_path).text
    assert (run.model.loads, len(run.told)) == ([b"\1\2\3\4"], 1)


def test_the_state_of_another_model_is_not_looked_at_in_the_folder_and_told_of_a_file(place):
    first = Run(place)
    first.answer(DOCUMENT)
    first.end()
    other = Run(place, key="another model")
    assert other.answer(DOCUMENT).stats.cached_tokens == 0
    assert other.model.loads == []
    assert ["another model" in sentence for sentence in other.told] == ([] if place.is_folder else [True])


def test_nothing_is_kept_of_a_session_that_answered_nothing(place):
    Run(place).end()
    assert not place.path.exists()


def test_a_state_that_is_dearer_to_load_than_to_read_again_is_left_alone(place):
    path = place.target("a model", DOCUMENT)
    write_state(path, "a model", KeptTokens(DOCUMENT, 96, 1e-12, 200), memoryview(bytes(DOCUMENT) * 2))
    run = Run(place)
    assert run.answer(DOCUMENT).stats.cached_tokens == 0
    assert (run.model.loads, run.told) == ([], [])


def test_what_the_cache_holds_already_is_not_counted_as_saved(place):
    path = place.target("a model", DOCUMENT)
    write_state(path, "a model", KeptTokens(DOCUMENT, 96, 1e-8, 200), memoryview(bytes(DOCUMENT) * 2))
    run = Run(place)
    cache = PromptCache(run.model, StateShelf(place, "a model", PIECE, as_new=False, tell=print))
    assert cache.recall([*DOCUMENT, 1], 95) is None
    assert cache.recall([*DOCUMENT, 1], 0)


def test_a_longer_state_that_is_of_less_use_for_a_new_session_does_not_take_the_place_of_another(tmp_path):
    place = folder(tmp_path)
    path = place.target("a model", DOCUMENT[:90])
    write_state(path, "a model", KeptTokens(DOCUMENT[:90], 88, 1e-12, 180), memoryview(bytes(DOCUMENT[:90]) * 2))
    chat = Run(place)
    for prompt in (DOCUMENT[:20], DOCUMENT):
        chat.answer(prompt, 5)
    chat.end()
    assert len(list(place.path.iterdir())) == 2
    assert path.exists()


def test_reading_takes_what_it_took_at_best_in_this_run_and_short_passes_tell_nothing(tmp_path):
    place = file(tmp_path)
    write_state(place.path, "a model", KeptTokens(DOCUMENT, 96, 0.001, 200), memoryview(bytes(DOCUMENT) * 2))
    run = Run(place)
    cache = PromptCache(run.model, StateShelf(place, "a model", PIECE, as_new=False, tell=print))
    assert cache.recall([*DOCUMENT, 1], 0)
    for tokens, seconds in ((100, 10.0), (100, 2.0), (100, 5.0), (5, 0.0001)):
        cache.has_read(tokens, seconds)
    run.model.decode(QUESTION * 10, 0)
    cache.keep(run.model.cached, 0)
    assert read_tokens(place.path, "a model").seconds == 0.02


def test_an_interrupted_read_leaves_the_cache_as_it_was(place):
    first = Run(place)
    first.answer(DOCUMENT)
    first.end()
    run = Run(place)
    run.model.decode([4, 5], 0)

    def stop() -> None:
        raise Cancelled

    cache = PromptCache(run.model, StateShelf(place, "a model", PIECE, as_new=False, tell=print))
    with pytest.raises(Cancelled):
        cache.recall([*DOCUMENT, 1], 0, stop)
    assert run.model.cached == [4, 5]
