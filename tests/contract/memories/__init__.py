"""Each tool of the memories contract: its success, its documented errors, its boundaries."""
