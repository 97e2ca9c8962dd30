"""All use cases of the domain together."""

from __future__ import annotations

from server.memory.correcting import Correcting
from server.memory.finding import Finding
from server.memory.forgetting import Forgetting
from server.memory.importing import Importing
from server.memory.reviewing import Reviewing
from server.memory.storing import Storing


class Memories(Storing, Finding, Correcting, Forgetting, Reviewing, Importing):
    """Everything that can be done with memories, over a store and an embedder. Safe to share between threads."""
