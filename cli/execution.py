"""How a program runs and ends: the one place that catches errors, and tells them as failures.py words them."""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import NoReturn, TextIO

from specchat.speculative.errors import NoServersError, SpecchatError

from .environment import Environment, process_environment
from .interruption import Stopped, die_of
from .memory.devices import machine_devices, reach_servers
from .models.loading import load_real_pair, verify_real_target

BROKEN_PIPE = -13
"""SIGPIPE, also where the system has no such signal."""
COMPLETE = "_SPECCHAT_COMPLETE"
"""The variable by which a shell asks what a command line can go on with; it names the shell."""


def run_process(program: Callable[[Environment], int]) -> NoReturn:
    """Run a program in the environment of this process, and end the process the way it wants.

    Ctrl-C kills at once where the program says nothing else: an exception would be lost in a callback of llama.cpp.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = program(process_environment(load_real_pair, verify_real_target, machine_devices, reach_servers))
    if code < 0:
        die_of(-code)
    _give_up_unwritten(sys.stdout)
    sys.exit(code)


def _give_up_unwritten(stream: TextIO) -> None:
    """Python would try again at its exit to write what could not be written, and then end with a code of its own."""
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def execute(arguments: Sequence[str], env: Environment) -> int:
    """Run a command; returns its exit code, or minus the signal that it wants to die of."""
    if COMPLETE in env.variables:
        from .completion.request import complete_line

        return complete_line(env)
    return guarded(lambda: _parse_and_run(list(arguments), env), env, arguments)


def guarded(job: Callable[[], int], env: Environment, arguments: Sequence[str] = ()) -> int:
    """Run `job`, and turn whatever goes wrong into a sentence and an exit code."""
    try:
        code = job()
        env.stdout.flush()
        return code
    except (Stopped, KeyboardInterrupt) as stopped:
        if isinstance(stopped.__cause__, SpecchatError):
            _explain(stopped.__cause__, arguments, env)
        return -signal.SIGINT
    except BrokenPipeError:
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the one handler: whatever it is, it ends in a sentence
        return _explain(error, arguments, env)


def _parse_and_run(arguments: list[str], env: Environment) -> int:
    from .app import application
    from .exit_codes import FINE, USAGE
    from .habits import check_arguments
    from .scripts.each_files import spread

    options = _options(arguments)
    check_arguments(arguments, options)
    arguments = spread(arguments, options)
    with redirect_stdout(StringIO()) as printed:  # Typer prints its help itself, and takes a closed pipe for a failure
        outcome = application()(arguments or ["--help"], standalone_mode=False, obj=env, prog_name="specchat")
    env.stdout.write(printed.getvalue())
    if callable(outcome):
        outcome()
    return FINE.code if arguments else USAGE.code


def _options(arguments: Sequence[str]) -> list[int]:
    """The places of the options in `arguments`."""
    from .app import application
    from .words import option_places, options_with_value

    return option_places(arguments, options_with_value(application(), arguments[0])) if arguments else []


def _asks_for_tracebacks(arguments: Sequence[str]) -> bool:
    try:
        return "--debug" in {arguments[place] for place in _options(arguments)}
    except Exception:  # noqa: BLE001 - whatever is broken, the error before this one has to be told
        return "--debug" in arguments


def _explain(error: Exception, arguments: Sequence[str], env: Environment) -> int:
    """Tell the user what went wrong; returns the exit code."""
    from .display.screen import report
    from .failures import failure

    if _asks_for_tracebacks(arguments):
        traceback.print_exception(error, file=env.stderr)
    if isinstance(error, NoServersError):
        from .doctor.servers import with_command

        error = with_command(env, error)
    found = failure(error, arguments)
    report(env, found.message, found.hint)
    return found.code
