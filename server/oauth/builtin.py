"""Scopes and the clients that come with the product. Standard library only: the bridge reads it before its first answer."""

from __future__ import annotations

OWNER_ID = 1  # the person whose home this is; the `sub` of their tokens

READ = "memories:read"
WRITE = "memories:write"
DELETE = "memories:delete"
ALL_SCOPES = (READ, WRITE, DELETE)

CLI_CLIENT = "ownsona-cli"
STDIO_CLIENT = "ownsona-stdio"

# The migration inserts one grant for each, under the same ids in every database: tokens are minted before it is up.
BUILTIN_GRANTS = {
    CLI_CLIENT: "0d9c1f1e-6f0b-4c1a-9a55-6f776e736f01",
    STDIO_CLIENT: "0d9c1f1e-6f0b-4c1a-9a55-6f776e736f02",
}
