"""What stands beside the table: states, kept searches, tags, sources, sessions. A tree of two levels; each leaf is a query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.client import Count, Sidebar
from app.models.query import term

AnyIndex = QModelIndex | QPersistentModelIndex
MOST = 200  # leaves of one group

LEAF_ROLE = Qt.ItemDataRole.UserRole  # the Leaf; None for a group
COUNT_ROLE = Qt.ItemDataRole.UserRole + 1  # the number beside the name, as text
ICON_ROLE = Qt.ItemDataRole.UserRole + 2  # the name of an icon
KEY_ROLE = Qt.ItemDataRole.UserRole + 3  # the key of a group


@dataclass(frozen=True, slots=True)
class Leaf:
    """One line. `query` is what a click asks for; `saved` the id of a kept search."""

    name: str
    query: str
    icon: str
    count: int | None = None
    saved: int | None = None
    whole: bool = False  # replaces the query however it is clicked


@dataclass(frozen=True, slots=True)
class Group:
    """A heading with its lines."""

    key: str
    name: str
    leaves: tuple[Leaf, ...]


class SidebarTree(QAbstractItemModel):
    """The groups that have something to show."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[Group, ...] = ()

    def show(self, sidebar: Sidebar, active: int | None) -> None:
        """Show new figures. Nothing is reset while only they differ."""
        groups = tuple(group for group in groups_of(sidebar, active) if group.leaves)
        same = [(group.key, [leaf.query for leaf in group.leaves]) for group in groups] == [
            (group.key, [leaf.query for leaf in group.leaves]) for group in self._groups
        ]
        if not same:
            self.beginResetModel()
        self._groups = groups
        if not same:
            self.endResetModel()
            return
        for number, group in enumerate(groups):
            parent = self.index(number, 0)
            self.dataChanged.emit(self.index(0, 0, parent), self.index(len(group.leaves) - 1, 0, parent))

    def leaf(self, index: AnyIndex) -> Leaf | None:
        """The line of an index; None for a heading."""
        if not index.isValid() or index.internalId() == 0:
            return None
        return self._groups[index.internalId() - 1].leaves[index.row()]

    # The Qt side. A leaf's internal id is the number of its group plus one, a group's is 0.

    def index(self, row: int, column: int, parent: AnyIndex = QModelIndex()) -> QModelIndex:
        """A group below nothing, a leaf below a group."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: AnyIndex = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # the stub has QObject.parent() beside it
        """The group of a leaf."""
        if not index.isValid() or index.internalId() == 0:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, 0)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        """Groups, or leaves of a group."""
        if not parent.isValid():
            return len(self._groups)
        return len(self._groups[parent.row()].leaves) if parent.internalId() == 0 and parent.column() == 0 else 0

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:
        """One."""
        return 1

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Headings cannot be chosen."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled if index.internalId() == 0 else Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names; the roles above."""
        if not index.isValid():
            return None
        leaf = self.leaf(index)
        if leaf is None:
            group = self._groups[index.row()]
            return {Qt.ItemDataRole.DisplayRole: group.name, KEY_ROLE: group.key}.get(role)
        count = "" if leaf.count is None else QLocale().toString(leaf.count)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{leaf.name}, {count}" if count else leaf.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return leaf.query or None
        return {Qt.ItemDataRole.DisplayRole: leaf.name, LEAF_ROLE: leaf, COUNT_ROLE: count, ICON_ROLE: leaf.icon}.get(role)


def groups_of(sidebar: Sidebar, active: int | None) -> list[Group]:
    """All groups in their order, empty ones too."""
    translate = QCoreApplication.translate
    states = [Leaf(translate("SidebarTree", "All memories"), "", "library", active, whole=True)]
    for name, query, icon, count in (
        (translate("SidebarTree", "Locked"), "is:locked", "lock", sidebar.locked),
        (translate("SidebarTree", "Without tags"), "is:untagged", "tag", sidebar.untagged),
        (translate("SidebarTree", "Expired"), "is:expired", "hourglass", sidebar.expired),
        (translate("SidebarTree", "Trash"), "is:trash", "trash-2", sidebar.trash),
    ):
        states.append(Leaf(name, query, icon, count, whole=query == "is:trash"))
    saved = tuple(Leaf(search.name, search.query, "bookmark", None, search.id, whole=True) for search in sidebar.saved)
    return [
        Group("states", translate("SidebarTree", "Memories"), tuple(states)),
        Group("saved", translate("SidebarTree", "Saved searches"), saved),
        Group("tags", translate("SidebarTree", "Tags"), _leaves(sidebar.tags, "tag", "tag")),
        Group("providers", translate("SidebarTree", "Sources"), _leaves(sidebar.providers, "source", "bot")),
        Group("clients", translate("SidebarTree", "Programs"), _leaves(sidebar.clients, "client", "plug")),
        Group("sessions", translate("SidebarTree", "Conversations"), _leaves(sidebar.sessions, "session", "message-square")),
    ]


def _leaves(counts: Iterable[Count], key: str, icon: str) -> tuple[Leaf, ...]:
    named = [count for count in counts if count.name]
    return tuple(Leaf(str(count.name), term(key, str(count.name)), icon, count.count) for count in named[:MOST])
