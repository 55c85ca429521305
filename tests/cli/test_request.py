"""Options and profiles: which one decides."""

from pathlib import Path

import pytest

from specchat.speculative.llama.pair_config import DEFAULT_DRAFT_MAX

from .fakes import World


@pytest.fixture
def profile(tmp_path: Path) -> str:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "target: big.gguf\ndraft: small.gguf\ndraft_max: 3\ncontext: 100\ngpu_layers: 7\nsystem: Be brief.\n"
        "stop: [END]\nsampling: {temperature: 0.3, top_k: 5}\n"
    )
    return str(file)


def test_a_profile_decides_what_no_option_does(profile, tmp_path):
    pair = World(answers=["a END b"]).run("run", "--profile", profile, "Hi").pair
    config = pair.config
    assert (config.target, config.draft, config.draft_max) == (tmp_path / "big.gguf", tmp_path / "small.gguf", 3)
    assert (config.target_config.n_ctx, config.target_config.n_gpu_layers) == (100, 7)
    assert dict(config.sampling) == {"temperature": 0.3, "top_k": 5}
    assert pair.chats[0][0].content == "Be brief."
    assert World(answers=["a END b"]).run("run", "--profile", profile, "Hi").out == "a \n"


def test_options_win_over_the_profile(profile):
    options = ("-m", "other.gguf", "--draft", "none", "--draft-max", "9", "-c", "0", "-ngl", "0", "-sys", "Rhyme.")
    world = World(answers=["a END b X"]).run("run", "--profile", profile, *options, "--temp", "0", "--stop", "X", "Hi")
    config = world.pair.config
    assert (str(config.target), config.draft, config.draft_max) == ("other.gguf", "none", 9)
    assert (config.target_config.n_ctx, config.target_config.n_gpu_layers) == (0, 0)
    assert dict(config.sampling) == {"temperature": 0, "top_k": 5}
    assert world.pair.chats[0][0].content == "Rhyme."
    assert world.out == "a END b \n"


def test_without_options_the_model_s_file_and_llama_cpp_decide():
    config = World().run("run", "-m", "big.gguf", "Hi").pair.config
    assert (config.draft, config.draft_length, config.verification) == ("ngram", None, "coupled")
    assert config.draft_max == DEFAULT_DRAFT_MAX
    assert dict(config.sampling) == {}
    assert config.target_config.n_ctx is None


def test_each_model_has_its_own_gpu_layers():
    config = World().run("run", "-m", "a.gguf", "-md", "b.gguf", "-ngl", "3", "-ngld", "4", "Hi").pair.config
    assert (config.target_config.n_gpu_layers, config.draft_config.n_gpu_layers) == (3, 4)


PLACED = ("--device", "GPU0,GPU1", "-ts", "3,1", "--cpu-moe", "--no-mmap", "-t", "2", "-tb", "4")


@pytest.mark.parametrize("command", ["run", "complete"])
def test_where_the_models_go_is_said_of_both_or_of_each(command):
    config = World().run(command, "-m", "a.gguf", "-md", "b.gguf", *PLACED, "Hi").pair.config
    target, draft = config.target_config, config.draft_config
    assert (target.devices, target.tensor_split, target.cpu_moe) == (("GPU0", "GPU1"), (3, 1), -1)
    assert (draft.devices, draft.tensor_split, draft.cpu_moe) == (("GPU0", "GPU1"), (), None)
    assert all((each.mmap, each.threads, each.threads_batch) == (False, 2, 4) for each in (target, draft))
    apart = World().run(command, "-m", "a.gguf", "-md", "b.gguf", *PLACED, "-devd", "none", "Hi").pair.config
    assert (apart.target_config.devices, apart.draft_config.devices) == (("GPU0", "GPU1"), ())


def test_an_option_takes_back_what_a_profile_says_of_experts_and_files(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "target: big.gguf\ndevice: [GPU0, GPU1]\ntensor_split: [3, 1]\ncpu_moe: on\nmmap: off\n"
    )
    line = ("run", "--profile", str(tmp_path / "mine.yaml"), "Hi")
    config = World().run(*line).pair.config.target_config
    assert (config.devices, config.tensor_split, config.cpu_moe, config.mmap) == (("GPU0", "GPU1"), (3, 1), -1, False)
    config = World().run(*line, "--device", "none", "--no-cpu-moe", "--mmap").pair.config.target_config
    assert (config.devices, config.cpu_moe, config.mmap) == ((), 0, True)


