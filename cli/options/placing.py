"""How much memory models take, and where: what a run goes by, and what `specchat show` plans."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import typer

from specchat.profiles.settings import NONE
from specchat.speculative.endpoints import split_endpoint
from specchat.speculative.errors import UsageError

from ..habits import context_value, layers_value
from ..values import Several, filled, number, one_of, several
from .panels import MACHINE

_Chosen: TypeAlias = Any
"""What a setting calls `Chosen`: Typer knows no unions."""


def endpoint_value(text: str) -> str:
    """Where a server listens, or "none"."""
    if text != NONE:
        try:
            split_endpoint(text)
        except UsageError as error:
            raise typer.BadParameter(f"{error.message}\n{error.hint}") from error
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacingOptions:
    """What decides how much memory models take, and where."""

    context: Annotated[
        _Chosen,
        typer.Option(
            "-c",
            "--ctx-size",
            parser=context_value,
            metavar="N|auto",
            show_default=False,
            help="Tokens of context: auto, the default, is 8192, 16384 or 32768, as memory has room for and the model "
            "was trained on; 0 is what it was trained on.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    gpu_layers: Annotated[
        _Chosen,
        typer.Option(
            "-ngl",
            "--gpu-layers",
            "--n-gpu-layers",
            parser=layers_value,
            metavar="N|auto|all",
            show_default=False,
            help="Layers of the model on the GPU; auto, the default, is as many as fit.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    draft_gpu_layers: Annotated[
        _Chosen,
        typer.Option(
            "-ngld",
            "--gpu-layers-draft",
            "--n-gpu-layers-draft",
            parser=layers_value,
            metavar="N|auto|all",
            show_default=False,
            help="The same for the draft model, which takes what the other one leaves.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    device: Annotated[
        Several[str] | None,
        typer.Option(
            "-dev",
            "--device",
            parser=several(filled("the name of a device, as specchat doctor shows it, or none")),
            metavar="NAME,…",
            show_default=False,
            help="Devices for the layers, as specchat doctor names them; CPU, or none, is the CPU alone.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    draft_device: Annotated[
        Several[str] | None,
        typer.Option(
            "-devd",
            "--draft-device",
            "--device-draft",
            parser=several(filled("the name of a device, as specchat doctor shows it, or none")),
            metavar="NAME,…",
            show_default=False,
            help="The same for the draft model; the same ones unless given.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    tensor_split: Annotated[
        Several[float] | None,
        typer.Option(
            "-ts",
            "--tensor-split",
            parser=several(number(0)),
            metavar="N,…",
            show_default=False,
            help="The share of each device: 3,1 puts three quarters on the first.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    rpc: Annotated[
        Several[str] | None,
        typer.Option(
            "--rpc",
            parser=several(endpoint_value),
            metavar="HOST:PORT,…",
            show_default=False,
            help="Other machines that take layers, where specchat rpc-server listens; none is none.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    cpu_moe: Annotated[
        bool | None,
        typer.Option(
            "--cpu-moe/--no-cpu-moe",
            "-cmoe",
            show_default=False,
            help="Keep the experts of a mixture of experts in main memory.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    n_cpu_moe: Annotated[
        _Chosen,
        typer.Option(
            "-ncmoe",
            "--n-cpu-moe",
            parser=layers_value,
            metavar="N|auto|all",
            show_default=False,
            help="Those of the first N layers; auto, the default, is as many as else have no room.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    flash_attention: Annotated[
        str | None,
        typer.Option(
            "-fa",
            "--flash-attn",
            parser=one_of("auto", "on", "off"),
            metavar="on|off|auto",
            show_default=False,
            help="Flash attention; usually auto.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    cache_type_k: Annotated[
        str | None,
        typer.Option(
            "-ctk",
            "--cache-type-k",
            metavar="TYPE",
            help="Type of the K cache; usually f16.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    cache_type_v: Annotated[
        str | None,
        typer.Option(
            "-ctv",
            "--cache-type-v",
            metavar="TYPE",
            help="Type of the V cache; usually f16.",
            rich_help_panel=MACHINE,
        ),
    ] = None
