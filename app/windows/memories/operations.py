"""What can be done with memories: each is one call, one undo step and one short notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.client import ApiError, Changes, Client, ConflictError, Done, NewMemory, Scope
from app.context import Context


@dataclass(frozen=True, slots=True)
class Chosen:
    """Memories that something shall be done with: what the server is told, and how many the person saw."""

    scope: Scope
    count: int


class Operations(QObject):
    """Writes on behalf of the person. `done` carries each result."""

    done = Signal(object)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context

    def trash(self, chosen: Chosen) -> None:
        """To the trash; what is locked stays."""
        self._act("trash", chosen, self.tr("Move to trash"), lambda n: self.tr("%Ln memories moved to trash.", "", n))

    def restore(self, chosen: Chosen) -> None:
        """Out of the trash."""
        self._act("restore", chosen, self.tr("Restore"), lambda n: self.tr("%Ln memories restored.", "", n))

    def confirm(self, chosen: Chosen) -> None:
        """They are still true."""
        self._act("confirm", chosen, self.tr("Confirm"), lambda n: self.tr("%Ln memories confirmed.", "", n))

    def erase(self, chosen: Chosen) -> None:
        """For good. The one thing without undo."""

        def said(done: Done) -> None:
            self.done.emit(done)
            self._context.notify(self._sentence(self.tr("%Ln memories deleted for good.", "", done.count), done))

        self._context.bridge.call(self, lambda client: client.act("erase", chosen.scope), said, writes=True)

    def lock(self, chosen: Chosen, locked: bool) -> None:
        """Nothing but the person takes away or changes what is locked."""
        changes = Changes(keep="Y" if locked else "U")
        if locked:
            self._edit(chosen, changes, self.tr("Lock"), lambda n: self.tr("%Ln memories locked.", "", n))
        else:
            self._edit(chosen, changes, self.tr("Unlock"), lambda n: self.tr("%Ln memories unlocked.", "", n))

    def change(self, chosen: Chosen, changes: Changes, *, quiet: bool = False) -> None:
        """Tags, importance, expiry. `quiet`: the place where it was changed shows it."""
        self._edit(chosen, changes, self.tr("Change"), lambda n: self.tr("%Ln memories changed.", "", n), quiet=quiet)

    def write(
        self,
        memory_id: int,
        changes: Changes,
        version: int,
        written: Callable[[Done], object],
        failed: Callable[[ApiError], object],
        conflict: Callable[[ConflictError], object],
    ) -> None:
        """Change the text of one memory, if it is still the one that was edited."""

        def done(result: Done) -> None:
            self._context.undo.remember(result, self.tr("Edit"))
            written(result)
            self.done.emit(result)

        def refused(error: ApiError) -> None:
            conflict(error) if isinstance(error, ConflictError) else failed(error)

        scope = Scope(ids=(memory_id,))
        self._context.bridge.call(self, lambda client: client.edit(scope, changes, version), done, refused, writes=True)

    def add(self, memory: NewMemory, added: Callable[[Done], object], failed: Callable[[ApiError], object]) -> None:
        """Remember something new."""

        def done(result: Done) -> None:
            self._context.undo.remember(result, self.tr("Add"))
            self._context.notify(self.tr("Memory added."), *self._undo_button(result))
            added(result)
            self.done.emit(result)

        self._context.bridge.call(self, lambda client: client.add(memory), done, failed, writes=True)

    def took(self, result: Done, label: str, sentence: str) -> None:
        """Note an operation that a dialog made."""
        self._context.undo.remember(result, label)
        self._context.notify(self._sentence(sentence, result), *self._undo_button(result))
        self.done.emit(result)

    def _act(self, action: str, chosen: Chosen, label: str, sentence: Callable[[int], str]) -> None:
        self._run(lambda client: client.act(action, chosen.scope), label, sentence)

    def _edit(self, chosen: Chosen, changes: Changes, label: str, sentence: Callable[[int], str], *, quiet: bool = False) -> None:
        self._run(lambda client: client.edit(chosen.scope, changes), label, sentence, quiet=quiet)

    def _run(self, work: Callable[[Client], Done], label: str, sentence: Callable[[int], str], *, quiet: bool = False) -> None:
        def done(result: Done) -> None:
            self._context.undo.remember(result, label)
            if not quiet or result.skipped:
                self._context.notify(self._sentence(sentence(result.count), result), *self._undo_button(result))
            self.done.emit(result)

        self._context.bridge.call(self, work, done, writes=True)

    def _sentence(self, sentence: str, done: Done) -> str:
        if not done.skipped:
            return sentence
        reason = done.skipped_reason or ""
        return " ".join(part for part in (sentence, self.tr("%Ln were left as they are.", "", done.skipped), reason) if part)

    def _undo_button(self, done: Done) -> list[tuple[str, Callable[[], object]]]:
        return [(self.tr("Undo"), self._context.undo.undo)] if done.journal_id is not None else []