@pytest.mark.parametrize(
    ("options", "experts"),
    [
        ((), None),
        (("-cmoe",), -1),
        (("-ncmoe", "7"), 7),
        (("--n-cpu-moe", "all"), -1),
        (("--no-cpu-moe",), 0),
        (("-ncmoe", "auto"), None),
    ],
)
@pytest.mark.parametrize("profile", ["", "on", "off", "3", "all", "auto"])
def test_experts_of_all_layers_of_some_or_as_they_fit_stay_in_main_memory(tmp_path, options, experts, profile):
    (tmp_path / "mine.yaml").write_text("target: big.gguf\n" + (f"cpu_moe: {profile}\n" if profile else ""))
    config = World().run("run", "--profile", str(tmp_path / "mine.yaml"), *options, "Hi").pair.config.target_config
    said = {"": None, "on": -1, "off": 0, "3": 3, "all": -1, "auto": None}[profile]
    assert config.cpu_moe == (experts if options else said)


@pytest.mark.parametrize("flag", ["--cpu-moe", "--no-cpu-moe"])
def test_the_experts_of_all_layers_and_of_some_cannot_both_be_asked_for(flag):
    world = World().run("run", "-m", "a.gguf", flag, "-ncmoe", "3", "Hi")
    assert (world.code, world.pair) == (2, None)
    assert "Leave one of them out." in world.err


@pytest.mark.parametrize(
    ("option", "value"), [("--device", "GPU0,,GPU1"), ("-ts", "3;1"), ("-ts", "3,-1"), ("-tb", "0")]
)
def test_what_is_no_device_and_no_share_is_a_usage_error(option, value):
    world = World().run("run", "-m", "a.gguf", option, value, "Hi")
    assert (world.code, world.pair) == (2, None)


@pytest.mark.parametrize("key", ["device", "draft_device"])
@pytest.mark.parametrize("name", ["none", "NONE", "CPU", "cpu"])
def test_the_cpu_alone_is_no_device_and_has_two_names(tmp_path, key, name):
    profile, option = tmp_path / "mine.yaml", f"--{key.replace('_', '-')}"
    profile.write_text(f"target: big.gguf\n{key}: {name}\n")
    lines = [("-m", "big.gguf", option, name), ("--profile", str(profile))]
    for config in [World().run("run", *line, "Hi").pair.config for line in lines]:
        assert (config.target_config if key == "device" else config.draft_config).devices == ()


@pytest.mark.parametrize("names", ["CPU,Vulkan0", "Vulkan0, cpu", "none,Vulkan0", "CPU,none"])
@pytest.mark.parametrize("key", ["device", "draft_device"])
def test_the_cpu_beside_devices_gets_a_sentence(tmp_path, key, names):
    (tmp_path / "mine.yaml").write_text(f"target: big.gguf\n{key}: {names}\n")
    for line in (("-m", "a.gguf", f"--{key.replace('_', '-')}", names), ("--profile", str(tmp_path / "mine.yaml"))):
        world = World().run("run", *line, "Hi")
        assert (world.code, world.pair) == (2, None)
        assert "The CPU is no device beside others: " in world.err
    assert "line 2: The CPU" in world.err


@pytest.mark.parametrize("key", ["device", "draft_device", "tensor_split", "cpu_moe", "mmap", "threads_batch"])
def test_what_a_profile_says_of_placing_is_checked_with_its_line(tmp_path, key):
    (tmp_path / "mine.yaml").write_text(f"target: big.gguf\n{key}: [[GPU0], -1]\n")
    world = World().run("run", "--profile", str(tmp_path / "mine.yaml"), "Hi")
    assert (world.code, world.pair) == (2, None)
    assert f"line 2: {key} is a list, but has to be" in world.err


def test_numbers_that_somebody_gives_are_to_be_obeyed(profile):
    def gives_way(*arguments):
        config = World(answers=["a"]).run("run", *arguments, "Hi").pair.config
        return config.target_gives_way.context, config.target_gives_way.layers, config.draft_gives_way.layers

    assert gives_way("-m", "a.gguf") == (True, True, True)
    assert gives_way("--profile", profile) == (False, False, True)
    assert gives_way("-m", "a.gguf", "-ngld", "3") == (True, True, False)


