"""Questions that want JSON, each with its schema: what `benchmarks.forms` asks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]

TEXT = {"type": "string", "maxLength": 40}
YEAR = {"type": "integer", "minimum": 1000, "maximum": 2100}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
YES_NO = {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class FormCase:
    """A question, and the schema of its answer."""

    name: str
    question: str
    schema: Schema


def _object(required: str = "", **properties: Any) -> Schema:
    """With these keys and no others; all are `required` unless some are named."""
    wanted = required.split() or list(properties)
    return {"type": "object", "properties": properties, "required": wanted, "additionalProperties": False}


def _several(items: Schema, least: int, most: int) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _one_of(*values: Any) -> Schema:
    return {"enum": list(values)}


_MONEY = _object(amount={"type": "integer", "minimum": 0, "maximum": 9999}, currency=_one_of("EUR", "USD", "GBP"))
_TREE = _object(name=TEXT, children={"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2})
_POINT = {"type": "array", "prefixItems": [SHARE, SHARE], "items": False, "minItems": 2}

CASES = (
    FormCase(
        "nested",
        "Describe Ada Lovelace.",
        _object(name=TEXT, born=YEAR, home=_object(town=TEXT, country=_object(name=TEXT, capital=TEXT)), famous=YES_NO),
    ),
    FormCase(
        "enums",
        "Sort this ticket: 'The login page of the shop shows an error since this morning.'",
        _object(
            priority=_one_of("low", "normal", "high"),
            component=_one_of("shop", "search", "account", "payment"),
            kind=_one_of("defect", "wish", "question"),
            needs_answer=YES_NO,
        ),
    ),
    FormCase("bounded array", "Name some dishes for a week of dinners.", _object(dishes=_several(TEXT, 3, 5))),
    FormCase(
        "array of objects",
        "List three famous novels.",
        _several(_object(title=TEXT, author=TEXT, published=YEAR, still_in_print=YES_NO), 3, 3),
    ),
    FormCase(
        "optional keys",
        "Make up a contact.",
        _object("name email", name=TEXT, nickname=TEXT, email=TEXT, telephone=TEXT, birthday={"format": "date"}),
    ),
    FormCase(
        "patterns",
        "Make up two parts of a machine with their numbers.",
        _several(
            _object(number={"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}, colour={"pattern": "^#[0-9a-f]{6}$"}),
            2,
            2,
        ),
    ),
    FormCase("recursion", "Show a small tree of folders.", {"$defs": {"node": _TREE}, "$ref": "#/$defs/node"}),
    FormCase(
        "unicode keys",
        "Beschreibe eine Eiche.",
        _object(größe=_one_of("klein", "mittel", "groß"), 名前=TEXT, höhe_in_metern={"type": "integer"}, 緑=YES_NO),
    ),
    FormCase(
        "ranges",
        "What is the weather like in Oslo in January? Estimate.",
        _object(
            temperature={"type": "integer", "minimum": -40, "maximum": 50},
            humidity=SHARE,
            wind_speed={"type": "number", "minimum": 0, "maximum": 60},
            cloud_cover_in_percent={"type": "integer", "minimum": 0, "maximum": 100, "multipleOf": 5},
        ),
    ),
    FormCase(
        "booleans",
        "Which of these has a bicycle?",
        _object(wheels=YES_NO, engine=YES_NO, saddle=YES_NO, handlebar=YES_NO, windscreen=YES_NO, bell=YES_NO),
    ),
    FormCase(
        "alternatives",
        "Draw a house of simple shapes.",
        _several(
            {
                "anyOf": [
                    _object(shape={"const": "circle"}, centre=_POINT, radius=SHARE),
                    _object(shape={"const": "rectangle"}, corner=_POINT, width=SHARE, height=SHARE),
                ]
            },
            2,
            4,
        ),
    ),
    FormCase(
        "references",
        "Make up an invoice for two things.",
        {
            "$defs": {"money": _MONEY},
            **_object(
                items=_several(_object(article=TEXT, price={"$ref": "#/$defs/money"}), 2, 2),
                total={"$ref": "#/$defs/money"},
            ),
        },
    ),
    FormCase("tuples", "Give three points on a diagonal.", _object(points=_several(_POINT, 3, 3))),
    FormCase(
        "dates",
        "Plan two meetings for next spring.",
        _several(_object(title=TEXT, day={"type": "string", "format": "date"}, start={"format": "time"}), 2, 2),
    ),
    FormCase(
        "free keys",
        "How often does each letter occur in 'banana'?",
        {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}, "maxProperties": 4},
    ),
    FormCase(
        "deeply nested",
        "Configure a web server.",
        _object(server=_object(listen=_object(address=TEXT, port={"type": "integer"}), tls=_object(certificate=TEXT))),
    ),
    FormCase(
        "long text",
        "Review the film Casablanca.",
        _object(title=TEXT, verdict=_one_of("good", "bad"), review={"type": "string", "maxLength": 240}),
    ),
    FormCase(
        "nullable",
        "Describe a library book that nobody has borrowed.",
        _object(title=TEXT, borrowed_by={"type": ["string", "null"], "maxLength": 40}, due={"type": "null"}),
    ),
    FormCase(
        "all of",
        "Describe an old car.",
        {"allOf": [_object("make", make=TEXT, model=TEXT), {"properties": {"model": TEXT}, "required": ["model"]}]},
    ),
    FormCase(
        "many long keys",
        "Make up a company.",
        _object(
            registered_company_name=TEXT,
            registered_office_address=TEXT,
            year_of_foundation=YEAR,
            number_of_employees={"type": "integer", "minimum": 1},
            is_listed_on_a_stock_exchange=YES_NO,
            main_field_of_business=_one_of("retail", "manufacturing", "software", "transport"),
        ),
    ),
)
