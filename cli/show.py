"""`specchat show`: what a model is, and whether a draft fits it, from the headers of their files alone."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from specchat.profiles.gguf.facts import ModelFacts, model_facts
from specchat.profiles.gguf.header import FileBytes, GgufHeader, read_header
from specchat.profiles.gguf.vocabulary import vocabulary
from specchat.profiles.paths import expanded
from specchat.speculative.compatibility import Compatibility, check_vocabularies
from specchat.speculative.errors import SpecchatError

from .environment import Environment
from .json_text import written
from .options import MODELS, OUTPUT
from .screen import write_rows
from .values import filled


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """What to show."""

    model: Annotated[
        str,
        typer.Argument(
            parser=filled("a .gguf file"),
            metavar="FILE",
            show_default=False,
            help="A model, a GGUF file.",
            rich_help_panel=MODELS,
        ),
    ]
    draft: Annotated[
        str | None,
        typer.Option(
            "-md",
            "--draft",
            "--model-draft",
            parser=filled("a .gguf file"),
            metavar="FILE",
            help="A smaller model: does it fit as a draft?",
            rich_help_panel=MODELS,
        ),
    ] = None
    json: Annotated[bool, typer.Option("--json", help="One JSON object.", rich_help_panel=OUTPUT)] = False


@dataclass(frozen=True, slots=True)
class _Model:
    """A model of which only the header was read; its file has `size` bytes."""

    header: GgufHeader
    facts: ModelFacts
    size: int


def show(env: Environment, options: ShowOptions) -> None:
    """Show what a model is, and whether a draft fits it, without loading either."""
    target = _opened(options.model)
    draft = _opened(options.draft) if options.draft else None
    verdict = _verdict(target, draft) if draft else None
    if options.json:
        env.stdout.write(f"{written(_content(target, draft, verdict))}\n")
    else:
        write_rows(env, _rows(target, draft, verdict))
    if isinstance(verdict, SpecchatError):
        raise verdict


def _opened(text: str) -> _Model:
    path = expanded(text)
    header = read_header(FileBytes(path), str(path))
    return _Model(header, model_facts(header), path.stat().st_size)


def _verdict(target: _Model, draft: _Model) -> Compatibility | SpecchatError:
    """How the draft may be used, or why it may not."""
    try:
        return check_vocabularies(vocabulary(target.header), vocabulary(draft.header))
    except SpecchatError as error:
        return error


def _rows(target: _Model, draft: _Model | None, verdict: Compatibility | SpecchatError | None) -> list[tuple[str, str]]:
    rows = [("model", target.header.name), *_facts(target)]
    if draft:
        rows += [("", ""), ("draft", draft.header.name), *_facts(draft)]
    if isinstance(verdict, Compatibility):
        rows += [("", ""), ("fits", "yes"), *(("but", warning) for warning in verdict.warnings)]
    return rows


def _facts(model: _Model) -> list[tuple[str, str]]:
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
        "licence": facts.licence,
        "generates text": f"no: it {facts.objection}" if facts.objection else "yes",
    }
    return [(name, value or "not stated") for name, value in rows.items()]


def _size(model: _Model) -> str:
    unit, name = (1e9, "GB") if model.size >= 1e9 else (1e6, "MB")
    parts = f", the first of {model.facts.shards} files" if model.facts.shards > 1 else ""
    return f"{model.size / unit:.1f} {name}{parts}"


def _parameters(facts: ModelFacts) -> str | None:
    """Of a split model as its name says them: its first file holds a part only."""
    if facts.shards > 1:
        return facts.size_label
    return f"{facts.parameters / 1e9:.2f} billion" if facts.parameters else None


def _content(target: _Model, draft: _Model | None, verdict: Compatibility | SpecchatError | None) -> dict[str, Any]:
    return {
        "model": _model_content(target),
        "draft": _model_content(draft) if draft else None,
        "fits": isinstance(verdict, Compatibility) if verdict else None,
        "warnings": list(verdict.warnings) if isinstance(verdict, Compatibility) else [],
        "reason": verdict.message if isinstance(verdict, SpecchatError) else None,
    }


def _model_content(model: _Model) -> dict[str, Any]:
    return {"file": model.header.name, **asdict(model.facts), "size": model.size, "header_size": model.header.size}
