"""The draft of the hub that a terminal is offered for a target that has none here."""

import json
import re
from datetime import date
from types import SimpleNamespace

import pytest

from specchat.cli.display.quantities import file_size
from specchat.speculative.devices import Device
from specchat.speculative.footprint.plan import MARGIN

from ..hub.faults import ALWAYS, Fault
from ..tiny import TinyModel, write_tiny
from .fakes import World

DRAFT = "some/Tiny-Coder-1B-GGUF"


@pytest.fixture
def place(standin, tmp_path):
    """A target of a family of which the hub has a draft, and a way to run it at a terminal with `lines` typed."""
    target = write_tiny(tmp_path / "big.gguf", TinyModel(width=256, name="Tiny Coder 8B"))
    write_tiny(tmp_path / "small.gguf", TinyModel(layers=1))
    write_tiny(tmp_path / "other.gguf", TinyModel(layers=1, width=32, altered=(100, "odd")))
    variables = {
        "HF_ENDPOINT": standin.endpoint,
        "HF_HOME": str(tmp_path / "hf"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }

    def run(*arguments, lines=(), **settings):
        settings = {"screen": True, "stdin": None, "conceivable_gain": 1.9, **settings}
        world = World(home=lambda: tmp_path, variables=variables, lines=lines, **settings)
        return world.run("run", "-m", str(target), *arguments, "Hi")

    def drafts():
        return [path for path in (tmp_path / "hf").rglob("*.gguf") if path.is_file()]

    standin.add(DRAFT, {"small-Q8_0.gguf": tmp_path / "small.gguf"})
    standin.add("some/Tiny-Coder-0.5B-GGUF", {"other-Q8_0.gguf": tmp_path / "other.gguf"})
    return SimpleNamespace(run=run, standin=standin, drafts=drafts, variables=variables, folder=tmp_path)


def said(world):
    """What is on the screen, on one line."""
    return " ".join(re.sub(r"[^\n]*\r\x1b\[K|\x1b\[[0-9]*m", "", world.out).split())


def test_the_best_that_fits_is_offered_and_fetched_after_a_yes(place):
    world = place.run(lines=["y"])
    assert world.code == 0
    size = file_size((place.folder / "small.gguf").stat().st_size)
    assert (
        f"No model here drafts for big.gguf. {DRAFT} fits ({size}, licence: apache-2.0); on this machine it could make "
        "answers up to 1.9 times as fast. Download it? [y/N] y" in said(world)
    )
    [draft] = place.drafts()
    assert world.pair.config.draft.resolve() == draft.resolve()
    place.standin.requests.clear()
    assert place.run().pair.config.draft.resolve() == draft.resolve()
    assert place.standin.requests == []


@pytest.mark.parametrize("lines", [["n"], [""], []])
def test_without_a_yes_nothing_is_fetched_and_the_question_does_not_come_again(place, lines):
    world = place.run(lines=lines)
    assert (world.code, world.pair.config.draft, place.drafts()) == (0, "ngram", [])
    place.standin.requests.clear()
    assert "Download" not in place.run(lines=["y"]).out
    assert place.standin.requests == []


def test_where_no_draft_can_pay_that_is_said_once_and_none_is_offered(place):
    world = place.run(lines=["y"], conceivable_gain=1.1)
    assert (
        "N-grams draft alone: no draft model can pay here, where some/Tiny-Coder-1B-GGUF could reach 1.10 × at most."
        in said(world)
    )
    assert "Download" not in world.out
    assert place.drafts() == []
    assert "can pay" not in place.run(lines=["y"]).out


def test_costs_are_measured_before_they_are_judged(place):
    loaded = []
    world = place.run(on_load=loaded.append, lines=["n"])
    assert world.code == 0
    assert [pair.costs_measured for pair in loaded] == [True, False]
    assert loaded[0].closed


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ((), {"stdin": b""}),
        ((), {"screen": False}),
        (("-q",), {}),
        (("--offline",), {}),
        (("--draft", "ngram"), {}),
        (("--draft-length", "3"), {}),
    ],
)
def test_nobody_is_asked_who_may_not_be_there_or_wants_something_else(place, arguments, settings):
    world = place.run(*arguments, lines=["y"], **settings)
    assert (world.code, place.standin.requests, place.drafts()) == (0, [], [])


