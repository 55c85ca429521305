"""`specchat run --compare`: the same answer plain and drafted, one after the other."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import Engine, Variant, challengers, plain
from specchat.speculative.errors import Cancelled, UsageError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.explain import Explainer, Parting
from specchat.speculative.llama.pair_config import PairConfig

from .comparison import Comparison
from .environment import Environment
from .interruption import Stopped, stopping
from .json_output import answer_content, written
from .options import OutputOptions
from .render import Renderer
from .request import Limits
from .status_line import StatusLine

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair

PLAIN_TITLE = "Plain: one token a pass"
DRAFTED_TITLE = "Drafted: guesses, checked together"


def check_comparable(config: PairConfig) -> None:
    """Raise `UsageError` where nothing drafts, or the texts are not meant to be the same."""
    if config.draft == "none":
        raise UsageError("Without a draft there is nothing to compare.", "Name one with --draft FILE, or leave it out.")
    if config.verification != "coupled":
        raise UsageError(
            f"With --verification {config.verification} the text depends on the draft.", "Compare without that option."
        )


@dataclass(frozen=True, slots=True)
class Comparer:
    """Answers a prompt both ways with a loaded pair, from empty caches, and shows the answers as they come."""

    env: Environment
    pair: "Pair"
    limits: Limits
    output: OutputOptions

    def run(self, prompt: Sequence[int], repetitions: int = 1) -> Comparison:
        """Answer and show what comes of it; repetitions beyond the first are only timed. Raises `Stopped`."""
        line = StatusLine(self.env, shown=not self.output.quiet)
        variants = self._variants(prompt[:1])
        self._prepare(variants, line)
        plain, drafted = map(self._answer, variants, (prompt, prompt), (PLAIN_TITLE, DRAFTED_TITLE))
        answers = [plain], [drafted]
        for number in range(1, repetitions):
            line.show(f"timing both again, {number} of {repetitions - 1} …")
            for variant, repeated in zip(variants, answers, strict=True):
                repeated.append(self._answer(variant, prompt))
        line.show("looking at the place where the texts part …")
        comparison = Comparison(*answers, self._parting(prompt, plain, drafted), self.pair.session.piece)
        line.clear()
        self.env.stdout.write(self._json(comparison) if self.output.json else self._text(comparison))
        self.env.stdout.flush()
        return comparison

    def _variants(self, waking: Sequence[int]) -> tuple[Variant, Variant]:
        engine = Engine(self.pair.session, lambda text: waking)
        drafted = challengers(engine)
        if not drafted:
            raise UsageError(f"Nothing can be drafted for {self.pair.target.name}.", "Ask without --compare.")
        return plain(engine), drafted[0]

    def _prepare(self, variants: Sequence[Variant], line: StatusLine) -> None:
        """Load what is loaded late, measure costs, and wake the machine up: none of that is for one of them to pay."""
        line.show("loading the draft, and measuring what passes cost …")
        case = Case(Prompt("", ""), self.pair.sampling.temperature)
        try:
            with stopping(self.pair.session.interrupt):
                self.pair.measure_costs()
                for variant in variants:
                    Runner(most=1, seed=0, clock=self.env.now).warm_up(variant, case)
        except Cancelled as error:
            raise Stopped from error
        finally:
            line.clear()

    def _answer(self, variant: Variant, prompt: Sequence[int], title: str | None = None) -> GenerationFinished:
        """One answer under its title; unseen without one."""
        shown = title is not None and not self.output.json
        if shown:
            self.env.stdout.write(f"--- {title}\n\n")
        options = OutputOptions(tint=self.output.tint, json=not shown, quiet=self.output.quiet or not shown)
        session = self.pair.session.afresh(variant.decoder(self.pair.sampling.temperature), self.pair.config.seed)
        renderer = Renderer(self.env, options, session.n_ctx)
        with stopping(session.interrupt):
            events = session.generate(prompt, max_tokens=self.limits.max_tokens, stop=self.limits.stop)
            finished = renderer.show(events)
        if shown:
            self.env.stdout.write("\n")
        if finished.error is not None:
            raise finished.error
        if finished.finish_reason == "cancelled":
            raise Stopped
        return finished

    def _parting(self, prompt: Sequence[int], plain: GenerationFinished, drafted: GenerationFinished) -> Parting | None:
        session = self.pair.session
        explainer = Explainer(
            target=session.decoder.target,
            chain=session.decoder.chain,
            seed=plain.seed,
            n_ctx=session.n_ctx,
            n_batch=session.n_batch,
            longest=self.pair.config.most_drafted + 1,
        )
        try:
            with stopping(session.interrupt):
                return explainer.explain(prompt, plain.tokens, drafted.tokens)
        except Cancelled as error:
            raise Stopped from error

    def _text(self, comparison: Comparison) -> str:
        columns = self.env.columns() if self.env.stdout_is_terminal else 80
        return "".join(textwrap.fill(line, columns) + "\n" for line in comparison.lines())

    def _json(self, comparison: Comparison) -> str:
        config, exactness = self.pair.config, self.pair.exactness
        plain = answer_content(comparison.plain[0], replace(config, draft="none"), exactness)
        drafted = answer_content(comparison.drafted[0], config, exactness)
        return written({**comparison.content(), "plain": plain, "drafted": drafted}) + "\n"
