"""Which model drafts where nobody names one, and what finding it costs."""

import os
from pathlib import Path

import pytest

from specchat.profiles.pairing.automatic import best_stored, left_alone
from specchat.profiles.pairing.candidates import Candidate
from specchat.profiles.stores.inventory import stored_models
from specchat.profiles.stores.places import Places
from specchat.speculative.bench.gains import Gain, KnownGains
from specchat.speculative.cache import Cache

from ...tiny import TinyModel, write_tiny


@pytest.fixture
def target(tmp_path):
    return write_tiny(tmp_path / "target.gguf", TinyModel(width=256))


@pytest.fixture
def folder(tmp_path):
    """Three models that fit the target, and a smaller one that does not."""
    folder = tmp_path / "folder"
    folder.mkdir()
    write_tiny(folder / "middle.gguf", TinyModel(layers=2))
    write_tiny(folder / "small.gguf", TinyModel(layers=1))
    write_tiny(folder / "large.gguf", TinyModel(width=160))
    write_tiny(folder / "strange.gguf", TinyModel(layers=1, width=32, altered=(100, "é!")))
    return folder


def automatic(target, folder, cache=None, gains=None, has_room=lambda draft: True):
    """What is taken for a target, where `gains` are speed-ups of some drafts by name."""
    places = Places(hub=None, llama_cpp=(), lm_studio=(), ollama=(), folders=(folder,))
    known = KnownGains(Cache(folder.parent / "gains"))
    for name, speedup in (gains or {}).items():
        measured = speedup if isinstance(speedup, Gain) else gain(speedup)
        known.keep(target, name if name == "ngram" else folder / f"{name}.gguf", measured)
    return best_stored(target, stored_models(places).models, Cache(cache), known, has_room)


def gain(speedup, kinds=("code",)):
    return Gain(speedup, (speedup - 0.1, speedup + 0.1), kinds)


def best(target, folder, cache=None, gains=None):
    found = automatic(target, folder, cache, gains).draft
    return found and found.name


def test_the_smallest_that_fits_is_taken(target, folder):
    assert best(target, folder) == "small"


@pytest.mark.parametrize(
    ("fitting", "gains", "taken", "crowded"),
    [
        ({"small", "middle"}, {}, "small", None),
        ({"middle"}, {}, "middle", "small"),
        (set(), {}, None, "small"),
        ({"strange", "large"}, {}, None, "small"),
        ({"small"}, {"middle": 2.0}, "small", "middle"),
        ({"large"}, {"middle": 2.0, "large": 1.5}, "large", "middle"),
    ],
)
def test_what_has_no_room_leaves_its_place_to_the_next_that_has(target, folder, fitting, gains, taken, crowded):
    found = automatic(target, folder, gains=gains, has_room=lambda draft: draft.stem in fitting)
    assert (found.draft and found.draft.name, found.crowded and found.crowded.name) == (taken, crowded)


def test_one_of_more_than_a_third_of_the_target_is_not(target, folder):
    for name in ("small", "middle"):
        (folder / f"{name}.gguf").unlink()
    assert 3 * (folder / "large.gguf").stat().st_size > target.stat().st_size
    assert best(target, folder) is None


def test_a_third_of_a_split_target_is_a_third_of_all_its_parts(tmp_path, folder):
    parts = [write_tiny(tmp_path / f"t-{part}-of-00002.gguf", TinyModel(width=256)) for part in ("00001", "00002")]
    for name in ("small", "middle"):
        (folder / f"{name}.gguf").unlink()
    assert best(parts[0], folder) == "large"


def test_a_target_drafts_for_nobody_least_of_all_itself(tmp_path, target):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "same.gguf").symlink_to(target)
    assert best(target, folder) is None


def test_what_was_found_is_known_without_opening_a_file(target, folder, tmp_path):
    assert best(target, folder, tmp_path / "cache") == "small"
    for file in (target, *folder.iterdir()):
        spoil(file)
    assert best(target, folder, tmp_path / "cache") == "small"
    assert best(target, folder) is None