def test_a_profile_that_does_not_exist_is_a_usage_error():
    world = World().run("run", "--profile", "dmeo", "Hi")
    assert world.code == 2
    assert "demo" in world.err


def test_a_chat_template_comes_from_its_file(tmp_path):
    (tmp_path / "mine.jinja").write_text("{{ messages }}\n")
    template = str(tmp_path / "mine.jinja")
    assert World().run("run", "-m", "a.gguf", "--chat-template", template, "Hi").pair.config.chat_template == (
        "{{ messages }}"
    )


def test_a_profile_whose_model_is_not_installed_is_a_missing_model(tmp_path):
    (tmp_path / "mine.yaml").write_text("target: wheel:no_such_package/model.gguf\n")
    world = World().run("run", "--profile", str(tmp_path / "mine.yaml"), "Hi")
    assert (world.code, "pip install" in world.err) == (3, True)


def test_costs_are_kept_in_the_cache_of_the_user():
    config = (
        World(variables={"XDG_CACHE_HOME": "/caches"})
        .run("run", "-m", "a.gguf", "--draft-length", "3", "Hi")
        .pair.config
    )
    assert (config.cache_folder, config.draft_length) == (Path("/caches/specchat"), 3)


def homeless() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_where_there_is_no_home_costs_are_kept_where_the_variables_say_or_nowhere():
    assert World(home=homeless).run("run", "-m", "a.gguf", "Hi").pair.config.cache_folder is None
    named = World(home=homeless, variables={"XDG_CACHE_HOME": "/caches"}).run("run", "-m", "a.gguf", "Hi")
    assert named.pair.config.cache_folder == Path("/caches/specchat")
    usual = World(home=lambda: Path("/me")).run("run", "-m", "a.gguf", "Hi").pair.config.cache_folder
    assert usual.is_relative_to("/me")


def test_a_cache_folder_that_depends_on_where_one_stands_is_ignored():
    config = World(home=homeless, variables={"XDG_CACHE_HOME": "caches"}).run("run", "-m", "a.gguf", "Hi").pair.config
    assert config.cache_folder is None


@pytest.mark.parametrize(
    "line",
    [
        ("run", "-m", "~no-such-user/x", "Hi"),
        ("run", "-m", "a.gguf", "-md", "~no-such-user/x", "Hi"),
        ("run", "-m", "a.gguf", "-f", "~no-such-user/x", "Hi"),
        ("run", "--profile", "~no-such-user/x.yaml", "Hi"),
        ("bench", "-m", "a.gguf", "--against", "~no-such-user/x"),
        ("bench", "-m", "a.gguf", "--plot", "~no-such-user/x.png"),
    ],
)
def test_an_unknown_home_folder_is_a_usage_error(line):
    world = World().run(*line)
    assert (world.code, world.out) == (2, "")
    assert "error: ~no-such-user/x" in world.err
    assert "home folder that is not known" in world.err


def test_a_model_may_be_named_from_home(monkeypatch):
    monkeypatch.setenv("HOME", "/me")
    config = World().run("run", "-m", "~/big.gguf", "-md", "~/small.gguf", "Hi").pair.config
    assert (config.target, config.draft) == (Path("/me/big.gguf"), Path("/me/small.gguf"))


@pytest.mark.parametrize(
    ("options", "variables", "place"),
    [
        (("-m", "mine", "-md", "nosuch"), {}, ""),
        (("-m", "nosuch", "-md", "none"), {}, ""),
        (("-m", "mine"), {"SPECCHAT_DRAFT": "nosuch"}, "SPECCHAT_DRAFT names it. "),
        (("-m", "lost"), {}, "The profile lost (-m) names it. "),
        (("--profile", "lost", "-md", "nosuch"), {}, "The profile lost (--profile) names it. "),
        (("--profile", "mine", "-m", "nosuch"), {}, ""),
    ],
)
def test_who_named_a_model_that_is_not_there_is_said_unless_it_was_typed(tmp_path, options, variables, place):
    folder = tmp_path / "specchat" / "profiles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("target: ./big.gguf\ndraft: ngram\n")
    (folder / "lost.yaml").write_text("target: nosuch\ndraft: ngram\n")
    world = World(variables={"XDG_CONFIG_HOME": str(tmp_path), **variables}).run("run", *options, "Hi")
    message, hint = world.err.splitlines()
    assert (world.code, message) == (3, "error: There is no model called nosuch.")
    assert hint.startswith(f"hint: {place}Write ./FILE")