def test_what_a_script_captures_at_a_terminal_holds_no_question(place):
    world = place.run(screen=False, stdin=None, lines=["y"])
    assert (world.code, world.out, place.standin.requests) == (0, "Hello.\n", [])


def test_without_a_place_to_remember_it_nobody_is_asked(place):
    del place.variables["XDG_CACHE_HOME"]

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    world = World(home=homeless, variables=place.variables, screen=True, stdin=None, lines=["y"])
    assert world.run("run", "-m", str(place.folder / "big.gguf"), "Hi").code == 0
    assert place.standin.requests == []


def test_a_hub_that_does_not_answer_stops_nothing_and_is_asked_again_another_day(place):
    fault = place.standin.inject(Fault(status=503, times=ALWAYS))
    world = place.run(lines=["y"])
    assert (world.code, world.pair.config.draft) == (0, "ngram")
    assert "Hello." in world.out
    place.standin.faults.remove(fault)
    place.standin.requests.clear()
    assert place.run(lines=["y"]).pair.config.draft == "ngram"
    assert place.standin.requests == []
    assert place.run(lines=["y"], today=date(2026, 2, 1)).pair.config.draft != "ngram"


def test_a_header_that_does_not_arrive_is_no_verdict(place):
    fault = place.standin.inject(Fault("/resolve/", status=503, times=ALWAYS))
    assert place.run(lines=["y"]).pair.config.draft == "ngram"
    place.standin.faults.remove(fault)
    assert place.run(lines=["y"], today=date(2026, 2, 1)).pair.config.draft != "ngram"


def test_a_gated_model_of_the_family_does_not_stand_in_the_way(place):
    place.standin.repositories["some/Tiny-Coder-0.5B-GGUF"].gated = True
    assert place.run(lines=["y"]).pair.config.draft != "ngram"


def test_a_download_that_fails_is_offered_again(place):
    fault = place.standin.inject(Fault("/cdn/", skip=2, status=404, times=ALWAYS))  # behind the headers
    assert place.run(lines=["y"]).code != 0
    place.standin.faults.remove(fault)
    assert place.run(lines=["y"]).pair.config.draft != "ngram"


def test_an_address_of_the_hub_that_makes_no_sense_stops_nothing(place):
    place.variables["HF_ENDPOINT"] = "nonsense"
    assert place.run(lines=["y"]).code == 0


def test_where_all_are_too_large_that_is_said_once(place):
    place.standin.repositories.clear()
    large = write_tiny(place.folder / "large.gguf", TinyModel(width=160))
    place.standin.add(DRAFT, {"large-Q8_0.gguf": large})
    told = "N-grams draft: the hub has nothing of this family with at most a third of the target's size."
    assert told in said(place.run(lines=["y"]))
    assert told not in said(place.run(lines=["y"]))


def test_where_nothing_fits_nothing_is_said(place):
    del place.standin.repositories[DRAFT]
    world = place.run(lines=["y"])
    assert (world.code, world.pair.config.draft) == (0, "ngram")
    assert "draft" not in world.transcript.lower()


DEEP, WIDE = "some/Tiny-Coder-0.6B-GGUF", "some/Tiny-Coder-1.1B-GGUF"
"""The first has the smaller file, and the larger cache."""
MUCH = 10**10


@pytest.fixture
def drafts(place):
    """Two drafts that fit, on the hub alone."""
    place.standin.repositories.clear()
    files = {
        DEEP: write_tiny(place.folder / "deep.gguf", TinyModel(layers=24, width=16, n_ctx=65536)),
        WIDE: write_tiny(place.folder / "wide.gguf", TinyModel(layers=1, width=96, n_ctx=65536)),
    }
    write_tiny(place.folder / "big.gguf", TinyModel(width=256, name="Tiny Coder 8B", n_ctx=65536))
    for name, file in files.items():
        place.standin.add(name, {f"{file.stem}-Q8_0.gguf": file})
    return files


