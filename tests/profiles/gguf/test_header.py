"""Headers are read whole, with little more, and whatever is wrong with one ends in a sentence."""

import os
from contextlib import suppress
from struct import pack

import gguf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.profiles.gguf.cursor import LIMIT
from specchat.profiles.gguf.header import FileBytes, Tensor, read_header
from specchat.profiles.gguf.values import GgufArray
from specchat.speculative.errors import ModelLoadError

from .raw import ARRAY, F32, I32, TEXT, Source, array, header, tensor, text

KIB = 1024
DAMAGED = "The header of x.gguf is damaged: "


def read(data, **settings):
    return read_header(Source(data, **settings), "x.gguf")


def complaint(data, **settings):
    with pytest.raises(ModelLoadError) as error:
        read(data, **settings)
    assert error.value.hint
    return error.value.message


def test_every_kind_of_value_is_read():
    found = read(
        header(
            [
                ("text", "é"),
                ("number", 7),
                ("real", pack("<If", F32, 0.5)),
                ("yes", True),
                ("large", pack("<IQ", 10, 2**40)),
                ("negative", pack("<Iq", 11, -1)),
                ("words", ["a", "", "b c"]),
                ("numbers", [1, -2]),
            ],
            [tensor("one", (2, 3), 1, 0), tensor("two", (4,), 8, 32)],
        )
    )
    assert (found.text("text"), found.integer("number"), found.metadata["real"]) == ("é", 7, 0.5)
    assert (found.metadata["yes"], found.integer("large"), found.integer("negative")) == (True, 2**40, -1)
    assert found.array("words").texts() == [b"a", b"", b"b c"]
    assert found.array("numbers").numbers() == (1, -2)
    assert found.tensors == (Tensor("one", (2, 3), 1, 0), Tensor("two", (4,), 8, 32))


def test_a_value_of_another_kind_is_none():
    found = read(header([("text", "a"), ("number", 1), ("words", ["a"])]))
    assert (found.text("number"), found.text("words"), found.text("absent")) == (None, None, None)
    assert (found.integer("text"), found.array("text")) == (None, None)
    assert found.array("words").numbers() == ()


def test_a_header_says_what_the_gguf_package_reads(tiny_model_path):
    reader = gguf.GGUFReader(tiny_model_path)
    found = read_header(FileBytes(tiny_model_path))
    expected = {key: field.contents() for key, field in reader.fields.items() if not key.startswith("GGUF.")}
    assert {key: plain(value) for key, value in found.metadata.items()} == expected
    assert found.size == reader.data_offset
    assert [(each.name, each.shape, each.kind, each.offset + found.size) for each in found.tensors] == [
        (each.name, tuple(map(int, each.shape)), each.tensor_type, each.data_offset) for each in reader.tensors
    ]


def plain(value):
    if not isinstance(value, GgufArray):
        return value
    return [text.decode() for text in value.texts()] or list(value.numbers())


def test_arrays_stay_bytes_until_they_are_asked_for():
    words = [b"token %d" % number for number in range(1000)]
    found = read(header([("words", words)])).array("words")
    assert (found.kind, found.count, found.data) == (TEXT, 1000, b"".join(map(text, words)))
    assert found.texts() == words


def test_long_texts_are_read_whole():
    words = [b"a" * 100_000, b"b" * 200_000]
    assert read(header([("words", words)])).array("words").texts() == words


def vocabulary(count, length):
    return [(b"x" * (number % (2 * length))) + b"%d" % number for number in range(count)]


@pytest.mark.parametrize("count", [100, 5_000, 150_000])
def test_little_more_than_the_header_is_read(count):
    entries = [
        ("tokenizer.chat_template", "x" * 3000),
        ("tokens", vocabulary(count, 4)),
        ("types", [1] * count),
        ("merges", vocabulary(count, 6)),
    ]
    source = Source(header(entries, [tensor(f"blk.{layer}.weight") for layer in range(300)]) + bytes(2**20))
    size = read_header(source).size
    assert source.total <= max(1.1 * size, 64 * KIB)
    assert len(source.reads) < 20


@pytest.mark.models
def test_little_more_than_the_headers_of_real_models_is_read(models):
    for path in models.glob("*.gguf"):
        counted = Source(b"")
        file = FileBytes(path)
        counted.read = lambda offset, size, file=file, counted=counted: count(counted, file.read(offset, size))
        size = read_header(counted).size
        assert size < counted.total <= 1.1 * size
        assert len(counted.reads) < 12


def count(source, data):
    source.reads.append(len(data))
    return data


