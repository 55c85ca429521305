"""What drafting gains on this machine: prompts, timed answers in pairs, and what follows from them."""
