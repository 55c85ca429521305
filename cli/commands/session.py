"""`specchat session`: the chats that are kept."""

from pathlib import Path

import typer

from specchat.speculative.errors import SpecchatError, UsageError

from ..answering.extract import extracted
from ..display.json_text import written
from ..display.screen import note, one_line, warn, write_text
from ..environment import Environment
from ..gather import gathered
from ..help_format import GroupedCommand
from ..sessions.recovery import Recovered
from ..sessions.search import searched
from ..sessions.store import Sessions, sessions_of
from .asking import agrees_to_remove
from .session_options import ExportOptions, ListOptions, PathOptions, RemoveOptions, ShowOptions
from .session_table import overview, overview_json, shown


def session_commands() -> typer.Typer:
    """The commands below `specchat session`."""
    app = typer.Typer(rich_markup_mode=None, help="List, show, export and remove sessions: chats that are kept.")
    for name, command in (("list", list_), ("show", show), ("export", export), ("rm", rm), ("path", path)):
        app.command(name, cls=GroupedCommand)(gathered(command))
    return app


def list_(env: Environment, options: ListOptions) -> None:
    """List the sessions, the latest one first."""
    sessions = sessions_of(env)
    rows = sessions.listed()
    if options.search is not None:
        rows = list(searched(rows, options.search))
    if options.json:
        env.stdout.write(f"{written(overview_json(sessions.folder, rows))}\n")
        return
    env.stdout.writelines(f"{line}\n" for line in overview(rows, env.room))
    if not rows:
        note(env, "There are no sessions yet." if options.search is None else "This was said in no session.")


def show(env: Environment, options: ShowOptions) -> None:
    """Show what was said in a session."""
    found = _found(env, options.name)
    if options.last or options.extract:
        write_text(env, _last(found, options.extract).rstrip("\n") + "\n")
    else:
        write_text(env, shown(found.place.name, found.transcript, env.room))


def export(env: Environment, options: ExportOptions) -> None:
    """Write a session as Markdown or JSON."""
    from ..sessions.export import session_content, session_markdown

    found = _found(env, options.name)
    name, chat = found.place.name, found.transcript
    text = written(session_content(name, chat)) + "\n" if options.form == "json" else session_markdown(name, chat)
    if options.output in (None, "-"):
        write_text(env, text)
    else:
        _write_file(Path(options.output or ""), text.encode(errors="backslashreplace"))


def rm(env: Environment, options: RemoveOptions) -> None:
    """Remove sessions."""
    sessions = sessions_of(env)
    names = list(dict.fromkeys(options.names))
    for name in names:
        sessions.check_free(name)
    if not options.yes and not _agreed(env, names):
        note(env, "Nothing is removed.")
        return
    for name in names:
        sessions.remove(name)
        env.stdout.write(f"{name} is removed.\n")


def path(env: Environment, options: PathOptions) -> None:
    """Print the path of a session, or of their folder."""
    sessions = sessions_of(env)
    env.stdout.write(f"{sessions.folder if options.name is None else sessions.find(options.name).file}\n")


def _found(env: Environment, name: str | None) -> Recovered:
    """What is in a session, and a warning if that is not all that was in it."""
    sessions: Sessions = sessions_of(env)
    found = sessions.read(sessions.latest() if name is None else name)
    if notice := found.notice("is left out"):
        warn(env, notice)
    return found


def _last(found: Recovered, extract: bool) -> str:
    """The last answer in a session, or the first code block in it. Raises `SpecchatError` where there is none."""
    turns = reversed(found.transcript.turns)  # the last of them may be a question that was never answered
    answer = next((turn.message.content for turn in turns if turn.message.role == "assistant"), None)
    if answer is None:
        raise SpecchatError(f"Nothing was answered in {found.place.name}.", "specchat session list shows all.")
    text = extracted(answer) if extract else answer
    if text is None:
        raise SpecchatError("There is no code block in the answer.", "With --last all of it is shown.")
    return text


def _write_file(file: Path, content: bytes) -> None:
    from specchat.speculative.files import write_whole

    if not file.parent.is_dir():
        raise UsageError(f"There is no folder {file.parent}.", "Make it first, or choose another file.")
    if file.exists() and not file.is_file():  # a device or a pipe, which takes what is written and stays what it is
        file.write_bytes(content)
    else:
        write_whole(file.resolve(), content)


def _agreed(env: Environment, names: list[str]) -> bool:
    noun = "this session" if len(names) == 1 else f"these {len(names)} sessions"
    return agrees_to_remove(env, map(one_line, names), f"Remove {noun}?")
