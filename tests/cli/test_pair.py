"""`specchat pair`: who can draft, in which order, and why others cannot."""

import json
import mmap
import re
import shutil

import pytest

from specchat.cli.models.gains import known_gains
from specchat.speculative.bench.gains import Gain

from ..tiny import TinyModel, write_tiny
from .fakes import World

DIFFERS = (
    "The draft does not fit the target: their normal tokens must agree, but 1 differ, the first being token 100 "
    r"('§' in the target, '\x1b[31m' in the draft)."
)


@pytest.fixture
def home(tmp_path):
    """A home with a folder of models that the config file names."""
    folder = tmp_path / "models"
    folder.mkdir()
    write_tiny(folder / "big.gguf", TinyModel(width=256))
    write_tiny(folder / "large.gguf", TinyModel(width=160))
    write_tiny(folder / "small.gguf", TinyModel(layers=1))
    write_tiny(folder / "other.gguf", TinyModel(layers=1, altered=(100, "\x1b[31m")))
    return configured(tmp_path, folder)


def configured(home, folder):
    config = home / ".config" / "specchat" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(f"model_folders: [{folder}]\n")
    return home


def pair(home, *arguments, **settings):
    return World(home=lambda: home, variables={"XDG_CONFIG_HOME": str(home / ".config")}, **settings).run(
        "pair", *arguments
    )


def columns(line):
    return re.split(r" {2,}", re.sub(r"\d+\.\d kB|\d\.\d MB", "#", line))


def test_those_that_fit_come_first_and_the_smaller_of_them(home):
    world = pair(home, "big")
    assert (world.code, world.err) == (0, "")
    assert [columns(line) for line in world.out.splitlines()] == [
        ["fits", "size", "ratio", "gain", "where", "licence"],
        ["small", "#", "0.06", "unknown", "folder", "not stated"],
        ["large", "#", "0.42", "unknown", "folder", "not stated"],
        ["", "--draft auto leaves it alone: it has more than a third of the target's size."],
        [""],
        ["does not fit", "size", "ratio", "where", "licence"],
        ["other", "#", "0.06", "folder", "not stated"],
        [
            "",
            DIFFERS,
        ],
    ]


def test_json_says_the_same(home):
    content = json.loads(pair(home, str(home / "models" / "big.gguf"), "--json").out)
    assert content["model"]["size"] == (home / "models" / "big.gguf").stat().st_size
    told = [(each["name"], each["fits"], each["automatic"]) for each in content["drafts"]]
    assert told == [("small", True, True), ("large", True, False), ("other", False, False)]
    assert [bool(each["reason"]) for each in content["drafts"]] == [False, False, True]


def measured(home, draft, speedup, interval=True):
    """Keep a gain of the target with a draft, as a benchmark does."""
    target = home / "models" / "big.gguf"
    file = draft if draft == "ngram" else home / "models" / f"{draft}.gguf"
    environment = World(home=lambda: home).environment()
    ends = (speedup - 0.1, speedup + 0.1) if interval else None
    known_gains(environment).keep(target, file, Gain(speedup, ends, ("code", "list")))


def test_what_was_measured_decides_the_order_and_is_shown(home):
    measured(home, "large", 1.3)
    lines = pair(home, "big").out.splitlines()[1:3]
    assert [columns(line)[0:4:3] for line in lines] == [["large", "1.30 ×"], ["small", "unknown"]]
    measured(home, "small", 0.97)
    measured(home, "large", 1.06)
    lines = pair(home, "big").out.splitlines()
    assert [columns(line)[0:4:3] for line in lines[1:3]] == [["large", "1.06 ×"], ["small", "0.97 ×"]]
    assert lines[3] == "    --draft auto leaves it alone: it was measured not to pay here."


def test_a_gain_that_little_was_measured_for_looks_like_it(home):
    measured(home, "small", 1.37, interval=False)
    assert columns(pair(home, "big").out.splitlines()[1])[3] == "~1.4 ×"
    assert json.loads(pair(home, "big", "--json").out)["drafts"][0]["gain"]["interval"] is None


def test_json_has_the_gains_with_intervals_and_kinds(home):
    measured(home, "large", 1.25)
    measured(home, "ngram", 2.0)
    content = json.loads(pair(home, "big", "--json").out)
    large, small, _ = content["drafts"]
    assert large["gain"] == {"speedup": 1.25, "interval": [1.15, 1.35], "kinds": ["code", "list"]}
    assert content["ngram_gain"]["speedup"] == 2.0
    assert (small["gain"], small["automatic"], large["automatic"]) == (None, True, False)


def test_what_is_not_smaller_is_no_draft(home):
    world = pair(home, "small")
    assert (world.code, world.out) == (0, "")
    assert world.err == (f"No model can draft for {home}/models/small.gguf; n-grams can, and need no model.\n")


def test_nothing_is_loaded(home):
    assert pair(home, "big").pair is None


def test_damaged_and_other_files_are_told_with_the_reason(home):
    (home / "models" / "broken.gguf").write_bytes(b"GGUF")
    write_tiny(home / "models" / "embed.gguf", TinyModel(metadata={"llama.pooling_type": 1}))
    world = pair(home, "big")
    assert "broken.gguf" not in world.err
    assert "    broken ends after 4 bytes, in the middle of its header.\n" in world.out
    assert "    It is an embedding model (llama): it cannot generate text.\n" in world.out


