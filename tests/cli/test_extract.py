"""The first code block of an answer."""

import pytest

from specchat.cli.answering.extract import extracted


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("no block", None),
        ("", None),
        ("`code` and ``more``", None),
        ("``\na\n``", None),
        ("```\na\n```", "a\n"),
        ("So:\n\n```python\na\nb\n```\nand\n```\nc\n```", "a\nb\n"),
        ("~~~\na\n~~~", "a\n"),
        ("~~~ `js` title=~x\na\n~~~", "a\n"),
        ("```\na", "a"),
        ("```\na\n", "a\n"),
        ("```", ""),
        ("```\n```\nafter", ""),
        ("````md\n```\na\n```\n````\nafter", "```\na\n```\n"),
        ("```\na\n`````   \nafter", "a\n"),
        ("```\na\n~~~\nb\n```", "a\n~~~\nb\n"),
        ("```\na\n``` b\nc\n```", "a\n``` b\nc\n"),
        ("```in one line```\n```\na\n```", "a\n"),
        ("1. So:\n   ```\n   a\n     b\n c\n   ```", "a\n  b\nc\n"),
        ("text ```\na\n```", ""),
        ("```\r\na\r\n```\r\n", "a\r\n"),
        ("a\x0c```\nb", None),
    ],
)
def test_the_first_block_is_what_commonmark_says(text, block):
    assert extracted(text) == block
