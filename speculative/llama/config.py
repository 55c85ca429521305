"""How a model is loaded."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from ..cache_types import CACHE_TYPES
from ..devices import NO_DEVICE
from ..endpoints import check_endpoints
from ..errors import UsageError

if TYPE_CHECKING:
    from ..footprint.memory import LoadedBy

FlashAttention = Literal["auto", "on", "off"]

_UNQUANTISED = ("f32", "f16", "bf16")
_LONGEST_CONTEXT = 2**24  # more would fill the memory with bookkeeping before llama.cpp gives up
_LARGEST = 2**20
_MOST_THREADS = 512  # GGML_MAX_N_THREADS

DEFAULT_CONTEXT = 8192
"""Tokens of context when none are asked for; less for a model that was trained on less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaConfig:
    """Settings of one model.

    `n_ctx` of None means `DEFAULT_CONTEXT` or the trained length, whichever is shorter; 0 means the trained length.
    `n_gpu_layers` of -1 means all, and so does None, which leaves it to whoever fits models to devices. They go to
    `devices`, by llama.cpp's names for these, in shares of `tensor_split`; None are those that llama.cpp takes by
    itself, () is the CPU alone, and without a split free memory decides. The devices of the servers at `rpc` are among
    those, and of no others. The experts of the first `cpu_moe` layers stay in main memory, of all with -1; None leaves
    that to whoever fits, too, and else is 0. Without `mmap`, the file is read instead of mapped. `threads` of None
    means one for each core this process may use. `max_rows` is the largest number of rows of logits that one pass may
    return: each costs 4 bytes a token of the vocabulary, whether used or not. Passes over fewer than `min_pass` tokens
    are padded. Without `whole_windows`, the cache of layers with a sliding window holds little more than the window,
    and whoever goes back further than that reads everything again. `repack` lets llama.cpp lay weights out anew for the
    CPU, `tiled` lets it use kernels that depend on the number of tokens in a pass; the latter counts for the whole
    process, from its first pass on.

    Raises `UsageError` for settings that contradict each other.
    """

    n_ctx: int | None = None
    n_batch: int = 512
    n_gpu_layers: int | None = None
    devices: tuple[str, ...] | None = None
    tensor_split: tuple[float, ...] = ()
    rpc: tuple[str, ...] = ()
    cpu_moe: int | None = None
    mmap: bool = True
    threads: int | None = None
    threads_batch: int | None = None
    flash_attention: FlashAttention = "auto"
    cache_type_k: str = "f16"
    cache_type_v: str = "f16"
    max_rows: int = 17
    min_pass: int = 1
    whole_windows: bool = True
    repack: bool = True
    tiled: bool = True
    verbose: bool = False

    def __post_init__(self) -> None:
        for name in (self.cache_type_k, self.cache_type_v):
            if name not in CACHE_TYPES:
                raise _unknown_cache_type(name)
        _check_devices(self.devices or ())
        _check_split(self.tensor_split)
        check_endpoints(self.rpc)
        if self.cache_type_v not in _UNQUANTISED and self.flash_attention == "off":
            raise UsageError(
                f"A V cache of type {self.cache_type_v} needs flash attention, which is switched off.",
                "Use --flash-attn on, or --cache-type-v f16.",
            )
        for name, value, least, most in (
            ("context size", self.n_ctx, 0, _LONGEST_CONTEXT),
            ("batch size", self.n_batch, 1, _LARGEST),
            ("number of threads", self.threads, 1, _MOST_THREADS),
            ("number of threads for prompts", self.threads_batch, 1, _MOST_THREADS),
            ("number of rows", self.max_rows, 1, _LARGEST),
            ("shortest pass", self.min_pass, 1, self.n_batch),
        ):
            if value is not None and not least <= value <= most:
                raise UsageError(f"The {name} is {value}, but must be between {least} and {most}.")

    @property
    def on_cpu(self) -> bool:
        """Whether no layer goes to a device."""
        return self.n_gpu_layers == 0 or self.devices == ()

    def layers_on_devices(self, layers: int) -> int:
        """How many of so many layers are asked for on devices."""
        asked = self.n_gpu_layers
        return layers if asked is None or asked < 0 else min(asked, layers)

    def layers_apart(self, layers: int) -> int:
        """How many of so many layers, the output among them, are on devices without their experts, if all have some."""
        asked = self.cpu_moe or 0
        kept = layers - 1 if asked < 0 else min(asked, layers - 1)
        return max(0, kept - (layers - self.layers_on_devices(layers)))

    def context(self, trained: int) -> int:
        """The tokens of context that the settings mean for a model that was trained on so many."""
        return min(DEFAULT_CONTEXT, trained) if self.n_ctx is None else self.n_ctx or trained

    def loaded_by(self, trained: int) -> "LoadedBy":
        """The same for reckoning with memory: what is asked of llama.cpp for a model that was trained on so many."""
        from ..footprint.memory import LoadedBy

        return LoadedBy(
            context=self.context(trained) + self.min_pass - 1,
            pass_length=self.n_batch,
            rows=min(self.max_rows + self.min_pass - 1, self.n_batch),
            cache_type_k=self.cache_type_k,
            cache_type_v=self.cache_type_v,
            flash_attention=self.flash_attention != "off",
            whole_windows=self.whole_windows,
        )


def _check_devices(names: tuple[str, ...]) -> None:
    known, listed = {name.casefold() for name in names}, ", ".join(names)
    if names[1:] and known.intersection(NO_DEVICE):
        raise UsageError(
            f"The CPU is no device beside others: {listed}.",
            "What the others have no room for goes to the CPU unasked; named alone, it computes all.",
        )
    if len(known) < len(names):
        raise UsageError(f"A device is named twice: {listed}.")


def _check_split(shares: tuple[float, ...]) -> None:
    if shares and not (all(0 <= share < inf for share in shares) and any(shares)):
        split = ",".join(f"{share:g}" for share in shares)
        raise UsageError(
            f"{split} is no tensor split.", "Give the share of each device: 3,1 puts three quarters on the first."
        )


def read_config(values: Mapping[str, Any]) -> LlamaConfig:
    """The settings by name, as JSON keeps them, which knows no tuples."""
    settings: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
    return LlamaConfig(**settings)


def _unknown_cache_type(name: str) -> UsageError:
    close = difflib.get_close_matches(name.lower(), CACHE_TYPES, n=1, cutoff=0.4)
    guess = f"Did you mean {close[0]}? " if close else ""
    return UsageError(f"There is no cache type {name!r}.", f"{guess}The types are: {', '.join(CACHE_TYPES)}.")
