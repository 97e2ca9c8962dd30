"""The cheat sheet: every shortcut that the menus show, the keys of the sidebar, and the language of the search box."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.widgets.naming import named

Section = tuple[str, Sequence[tuple[str, str]]]  # a heading; lines of words and keys


class ShortcutsDialog(QDialog):
    """A list to read."""

    def __init__(self, sections: Sequence[Section], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard and search"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.tree = named(QTreeWidget(self, columnCount=2), self.tr("Keyboard and search"))
        self.tree.setHeaderLabels([self.tr("What it does"), self.tr("Keys")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        for heading, lines in sections:
            top = QTreeWidgetItem(self.tree, [heading])
            font = top.font(0)
            font.setBold(True)
            top.setFont(0, font)
            for words, keys in lines:
                QTreeWidgetItem(top, [words, keys])
            top.setExpanded(True)
        self.tree.setColumnWidth(0, 360)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tree)
        layout.addWidget(box)
        self.resize(640, 600)


def section_of(heading: str, actions: Sequence[QAction]) -> Section:
    """The lines of a menu that have keys."""
    native = QKeySequence.SequenceFormat.NativeText
    lines = [(action.iconText().rstrip("…"), action.shortcut().toString(native)) for action in actions if not action.shortcut().isEmpty()]
    return heading.replace("&", ""), lines


def fixed_sections() -> list[Section]:
    """What no menu shows."""

    def keys(text: str) -> str:
        return QKeySequence(text).toString(QKeySequence.SequenceFormat.NativeText)

    translate = QCoreApplication.translate
    return [
        (
            translate("ShortcutsDialog", "Editor and sidebar"),
            [
                (translate("ShortcutsDialog", "Save the text"), keys("Ctrl+Return")),
                (translate("ShortcutsDialog", "Get the stored text back"), keys("Esc")),
                (translate("ShortcutsDialog", "Add a line of the sidebar to the search"), translate("ShortcutsDialog", "Ctrl+click")),
                (translate("ShortcutsDialog", "Either this line or the last term"), translate("ShortcutsDialog", "Shift+click")),
                (translate("ShortcutsDialog", "Leave out what a line shows"), translate("ShortcutsDialog", "Alt+click")),
            ],
        ),
        (
            translate("ShortcutsDialog", "In the search box"),
            [
                (translate("ShortcutsDialog", "Both words, each at the beginning of a word"), "coffee morn"),
                (translate("ShortcutsDialog", "These words in a row"), '"black coffee"'),
                (
                    translate("ShortcutsDialog", "A tag, a source, a program, a conversation"),
                    "tag:work source:claude client:editor session:monday",
                ),
                (translate("ShortcutsDialog", "A state"), "is:trash is:archived is:expired is:locked is:untagged is:conflict"),
                (translate("ShortcutsDialog", "A time"), "before:2026-10 after:2026-10-31 confirmed-before:2026-01"),
                (translate("ShortcutsDialog", "Importance, a number"), "importance:>0.7 id:5"),
                (translate("ShortcutsDialog", "Not this; one of the two"), "-tag:old tag:tea OR tag:coffee"),
            ],
        ),
    ]
