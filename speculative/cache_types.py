"""The types that a cache may have."""

CACHE_TYPES = {
    "f32": 0, "f16": 1, "bf16": 30, "q8_0": 8, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "iq4_nl": 20,
}  # fmt: skip
"""By their names, ggml's numbers of them."""
