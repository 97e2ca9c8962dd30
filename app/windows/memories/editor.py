"""The editor follows the selection: one memory with all its fields, several with what they have in common, none with a hint.

A field is saved when it is left. A text that somebody else changed meanwhile is never overwritten without a question.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.client import ApiError, Changes, ConflictError, MemoryRow, Scope
from app.context import Context
from app.widgets.naming import named
from app.widgets.tag_editor import TagEditor
from app.windows.memories.bulk import BulkPanel
from app.windows.memories.details import Details
from app.windows.memories.fields import ExpiryField, ImportanceField
from app.windows.memories.operations import Chosen, Operations

MOST_COMPARED = 1000  # selected memories whose common values are looked up


class Editor(QStackedWidget):
    """Shows what is selected."""

    go_wanted = Signal(int)

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._ids: tuple[int, ...] = ()
        self.hint = QLabel(self.tr("Choose a memory to see and change it."), self, wordWrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setEnabled(False)
        self.one = MemoryEditor(context, operations, self)
        self.many = BulkPanel(context, operations, self)
        for page in (self.hint, self.one, self.many):
            self.addWidget(page)
        self.one.details.go_wanted.connect(self.go_wanted)

    def show_ids(self, ids: tuple[int, ...], chosen: Chosen) -> None:
        """The selection, or the same one again after a change."""
        if ids != self._ids:
            self.one.save()
        self._ids = ids
        if not ids:
            self.setCurrentWidget(self.hint)
            return
        self.many.chosen = chosen
        bridge, looked_at = self._context.bridge, ids[:MOST_COMPARED]
        bridge.call(self, lambda client: client.rows(looked_at), self._take, slot="rows")

    def _take(self, rows: tuple[MemoryRow, ...]) -> None:
        if len(self._ids) == 1 and rows:
            self.one.show_row(rows[0])
            self.setCurrentWidget(self.one)
        elif rows:
            self.many.show_rows(rows, complete=len(rows) == len(self._ids))
            self.setCurrentWidget(self.many)
        else:
            self.setCurrentWidget(self.hint)


class MemoryEditor(QWidget):
    """One memory."""

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._operations = operations
        self._row: MemoryRow | None = None
        self._saving = False
        self.text = named(QPlainTextEdit(self, tabChangesFocus=True), self.tr("Text of the memory"))
        self.tags = TagEditor(context.theme, self)
        self.importance = ImportanceField(self)
        self.expiry = ExpiryField(self)
        self.details = Details(context, self)
        self.state = QLabel(self)
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setWordWrap(True)
        self.lock = QToolButton(self, autoRaise=True)
        self.lock.setCheckable(True)
        self.confirm = QToolButton(self, autoRaise=True)
        self.confirm.setText(self.tr("Confirm"))
        self.confirm.setToolTip(self.tr("It is still true: sets the date of confirmation to now"))
        self.confirm.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.lock.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.lock.setToolTip(self.tr("Assistants cannot change, expire or forget a locked memory"))
        context.theme.bind(self.confirm, "check-check")
        self._show_lock(False)
        self._build()
        self._connect()

    def show_row(self, row: MemoryRow) -> None:
        """Show a memory. What the person has typed and not yet saved stays."""
        other = self._row is None or row.id != self._row.id
        typing = not other and self._edited()
        if typing and self._row is not None and row.text != self._row.text:
            return  # the typed text is based on the older one; saving it asks which shall stay
        self._row = row
        if not typing and self.text.toPlainText() != row.text:
            self.text.setPlainText(row.text)
        if other:
            self.state.clear()
        self.tags.suggest(self._context.overview.tags)
        self.tags.show_tags(row.tags)
        if other or not (self.importance.pending or self.importance.slider.isSliderDown()):
            self.importance.show_value(row.importance)
        self.expiry.show_value(row.expires_at)
        self._show_lock(row.keep == "Y")
        self.details.show_row(row)

    def save(self) -> None:
        """Write what the person has changed."""
        self.importance.flush()
        row, text = self._row, self.text.toPlainText()
        if row is None or not self._edited() or self._saving:
            return
        if not text.strip():
            self._say(self.tr("Not saved: a memory needs a text. Press Esc to get the old one back, or move it to the trash."))
            return
        self._saving = True
        self._say(self.tr("Saving…"))
        self._operations.write(
            row.id, Changes(text=text), row.version, lambda _done: self._fetch_saved(row.id), self._refused, self._conflict
        )

    def take_back(self) -> None:
        """Show the text as it is stored."""
        if self._row is not None:
            self.text.setPlainText(self._row.text)
            self.state.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leaving the text saves it."""
        if watched is self.text and event.type() == QEvent.Type.FocusOut:
            self.save()
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.state, 1)
        line.addWidget(self.confirm)
        line.addWidget(self.lock)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        form.addRow(self.tr("Tags"), self.tags)
        form.addRow(self.tr("Importance"), self.importance)
        form.addRow(self.tr("Expires"), self.expiry)
        upper = QWidget(self)
        box = QVBoxLayout(upper)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(line)
        box.addWidget(self.text, 1)
        box.addLayout(form)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(upper)
        splitter.addWidget(self.details)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(splitter)

    def _connect(self) -> None:
        self.text.installEventFilter(self)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self.text, self.save, context=Qt.ShortcutContext.WidgetShortcut)
        QShortcut(QKeySequence("Esc"), self.text, self.take_back, context=Qt.ShortcutContext.WidgetShortcut)
        self.tags.edited.connect(lambda added, removed: self._change(Changes(add_tags=tuple(added), remove_tags=tuple(removed))))
        self.importance.edited.connect(lambda value: self._change(Changes(importance=value)))
        self.expiry.edited.connect(lambda moment: self._change(Changes(expires_at=moment)))
        self.lock.clicked.connect(self._switch_lock)
        self.confirm.clicked.connect(self._confirm)

    def _edited(self) -> bool:
        return self._row is not None and self.text.document().isModified() and self.text.toPlainText() != self._row.text

    def _chosen(self, row: MemoryRow) -> Chosen:
        return Chosen(Scope(ids=(row.id,)), 1)

    def _change(self, changes: Changes) -> None:
        if self._row is not None:
            self._operations.change(self._chosen(self._row), changes, quiet=True)

    def _confirm(self) -> None:
        if self._row is not None:
            self._operations.confirm(self._chosen(self._row))

    def _switch_lock(self, locked: bool) -> None:
        self._show_lock(locked)
        if self._row is not None:
            self._operations.lock(self._chosen(self._row), locked)

    def _show_lock(self, locked: bool) -> None:
        self.lock.setChecked(locked)
        self.lock.setText(self.tr("Locked") if locked else self.tr("Lock"))
        self._context.theme.bind(self.lock, "lock" if locked else "lock-open")

    def _fetch_saved(self, memory_id: int) -> None:
        """What is stored now, with the version that the next change starts from. The person may be typing on."""

        def take(rows: tuple[MemoryRow, ...]) -> None:
            self._saving = False
            if rows and self._row is not None and self._row.id == memory_id:
                self._row = rows[0]
                self._say(self.tr("Saved"))

        self._context.bridge.call(self, lambda client: client.rows([memory_id]), take, self._refused, slot="saved")

    def _refused(self, error: ApiError) -> None:
        self._saving = False
        self._say(self.tr("Not saved: %1").replace("%1", str(error)))

    def _conflict(self, error: ConflictError) -> None:
        self._saving = False
        current = error.found.current
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Changed meanwhile"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("This memory was changed while you edited it. Which text shall stay?"))
        box.setInformativeText(self.tr("It now says: %1").replace("%1", " ".join(current.text.split())[:600]))
        mine = box.addButton(self.tr("Mine"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("The other one"), QMessageBox.ButtonRole.RejectRole)
        box.exec()
        typed = self.text.toPlainText()
        self._row = current
        if box.clickedButton() is mine:
            self.text.setPlainText(typed)
            self.text.document().setModified(True)
            self.save()
        else:
            self.text.setPlainText(current.text)
            self.state.clear()

    def _say(self, text: str) -> None:
        self.state.setText(text)
