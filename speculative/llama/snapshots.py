"""How many steps back llama.cpp itself keeps the state of a recurrent model."""

from collections.abc import Callable

_MOST = 16
_SHARE = 8
"""Snapshots may take one byte for so many of the weights."""


def snapshots(metadata: Callable[[str], str | None], size: int) -> int:
    """The value of `n_rs_seq` for a model of `size` bytes; llama.cpp makes it 0 for architectures without rollback.

    A snapshot is as large as the state (`n_embd_r` and `n_embd_s` in llama.cpp's src/llama-hparams.cpp), here taken
    for that of a model whose layers are all recurrent. Where a file does not say how large that is, there are none.
    """
    architecture = metadata("general.architecture") or ""

    def number(key: str) -> int:
        text = metadata(f"{architecture}.{key}") or ""
        return int(text) if text.isdecimal() else 0

    inner, states, kernel = number("ssm.inner_size"), number("ssm.state_size"), number("ssm.conv_kernel")
    convolved = max(0, kernel - 1) * (inner + 2 * number("ssm.group_count") * states)
    short = number("embedding_length") * max(0, number("shortconv.l_cache") - 1)
    floats = number("block_count") * (short or convolved + inner * states)
    return min(_MOST, size // _SHARE // (4 * floats)) if floats else 0
