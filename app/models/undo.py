"""What the person did, to be taken back step by step. The journal does the work; here is only the order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.bridge import Bridge
from app.client import ApiError, Done, Entry

DEEPEST = 500  # steps that are kept


@dataclass(frozen=True, slots=True)
class Step:
    """One operation in the journal, and the words for it in menus ("Move 3 memories to trash")."""

    journal_id: int
    label: str


class UndoHistory(QObject):
    """Undo and redo. Undoing is an operation too; undoing that one is the redo."""

    changed = Signal()
    undone = Signal(str, bool)  # what was taken back (True) or done again (False)
    failed = Signal(object)  # ApiError

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._past: list[Step] = []
        self._future: list[Step] = []
        self._moving = False

    @property
    def next_undo(self) -> str:
        """The words for what undo takes back; empty for nothing."""
        return "" if self._moving or not self._past else self._past[-1].label

    @property
    def next_redo(self) -> str:
        """The words for what redo does again; empty for nothing."""
        return "" if self._moving or not self._future else self._future[-1].label

    def remember(self, done: Done, label: str) -> None:
        """An operation of the person. What could be redone before it no longer can."""
        if done.journal_id is None:
            return
        self._past = [*self._past[1 - DEEPEST :], Step(done.journal_id, label)]
        self._future.clear()
        self.changed.emit()

    def seed(self, entries: Iterable[Entry], label: str) -> None:
        """Earlier operations (newest first) that still stand, so that undo works across starts of the app."""
        if self._past:
            return
        standing = [entry for entry in entries if entry.undoes is None and entry.undone_by is None and entry.actor_kind == "person"]
        self._past = [Step(entry.id, label) for entry in reversed(standing)]
        self.changed.emit()

    def undo(self) -> None:
        """Take the last operation back."""
        self._move(self._past, self._future, undoing=True)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._move(self._future, self._past, undoing=False)

    def _move(self, source: list[Step], target: list[Step], *, undoing: bool) -> None:
        if self._moving or not source:
            return
        step = source[-1]
        self._moving = True
        self.changed.emit()

        def done(result: Done) -> None:
            self._moving = False
            source.pop()
            if result.journal_id is not None:
                target.append(Step(result.journal_id, step.label))
            self.changed.emit()
            self.undone.emit(step.label, undoing)

        def failed(error: ApiError) -> None:
            self._moving = False
            if error.code in ("CONFLICT", "NOT_FOUND"):
                source.pop()  # it will never work; what is below it may
            self.changed.emit()
            self.failed.emit(error)

        self._bridge.call(self, lambda client: client.undo(step.journal_id), done, failed, writes=True)
