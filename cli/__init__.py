"""The command line: arguments and keys in, text out."""
