"""The cluster's own settings: `app.conf`, which postgresql.conf includes, and who may log in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROLE = "ownsona"
DATABASE = "ownsona"
SOCKET_PORT = 5432  # only part of the socket's file name
MAX_CONNECTIONS = 30
_SMALL_SHARED_MEMORY = 1 << 30

# The role is no superuser, and the superuser has neither a password nor a line here: nobody can log in as it.
HBA = f"""\
local all {ROLE} scram-sha-256
host all {ROLE} 127.0.0.1/32 scram-sha-256
"""

_SETTINGS: Mapping[str, str] = {
    "max_connections": str(MAX_CONNECTIONS),
    "shared_buffers": "128MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "password_encryption": "scram-sha-256",
    "cluster_name": "ownsona",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # What was acknowledged survives a crash and a power cut.
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # No replication, fewer processes, little disk.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "io_method": "sync",
    "min_wal_size": "32MB",
    "max_wal_size": "256MB",
    # Texts of memories stay out of the log: no statements, no details (they quote values), no errors of clients, who get them anyway.
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_min_messages": "log",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "log_lock_waits": "off",
    "log_checkpoints": "off",  # the log is rotated at a start only
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "%m [%p] ",
}


def render(address: Mapping[str, str], shared_memory: int | None) -> str:
    """The text of app.conf. `shared_memory`: bytes of the system's shared memory folder, None when it has none."""
    values = {**_SETTINGS, **address}
    if shared_memory is not None and shared_memory < _SMALL_SHARED_MEMORY:
        # A parallel index build would place its whole working memory there (containers have 64 MB).
        values["max_parallel_maintenance_workers"] = "0"
    return "".join(f"{name} = {quoted(value)}\n" for name, value in values.items())


def socket_address(folder: Path) -> dict[str, str]:
    """Listen on a socket in this folder and nowhere else."""
    return {
        "listen_addresses": "",
        "port": str(SOCKET_PORT),
        "unix_socket_directories": '"' + str(folder).replace('"', '""') + '"',  # a list: a comma in the path would split it
        "unix_socket_permissions": "0700",
    }


def loopback_address(port: int) -> dict[str, str]:
    """Listen on a loopback port (Windows, where sockets in the file system are not reliable)."""
    return {"listen_addresses": "127.0.0.1", "port": str(port), "unix_socket_directories": ""}


def quoted(value: str) -> str:
    """A value as Postgres' settings files want it: in apostrophes, with apostrophes and backslashes doubled."""
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def shared_memory_size(folder: Path = Path("/dev/shm")) -> int | None:  # noqa: S108 - the system's fixed place; nothing is written there
    """Bytes of the folder that backs shared memory, None where there is no such folder."""
    if sys.platform == "win32":
        return None
    try:
        facts = os.statvfs(folder)
    except OSError:
        return None
    return facts.f_frsize * facts.f_blocks
