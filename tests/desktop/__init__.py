"""Tests with programs of a desktop: a real browser, a real keychain. Skipped where they are not installed."""
