"""LoCoMo as memories and questions. For measuring only: none of it enters the project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "locomo-dev.json"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a talk as a memory: `{speaker} ({session date}): {text}`, a picture's caption in brackets."""

    talk: str
    session: int
    key: str  # D3:12
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that answer it."""

    talk: str
    text: str
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Talks:
    """All talks of one file, each talk's turns in the order in which they were said."""

    turns: list[Turn]
    questions: list[Question]


def load(path: Path = DATA) -> Talks:
    """Read a LoCoMo file. Questions without usable evidence are left out."""
    talks: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    turns = [turn for talk in talks for turn in _turns(talk)]
    known = {(turn.talk, turn.key) for turn in turns}
    questions = [
        Question(talk["sample_id"], question["question"], keys)
        for talk in talks
        for question in talk["qa"]
        if (keys := frozenset(key for key in _evidence(question) if (talk["sample_id"], key) in known))
    ]
    return Talks(turns, questions)


def _turns(talk: dict[str, Any]) -> Iterator[Turn]:
    conversation = talk["conversation"]
    for number in _sessions(conversation):
        date = conversation[f"session_{number}_date_time"]
        for turn in conversation[f"session_{number}"]:
            picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Turn(talk["sample_id"], number, turn["dia_id"], f"{turn['speaker']} ({date}): {turn['text']}{picture}")


def _sessions(conversation: dict[str, Any]) -> list[int]:
    return sorted(int(match[1]) for key in conversation if (match := re.fullmatch(r"session_(\d+)", key)))


def _evidence(question: dict[str, Any]) -> list[str]:
    return [key for part in question.get("evidence", []) for key in re.findall(r"D\d+:\d+", part)]
