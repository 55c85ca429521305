"""What an answer looks like while it streams: the real command line on pseudo-terminals, byte by byte."""

import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

from .terminal.case import Case, Resize  # noqa: E402
from .terminal.emulator import Screen  # noqa: E402
from .terminal.figures import Boundary, Update  # noqa: E402
from .terminal.recording import LIVE, Recording, record  # noqa: E402
from .terminal.tmux import Tmux  # noqa: E402

LOREM = "The keeper climbs, and the lamp is lit; far out a ship turns away from the rocks. "
WORDS = "".join(f"word{number} " for number in range(500))
TEXTS = {
    "paragraphs": "\n\n".join(LOREM * count for count in (3, 5, 2)),
    "one long paragraph": (LOREM * 40)[:3000],
    "longer than the screen": "".join(f"{number}. {LOREM[:number]}\n" for number in range(1, 60)),
    "chinese, japanese and korean": "灯台守は登り、灯がともる。遠くで船が向きを変える。등대지기가 오른다. 灯亮了。"
    * 12,
    "emoji": "a 👨‍👩‍👧‍👦 b 🇩🇪🇯🇵 c 👍🏽 d ❤️ e 🏳️‍🌈 f ☎️ g 👩🏿‍🚀 and then there is more. " * 9,
    "combining marks": "zu\u0308rich e\u0301te\u0301 a\u0323\u0302 नमस्ते ไทย שָׁלוֹם " * 14,
    "tabs": "a\tb\tcc\tddd\teeee\tfffff\tgggggg\thhhhhhh\tiiiiiiii\tj\n" * 12,
    "carriage returns": (LOREM + "\r\n") * 10,
    "as wide as the screen": "".join("-" * 40 + "\n" + "=" * 80 + "\n" for _ in range(8)),
}
JOINER = "\u200d"
RESIZES = {
    "80 to 40": (80, [Resize(2, 40, 24)]),
    "40 to 100": (40, [Resize(2, 100, 24)]),
    "to 20 rows": (80, [Resize(2, 80, 20)]),
    "back and forth": (80, [Resize(1, 40, 24), Resize(2, 80, 24), Resize(3, 61, 9)]),
}
BELOW = re.compile(r"\d+ tokens in [^\x1b]*seed 1")
"""What is said below an answer."""


def streaming(text: str, columns: int) -> Case:
    return Case(answers=[text], seconds=1.1, columns=columns)


def resized(columns: int, resizes: list[Resize]) -> Case:
    return Case(answers=[WORDS[:1500]], seconds=1.5, columns=columns, resizes=resizes)


STREAMING = {f"{name} at {columns}": streaming(text, columns) for name, text in TEXTS.items() for columns in (80, 40)}
RESIZED = {name: resized(*sizes) for name, sizes in RESIZES.items()}
CASES = {**STREAMING, **RESIZED}


@pytest.fixture(scope="module")
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """The recordings of all cases that the chosen tests name, made side by side."""
    calls = [
        item.callspec for item in request.session.items if item.module is request.module if hasattr(item, "callspec")
    ]
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
    answer, below = (
        written(recording)[: len(shown(recording.case.text))],
        written(recording)[len(shown(recording.case.text)) :],
    )
    assert answer == shown(recording.case.text)
    assert BELOW.fullmatch(re.sub(r"\x1b\[[02]m|\n$", "", below))


@pytest.mark.parametrize("name", STREAMING)
def test_the_screen_and_what_is_above_it_hold_the_text_once_and_no_figures(recorded, name):
    screen, text = recorded[name].screen, shown(recorded[name].case.text)
    assert screen.rows == plain(recorded[name]).rows
    lines = [line.rstrip() for line in text.split("\n")[:-1]]
    answer, below = screen.text[: len(lines)], "\n".join(screen.text[len(lines) :])
    if "\t" in text:
        answer, lines = [line.split() for line in answer], [line.split() for line in lines]
    assert answer == lines
    assert BELOW.fullmatch(below)


