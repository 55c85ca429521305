"""What people type for a model, and what it means."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.profiles.errors import ProfileError
from specchat.profiles.names import parse_model
from specchat.profiles.sources import HubModel, LocalFile, NamedModel, WheelFile, spelled
from specchat.speculative.errors import SpecchatError

FORMS = {
    "user/repo": HubModel("user/repo"),
    "user/repo/": HubModel("user/repo"),
    "user/repo:Q4_K_M": HubModel("user/repo", quant="Q4_K_M"),
    "user/repo:latest": HubModel("user/repo", quant="latest"),
    "user/repo:model-q8_0.gguf": HubModel("user/repo", file="model-q8_0.gguf"),
    "user/repo/model.gguf": HubModel("user/repo", file="model.gguf"),
    "user/repo/Q8_0/model-00002-of-00003.gguf": HubModel("user/repo", file="Q8_0/model-00002-of-00003.gguf"),
    "hf.co/user/repo": HubModel("user/repo"),
    "hf.co/user/repo:Q8_0": HubModel("user/repo", quant="Q8_0"),
    "HuggingFace.co/user/repo/sub/m.GGUF": HubModel("user/repo", file="sub/m.GGUF"),
    "hf.co/user/odd.gguf": HubModel("user/odd.gguf"),
    "https://huggingface.co/user/repo": HubModel("user/repo"),
    "https://huggingface.co/user/repo.git": HubModel("user/repo"),
    "https://www.huggingface.co/user/repo?library=llama-cpp-python": HubModel("user/repo"),
    "https://hf.co/user/repo#usage": HubModel("user/repo"),
    "https://huggingface.co/user/repo/tree/v2": HubModel("user/repo", "v2"),
    "https://huggingface.co/user/repo/blob/main/a/m.gguf": HubModel("user/repo", file="a/m.gguf"),
    "https://huggingface.co/user/repo/resolve/v2/m.gguf?download=true": HubModel("user/repo", "v2", "m.gguf"),
    "https://huggingface.co/user/repo/raw/refs%2Fpr%2F1/my%20m.gguf": HubModel("user/repo", "refs/pr/1", "my m.gguf"),
    "https://huggingface.co/user/repo?show_file_info=a%2Fm.gguf": HubModel("user/repo", file="a/m.gguf"),
    "https://huggingface.co/user/repo/tree/v2?show_file_info=m.gguf": HubModel("user/repo", "v2", "m.gguf"),
    "http://mirror:8080/hf/user/repo/blob/main/m.gguf": HubModel("user/repo", file="m.gguf"),
    "wheel:package/model.gguf": WheelFile("package", "model.gguf"),
    "demo": NamedModel("demo"),
    "qwen2.5-coder:32b": NamedModel("qwen2.5-coder:32b"),
    "big.gguf": LocalFile(Path("big.gguf")),
    "folder/big.gguf": LocalFile(Path("folder/big.gguf")),
    "./user/repo": LocalFile(Path("user/repo")),
    "../user/repo": LocalFile(Path("../user/repo")),
    "/user/repo": LocalFile(Path("/user/repo")),
    r"C:\models\big.gguf": LocalFile(Path(r"C:\models\big.gguf")),
    "C:/models/big.gguf": LocalFile(Path("C:/models/big.gguf")),
    "user/repo/tokenizer.json": LocalFile(Path("user/repo/tokenizer.json")),
    "my models/big": LocalFile(Path("my models/big")),
}


@pytest.mark.parametrize(("text", "source"), FORMS.items())
def test_each_form_means_one_thing(text, source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert parse_model(text, mirror="http://mirror:8080/hf") == source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wheel:nothing", "names no file in a package"),
        ("wheel:a.b/m.gguf", "names no file in a package"),
        ("wheel:package/../m.gguf", "names no file in a package"),
        ("https://example.com/user/repo/m.gguf", "is not a URL of the hub"),
        ("https://huggingface.co.example.com/user/repo", "is not a URL of the hub"),
        ("https://huggingface.co@example.com/user/repo", "is not a URL of the hub"),
        ("ftp://huggingface.co/user/repo", "is not a URL of the hub"),
        ("https://[huggingface.co/user/repo", "is not a URL"),
        ("https://huggingface.co/user", "names neither a repository"),
        ("https://huggingface.co/datasets/user/repo", "is not the page of a model"),
        ("https://huggingface.co/api/models/user/repo", "is not the page of a model"),
        ("hf.co/user/repo/model.safetensors", "names neither a repository"),
        ("hf.co/user/repo/resolve/main", "names neither a repository"),
        ("hf.co/user/repo:Q8_0/m.gguf", "names neither a repository"),
        ("hf.co/user/repo/blob/main/../../../m.gguf", "names neither a repository"),
        ("hf.co/user/repo/blob/main/..%2F..%2Fm.gguf", "names neither a repository"),
        ("hf.co/user/repo/..%5C..%5Cm.gguf", "names neither a repository"),
        ("hf.co/user/repo/m%00.gguf", "names neither a repository"),
        ("hf.co/us--er/repo", "names neither a repository"),
        ("hf.co/user/-repo", "names neither a repository"),
        ("hf.co/user/re po", "names neither a repository"),
    ],
)
def test_a_reference_that_cannot_mean_a_model_is_a_sentence(text, message):
    with pytest.raises(ProfileError, match=message) as error:
        parse_model(text)
    assert error.value.message.startswith(text)
    assert error.value.hint


def test_what_is_on_the_disk_is_a_file_whatever_it_looks_like(tmp_path):
    for name in ("user/repo/model.gguf", "user/repo2", "word"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        assert parse_model(name, tmp_path) == LocalFile(file)


def test_what_is_missing_from_a_folder_that_is_there_is_not_sought_on_the_hub(tmp_path):
    (tmp_path / "models/qwen").mkdir(parents=True)
    assert parse_model("models/qwen/tpyo.gguf", tmp_path) == LocalFile(tmp_path / "models/qwen/tpyo.gguf")
    assert parse_model("models/llama/big.gguf", tmp_path) == HubModel("models/llama", file="big.gguf")


def test_a_folder_hides_no_name(tmp_path):
    (tmp_path / "demo").mkdir()
    assert parse_model("demo", tmp_path) == NamedModel("demo")


@given(st.text())
def test_no_text_is_too_odd(text):
    with suppress(SpecchatError):
        assert isinstance(parse_model(text), LocalFile | HubModel | NamedModel | WheelFile)


PART = st.from_regex(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,8}[a-zA-Z0-9_]", fullmatch=True).filter(
    lambda part: "--" not in part and ".." not in part and not part.lower().endswith(".gguf")
)


@given(PART, PART, st.sampled_from(["", ":Q8_0", "/m.gguf", "/a/b/m.gguf"]))
def test_what_is_spelled_is_read_again(user, repo, rest):
    source = parse_model(f"hf.co/{user}/{repo}{rest}")
    assert parse_model(f"hf.co/{spelled(source)}") == source
    assert isinstance(source, HubModel)
    assert source.repo == f"{user}/{repo.removesuffix('.git')}"
