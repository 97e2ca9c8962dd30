"""The web side over real sockets."""
