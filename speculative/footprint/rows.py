"""What a row of numbers takes, by ggml's number of its type: `type_traits` in ggml/src/ggml.c."""

from ..cache_types import CACHE_TYPES

_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
    40: (64, 36), 41: (128, 18), 42: (64, 18),
}  # fmt: skip
"""By type: so many numbers take so many bytes."""


def row_bytes(kind: int, width: int) -> int | None:
    """The bytes of a row of `width` numbers, as `ggml_row_size` has them; None for a type that is not known."""
    block = _BLOCKS.get(kind)
    return None if block is None else -(-width // block[0]) * block[1]


def cache_bytes(name: str, width: int) -> int:
    """The bytes of a row of a cache whose type has a `name` out of `CACHE_TYPES`."""
    size = row_bytes(CACHE_TYPES[name], width)
    assert size is not None
    return size
