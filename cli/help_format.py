"""`--help` as plain text in groups: no boxes, so that it reads the same in a pager, a pipe and a narrow window."""

from typing import Any

from typer.core import TyperCommand


class GroupedCommand(TyperCommand):
    """A command whose options are listed under the names of their groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each group, in the order in which the groups first appear."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                section = sections.setdefault(getattr(parameter, "rich_help_panel", None) or "Other", [])
                section.append((_argument(parameter), record[1]) if _is_argument(parameter) else record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records, col_max=min(30, formatter.width // 3))


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _argument(parameter: Any) -> str:
    """How an argument is written; its type says nothing here."""
    return f"{parameter.metavar}…" if parameter.nargs == -1 else str(parameter.metavar)
