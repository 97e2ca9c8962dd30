"""The web side in parts."""
