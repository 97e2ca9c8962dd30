"""What feedback does to a memory's salience."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from server.memory.model import Memory

KEPT, RATE = 0.95, 0.3
LOWEST, HIGHEST = 0.0, 3.0


def reinforced(memory: Memory, reward: float, now: datetime) -> dict[str, Any]:
    """The columns that a reward of -1 to 1 changes: salience moves to 0.95 S + 0.3 r, within 0 and 3."""
    return {
        "salience": min(HIGHEST, max(LOWEST, KEPT * memory.salience + RATE * reward)),
        "use_count": memory.use_count + 1,
        "reward_sum": memory.reward_sum + reward,
        "last_used_at": now,
    }
