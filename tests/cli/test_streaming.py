"""What an answer looks like while it streams: the real command line on pseudo-terminals, byte by byte."""

import re
import sys

import pytest

pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

from .terminal.emulator import Screen  # noqa: E402
from .terminal.recording import Case, Recording, Resize, record  # noqa: E402

LOREM = "The keeper climbs, and the lamp is lit; far out a ship turns away from the rocks. "
WORDS = "".join(f"word{number} " for number in range(500))
TEXTS = {
    "paragraphs": "\n\n".join(LOREM * count for count in (3, 5, 2)),
    "one long paragraph": (LOREM * 40)[:3000],
    "longer than the screen": "".join(f"{number}. {LOREM[:number]}\n" for number in range(1, 60)),
    "chinese, japanese and korean": "灯台守は登り、灯がともる。遠くで船が向きを変える。등대지기가 오른다. 灯亮了。" * 12,
    "emoji": "a 👨‍👩‍👧‍👦 b 🇩🇪🇯🇵 c 👍🏽 d ❤️ e 🏳️‍🌈 f ☎️ g 👩🏿‍🚀 and then there is more. " * 9,
    "combining marks": "zu\u0308rich e\u0301te\u0301 a\u0323\u0302 नमस्ते ไทย שָׁלוֹם " * 14,
    "tabs": "a\tb\tcc\tddd\teeee\tfffff\tgggggg\thhhhhhh\tiiiiiiii\tj\n" * 12,
    "carriage returns": (LOREM + "\r\n") * 10,
    "as wide as the screen": "".join("-" * 40 + "\n" + "=" * 80 + "\n" for _ in range(8)),
}
RESIZES = {
    "80 to 40": (80, [Resize(2, 40, 24)]),
    "40 to 100": (40, [Resize(2, 100, 24)]),
    "to 20 rows": (80, [Resize(2, 80, 20)]),
    "back and forth": (80, [Resize(1, 40, 24), Resize(2, 80, 24), Resize(3, 61, 9)]),
}
LIVE = re.compile(
    rb"\x1b\[J\x1bD\x1b\[A\x1b7\x1b\[B\r(?:\x1b\[2m)?[^\x00-\x1f\x7f]*(?:\x1b\[0m)?\x1b8|\x1b\[J"
)
"""All that a live line may write."""
BELOW = re.compile(r"\d+ tokens in [^\x1b]*seed 1")
"""What is said below an answer."""


def streaming(text: str, columns: int) -> Case:
    return Case(answers=[text], seconds=1.3, columns=columns)


def resized(columns: int, resizes: list[Resize]) -> Case:
    return Case(answers=[WORDS[:1500]], seconds=1.3, columns=columns, resizes=resizes)


STREAMING = {f"{name} at {columns}": streaming(text, columns) for name, text in TEXTS.items() for columns in (80, 40)}
RESIZED = {name: resized(*sizes) for name, sizes in RESIZES.items()}
CASES = {**STREAMING, **RESIZED}


@pytest.fixture(scope="module")
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """The recordings of all cases that the chosen tests name, made side by side."""
    calls = [item.callspec for item in request.session.items if item.module is request.module if hasattr(item, "callspec")]
    names = {call.params["name"] for call in calls if "name" in call.params}
    found = {name: Recording(CASES[name], tmp_path_factory.mktemp("terminal")) for name in sorted(names)}
    record(list(found.values()))
    return found


def plain(recording: Recording) -> Screen:
    """The same terminal, resized at the same places, had nothing but the text and what is below it been written."""
    screen = Screen(recording.case.columns, recording.case.rows)
    stream, start = pyte.ByteStream(screen), 0
    for place, resize in [*recording.resized, (len(recording.raw), None)]:
        stream.feed(LIVE.sub(b"", recording.raw[start:place]))
        start = place
        if resize:
            screen.resize(resize.rows, resize.columns)
    return screen


def written(recording: Recording) -> str:
    """What was written besides the live line, with the line breaks of a program."""
    return LIVE.sub(b"", recording.raw).decode().replace("\r\n", "\n")


def shown(text: str) -> str:
    """An answer as a terminal gets it."""
    return text.replace("\r\n", "\n").rstrip("\n") + "\n"


@pytest.mark.parametrize("name", CASES)
def test_the_bytes_are_those_of_the_text_once_besides_the_live_line(recorded, name):
    recording = recorded[name]
    assert recording.code == 0
    answer, below = written(recording)[: len(shown(recording.case.text))], written(recording)[len(shown(recording.case.text)) :]
    assert answer == shown(recording.case.text)
    assert BELOW.fullmatch(re.sub(r"\x1b\[[02]m|\n$", "", below))


@pytest.mark.parametrize("name", STREAMING)
def test_the_screen_and_what_is_above_it_hold_the_text_once_and_no_figures(recorded, name):
    screen = recorded[name].screen
    assert screen.rows == plain(recorded[name]).rows
    answer = [line.rstrip().expandtabs() for line in shown(recorded[name].case.text).split("\n")]
    assert screen.text[: len(answer) - 1] == answer[:-1]
    assert BELOW.fullmatch("\n".join(screen.text[len(answer) - 1 :]))


@pytest.mark.parametrize("name", RESIZED)
def test_after_a_resize_the_screen_is_as_if_there_had_been_no_figures(recorded, name):
    recording = recorded[name]
    assert len(recording.resized) == len(recording.case.resizes)
    assert recording.screen.rows == plain(recording).rows


@pytest.mark.parametrize("name", STREAMING)
def test_figures_are_seen_and_true(recorded, name):
    recording = recorded[name]
    assert len(recording.updates) >= 3
    assert recording.most_figures == 1
    truth = {each.context: each for each in recording.truth}
    first = recording.truth[0]
    for update in recording.updates:
        fits = [each for each in truth.values() if (each.kept, each.guessed) == (update.kept or 0, update.guessed or 0)]
        assert fits, update
        boundary = truth[update.context] if update.context else fits[0]
        assert (boundary.kept, boundary.guessed) == (update.kept or 0, update.guessed or 0)
        tokens = boundary.context - first.context
        slowest, quickest = tokens / (boundary.when[1] - first.when[0]), tokens / (boundary.when[0] - first.when[1])
        assert 0.9 * slowest <= update.speed <= 1.1 * quickest
