"""Tests of server.embedding that need no model."""
