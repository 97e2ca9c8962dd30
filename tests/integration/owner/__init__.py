"""The use cases of the window, over the real database."""
