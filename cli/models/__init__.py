"""Models for the commands: where they are, fetching them, and what drafts where nobody said."""
