"""`specchat bench`: whole outputs, with a scripted model on a clock that moves a second at each look."""

import json
import signal
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from specchat.cli.bench.plot import check_plot, plot
from specchat.cli.bench.setup import subject_of
from specchat.cli.bench.table import bar, bench_text
from specchat.cli.models.gains import known_gains
from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.bench.answer import Pairing
from specchat.speculative.bench.report import Costs, report
from specchat.speculative.bench.subject import Subject
from specchat.speculative.costs import CostCurve
from specchat.speculative.drafting import NGRAM
from specchat.speculative.errors import DecodeError, UsageError
from specchat.speculative.llama.pair_config import PairConfig

from ..speculative.bench.making import CODE, PROSE, answer, pairing
from .fakes import World

BENCH = ("bench", "-m", "big.gguf")
ANSWER = "abcabcabcabcxyzxyzxyz 1 2 3 done"
ANSWERS = [ANSWER] * 9  # a draft that quotes the prompt may hold more questions


def world(*arguments, **settings):
    settings = {"answers": ANSWERS, "n_ctx": 9000, **settings}
    return World(**settings).run(*BENCH, *arguments)


def text(columns, pairs=None, ending="time", same_text=True):
    pairs = pairs or [
        *(pairing(speedup) for speedup in (1.8, 1.81, 1.82, 1.79, 1.8, 1.81)),
        *(pairing(speedup, PROSE) for speedup in (0.99, 1.02)),
        *(pairing(speedup, case, "fixed 4") for speedup in (1.4, 1.45) for case in (CODE, PROSE)),
        *(pairing(speedup, variant="plain") for speedup in (1.0, 1.01)),
    ]
    subject = Subject(title="big.gguf, drafted by small.gguf", same_text=same_text)
    return bench_text(report(pairs, Costs((0.1, 0.11), 0.02), ending, 178.4), subject, columns)


def test_the_table_on_80_columns():
    assert text(80) == WIDE


def test_the_table_on_40_columns():
    assert text(40) == NARROW


