"""Answers in a form that was asked for: grammars, what they allow next, and how a token is chosen under them."""