def card_for(place, *drafts):
    """Main memory, and a card with room for the target and for each of these files beside it, but for no more."""
    devices = (_device("CPU", MUCH), _device("CUDA0", MUCH))
    needs = [_needed(place, draft, devices) for draft in drafts or (place.folder / "big.gguf",)]
    room = sum(needs[0]["target"].values()) + sum(sum(each["draft"].values()) for each in needs if drafts)
    return (devices[0], _device("CUDA0", room))


def _needed(place, draft, devices):
    """What target and draft need of the second of the devices."""
    world = World(home=lambda: place.folder, devices=devices)
    world.run("show", str(place.folder / "big.gguf"), "--draft", str(draft), "-c", "8192", "--json")
    return json.loads(world.out)["memory"]["places"][1]


def _device(name, room):
    return Device(name, name, MARGIN + room, 2 * (MARGIN + room), "CPU" if name == "CPU" else "GPU")


def test_with_room_for_both_the_smaller_is_offered(place, drafts):
    world = place.run("-c", "8192", lines=["n"], devices=card_for(place, drafts[DEEP]))
    assert f"{DEEP} fits (" in said(world)


def test_where_the_smallest_has_no_room_the_next_is_offered(place, drafts):
    world = place.run("-c", "8192", lines=["y"], devices=card_for(place, drafts[WIDE]))
    assert f"No model here drafts for big.gguf. {WIDE} fits (" in said(world)
    [fetched] = place.drafts()
    assert world.pair.config.draft.resolve() == fetched.resolve()
    assert fetched.stat().st_size == drafts[WIDE].stat().st_size


def test_where_none_has_room_n_grams_draft_nothing_is_fetched_and_it_is_tried_again_another_day(place, drafts):
    full = card_for(place)
    world = place.run("-c", "8192", lines=["y"], devices=full)
    assert (world.code, world.pair.config.draft, place.drafts()) == (0, "ngram", [])
    assert f"N-grams draft. {DEEP} fits, but has no room beside the target: --draft takes it nevertheless." in said(
        world
    )
    assert "Download" not in world.out
    free = card_for(place, *drafts.values())
    place.standin.requests.clear()
    assert place.run("-c", "8192", lines=["y"], devices=free).pair.config.draft == "ngram"
    assert place.standin.requests == []
    tomorrow = place.run("-c", "8192", lines=["y"], devices=free, today=date(2026, 2, 1))
    assert tomorrow.pair.config.draft != "ngram"


CROWDED = "N-grams draft. deep fits, but has no room beside the target: --draft takes it nevertheless."


@pytest.fixture
def tight(place, drafts):
    """Devices with room for one of the drafts; the other one is on this machine, and no longer on the hub."""
    models = place.folder / "models"
    models.mkdir()
    drafts[DEEP].rename(models / "deep.gguf")
    del place.standin.repositories[DEEP]
    config = place.folder / ".config" / "specchat" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(f"format: 1\nmodel_folders: [{models}]\n")
    return card_for(place, drafts[WIDE])


@pytest.mark.parametrize(("answer", "taken"), [("y", True), ("n", False)])
def test_where_the_one_on_this_machine_has_no_room_one_of_the_hub_that_has_is_offered(place, tight, answer, taken):
    world = place.run("-c", "8192", lines=[answer], devices=tight)
    assert f"deep has no room beside big.gguf. {WIDE} fits (" in said(world)
    assert (len(place.drafts()) == 1, world.pair.config.draft != "ngram") == (taken, taken)
    assert (CROWDED in said(world)) == (not taken)
    again = place.run("-c", "8192", devices=tight)
    assert (CROWDED in said(again), "Download" in again.out) == (not taken, False)


def test_where_it_has_no_room_and_none_of_the_hub_can_pay_one_line_says_why_n_grams_draft(place, tight):
    told = said(place.run("-c", "8192", lines=["y"], devices=tight, conceivable_gain=1.1))
    assert CROWDED in told
    assert told.count("N-grams draft") == 1
