"""Options, variables, the profile, the config file, the model's own file, the built-in values: which one holds."""

import json
from pathlib import Path

import pytest

from .fakes import World

PROFILE = "target: big.gguf\ndraft: small.gguf\ncontext: 300\ngpu_layers: 3\nsampling: {temperature: 0.3}\n"
CONFIG = "context: 400\ngpu_layers: 4\ntop_x: 0\n"


@pytest.fixture
def home(tmp_path):
    """A function that makes the user's config folder, with these files, and gives the variables that lead there."""

    def write(**files: str) -> dict[str, str]:
        folder = tmp_path / "specchat"
        (folder / "profiles").mkdir(parents=True)
        for name, content in files.items():
            file = folder / "config.yaml" if name == "config" else folder / "profiles" / f"{name}.yaml"
            file.write_text(content)
        return {"XDG_CONFIG_HOME": str(tmp_path)}

    return write


def run(variables, *line):
    """The pair that a run loads."""
    world = World(variables=variables).run("run", *line, "Hi")
    assert world.code == 0, world.err
    return world.pair.config


def shown(variables, *line):
    """What --show-config tells of a run: values and origins by name."""
    world = World(variables=variables).run("run", *line, "--show-config", "--json")
    assert (world.code, world.pair) == (0, None), world.err
    return {name: (row["value"], row["origin"]) for name, row in json.loads(world.out).items()}


def test_each_level_holds_until_a_higher_one_speaks(home):
    variables = home(config="context: 400\nsampling: {top_k: 44, top_p: 0.4}\n", mine=PROFILE)
    found = shown({**variables, "SPECCHAT_TOP_P": "0.2"}, "--profile", "mine", "--temp", "0.1")
    config = variables["XDG_CONFIG_HOME"] + "/specchat/config.yaml"
    assert found["temperature"] == (0.1, "--temp")
    assert found["top_p"] == (0.2, "SPECCHAT_TOP_P")
    assert found["context"] == (300, "profile mine, line 3")
    assert found["top_k"] == (44, f"{config}, line 2")
    assert found["min_p"] == (0.05, "built-in")
    loaded = run({**variables, "SPECCHAT_TOP_P": "0.2"}, "--profile", "mine", "--temp", "0.1")
    assert dict(loaded.sampling) == {"temperature": 0.1, "top_k": 44, "top_p": 0.2}
    assert loaded.target_config.n_ctx == 300


def test_every_setting_can_be_a_variable(home):
    variables = {
        "SPECCHAT_MODEL": "m.gguf",
        "SPECCHAT_DRAFT": "none",
        "SPECCHAT_DRAFT_MAX": "5",
        "SPECCHAT_DRAFT_LENGTH": "2",
        "SPECCHAT_CONTEXT": "77",
        "SPECCHAT_GPU_LAYERS": "1",
        "SPECCHAT_DRAFT_GPU_LAYERS": "2",
        "SPECCHAT_DEVICE": "GPU0, GPU1",
        "SPECCHAT_DRAFT_DEVICE": "none",
        "SPECCHAT_TENSOR_SPLIT": "2, 1.5",
        "SPECCHAT_RPC": "here:1, there:2",
        "SPECCHAT_CPU_MOE": "on",
        "SPECCHAT_MMAP": "off",
        "SPECCHAT_THREADS": "3",
        "SPECCHAT_THREADS_BATCH": "4",
        "SPECCHAT_FLASH_ATTENTION": "on",
        "SPECCHAT_CACHE_TYPE_K": "q8_0",
        "SPECCHAT_CACHE_TYPE_V": "q8_0",
        "SPECCHAT_SYSTEM": "Be brief.",
        "SPECCHAT_STOP": "END",
        "SPECCHAT_THINK": "hide",
        "SPECCHAT_JSON_SCHEMA": "none",
        "SPECCHAT_GRAMMAR": "none",
        "SPECCHAT_TEMPERATURE": "0.5",
        "SPECCHAT_TOP_K": "6",
        "SPECCHAT_TOP_P": "0.7",
        "SPECCHAT_MIN_P": "0",
        "SPECCHAT_REPEAT_PENALTY": "1.1",
        "SPECCHAT_PRESENCE_PENALTY": "0.2",
        "SPECCHAT_FREQUENCY_PENALTY": "0.3",
        "SPECCHAT_PENALTY_LAST_N": "-1",
        "SPECCHAT_TYPICAL_P": "0.9",
        "SPECCHAT_TOP_N_SIGMA": "1.5",
        "SPECCHAT_XTC_PROBABILITY": "0.5",
        "SPECCHAT_XTC_THRESHOLD": "0.2",
        "SPECCHAT_DRY_MULTIPLIER": "0.8",
        "SPECCHAT_DRY_BASE": "2",
        "SPECCHAT_DRY_ALLOWED_LENGTH": "3",
        "SPECCHAT_DRY_PENALTY_LAST_N": "-1",
        "SPECCHAT_DRY_SEQUENCE_BREAKERS": "a b",
        "SPECCHAT_LOGIT_BIAS": "5+1 6-inf",
    }
    found = shown(variables)
    assert {origin for _, origin in found.values()} == {*variables, "not there"}
    world = World(variables=variables, answers=["a END b"]).run("run", "Hi")
    assert (world.out, world.pair.chats[0][0].content) == ("a \n", "Be brief.")
    config = world.pair.config
    assert (str(config.target), config.draft, config.draft_max, config.draft_length) == ("m.gguf", "none", 5, 2)
    assert (config.target_config.n_gpu_layers, config.draft_config.n_gpu_layers) == (1, 2)
    assert (config.target_config.threads, config.target_config.cache_type_v) == (3, "q8_0")
    assert (config.target_config.devices, config.target_config.tensor_split) == (("GPU0", "GPU1"), (2, 1.5))
    assert (config.target_config.cpu_moe, config.draft_config.devices, config.draft_config.mmap) == (-1, (), False)
    assert (config.sampling["dry_base"], config.sampling["dry_sequence_breakers"]) == (2.0, ("a b",))
    assert config.sampling["logit_bias"] == ("5+1", "6-inf")


