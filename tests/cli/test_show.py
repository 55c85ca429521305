"""`specchat show`: facts and verdicts, of files and of what is on a hub."""

import json
import re

import pytest

from ..hub.standin import StandIn
from ..tiny import CHATML, TinyModel, write_tiny
from .fakes import World


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder where a person types, with four models."""
    monkeypatch.chdir(tmp_path)
    write_tiny(tmp_path / "big.gguf", TinyModel(layers=3))
    write_tiny(tmp_path / "small.gguf", TinyModel())
    write_tiny(tmp_path / "padded.gguf", TinyModel(altered=(266, "<|bos|>")))
    write_tiny(tmp_path / "other.gguf", TinyModel(altered=(100, "\x1b[31m")))
    return tmp_path


@pytest.fixture
def standin():
    with StandIn() as standin:
        yield standin


def show(folder, *arguments, **variables):
    return World(home=lambda: folder, variables=variables).run("show", *arguments)


def test_the_facts_of_a_model(folder):
    world = show(folder, "big.gguf")
    assert (world.code, world.err) == (0, "")
    assert world.out == (
        "model           big.gguf\n"
        "name            Tiny\n"
        "architecture    llama, 3 layers\n"
        "parameters      0.15 million\n"
        "quantisation    F32\n"
        f"size            {(folder / 'big.gguf').stat().st_size / 1000:.1f} kB\n"
        "context         1024 tokens\n"
        "vocabulary      300 tokens (gpt2, qwen2)\n"
        "chat template   yes\n"
        "licence         not stated\n"
        "generates text  yes\n"
        "\n"
        "memory          3.5 MB at 1024 tokens of context\n"
        "target          weights 597.8 kB, cache 393.2 kB, buffers 2.5 MB\n"
        "main memory     3.5 MB of 12.0 GB that are free\n"
        "has room        yes\n"
    )


def test_a_draft_that_fits(folder):
    world = show(folder, "big.gguf", "--draft", "small.gguf")
    assert (world.code, world.err) == (0, "")
    assert "\n\ndraft           small.gguf\n" in world.out
    assert world.out.endswith("\n\nfits            yes\n")


def test_words_in_the_place_of_a_draft_mean_what_they_do_in_a_run(folder):
    plain = show(folder, "big.gguf")
    facts, plan = plain.out.split("\n\n")
    for word, said in (("ngram", "n-grams alone"), ("none", "none"), ("auto", "n-grams alone")):
        world = show(folder, "big.gguf", "--draft", word)
        assert (world.code, world.err) == (0, "")
        assert world.out == f"{facts}\n\ndraft           {said}\n\n{plan}"
    assert json.loads(show(folder, "big.gguf", "--draft", "none", "--json").out)["draft"] is None


def test_the_draft_that_a_run_finds_is_shown(folder):
    (folder / "models").mkdir()
    write_tiny(folder / "big.gguf", TinyModel(layers=12))
    write_tiny(folder / "models" / "small.gguf", TinyModel(layers=1))
    config = folder / ".config" / "specchat"
    config.mkdir(parents=True)
    (config / "config.yaml").write_text(f"format: 1\nmodel_folders: [{folder / 'models'}]\n")
    world = show(folder, "big.gguf", "--draft", "auto")
    assert (world.code, world.err) == (0, "")
    assert f"draft           {folder / 'models' / 'small.gguf'}\n" in world.out
    assert world.out.endswith("\n\nfits            yes\n")
    run = World(home=lambda: folder).run("run", "-m", "big.gguf", "Hi")
    assert run.pair.config.draft == folder / "models" / "small.gguf"


def test_without_draft_it_is_the_plan_of_the_target_alone_which_help_says(folder):
    profiles = folder / ".config" / "specchat" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "p.yaml").write_text(f"target: {folder}/big.gguf\ndraft: {folder}/small.gguf\n")
    alone = json.loads(show(folder, "p", "--json").out)
    drafted = json.loads(show(folder, "p", "--draft", "small.gguf", "--json").out)
    assert (alone["draft"], alone["memory"]["draft"]) == (None, None)
    assert drafted["memory"]["draft"]
    assert "without --draft, of its target alone" in " ".join(World().run("show", "--help").out.split())


def test_a_draft_that_fits_but_for_a_special_token(folder):
    world = show(folder, "big.gguf", "--draft", "padded.gguf")
    assert world.code == 0
    assert world.out.endswith(
        "fits            yes\n"
        "but             1 special token differs and is never drafted: "
        "266 ('<|endoftext|>' in the target, '<|bos|>' in the draft).\n"
    )


def test_a_draft_that_does_not_fit_is_an_error_after_the_facts(folder):
    world = show(folder, "big.gguf", "--draft", "other.gguf")
    assert world.code == 6
    assert "draft           other.gguf" in world.out
    assert "fits" not in world.out
    assert world.err == (
        "error: The draft does not fit the target: their normal tokens must agree, but 1 differ, the first being token "
        "100 ('§' in the target, '\\x1b[31m' in the draft).\n"
        "hint: Choose a draft of the same model family, or draft without a model: --draft ngram.\n"
    )


def test_json_holds_facts_and_verdict(folder):
    world = show(folder, "big.gguf", "--draft", "small.gguf", "--json")
    content = json.loads(world.out)
    assert (content["fits"], content["warnings"], content["reason"]) == (True, [], None)
    facts = content["model"]
    assert (facts["file"], facts["layers"], facts["quantisation"], facts["fetched"]) == ("big.gguf", 3, "F32", True)
    assert facts["size"] == (folder / "big.gguf").stat().st_size > facts["header_size"]
    assert (content["draft"]["file"], content["draft"]["layers"]) == ("small.gguf", 2)


def test_json_of_a_draft_that_does_not_fit_says_why_and_is_an_error(folder):
    world = show(folder, "big.gguf", "--draft", "other.gguf", "--json")
    content = json.loads(world.out)
    assert (world.code, content["fits"]) == (6, False)
    assert content["reason"] in world.err
    assert "\x1b" not in world.out


def test_json_without_a_draft_has_no_verdict(folder):
    content = json.loads(show(folder, "big.gguf", "--json").out)
    assert (content["draft"], content["fits"]) == (None, None)


def test_escapes_in_a_model_are_pictures_on_the_screen(tmp_path):
    write_tiny(tmp_path / "evil.gguf", TinyModel(name="\x1b]0;owned\x07\x9b31m\n"))
    world = show(tmp_path, str(tmp_path / "evil.gguf"))
    assert "name            ␛]0;owned␇<9B>31m\n" in world.out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", show(tmp_path, str(tmp_path / "evil.gguf"), "--json").out)


def test_an_embedding_model_is_shown_and_drafts_for_nobody(folder):
    write_tiny(folder / "embed.gguf", TinyModel(metadata={"llama.pooling_type": 1}))
    said = "is an embedding model (llama): it cannot generate text."
    assert f"generates text  no: it {said}\n" in show(folder, "embed.gguf").out
    world = show(folder, "big.gguf", "--draft", "embed.gguf")
    assert world.code == 3
    assert f"error: embed.gguf {said}\n" in world.err


def test_what_is_no_model_is_told(folder):
    (folder / "notes.gguf").write_text("Dear diary")
    world = show(folder, "notes.gguf")
    assert (world.code, world.out) == (3, "")
    assert "is not a GGUF file: it starts with 'Dear'" in world.err


def test_a_model_has_to_be_named(folder):
    world = show(folder)
    assert world.code == 2
    assert world.err == "error: The MODEL is missing.\nhint: specchat show --help lists the options.\n"


def test_models_of_the_hub_are_compared_without_fetching_them(folder, standin):
    repository = {f"{name}-Q4_K_M.gguf": folder / f"{name}.gguf" for name in ("big", "other")}
    standin.add("some/models", {**repository, "x-Q8_0.gguf": folder / "small.gguf"})
    world = show(
        folder, "some/models", "--draft", "some/models:Q8_0", HF_ENDPOINT=standin.endpoint, HF_HOME=str(folder / "hub")
    )
    assert (world.code, world.err) == (0, "")
    assert world.out.startswith(
        "model           some/models/big-Q4_K_M.gguf\nchosen          some/models: Q4_K_M, of 3 models in it.\n"
    )
    assert ", not on this machine\n" in world.out
    assert world.out.endswith("fits            yes\n")
    assert standin.served <= 2 * 64 * 1024
    assert not (folder / "hub").exists()


def test_which_draft_is_found_for_a_model_that_is_not_here_is_left_open(folder, standin):
    standin.add("some/model", {"m-Q4_K_M.gguf": folder / "big.gguf"})
    hub = {"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(folder / "hub")}
    world = show(folder, "some/model", "--draft", "auto", **hub)
    assert (world.code, world.err) == (0, "")
    assert "\ndraft           what is found once the model is on this machine, or else n-grams\n" in world.out


def test_a_split_model_of_the_hub_is_as_large_as_all_its_files(folder, standin):
    whole = write_tiny(folder / "whole.gguf", TinyModel(metadata={"split.count": 2}))
    standin.add("some/model", {f"m-Q4_K_M-0000{part}-of-00002.gguf": whole for part in (1, 2)})
    world = show(folder, "some/model", HF_ENDPOINT=standin.endpoint, HF_HOME=str(folder / "hub"))
    size = 2 * whole.stat().st_size / 1000
    assert f"size            {size:.1f} kB in 2 files, not on this machine\n" in world.out


def test_offline_nobody_is_asked(folder, standin):
    world = show(folder, "some/models", "--offline", HF_ENDPOINT=standin.endpoint, HF_HOME=str(folder / "hub"))
    assert world.code == 3
    assert "not on this machine" in world.err
    assert standin.requests == []


def test_a_repository_that_is_not_there_is_an_access_error(folder, standin):
    world = show(folder, "some/models", HF_ENDPOINT=standin.endpoint, HF_HOME=str(folder / "hub"))
    assert world.code == 4


def test_a_split_model_is_as_large_as_all_its_files(folder):
    for part in (1, 2):
        write_tiny(folder / f"m-0000{part}-of-00002.gguf", TinyModel(metadata={"split.count": 2}))
    size = (folder / "m-00001-of-00002.gguf").stat().st_size
    assert f"size            {2 * size / 1000:.1f} kB in 2 files\n" in show(folder, "m-00002-of-00002.gguf").out


def test_the_template_alone(folder):
    write_tiny(folder / "bare.gguf", TinyModel(template=None))
    assert show(folder, "big.gguf", "--template").out == f"{CHATML}\n"
    assert show(folder, "bare.gguf", "--template").code == 2
    assert show(folder, "big.gguf", "--template", "--json").code == 2
