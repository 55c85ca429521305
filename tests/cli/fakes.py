"""A world for commands without processes, terminals or models: everything real but the model and the streams."""

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from specchat.cli.environment import Environment
from specchat.cli.execution import execute
from specchat.speculative.constraint.guidance import matchers
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.devices import Device
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.exactness import Exactness, Verified
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message
from specchat.speculative.model import Rows
from specchat.speculative.ngram import NgramDrafter
from specchat.speculative.placement import Placement
from specchat.speculative.prompt_cache import PromptCache
from specchat.speculative.reasoning.formats import ReasoningFormat
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session
from specchat.speculative.state_shelf import StateShelf

END, ASK = 256, 257
"""Tokens are bytes, and these two: the end of an answer, and the end of a question."""
_TEXTS = [*(bytes([byte]) for byte in range(255)), b"\xff<255>", b"\xff<end>", b"\xff<ask>"]


@dataclass
class ScriptedModel:
    """Answers the n-th question of its context with the n-th of `answers`; `on_pass` is called before each pass."""

    answers: Sequence[str]
    on_pass: Callable[[int], None] = lambda count: None
    cached: list[int] = field(default_factory=list)
    passes: list[list[int]] = field(default_factory=list)

    def rollback(self, length: int) -> int:
        del self.cached[length:]
        return len(self.cached)

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        self.on_pass(len(self.passes))
        self.passes.append(list(tokens))
        self.cached.extend(tokens)
        rows = np.zeros((n_logits, 258), np.float32)
        for row in range(n_logits):
            rows[row, self._next(self.cached[: len(self.cached) - n_logits + 1 + row])] = 100
        return rows

    @property
    def shortens_states(self) -> bool:
        return True

    def save_state(self) -> memoryview:
        return memoryview(str(self.cached).encode())

    def load_state(self, tokens: Sequence[int], state: bytearray) -> bool:
        self.cached[:] = tokens
        return bytes(state) == str(list(tokens)).encode()

    def _next(self, context: Sequence[int]) -> int:
        if ASK not in context:
            return END
        place = len(context) - 1 - context[::-1].index(ASK)
        question = min(context.count(ASK), len(self.answers))  # a guess may look like one more question
        answer = [*self.answers[question - 1].encode(), END]
        return answer[min(len(context) - 1 - place, len(answer) - 1)]


@dataclass
class FakePair:
    """What the commands use of a pair; remembers the chats that it was asked about."""

    config: PairConfig
    session: Session
    notices: tuple[str, ...] = ()
    chats: list[list[Message]] = field(default_factory=list)
    texts: list[tuple[str, ...]] = field(default_factory=list)
    closed: bool = False
    costs_measured: bool = False
    template_error: Exception | None = None
    on_chat: Callable[[int], None] = lambda count: None
    n_ctx_train: int = 32768
    exactness: Exactness | None = None
    best_gain: float = 1.0
    sampling: SamplingParams = field(default_factory=lambda: SamplingParams(temperature=0))
    placement: Placement | None = field(default_factory=lambda: Placement(33))
    plain_speed: float | None = None
    told: list[str] = field(default_factory=list)
    """Notices that came while it answered."""

    @property
    def drafted_by(self) -> tuple[str, ...]:
        names = {"none": (), "ngram": ("n-grams",)}
        return names.get(str(self.config.draft), ("n-grams", Path(self.config.draft).stem))

    def take_notices(self) -> list[str]:
        taken, self.notices = [*self.notices, *self.told], ()
        self.told.clear()
        return taken

    def measure_costs(self) -> None:
        self.costs_measured = True

    def conceivable_gain(self, draft_size: int) -> float:
        assert draft_size > 0
        return self.best_gain

    def twin(self) -> AbstractContextManager[ScriptedModel]:
        target = cast(ScriptedModel, self.session.decoder.target)
        return nullcontext(replace(target, cached=[], passes=target.passes))

    @property
    def target(self) -> Any:
        return SimpleNamespace(name="Fake", n_ctx_train=self.n_ctx_train)

    def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        if self.template_error:
            raise self.template_error
        self.on_chat(len(self.chats))
        self.chats.append(list(messages))
        return [token for message in messages for token in self._tokens(message)]

    def _tokens(self, message: Message) -> list[int]:
        ends = {"system": [], "user": [ASK], "assistant": [END]}
        return [*message.content.encode(), *ends[message.role]]

    def text_tokens(self, text: str, special: bool) -> list[int]:
        self.texts.append((text, "special") if special else (text,))
        return [*text.encode(), ASK]

    def inner_tokens(self, text: str) -> list[int]:
        return list(text.encode())

    def answer_tokens(self, prompt: Sequence[int], text: str, reasoning: str = "") -> list[int]:
        around = self.session.around(prompt) if reasoning else None
        if around is None:
            return list(f"{self.session.lead(prompt)}{text}".encode())
        return list((around[0] + reasoning + (around[1] + text if text else "")).encode())

    def spelled(self, token: int) -> tuple[str, bytes]:
        piece = self.session.piece(token)
        return piece.decode(errors="replace") or f"<{token}>", piece

    def infill_tokens(self, prefix: str, suffix: str) -> list[int]:
        self.texts.append((prefix, suffix))
        return [*prefix.encode(), *suffix.encode(), ASK]

    def __enter__(self) -> "FakePair":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.session.keep()
        self.closed = True


