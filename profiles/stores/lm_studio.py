"""LM Studio's models: `PUBLISHER/REPO/FILE.gguf` in a folder that its settings may move."""

from collections.abc import Iterator
from pathlib import Path

from .model_files import models_among
from .stored import Found, incomplete
from .survey import Survey

_DEPTH = 2


def lm_studio_folders(home: Path) -> Iterator[Path]:
    """The folders of models that LM Studio keeps in `home`, or was told to keep elsewhere."""
    survey = Survey("LM Studio")
    pointed = survey.text(home / ".lmstudio-home-pointer").strip().splitlines()[:1]
    bases = [*(home / base for base in pointed), home / ".lmstudio", home / ".cache" / "lm-studio"]
    for base in bases:
        chosen = survey.json(base / "settings.json").get("downloadsFolder")
        yield base / chosen if isinstance(chosen, str) and chosen else base / "models"


def lm_studio_models(folder: Path, survey: Survey) -> list[Found]:
    """The models in the repositories of a folder; one that is alone in its repository is called by that."""
    repositories = [repo for publisher in survey.folders(folder) for repo in survey.folders(publisher)]
    return [found for repo in repositories for found in _in_repository(repo, survey)]


def _in_repository(folder: Path, survey: Survey) -> Iterator[Found]:
    repo = f"{folder.parent.name}/{folder.name}"
    for files in models_among(survey.files_below(folder, _DEPTH)):
        inside = f"{repo}/{files.shards[0].relative_to(folder).as_posix()}"
        if files.missing:
            survey.notices.append(incomplete(inside, survey.store, files.missing, "Download it again in LM Studio."))
            continue
        short = (f"{repo}:{files.quantisation}",) if files.quantisation else ()
        names = (repo, *short, inside)
        yield Found(shards=files.shards, names=names, quantisation=files.quantisation)
