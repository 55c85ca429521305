"""`specchat show`: what a model is, and whether a draft fits it, from the headers of their files alone."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from specchat.profiles.gguf.facts import ModelFacts
from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.seen_model import SeenModel
from specchat.speculative.compatibility import Compatibility, check_vocabularies
from specchat.speculative.errors import SpecchatError, UsageError

from ..display.json_text import written
from ..display.quantities import file_size
from ..display.screen import warn, write_rows, write_text
from ..environment import Environment
from ..models.whereabouts import see_named, whereabouts
from ..options.models import ModelArgument, OfflineOption, ShownDraftOption
from ..options.output import JsonOption
from ..options.placing import PlacingOptions

FitOrError = Compatibility | SpecchatError
"""How a draft may be used, or why it may not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """What to show."""

    model: ModelArgument
    draft: ShownDraftOption = None
    offline: OfflineOption = False
    template: Annotated[
        bool, typer.Option("--template", help="Only its chat template, as --chat-template FILE takes it.")
    ] = False
    json: JsonOption = False


def show(env: Environment, options: ShowOptions, placing: PlacingOptions) -> None:
    """Show what a model is, whether a draft fits it, and whether both fit the memory.

    Neither is loaded or fetched: the first megabytes of a file say it all. With the options of a run for context and
    devices, it is the plan of that run; without --draft, of its target alone, whatever a profile names.
    """
    from .show_memory import shown_draft, shown_memory

    where = whereabouts(env, offline=options.offline)
    target = see_named(env, options.model, where)
    if options.template:
        _show_template(env, target, options, placing)
        return
    draft = shown_draft(env, options, placing, target, where)
    fit = _fit(target, draft) if draft else None
    memory = None if target.facts.objection else shown_memory(env, options, placing, target, draft, where)
    if options.json:
        content = {**_content(target, draft, fit), "memory": memory.content if memory else None}
        env.stdout.write(f"{written(content)}\n")
    else:
        planned = [("", ""), *memory.rows] if memory else []
        write_rows(env, [*_rows(target, draft, options.draft), *planned, *_fit_rows(fit)])
    for sentence in memory.unheeded if memory else ():
        warn(env, sentence)
    if isinstance(fit, SpecchatError):
        raise fit


def _show_template(env: Environment, model: SeenModel, options: ShowOptions, placing: PlacingOptions) -> None:
    """The template alone. Raises `UsageError` where there is none, or more is asked for."""
    if options.draft or options.json or placing != PlacingOptions():
        raise UsageError(
            "--template shows a template and nothing else.", "Leave out what says how to load it, --draft and --json."
        )
    template = model.header.text("tokenizer.chat_template")
    if not template:
        raise UsageError(f"{model.header.name} has no chat template.", "--chat-template FILE gives it one.")
    write_text(env, template if template.endswith("\n") else f"{template}\n")


def _fit(target: SeenModel, draft: SeenModel) -> FitOrError:
    """How the draft may be used, or why it may not."""
    try:
        return check_vocabularies(vocabulary(target.header), vocabulary(draft.header))
    except SpecchatError as error:
        return error


def _rows(target: SeenModel, draft: SeenModel | None, choice: str | None) -> list[tuple[str, str]]:
    rows = [("model", target.header.name), *_facts(target)]
    if draft:
        return [*rows, ("", ""), ("draft", draft.header.name), *_facts(draft)]
    return [*rows, ("", ""), ("draft", _no_model(target, choice))] if choice else rows


def _no_model(target: SeenModel, choice: str) -> str:
    """What drafts where no model does."""
    if choice == "auto" and not target.fetched:
        return "what is found once the model is on this machine, or else n-grams"
    return "none" if choice == "none" else "n-grams alone"


def _fit_rows(fit: FitOrError | None) -> list[tuple[str, str]]:
    if not isinstance(fit, Compatibility):
        return []
    return [("", ""), ("fits", "yes"), *(("but", warning) for warning in fit.warnings)]


def _facts(model: SeenModel) -> list[tuple[str, str]]:
    facts = model.facts
    rows = {
        "name": facts.name,
        "architecture": f"{facts.architecture}, {facts.layers} layers" if facts.layers else facts.architecture,
        "parameters": _parameters(facts),
        "quantisation": facts.quantisation,
        "size": _size(model),
        "context": f"{facts.context} tokens" if facts.context else None,
        "vocabulary": f"{facts.vocabulary} tokens ({', '.join(filter(None, [facts.tokenizer, facts.pre_tokenizer]))})",
        "chat template": "yes" if facts.has_template else "no: --chat-template FILE gives it one",
        "licence": model.licence,
        "generates text": f"no: it {facts.objection}" if facts.objection else "yes",
    }
    chosen = [("chosen", model.note)] if model.note else []
    return [*chosen, *((name, value or "not stated") for name, value in rows.items())]


def _size(model: SeenModel) -> str:
    parts = f" in {model.facts.shards} files" if model.facts.shards > 1 else ""
    return f"{file_size(model.size)}{parts}{'' if model.fetched else ', not on this machine'}"


def _parameters(facts: ModelFacts) -> str | None:
    """Of a split model as its name says them: its first file holds a part only."""
    if facts.shards > 1:
        return facts.size_label
    unit, name = (1e9, "billion") if facts.parameters >= 1e9 else (1e6, "million")
    return f"{facts.parameters / unit:.2f} {name}" if facts.parameters else None


def _content(target: SeenModel, draft: SeenModel | None, fit: FitOrError | None) -> dict[str, Any]:
    return {
        "model": _model_content(target),
        "draft": _model_content(draft) if draft else None,
        "fits": isinstance(fit, Compatibility) if fit else None,
        "warnings": list(fit.warnings) if isinstance(fit, Compatibility) else [],
        "reason": fit.message if isinstance(fit, SpecchatError) else None,
    }


def _model_content(model: SeenModel) -> dict[str, Any]:
    return {
        "file": model.header.name,
        "fetched": model.fetched,
        "size": model.size,
        "header_size": model.header.size,
        **asdict(model.facts),
        "licence": model.licence,
    }