@dataclass(kw_only=True)
class World:
    """Settings of a fake environment, and after `run` what came of it.

    `stdin` of None is a terminal. On a `screen`, stdout and stderr are one terminal and what a person types, one of
    `lines` after the other, shows up there too; "^C" stands for that key, the end of the lines for Ctrl-D. `contexts`
    are those of targets whose context is not `n_ctx`.
    """

    answers: Sequence[str] = ("Hello.",)
    stdin: bytes | io.BufferedIOBase | None = b""
    screen: bool = False
    lines: Sequence[str] = ()
    columns: int = 80
    n_ctx: int = 1000
    contexts: Mapping[str, int] = field(default_factory=dict)
    n_ctx_train: int = 32768
    n_batch: int = 64
    notices: tuple[str, ...] = ()
    load_error: Exception | None = None
    template_error: Exception | None = None
    exactness: Exactness | None = None
    exact_draft_max: int = 16
    """How long drafts may be with --exact."""
    rounding: Verified | Exception | None = None
    """What measuring it finds."""
    conceivable_gain: float = 1.0
    """How much any draft can gain, as costs have it."""
    on_load: Callable[[FakePair], None] = lambda pair: None
    keeps_states: bool = False
    """Whether what was read is kept where the options say, however quickly it was read."""
    reasoning: ReasoningFormat | None = None
    """How the model writes what it thinks before an answer."""
    today: date = date(2026, 1, 31)
    on_pass: Callable[["World", int], None] = lambda world, count: None
    on_chat: Callable[[int], None] = lambda count: None
    stdout: io.StringIO = field(default_factory=io.StringIO)
    stderr: io.StringIO = field(default_factory=io.StringIO)
    variables: dict[str, str] = field(default_factory=dict)
    home: Callable[[], Path] = lambda: Path("/nobody")
    data: str = os.devnull
    """Where chats are kept unless the variables say it: while it runs, a folder that goes away."""
    system: Path = Path(os.devnull)
    devices: Sequence[Device] = (Device("CPU", "main memory", 12 * 10**9, 16 * 10**9, "CPU"),)
    reach: Callable[[Sequence[str]], None] = lambda endpoints: None
    patience: float = 2.0
    terminal_taken: bool = False
    time: float = 0.0
    code: int = -99
    pair: FakePair = None  # type: ignore[assignment]  # until one is loaded
    measured: PairConfig | None = None

    def run(self, *arguments: str) -> "World":
        if self.screen:
            self.stderr = self.stdout
        waiting = iter(self.lines)
        with TemporaryDirectory() as self.data:
            self.code = execute(arguments, self.environment(lambda prompt: self._read_line(prompt, waiting)))
        return self

    @property
    def out(self) -> str:
        return self.stdout.getvalue()

    @property
    def err(self) -> str:
        return self.stderr.getvalue()

    @property
    def transcript(self) -> str:
        """The screen at the end, without what was erased and without colours; numbers off the clock are #."""
        text = re.sub(r"[^\n]*\r\x1b\[K|\x1b\[[0-9]*m", "", self.out)
        return re.sub(r"\d+\.\d+", "#", text)

    def environment(self, read_line: Callable[[str], str] = lambda prompt: "") -> Environment:
        return Environment(
            stdin=cast(Any, io.BytesIO(self.stdin) if isinstance(self.stdin, bytes) else self.stdin),
            stdout=self.stdout,
            stderr=self.stderr,
            stdin_is_terminal=self.stdin is None,
            stdout_is_terminal=self.screen,
            stderr_is_terminal=self.screen,
            variables={**self._kept_at(), **self.variables},
            columns=lambda: self.columns,
            read_line=read_line,
            take_terminal=self._take_terminal,
            load_pair=cast(Any, self._load),
            verify_target=cast(Any, self._verify),
            home=self.home,
            system=self.system,
            now=self._now,
            today=lambda: self.today,
            devices=lambda: self.devices,
            reach=self.reach,
            patience=self.patience,
        )

    def _kept_at(self) -> dict[str, str]:
        try:
            self.home()
        except RuntimeError:  # who has no home keeps nothing
            return {}
        return {"XDG_DATA_HOME": self.data}

    def _take_terminal(self) -> None:
        self.terminal_taken = True

    def _now(self) -> float:
        self.time += 1
        return self.time

    def _read_line(self, prompt: str, waiting: Any) -> str:
        self.stdout.write(prompt)
        line = next(waiting, None)
        if line is None:
            raise EOFError
        self.stdout.write(line if line == "^C" else f"{line}\n")
        if line == "^C":
            raise KeyboardInterrupt
        return str(line)

    def _load(self, config: PairConfig, interrupt: Interrupt, on_progress: Callable[[str], None]) -> FakePair:
        on_progress(f"loading 0% {config.target.name}")
        on_progress(f"loading 50% {config.target.name}")
        if self.load_error:
            raise self.load_error
        model = ScriptedModel(self.answers, lambda count: self.on_pass(self, count))
        chain = SamplerChain(SamplingParams(temperature=0))
        session = Session(
            decoder=SpeculativeDecoder(
                model,
                NgramDrafter() if config.draft == "ngram" else NoDrafter(),
                FixedLength(config.draft_max),
                chain,
                lambda token: token == END,
                config.scores,
            ),
            piece=lambda token: bytes([token]) if token < END else b"",
            n_ctx=self.contexts.get(config.target.name, self.n_ctx),
            n_batch=self.n_batch,
            seed=config.seed,
            interrupt=interrupt,
            reasoning=None if config.raw else self.reasoning,
            matcher=config.grammar and matchers(config.grammar, _TEXTS, [END]),
        )
        told: list[str] = []
        if self.keeps_states and config.states:
            place = replace(config.states, least_seconds=0.0)
            shelf = StateShelf(place, str(config.target), self.n_batch, place.as_new, told.append)
            session = replace(session, prompt_cache=PromptCache(model, shelf))
        if config.exact:
            config = replace(config, draft_max=min(config.draft_max, self.exact_draft_max))
        self.pair = FakePair(
            config,
            session,
            self.notices,
            template_error=self.template_error,
            on_chat=self.on_chat,
            n_ctx_train=self.n_ctx_train,
            exactness=self.exactness,
            best_gain=self.conceivable_gain,
            told=told,
        )
        self.on_load(self.pair)
        return self.pair

    def _verify(self, config: PairConfig, tell: Callable[[str], None]) -> Verified:
        tell(f"measuring how passes of {config.target.name} round: 3 s")
        self.measured = config
        if isinstance(self.rounding, Exception):
            raise self.rounding
        assert self.rounding is not None
        return self.rounding
