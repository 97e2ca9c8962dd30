"""The virtual table: pages, placeholders, refresh, and a selection of very many rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.client import MemoryRow
from app.models.memory_table import KEPT, PAGE, ROW_ROLE, Column, MemoryTable
from app.theme import Theme
from app.windows.memories.view import MemoryView
from tests.ui.support import dispose

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MANY = 100_000


def row(number: int, text: str | None = None, **changes: object) -> MemoryRow:
    """A memory as the server would send it."""
    values: dict[str, object] = {
        "id": number, "uuid": UUID(int=number), "version": 1, "namespace": "default", "text": text or f"Memory {number}",
        "tags": ("a", "b"), "importance": 0.5, "created_at": NOW, "updated_at": NOW, "last_confirmed_at": None, "expires_at": None,
        "deleted_at": None,
        "deleted_by": None, "forget_reason": None, "replaced_by_id": None, "keep": "U", "salience": 0.0, "use_count": 0,
        "last_used_at": None, "source_provider": None, "source_client": None, "session_id": None, "capture_mode": None,
    }  # fmt: skip
    return MemoryRow.model_validate({**values, **changes})


@pytest.fixture
def table() -> Iterator[MemoryTable]:
    """A table whose wishes are granted at once."""
    table = MemoryTable()
    table.rows_wanted.connect(lambda ids: table.put([row(number) for number in ids]))
    yield table
    dispose_table(table)


def dispose_table(table: MemoryTable) -> None:
    """Delete it with its timers."""
    table.deleteLater()


@pytest.fixture
def view(table: MemoryTable, qapp: QApplication) -> Iterator[MemoryView]:
    """A table on screen."""
    theme = Theme(qapp)
    view = MemoryView(table, theme)
    view.resize(900, 600)
    yield view
    dispose(view)
    theme.deleteLater()


def ids_of(view: MemoryView) -> Sequence[int]:
    """What is selected."""
    return view.selected_ids()


def test_model_keeps_its_promises(table: MemoryTable, qtmodeltester: ModelTester) -> None:
    """Qt's own tester finds nothing, while rows come and go."""
    qtmodeltester.check(table)
    table.show([3, 1, 2])
    table.show(list(range(1, 500)))
    table.put([row(number) for number in range(1, 400)])
    table.show([])
    assert table.rowCount() == 0


def test_rows_are_placeholders_until_they_come(qtbot: QtBot) -> None:
    """A page is asked for once, when one of its rows is looked at."""
    table = MemoryTable()
    asked: list[list[int]] = []
    table.rows_wanted.connect(asked.append)
    table.show(list(range(1, 1001)))
    first = table.index(0, Column.TEXT)
    assert table.data(first) == "…"
    assert table.data(table.index(5, Column.TAGS)) is None
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert asked[0] == list(range(1, PAGE + 1))
    table.data(first)
    QCoreApplication.processEvents()
    assert len(asked) == 1, "it is on its way"
    table.put([row(number) for number in asked[0]])
    assert table.data(first) == "Memory 1"
    assert table.data(table.index(0, Column.TAGS)) == "a, b"


def test_refresh_shows_the_old_row_until_the_new_one_comes(qtbot: QtBot) -> None:
    """Nothing flickers."""
    table = MemoryTable()
    asked: list[list[int]] = []
    table.rows_wanted.connect(asked.append)
    table.show([1, 2])
    table.put([row(1), row(2)])
    assert table.data(table.index(0, 0)) == "Memory 1"
    table.refresh()
    assert table.data(table.index(0, 0)) == "Memory 1"
    qtbot.waitUntil(lambda: asked == [[1, 2]])
    table.put([row(1, "Memory one"), row(2)])
    assert table.data(table.index(0, 0)) == "Memory one"


def test_what_cannot_be_had_is_asked_for_again_after_a_refresh(qtbot: QtBot) -> None:
    """And not in between, which would never end."""
    table = MemoryTable()
    asked: list[list[int]] = []
    table.rows_wanted.connect(asked.append)
    table.show([1])
    table.data(table.index(0, 0))
    qtbot.waitUntil(lambda: len(asked) == 1)
    table.give_up([1])
    table.data(table.index(0, 0))
    QCoreApplication.processEvents()
    assert len(asked) == 1
    table.refresh()
    table.data(table.index(0, 0))
    qtbot.waitUntil(lambda: len(asked) == 2)


