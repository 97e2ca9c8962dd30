"""The table of memories: all ids are known at once, rows come by pages when they are looked at.

Until a row is there its cells are placeholders. A row that has become stale is still shown while its successor is on the way.
"""

from __future__ import annotations

import html
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from app.client import MemoryRow

PAGE = 200  # rows that are fetched together
KEPT = 40 * PAGE  # rows that stay in memory
LINE = 400  # characters of a text that a cell shows
TIP = 1500  # characters of a text that a tool tip shows

AnyIndex = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """The columns, in their first order."""

    TEXT = 0
    TAGS = 1
    IMPORTANCE = 2
    CREATED = 3
    UPDATED = 4
    CONFIRMED = 5
    EXPIRES = 6
    SOURCE = 7
    SALIENCE = 8
    USES = 9


SORT_KEYS = {
    Column.TEXT: "text",
    Column.IMPORTANCE: "importance",
    Column.CREATED: "created",
    Column.UPDATED: "updated",
    Column.CONFIRMED: "confirmed",
    Column.SALIENCE: "salience",
}
CENTRED = (Column.IMPORTANCE, Column.SALIENCE, Column.USES)  # figures; at the far side they would touch the next heading
ID_ROLE = Qt.ItemDataRole.UserRole
ROW_ROLE = Qt.ItemDataRole.UserRole + 1  # the MemoryRow, None while it is on the way


class MemoryTable(QAbstractTableModel):
    """Rows of one search, in its order."""

    rows_wanted = Signal(list)  # ids of a page; answer with `put` or `give_up`
    sort_wanted = Signal(str, bool)  # a sort key of the API; whether ascending

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids: list[int] = []
        self._places: dict[int, int] = {}
        self._rows: OrderedDict[int, tuple[int, MemoryRow]] = OrderedDict()  # id: (generation, row)
        self._generation = 0
        self._pending: set[int] = set()  # pages on the way
        self._wanted: set[int] = set()  # pages to ask for in the next turn of the event loop
        self._hopeless: set[int] = set()  # pages that could not be had, until the next refresh

    @property
    def ids(self) -> Sequence[int]:
        """All ids in order."""
        return self._ids

    def place(self, memory_id: int) -> int | None:
        """The row number of a memory."""
        return self._places.get(memory_id)

    def row(self, number: int) -> MemoryRow | None:
        """The memory of a row, if it is there; asks for it if not."""
        found = self._rows.get(self._ids[number])
        if found is None or found[0] != self._generation:
            self._want(number // PAGE)
        return found[1] if found else None

    def show(self, ids: Sequence[int]) -> None:
        """Show the rows of a search. Those that are known are shown at once, and asked for again."""
        self._generation += 1
        self._pending.clear()
        self._hopeless.clear()
        ids = list(ids)
        if ids == self._ids:
            self._all_changed()
            return
        self.beginResetModel()
        self._ids = ids
        self._places = {memory_id: number for number, memory_id in enumerate(self._ids)}
        self.endResetModel()

    def refresh(self) -> None:
        """Ask again for what is looked at."""
        self.show(self._ids)

    def put(self, rows: Iterable[MemoryRow]) -> None:
        """Rows that came."""
        places = []
        for row in rows:
            self._rows[row.id] = (self._generation, row)
            self._rows.move_to_end(row.id)
            if (place := self._places.get(row.id)) is not None:
                places.append(place)
        while len(self._rows) > KEPT:
            self._rows.popitem(last=False)
        for page in {place // PAGE for place in places}:
            self._pending.discard(page)
        if places:
            self.dataChanged.emit(self.index(min(places), 0), self.index(max(places), self.columnCount() - 1))

    def give_up(self, ids: Sequence[int]) -> None:
        """These cannot be had now; they stay placeholders until the next refresh."""
        pages = {self._places[memory_id] // PAGE for memory_id in ids if memory_id in self._places}
        self._pending -= pages
        self._hopeless |= pages

    # The Qt side.

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        """All rows of the search."""
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:
        """The number of `Column`."""
        return 0 if parent.isValid() else len(Column)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts, tool tips, alignment; ID_ROLE and ROW_ROLE."""
        if role not in _ROLES or not index.isValid() or index.row() >= len(self._ids):
            return None
        if role == ID_ROLE:
            return self._ids[index.row()]
        column = Column(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignHCenter if column in CENTRED else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        row = self.row(index.row())
        if role == ROW_ROLE:
            return row
        if row is None:
            return "…" if column is Column.TEXT and role != Qt.ItemDataRole.ToolTipRole else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(row) if column is Column.TEXT else cell(row, column) or None
        return cell(row, column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column_name(Column(section))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignHCenter if Column(section) in CENTRED else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order; the database sorts."""
        if 0 <= column < len(Column) and (key := SORT_KEYS.get(Column(column))):
            self.sort_wanted.emit(key, order is Qt.SortOrder.AscendingOrder)

    def _all_changed(self) -> None:
        if self._ids:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._ids) - 1, self.columnCount() - 1))

    def _want(self, page: int) -> None:
        if page in self._pending or page in self._wanted or page in self._hopeless:
            return
        if not self._wanted:
            # Painting touches many rows of a page; the pages are asked for together afterwards.
            QTimer.singleShot(0, self, self._ask)
        self._wanted.add(page)

    def _ask(self) -> None:
        pages, self._wanted = sorted(self._wanted), set()
        for page in pages:
            if ids := self._ids[page * PAGE : (page + 1) * PAGE]:
                self._pending.add(page)
                self.rows_wanted.emit(ids)


