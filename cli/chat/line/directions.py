"""Characters that turn the reading direction around, which a line shows instead of obeying them while it is typed."""

from itertools import accumulate

from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.utils import explode_text_fragments

from ...display.screen import visible


class DirectionsShown(Processor):
    """Writes them out as the line will once it is sent; other control characters are left to prompt_toolkit."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """The line as it is shown, and which place is where in it; the way back is for mice, which are not heeded."""
        letters = explode_text_fragments(transformation_input.fragments)
        if not any(_turns(letter[1]) for letter in letters):
            return Transformation(letters)
        shown = [(letter[0], visible(letter[1]) if _turns(letter[1]) else letter[1]) for letter in letters]
        places = [0, *accumulate(len(text) for _, text in shown)]
        end = len(shown)
        return Transformation(
            [*shown],
            source_to_display=lambda place: places[place] if place <= end else places[end] + place - end,
        )


def _turns(letter: str) -> bool:
    return "\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069"
