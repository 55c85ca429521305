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
                # an argument's type says nothing here
                is_argument = parameter.param_type_name == "argument"
                section.append((f"{parameter.metavar}…", record[1]) if is_argument else record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records, col_max=min(30, formatter.width // 3))
