"""The server: importable without Qt; never imports `app`."""

__version__ = "0.1.0"
