"""The line on which a person types: history, messages of several lines, completion, an editor."""
