"""Markdown as it streams: which style each character of a text has. The text itself is never changed."""
