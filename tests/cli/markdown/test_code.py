"""Blocks of code: where they begin and end, and their colours while they are written."""

from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name

from specchat.cli.markdown.code_style import style_of

from .looks import look, styled

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n*a*\n```\n*b*", "{2:```}\n*a*\n{2:```}\n{3:*b*}"),
        ("~~~ x y\n```\n~~~\n", "{2:~~~ x y}\n```\n{2:~~~}\n"),
        ("````md\n```\n````\n", "{2:````md}\n```\n{2:````}\n"),
        ("```\n``\n````  \n*a*", "{2:```}\n``\n{2:````  }\n{3:*a*}"),
        ("```\n``` x\n```", "{2:```}\n``` x\n{2:```}"),
        ("```a b``` *c*\n", "{35:```a b```} {3:*c*}\n"),
        ("1. a\n   ```\n   *b*\n   ```\n2. *c*", "{36:1.} a\n{2:   ```}\n   *b*\n{2:   ```}\n{36:2.} {3:*c*}"),
        ("- ```\n  *b*\n  ```\n*c*", "{36:-}{2: ```}\n  *b*\n{2:  ```}\n{3:*c*}"),
        ("> ```\n> *b*\n> ```\n> *c*", "{2:> ```}\n{2:>} *b*\n{2:> ```}\n{2:>} {3:*c*}"),
        ("> ```\n> *b*\n*c*", "{2:> ```}\n{2:>} *b*\n{3:*c*}"),
        ("```\r\n*a*\r\n```\r\n*b*", "{2:```\r}\n*a*\r\n{2:```\r}\n{3:*b*}"),
        ("```nosuchlanguage\nif x\n", "{2:```nosuchlanguage}\nif x\n"),
        ("```\n", "{2:```}\n"),
        ("```", "{2:```}"),
        ("**a\n```\nb\n```\nc", "{1:**a}\n{2:```}\nb\n{2:```}\nc"),
    ],
)
def test_blocks_begin_and_end_where_their_fences_are(text, expected):
    assert look(text) == expected


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", 'def f(x):\n    return "a b"  # c', '{35:def} {1:f}(x):\n    {35:return} {32:"a b"}  {2:# c}'),
        ("python", 's = """a\nb"""\nx', 's = {32:"""a\nb"""}\nx'),
        ("js", "let a = 'b c'; // d\ne", "{35:let} a = {32:'b c'}; {2:// d}\ne"),
        ("js", "a = /* b\nc */ d", "a = {2:/* b\nc */} d"),
        ("js", "a = `b\nc` + 1", "a = {32:`b\nc`} + {36:1}"),
        ("json", '{"a": [1, true]}', '{{32:"a"}: [{36:1}, {36:true}]}'),
        ("c", "/* a\nb */ return 1;", "{2:/* a\nb */} {35:return} {36:1};"),
        ("bash", "echo 'a b' # c\nx", "{36:echo} {32:'a b'} {2:# c\n}x"),
        ("diff", "-a b\n+c d\n e", "{31:-a b}\n{32:+c d}\n e"),
        ("yaml", "a: 'b c'", "{35:a}: {32:'b} {32:c'}"),
        ("html", "<!-- a\nb -->c", "{2:<!-- a\nb -->}c"),
        ("{.python}", "if x", "{35:if} x"),
        ("Python title=x", "if x", "{35:if} x"),
    ],
)
def test_code_is_coloured_word_by_word(language, code, expected):
    assert look(f"~~~~{language}\n{code}") == f"{{2:~~~~{language}}}\n{expected}"


@pytest.mark.parametrize(
    ("language", "name"),
    [("python", "cli/answering/render.py"), ("python", "speculative/ngram.py"), ("toml", "pyproject.toml")],
)
def test_code_that_comes_in_pieces_looks_as_if_it_had_come_at_once(language, name):
    code = (ROOT / name).read_text(encoding="utf-8")
    tokens = get_lexer_by_name(language).get_tokens_unprocessed(code)
    whole = [style_of(kind) for _, kind, text in tokens for _ in text]
    pieces = [style for text, style in styled([f"~~~~{language}\n", *code]) for _ in text][-len(code) :]
    differing = [place for place, letter in enumerate(code) if not letter.isspace() and whole[place] != pieces[place]]
    assert len(differing) < len(code) / 100  # `match` is a keyword only if a colon ends its line


def test_a_long_block_costs_no_more_at_its_end():
    """Rather what a lexer is given than how long that takes: the same for each of many lines."""
    from specchat.cli.markdown.languages import lexing_for

    for language, line in (("python", "x = f('a', 1)  # b\n"), ("js", "x = f('a', 1); // b\n"), ("yaml", "a: b\n")):
        lexing = lexing_for(language)
        sizes = set()
        for _ in range(50):
            lexing.add(line[:-1], "\n")
            lexing.add("\n", "")
            sizes.add(len(getattr(lexing, "_text", "")))
        assert max(sizes) <= 2 * len(line)