_ROLES = frozenset(
    map(
        int,
        (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.TextAlignmentRole,
            Qt.ItemDataRole.AccessibleTextRole,
            ID_ROLE,
            ROW_ROLE,
        ),
    )
)


def column_name(column: Column) -> str:
    """What the header and its menu call a column."""
    return {
        Column.TEXT: QCoreApplication.translate("MemoryTable", "Memory"),
        Column.TAGS: QCoreApplication.translate("MemoryTable", "Tags"),
        Column.IMPORTANCE: QCoreApplication.translate("MemoryTable", "Importance"),
        Column.CREATED: QCoreApplication.translate("MemoryTable", "Created"),
        Column.UPDATED: QCoreApplication.translate("MemoryTable", "Changed"),
        Column.CONFIRMED: QCoreApplication.translate("MemoryTable", "Confirmed"),
        Column.EXPIRES: QCoreApplication.translate("MemoryTable", "Expires"),
        Column.SOURCE: QCoreApplication.translate("MemoryTable", "Source"),
        Column.SALIENCE: QCoreApplication.translate("MemoryTable", "Usefulness"),
        Column.USES: QCoreApplication.translate("MemoryTable", "Used"),
    }[column]


def cell(row: MemoryRow, column: Column) -> str:
    """The text of one cell."""
    return _CELLS[column](row)


def percent(share: float) -> str:
    """A share from 0 to 1 as the person's language writes it."""
    return QCoreApplication.translate("MemoryTable", "%1 %").replace("%1", QLocale().toString(round(share * 100)))


def local_time(moment: datetime) -> QDateTime:
    """A moment in the person's time zone."""
    return QDateTime.fromSecsSinceEpoch(int(moment.timestamp()))


def day(moment: datetime | None) -> str:
    """A date in the person's format; empty for none."""
    return QLocale().toString(local_time(moment).date(), QLocale.FormatType.ShortFormat) if moment else ""


def moment_text(moment: datetime | None) -> str:
    """Date and time in the person's format; empty for none."""
    return QLocale().toString(local_time(moment), QLocale.FormatType.ShortFormat) if moment else ""


_CELLS: dict[Column, Callable[[MemoryRow], str]] = {
    Column.TEXT: lambda row: " ".join(row.text[:LINE].split()),
    Column.TAGS: lambda row: ", ".join(row.tags),
    Column.IMPORTANCE: lambda row: percent(row.importance),
    Column.CREATED: lambda row: day(row.created_at),
    Column.UPDATED: lambda row: day(row.updated_at),
    Column.CONFIRMED: lambda row: day(row.last_confirmed_at),
    Column.EXPIRES: lambda row: day(row.expires_at),
    Column.SOURCE: lambda row: row.source_client or row.source_provider or "",
    Column.SALIENCE: lambda row: QLocale().toString(row.salience, "f", 2),
    Column.USES: lambda row: QLocale().toString(row.use_count),
}


def _tip(row: MemoryRow) -> str:
    # As HTML, with everything escaped: a tool tip would take a text that looks like HTML for HTML.
    text = row.text if len(row.text) <= TIP else row.text[:TIP] + "…"
    return f"<p style='white-space: pre-wrap'>{html.escape(text)}</p>"
