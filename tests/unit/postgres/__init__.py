"""The pure parts of the embedded Postgres."""
