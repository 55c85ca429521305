"""Which models draft for a target."""