def test_a_file_that_was_written_again_is_looked_at_again(target, folder, tmp_path):
    assert best(target, folder, tmp_path / "cache") == "small"
    write_tiny(folder / "small.gguf", TinyModel(layers=1, altered=(100, "é!")))
    assert best(target, folder, tmp_path / "cache") == "middle"


def test_only_what_is_needed_is_looked_at(target, folder, tmp_path):
    best(target, folder, tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2  # strange and small, of four


def test_the_header_of_another_family_is_not_read_to_its_end(target, tmp_path):
    folder = tmp_path / "strangers"
    folder.mkdir()
    stranger = write_tiny(folder / "stranger.gguf", TinyModel(layers=1, tokenizer="spm"))
    whole = stranger.read_bytes()
    stranger.write_bytes(whole[: whole.index(b"tokenizer.ggml.scores")])
    assert best(target, folder, tmp_path / "cache") is None
    assert len(list((tmp_path / "cache").iterdir())) == 1  # what cannot be read is not kept


@pytest.mark.parametrize("content", [b"", b"GGUF", b"Dear diary", b"GGUF\3\0\0\0" + 16 * b"\xff"])
def test_damaged_files_draft_nothing_and_stop_nothing(target, folder, content):
    (folder / "aaa.gguf").write_bytes(content)
    assert best(target, folder) == "small"


@pytest.mark.parametrize("name", ["missing.gguf", "folder", "x" * 300])
def test_a_target_that_cannot_be_read_has_no_draft(tmp_path, folder, name):
    assert best(tmp_path / name, folder) is None


def test_a_target_that_is_no_model_has_no_draft(tmp_path, folder):
    (tmp_path / "notes.gguf").write_bytes(b"Dear diary" * 1_000_000)
    assert best(tmp_path / "notes.gguf", folder) is None


def test_what_was_measured_to_pay_is_taken_before_what_was_not_measured_however_large(target, folder):
    assert best(target, folder, gains={"large": 1.05}) == "large"
    assert best(target, folder, gains={"large": 1.05, "middle": 1.1, "small": 1.07}) == "middle"


def test_what_was_measured_not_to_pay_is_not_taken(target, folder):
    assert best(target, folder, gains={"small": 1.04}) == "middle"
    found = automatic(target, folder, gains={"small": 1.04, "middle": 0.9})
    assert (found.draft, found.useless.name, found.useless.gain.speedup) == (None, "small", 1.04)


def test_what_only_looks_useless_is_as_good_as_not_measured(target, folder):
    assert best(target, folder, gains={"small": Gain(0.7, None, ("code",))}) == "small"
    assert best(target, folder, gains={"large": Gain(1.5, None, ("code",))}) == "large"


def test_what_does_not_fit_is_not_taken_whatever_was_measured_of_it(target, folder):
    assert best(target, folder, gains={"strange": 2.0}) == "small"


@pytest.mark.parametrize(("ngrams", "taken"), [(1.31, "small"), (1.32, None)])
def test_where_n_grams_clearly_gain_more_no_model_is_taken(target, folder, ngrams, taken):
    for name in ("middle", "large"):
        (folder / f"{name}.gguf").unlink()
    assert best(target, folder, gains={"small": 1.25, "ngram": ngrams}) == taken


CASES = [
    (10, None, None, ""),
    (34, None, None, "it has more than a third of the target's size"),
    (34, gain(1.2), None, ""),
    (34, gain(1.2), gain(1.2), ""),
    (10, gain(1.0), None, "it was measured not to pay here"),
    (10, gain(1.2), gain(1.4), "n-grams without a model gain 1.40 ×"),
    (10, gain(1.2), gain(1.4, ("code", "prose")), ""),
]


@pytest.mark.parametrize(("size", "gained", "ngrams", "reason"), CASES)
def test_why_a_candidate_is_left_alone(size, gained, ngrams, reason):
    candidate = Candidate(name="draft", where="folder", size=size, source=None, gain=gained)
    assert left_alone(candidate, 100, ngrams) == reason


def spoil(file: Path) -> None:
    """Write nonsense into a file that leaves no mark on it from outside."""
    state = file.stat()
    file.write_bytes(bytes(state.st_size))
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
