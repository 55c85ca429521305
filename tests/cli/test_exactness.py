"""How exact a text is: `bench --verify`, and what the statistics and JSON say of each answer."""

import json
from dataclasses import replace

import pytest

from specchat.speculative.errors import NotExactError
from specchat.speculative.llama.certificate import Certificate
from specchat.speculative.llama.exactness import Exactness, Verified
from specchat.speculative.llama.rounding_probe import Probe
from specchat.speculative.rounding import Rounding

from .fakes import World

CERTIFICATE = Certificate(
    cache_type_k="bf16",
    cache_type_v="bf16",
    repack=True,
    tiled=True,
    least=1,
    most=17,
    context=1500,
    plain_cost=1.02,
    drafted_cost=1.1,
)


def rounding(context, gaps):
    return Rounding(context=context, differences={1: gaps, 2: {}}, seconds={})


SHORT, LONG = rounding(100, {2: 0.0, 3: 0.0, 4: 0.7612, 5: 0.7612}), rounding(1500, dict.fromkeys(range(2, 6), 1.5))
FOUND = Verified(Probe(roundings=(SHORT, LONG), cuts=(0.0, 0.25), experts=False), longest=5)
CLEAN = Verified(
    Probe(roundings=(rounding(100, {2: 0.0, 3: 0.0, 4: 9.0}),), cuts=(), experts=False),
    longest=3,
    notice="Exact with less.",
)


def verify(*arguments, found=FOUND, **settings):
    return World(rounding=found, **settings).run("bench", "-m", "big.gguf", "--verify", *arguments)


def statistics(exactness, *arguments):
    return (
        World(answers=["abcabcabc"], exactness=exactness).run("run", "-m", "big.gguf", "--stats", *arguments, "Hi").err
    )


def test_the_table_joins_lengths_that_round_alike():
    done = verify()
    assert (done.code, done.err) == (0, "")
    assert done.out == TABLE
    assert done.pair is None


def test_exact_settings_are_measured_where_they_are_asked_for():
    done = verify("--exact", found=CLEAN)
    assert done.measured.exact
    assert "Exact with less." in done.out
    assert done.out.endswith("Bit-exact as far as measured: nothing that is drafted can change a text.\n")
    assert not verify().measured.exact


def test_only_lengths_in_use_count():
    text = verify("--exact", found=CLEAN).out
    assert "\n2–3 " in text
    assert "\n4" not in text


def test_experts_are_not_called_exact_by_a_measurement():
    assert "no measurement covers" in verify(found=replace(CLEAN, uncertain=True)).out
    assert Exactness(rounding=0.0, context=9, experts=True).bit_exact is False


@pytest.mark.parametrize(
    "option", ["--plot=x.png", "--kinds=code", "--against=x.gguf", "--full", "--tokens=9", "--temp=0"]
)
def test_options_about_speed_are_refused(option):
    done = verify(option)
    assert (done.code, "measures no speed" in done.err) == (2, True)


def test_what_cannot_be_measured_is_told():
    refused = verify("--exact", found=NotExactError("No settings were found.", "Do without."))
    assert (refused.code, refused.out, refused.err) == (1, "", "error: No settings were found.\nhint: Do without.\n")


def test_a_terminal_sees_what_is_going_on_and_the_table_fits_it():
    done = verify(screen=True, stdin=None, columns=40)
    assert "measuring how passes of big.gguf round" in done.out
    assert max(map(len, done.transcript.splitlines())) <= 40


def test_json_has_every_length():
    found = json.loads(verify("--json").out)
    assert found["roundings"][0]["differences"]["1"]["4"] == 0.7612
    assert found["cuts"] == [0.0, 0.25]


@pytest.mark.parametrize(
    ("exactness", "text"),
    [
        (Exactness(), "exact up to rounding, which specchat bench --verify measures"),
        (Exactness(rounding=0.0142, context=1500), "exact up to rounding (by 0.014)"),
        (Exactness(rounding=0.0, context=1500), "bit-exact (measured)"),
        (Exactness(certificate=CERTIFICATE, context=1500), "bit-exact (measured)"),
        (Exactness(certificate=CERTIFICATE, context=5), "bit-exact as far as measured (5 tokens of context)"),
    ],
)
def test_statistics_say_how_exact_an_answer_is(exactness, text):
    assert text in statistics(exactness)


def test_nothing_is_said_of_a_text_that_depends_on_its_draft():
    assert "exact" not in statistics(None)


def test_json_says_how_exact_an_answer_is():
    def of(exactness):
        return json.loads(World(exactness=exactness).run("run", "-m", "big.gguf", "--json", "Hi").out)["exactness"]

    assert of(None) is None
    assert of(Exactness()) == {"bit_exact": None, "rounding": None, "measured_context": None}
    assert of(Exactness(rounding=0.5, context=9)) == {"bit_exact": False, "rounding": 0.5, "measured_context": 9}
    assert of(Exactness(certificate=CERTIFICATE, context=9))["bit_exact"] is True


def test_exact_is_passed_on():
    assert World().run("run", "-m", "big.gguf", "--exact", "Hi").pair.config.exact
    refused = World().run("run", "-m", "big.gguf", "--exact", "--verification", "rejection", "Hi")
    assert (refused.code, "cannot be exact" in refused.err) == (2, True)


TABLE = """\
big.gguf: the largest difference of logits from those of passes over one token,
  on the same text

tokens in a pass   after 100 after 1,500
2–3                     none         1.5
4–5                     0.76         1.5
prompt cut              none        0.25

Exact up to rounding: where moving logits by 1.5 or less swaps two choices, a
drafted text can go another way than the plain one. --exact looks for settings
under which nothing differs.

The last row is for the same prompt read in smaller pieces, which drafting never
changes.
"""
