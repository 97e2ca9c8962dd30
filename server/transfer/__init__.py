"""In and out: files of memories, one module per format, and the commands that carry them to and from the server."""
