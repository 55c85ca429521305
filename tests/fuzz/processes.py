"""Cases in processes of their own, which may die or hang without taking the run with them."""

import faulthandler
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

_PRELOADED = ["tests.fuzz.oracle", "tests.fuzz.playing", "llguidance", "jinja2", "llama_cpp"]


class Died(Exception):
    """A process ended, or did not in time."""


class Processes:
    """Forks them off a server that has imported everything, and loaded no model."""

    def __init__(self, seconds: float) -> None:
        """No job may take longer than so many seconds."""
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(_PRELOADED)
        self.seconds = seconds

    def alone(self, job: Callable[..., Any], *arguments: Any) -> Any:
        """What a new process makes of a job. Raises `Died`, and what the job raises."""
        with Worker(self) as worker:
            return worker.do(job, *arguments)

    def start(self) -> tuple[BaseProcess, Connection]:
        """A process that does jobs."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return process, ours


class Worker:
    """A process that does one job after the other."""

    def __init__(self, processes: Processes) -> None:
        """Start it."""
        self._processes = processes
        self._process, self._jobs = processes.start()

    def do(self, job: Callable[..., Any], *arguments: Any) -> Any:
        """What it makes of a job. Raises `Died`, after which it is of no use, and what the job raises."""
        try:
            self._jobs.send((job, arguments))
            if not self._jobs.poll(self._processes.seconds):
                self.close()
                raise Died(f"it hangs: no answer in {self._processes.seconds:.0f} s")
            done, result = self._jobs.recv()
        except (EOFError, OSError) as error:
            self._process.join()
            raise Died(f"it died, exit code {self._process.exitcode}") from error
        if not done:
            raise Died(result)
        return result

    def close(self) -> None:
        """End it; where it hangs, it says where."""
        self._jobs.close()
        self._process.join(0.5)
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGABRT)
        self._process.join(10)
        self._process.kill()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _serve(jobs: Connection) -> None:
    faulthandler.enable()
    while True:
        try:
            job, arguments = jobs.recv()
        except EOFError:
            return
        try:
            answer = (True, job(*arguments))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            answer = (False, _told(error))
        jobs.send(answer)


def _told(error: Exception) -> str:
    return "".join(traceback.format_exception(error)[-6:])
