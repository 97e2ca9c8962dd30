"""The app offscreen, against a real server with a real database and model."""
