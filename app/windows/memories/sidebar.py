"""The sidebar: a click filters, Ctrl+click adds, Shift+click takes either, Alt+click leaves out."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from app.models.query import Join
from app.models.sidebar import COUNT_ROLE, ICON_ROLE, KEY_ROLE, Leaf, SidebarTree
from app.theme import Theme

AnyIndex = QModelIndex | QPersistentModelIndex


class SidebarDelegate(QStyledItemDelegate):
    """An icon before the name, the count at the far side."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Lines with some air."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), option.fontMetrics.height() + 10))

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Icons by their names; headings in bold."""
        super().initStyleOption(option, index)
        if name := index.data(ICON_ROLE):
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.icon = self._theme.icon(name)
            option.decorationSize = QSize(16, 16)
        else:
            option.font.setBold(True)
            option.palette.setColor(option.palette.ColorRole.Text, self._theme.colour("faint"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Leave room for the count, then draw it."""
        count = index.data(COUNT_ROLE)
        if not count:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        width = option.fontMetrics.horizontalAdvance(count) + 8
        room = max(option.rect.width() - width - 24, 20)
        option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)
        option.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setPen(self._theme.colour("on_accent" if selected else "faint"))
        rect: QRect = option.rect.adjusted(4, 0, -6, 0)
        side = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, QStyle.visualAlignment(option.direction, side), count)


class SidebarView(QTreeView):
    """`chosen`: a leaf, and how it meets the query."""

    chosen = Signal(object, object)  # Leaf, Join
    forget_wanted = Signal(object)  # Leaf of a kept search

    def __init__(self, tree: SidebarTree, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self._closed: set[str] = {"sessions"}
        self.setAccessibleName(self.tr("Sidebar"))
        self.setToolTip("")
        self.setModel(tree)
        self.setItemDelegate(SidebarDelegate(theme, self))
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setRootIsDecorated(True)
        self.setUniformRowHeights(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setExpandsOnDoubleClick(False)
        self.collapsed.connect(lambda index: self._closed.add(index.data(KEY_ROLE)))
        self.expanded.connect(lambda index: self._closed.discard(index.data(KEY_ROLE)))
        tree.modelReset.connect(self._unfold)
        self.activated.connect(lambda index: self._choose(index, Join.REPLACE))

    def mark(self, query: str) -> None:
        """Show the line that the query is, if there is one."""
        self.selectionModel().clearSelection()
        for number in range(self._tree.rowCount()):
            parent = self._tree.index(number, 0)
            for place in range(self._tree.rowCount(parent)):
                index = self._tree.index(place, 0, parent)
                leaf = self._tree.leaf(index)
                if leaf and leaf.query == query.strip():
                    self.setCurrentIndex(index)
                    return

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The modifiers say how the line meets the query."""
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose(self.indexAt(event.position().toPoint()), join_of(event.modifiers()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is a click, with the same modifiers."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self.currentIndex(), join_of(event.modifiers()))
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The ways to filter in words, and forgetting a kept search."""
        leaf = self._tree.leaf(self.indexAt(event.pos()))
        if leaf is not None:
            self.menu(leaf).exec(event.globalPos())

    def menu(self, leaf: Leaf) -> QMenu:
        """What can be done with a line."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        choices = [(self.tr("Show"), Join.REPLACE)]
        if not leaf.whole:
            choices += [
                (self.tr("Add to the search (Ctrl+click)"), Join.ADD),
                (self.tr("Either this or the last term (Shift+click)"), Join.EITHER),
                (self.tr("Leave out (Alt+click)"), Join.WITHOUT),
            ]
        for words, how in choices:
            menu.addAction(words).triggered.connect(lambda _checked=False, how=how: self.chosen.emit(leaf, how))
        if leaf.saved is not None:
            menu.addSeparator()
            menu.addAction(self.tr("Forget this search")).triggered.connect(lambda: self.forget_wanted.emit(leaf))
        return menu

    def _choose(self, index: AnyIndex, how: Join) -> None:
        leaf = self._tree.leaf(index)
        if leaf is not None:
            self.chosen.emit(leaf, Join.REPLACE if leaf.whole else how)

    def _unfold(self) -> None:
        for number in range(self._tree.rowCount()):
            index = self._tree.index(number, 0)
            self.setExpanded(index, index.data(KEY_ROLE) not in self._closed)


def join_of(modifiers: Qt.KeyboardModifier) -> Join:
    """How a click with these keys held meets the query."""
    if modifiers & Qt.KeyboardModifier.AltModifier:
        return Join.WITHOUT
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return Join.EITHER
    return Join.ADD if modifiers & Qt.KeyboardModifier.ControlModifier else Join.REPLACE
