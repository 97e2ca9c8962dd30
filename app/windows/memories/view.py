"""The table on screen: fixed row heights, a header that never asks the selection, and a selection that survives every refresh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.client import MemoryRow
from app.models.memory_table import ROW_ROLE, SORT_KEYS, Column, MemoryTable, column_name
from app.theme import Theme

WIDTHS = {
    Column.TEXT: 320, Column.TAGS: 140, Column.IMPORTANCE: 92, Column.CREATED: 92, Column.UPDATED: 92, Column.CONFIRMED: 92,
    Column.EXPIRES: 92, Column.SOURCE: 110, Column.SALIENCE: 92, Column.USES: 64,
}  # fmt: skip
HIDDEN = (Column.UPDATED, Column.CONFIRMED, Column.EXPIRES, Column.SOURCE, Column.SALIENCE, Column.USES)
MARK = 14  # pixels of the lock


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a refresh must not lose."""

    selected: frozenset[int]
    current: int | None
    current_row: int
    top: int | None
    top_row: int


class MemoryDelegate(QStyledItemDelegate):
    """Tags as chips, a lock before what is locked, fainter text for what is gone or expired."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """The lock and the fainter text."""
        super().initStyleOption(option, index)
        row = index.data(ROW_ROLE)
        if not isinstance(row, MemoryRow):
            option.palette.setColor(option.palette.ColorRole.Text, self._theme.colour("faint"))
            return
        if row.deleted_at is not None:
            option.palette.setColor(option.palette.ColorRole.Text, self._theme.colour("faint"))
        if row.keep == "Y" and index.column() == Column.TEXT:
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.icon = self._theme.icon("lock")
            option.decorationSize = QSize(MARK, MARK)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Chips in the column of tags, all else as usual."""
        row = index.data(ROW_ROLE) if index.column() == Column.TAGS else None
        if not isinstance(row, MemoryRow) or not row.tags:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        self._chips(painter, option, row.tags)

    def _chips(self, painter: QPainter, option: QStyleOptionViewItem, tags: Sequence[str]) -> None:
        metrics = QFontMetrics(option.font)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        ground = QColor(255, 255, 255, 46) if selected else self._theme.colour("chip")
        ink = self._theme.colour("on_accent" if selected else "text")
        area: QRect = option.rect.adjusted(4, 0, -4, 0)
        height = metrics.height() + 2
        mirrored = option.direction is Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(option.rect)
        used = 0
        for tag in tags:
            room = area.width() - used
            if room < 40:
                break
            text = metrics.elidedText(tag, Qt.TextElideMode.ElideRight, max(room - 12, 0))
            width = metrics.horizontalAdvance(text) + 12
            x = area.right() - used - width if mirrored else area.left() + used
            chip = QRect(x, area.center().y() - height // 2, width, height)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(chip, height / 2, height / 2)
            painter.setPen(ink)
            painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)
            used += width + 4
        painter.restore()


