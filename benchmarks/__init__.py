"""Measurements, run by hand: see README.md in this folder."""
