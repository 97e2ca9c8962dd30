"""Tests of formats, of sending, and of files on this side of the server."""
