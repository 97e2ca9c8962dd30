"""What the page says where there are no rows: it starts, nothing was found, nothing is there yet, or it failed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QLocale

from app.client import ApiError
from app.context import Context
from app.models.search import Search
from app.supervisor import Phase, StageState
from app.watch import stage_text
from app.widgets.placeholder import Placeholder


def explain_empty(placeholder: Placeholder, context: Context, search: Search, add: Callable[[], object]) -> None:
    """Nothing was found, or there is nothing yet."""
    translate = QCoreApplication.translate
    query = search.query.strip()
    if search.last.problem:
        clear = (translate("MemoriesPage", "Clear the search"), lambda: search.ask(""))
        placeholder.say("search", translate("MemoriesPage", "The search cannot be understood"), search.last.problem, clear)
    elif query == "is:trash":
        text = translate("MemoriesPage", "What you delete stays here until you delete it for good.")
        placeholder.say("trash-2", translate("MemoriesPage", "The trash is empty"), text)
    elif query:
        actions: list[tuple[str, Callable[[], object]]] = [(translate("MemoriesPage", "Clear the search"), lambda: search.ask(""))]
        if search.mode == "words":
            actions.append((translate("MemoriesPage", "Search by meaning"), lambda: search.ask(mode="meaning")))
        placeholder.say("search", translate("MemoriesPage", "Nothing matches"), query, *actions)
    else:
        _explain_first_run(placeholder, context, add)


def _explain_first_run(placeholder: Placeholder, context: Context, add: Callable[[], object]) -> None:
    translate = QCoreApplication.translate
    text = translate(
        "MemoriesPage",
        "OwnSona keeps what your AI assistants remember about you, on this computer alone. Connect an assistant, and what it remembers "
        "appears here; or write the first memory yourself.",
    )
    actions: list[tuple[str, Callable[[], object]]] = []
    if "clients" in context.pages:
        actions.append((translate("MemoriesPage", "Connect an assistant…"), lambda: context.open_page("clients")))
    if "transfer" in context.pages:
        actions.append((translate("MemoriesPage", "Import…"), lambda: context.open_page("transfer")))
    actions.append((translate("MemoriesPage", "Add a memory…"), add))
    placeholder.say("brain", translate("MemoriesPage", "No memories yet"), text, *actions)


def explain_failure(placeholder: Placeholder, error: ApiError, again: Callable[[], object]) -> None:
    """The memories could not be read."""
    title = QCoreApplication.translate("MemoriesPage", "The memories cannot be shown")
    placeholder.say("circle-alert", title, str(error), (QCoreApplication.translate("MemoriesPage", "Try again"), again))


def explain_start(placeholder: Placeholder, context: Context) -> None:
    """The server starts, stage by stage, or does not."""
    state = context.watch.state
    if state.phase in (Phase.FAILED, Phase.STOPPED):
        title = QCoreApplication.translate("MemoriesPage", "OwnSona’s server is not running")
        if state.phase is Phase.FAILED:  # the window's banner says why, and has the buttons
            placeholder.say("circle-alert", title, QCoreApplication.translate("MemoriesPage", "Your memories are safe on the disk."))
            return
        text = QCoreApplication.translate("MemoriesPage", "It was stopped. Your memories are safe on the disk.")
        placeholder.say("circle-alert", title, text, (QCoreApplication.translate("MemoriesPage", "Start it"), context.watch.retry))
        return
    lines = [_stage_line(stage) for stage in state.stages]
    text = "\n".join(lines) or QCoreApplication.translate("MemoriesPage", "The server is being started.")
    placeholder.say("loader-circle", QCoreApplication.translate("MemoriesPage", "Starting…"), text)


def _stage_line(stage: StageState) -> str:
    state = {
        "ready": QCoreApplication.translate("MemoriesPage", "ready"),
        "starting": QCoreApplication.translate("MemoriesPage", "starting"),
        "failed": QCoreApplication.translate("MemoriesPage", "does not work"),
    }.get(stage.state, stage.state)
    seconds = f" ({QLocale().toString(stage.seconds, 'f', 1)} s)" if stage.seconds else ""
    advice = f". {stage.advice}" if stage.advice else ""
    return f"{stage_text(stage.name)}: {state}{seconds}{advice}"
