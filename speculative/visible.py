"""Text that others wrote, for a terminal."""

import re

_CONTROL = re.compile("\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """`text` with its control characters as pictures, save tabs and line breaks: no terminal obeys a picture.

    So are those that turn the reading direction around: with them a command can look like another.
    """
    return _CONTROL.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    control = match[0]
    if control == "\r\n":
        return "\n"
    if control == "\x7f":
        return "␡"
    if control < "\x20":
        return chr(0x2400 + ord(control))
    return f"<{ord(control):02X}>" if control < "\xa0" else f"<U+{ord(control):04X}>"
