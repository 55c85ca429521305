"""How much is kept back until it is clear how it looks."""

MOST_HELD = 40
"""Characters of a word, a mark or a line's start. Longer ones are taken for text."""
MOST_OPEN = 20
"""Runs of marks that wait for their end; of more of them, the outermost are forgotten."""
