"""Dialogs of the page: a new memory, tags for many, deleting for good, keeping a search."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.client import ApiError, Done, NewMemory
from app.context import Context
from app.widgets.naming import named
from app.widgets.tag_editor import TagEditor
from app.windows.memories.fields import ExpiryField, ImportanceField
from app.windows.memories.operations import Operations

TYPED_FROM = 20  # deleting so many for good needs their number typed


def _buttons(dialog: QDialog, words: str) -> QDialogButtonBox:
    """Cancel, and a button that says what it does."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel | QDialogButtonBox.StandardButton.Ok, dialog)
    box.button(QDialogButtonBox.StandardButton.Ok).setText(words)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


class AddDialog(QDialog):
    """Remember something by hand. It stays open until the server has it."""

    def __init__(self, context: Context, operations: Operations, added: Callable[[Done], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._added = added
        self.setWindowTitle(self.tr("Add a memory"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = named(QPlainTextEdit(self, tabChangesFocus=True), self.tr("Text of the memory"))
        self.text.setPlaceholderText(self.tr("One fact, in a full sentence: it is found by its words and by its meaning."))
        self.tags = TagEditor(context.theme, self)
        self.tags.suggest(context.overview.tags)
        self.importance = ImportanceField(self)
        self.importance.show_value(0.5)
        self.expiry = ExpiryField(self)
        self.problem = QLabel(self, wordWrap=True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.hide()
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.tr("Tags"), self.tags)
        form.addRow(self.tr("Importance"), self.importance)
        form.addRow(self.tr("Expires"), self.expiry)
        self.box = _buttons(self, self.tr("Add"))
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(self.text, 1)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addWidget(self.box)
        self.resize(520, 360)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self.accept)
        self.text.textChanged.connect(self._judge)
        self._judge()

    def accept(self) -> None:
        """Send it."""
        if not self.text.toPlainText().strip():
            return
        self.tags.commit()
        importance = self.importance.slider.value() / 100
        memory = NewMemory(text=self.text.toPlainText(), tags=tuple(self.tags.tags), importance=importance, expires_at=self.expiry.value())
        self.setEnabled(False)
        self._operations.add(memory, self._done, self._failed)

    def _judge(self) -> None:
        self.box.button(QDialogButtonBox.StandardButton.Ok).setEnabled(bool(self.text.toPlainText().strip()))

    def _done(self, done: Done) -> None:
        super().accept()
        self._added(done)

    def _failed(self, error: ApiError) -> None:
        self.setEnabled(True)
        self.problem.setText(str(error))
        self.problem.show()


class TagsDialog(QDialog):
    """Tags to add to, or to take away from, what is chosen."""

    def __init__(self, context: Context, count: int, parent: QWidget | None = None, *, adding: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Add tags") if adding else self.tr("Take tags away"))
        words = self.tr("Tags for %Ln memories:", "", count) if adding else self.tr("Tags to take away from %Ln memories:", "", count)
        self.tags = TagEditor(context.theme, self)
        self.tags.suggest(context.overview.tags)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(QLabel(words, self, wordWrap=True))
        layout.addWidget(self.tags)
        layout.addStretch()
        layout.addWidget(_buttons(self, self.tr("Change %Ln memories", "", count)))
        self.resize(420, 160)
        self.tags.setFocus()

    def accept(self) -> None:
        """What is still typed counts too."""
        self.tags.commit()
        super().accept()


class EraseDialog(QDialog):
    """Deleting for good names the number, and for many wants it typed."""

    def __init__(self, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wanted = QLocale().toString(count)
        self._plain = str(count)
        self.setWindowTitle(self.tr("Delete for good"))
        text = QLabel(self.tr("Delete %Ln memories for good?", "", count), self, wordWrap=True)
        font = text.font()
        font.setBold(True)
        text.setFont(font)
        more = QLabel(
            self.tr("This cannot be undone. Their texts also vanish from the journal. Backups that were made before still hold them."), self
        )
        more.setWordWrap(True)
        self.box = _buttons(self, self.tr("Delete %Ln memories", "", count))
        self.box.button(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        self.input = QLineEdit(self)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(text)
        layout.addWidget(more)
        ask = QLabel(self.tr("Type the number %1 to go on:").replace("%1", self._wanted), self, wordWrap=True)
        self.input.setAccessibleName(ask.text())
        layout.addWidget(ask)
        layout.addWidget(self.input)
        layout.addWidget(self.box)
        typed = count >= TYPED_FROM
        ask.setVisible(typed)
        self.input.setVisible(typed)
        self.box.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not typed)
        self.input.textChanged.connect(self._judge)
        self.setMinimumWidth(440)

    def _judge(self, text: str) -> None:
        right = text.strip() in (self._wanted, self._plain)
        self.box.button(QDialogButtonBox.StandardButton.Ok).setEnabled(right)


class SaveSearchDialog(QDialog):
    """A name for the query."""

    def __init__(self, query: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keep this search"))
        self.name = named(QLineEdit(self, maxLength=100), self.tr("Name"))
        self.name.setText(query[:100])
        self.name.selectAll()
        shown = QLabel(query, self, wordWrap=True)
        shown.setTextFormat(Qt.TextFormat.PlainText)
        shown.setEnabled(False)
        self.box = _buttons(self, self.tr("Keep"))
        form = QFormLayout()
        form.addRow(self.tr("Name"), self.name)
        form.addRow(self.tr("Search"), shown)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addLayout(form)
        layout.addWidget(self.box)
        self.setMinimumWidth(420)
        self.name.textChanged.connect(lambda text: self.box.button(QDialogButtonBox.StandardButton.Ok).setEnabled(bool(text.strip())))
