"""Real devices with layers on them: named ones take what they are to take, and what has no room steps down.

Servers stand for cards here, for drafts too, which are put there by what they reach: nobody may name a server for one.

The last of this folder by its name: its servers end while this process knows them, and other tests ask all that it
knows.
"""

import re
import resource
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from specchat.speculative.errors import OutOfMemoryError, UsageError
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.ggml import named_devices
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig

from .servers import Server, needs_rpc, serving

pytestmark = needs_rpc
LAYERS = 16


@pytest.fixture(scope="module")
def endpoints(model):
    with serving() as first, serving() as second:
        both = (first.endpoint, second.endpoint)
        LlamaModel.load(model, LlamaConfig(rpc=both, n_gpu_layers=0, threads=1)).close()
        yield both


@pytest.fixture(scope="module")
def model(write_tiny_model) -> Path:
    """145 MiB, and for 8192 tokens in f32 256 more."""
    path: Path = write_tiny_model(layers=LAYERS, width=512, n_ctx=32768)
    return path


def name_of(endpoint: str) -> str:
    """What llama.cpp calls the device of a server."""
    [name] = [device.name for device in named_devices() if device.description == endpoint]
    return name


def loading(**settings: object) -> LlamaConfig:
    return LlamaConfig(threads=1, n_batch=64, cache_type_k="f32", cache_type_v="f32", **settings)  # type: ignore[arg-type]


def answer(config: PairConfig) -> tuple[list[int], list[str]]:
    with load_pair(config, Interrupt()) as pair:
        *_, finished = pair.session.generate(range(1, 40), max_tokens=12)
        assert finished.error is None
        return list(finished.tokens), pair.take_notices()


@pytest.mark.parametrize(("split", "shares"), [((), None), ((3, 1), (13, 4)), ((1,), (17,)), ((0, 1), (0, 17))])
def test_devices_take_the_shares_that_they_are_to_take(model, endpoints, capsys, split, shares):
    names = tuple(name_of(endpoint) for endpoint in reversed(endpoints))
    config = loading(rpc=endpoints, devices=names, tensor_split=split, n_ctx=512, verbose=True)
    LlamaModel.load(model, config).close()
    found = Counter(re.findall(r"layer +\d+ assigned to device (\w+)", capsys.readouterr().err))
    assert set(found) <= set(names)
    assert found.total() == LAYERS + 1
    assert shares is None or [found[name] for name in names[: len(shares)]] == list(shares)


@pytest.mark.parametrize("layers", [-1, 9, 0])
@pytest.mark.parametrize("mmap", [True, False])
def test_the_text_is_the_same_wherever_the_layers_are(model, endpoints, layers, mmap):
    names = tuple(map(name_of, endpoints))
    there = loading(rpc=endpoints, devices=names[::-1], n_gpu_layers=layers, mmap=mmap, n_ctx=512)
    here = loading(devices=(), n_ctx=512)
    assert answer(PairConfig(target=model, target_config=there)) == answer(PairConfig(target=model, target_config=here))


@pytest.fixture(scope="module")
def mixture(write_tiny_model) -> Path:
    """Six layers of eight experts each, a MiB and a half an expert."""
    path: Path = write_tiny_model(layers=6, width=256, n_ctx=8192, experts=8)
    return path


@pytest.mark.parametrize("split", [(), (3, 4)])
@pytest.mark.parametrize("kept", [1, 4, -1])
def test_the_text_is_the_same_wherever_the_experts_are(mixture, endpoints, capsys, split, kept):
    names = tuple(map(name_of, endpoints))
    settings = {"rpc": endpoints, "devices": names, "tensor_split": split, "n_ctx": 512}
    capsys.readouterr()
    apart = answer(PairConfig(target=mixture, target_config=loading(**settings, cpu_moe=kept, verbose=True)))
    log = capsys.readouterr().err
    assert apart == answer(PairConfig(target=mixture, target_config=loading(devices=(), n_ctx=512)))
    moved = {int(layer) for layer in re.findall(r"blk\.(\d+)\.ffn_\w+_exps\.weight .*overridden to CPU", log)}
    assert moved == set(range(6 if kept < 0 else kept))
    assert "offloaded 7/7 layers" in log


