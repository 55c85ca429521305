"""A glance at two vocabularies: what is of another family is left alone before its header is read to the end."""

import struct

from ..gguf.header import ByteSource

_SEEN = 64 << 10
_KEY = b"tokenizer.ggml.tokens"
_ARRAY = struct.Struct("<IIQ")
"""Behind the key: that it is an array, of texts, and how many."""
_LENGTH = struct.Struct("<Q")


def first_texts(source: ByteSource) -> list[bytes]:
    """The tokens in the first bytes of a file; none where they start later. Raises what reading raises."""
    data = source.read(0, _SEEN)
    place = data.find(_KEY) + len(_KEY)
    texts: list[bytes] = []
    if _KEY not in data or place + _ARRAY.size > len(data):
        return texts
    _, _, count = _ARRAY.unpack_from(data, place)
    place += _ARRAY.size
    while len(texts) < count and place + _LENGTH.size <= len(data):
        start = place + _LENGTH.size
        place = start + _LENGTH.unpack_from(data, place)[0]
        if place <= len(data):
            texts.append(data[start:place])
    return texts


def may_be_kin(some: list[bytes], others: list[bytes]) -> bool:
    """Whether two vocabularies that start like this can fit: special tokens may differ, most are not special."""
    pairs = list(zip(some, others, strict=False))
    return 2 * sum(one != other for one, other in pairs) <= len(pairs)
