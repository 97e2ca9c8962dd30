"""`ownsona mcp` as a program."""