class MemoryView(QTableView):
    """Rows of a `MemoryTable`."""

    selected = Signal()
    typed = Signal(str)  # a letter was typed: searching begins
    menu_wanted = Signal(object)  # a global position

    def __init__(self, table: MemoryTable, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._kept: _Kept | None = None
        self.setAccessibleName(self.tr("Memories"))
        self.setModel(table)
        # Asked whether all is selected, a header that shares the selection asks for each row and column: seconds at 100,000 rows.
        self.horizontalHeader().setSelectionModel(QItemSelectionModel(table, self.horizontalHeader()))
        self.setItemDelegate(MemoryDelegate(theme, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self._set_up_headers()
        table.modelAboutToBeReset.connect(self._keep)
        table.modelReset.connect(self._restore)
        self.selectionModel().selectionChanged.connect(self._selection_changed)

    def selected_ids(self) -> list[int]:
        """Ids of the selected rows, in their order."""
        ids = self._table.ids
        ranges = sorted((found.top(), found.bottom()) for found in self._ranges())
        return [memory_id for top, bottom in ranges for memory_id in ids[top : bottom + 1]]

    def selected_count(self) -> int:
        """How many rows are selected."""
        return sum(found.height() for found in self._ranges())

    def select_ids(self, ids: Iterable[int]) -> None:
        """Select exactly these, where they are shown."""
        places = sorted(place for memory_id in ids if (place := self._table.place(memory_id)) is not None)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().select(self._selection(places), flags)

    def go_to(self, memory_id: int) -> None:
        """Make one the selected and current row."""
        if (place := self._table.place(memory_id)) is not None:
            # Not selectRow: right to left it wants the last column, and does nothing where that one is hidden.
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self._table.index(place, Column.TEXT), flags)
            self.scrollTo(self._table.index(place, Column.TEXT))

    def invert(self) -> None:
        """Select what is not selected."""
        chosen = set(self.selected_ids())
        self.select_ids(memory_id for memory_id in self._table.ids if memory_id not in chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A letter begins a search; all else as usual."""
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and event.text().strip() and event.text().isprintable():
            self.typed.emit(event.text())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of what is selected."""
        self.menu_wanted.emit(event.globalPos())

    def _ranges(self) -> list[QItemSelectionRange]:
        # Ranges, not rows: of 100,000 selected rows there is one.
        return self.selectionModel().selection().toList()

    def _set_up_headers(self) -> None:
        height = self.fontMetrics().height() + 12
        vertical, header = self.verticalHeader(), self.horizontalHeader()
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        vertical.setDefaultSectionSize(height)
        vertical.hide()
        header.setAccessibleName(self.tr("Columns"))
        header.setHighlightSections(False)
        header.setSectionsMovable(True)
        header.setSortIndicatorClearable(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(48)
        for column, width in WIDTHS.items():
            header.resizeSection(column, width)
            header.setSectionHidden(column, column in HIDDEN)
        header.setSectionResizeMode(Column.TEXT, QHeaderView.ResizeMode.Stretch)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(Column.CREATED, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._sort)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(lambda point: self.column_menu().exec(header.mapToGlobal(point)))

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        if Column(column) in SORT_KEYS:
            self._table.sort(column, order)

    def column_menu(self) -> QMenu:
        """Which columns are shown."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in Column:
            action = menu.addAction(column_name(column))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            action.setEnabled(column is not Column.TEXT)
            action.toggled.connect(lambda shown, column=column: self.setColumnHidden(column, not shown))
        return menu

    def _selection_changed(self) -> None:
        if self._kept is None:
            self.selected.emit()

    def _keep(self) -> None:
        ids, current, top = self._table.ids, self.currentIndex().row(), self.rowAt(0)
        self._kept = _Kept(
            frozenset(self.selected_ids()),
            ids[current] if 0 <= current < len(ids) else None,
            current,
            ids[top] if 0 <= top < len(ids) else None,
            top,
        )

    def _restore(self) -> None:
        kept, rows = self._kept, self._table.rowCount()
        if kept is None:
            return
        places = sorted(place for memory_id in kept.selected if (place := self._table.place(memory_id)) is not None)
        current = None if kept.current is None else self._table.place(kept.current)
        if current is None and kept.current is not None and rows:
            # What was current is gone, usually by the person's own hand: go on with its neighbour.
            current = min(kept.current_row, rows - 1)
            places = places or ([current] if kept.selected else [])
        if current is not None:
            self.selectionModel().setCurrentIndex(self._table.index(current, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(self._selection(places), QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if kept.top is not None and kept.top_row > 0:
            top = self._table.place(kept.top)
            self.verticalScrollBar().setValue((kept.top_row if top is None else top) * self.verticalHeader().defaultSectionSize())
        self._kept = None
        self.selected.emit()

    def _selection(self, places: Sequence[int]) -> QItemSelection:
        """Whole rows, neighbours in one range."""
        selection, last = QItemSelection(), self._table.columnCount() - 1
        begin = 0
        for number, place in enumerate(places):
            if number + 1 == len(places) or places[number + 1] != place + 1:
                selection.append(QItemSelectionRange(self._table.index(places[begin], 0), self._table.index(place, last)))
                begin = number + 1
        return selection
