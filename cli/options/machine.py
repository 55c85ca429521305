"""What to compute with."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..values import whole
from .panels import MACHINE


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineOptions:
    """What to compute with, beside where models are placed."""

    mmap: Annotated[
        bool | None,
        typer.Option(
            "--mmap/--no-mmap",
            show_default=False,
            help="Map the file into memory, or read it.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(
            "-t",
            "--threads",
            parser=whole(1),
            metavar="N",
            help="CPU threads; unless given one a fast core, few where GPUs have all layers.",
            rich_help_panel=MACHINE,
        ),
    ] = None
    threads_batch: Annotated[
        int | None,
        typer.Option(
            "-tb",
            "--threads-batch",
            parser=whole(1),
            metavar="N",
            help="The same for reading prompts; as many unless given.",
            rich_help_panel=MACHINE,
        ),
    ] = None
