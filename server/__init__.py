"""The server: importable without Qt; never imports `app`."""
