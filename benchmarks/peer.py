"""Answers of specchat and of llama.cpp's own speculative decoding: the same files, prompts, threads and tokens.

    python -m benchmarks.peer EXAMPLE TARGET DRAFT [--kinds code,edit] [--set 2] [--laps 3] [--json FILE]

EXAMPLE is `llama-speculative-simple` on the libraries of llama-cpp-python, as llama_example/CMakeLists.txt builds it.
It drafts a fixed length; its best one is chosen for each kind afterwards, by the numbers that are shown. Timed is from
Enter to the last token, greedy, from empty caches: reading the prompt counts, with both models, and loading does not.
The example may go past the last token asked for, so all are taken to be as long as the shortest answer of the lap.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from specchat.speculative.bench.cases import HELD_OUT_SET, KINDS, Case, Prompt, packaged_prompts
from specchat.speculative.bench.ratios import geometric_mean
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import challengers
from specchat.speculative.llama.pair import Pair
from specchat.speculative.messages import Message

from .measured_pair import engine_of, measured_pair

OURS, DEFAULT = "specchat", "default"
GREEDY = ("--spec-type", "draft-simple", "--temp", "0", "--top-k", "1", "--no-escape", "--log-verbosity", "3")
PHASE = re.compile(r"(?:en|de)coded +(\d+) tokens in +([\d.]+) seconds")


@dataclass(frozen=True)
class Run:
    """An answer, with the seconds before it began and those in all."""

    prompt_tokens: int
    tokens: int
    reading: float
    seconds: float
    text: str

    def speed(self, count: int) -> float:
        """Tokens a second from Enter on, had there been so many."""
        return count / (self.reading + (self.seconds - self.reading) * count / self.tokens)


@dataclass(frozen=True)
class Match:
    """A loaded pair, and the example's command line with the same settings."""

    pair: Pair
    command: Sequence[str]
    tokens: int

    def lap(self, prompt: Prompt, ways: Sequence[str]) -> dict[str, Run]:
        """An answer by each of the ways, in their order."""
        return {way: self.ours(prompt) if way == OURS else self.theirs(prompt, way) for way in ways}

    def ours(self, prompt: Prompt) -> Run:
        """Our answer, as the first of a new process that knows what passes cost."""
        runner = Runner(most=self.tokens, seed=0, clock=perf_counter)
        answer = runner.answer(challengers(engine_of(self.pair))[0], Case(prompt, 0.0))
        text = b"".join(map(self.pair.target.vocabulary.piece, answer.tokens)).decode(errors="ignore")
        return Run(answer.prompt_tokens, len(answer.tokens), answer.first_token, answer.seconds, text)

    def theirs(self, prompt: Prompt, length: str) -> Run:
        """The example's answer, in a process of its own."""
        rendered = self._rendered(prompt)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "prompt"
            file.write_text(rendered + "\n", encoding="utf-8")  # it takes a newline off the end
            command = [*self.command, "-f", str(file), "-n", str(self.tokens - 1)]  # it goes on until it has more
            command += [] if length == DEFAULT else ["--spec-draft-n-max", length]
            done = subprocess.run(command, capture_output=True, check=False)
        text, log = (stream.decode(errors="ignore") for stream in (done.stdout, done.stderr))
        if done.returncode or len(phases := PHASE.findall(log)) != 2:
            raise SystemExit(f"{' '.join(command)} failed:\n{log[-2000:]}")
        (read, reading), (made, generating) = ((int(count), float(seconds)) for count, seconds in phases)
        text = text.partition(rendered)[2].removesuffix("\n\n\n\n")
        if made < self.tokens:  # it counts what was guessed behind the end token, too
            made = len(self.pair.inner_tokens(text)) + 1
        return Run(read, made, reading, reading + generating, text)

    def _rendered(self, prompt: Prompt) -> str:
        """The chat as text, without the BOS that the example puts before it."""
        vocabulary = self.pair.target.vocabulary
        rendered = self.pair.template.render([Message("user", prompt.text)])
        if vocabulary.bos is None or not vocabulary.adds_bos:
            return rendered
        return rendered.removeprefix(vocabulary.text(vocabulary.bos).decode())


