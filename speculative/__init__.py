"""The engine: tokens in, events out."""
