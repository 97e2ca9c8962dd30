"""What the person does in the window: everything assistants can, over many memories at once, and what only the owner may."""
