"""Dialogs that several windows share."""
