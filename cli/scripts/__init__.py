"""Answers for scripts: many prompts, many files, events, files that are written whole."""
