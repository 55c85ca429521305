"""Forms of answers that random models are held to."""

import json

from specchat.speculative.constraint.grammar import Grammar


def _schema(value: object) -> Grammar:
    return Grammar("JSON schema", json.dumps(value), "the schema")


_TREE = {"anyOf": [{"const": 0}, {"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2}]}

FORMS = {
    "numbers": _schema({"type": "array", "items": {"type": "integer", "minimum": -12, "maximum": 345}, "minItems": 3}),
    "object": _schema(
        {
            "type": "object",
            "properties": {"größe": {"enum": ["klein", "groß"]}, "b": {"type": "boolean"}},
            "required": ["größe"],
            "additionalProperties": False,
        }
    ),
    "pattern": _schema({"type": "string", "pattern": "^[A-Z][a-z]{1,9}-[0-9]{2}$"}),
    "text": _schema({"type": "string"}),
    "tree": _schema({"$defs": {"tree": _TREE}, "$ref": "#/$defs/tree"}),
    "gbnf": Grammar("grammar", 'root ::= ("th" | "in" | " a" | "he")+ "."?', "the grammar"),
    "lark": Grammar("grammar", 'start: /[a-u ]+/ ("!" | "?")', "the grammar"),
}
