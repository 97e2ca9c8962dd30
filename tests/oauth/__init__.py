"""Keys, tokens and addresses: every branch of server.oauth."""