WRONG = {
    "text": (b"Dear diary", "x.gguf is not a GGUF file: it starts with 'Dear', not with 'GGUF'."),
    "empty": (b"", "x.gguf ends after 0 bytes, in the middle of its header."),
    "short": (b"GGUF\3\0\0", "x.gguf ends after 7 bytes, in the middle of its header."),
    "version 0": (
        header(version=0),
        "x.gguf is in version 0 of the GGUF format, older than llama.cpp reads.",
    ),
    "version 1": (
        header(version=1),
        "x.gguf is in version 1 of the GGUF format, older than llama.cpp reads.",
    ),
    "version 4": (
        header(version=4),
        "x.gguf is in version 4 of the GGUF format, newer than llama.cpp reads.",
    ),
    "big-endian": (
        b"GGUF" + pack(">IQQ", 3, 0, 0),
        "x.gguf was written for big-endian machines, and llama.cpp reads a model only on such a one.",
    ),
    "many keys": (header(n_entries=2**60), f"{DAMAGED}it counts 0 tensors and {2**60} keys."),
    "many tensors": (header(n_tensors=2**63), f"{DAMAGED}it counts {2**63} tensors and 0 keys."),
    "long key": (header(n_entries=1) + pack("<Q", 2**64 - 1), f"{DAMAGED}it would be longer than 32 MiB."),
    "long text": (header([("a", pack("<IQ", TEXT, 2**63))]), f"{DAMAGED}it would be longer than 32 MiB."),
    "long array": (header([("a", array(I32, 2**62))]), f"{DAMAGED}it would be longer than 32 MiB."),
    "many texts": (header([("a", array(TEXT, 2**62))]), f"{DAMAGED}it would be longer than 32 MiB."),
    "long text in an array": (
        header([("a", array(TEXT, 3, text("a") + pack("<Q", 2**64 - 1)))]) + bytes(100),
        f"{DAMAGED}it would be longer than 32 MiB.",
    ),
    "nested arrays": (header([("a", array(ARRAY, 1, array(I32, 0)))]), f"{DAMAGED}there is no kind of value 9."),
    "unknown kind": (header([("a", pack("<I", 99))]), f"{DAMAGED}there is no kind of value 99."),
    "unknown kind in an array": (header([("a", array(13, 0))]), f"{DAMAGED}there is no kind of value 13."),
    "same key twice": (header([("a", 1), ("a", 2)]), f"{DAMAGED}it has the key a twice."),
    "same tensor twice": (header([], [tensor("t"), tensor("t")]), f"{DAMAGED}it has the tensor t twice."),
    "long name": (
        header([], [tensor("t" * 99, (1,) * 5)]),
        f"{DAMAGED}the tensor {'t' * 80}… has 5 dimensions.",
    ),
    "dimensions": (header([], [tensor("t", (1,) * 5)]), f"{DAMAGED}the tensor t has 5 dimensions."),
    "shape": (
        header([], [tensor("t", (2**32, 2**31))]),
        f"{DAMAGED}the tensor t has the shape ({2**32}, {2**31}).",
    ),
    "alignment": (header([("general.alignment", 3)]), f"{DAMAGED}general.alignment is no power of two."),
    "no alignment": (header([("general.alignment", 0)]), f"{DAMAGED}general.alignment is no power of two."),
    "alignment of words": (header([("general.alignment", "a")]), f"{DAMAGED}general.alignment is no power of two."),
}


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_in_a_sentence(data, message):
    assert complaint(data) == message


@pytest.mark.parametrize("byte", [0, 1, 255])
@pytest.mark.parametrize(
    "start",
    [
        header(n_entries=2_000_000),
        header(n_tensors=1_000_000),
        header([("a", array(TEXT, 2**21))], n_entries=3),
        header([("a", pack("<IQ", TEXT, LIMIT - 100))], n_entries=3),
    ],
    ids=["keys", "tensors", "texts", "text"],
)
def test_no_more_than_32_mib_of_an_endless_file_are_read(start, byte):
    source = Source(start + bytes([byte]), endless=True)
    with pytest.raises(ModelLoadError):
        read_header(source)
    assert source.total <= LIMIT


@given(st.data())
def test_a_header_that_ends_early_is_incomplete_wherever_it_ends(data):
    whole = header([("a", "b"), ("words", ["a", "b"]), ("numbers", [1, 2])], [tensor("t", (2, 2))])
    end = data.draw(st.integers(4, len(whole) - 1))
    assert complaint(whole[:end]) == f"x.gguf ends after {end} bytes, in the middle of its header."


@given(st.data())
@settings(max_examples=500)
def test_a_damaged_header_is_read_or_refused_and_nothing_else(data):
    whole = bytearray(header([("a", "b"), ("words", ["a", "b"]), ("numbers", [1, 2])], [tensor("t", (2, 2))]))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(4, len(whole) - 1))
        whole[place] = data.draw(st.sampled_from([0, 1, 8, 9, 0x7F, 0x80, 0xFF]))
    source = Source(bytes(whole) + bytes(64))
    with suppress(ModelLoadError):
        read_header(source)
    assert source.total <= LIMIT


def test_bytes_that_are_no_text_become_marks():
    found = read(header([("a", pack("<I", TEXT) + text(b"\xff"))]))
    assert found.text("a") == "\ufffd"


@pytest.mark.parametrize(("make", "message"), [(os.mkdir, "is a folder"), (os.mkfifo, "is not a regular file")])
def test_what_is_no_file_is_not_waited_for(tmp_path, make, message):
    make(tmp_path / "x.gguf")
    with pytest.raises(ModelLoadError, match=message):
        read_header(FileBytes(tmp_path / "x.gguf"))


def test_the_weights_start_at_a_multiple_of_the_alignment():
    assert read(header([("general.alignment", 64)], [tensor("t")])).size % 64 == 0
