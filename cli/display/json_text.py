"""JSON as a terminal may show it."""

import json
import re
from typing import Any

_CONTROL = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def written(content: dict[str, Any]) -> str:
    """A line of JSON that a terminal may show, and that is UTF-8 even where the text holds half a character.

    JSON escapes most control characters; those that it leaves would be obeyed, or turn the reading direction around.
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(content, ensure_ascii=False))
