"""Below the editor: where a memory comes from, what happened to it, and which ones are like it. Each is fetched when it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.client import ApiError, Entry, MemoryRow, SimilarRow
from app.context import Context
from app.models.memory_table import moment_text, percent
from app.widgets.naming import named

SHORT = 160  # characters of a text in a list


class Details(QTabWidget):
    """`go_wanted` carries the id of a memory to show."""

    go_wanted = Signal(int)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._row: MemoryRow | None = None
        self._fetched: set[tuple[str, int]] = set()
        self._entries: tuple[Entry, ...] = ()
        self.setDocumentMode(True)
        self._origin = QFormLayout()
        self._names: list[QLabel] = []
        self._values: list[QLabel] = []
        self.history = named(QListWidget(self), self.tr("History"))
        self.similar = named(QListWidget(self), self.tr("Similar memories"))
        self.take_back = QPushButton(self.tr("Undo this change"), self)
        self.addTab(self._origin_page(), self.tr("Origin"))
        self.addTab(self._history_page(), self.tr("History"))
        self.addTab(self.similar, self.tr("Similar"))
        for view in (self.history, self.similar):
            view.setWordWrap(True)
            view.setTextElideMode(Qt.TextElideMode.ElideNone)
            view.setResizeMode(QListWidget.ResizeMode.Adjust)
            view.setAlternatingRowColors(True)
            view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.history.itemSelectionChanged.connect(self._history_chosen)
        self.take_back.clicked.connect(self._undo_entry)
        self.similar.itemActivated.connect(lambda item: self.go_wanted.emit(item.data(Qt.ItemDataRole.UserRole)))
        self.currentChanged.connect(self._fetch)

    def show_row(self, row: MemoryRow) -> None:
        """Show another memory, or another state of this one."""
        if self._row is not None and self._row.id != row.id:
            self._entries = ()
            self.history.clear()
            self.similar.clear()
        self._row = row
        self._fetched.clear()
        self._fill_origin(row)
        self._fetch()

    def _origin_page(self) -> QWidget:
        page = QWidget()
        page.setLayout(self._origin)
        self._origin.setContentsMargins(8, 8, 8, 8)
        self._origin.setVerticalSpacing(4)
        self._origin.setLabelAlignment(Qt.AlignmentFlag.AlignLeading)
        area = QScrollArea(self, widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        area.setAccessibleName(self.tr("Origin"))
        return area

    def _history_page(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.history, 1)
        line = QHBoxLayout()
        line.addStretch()
        line.addWidget(self.take_back)
        layout.addLayout(line)
        return page

    def _fill_origin(self, row: MemoryRow) -> None:
        lines = self._origin_lines(row)
        while self._origin.rowCount() > len(lines):
            self._origin.removeRow(self._origin.rowCount() - 1)
            self._names.pop()
            self._values.pop()
        while self._origin.rowCount() < len(lines):
            value = QLabel(self, wordWrap=True)
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._values.append(value)
            self._names.append(QLabel(self))
            self._origin.addRow(self._names[-1], value)
        for number, (name, text) in enumerate(lines):
            self._names[number].setText(name)
            self._values[number].setText(text)

    def _origin_lines(self, row: MemoryRow) -> list[tuple[str, str]]:
        lines = [
            (self.tr("Written by"), " · ".join(part for part in (row.source_client, row.source_provider) if part)),
            (self.tr("Conversation"), row.session_id or ""),
            (self.tr("How"), row.capture_mode or ""),
            (self.tr("Created"), moment_text(row.created_at)),
            (self.tr("Changed"), moment_text(row.updated_at) if row.updated_at != row.created_at else ""),
            (self.tr("Confirmed"), moment_text(row.last_confirmed_at)),
            (self.tr("Last used"), moment_text(row.last_used_at)),
            (self.tr("Used"), self.tr("%Ln times", "", row.use_count) if row.use_count else ""),
            (self.tr("In the trash since"), moment_text(row.deleted_at)),
            (self.tr("Reason"), row.forget_reason or ""),
            (self.tr("Replaced by"), f"id:{row.replaced_by_id}" if row.replaced_by_id else ""),
            (self.tr("Number"), f"id:{row.id}"),
        ]
        return [(name, text) for name, text in lines if text]

    def _fetch(self) -> None:
        row, name = self._row, ("origin", "history", "similar")[self.currentIndex()]
        if row is None or name == "origin" or (name, row.id) in self._fetched:
            return
        self._fetched.add((name, row.id))
        bridge, memory_id = self._context.bridge, row.id
        if name == "history":
            bridge.call(self, lambda client: client.history(memory_id), self._fill_history, self._fail_history, slot="history")
        else:
            bridge.call(self, lambda client: client.similar(memory_id), self._fill_similar, self._fail_similar, slot="similar")

    def _fill_history(self, entries: tuple[Entry, ...]) -> None:
        self._entries = entries
        self.history.clear()
        for entry in entries:
            self.history.addItem(QListWidgetItem(entry_text(entry)))
        self._history_chosen()

    def _fail_history(self, error: ApiError) -> None:
        self._entries = ()
        self.history.clear()
        self.history.addItem(str(error))

    def _fill_similar(self, found: Sequence[SimilarRow]) -> None:
        self.similar.clear()
        for other in found:
            item = QListWidgetItem(f"{percent(other.similarity)}   {' '.join(other.row.text.split())[:SHORT]}")
            item.setData(Qt.ItemDataRole.UserRole, other.row.id)
            item.setToolTip(self.tr("Open it with a double click"))
            self.similar.addItem(item)
        if not found:
            self._no_similar(self.tr("No other memory says nearly the same."))

    def _fail_similar(self, error: ApiError) -> None:
        self.similar.clear()
        self._no_similar(str(error))

    def _no_similar(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.similar.addItem(item)

    def _history_chosen(self) -> None:
        number = self.history.currentRow()
        chosen = self._entries[number] if self.history.selectedItems() and number < len(self._entries) else None
        self.take_back.setEnabled(chosen is not None and chosen.undone_by is None)

    def _undo_entry(self) -> None:
        entry = self._entries[self.history.currentRow()]
        label = self.tr("Undo an earlier change")
        undo = self._context.undo
        self._context.bridge.call(self, lambda client: client.undo(entry.id), lambda done: undo.remember(done, label), writes=True)


def entry_text(entry: Entry) -> str:
    """When, who, what; below it what changed."""
    who = QCoreApplication.translate("Details", "You") if entry.actor_kind == "person" else entry.actor
    lines = [f"{moment_text(entry.at)} · {who} · {_deed(entry)}"]
    for change in entry.changes[:1]:
        lines += _differences(change.before, change.after)
    return "\n".join(lines)


def _deed(entry: Entry) -> str:
    translate = QCoreApplication.translate
    deeds = {
        "add": translate("Details", "added"),
        "remember": translate("Details", "remembered"),
        "remember_batch": translate("Details", "remembered"),
        "edit": translate("Details", "changed"),
        "update_memory": translate("Details", "changed"),
        "replace": translate("Details", "found and replaced"),
        "confirm": translate("Details", "confirmed"),
        "trash": translate("Details", "moved to trash"),
        "forget": translate("Details", "forgotten"),
        "forget_batch": translate("Details", "forgotten"),
        "restore": translate("Details", "restored"),
        "merge": translate("Details", "merged"),
    }
    deed = translate("Details", "undone") if entry.undoes is not None else deeds.get(entry.tool, entry.tool)
    return deed if entry.undone_by is None else translate("Details", "%1 (taken back)").replace("%1", deed)


def _differences(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[str]:
    """Lines "name: old → new" for what a person reads; of a new memory its text alone."""
    translate = QCoreApplication.translate
    if before is None or after is None:
        return [_value((after or before or {}).get("text"))]
    names = {
        "text": translate("Details", "Text"),
        "tags": translate("Details", "Tags"),
        "importance": translate("Details", "Importance"),
        "expires_at": translate("Details", "Expires"),
    }
    lines = [
        f"{name}: {_value(before.get(key))} → {_value(after.get(key))}" for key, name in names.items() if before.get(key) != after.get(key)
    ]
    if before.get("keep") != after.get("keep"):
        lines.append(translate("Details", "Locked") if after.get("keep") == "Y" else translate("Details", "Unlocked"))
    return lines


def _value(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    if isinstance(value, float):
        return QLocale().toString(value, "f", 2)
    return " ".join(str(value).split())[:SHORT]
