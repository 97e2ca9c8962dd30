"""Formats of files. A new one is a module here with a `FORMAT`, and a line in registry.py."""
