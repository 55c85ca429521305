"""Completion in fish, which quotes what it inserts."""

from collections.abc import Mapping

from .files import listed
from .offer import Offer

SCRIPT = r"""# specchat in fish: a line in ~/.config/fish/config.fish: specchat completion fish | source
function __specchat_complete
    set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
    command -sq -- $program; or set program specchat
    set -l line (commandline -cp | string collect)
    env _SPECCHAT_COMPLETE=fish _SPECCHAT_LINE="$line" $program 2>/dev/null </dev/null
end
complete -c specchat -f -k -a '(__specchat_complete)'
"""


def fish_lines(offer: Offer, line: str, variables: Mapping[str, str]) -> list[str]:
    """Words with what they are, and files."""
    words = [f"{offer.head}{word.text}\t{word.help}" for word in offer.values.words]
    return [*words, *(f"{offer.head}{path}" for path in listed(offer))]
