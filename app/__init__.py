"""The desktop app: tray and windows over the local server. It owns no data and reaches the server through `app.client` alone."""
