"""Keys, access tokens and their checks."""
