import json
from dataclasses import asdict
from pathlib import Path

import pytest

from specchat.speculative.errors import UsageError
from specchat.speculative.llama.config import LlamaConfig, read_config
from specchat.speculative.llama.pair_config import PairConfig

MODEL = Path("model.gguf")


@pytest.mark.parametrize(
    "settings",
    [
        {"draft_max": 0},
        {"draft_length": -1},
        {"draft_length": 600},
        {"draft_max": 512},
        {"seed": -2},
        {"seed": 2**32},
        {"sampling": {"repeat_penalty": 1e39}},
    ],
)
def test_what_no_pair_can_do_is_refused_before_anything_is_loaded(settings):
    with pytest.raises(UsageError):
        PairConfig(target=MODEL, **settings)


def test_a_draft_cannot_be_sent_away_by_name_unless_it_has_servers_of_its_own():
    with pytest.raises(UsageError, match="RPC0 is on another"):
        PairConfig(target=MODEL, draft_config=LlamaConfig(devices=("RPC0",)))
    there = LlamaConfig(devices=("RPC0",), rpc=("far.example:50052",))
    assert PairConfig(target=MODEL, draft_config=there).draft_settings(512).devices == ("RPC0",)


def test_a_fixed_length_says_how_much_is_drafted_at_most():
    assert PairConfig(target=MODEL, draft_max=8).most_drafted == 8
    assert PairConfig(target=MODEL, draft_max=8, draft_length=3).most_drafted == 3


def test_settings_outlive_json():
    config = LlamaConfig(devices=("GPU0",), tensor_split=(3, 1), cpu_moe=3, n_ctx=300)
    assert read_config(json.loads(json.dumps(asdict(config)))) == config
    assert read_config(json.loads(json.dumps(asdict(LlamaConfig())))) == LlamaConfig()
