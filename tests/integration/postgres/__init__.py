"""The embedded Postgres against the real programs."""
