"""Work in the background: derived data, one thread, no state that another server would miss."""
