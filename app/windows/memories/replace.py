"""Find and replace over many memories, with a look at what would change before it does."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from app.client import ApiError, Replacement, ReplaceWanted
from app.context import Context
from app.widgets.naming import named
from app.windows.memories.operations import Chosen, Operations

TYPING_MS = 250


class ReplaceDialog(QDialog):
    """On what is selected, or on all that the search means."""

    def __init__(
        self, context: Context, operations: Operations, selected: Chosen | None, everything: Chosen, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._operations = operations
        self._scopes = ([selected] if selected else []) + [everything]
        self.setWindowTitle(self.tr("Find and replace"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        settings = context.settings
        self.sought = named(QLineEdit(str(settings.value("replace/find", "")), self), self.tr("Find"))
        self.replacement = named(QLineEdit(str(settings.value("replace/with", "")), self), self.tr("Replace with"))
        self.field = named(QComboBox(self), self.tr("In"))
        self.field.addItem(self.tr("Texts"), "text")
        self.field.addItem(self.tr("Tags"), "tags")
        self.scope = named(QComboBox(self), self.tr("Where"))
        if selected:
            self.scope.addItem(self.tr("%Ln chosen memories", "", selected.count))
        self.scope.addItem(self.tr("all %Ln found memories", "", everything.count))
        self.regex = QCheckBox(self.tr("Regular expression"), self)
        self.case = QCheckBox(self.tr("Match capitals"), self)
        self.preview = named(QListWidget(self), self.tr("What would change"))
        self.preview.setWordWrap(True)
        self.state = QLabel(self)
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel | QDialogButtonBox.StandardButton.Ok, self)
        self._ok = self.box.button(QDialogButtonBox.StandardButton.Ok)
        self._timer = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._timer.timeout.connect(self._look)
        self._build()
        self._say("", 0)
        self._timer.start()

    def accept(self) -> None:
        """Do it."""
        wanted = self._wanted(dry_run=False)
        self._context.settings.setValue("replace/find", self.sought.text())
        self._context.settings.setValue("replace/with", self.replacement.text())
        self.setEnabled(False)
        self._context.bridge.call(self, lambda client: client.replace(wanted), self._done, self._failed, writes=True)

    def _build(self) -> None:
        form = QFormLayout()
        for words, widget in (
            (self.tr("Find"), self.sought),
            (self.tr("Replace with"), self.replacement),
            (self.tr("In"), self.field),
            (self.tr("Where"), self.scope),
            ("", self.regex),
            ("", self.case),
        ):
            form.addRow(words, widget)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addLayout(form)
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.state)
        layout.addWidget(self.box)
        self.resize(600, 480)
        self.box.accepted.connect(self.accept)
        self.box.rejected.connect(self.reject)
        for line in (self.sought, self.replacement):
            line.textChanged.connect(self._again)
        for choice in (self.field, self.scope):
            choice.currentIndexChanged.connect(self._again)
        for check in (self.regex, self.case):
            check.toggled.connect(self._again)

    def _again(self) -> None:
        self._ok.setEnabled(False)
        self._timer.start()

    def _wanted(self, *, dry_run: bool) -> ReplaceWanted:
        field: Literal["text", "tags"] = "tags" if self.field.currentData() == "tags" else "text"
        return ReplaceWanted(
            scope=self._scopes[self.scope.currentIndex()].scope,
            find=self.sought.text(),
            replace=self.replacement.text(),
            regex=self.regex.isChecked(),
            case=self.case.isChecked(),
            field=field,
            dry_run=dry_run,
        )

    def _look(self) -> None:
        if not self.sought.text():
            self.preview.clear()
            self._say("", 0)
            return
        wanted = self._wanted(dry_run=True)
        self._context.bridge.call(self, lambda client: client.replace(wanted), self._show, self._failed, slot="look")

    def _show(self, found: Replacement) -> None:
        self.preview.clear()
        for sample in found.samples:
            self.preview.addItem(f"− {sample.before}\n+ {sample.after}")
        self._say(self.tr("%Ln memories would change.", "", found.count), found.count)

    def _done(self, found: Replacement) -> None:
        super().accept()
        if found.done:
            self._operations.took(found.done, self.tr("Find and replace"), self.tr("%Ln memories changed.", "", found.done.count))

    def _failed(self, error: ApiError) -> None:
        self.setEnabled(True)
        self.preview.clear()
        self._say(str(error), 0)

    def _say(self, text: str, count: int) -> None:
        self.state.setText(text)
        self._ok.setText(self.tr("Replace in %Ln memories", "", count) if count else self.tr("Replace"))
        self._ok.setEnabled(count > 0)
