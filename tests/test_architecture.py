"""The arrows between the parts of the package, read off the imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_USE = {
    "cli": {"cli", "profiles", "speculative"},
    "profiles": {"profiles", "speculative"},
    "speculative": {"speculative"},
}
OWNERS = {
    "click": [],  # Typer has its own copy
    "typer": ["cli"],
    "rich": ["cli"],
    "prompt_toolkit": ["cli"],
    "pygments": ["cli/markdown"],
    "matplotlib": ["cli"],
    "packaging": ["cli/doctor"],
    "yaml": ["profiles"],
    "huggingface_hub": ["profiles/hub"],
    "httpx2": ["profiles/hub"],
    "numpy": ["speculative"],
    "llama_cpp": ["speculative/llama"],
    "llguidance": ["speculative/constraint/guidance.py"],
}
HEAVY = ("llama_cpp", "numpy", "llguidance", "specchat.speculative.llama")
LIGHT = tuple(f"specchat.speculative.llama.{name}" for name in ("config", "pair_config", "takers"))
"""Plain values."""
SOURCES = sorted(file for part in MAY_USE for file in (ROOT / part).rglob("*.py"))


def imports(file: Path, *, lazy: bool = True) -> Iterator[str]:
    """The full names of the modules that `file` imports; without `lazy` only what is imported along with it."""
    package = ["specchat", *file.relative_to(ROOT).parent.parts]
    for node in statements(ast.parse(file.read_text(encoding="utf-8")), lazy=lazy):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def statements(tree: ast.AST, *, lazy: bool) -> Iterator[ast.AST]:
    """All nodes below `tree`; without `lazy` not those in functions and under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        )
        if lazy or not later:
            yield node
            yield from statements(node, lazy=lazy)


def within(name: str, module: str) -> bool:
    """Whether `name` is `module` or lies in it."""
    return f"{name}.".startswith(f"{module}.")


def test_imports_point_down_only():
    for file in SOURCES:
        part = file.relative_to(ROOT).parts[0]
        used = {name.split(".")[1] for name in imports(file) if within(name, "specchat")}
        assert used <= MAY_USE[part], file


@pytest.mark.parametrize(("library", "folders"), OWNERS.items())
def test_each_library_has_one_part_that_uses_it(library, folders):
    owners = [ROOT / folder for folder in folders]
    users = [file for file in SOURCES if any(within(name, library) for name in imports(file))]
    assert [file for file in users if not any(file.is_relative_to(owner) for owner in owners)] == []


def test_the_command_line_imports_the_engine_only_when_it_runs_one():
    eager = [
        (file.name, name)
        for file in SOURCES
        if file.is_relative_to(ROOT / "cli")
        for name in imports(file, lazy=False)
        if any(within(name, heavy) for heavy in HEAVY) and not any(within(name, light) for light in LIGHT)
    ]
    assert eager == []


def imported(*modules: str) -> list[str]:
    """The names of all modules that a new process knows once it has imported these."""
    program = f"import {', '.join(modules)}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_help_pays_for_no_library_that_it_does_not_need():
    unneeded = (*HEAVY, "prompt_toolkit", "pygments")
    assert set(imported("specchat.cli.app", "specchat.cli.chat.line.line")).isdisjoint(unneeded)


def test_a_start_pays_for_no_reckoning_with_memory_and_no_search_for_gpus():
    names = imported("specchat.cli.commands.running", "specchat.cli.memory.fitting", "specchat.speculative.llama.pair")
    unneeded = ("specchat.speculative.footprint", "specchat.profiles.gguf.shape", "specchat.cli.doctor.gpus")
    assert [name for name in names if any(within(name, each) for each in unneeded)] == []
