"""All use cases of the owner together."""

from __future__ import annotations

from server.memory.owner.browsing import Browsing
from server.memory.owner.duplicates import Duplicates
from server.memory.owner.editing import Editing
from server.memory.owner.explaining import Explaining
from server.memory.owner.history import History
from server.memory.owner.overview import Overview
from server.memory.owner.replacing import Replacing


class OwnerMemories(Browsing, Editing, Replacing, Explaining, Duplicates, History, Overview):
    """Everything that the person can do in the window. Safe to share between threads."""
