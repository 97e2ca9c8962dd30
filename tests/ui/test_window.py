"""The page of memories in a whole app, against the real server."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QMessageBox, QTreeWidget
from pytestqt.qtbot import QtBot

from app.client import Changes, Scope
from app.models.query import Join
from app.windows.memories.dialogs import AddDialog, EraseDialog, SaveSearchDialog, TagsDialog
from app.windows.memories.replace import ReplaceDialog
from tests.ui.support import Shown, fill

PATIENCE_MS = 20_000
Show = Callable[[], Shown]


@pytest.fixture
def until(qtbot: QtBot) -> Callable[[Callable[[], object]], None]:
    """Wait until something is so."""
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)


Until = Callable[[Callable[[], object]], None]


def in_dialog(kind: type[QDialog], act: Callable[[QDialog], object]) -> None:
    """Do this with the modal dialog of a kind as soon as it is open."""
    timer = QTimer(QApplication.instance(), interval=20)

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, kind):
            timer.stop()
            timer.deleteLater()
            try:
                act(dialog)
            finally:
                if dialog.isVisible():  # else a failure would wait for ever
                    dialog.reject()

    timer.timeout.connect(look)
    timer.start()


def test_what_is_remembered_elsewhere_appears(show: Show, until: Until) -> None:
    """The event stream tells; the selection stays."""
    shown = show()
    assert shown.page.middle.currentWidget() is shown.page.placeholder
    assert "No memories yet" in shown.page.placeholder.title.text()
    first, _second = fill(shown.client, "Ada drinks black coffee.", "Ada lives in Lisbon.", tags=["ada"])
    until(lambda: shown.texts() == ["Ada lives in Lisbon.", "Ada drinks black coffee."])
    shown.page.view.go_to(first)
    fill(shown.client, "Ada has a cat.")
    until(lambda: shown.page.table.rowCount() == 3)
    assert shown.page.view.selected_ids() == [first]
    until(lambda: "3 in all" in shown.application.window._counts.text())
    assert shown.application.window._counts.text() == "1 chosen · 3 found · 3 in all"


def test_typing_searches_and_escape_clears(show: Show, until: Until, qtbot: QtBot) -> None:
    """A letter typed in the table begins a search; a second Esc goes back to the table."""
    shown = show()
    fill(shown.client, "Black coffee in the morning.", "Green tea in the evening.")
    until(lambda: shown.page.table.rowCount() == 2)
    shown.page.view.setFocus()
    qtbot.keyClicks(shown.page.view, "t")
    assert shown.page.box.input.text() == "t"
    qtbot.keyClicks(shown.page.box.input, "ea")
    until(lambda: shown.texts() == ["Green tea in the evening."])
    qtbot.keyClick(shown.page.box.input, Qt.Key.Key_Escape)
    until(lambda: shown.page.table.rowCount() == 2)


def test_a_broken_query_is_explained_beside_the_box(show: Show, until: Until) -> None:
    """It is no error."""
    shown = show()
    fill(shown.client, "One.")
    shown.page.search.ask("is:nothing")
    until(lambda: not shown.page.box.problem.isHidden())
    assert "is:" in shown.page.box.problem.text()
    shown.page.search.ask("nowhere")
    until(lambda: "Nothing matches" in shown.page.placeholder.title.text())
    shown.page.search.ask("")
    until(lambda: shown.page.table.rowCount() == 1)


def test_meaning_finds_other_words(show: Show, until: Until) -> None:
    """With the real model."""
    shown = show()
    fill(shown.client, "She drinks espresso after breakfast.", "The bicycle has a flat tyre.")
    shown.page.search.ask("coffee in the morning", "meaning")
    until(lambda: shown.texts() and shown.texts()[0] == "She drinks espresso after breakfast.")


def test_editing_saves_on_leaving_and_can_be_undone(show: Show, until: Until, qtbot: QtBot) -> None:
    """Undo and redo go through the journal."""
    shown = show()
    (one,) = fill(shown.client, "Ada drinks black coffee.")
    until(lambda: shown.page.table.rowCount() == 1)
    shown.page.view.go_to(one)
    editor = shown.page.editor.one
    until(lambda: editor.text.toPlainText() == "Ada drinks black coffee.")
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, "Ada drinks green tea.")
    editor.save()
    until(lambda: editor.state.text() == "Saved")
    until(lambda: shown.texts() == ["Ada drinks green tea."])
    window = shown.application.window
    until(lambda: window.undo.text() == "Undo: Edit")
    window.undo.trigger()
    until(lambda: shown.texts() == ["Ada drinks black coffee."])
    until(lambda: editor.text.toPlainText() == "Ada drinks black coffee.")
    until(window.redo.isEnabled)
    window.redo.trigger()
    until(lambda: shown.texts() == ["Ada drinks green tea."])
    until(lambda: shown.client.rows([one])[0].text == "Ada drinks green tea.")


def test_an_empty_text_is_not_saved(show: Show, until: Until, qtbot: QtBot) -> None:
    """The reason stands beside it; Esc brings the text back."""
    shown = show()
    (one,) = fill(shown.client, "Ada has a cat.")
    until(lambda: shown.page.table.rowCount() == 1)
    shown.page.view.go_to(one)
    editor = shown.page.editor.one
    until(lambda: editor.text.toPlainText() == "Ada has a cat.")
    editor.text.selectAll()
    qtbot.keyClick(editor.text, Qt.Key.Key_Backspace)
    editor.save()
    assert editor.state.text().startswith("Not saved")
    editor.take_back()
    assert editor.text.toPlainText() == "Ada has a cat."
    assert shown.client.rows([one])[0].text == "Ada has a cat."


@pytest.mark.parametrize("mine", [True, False])
def test_a_change_in_between_is_never_overwritten_unasked(show: Show, until: Until, qtbot: QtBot, mine: bool) -> None:
    """The person chooses which text stays."""
    shown = show()
    (one,) = fill(shown.client, "Ada lives in Lisbon.")
    until(lambda: shown.page.table.rowCount() == 1)
    shown.page.view.go_to(one)
    editor = shown.page.editor.one
    until(lambda: editor.text.toPlainText() == "Ada lives in Lisbon.")
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, "Ada lives in Porto.")
    shown.client.edit(Scope(ids=(one,)), Changes(text="Ada lives in Faro."), shown.client.rows([one])[0].version)
    until(lambda: shown.texts() == ["Ada lives in Faro."])
    assert editor.text.toPlainText() == "Ada lives in Porto."
    seen: list[str] = []

    def answer(dialog: QDialog) -> None:
        assert isinstance(dialog, QMessageBox)
        seen.append(dialog.informativeText())
        next(button for button in dialog.buttons() if (button.text() == "Mine") is mine).click()

    in_dialog(QMessageBox, answer)
    editor.save()
    wanted = "Ada lives in Porto." if mine else "Ada lives in Faro."
    until(lambda: seen and shown.client.rows([one])[0].text == wanted)
    assert "Ada lives in Faro." in seen[0]
    until(lambda: editor.text.toPlainText() == wanted and shown.texts() == [wanted])


def test_fields_are_saved_one_by_one(show: Show, until: Until, qtbot: QtBot) -> None:
    """Tags, importance, expiry, lock, confirmation."""
    shown = show()
    (one,) = fill(shown.client, "Ada has a cat.", tags=["old"])
    until(lambda: shown.page.table.rowCount() == 1)
    shown.page.view.go_to(one)
    editor = shown.page.editor.one
    until(lambda: list(editor.tags.tags) == ["old"])
    qtbot.keyClicks(editor.tags.input, "pets,")
    until(lambda: set(shown.client.rows([one])[0].tags) == {"old", "pets"})
    qtbot.keyClick(editor.tags.input, Qt.Key.Key_Backspace)
    until(lambda: set(shown.client.rows([one])[0].tags) == {"old"})
    editor.importance.slider.setValue(90)
    until(lambda: shown.client.rows([one])[0].importance == pytest.approx(0.9))
    editor.expiry.check.click()
    until(lambda: shown.client.rows([one])[0].expires_at is not None)
    editor.expiry.check.click()
    until(lambda: shown.client.rows([one])[0].expires_at is None)
    editor.lock.click()
    until(lambda: shown.client.rows([one])[0].keep == "Y")
    editor.confirm.click()
    until(lambda: shown.client.rows([one])[0].last_confirmed_at is not None)
    until(lambda: editor.lock.text() == "Locked")


def test_trash_restore_and_erase(show: Show, until: Until) -> None:
    """With notices that offer undo, and words before what cannot be undone."""
    shown = show()
    ids = fill(shown.client, "One.", "Two.", "Three.")
    until(lambda: shown.page.table.rowCount() == 3)
    its, window = shown.page.commands, shown.application.window
    shown.page.view.select_ids(ids[:2])
    its.trash.trigger()
    until(lambda: shown.texts() == ["Three."])
    until(lambda: window.notice.label.text() == "2 memories moved to trash.")
    window.notice.buttons[0].click()
    until(lambda: shown.page.table.rowCount() == 3)
    shown.page.view.select_ids(ids[:2])
    its.trash.trigger()
    until(lambda: shown.texts() == ["Three."])
    shown.page.search.ask("is:trash")
    until(lambda: shown.page.table.rowCount() == 2)
    assert not its.trash.isEnabled()
    shown.page.view.select_ids(ids[:1])
    assert its.restore.isEnabled()
    its.restore.trigger()
    until(lambda: shown.texts() == ["Two."])
    shown.page.view.selectAll()
    asked: list[str] = []

    def agree(dialog: QDialog) -> None:
        assert isinstance(dialog, EraseDialog)
        button = dialog.box.button(QDialogButtonBox.StandardButton.Ok)
        asked.append(button.text())
        button.click()

    in_dialog(EraseDialog, agree)
    its.erase.trigger()
    until(lambda: "The trash is empty" in shown.page.placeholder.title.text())
    assert asked == ["Delete 1 memory"]
    assert shown.client.rows(ids[1:2]) == ()


def test_deleting_many_for_good_wants_their_number() -> None:
    """The button wakes up when the number is typed."""
    dialog = EraseDialog(1204)
    button = dialog.box.button(QDialogButtonBox.StandardButton.Ok)
    assert not button.isEnabled()
    dialog.input.setText("1203")
    assert not button.isEnabled()
    for right in ("1204", "1,204"):
        dialog.input.setText(right)
        assert button.isEnabled()
    dialog.deleteLater()


def test_a_locked_memory_stays_when_all_go(show: Show, until: Until) -> None:
    """And the notice says so."""
    shown = show()
    ids = fill(shown.client, "One.", "Two.", "Three.")
    until(lambda: shown.page.table.rowCount() == 3)
    shown.page.view.select_ids(ids[:1])
    shown.page.commands.lock.trigger()
    until(lambda: shown.client.rows(ids[:1])[0].keep == "Y")
    shown.page.view.selectAll()
    assert shown.page.chosen().scope.query == ""
    shown.page.commands.trash.trigger()
    until(lambda: shown.page.table.rowCount() == 1)
    until(lambda: "2 memories moved to trash. 1 was left as it is." in shown.application.window.notice.label.text())


def test_many_are_changed_in_one_step(show: Show, until: Until, qtbot: QtBot) -> None:
    """What they have in common is shown, "(several)" where they differ; one undo takes it all back."""
    shown = show()
    fill(shown.client, "One.", tags=["common", "first"])
    fill(shown.client, "Two.", tags=["common"])
    until(lambda: shown.page.table.rowCount() == 2)
    shown.page.view.selectAll()
    many = shown.page.editor.many
    until(lambda: shown.page.editor.currentWidget() is many)
    assert "common and (several)" in many.common.text()
    assert not many.apply.isEnabled()
    qtbot.keyClicks(many.add_tags.input, "new,")
    qtbot.keyClicks(many.remove_tags.input, "common,")
    assert many.apply.text() == "Change 2 memories"
    many.apply.click()
    until(lambda: all("new" in row.tags and "common" not in row.tags for row in shown.client.rows(shown.page.table.ids)))
    until(lambda: shown.application.window.undo.text() == "Undo: Change")
    shown.application.window.undo.trigger()
    until(lambda: all("common" in row.tags and "new" not in row.tags for row in shown.client.rows(shown.page.table.ids)))


def test_tags_by_dialog(show: Show, until: Until, qtbot: QtBot) -> None:
    """Ctrl+Shift+A; what is still typed counts."""
    shown = show()
    fill(shown.client, "One.")
    until(lambda: shown.page.table.rowCount() == 1)
    shown.page.view.selectAll()

    def answer(dialog: QDialog) -> None:
        assert isinstance(dialog, TagsDialog)
        qtbot.keyClicks(dialog.tags.input, "typed")
        dialog.accept()

    in_dialog(TagsDialog, answer)
    shown.page.commands.add_tags.trigger()
    until(lambda: shown.client.rows(shown.page.table.ids)[0].tags == ("typed",))


def test_find_and_replace_shows_before_it_changes(show: Show, until: Until) -> None:
    """On all that was found, with a look first."""
    shown = show()
    fill(shown.client, "Ada lives in Lisbon.", "Ada was born in Lisbon.", "Ada has a cat.")
    until(lambda: shown.page.table.rowCount() == 3)
    shown.page.commands.replace.trigger()
    dialog = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, ReplaceDialog))
    dialog.sought.setText("Lisbon")
    dialog.replacement.setText("Porto")
    until(lambda: dialog.preview.count() == 2)
    assert dialog.state.text() == "2 memories would change."
    dialog.accept()
    until(lambda: sorted(shown.texts()) == ["Ada has a cat.", "Ada lives in Porto.", "Ada was born in Porto."])
    until(lambda: shown.application.window.undo.text() == "Undo: Find and replace")
    shown.application.window.undo.trigger()
    until(lambda: "Ada lives in Lisbon." in shown.texts())


def test_adding_by_hand_selects_what_was_added(show: Show, until: Until, qtbot: QtBot) -> None:
    """The dialog stays until the server has it."""
    shown = show()
    shown.page.commands.add.trigger()
    dialog = next(widget for widget in QApplication.topLevelWidgets() if isinstance(widget, AddDialog))
    assert not dialog.box.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    qtbot.keyClicks(dialog.text, "Ada plays chess.")
    qtbot.keyClicks(dialog.tags.input, "hobby")
    dialog.accept()
    until(lambda: shown.texts() == ["Ada plays chess."])
    until(lambda: shown.page.view.selected_count() == 1)
    assert shown.client.rows(shown.page.table.ids)[0].tags == ("hobby",)


def test_sidebar_filters(show: Show, until: Until, qtbot: QtBot) -> None:
    """A click replaces, the keys add, either and leave out; the line of the query is marked."""
    shown = show()
    fill(shown.client, "One.", tags=["a"])
    fill(shown.client, "Two.", tags=["b"])
    sidebar, tree = shown.page.sidebar, shown.page.tree
    until(lambda: tree.rowCount() == 2 and tree.rowCount(tree.index(1, 0)) == 2)
    leaf = tree.index(0, 0, tree.index(1, 0))
    chosen = tree.leaf(leaf)
    assert chosen is not None
    point: QPoint = sidebar.visualRect(leaf).center()
    qtbot.mouseClick(sidebar.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    assert shown.page.search.query == chosen.query
    until(lambda: shown.page.table.rowCount() == 1)
    qtbot.mouseClick(sidebar.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, point)
    assert shown.page.search.query == f"{chosen.query} -{chosen.query}"
    sidebar.chosen.emit(chosen, Join.REPLACE)
    assert sidebar.currentIndex() == leaf


def test_a_search_is_kept_and_forgotten(show: Show, until: Until) -> None:
    """Under a name, in the sidebar."""
    shown = show()
    fill(shown.client, "One.", tags=["a"])
    shown.page.search.ask("tag:a")

    def answer(dialog: QDialog) -> None:
        assert isinstance(dialog, SaveSearchDialog)
        dialog.name.setText("My search")
        dialog.accept()

    in_dialog(SaveSearchDialog, answer)
    shown.page.commands.keep_search.trigger()
    until(lambda: [search.name for search in shown.client.sidebar().saved] == ["My search"])
    tree = shown.page.tree
    until(lambda: tree.data(tree.index(1, 0)) == "Saved searches")
    leaf = tree.leaf(tree.index(0, 0, tree.index(1, 0)))
    assert leaf is not None
    shown.page.sidebar.forget_wanted.emit(leaf)
    until(lambda: shown.client.sidebar().saved == ())


def test_history_and_similar_are_fetched_when_looked_at(show: Show, until: Until) -> None:
    """A double click goes to a similar one."""
    shown = show()
    one, other = fill(shown.client, "Ada drinks black coffee every morning.", "Every morning Ada drinks black coffee at home.")
    until(lambda: shown.page.table.rowCount() == 2)
    shown.page.view.go_to(one)
    details = shown.page.editor.one.details
    until(lambda: shown.page.editor.currentWidget() is shown.page.editor.one)
    details.setCurrentIndex(1)
    until(lambda: details.history.count() == 1)
    details.setCurrentIndex(2)
    until(lambda: details.similar.count() >= 1)
    details.similar.itemActivated.emit(details.similar.item(0))
    until(lambda: shown.page.view.selected_ids() == [other])


def test_choices_are_remembered(show: Show, until: Until) -> None:
    """Query, columns and panes come back with the window."""
    shown = show()
    shown.page.search.ask("tag:x")
    shown.page.view.setColumnHidden(8, False)
    shown.application.window.leave()
    settings = shown.application.context.settings
    assert settings.value("memories/query") == "tag:x"
    assert settings.value("memories/header") is not None
    assert settings.value("window/geometry") is not None


def test_cheat_sheet_lists_what_the_menus_have(show: Show) -> None:
    """F1."""
    shown = show()
    shown.application.window.open_page("memories")
    shown.application.window.show_shortcuts()
    tree = next(widget for widget in shown.application.window.findChildren(QTreeWidget))
    lines = tree.findItems("*", Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive, 1)
    keys = [line.text(1) for line in lines if line.text(1)]
    assert {"Ctrl+N", "F2", "Del", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+F"} <= set(keys)
    written = [key for key in keys if key.startswith(("Ctrl+", "F", "Del"))]
    assert len(written) == len(set(written)), "two commands with the same keys"
