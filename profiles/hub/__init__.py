"""Repositories of the hub: what is in them, and how it gets onto this machine."""
