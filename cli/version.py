"""Which version this is."""

from importlib.metadata import PackageNotFoundError, version


def installed_version(package: str = "specchat") -> str:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
