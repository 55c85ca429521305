"""`--draft auto`: what drafts where only a target is named."""

from dataclasses import replace

import pytest

from specchat.cli.models.gains import known_gains
from specchat.speculative.bench.gains import Gain
from specchat.speculative.errors import VocabularyMismatchError
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig

from ..tiny import TinyModel, write_tiny
from .fakes import World

SAID = "small drafts, the smallest model here that fits; specchat pair shows others, --draft ngram takes none.\n"


@pytest.fixture
def home(tmp_path):
    """A home with a target, and a folder with a draft for it."""
    write_tiny(tmp_path / "big.gguf", TinyModel(width=256))
    folder = tmp_path / "models"
    folder.mkdir()
    write_tiny(folder / "small.gguf", TinyModel(layers=1))
    config = tmp_path / ".config" / "specchat" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(f"model_folders: [{folder}]\n")
    return tmp_path


def variables(home):
    return {"XDG_CONFIG_HOME": str(home / ".config"), "XDG_CACHE_HOME": str(home / "cache")}


def run(home, *arguments, command="run"):
    return World(home=lambda: home, variables=variables(home)).run(
        command, "-m", str(home / "big.gguf"), *arguments, *(() if command == "bench" else ("Hi",))
    )


@pytest.mark.parametrize("command", ["run", "complete"])
@pytest.mark.parametrize("arguments", [(), ("--draft", "auto")])
def test_the_best_draft_on_the_disk_drafts_and_that_is_said_in_a_line(home, command, arguments):
    world = run(home, *arguments, command=command)
    assert (world.pair.config.draft, world.pair.config.draft_required) == (home / "models" / "small.gguf", False)
    assert (world.code, world.err) == (0, SAID)


def test_quiet_says_nothing(home):
    world = run(home, "-q")
    assert (world.pair.config.draft, world.err) == (home / "models" / "small.gguf", "")


def test_a_benchmark_measures_what_a_run_would_use(home):
    assert run(home, "--seconds", "1", command="bench").pair.config.draft == home / "models" / "small.gguf"


def measured(home, draft, speedup):
    environment = World(home=lambda: home, variables=variables(home)).environment()
    known_gains(environment).keep(home / "big.gguf", draft, Gain(speedup, (speedup, speedup), ("code",)))


def test_a_draft_that_was_measured_is_taken_with_its_gain(home):
    measured(home, home / "models" / "small.gguf", 1.4)
    assert (
        run(home).err == "small drafts, measured 1.40 × here; specchat pair shows others, --draft ngram takes none.\n"
    )


def test_where_a_draft_was_measured_not_to_pay_n_grams_draft(home):
    measured(home, home / "models" / "small.gguf", 0.98)
    world = run(home)
    assert (world.pair.config.draft, world.err) == (
        "ngram",
        "N-grams draft: small was measured to bring no more (0.98 ×).\n",
    )
    assert run(home, "-q").err == ""


@pytest.mark.parametrize("word", ["ngram", "none"])
def test_who_names_what_drafts_gets_that(home, word):
    world = run(home, "--draft", word)
    assert (world.pair.config.draft, world.pair.config.draft_required, world.err) == (word, True, "")


@pytest.mark.parametrize("arguments", [("--verification", "rejection"), ("--draft-length", "3")])
def test_where_lengths_do_not_adapt_no_model_is_taken_unasked(home, arguments):
    assert run(home, *arguments).pair.config.draft == "ngram"


def test_where_nothing_fits_n_grams_draft_without_a_word(home):
    write_tiny(home / "models" / "small.gguf", TinyModel(layers=1, altered=(100, "é!")))
    world = run(home)
    assert (world.pair.config.draft, world.err) == ("ngram", "")


@pytest.mark.parametrize("name", ["missing.gguf", "models", "x" * 300, "notes.gguf"])
def test_a_target_that_is_no_model_is_left_to_loading(home, name):
    (home / "notes.gguf").write_text("Dear diary")
    world = World(home=lambda: home).run("run", "-m", str(home / name), "Hi")
    assert (world.code, world.pair.config.draft, world.err) == (0, "ngram", "")


def test_where_there_is_no_home_there_is_no_draft(home):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    world = World(home=homeless).run("run", "-m", str(home / "big.gguf"), "Hi")
    assert (world.code, world.pair.config.draft) == (0, "ngram")


@pytest.fixture
def misfit(tmp_path):
    """A pair whose draft does not fit."""
    target = write_tiny(tmp_path / "big.gguf", TinyModel(layers=3))
    draft = write_tiny(tmp_path / "other.gguf", TinyModel(altered=(100, "é!")))
    return PairConfig(target=target, draft=draft, target_config=LlamaConfig(n_ctx=256, threads=1))


def test_an_unfitting_draft_fails_a_run_when_it_was_named(misfit):
    with pytest.raises(VocabularyMismatchError):
        load_pair(misfit, Interrupt())


@pytest.mark.parametrize("missing", [False, True])
def test_a_draft_that_nobody_named_fails_nothing(misfit, missing, tmp_path):
    draft = tmp_path / "removed.gguf" if missing else misfit.draft
    with load_pair(replace(misfit, draft=draft, draft_required=False), Interrupt()) as pair:
        assert pair.drafted_by == ("n-grams",)
        [notice] = pair.take_notices()
    assert notice.startswith("N-grams draft alone: ")
    assert draft.name in notice or "token 100" in notice
