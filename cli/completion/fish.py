"""Completion in fish, which quotes what it inserts, and finds files itself."""

import re
from collections.abc import Mapping

from .offer import Offer

SCRIPT = r"""# specchat in fish: specchat completion fish > ~/.config/fish/completions/specchat.fish
function __specchat_complete
    set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
    command -sq -- $program; or set program specchat
    set -l line (commandline -cp | string collect)
    for each in (env _SPECCHAT_COMPLETE=fish _SPECCHAT_LINE="$line" $program 2>/dev/null </dev/null)
        set -l parts (string split \t -- $each)
        if test $parts[1] = word
            printf '%s\t%s\n' $parts[2] $parts[3]
        else
            set -l begun (string sub -s (math 1 + (string length -- $parts[2])) -- (commandline -ct))
            for file in (complete -C "'' $begun" | string match -r -- $parts[3])
                printf '%s%s\n' $parts[2] $file
            end
        end
    end
end
complete -c specchat -f -k -a '(__specchat_complete)'
"""


def fish_lines(offer: Offer, line: str, variables: Mapping[str, str]) -> list[str]:
    """Words with what they are, and then which files, behind which start of the word."""
    lines = [f"word\t{offer.head}{word.text}\t{word.help}" for word in offer.values.words]
    endings = offer.values.endings
    if endings is not None:
        pattern = f"^.*({'|'.join(map(re.escape, endings))}|/)(\\t.*)?$" if endings else "^.+$"
        lines.append(f"files\t{offer.head}\t{pattern}")
    return lines
