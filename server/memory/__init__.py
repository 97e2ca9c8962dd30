"""The domain of memories. Pure: no database, network or model imports (see ports.py)."""
