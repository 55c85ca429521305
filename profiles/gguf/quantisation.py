"""The names of quantisations, as llama-quantize and file names spell them."""

from collections import Counter

from .header import GgufHeader

_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE", 39: "NVFP4",
    40: "Q1_0", 41: "Q2_0",
}  # fmt: skip
"""By `general.file_type`."""
_TENSOR_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K_M", 12: "Q4_K_M",
    13: "Q5_K_M", 14: "Q6_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
    22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4_MOE", 40: "NVFP4",
    41: "Q1_0", 42: "Q2_0",
}  # fmt: skip
"""What most tensors of one type mean for the file."""
BITS = {
    "Q8_0": 8.5008, "Q6_K": 6.5633, "Q5_K_M": 5.7036, "Q5_K_S": 5.5704, "Q4_K_M": 4.8944, "Q4_K_S": 4.6672,
    "IQ4_XS": 4.4597, "Q3_K_L": 4.2979, "Q3_K_M": 3.9960, "Q3_K_S": 3.6429, "IQ3_XXS": 3.2548, "Q2_K": 3.1593,
    "IQ2_M": 2.9294, "IQ2_XS": 2.5882, "IQ2_XXS": 2.3824,
}  # fmt: skip
"""Of a weight, of Llama 3.1 8B: tools/quantize/README.md of llama.cpp. The largest first."""


def quantisation(header: GgufHeader) -> str | None:
    """How the weights are stored; None where neither the header nor its tensors say it."""
    file_type = header.integer("general.file_type")
    if file_type is not None:
        return _FILE_TYPES.get(file_type)
    counts = Counter(tensor.kind for tensor in header.tensors)
    return _TENSOR_TYPES.get(counts.most_common(1)[0][0]) if counts else None
