"""No control without a name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QCalendarWidget,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QWidget,
)

from app.client import Scope
from app.windows.memories.dialogs import AddDialog, EraseDialog, SaveSearchDialog, TagsDialog
from app.windows.memories.operations import Chosen
from app.windows.memories.replace import ReplaceDialog
from tests.ui.support import Shown

CONTROLS = (QAbstractButton, QAbstractItemView, QSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)


def nameless(top: QWidget) -> list[str]:
    """Controls that say nothing to those who hear the window."""
    found = []
    for widget in top.findChildren(QWidget):
        if not isinstance(widget, CONTROLS) or widget.isHidden() or _inside_qt(widget):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if not interface.text(QAccessible.Text.Name).strip():
            found.append(f"{type(widget).__name__} {widget.objectName()} in {type(widget.parentWidget()).__name__}")
    return found


def _inside_qt(widget: QWidget) -> bool:
    """Made by Qt inside a control of ours, which has the name."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QComboBox | QAbstractSpinBox | QCalendarWidget | QAbstractItemView):
            return True
        parent = parent.parentWidget()
    return isinstance(widget, QCalendarWidget) or widget.objectName().startswith("qt_")


def test_the_window_has_a_name_for_everything(show: Callable[[], Shown]) -> None:
    """With every page of the editor."""
    shown = show()
    found = nameless(shown.application.window)
    assert not found, found


def test_dialogs_have_a_name_for_everything(show: Callable[[], Shown]) -> None:
    """All of the page."""
    shown = show()
    context, page = shown.application.context, shown.page
    chosen = Chosen(Scope(query=""), 30)
    dialogs: list[QWidget] = [
        AddDialog(context, page.operations, lambda _done: None, page),
        TagsDialog(context, 3, page, adding=True),
        EraseDialog(30, page),
        SaveSearchDialog("tag:a", page),
        ReplaceDialog(context, page.operations, chosen, chosen, page),
    ]
    for dialog in dialogs:
        assert not nameless(dialog), (type(dialog).__name__, nameless(dialog))
        dialog.deleteLater()
    shown.application.window.show_shortcuts()
    sheet = next(widget for widget in QApplication.topLevelWidgets() if type(widget).__name__ == "ShortcutsDialog")
    assert nameless(sheet) == []
