"""A process that fetches files, so that it can be killed: `python fetch_one.py REPOSITORY FILE...`."""

import os
import sys
from pathlib import Path

from specchat.profiles.hub.client import hub_of
from specchat.profiles.hub.download import download
from specchat.speculative.errors import SpecchatError


class Printer:
    """Says on stderr what it is told."""

    def started(self, total: int, done: int) -> None:
        print(f"{done} of {total}", file=sys.stderr)

    def advanced(self, count: int) -> None:
        pass


def main() -> int:
    from specchat.cli.exit_codes import exit_code

    repository, *names = sys.argv[1:]
    try:
        hub = hub_of(os.environ, Path.home)
        files = [file for file in hub.files(repository) if file.path in names]
        print(*download(hub, files, Printer()), sep="\n")
    except SpecchatError as error:
        print(f"error: {error.message}\nhint: {error.hint}", file=sys.stderr)
        return exit_code(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