def test_an_empty_variable_says_nothing(home):
    assert run({"SPECCHAT_CONTEXT": "", "SPECCHAT_MODEL": "m.gguf"}).target_config.n_ctx is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "SPECCHAT_CONTEXT",
            "8k",
            "SPECCHAT_CONTEXT is '8k', but has to be auto, or a whole number from 0 to 2147483647.",
        ),
        ("SPECCHAT_TOP_P", "2", "SPECCHAT_TOP_P: top_p is 2, but it is a probability."),
        ("SPECCHAT_TEMPERATURE", "warm", "SPECCHAT_TEMPERATURE is 'warm', but has to be a number such as 0.8."),
        ("SPECCHAT_TEMPERATURE", "nan", "SPECCHAT_TEMPERATURE: temperature is nan, which is out of range."),
        ("SPECCHAT_FLASH_ATTENTION", "yes", "SPECCHAT_FLASH_ATTENTION is 'yes', but has to be one of auto, on, off."),
        ("SPECCHAT_CACHE_TYPE_K", "q8", "SPECCHAT_CACHE_TYPE_K: There is no cache type 'q8'."),
        ("SPECCHAT_MODEL", "wheel:x", "SPECCHAT_MODEL: wheel:x names no file in a package."),
        ("SPECCHAT_PROFILE", "dmeo", "SPECCHAT_PROFILE: There is no profile called dmeo."),
    ],
)
def test_a_variable_that_makes_no_sense_is_named(name, value, message):
    world = World(variables={name: value}).run("run", "Hi")
    assert (world.code, world.err.splitlines()[0]) == (2, f"error: {message}")


@pytest.mark.parametrize(
    ("options", "value", "origin"),
    [(("-cmoe",), -1, "--cpu-moe"), (("--no-cpu-moe",), 0, "--cpu-moe"), (("--n-cpu-moe", "3"), 3, "-ncmoe")],
)
def test_each_of_the_options_for_experts_is_named_where_it_was_typed(options, value, origin):
    assert shown({}, "-m", "m.gguf", *options)["cpu_moe"] == (value, origin)


def test_whoever_sets_the_target_leaves_the_draft_to_be_found(home):
    variables = home(mine=PROFILE, config="draft: none\n")
    assert shown(variables, "--profile", "mine", "-m", "other.gguf")["draft"] == ("auto", "-m names no draft")
    found = shown({**variables, "SPECCHAT_DRAFT": "none"}, "-m", "other.gguf")
    assert found["draft"] == ("auto", "-m names no draft")
    found = shown({**variables, "SPECCHAT_MODEL": "other.gguf"})
    assert found["draft"] == ("auto", "SPECCHAT_MODEL names no draft")
    found = shown(variables, "--profile", "mine", "-m", "other.gguf", "--draft", "ngram")
    assert (found["draft"], found["context"]) == (("ngram", "--draft"), (300, "profile mine, line 3"))


def test_a_draft_that_nobody_names_is_found_by_default(home):
    auto, sampled = home(config="draft: auto\n"), {"SPECCHAT_TEMPERATURE": "0"}
    assert shown({}, "-m", "other.gguf")["draft"] == shown(sampled)["draft"] == ("auto", "built-in")
    assert shown({"SPECCHAT_MODEL": "other.gguf"})["draft"] == ("auto", "built-in")
    config = auto["XDG_CONFIG_HOME"] + "/specchat/config.yaml, line 1"
    assert shown(auto, "-m", "other.gguf")["draft"] == ("auto", config)
    assert shown({}, "-m", "other.gguf", "--draft", "auto")["draft"] == ("auto", "--draft")


def test_a_draft_alone_replaces_the_draft_alone(home):
    variables = home(mine=PROFILE)
    found = shown({**variables, "SPECCHAT_DRAFT": "none"}, "--profile", "mine")
    assert found["draft"] == ("none", "SPECCHAT_DRAFT")
    assert found["target"][0].endswith("big.gguf")


