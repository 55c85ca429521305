"""What other machines compute is what this one computes, drafted or not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.backend import device_names, sees_gpu
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.ggml import device_pointers, named_devices, with_memory
from specchat.speculative.llama.identity import loaded_identity
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.rounding_probe import measure
from specchat.speculative.llama.rpc.courier import RemoteCall

from .servers import needs_rpc, serving

pytestmark = needs_rpc
PROMPT = list(range(1, 60))


@pytest.fixture(scope="module")
def endpoints():
    with serving() as first, serving() as second:
        yield (first.endpoint, second.endpoint)


@pytest.fixture(scope="module")
def target(write_tiny_model) -> Path:
    path: Path = write_tiny_model(seed=5, layers=4)
    return path


@pytest.fixture(scope="module")
def draft(write_tiny_model) -> Path:
    path: Path = write_tiny_model(seed=5, layers=4, noise=0.05)
    return path


def answer(target: Path, endpoints: Sequence[str] = (), seed: int = 1, **settings: object) -> list[int]:
    loaded = LlamaConfig(threads=1, rpc=tuple(endpoints), n_gpu_layers=settings.pop("layers", -1))  # type: ignore[arg-type]
    config = PairConfig(
        target=target,
        target_config=loaded,
        draft_config=LlamaConfig(threads=1),
        sampling={"temperature": 0.8},
        seed=seed,
        **settings,  # type: ignore[arg-type]
    )
    with load_pair(config, Interrupt()) as pair:
        *_, finished = pair.session.generate(PROMPT, max_tokens=60)
        assert finished.error is None
        return list(finished.tokens)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("layers", [-1, 3])
def test_layers_on_servers_say_what_local_ones_say(target, endpoints, count, layers):
    assert answer(target, endpoints[:count], layers=layers) == answer(target)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("length", [1, 4])
def test_drafting_for_a_target_on_servers_changes_no_text(target, draft, endpoints, count, length):
    plain = answer(target, endpoints[:count])
    assert answer(target, endpoints[:count], draft=draft, draft_length=length) == plain
    assert answer(target, endpoints[:count], draft="ngram", draft_length=length) == plain


def test_a_recurrent_target_drafts_on_servers_too(write_tiny_model, endpoints):
    path = write_tiny_model(architecture="jamba", seed=5)
    assert answer(path, endpoints[:1], draft="ngram", draft_length=3) == answer(path, endpoints[:1])


def test_the_target_goes_to_the_servers_that_are_named_and_the_draft_stays(target, draft, endpoints, capfd):
    answer(target, endpoints)  # both are known from now on
    config = PairConfig(
        target=target,
        draft=draft,
        draft_length=2,
        target_config=LlamaConfig(threads=1, rpc=endpoints[1:], verbose=True),
        draft_config=LlamaConfig(threads=1, verbose=True),
    )
    capfd.readouterr()
    with load_pair(config, Interrupt()) as pair:
        assert pair.placement is not None
        assert pair.placement.devices == (endpoints[1],)
    said = capfd.readouterr().err
    buffers = [line for line in said.splitlines() if "model buffer size" in line and "RPC" in line]
    assert [endpoints[1] in line for line in buffers] == [True]


def test_devices_of_servers_are_known_by_their_endpoints(target, endpoints):
    answer(target, endpoints)
    found = [each for each in zip(named_devices(), device_pointers(), strict=True) if each[0].description in endpoints]
    assert [device.description for device, _ in found] == [*endpoints]
    for device, pointer in found:
        assert (device.is_remote, device.kind) == (True, "GPU")
        assert RemoteCall(Interrupt())(with_memory, device, pointer).total > 0


def test_a_server_is_no_gpu_of_this_machine(target, endpoints):
    answer(target, endpoints)
    assert not sees_gpu()
    assert not any(endpoint in name for endpoint in endpoints for name in device_names())


@pytest.mark.parametrize(("layers", "elsewhere"), [(-1, True), (0, False)])
def test_what_rounds_on_a_server_is_known_not_to_round_here(target, endpoints, layers, elsewhere):
    """Settings for this CPU say nothing of it."""
    with LlamaModel.load(target, LlamaConfig(rpc=endpoints[:1], n_gpu_layers=layers, threads=1)) as model:
        assert measure(model, (8,), (1, 2), cuts=False).gpu == elsewhere


def test_what_a_pass_costs_depends_on_where_it_is_computed(target, endpoints):
    here, there, both = (LlamaConfig(rpc=rpc) for rpc in ((), endpoints[:1], endpoints))
    assert len({loaded_identity("file", config) for config in (here, there, both)}) == 3
