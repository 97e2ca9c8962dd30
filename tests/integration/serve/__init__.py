"""`ownsona serve` and the other commands as programs."""
