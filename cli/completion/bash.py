"""Completion in bash, which breaks words at characters of its own, and quotes nothing."""

import os
import re
import shlex
from collections.abc import Mapping

from .files import listed
from .offer import Offer

BREAKS = "_SPECCHAT_BREAKS"
_USUAL_BREAKS = " \t\n\"'@><=;|&(:"
_SPECIAL = re.compile(r"""([\s\\'"`$&|;()<>*?\[\]{}#~!^])""")

SCRIPT = r"""# specchat in bash: a line in ~/.bashrc: eval "$(specchat completion bash)"
_specchat_completion() {
    local program kind text IFS=$'\n'
    program=$(type -P -- "${1/#\~\//$HOME/}") || program=specchat
    COMPREPLY=()
    while IFS=$'\t' read -r kind text; do
        case $kind in
            word) COMPREPLY+=("$text") ;;
            open) COMPREPLY+=("$text"); compopt -o nospace 2>/dev/null ;;
            files) compopt -o default 2>/dev/null ;;
        esac
    done < <(_SPECCHAT_COMPLETE=bash _SPECCHAT_LINE=${COMP_LINE:0:COMP_POINT} _SPECCHAT_BREAKS=$COMP_WORDBREAKS \
        "$program" 2>/dev/null </dev/null)
}
complete -F _specchat_completion specchat
"""


def bash_lines(offer: Offer, line: str, variables: Mapping[str, str]) -> list[str]:
    """Texts to put in the place of what bash takes for the word; `open` ones go on, and `files` it finds itself."""
    quote = _open_quote(line)
    rest = line.rpartition(quote)[2] if quote else _last_part(line, variables.get(BREAKS) or _USUAL_BREAKS)
    kept = len(offer.head + offer.begun) - len(rest)
    texts = [word.text for word in offer.values.words if word.text.startswith(offer.begun)]
    native = offer.values.endings == () and not offer.head.endswith("@")  # behind which bash looks for hosts
    found = [] if native else listed(offer)
    lines = [f"word\t{_escaped((offer.head + text)[kept:], quote)}" for text in texts]
    lines += [
        f"{'open' if path.endswith('/') else 'word'}\t{_path((offer.head + path)[kept:], quote)}" for path in found
    ]
    return [*lines, *(["files"] if native else [])]


def _open_quote(line: str) -> str:
    """The quotation mark that is still open at the end of the line."""
    return next((mark for mark in ("", "'", '"') if _is_whole(f"{line}x{mark}")), "")


def _is_whole(line: str) -> bool:
    try:
        shlex.split(line)
    except ValueError:
        return False
    return True


def _last_part(line: str, breaks: str) -> str:
    """What stands behind the last of the characters at which bash breaks words, read as bash would."""
    breaks, hosts = breaks.replace("@", ""), "|(?=@)" if "@" in breaks else ""  # this one belongs to what follows
    raw = re.split(rf"(?<!\\)(?:[{re.escape(breaks)}]{hosts})", line)[-1]
    return re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL)


def _path(path: str, quote: str) -> str:
    home = f"~{os.sep}"
    return home + _escaped(path.removeprefix(home), quote) if path.startswith(home) else _escaped(path, quote)


def _escaped(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("'", r"'\''")
    if quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", text)
    return _SPECIAL.sub(r"\\\1", text)
