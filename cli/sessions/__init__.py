"""Chats that are kept on the disk."""
