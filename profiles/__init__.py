"""Which models, from where, and how they are set."""
