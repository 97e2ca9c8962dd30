"""Fields of the editor: importance and expiry. Both say what the person set, never what was shown to them."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QDate, QDateTime, QSignalBlocker, Qt, QTime, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QDateEdit, QHBoxLayout, QLabel, QSlider, QWidget

from app.models.memory_table import local_time, percent

REST_MS = 400  # after the last movement of the slider
LATER_DAYS = 30  # what a new expiry date starts with


class ImportanceField(QWidget):
    """0 to 100 per cent; `edited` comes once the slider rests."""

    edited = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(10)
        self.slider.setAccessibleName(self.tr("Importance"))
        self._label = QLabel(self)
        self._label.setMinimumWidth(self._label.fontMetrics().horizontalAdvance("100 %") + 4)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.slider, 1)
        layout.addWidget(self._label)
        self.setFocusProxy(self.slider)
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._emit)
        self.slider.valueChanged.connect(self._moved)

    def show_value(self, importance: float | None) -> None:
        """Show it; None: several."""
        self._rest.stop()
        with QSignalBlocker(self.slider):
            self.slider.setValue(50 if importance is None else round(importance * 100))
        self._label.setText("–" if importance is None else percent(importance))

    @property
    def pending(self) -> bool:
        """Whether the person has moved it and it does not rest yet."""
        return self._rest.isActive()

    def flush(self) -> None:
        """Do not wait for the rest."""
        if self.pending:
            self._rest.stop()
            self._emit()

    def _emit(self) -> None:
        self.edited.emit(self.slider.value() / 100)

    def _moved(self, value: int) -> None:
        self._label.setText(percent(value / 100))
        self._rest.start()


class ExpiryField(QWidget):
    """Never, or the end of a day; `edited` carries a moment or None."""

    edited = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.check = QCheckBox(self.tr("On a certain day"), self)
        self.check.setAccessibleName(self.tr("Expires"))
        self.date = QDateEdit(self)
        self.date.setCalendarPopup(True)
        self.date.setAccessibleName(self.tr("Expires on"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.check)
        layout.addWidget(self.date)
        layout.addStretch()
        self.setFocusProxy(self.check)
        self.check.toggled.connect(self._switched)
        self.date.editingFinished.connect(self._emit)
        self.date.calendarWidget().clicked.connect(self._emit)
        self.show_value(None)

    def show_value(self, moment: datetime | None) -> None:
        """Show it."""
        day = local_time(moment).date() if moment else QDate.currentDate().addDays(LATER_DAYS)
        with QSignalBlocker(self.check), QSignalBlocker(self.date):
            self.check.setChecked(moment is not None)
            self.date.setDate(day)
        self.date.setVisible(moment is not None)
        self._shown = self.value()

    def value(self) -> datetime | None:
        """What is set now: the last second of the day, where the person is."""
        if not self.check.isChecked():
            return None
        end = QDateTime(self.date.date(), QTime(23, 59, 59))
        return datetime.fromtimestamp(end.toSecsSinceEpoch(), UTC)

    def _switched(self, on: bool) -> None:
        self.date.setVisible(on)
        self._emit()

    def _emit(self) -> None:
        if self.value() != self._shown:
            self._shown = self.value()
            self.edited.emit(self._shown)
