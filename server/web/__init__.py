"""The Starlette application: MCP mounts, guards, health and the local API."""
