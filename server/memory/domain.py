"""What all use cases share: their tools and the rules that hold everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from server.memory.model import Filter, InvalidInput, Limits, Memory, Protected, not_found
from server.memory.ports import Embedder, Store
from server.memory.secrets import refuse_secrets

CONFIRMED_AHEAD = timedelta(minutes=5)  # clocks differ
EXPIRES_AHEAD = timedelta(days=36525)


class Domain:
    """A store, an embedder and the limits. Safe to share between threads."""

    def __init__(self, store: Store, embedder: Embedder, limits: Limits, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._store = store
        self._embedder = embedder
        self._now = now
        self.limits = limits

    def get(self, owner_id: int, memory_id: int) -> Memory:
        """One memory, deleted ones too. Raises NotFound."""
        rows = self._store.get(owner_id, [memory_id])
        if not rows:
            raise not_found(memory_id)
        return rows[0]

    def check_text(self, text: str, field: str = "text") -> str:
        """The trimmed text. Raises InvalidInput or SecretRejected."""
        text = self.check_query(text, field)
        refuse_secrets(text)
        return text

    def check_query(self, text: str, field: str = "query") -> str:
        """The trimmed text of something that is not stored. Raises InvalidInput."""
        text = text.strip()
        if not text:
            raise InvalidInput(f"The {field} field is required and must not be blank.")
        if len(text) > self.limits.max_text_chars:
            raise InvalidInput(f"{field} may have at most {self.limits.max_text_chars} characters; it has {len(text)}.")
        return text

    def check_times(self, expires_at: datetime | None, last_confirmed_at: datetime | None) -> None:
        """Raises InvalidInput for moments that cannot be meant."""
        if expires_at is not None and expires_at > self._now() + EXPIRES_AHEAD:
            raise InvalidInput("expires_at may be at most 100 years ahead.")
        if last_confirmed_at is not None and last_confirmed_at > self._now() + CONFIRMED_AHEAD:
            raise InvalidInput("last_confirmed_at must not be in the future.")

    def check_filter(self, wanted: Filter) -> None:
        """Raises InvalidInput for a filter that contradicts itself."""
        if wanted.min_chars is not None and wanted.max_chars is not None and wanted.min_chars > wanted.max_chars:
            raise InvalidInput("min_chars must not be greater than max_chars.")
        if wanted.not_confirmed_since is not None and wanted.not_confirmed_since > self._now() + CONFIRMED_AHEAD:
            raise InvalidInput("not_confirmed_since must not be in the future.")


def unlocked(memory: Memory) -> Memory:
    """The memory, unless a person has locked it. Raises Protected."""
    if memory.keep == "Y":
        raise Protected(f"Memory {memory.id} is locked by its owner. Only the owner can unlock it, in the window of OwnSona.")
    return memory


def live(memory: Memory | None, memory_id: int) -> Memory:
    """The memory, unless there is none or it is deleted. Raises NotFound."""
    if memory is None or memory.deleted_at is not None:
        raise not_found(memory_id)
    return memory