@dataclass(frozen=True)
class Row:
    """What came of one kind: a run of each way in each lap."""

    kind: str
    laps: Sequence[dict[str, Run]]

    def speeds(self, way: str) -> list[float]:
        """Tokens a second, lap by lap."""
        return [lap[way].speed(min(run.tokens for run in lap.values())) for lap in self.laps]

    def ratios(self, way: str) -> list[float]:
        """How many times as fast as this way specchat was, lap by lap."""
        return [ours / theirs for ours, theirs in zip(self.speeds(OURS), self.speeds(way), strict=True)]

    @property
    def best(self) -> str:
        """The example's fastest draft length here."""
        return max((way for way in self.laps[0] if way != OURS), key=lambda way: median(self.speeds(way)))

    def __str__(self) -> str:
        default, best, ours = (median(self.speeds(way)) for way in (DEFAULT, self.best, OURS))
        ratios = "".join(f"{median(self.ratios(way)):10.2f}" for way in (DEFAULT, self.best))
        tokens = self.laps[0][OURS].tokens
        return (
            f"{self.kind:<12}{tokens:6}{default:9.2f}{best:9.2f} ({self.best:<7}){ours:9.2f}{ratios}   {self._texts()}"
        )

    def _texts(self) -> str:
        lap = self.laps[0]
        if len({run.prompt_tokens for run in lap.values()}) > 1:
            return "THE PROMPTS DIFFER"
        places = {way: parting(lap[OURS].text, run.text) for way, run in lap.items()}
        apart = [f"{way} ({place})" for way, place in places.items() if place is not None]
        return f"part from: {', '.join(apart)}" if apart else "the same"


def parting(one: str, other: str) -> int | None:
    """The first character that is not the same, as far as both go; None if there is none."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


def total(against: str, ratios: Sequence[Sequence[float]]) -> str:
    """The geometric mean over kinds, with its interval, if there is one."""
    mean = geometric_mean(ratios)
    within = f" [{mean.interval.low:.3f}, {mean.interval.high:.3f}]" if mean.interval else ""
    return f"against {against}: {mean.value:.3f} times as fast{within}"


def main() -> None:
    """A row for each kind, and what specchat gains over each draft length of the example."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("example", "target", "draft"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--set", type=int, choices=(1, 2), default=HELD_OUT_SET)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--lengths", default="default,1,2,3,4,5,6,8,12")
    parser.add_argument("--laps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-c", "--context", type=int, default=4096)
    parser.add_argument("--json", type=Path, help="keep every answer here")
    given = parser.parse_args()
    lengths = list(dict.fromkeys([DEFAULT, *given.lengths.split(",")]))
    ways, rows = [OURS, *lengths], list[Row]()
    sizes = "-t", given.threads, "-c", given.context, "-b", given.context  # it reads a prompt as one batch
    command = str(given.example.absolute()), "-m", str(given.target), "-md", str(given.draft), *map(str, sizes), *GREEDY
    with measured_pair(given.target, given.draft, given.threads, given.context) as pair:
        match = Match(pair, command, given.tokens)
        prompts = packaged_prompts(given.kinds.split(","), given.set)
        match.ours(prompts[0])  # nobody times it
        print("kind        tokens  default   best of its own  specchat /default     /best   texts, by character")
        for turn, prompt in enumerate(prompts):
            starts = [(turn + lap) % len(ways) for lap in range(given.laps)]  # none is always first
            rows.append(Row(prompt.kind, [match.lap(prompt, ways[at:] + ways[:at]) for at in starts]))
            print(rows[-1], flush=True)
            if given.json:
                given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    print(total("its best length for each kind", [row.ratios(row.best) for row in rows]))
    print(*(total(f"length {way}", [row.ratios(way) for row in rows]) for way in lengths), sep="\n")


if __name__ == "__main__":
    main()
