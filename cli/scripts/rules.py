"""What scripts may ask for together, and what is prepared for that before any model is loaded."""

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from specchat.speculative.errors import UsageError

from ..environment import Environment
from ..input import read_prompt
from ..options import OutputOptions, PromptOptions
from .batch import BatchRun
from .batch_items import read_batch
from .batch_results import Results, results_in
from .each import EachRun
from .each_files import asked_files
from .options import ScriptOptions
from .output_file import output_path
from .unshown import Answerer


class Many(Protocol):
    """Many prompts, and where their answers go."""

    def run(self, answerer: Answerer) -> None:
        """Answer them all. Raises an error like the last of them, at the end, and `Stopped` for Ctrl-C."""


def prepared(
    env: Environment, script: ScriptOptions, prompt: PromptOptions, output: OutputOptions
) -> tuple[Many | None, Path | None]:
    """What answers many prompts, if that is asked for, and else the file for one answer. Raises `UsageError`."""
    if script.batch is not None:
        return _batch(env, script.batch, script.destination, prompt), None
    if script.each is not None:
        files = asked_files(script.each, script.destination, script.force)
        return EachRun(files, _opening(env, prompt), script.force, output), None
    return None, None if script.destination is None else output_path(script.destination)


def _batch(env: Environment, name: str, destination: str | None, prompt: PromptOptions) -> BatchRun:
    if prompt.words or prompt.prompt is not None:
        raise UsageError(
            "There are two kinds of prompts: --batch and one beside it.", "-f FILE puts a file before all."
        )
    batch = read_batch(env, name)
    results = Results(env) if destination is None else results_in(env, destination, name)
    return BatchRun(batch, results, _opening(env, prompt))


def _opening(env: Environment, prompt: PromptOptions) -> str:
    """What is said before each of many prompts, with a blank line behind it; standard input is left alone."""
    if not prompt.files and not prompt.words and prompt.prompt is None:
        return ""
    return f"{read_prompt(env, replace(prompt, no_stdin=True))}\n\n"


def check_script(script: ScriptOptions, output: OutputOptions, *, chat: bool = False, compare: bool = False) -> None:
    """Raise `UsageError` where options exclude each other; with `chat` a chat is asked for."""
    if script.events and output.json:
        raise UsageError("--events and --json are two forms of the same.", "Leave one of them out.")
    if script.logprobs is not None and not (output.json or script.events or script.batch is not None):
        raise UsageError("--logprobs is for JSON.", "Add --json or --events, or leave it out.")
    if script.logprobs is not None and compare:
        raise UsageError("--logprobs is for one answer, and --compare gives two.", "Leave one of them out.")
    if script.batch is not None and script.each is not None:
        raise UsageError("--batch and --each are two kinds of many prompts.", "Leave one of them out.")
    if script.force and (script.each is None or script.destination is None):
        raise UsageError("--force replaces the answers of --each, which -o names.", "Leave it out.")
    many = "--batch" if script.batch is not None else "--each"
    if script.batch is not None or script.each is not None:
        others = {"-i": chat, "--compare": compare, "--events": script.events}
        for option in (name for name, given in others.items() if given):
            raise UsageError(f"{option} is for one prompt, and {many} has many.", f"Leave {option} out.")
    for option in (name for name, given in script.single if given and compare):
        raise UsageError(f"{option} is for one answer, and --compare gives two.", "Leave one of them out.")