def test_a_profile_that_is_typed_wins_over_the_pair_of_the_variables(home):
    variables = {**home(mine=PROFILE), "SPECCHAT_MODEL": "other.gguf", "SPECCHAT_DRAFT": "none"}
    config = run(variables, "--profile", "mine")
    assert (config.target.name, Path(config.draft).name) == ("big.gguf", "small.gguf")


@pytest.mark.parametrize("line", [("--profile", "mine"), ("-m", "mine")])
def test_a_model_with_the_name_of_a_profile_is_that_profile(home, line):
    config = run(home(mine=PROFILE), *line, "--draft", "none")
    assert (config.target.name, config.draft, config.target_config.n_ctx) == ("big.gguf", "none", 300)


def test_what_a_profile_says_is_its_own_however_it_was_named(home):
    found = shown(home(mine=PROFILE), "-m", "mine")
    assert (found["profile"], found["target"][1]) == (("mine", "-m"), "profile mine, line 1")


def test_variables_and_the_config_file_can_name_a_profile(home):
    variables = home(mine=PROFILE, other=PROFILE.replace("big", "huge"), config="profile: mine\ncontext: 9\n")
    found = shown(variables)
    assert found["profile"] == ("mine", variables["XDG_CONFIG_HOME"] + "/specchat/config.yaml, line 1")
    assert found["context"] == (300, "profile mine, line 3")
    assert shown({**variables, "SPECCHAT_PROFILE": "other"})["profile"] == ("other", "SPECCHAT_PROFILE")
    assert shown({**variables, "SPECCHAT_MODEL": "other"})["profile"] == ("other", "SPECCHAT_MODEL")


def test_the_usual_profile_has_no_say_when_another_model_is_named(home):
    variables = home(mine=PROFILE, config="profile: mine\ncontext: 9\n")
    found = shown(variables, "-m", "other.gguf")
    assert "profile" not in found
    assert (found["context"][0], found["temperature"], found["draft"]) == (9, (0.8, "built-in"), ("auto", "built-in"))


def test_two_profiles_are_one_too_many(home):
    world = World(variables=home(mine=PROFILE)).run("run", "--profile", "demo", "-m", "mine", "Hi")
    assert world.code == 2
    assert world.err.startswith("error: There are two profiles: demo (--profile) and mine (-m).")


def test_the_config_file_is_checked_like_a_profile(home):
    world = World(variables=home(config="contxt: 1\n")).run("run", "-m", "x.gguf", "Hi")
    assert (world.code, "config.yaml, line 1: there is no setting called contxt." in world.err) == (2, True)
    assert "Did you mean context?" in world.err


def test_the_config_file_names_a_profile_or_a_target(home):
    world = World(variables=home(config="profile: demo\ntarget: x.gguf\n")).run("run", "Hi")
    assert (world.code, "line 2: there is a profile, in line 1, and a target." in world.err) == (2, True)


def test_the_model_s_own_file_comes_before_what_is_built_in(home, write_tiny_model):
    path = str(write_tiny_model(metadata={"general.sampling.top_k": 7}))
    found = shown({}, "-m", path)
    assert found["top_k"] == (7, "the model's file")
    assert found["context"] == (1024, "the model's file")
    assert shown(home(config="sampling: {top_k: 8}\n"), "-m", path, "-c", "77")["context"] == (77, "-c")


def test_a_context_longer_than_the_usual_one_is_left_to_memory(write_tiny_model):
    assert shown({}, "-m", str(write_tiny_model(n_ctx=100_000)))["context"] == ("auto", "built-in")


def test_all_of_it_is_one_table(home):
    variables = home(mine="target: big.gguf\nsystem: |\n  One.\n  Two.\nstop: [END]\nsampling: {temperature: 0}\n")
    world = World(variables={**variables, "SPECCHAT_TEMP": "1"}).run("bench", "--profile", "mine", "--show-config")
    folder = variables["XDG_CONFIG_HOME"]
    assert world.code == 0
    table = [line.split("  ") for line in world.out.replace(folder, "~").splitlines()]
    rows = [tuple(part.strip() for part in line if part) for line in table]
    assert ("config", "~/specchat/config.yaml", "not there") in rows
    assert ("profile", "mine", "--profile") in rows
    assert ("target", "~/specchat/profiles/big.gguf", "profile mine, line 1") in rows
    assert ("draft", "auto", "built-in") in rows
    assert ("system", "One.\\nTwo.\\n", "profile mine, line 2") in rows
    assert ("stop", "'END'", "profile mine, line 5") in rows
    assert ("threads", "one a fast core", "built-in") in rows
    assert "SPECCHAT_TEMP is no setting of specchat; did you mean SPECCHAT_TEMPERATURE?" in world.err


@pytest.mark.parametrize("command", ["run", "complete", "bench"])
def test_every_command_shows_its_config_also_without_a_model(command):
    world = World().run(command, "--show-config")
    assert (world.code, world.pair) == (0, None)
    assert "target" in world.out
