"""The settings of a case as those of a pair, and its models as files."""

from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random

from specchat.speculative.drafting import Draft, Offers
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.rounds import Round
from specchat.speculative.state_places import StatePlace

from ..quantised import in_eight_bits
from ..tiny import TinyModel, write_tiny
from .case import Case
from .forms import FORMS

# With these and weights in 8 bits, no bit depends on how a text is cut into passes; save that experts are chosen by
# weights in 32 bits, which round otherwise for one token than for several.
_LOADED = LlamaConfig(n_ctx=1024, threads=1, tiled=False, cache_type_k="bf16", cache_type_v="bf16")


@dataclass(frozen=True, slots=True)
class RandomLength:
    """Takes any of the offers, up to `longest` guesses, and pads some drafts: whatever a draft length may do."""

    chance: Random
    longest: int

    def take(self, offers: Offers, most: int) -> Draft:
        length = self.chance.randint(0, min(most, self.longest))
        found = offers()
        if not found or not length:
            return Draft()
        offer = self.chance.choice(found)
        draft = Draft(tuple(islice(offer.guesses, length)), offer.source)
        return draft if self.chance.randrange(4) else draft.padded(length)

    def observe(self, step: Round) -> None:
        pass

    def plain_seconds(self) -> float | None:
        return None


def model_file(model: TinyModel, folder: Path) -> Path:
    """The file of a model, written once."""
    path = folder / f"{sha256(repr(model).encode()).hexdigest()[:16]}.gguf"
    return in_eight_bits(path if path.exists() else write_tiny(path, model))


def pair_config(case: Case, folder: Path, own: Path) -> PairConfig:
    """The settings, with models in `folder` and what the case keeps in its `own`."""
    target_config = replace(_LOADED, min_pass=2 if case.target.experts else 1)
    draft = model_file(case.draft, folder) if isinstance(case.draft, TinyModel) else case.draft
    return PairConfig(
        target=model_file(case.target, folder),
        draft=draft,
        target_config=replace(target_config, **case.of("load")),
        draft_config=replace(_LOADED, **case.of("draft_load")),
        sampling=case.of("sampling"),
        grammar=FORMS[case.options["form"]] if "form" in case.options else None,
        cache_folder=folder / "kept" if case.options.get("lazy") else None,
        states=_states(case.options["states"], own) if "states" in case.options else None,
        **case.of("pair"),
    )


def _states(how: str, own: Path) -> StatePlace:
    is_folder = how.startswith("folder")
    return StatePlace(own if is_folder else own / "state", is_folder, least_seconds=0.0, as_new=how.endswith("as new"))


def plain(config: PairConfig) -> PairConfig:
    """The same target, alone, as it would be in a new process."""
    return replace(config, draft="none", draft_length=None, states=None, cache_folder=None)
