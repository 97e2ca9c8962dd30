"""Every text of the app is in the .ts files, and translated."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication

from app.client import resource
from tests.programs import ROOT
from tests.ui.support import dress

FOLDER = resource("translations")
LANGUAGES = ("en", "de")
PLACES = re.compile(r"%Ln|%\d")


def sources(folder: Path, language: str) -> set[tuple[str, str]]:
    """Every text with its context."""
    tree = ElementTree.parse(folder / f"ownsona_{language}.ts")  # noqa: S314  our own file
    return {
        (str(context.findtext("name")), str(message.findtext("source")))
        for context in tree.iter("context")
        for message in context.iter("message")
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_lupdate_finds_nothing_new(language: str, tmp_path: Path) -> None:
    """Else call `make translations` and translate."""
    for name in LANGUAGES:
        shutil.copy(FOLDER / f"ownsona_{name}.ts", tmp_path)
    subprocess.run([sys.executable, ROOT / "installer" / "translations.py", tmp_path], check=True)
    assert sources(tmp_path, language) == sources(FOLDER, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_is_translated(language: str) -> None:
    """With the same places to fill, and with every form of a number."""
    tree = ElementTree.parse(FOLDER / f"ownsona_{language}.ts")  # noqa: S314  our own file
    for message in tree.iter("message"):
        source, translation = str(message.findtext("source")), message.find("translation")
        assert translation is not None
        assert translation.get("type") is None, source
        forms = [form.text for form in translation.findall("numerusform")] if message.get("numerus") else [translation.text]
        assert len(forms) == (2 if message.get("numerus") else 1), source
        for form in forms:
            assert form, source
            assert sorted(PLACES.findall(form)) == sorted(PLACES.findall(source)), source


def test_texts_and_plurals_change_with_the_language(qapp: QApplication) -> None:
    """German, then English again."""
    try:
        dress(qapp, QLocale(QLocale.Language.German))
        assert QCoreApplication.translate("Tray", "%Ln memories", "", 1) == "1 Erinnerung"
        assert QCoreApplication.translate("Tray", "Settings") == "Einstellungen"
        dress(qapp, QLocale(QLocale.Language.Arabic))
        assert qapp.isRightToLeft()
        assert QCoreApplication.translate("Tray", "%Ln memories", "", 1).endswith(" memory")
    finally:
        dress(qapp)
    assert QCoreApplication.translate("Tray", "%Ln memories", "", 2) == "2 memories"
    assert not qapp.isRightToLeft()
