"""Tests of server.embedding with the real model."""
