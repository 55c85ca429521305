"""What names of models say of their kin."""

import pytest

from specchat.profiles.pairing.family import Kin, kin_of
from specchat.profiles.pairing.hub_candidates import shipped_drafts

NAMES = {
    "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF": ("qwen2.5-coder", 7e9),
    "Qwen2.5 Coder 1.5B Instruct GGUF": ("qwen2.5-coder", 1.5e9),
    "unsloth/Qwen3-30B-A3B-GGUF": ("qwen3", 30e9),
    "HuggingFaceTB/SmolLM2-135M-Instruct-GGUF": ("smollm2", 135e6),
    "bartowski/Meta-Llama-3.1-8B-Instruct-GGUF": ("llama-3.1", 8e9),
    "bartowski/google_gemma-3-12b-it-GGUF": ("gemma-3", 12e9),
    "bartowski/Qwen_Qwen3-8B-GGUF": ("qwen3", 8e9),
    "Qwen-7B": ("qwen", 7e9),
    "DeepSeek_R1_Distill_Qwen_32B": ("deepseek-r1-distill-qwen", 32e9),
}


@pytest.mark.parametrize(("name", "kin"), NAMES.items())
def test_a_name_says_family_and_size(name, kin):
    assert kin_of(name) == Kin(*kin)


@pytest.mark.parametrize("name", ["", "Tiny", "7B", "llama3", "a/b-8bit", "x-7bx", "1.5.2b"])
def test_other_names_say_nothing(name):
    assert kin_of(name) is None


def test_shipped_profiles_know_drafts_for_families_that_have_none_of_their_own_size():
    assert {draft.repo for draft in shipped_drafts(Kin("qwen2.5-coder", 32e9))} >= {
        "unsloth/Qwen2.5-Coder-0.5B-Instruct-GGUF"
    }
    assert shipped_drafts(Kin("no-such-family", 1e9)) == []