def test_only_so_many_rows_are_kept() -> None:
    """The memory stays small however far one scrolls."""
    table = MemoryTable()
    table.show(list(range(1, KEPT + PAGE + 1)))
    table.put([row(number) for number in range(1, KEPT + PAGE + 1)])
    assert len(table._rows) == KEPT


def test_tool_tip_shows_text_as_text() -> None:
    """A memory that looks like HTML is not taken for it."""
    table = MemoryTable()
    table.show([1])
    table.put([row(1, "<b>bold</b> & more")])
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in table.data(table.index(0, 0), Qt.ItemDataRole.ToolTipRole)


def test_sorting_is_asked_for(qtbot: QtBot) -> None:
    """The database sorts; columns it cannot sort by ask for nothing."""
    table = MemoryTable()
    with qtbot.waitSignal(table.sort_wanted) as wanted:
        table.sort(Column.IMPORTANCE, Qt.SortOrder.AscendingOrder)
    assert wanted.args == ["importance", True]
    with qtbot.assertNotEmitted(table.sort_wanted):
        table.sort(Column.TAGS)


def test_refresh_keeps_selection_current_row_and_place(view: MemoryView, table: MemoryTable, qtbot: QtBot) -> None:
    """Also when rows come in above."""
    with qtbot.waitExposed(view):
        view.show()
    table.show(list(range(1000, 0, -1)))
    view.go_to(500)
    view.select_ids([500, 499, 300])
    top = table.ids[view.rowAt(0)]
    table.show([1002, 1001, *range(1000, 0, -1)])
    assert ids_of(view) == [500, 499, 300]
    assert table.ids[view.currentIndex().row()] == 500
    assert table.ids[view.rowAt(0)] == top


def test_the_neighbour_is_next_when_the_selected_row_goes(view: MemoryView, table: MemoryTable) -> None:
    """So that Del, Del, Del works."""
    table.show([5, 4, 3, 2, 1])
    view.go_to(4)
    table.show([5, 3, 2, 1])
    assert ids_of(view) == [3]
    table.show([5])
    assert ids_of(view) == [5]
    table.show([])
    assert ids_of(view) == []


def test_selecting_100000_rows_is_quick(view: MemoryView, table: MemoryTable, qtbot: QtBot) -> None:
    """A header that shares the selection makes this take seconds."""
    with qtbot.waitExposed(view):
        view.show()
    began = time.process_time()
    table.show(list(range(1, MANY + 1)))
    view.selectAll()
    view.repaint()
    assert time.process_time() - began < 1.0
    assert view.selected_count() == MANY
    began = time.process_time()
    table.show(list(range(2, MANY + 1)))
    view.repaint()
    assert view.selected_count() == MANY - 1
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_going_to_a_memory_selects_it(view: MemoryView, table: MemoryTable, direction: Qt.LayoutDirection) -> None:
    """From either side of the page."""
    view.setLayoutDirection(direction)
    table.show([5, 4, 3])
    view.go_to(4)
    assert ids_of(view) == [4]
    view.go_to(3)
    assert ids_of(view) == [3]
    view.go_to(99)
    assert ids_of(view) == [3]


def test_invert_selects_the_others(view: MemoryView, table: MemoryTable) -> None:
    """In as few ranges as there are."""
    table.show(list(range(1, 11)))
    view.select_ids([1, 2, 3, 7])
    view.invert()
    assert ids_of(view) == [4, 5, 6, 8, 9, 10]
    assert len(view._ranges()) == 2


def test_row_role_gives_the_memory(table: MemoryTable, qtbot: QtBot) -> None:
    """For the delegate."""
    table.show([7])
    qtbot.waitUntil(lambda: table.data(table.index(0, 0), ROW_ROLE) is not None)
    assert table.data(table.index(0, 0), ROW_ROLE).id == 7
