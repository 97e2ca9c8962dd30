"""Colours that can be read, and icons in them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QToolButton

from app.client import resource
from app.theme import DARK, DARK_CONTRAST, LIGHT, LIGHT_CONTRAST, Look, Theme, picture

PAIRS = [
    ("text", "window"), ("text", "base"), ("text", "alternate"), ("text", "button"), ("on_accent", "accent"), ("text", "note"),
    ("text", "warning"), ("text", "chip"), ("faint", "window"), ("faint", "base"), ("link", "base"),
]  # fmt: skip


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    red, green, blue = (linear(value) for value in (QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(value: float) -> float:
    """One part of a colour without its gamma."""
    return value / 12.92 if value <= 0.03928 else float(((value + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colours", "least"), [(LIGHT, 4.5), (DARK, 4.5), (LIGHT_CONTRAST, 7.0), (DARK_CONTRAST, 7.0)])
def test_texts_can_be_read(colours: Mapping[str, str], least: float) -> None:
    """AA as a rule, AAA where strong contrast was asked for."""
    for text, ground in PAIRS:
        assert contrast(colours[text], colours[ground]) >= least, (text, ground)


def test_looks_change_palette_and_bound_icons(qapp: QApplication) -> None:
    """Without a restart."""
    theme = Theme(qapp, Look.LIGHT)
    button = QToolButton()
    theme.bind(button, "plus")
    light = button.icon().pixmap(24, 24).toImage()
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT["window"])
    theme.choose(Look.DARK)
    assert theme.dark
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK["window"])
    assert button.icon().pixmap(24, 24).toImage() != light
    button.deleteLater()
    theme.choose(Look.SYSTEM)
    theme.deleteLater()


def test_high_contrast(qapp: QApplication) -> None:
    """Black on white."""
    theme = Theme(qapp, Look.LIGHT, contrast=True)
    assert qapp.palette().color(QPalette.ColorRole.WindowText) == QColor("#000000")
    theme.deleteLater()
    Theme(qapp, Look.SYSTEM).deleteLater()


def test_every_icon_is_drawn() -> None:
    """And carries no colour of its own."""
    files = sorted(resource("icons").glob("*.svg"))
    assert files
    for file in files:
        assert b"currentColor" in file.read_bytes()
        image = picture(file.stem, "#ff0000", 24).toImage()
        inked = [image.pixelColor(x, y) for x in range(24) for y in range(24) if image.pixelColor(x, y).alpha() > 200]
        assert inked, file.stem
        assert all(colour.red() > 200 and colour.green() < 60 for colour in inked), file.stem
