"""Two models of half a gigabyte are compared before they are fetched, for the price of their headers."""

from pathlib import Path

import pytest

from specchat.profiles.gguf.header import FileBytes, read_header
from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.hub.bytes_source import HubBytes
from specchat.profiles.hub.client import hub_of
from specchat.speculative.compatibility import check_vocabularies
from specchat.speculative.errors import ModelLoadError, VocabularyMismatchError

from ...hub.faults import Fault
from ...hub.standin import StandIn
from .raw import header, tensor

SIZE = 500_000_000
REAL = {
    "target": "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    "draft": "qwen2.5-coder-0.5b-instruct-q4_0.gguf",
    "stranger": "smollm2-135m-instruct-q4_1.gguf",
}


@pytest.fixture
def standin():
    with StandIn() as standin:
        yield standin


@pytest.fixture
def hub(standin, tmp_path):
    return hub_of({"HF_ENDPOINT": standin.endpoint, "HF_HOME": str(tmp_path / "hub")}, lambda: tmp_path)


def sparse(path: Path, start: bytes, size: int) -> Path:
    """A file of `size` bytes that takes the room of its header."""
    with path.open("wb") as file:
        file.write(start)
        file.truncate(size)
    return path


def model(tokens, altered=None):
    words = [f"token {number} {'x' * (number % 9)}" for number in range(tokens)]
    if altered is not None:
        words[altered] = "another"
    entries = [
        ("general.architecture", "llama"),
        ("tokenizer.ggml.model", "gpt2"),
        ("tokenizer.ggml.tokens", words),
        ("tokenizer.ggml.token_type", [1] * tokens),
        ("tokenizer.ggml.merges", words),
    ]
    return header(entries, [tensor("output.weight")])


def remote_header(hub, repo):
    [file] = [each for each in hub.files(repo) if each.path.endswith(".gguf")]
    return read_header(HubBytes(hub, file), f"{repo}/{file.path}")


def verdict(hub, target, draft):
    headers = [remote_header(hub, repo) for repo in (target, draft)]
    try:
        return check_vocabularies(*map(vocabulary, headers)), headers
    except VocabularyMismatchError as error:
        return error.message, headers


@pytest.mark.models
@pytest.mark.parametrize(("draft", "said"), [("draft", None), ("stranger", "token 17 ('2' in the target, '!'")])
def test_a_real_pair_is_judged_for_the_price_of_its_headers(standin, hub, models, tmp_path, draft, said):
    for name in ("target", draft):
        whole = read_header(FileBytes(models / REAL[name])).size
        start = FileBytes(models / REAL[name]).read(0, whole)
        standin.add(f"some/{name}", {REAL[name]: sparse(tmp_path / name, start, SIZE)})
    found, headers = verdict(hub, "some/target", f"some/{draft}")
    assert (said in found) if said else not found.warnings
    for each in headers:
        [sent] = [count for name, count in standin.sent.items() if each.name.endswith(name)]
        assert sent <= 1.1 * each.size


@pytest.mark.parametrize(("altered", "said"), [(None, None), (7, "1 differ, the first being token 7")])
def test_a_pair_is_judged_for_the_price_of_its_headers(standin, hub, tmp_path, altered, said):
    standin.add("some/target", {"a.gguf": sparse(tmp_path / "a", model(20_000), 20_000_000)}, xet=True)
    standin.add("some/draft", {"b.gguf": sparse(tmp_path / "b", model(20_000, altered), 20_000_000)})
    found, headers = verdict(hub, "some/target", "some/draft")
    assert (said in found) if said else found.limit == 20_000
    assert standin.sent["a.gguf"] <= 1.1 * headers[0].size
    assert standin.sent["b.gguf"] <= 1.1 * headers[1].size


def test_a_hostile_file_costs_32_mib_at_most(standin, hub, tmp_path):
    endless = header(n_entries=2_000_000) + b"\1"
    standin.add("some/model", {"a.gguf": sparse(tmp_path / "a", endless, 50_000_000)})
    with pytest.raises(ModelLoadError, match="is damaged: it has the key"):
        remote_header(hub, "some/model")
    assert standin.served <= 32 << 20


def test_a_connection_that_breaks_is_taken_up_again(standin, hub, tmp_path):
    standin.add("some/model", {"a.gguf": sparse(tmp_path / "a", model(20_000), 20_000_000)})
    fault = standin.inject(Fault(path="/cdn/", cut_at=1000))
    assert remote_header(hub, "some/model").array("tokenizer.ggml.tokens").count == 20_000
    assert fault.times == 0
