"""What any command shows on a terminal: messages, tables, lines that come and go."""
