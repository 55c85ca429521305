"""Where the program starts."""

import signal
import sys


def main() -> None:
    """Run the command line of this process; never returns."""
    # Ctrl-C kills at once, without a traceback, until there is something to keep: so before the imports, too
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .execution import execute, run_process

    run_process(lambda env: execute(sys.argv[1:], env))


if __name__ == "__main__":
    main()
