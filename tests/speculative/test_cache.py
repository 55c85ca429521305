import pytest

from specchat.speculative.cache import Cache


def test_what_is_kept_is_found_by_its_key(tmp_path):
    cache = Cache(tmp_path / "costs")
    assert cache.load("a pair") is None
    cache.save("a pair", {"1": 0.5})
    assert cache.load("a pair") == {"1": 0.5}
    assert cache.load("another pair") is None


def test_keys_need_not_be_text(tmp_path):
    Cache(tmp_path).save("bad\udcffname.gguf", [1])
    assert Cache(tmp_path).load("bad\udcffname.gguf") == [1]


@pytest.mark.parametrize(
    "damage", [lambda text: "", lambda text: text[:30], lambda text: "[]", lambda text: "1" * 2**21]
)
def test_what_is_damaged_is_missing(tmp_path, damage):
    cache = Cache(tmp_path)
    cache.save("a pair", 0.75)
    [file] = tmp_path.iterdir()
    file.write_text(damage(file.read_text()))
    assert cache.load("a pair") is None


def test_another_format_is_missing(tmp_path):
    cache = Cache(tmp_path)
    cache.save("a pair", 0.75)
    [file] = tmp_path.iterdir()
    file.write_text(file.read_text().replace('"format": ', '"format": 9'))
    assert cache.load("a pair") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file")
    cache.save("a pair", 1)
    assert cache.load("a pair") is None


def test_without_a_folder_nothing_is_kept():
    Cache(None).save("a pair", 1)
    assert Cache(None).load("a pair") is None


def test_what_is_kept_is_private_and_nothing_half_written_is_left(tmp_path):
    Cache(tmp_path / "costs").save("a pair", 1)
    [file] = (tmp_path / "costs").iterdir()
    assert file.stat().st_mode & 0o077 == 0