def test_escapes_in_names_are_pictures(home):
    (home / "models" / "small.gguf").rename(home / "models" / "\x1b[31msmall.gguf")
    world = pair(home, "big", screen=True, columns=200)
    assert "␛[31msmall" in world.out
    assert "\x1b[31msmall" not in world.out


def test_a_narrow_terminal_gets_more_lines(home):
    world = pair(home, "big", screen=True, columns=30)
    assert "small\n    " in world.out
    assert "ratio 0.06" in world.out
    assert "ratio  " not in world.out


def test_a_model_that_is_not_there_is_told(home):
    world = pair(home, "bog")
    assert world.code == 3
    assert "There is no model called bog. Did you mean big?" in world.err.replace("\nhint:", "")


def test_a_target_that_generates_no_text_has_no_drafts(home):
    write_tiny(home / "models" / "embed.gguf", TinyModel(metadata={"llama.pooling_type": 1}))
    assert pair(home, "embed").code == 3


@pytest.mark.models
def test_real_models_come_in_the_order_that_bench_measures_with_the_right_reasons(models, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    qwen = "qwen2.5-coder-0.5b-instruct"
    target, fast, slow = "qwen2.5-coder-1.5b-instruct-f16", f"{qwen}-q4_0", f"{qwen}-q4_k_m"
    stranger = "smollm2-135m-instruct-q4_1"
    for name in (target, fast, slow, stranger):
        (folder / f"{name}.gguf").symlink_to(models / f"{name}.gguf")
    altered = folder / "altered.gguf"
    shutil.copyfile(models / f"{fast}.gguf", altered)
    replace_token(altered, b"Hello", b"H\xc4\xa4l\xc3")
    drafts = json.loads(pair(configured(tmp_path, folder), target, "--offline", "--json").out)["drafts"]
    assert [(each["name"], each["fits"]) for each in drafts] == [
        (fast, True),
        (slow, True),
        (stranger, False),
        ("altered", False),
    ]
    assert "token 17 ('2' in the target, '!' in the draft)" in drafts[2]["reason"]
    assert "but 1 differ, the first being token 9707 ('Hello' in the target" in drafts[3]["reason"]


def replace_token(file, old, new):
    """Another text of the same length for a token in a model's file."""
    with file.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as content:
        place = content.find(len(old).to_bytes(8, "little") + old) + 8
        content[place : place + len(new)] = new


@pytest.fixture
def away(home):
    """The same home with a target of a family, which the hub may have more of."""
    write_tiny(home / "models" / "big.gguf", TinyModel(width=256, name="Tiny Coder 8B"))
    return home


def pair_on(standin, home, *arguments):
    variables = {
        "XDG_CONFIG_HOME": str(home / ".config"),
        "HF_ENDPOINT": standin.endpoint,
        "HF_HOME": str(home / "hub"),
    }
    return World(home=lambda: home, variables=variables).run("pair", "big", *arguments)


def publish(standin, home):
    """Siblings and a trained draft, one of which is too large, one of another family and one that does not fit."""
    small, other = home / "models" / "small.gguf", home / "models" / "other.gguf"
    standin.add("some/Tiny-Coder-1B-GGUF", {"a-Q8_0.gguf": small, "a-Q4_K_M.gguf": home / "models" / "large.gguf"})
    standin.add("some/Tiny-Coder-2B-GGUF", {"b-Q4_K_M.gguf": other})
    standin.add("some/Tiny-Coder-3B-GGUF", {"c-Q4_K_M.gguf": small})
    standin.add("some/Tiny-1B-GGUF", {"d-Q4_K_M.gguf": small})
    standin.add("other/Tiny-Coder-DRAFT-0.5B-GGUF", {"e-Q4_0.gguf": small})


def test_the_hub_has_siblings_and_trained_drafts(standin, away):
    publish(standin, away)
    world = pair_on(standin, away, "--json")
    drafts = [each for each in json.loads(world.out)["drafts"] if each["where"] == "hub"]
    assert [(each["name"], each["fits"]) for each in drafts] == [
        ("other/Tiny-Coder-DRAFT-0.5B-GGUF", True),
        ("some/Tiny-Coder-1B-GGUF", True),
        ("some/Tiny-Coder-2B-GGUF", False),
    ]
    assert "token 100" in drafts[2]["reason"]
    assert {each["licence"] for each in drafts} == {"apache-2.0"}  # by the hub: the files do not say
    assert drafts[1]["size"] == (away / "models" / "large.gguf").stat().st_size
    assert standin.served <= 3 * 128 * 1024
    assert not (away / "hub").exists()


def test_offline_only_this_machine_is_looked_at(standin, away):
    publish(standin, away)
    world = pair_on(standin, away, "--offline")
    assert (world.code, world.err, standin.requests) == (0, "", [])
    assert "Tiny-Coder" not in world.out


def test_a_gated_draft_is_told_with_its_reason_and_stops_nothing(standin, away):
    publish(standin, away)
    standin.repositories["some/Tiny-Coder-1B-GGUF"].gated = True
    world = pair_on(standin, away)
    assert world.code == 0
    fitting, _, others = world.out.partition("does not fit")
    assert "other/Tiny-Coder-DRAFT-0.5B-GGUF" in fitting
    assert "some/Tiny-Coder-1B-GGUF" in others
    assert "gated" in others


def test_without_a_network_what_is_here_is_listed(standin, away):
    standin.close()
    world = pair_on(standin, away)
    assert world.code == 0
    assert "small" in world.out
    assert world.err.startswith("warning: ")
    assert "cannot be reached" in world.err
