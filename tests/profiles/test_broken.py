"""Broken profiles, and the exact words that each is met with."""

import pytest

from specchat.profiles.errors import ProfileError
from specchat.profiles.store import Profiles

KNOWN = (
    "cache_type_k, cache_type_v, context, cpu_moe, description, device, download, draft, draft_device, "
    "draft_gpu_layers, draft_length, draft_max, extends, flash_attention, format, gpu_layers, grammar, json_schema, "
    "licence, memory, mmap, rpc, sampling, source, stop, system, target, tensor_split, think, threads, threads_batch"
)
BROKEN = {
    "wrong type": (
        b"target: big.gguf\ncontext: 8k\n",
        "p.yaml, line 2: context is '8k', but has to be auto, or a whole number from 0 to 2147483647.",
        "",
    ),
    "unknown key": (
        b"target: big.gguf\ndrfat: small.gguf\n",
        "p.yaml, line 2: there is no setting called drfat.",
        f"Did you mean draft? Known: {KNOWN}.",
    ),
    "tab": (
        b"target: big.gguf\nsampling:\n\ttop_k: 1\n",
        "p.yaml, line 3: this is not YAML.",
        "There is a tab; YAML is indented with spaces.",
    ),
    "duplicate key": (
        b"target: big.gguf\ncontext: 1\ntarget: small.gguf\n",
        "p.yaml, line 3: target is there for the second time, after line 1.",
        "Leave one of the two out.",
    ),
    "missing draft": (
        b"target: big.gguf\ndraft:\n",
        "p.yaml, line 2: draft has no value.",
        "Write one behind the colon, or take the line out.",
    ),
    "cyclic extends": (
        b"extends: other\n",
        "other.yaml, line 2: extends leads in a circle: p → other → p.",
        "Leave one of them out.",
    ),
    "bad number": (
        b"target: big.gguf\nsampling:\n  top_p: 1.5\n",
        "p.yaml, line 3: top_p is 1.5, but it is a probability.",
        "Give a number from 0 to 1.",
    ),
    "empty": (b"# nothing yet\n", "p.yaml is empty.", "Write at least target: and a model."),
    "binary": (
        b"GGUF\x03\x00\x00\x00\xff\xfe\x00\x00",
        "p.yaml: this is not YAML.",
        "It has to be text in UTF-8 without control characters.",
    ),
    "huge": (
        b"target: big.gguf\n" + b"#" * (1 << 20),
        "p.yaml is longer than 1 MiB, which no profile is.",
        "Check the path.",
    ),
    "no target": (b"context: 100\n", "p.yaml: no target is named.", "Write target: and a GGUF file, or extends:."),
    "no mapping": (b"- big.gguf\n", "p.yaml: there are no settings in it.", "Write one `name: value` a line."),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_profile_is_met_with_these_words(tmp_path, broken):
    content, message, hint = BROKEN[broken]
    (tmp_path / "p.yaml").write_bytes(content)
    (tmp_path / "other.yaml").write_text("system: x\nextends: p\n")
    with pytest.raises(ProfileError) as caught:
        Profiles((tmp_path,)).load("p")
    assert (caught.value.message.replace(f"{tmp_path}/", ""), caught.value.hint) == (message, hint)
