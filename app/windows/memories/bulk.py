"""Several memories at once: what they have in common, "(several)" where they differ, and changes for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.client import Changes, MemoryRow, Scope
from app.context import Context
from app.widgets.tag_editor import TagEditor
from app.windows.memories.fields import ExpiryField, ImportanceField
from app.windows.memories.operations import Chosen, Operations


class BulkPanel(QWidget):
    """Changes are made with the button, for they meet many; each is one undo step."""

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._operations = operations
        self.chosen = Chosen(Scope(ids=()), 0)
        self.title = QLabel(self, wordWrap=True)
        self.common = QLabel(self, wordWrap=True)
        self.common.setTextFormat(Qt.TextFormat.PlainText)
        self.add_tags = TagEditor(context.theme, self)
        self.remove_tags = TagEditor(context.theme, self)
        self.remove_tags.input.setPlaceholderText(self.tr("Take a tag away"))
        self.remove_tags.input.setAccessibleName(self.tr("Take a tag away"))
        self.importance = ImportanceField(self)
        self.expiry = ExpiryField(self)
        self.apply = QPushButton(self)
        self.apply.setText(self.tr("Change %Ln memories", "", 0))
        self.apply.setEnabled(False)
        self._importance: float | None = None
        self._expiry_set = False
        self._build()
        self.add_tags.edited.connect(self._changed)
        self.remove_tags.edited.connect(self._changed)
        self.importance.edited.connect(self._importance_set)
        self.expiry.edited.connect(self._expiry_edited)
        self.apply.clicked.connect(self._apply)

    def show_rows(self, rows: Sequence[MemoryRow], *, complete: bool) -> None:
        """What is selected now; `rows` may be the first of many."""
        self.title.setText(self.tr("%Ln memories chosen", "", self.chosen.count))
        self.apply.setText(self.tr("Change %Ln memories", "", self.chosen.count))
        common = set(rows[0].tags).intersection(*(row.tags for row in rows[1:]))
        several = self.tr("(several)")
        tags = ", ".join(sorted(common)) or self.tr("none")
        if any(set(row.tags) != common for row in rows):
            tags = self.tr("%1 and %2").replace("%1", tags).replace("%2", several) if common else several
        sources = {row.source_client or row.source_provider or "–" for row in rows}
        source = next(iter(sources)) if len(sources) == 1 else several
        text = self.tr("Tags: %1\nSource: %2").replace("%1", tags).replace("%2", source)
        if not complete:
            first = QLocale().toString(len(rows))
            text += "\n" + self.tr("(of the first %1)").replace("%1", first)
        self.common.setText(text)
        known = self._context.overview.tags
        self.add_tags.suggest(known)
        self.remove_tags.suggest({tag for row in rows for tag in row.tags})
        if not self.apply.isEnabled():
            importances = {row.importance for row in rows}
            self.importance.show_value(importances.pop() if len(importances) == 1 else None)

    def _build(self) -> None:
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.tr("Add tags"), self.add_tags)
        form.addRow(self.tr("Take tags away"), self.remove_tags)
        form.addRow(self.tr("Importance"), self.importance)
        form.addRow(self.tr("Expires"), self.expiry)
        line = QHBoxLayout()
        line.addStretch()
        line.addWidget(self.apply)
        hint = QLabel(self.tr("What you do not touch stays as it is in each memory."), self, wordWrap=True)
        hint.setEnabled(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(10)
        layout.addWidget(self.title)
        layout.addWidget(self.common)
        layout.addLayout(form)
        layout.addWidget(hint)
        layout.addLayout(line)
        layout.addStretch()

    def _importance_set(self, value: float) -> None:
        self._importance = value
        self._changed()

    def _expiry_edited(self) -> None:
        self._expiry_set = True
        self._changed()

    def _changed(self) -> None:
        self.apply.setEnabled(bool(self.add_tags.tags or self.remove_tags.tags or self._importance is not None or self._expiry_set))

    def _apply(self) -> None:
        self.importance.flush()
        changes: dict[str, object] = {}
        if self.add_tags.tags:
            changes["add_tags"] = tuple(self.add_tags.tags)
        if self.remove_tags.tags:
            changes["remove_tags"] = tuple(self.remove_tags.tags)
        if self._importance is not None:
            changes["importance"] = self._importance
        if self._expiry_set:
            changes["expires_at"] = self.expiry.value()
        self._operations.change(self.chosen, Changes.model_validate(changes))
        self.add_tags.show_tags([])
        self.remove_tags.show_tags([])
        self.expiry.show_value(None)
        self._importance, self._expiry_set = None, False
        self._changed()
