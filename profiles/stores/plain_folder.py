"""Folders of model files that are nobody's store: those that somebody configured."""

from pathlib import Path

from .model_files import models_among
from .stored import Found, incomplete
from .survey import Survey

_DEPTH = 4


def folder_models(folder: Path, survey: Survey) -> list[Found]:
    """The models in a folder and a few folders down, called by their files' names without the ending."""
    found = []
    for files in models_among(survey.files_below(folder, _DEPTH)):
        if files.missing:
            survey.notices.append(incomplete(str(files.shards[0]), survey.store, files.missing, "Put them beside it."))
        else:
            found.append(Found(shards=files.shards, names=(files.stem,)))
    return found
