"""Tests of import and export with the real database."""