def test_what_was_measured_is_kept_for_who_chooses_a_draft(tmp_path):
    target = tmp_path / "big.gguf"
    target.write_text("a model")
    done = World(answers=ANSWERS, n_ctx=9000, variables={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    done.run("bench", "-m", str(target), "--draft", "ngram", "--kinds", "code", "--seconds", "2000", "--json")
    gain = known_gains(done.environment()).of(target, "ngram")
    [told] = [each["speedup"] for each in json.loads(done.out)["variants"] if each["variant"] == "adaptive"]
    assert gain.kinds == ("code",)
    assert [round(each, 5) for each in (gain.speedup, *gain.interval)] == [told["value"], *told["interval"]]


def test_machine_options_that_are_only_tried_decide_nothing_for_ordinary_runs(tmp_path):
    target = tmp_path / "big.gguf"
    target.write_text("a model")
    done = World(answers=ANSWERS, n_ctx=9000, variables={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    done.run("bench", "-m", str(target), "--draft", "ngram", "--kinds", "code", "--seconds", "2000", "-t", "1", "-q")
    assert done.code == 0
    assert known_gains(done.environment()).of(target, "ngram") is None


def test_json_names_what_drafted_in_the_end():
    def another(pair):
        pair.config = replace(pair.config, draft=Path("other.gguf"))

    done = world("--draft", "ngram", "--kinds", "code", "--seconds", "300", "--json", on_load=another)
    assert json.loads(done.out)["draft"] == "other.gguf"


def test_what_spoils_a_comparison_is_told():
    looping = pairing(5.0, PROSE, looping=True)
    late = Pairing(CODE, "adaptive", answer(12.0), answer(6.0, first_token=1.5))
    other = Pairing(CODE, "fixed 2", answer(12.0), answer(12.0, tokens=5))
    notes = text(200, [looping, late, other])
    assert "left out, since the answers repeat themselves: prose at T 0.8 (adaptive)" in notes
    assert "the first token comes up to 1.50 × as late (code, adaptive)" in notes
    assert "1 of 2 texts differ from the plain ones: rounding" in notes
    assert "from the plain ones: --verification rejection draws others" in text(200, [late, other], same_text=False)


def test_everything_is_known_but_what_repeats_itself():
    looping = pairing(5.0, PROSE, looping=True)
    assert "everything else is known to within 1.5 %" in text(200, [pairing(1.5), looping], "narrow")
    nothing = text(200, [looping], "looping")
    assert "known" not in nothing
    assert "nothing more to learn" in nothing
    assert nothing.endswith("say nothing about drafting.\n")


@pytest.mark.parametrize("columns", range(40, 130, 7))
def test_no_line_is_longer_than_the_terminal(columns):
    names = [pairing(1.5, CODE), pairing(12.0, PROSE), pairing(1.2, variant="Some-Long-Model-Name-7B-Instruct-Q4_K_M")]
    assert max(map(len, text(columns, names).splitlines())) <= columns


def test_a_bar_is_as_long_as_its_value_and_marks_where_plain_is():
    assert bar(2.0, 2.0, 10) == "█████┃████"
    assert bar(0.5, 2.0, 10) == "██▌  │    "
    assert bar(1.3, 2.0, 10) == "█████┃▌   "


def test_a_pipe_gets_the_table_and_nothing_else():
    done = world("--kinds", "code", "--seconds", "2000")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("big.gguf, drafted by ngram: times as fast as plain decoding\n\nadaptive")
    assert "everything is known to within 1.5 %" in done.out
    assert done.out.endswith("\nKeep this draft: 1.46 × plain decoding over these texts.\n")
    assert done.pair.closed


def test_a_terminal_shows_the_time_left_and_takes_it_away():
    done = world("--kinds", "code", "--seconds", "900", screen=True, stdin=None)
    shown, _, result = done.out.rpartition("\x1b[2K")
    assert "900 s left" in shown
    assert "code · adaptive" in shown
    assert result.startswith("big.gguf, drafted by ngram")
    assert "left" not in world("--kinds", "code", "-q", "--seconds", "900", screen=True, stdin=None).out


def test_json_has_every_pair():
    found = json.loads(world("--json", "--kinds", "code,list", "--seconds", "900", "--fixed", "2").out)
    assert (found["model"], found["draft"], found["ending"], found["max_tokens"]) == ("big.gguf", "ngram", "time", 128)
    assert {row["variant"] for row in found["rows"]} == {"adaptive", "fixed 2"}
    assert {row["kind"] for row in found["rows"]} == {"code", "list"}
    assert found["pairs"][0]["plain"]["tokens"] == found["pairs"][0]["other"]["tokens"] == len(ANSWER) + 1
    assert found["pairs"][0]["plain"]["finish_reason"] == "stop"
    assert found["pairs"][0]["plain"]["shown_speedup"] is None
    assert not any(pair["parted"] for pair in found["pairs"])


def test_json_has_the_speedup_that_an_answer_would_have_shown():
    def adapting(pair):
        length = AdaptiveLength(CostCurve(), sources((NGRAM,), None, share=0.1), most=8)
        pair.session.decoder = replace(pair.session.decoder, draft_length=length)

    found = json.loads(world("--json", "--kinds", "code", "--seconds", "900", on_load=adapting).out)
    drafted = [pair["other"]["shown_speedup"] for pair in found["pairs"] if pair["variant"] == "adaptive"]
    assert drafted
    assert all(isinstance(shown, float) for shown in drafted)


def test_ctrl_c_tells_what_is_known_and_dies_of_the_signal():
    def interrupt(running: World, count: int) -> None:
        if count == 200:
            signal.raise_signal(signal.SIGINT)

    done = world("--kinds", "code", "--seconds", "900", on_pass=interrupt)
    assert done.code == -signal.SIGINT
    assert "; stopped" in done.out
    assert done.pair.closed


def test_ctrl_c_before_the_first_pair_says_so():
    done = world(
        "--kinds", "code", on_pass=lambda running, count: signal.raise_signal(signal.SIGINT) if count == 1 else None
    )
    assert (done.code, done.out) == (-signal.SIGINT, "Stopped before anything was known.\n")


def test_own_prompts_are_measured_instead_of_the_packaged_ones(tmp_path):
    (tmp_path / "letter.txt").write_text("Write to my aunt.")
    done = world("-f", str(tmp_path / "letter.txt"), "--seconds", "300")
    assert "\nletter " in done.out
    assert {message.content for chat in done.pair.chats for message in chat} == {"Write to my aunt."}


def test_another_target_is_a_row_of_its_own():
    found = json.loads(world("--json", "--kinds", "code", "--against", "models/big-q4.gguf", "--seconds", "400").out)
    assert found["against"] == "big-q4"
    assert {row["variant"] for row in found["rows"]} == {"adaptive", "against big-q4"}


@pytest.mark.parametrize("name", ["plain", "adaptive", "ngram"])
def test_another_target_may_be_called_like_a_variant(name):
    found = json.loads(world("--json", "--kinds", "code", "--against", f"{name}.gguf", "--seconds", "400").out)
    assert {row["variant"] for row in found["rows"]} == {"adaptive", f"against {name}"}


def test_another_target_is_loaded_as_the_first_one_is():
    line = ("--kinds", "code", "--against", "big-q4.gguf", "--seconds", "400")
    loud = world(*line, notices=("Odd.",), screen=True, stdin=None)
    assert loud.out.count("Odd.") == 2
    assert "loading 50% big-q4.gguf" in loud.out
    quiet = world(*line, "-q", notices=("Odd.",), screen=True, stdin=None)
    assert "Odd." not in quiet.out
    assert "loading" not in quiet.out


def test_the_context_of_another_target_counts_too():
    line = ("--kinds", "code,summary", "--against", "old.gguf", "--seconds", "400")
    done = world(*line, contexts={"old.gguf": 1000})
    assert (done.code, "Left out, too long for a context of 1000: summary." in done.err) == (0, True)


def test_an_error_in_the_middle_tells_what_is_known_and_ends_with_its_code():
    def fail(running: World, count: int) -> None:
        if count == 200:
            raise DecodeError("It broke.", "Do this.")

    done = world("--kinds", "code", "--seconds", "900", on_pass=fail)
    assert (done.code, done.err) == (1, "error: It broke.\nhint: Do this.\n")
    assert "; an error ended it" in done.out


def test_an_error_before_anything_is_known_is_all_that_is_told():
    def fail(running: World, count: int) -> None:
        if count == 3:
            raise DecodeError("It broke.")

    done = world("--kinds", "code", on_pass=fail)
    assert (done.code, done.out, done.err) == (1, "", "error: It broke.\n")


def test_ctrl_c_stops_another_target_too():
    def interrupt(running: World, count: int) -> None:
        if count == 30 == len(running.pair.session.decoder.target.passes):  # that of the pair that was loaded last
            signal.raise_signal(signal.SIGINT)

    done = world("--kinds", "code", "--against", "other.gguf", "--seconds", "900", on_pass=interrupt)
    assert done.code == -signal.SIGINT
    assert len(done.pair.session.decoder.target.passes) == 31


def test_n_grams_that_do_not_pay_are_told_so():
    done = world("--kinds", "code", "--seconds", "900", answers=["qwzxvjkyg"] * 9)
    assert "n-grams do not pay on these texts" in " ".join(done.out.split())


def test_what_is_measured_says_what_its_numbers_mean():
    config = PairConfig(target=Path("big.gguf"), draft=Path("small.gguf"), verification="rejection")
    rival = PairConfig(target=Path("models/other.v2.gguf"))
    assert subject_of(config, rival) == Subject(
        title="big.gguf, drafted by small.gguf", rival="other.v2", same_text=False
    )
    assert subject_of(PairConfig(target=Path("big.gguf"), draft="ngram")) == Subject(
        title="big.gguf, drafted by ngram", ngrams=True
    )


def test_full_measures_all_kinds_at_zero_too():
    found = json.loads(world("--json", "--full", "--temp", "0,0.7", "-n", "4", "--seconds", "6000").out)
    assert len({row["kind"] for row in found["rows"]}) == 10
    assert {row["temperature"] for row in found["rows"]} == {0, 0.7}


def test_prompts_that_do_not_fit_are_left_out_and_told():
    done = world("--kinds", "code,summary", "--seconds", "200", n_ctx=1000)
    assert "Left out, too long for a context of 1000: summary." in done.err
    assert done.code == 0
    assert world("--kinds", "summary", n_ctx=1000).code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draft", "none"], "there is nothing to compare"),
        (["--draft-length", "3"], "hint: Write --fixed 3"),
        (["--fixed", "20"], "longer than drafts may be"),
        (["--fixed", "2,x"], "'x' is not a whole number"),
        (["--kinds", "code,poem"], "There is no kind 'poem'"),
        (["--set", "3"], "There is no set '3'"),
        (["--plot", "bench.pdf"], "neither a .png nor an .svg"),
        (["-f", "missing.txt"], "missing.txt"),
    ],
)
def test_mistakes_get_a_sentence_before_anything_is_measured(arguments, message):
    done = world(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_a_fixed_length_beyond_what_is_exact_is_told():
    done = world("--exact", "--fixed", "8", exact_draft_max=2)
    assert (done.code, done.out) == (2, "")
    assert "With --exact they may have 2 tokens" in done.err


def test_a_missing_plot_library_is_told_with_the_command_to_type():
    with pytest.raises(UsageError) as error:
        check_plot(Path("bench.png"), library="no_such_library")
    assert error.value.hint == "pip install 'specchat[plot]'"


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is an extra")
@pytest.mark.parametrize("name", ["bench.png", "bench.svg"])
def test_a_plot_is_written(tmp_path, name):
    pairs = [*(pairing(1.8) for _ in range(6)), pairing(1.1, PROSE), pairing(1.2, PROSE, "ngram")]
    plot(report(pairs, Costs((0.1, 0.12, 0.13), 0.02), "time", 9.0), "big.gguf", tmp_path / name)
    assert (tmp_path / name).stat().st_size > 10_000


WIDE = """\
big.gguf, drafted by small.gguf: times as fast as plain decoding

adaptive                                               95 %   tokens/s  accepted
code         1.81 × ██████████████┃███████████    1.79–1.82  0.9 → 1.8       67%
prose        1.00 × ██████████████│                 2 pairs  0.9 → 0.9       67%
all of them  1.35 × ██████████████┃████▍          1.33–1.36                  67%

fixed 4                                                95 %   tokens/s  accepted
code         1.43 × ██████████████┃█████▌           2 pairs  0.9 → 1.3       67%
prose        1.43 × ██████████████┃█████▌           2 pairs  0.9 → 1.3       67%
all of them  1.43 × ██████████████┃█████▌           4 pairs                  67%

plain against plain: 1.005 × (2 pairs); a difference like this is noise
× is of whole answers, what has to be read first included; tokens/s are those
  after the first token
adaptive: accepted by position: 50%
14 pairs in 178 s; the time was up

Keep this draft: 1.35 × plain decoding over these texts.
"""

NARROW = """\
big.gguf, drafted by small.gguf: times
  as fast as plain decoding

adaptive
code         1.81 × ███████████┃████████
prose        1.00 × ███████████│
all of them  1.35 × ███████████┃██▉

fixed 4
code         1.43 × ███████████┃███▊
prose        1.43 × ███████████┃███▊
all of them  1.43 × ███████████┃███▊

plain against plain: 1.005 × (2 pairs);
  a difference like this is noise
adaptive: accepted by position: 50%
14 pairs in 178 s; the time was up

Keep this draft: 1.35 × plain decoding
  over these texts.
"""
