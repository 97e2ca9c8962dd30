"""The Starlette app: guards, MCP endpoints, discovery documents, health and the local API."""
