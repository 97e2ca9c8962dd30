"""The parts of a server on this computer: the embedded Postgres (or one of the person's own), the model, the toolsets."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server.embedding import open_embedder
from server.endpoints import PATHS
from server.memory.memories import Memories
from server.memory.model import Conflict, Limits, NotFound
from server.memory.ports import EmbeddingError, StoreError
from server.oauth.builtin import OWNER_ID
from server.oauth.keys import PublicJwk
from server.parts import StartError
from server.paths import Home
from server.postgres.cluster import Cluster
from server.postgres.errors import PostgresError
from server.postgres.external import check_external
from server.postgres.reaping import dismiss, start_reaper
from server.settings import Settings
from server.store.database import Database
from server.store.oauth import OAuthTables
from server.store.schema import migrate
from server.store.store import PostgresStore
from server.toolsets.base import Toolset
from server.toolsets.memories import MemoriesToolset
from server.web.local_api import UndoRefusedError

log = logging.getLogger(__name__)

MODEL_START = 120.0  # seconds
