"""The page of memories: sidebar, search, table, editor."""