def test_a_mixture_is_where_it_was_said_to_be(mixture, endpoints):
    first = (name_of(endpoints[0]),)
    config = loading(rpc=endpoints, devices=first, n_ctx=512, n_gpu_layers=5, cpu_moe=4)
    with load_pair(PairConfig(target=mixture, target_config=config), Interrupt()) as pair:
        assert pair.placement
        assert (pair.placement.on_devices, pair.placement.apart) == (5, 2)


def test_target_and_draft_can_be_apart(model, endpoints, write_tiny_model):
    first, second = endpoints
    draft = write_tiny_model(layers=2, width=64, n_ctx=32768)
    target, expected = loading(rpc=endpoints, devices=(name_of(first),), n_ctx=512), loading(devices=(), n_ctx=512)
    for reached in ((second,), (first,), ()):
        config = PairConfig(
            target=model, target_config=target, draft=draft, draft_config=loading(rpc=reached), draft_length=3
        )
        assert answer(config) == answer(PairConfig(target=model, target_config=expected))


def test_a_draft_for_a_device_that_is_not_there_is_told_though_nobody_named_the_draft(model, endpoints):
    config = PairConfig(
        target=model,
        target_config=loading(rpc=endpoints, n_ctx=512),
        draft=model,
        draft_config=loading(devices=("CUDA99",)),
        draft_required=False,
    )
    with pytest.raises(UsageError, match="no device 'CUDA99'") as error:
        load_pair(config, Interrupt())
    assert "RPC" not in error.value.hint, "which a draft may not use"


def test_a_server_that_is_connected_takes_nothing_of_a_model_that_was_not_to_go_there(model, endpoints):
    name = name_of(endpoints[0])
    with pytest.raises(UsageError, match=f"no device '{name}'"):
        LlamaModel.load(model, loading(devices=(name,), n_ctx=512))
    with pytest.raises(UsageError, match=f"no device '{name}'"):
        LlamaModel.load(model, loading(devices=(name,), rpc=endpoints[1:], n_ctx=512))


@pytest.fixture
def cramped(model):
    """A server that says nothing of it, but refuses what does not fit into 300 MiB."""
    if sys.platform != "linux":
        pytest.skip("the limit is Linux's")
    with serving() as server:
        LlamaModel.load(model, loading(rpc=(server.endpoint,), n_gpu_layers=0, n_ctx=512)).close()
        _limit(server, 300 << 20)
        yield server.endpoint


def _limit(server: Server, room: int) -> None:
    assert server.process
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    [used] = re.findall(r"VmSize:\s+(\d+) kB", status)
    limit = int(used) * 1024 + room
    resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, limit))


def test_a_target_with_no_room_steps_down_to_fewer_layers_and_says_the_same(model, cramped):
    config = loading(rpc=(cramped,), devices=(name_of(cramped),))
    tokens, notices = answer(PairConfig(target=model, target_config=config))
    assert tokens == answer(PairConfig(target=model, target_config=loading(devices=())))[0]
    [said] = notices
    [layers] = re.findall(rf"not enough memory for {model.stem} .*: (\d+) of its 17 layers are on devices\.$", said)
    assert 0 < int(layers) < 17


def test_numbers_that_were_given_are_obeyed_and_fail_with_a_sentence(model, cramped):
    config = loading(rpc=(cramped,), devices=(name_of(cramped),), n_gpu_layers=17)
    with pytest.raises(OutOfMemoryError, match=r"llama\.cpp cannot .*allocate") as error:
        load_pair(PairConfig(target=model, target_config=replace(config, n_ctx=8192)), Interrupt())
    assert "-ngl" in error.value.hint
    _, [said] = answer(PairConfig(target=model, target_config=config))
    assert re.search(r": its context is (4,096|2,048) tokens\.$", said)


def test_a_draft_with_no_room_steps_down_and_where_it_must_not_n_grams_draft(model, cramped):
    target = loading(rpc=(cramped,), devices=())
    draft = loading(rpc=(cramped,))
    config = PairConfig(target=model, target_config=target, draft=model, draft_config=draft, draft_required=False)
    _, [said] = answer(config)
    assert "of its 17 layers are on devices" in said
    with load_pair(replace(config, draft_config=replace(draft, n_gpu_layers=17)), Interrupt()) as pair:
        assert pair.drafted_by == ("n-grams",)
        assert pair.take_notices()[0].startswith("N-grams draft alone: llama.cpp cannot")
