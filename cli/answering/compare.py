"""`specchat run --compare`: the same answer plain and drafted, one after the other."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specchat.profiles.settings import Settings
from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import Engine, Variant, challengers, plain
from specchat.speculative.errors import Cancelled, UsageError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.explain import Explainer, Parting

from ..display.json_text import written
from ..display.screen import warn, wrapped
from ..display.status_line import StatusLine
from ..environment import Environment
from ..interruption import Stopped, ending
from ..options import OutputOptions
from ..request import Limits
from .answers import check_ended
from .comparison import Comparison, content, texts
from .json_output import answer_content
from .render import Renderer
from .speaker import check_length
from .unanswered import unanswered

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair

PLAIN_TITLE = "Plain: one token a pass"
DRAFTED_TITLE = "Drafted: guesses, checked together"


def check_comparable(settings: Settings, verification: str) -> None:
    """Raise `UsageError` where nothing drafts, or the texts are not meant to be the same."""
    if settings.draft == "none" or settings.draft_length == 0:
        raise UsageError("Without a draft there is nothing to compare.", "Name one with --draft FILE, or leave it out.")
    if verification != "coupled":
        raise UsageError(
            f"With --verification {verification} the text depends on the draft.", "Compare without that option."
        )


@dataclass(frozen=True, slots=True)
class Comparer:
    """Answers a prompt both ways with a loaded pair, from empty caches, and shows the answers as they come.

    Reasoning is only counted with `folds`.
    """

    env: Environment
    pair: "Pair"
    limits: Limits
    output: OutputOptions
    folds: bool = False

    def run(self, prompt: Sequence[int], repetitions: int = 1) -> None:
        """Answer, and show what comes of it; repetitions beyond the first are only timed.

        Raises `PromptTooLongError`, `UsageError`, `Stopped` for Ctrl-C, and in the end `IncompleteError` where the
        plain answer was cut before it had its form.
        """
        check_length(self.pair, prompt, self.limits)
        variants = self._variants(prompt[:1])
        self._prepare(variants)
        answers = [self._answer(variants[0], prompt, PLAIN_TITLE)], [self._answer(variants[1], prompt, DRAFTED_TITLE)]
        for number in range(1, repetitions):
            with self._status(f"timing both again, {number} of {repetitions - 1} …"):
                for variant, repeated in zip(variants, answers, strict=True):
                    repeated.append(self._answer(variant, prompt))
        comparison = Comparison(*answers)
        if not self.output.json:
            self._say(comparison.times())
        with self._status("looking at the place where the texts part …"):
            parting = self._parting(prompt, comparison)
        if self.output.json:
            self.env.stdout.write(self._json(comparison, parting) + "\n")
        else:
            self._say(texts(comparison, parting, self.pair.session.piece, self.pair.config.exact))
            if missing := unanswered(comparison.plain[0]):
                warn(self.env, f"{missing.message} {missing.hint}")
        self.env.stdout.flush()
        check_ended(comparison.plain[0])

    def _variants(self, waking: Sequence[int]) -> tuple[Variant, Variant]:
        engine = Engine(self.pair.session, lambda text: waking)
        drafted = challengers(engine)
        if not drafted:
            raise UsageError(f"Nothing can be drafted for {self.pair.target.name}.", "Ask without --compare.")
        return plain(engine), drafted[0]

    def _prepare(self, variants: Sequence[Variant]) -> None:
        """Load what is loaded late, measure costs, and wake the machine up: none of that is for one of them to pay."""
        case = Case(Prompt("", ""), self.pair.sampling.temperature)
        with self._status("loading the draft, and measuring what passes cost …"):
            self.pair.measure_costs()
            for variant in variants:
                Runner(most=1, seed=0, clock=self.env.now).answer(variant, case)

    def _answer(self, variant: Variant, prompt: Sequence[int], title: str | None = None) -> GenerationFinished:
        """One answer under its title; not shown without one."""
        shown = title is not None and not self.output.json
        if shown:
            self.env.stdout.write(f"--- {title}\n\n")
        options = replace(self.output, json=not shown, quiet=self.output.quiet or not shown)
        session = self.pair.session.afresh(variant.decoder(self.pair.sampling.temperature), self.pair.config.seed)
        renderer = Renderer(self.env, options, session.n_ctx, self.folds)
        with ending(session.interrupt):
            events = session.generate(prompt, max_tokens=self.limits.max_tokens, stop=self.limits.stop)
            finished = renderer.show(events)
            if shown:
                self.env.stdout.write("\n")
                self.env.stdout.flush()
                if self.output.stats or self.output.verbose:
                    renderer.conclude(finished, self.pair.exactness)
            if finished.finish_reason == "cancelled":
                raise Stopped
            if finished.error is not None:
                raise finished.error
        return finished

    def _parting(self, prompt: Sequence[int], comparison: Comparison) -> Parting | None:
        session, first, other = self.pair.session, comparison.plain[0], comparison.different
        if other is None:
            return None
        explainer = Explainer(
            target=session.decoder.target,
            chain=session.decoder.chain,
            seed=first.seed,
            n_ctx=session.n_ctx,
            n_batch=session.n_batch,
            longest=self.pair.config.most_drafted + 1,
            constraint=session.constraint(prompt),
        )
        return explainer.explain(prompt, first.tokens, other.tokens)

    @contextmanager
    def _status(self, doing: str) -> Iterator[None]:
        """Say what is being done while it is; Ctrl-C raises `Stopped`."""
        line = StatusLine(self.env, shown=not self.output.quiet)
        line.show(doing)
        try:
            with ending(self.pair.session.interrupt):
                yield
        except Cancelled as error:
            raise Stopped from error
        finally:
            line.clear()

    def _say(self, lines: Iterable[str]) -> None:
        self.env.stdout.write("".join(wrapped(line, self.env.width) + "\n" for line in lines))
        self.env.stdout.flush()

    def _json(self, comparison: Comparison, parting: Parting | None) -> str:
        config = self.pair.config
        plain = answer_content(comparison.plain[0], replace(config, draft="none"), None)
        drafted = answer_content(comparison.drafted[0], config, self.pair.exactness)
        return written({**content(comparison, parting), "plain": plain, "drafted": drafted})