@pytest.mark.parametrize("name", RESIZED)
def test_after_a_resize_the_screen_is_as_if_there_had_been_no_figures(recorded, name):
    recording = recorded[name]
    assert len(recording.resized) == len(recording.case.resizes)
    assert recording.screen.rows == plain(recording).rows


@pytest.mark.parametrize("name", CASES)
def test_figures_are_seen_one_line_of_them_at_a_time_and_they_are_true(recorded, name):
    updates, (first, *boundaries) = recorded[name].updates, recorded[name].truth
    assert len(updates) >= 3, updates
    assert recorded[name].most_figures == 1
    for update in updates:
        assert any(is_true(update, boundary, first) for boundary in boundaries), update


def is_true(update: Update, boundary: Boundary, first: Boundary) -> bool:
    """Whether these are the figures of an answer at the end of a round; 1 % is for their rounding."""
    counts = [(update.context, boundary.context), (update.kept, boundary.kept), (update.guessed, boundary.guessed)]
    if any(seen not in (None, true) for seen, true in counts) or update.speed is None:
        return False
    tokens, (began_by, began), (ended, ended_by) = boundary.context - first.context, first.when, boundary.when
    return 0.99 * tokens / (ended_by - began_by) <= update.speed <= 1.01 * tokens / (ended - began)


@pytest.fixture(scope="module")
def tmux(tmp_path_factory) -> Iterator[Tmux]:
    if not shutil.which("tmux"):
        pytest.skip("no tmux")
    with Tmux(tmp_path_factory.mktemp("tmux")) as tmux:
        yield tmux


def in_tmux(tmux: Tmux, cases: Mapping[str, Case], folder: Path) -> dict[str, tuple[list[str], list[str]]]:
    """The lines that cases leave in tmux, which all run at once, and those that their answers leave without figures."""
    for name, case in cases.items():
        place = folder / name
        place.mkdir()
        case = replace(case, answers=[case.text.replace(JOINER, "")])  # what tmux makes of it depends on the time
        (place / "text").write_text(shown(case.text))
        variables = {**case.environment(place), "TERM": "tmux"}
        tmux.start(name, case.command(place), case.columns, case.rows, variables)
        tmux.start(f"plain {name}", ["cat", str(place / "text")], case.columns, case.rows)
    for name, case in cases.items():
        for resize in case.resizes:
            tmux.until(name, lambda lines: any("tokens/s" in line for line in lines))
            tmux.resize(name, resize.columns, resize.rows)
    return {name: (tmux.wait(name), tmux.wait(f"plain {name}")) for name in cases}


def test_in_tmux_too_the_text_is_there_once(tmux, tmp_path):
    names = [f"{name} at {80 if place % 2 else 40}" for place, name in enumerate(TEXTS)]
    for name, (lines, plain) in in_tmux(tmux, {name: STREAMING[name] for name in names}, tmp_path).items():
        answer = without_end(plain)
        assert lines[: len(answer)] == answer, name
        assert BELOW.fullmatch("\n".join(without_end(lines[len(answer) :]))), name


def test_tmux_breaks_the_text_anew_after_a_resize_and_it_is_there_once(tmux, tmp_path):
    """Once in a while it is resized behind a full row, forgets that, and lets the next character replace the last."""
    left = dict(RESIZED)
    for attempt in range(3):
        shown = in_tmux(tmux, {f"{name}, {attempt}": case for name, case in left.items()}, tmp_path)
        lines = {name: shown[f"{name}, {attempt}"][0] for name in left}
        left = {name: case for name, case in left.items() if lines[name][0] != case.text.rstrip()}
        for name in lines.keys() - left.keys():
            assert BELOW.fullmatch("\n".join(without_end(lines[name][1:]))), name
        if not left:
            return
    assert not left


def without_end(lines: list[str]) -> list[str]:
    """Lines without the empty ones at the end."""
    return "\n".join(lines).rstrip("\n").split("\n")
