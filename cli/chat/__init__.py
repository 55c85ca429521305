"""A chat: loop.py reads lines and obeys, dialogue.py is the chat as it stands."""
