"""Completion in zsh, which quotes what it inserts, and finds files itself."""

from collections.abc import Mapping

from .offer import Offer, Word

SCRIPT = r"""#compdef specchat
# specchat in zsh: a line in ~/.zshrc, below compinit: eval "$(specchat completion zsh)"
_specchat() {
    local program kind text head ret=1
    local -a found
    program=$(whence -p -- ${~${(Q)words[1]}}) || program=specchat
    local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
    while IFS=$'\t' read -r kind text head; do
        if [[ $kind == word ]]; then
            found+=("$text")
        else
            (( $#found )) && _describe -V specchat found && ret=0
            found=()
            compset -p $#head
            _files -g $text && ret=0
        fi
    done < <(_SPECCHAT_COMPLETE=zsh _SPECCHAT_LINE=$line $program 2>/dev/null </dev/null)
    (( $#found )) && _describe -V specchat found && ret=0
    return ret
}
if [[ $funcstack[1] == _specchat ]]; then
    _specchat "$@"
else
    compdef _specchat specchat
fi
"""


def zsh_lines(offer: Offer, line: str, variables: Mapping[str, str]) -> list[str]:
    """Words as zsh's `_describe` reads them, and then which files, behind which start of the word."""
    lines = [f"word\t{_described(offer.head, word)}" for word in offer.values.words]
    endings = offer.values.endings
    if endings is not None:
        patterns = " ".join(f"*{ending}" for ending in endings or ("",))
        lines.append(f"files\t{patterns}\t{offer.head}")
    return lines


def _described(head: str, word: Word) -> str:
    text = (head + word.text).replace("\\", "\\\\").replace(":", "\\:")
    return f"{text}:{word.help}" if word.help else text
