"""Model cards: one TOML file per model says how its vectors come about, so another model is a file and not code."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from server.embedding.tokenizer import Form
from server.memory.ports import EmbeddingError
from server.paths import resource

DEFAULT = "multilingual-e5-small"
CARD = "card.toml"
SCHEME = 1  # raise it when the code changes what vectors the same card gives


class Part(BaseModel):
    """Base of all parts of a card: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(Part):
    """One file beside the card."""

    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Files(Part):
    """The files of a model by what they are for."""

    model: ModelFile  # GGUF
    token_embeddings: ModelFile | None = None  # Q4_0 rows, for a GGUF whose vocabulary was left out
    tokenizer: ModelFile | None = None  # a SentencePiece model
    transform: ModelFile | None = None  # .npy: the transform of raw vectors, see transform.py

    def __iter__(self) -> Iterator[ModelFile]:  # type: ignore[override]  # pydantic's own gives (name, value) pairs
        return (file for file in (self.model, self.token_embeddings, self.tokenizer, self.transform) if file)


class Windows(Part):
    """How long texts are cut. A window's tokens include start, prefix and end."""

    tokens: int = Field(default=192, ge=32)
    overlap: int = Field(default=48, ge=0)


class Card(Part):
    """What must be known about a model."""

    id: str
    licence: str
    source: str
    dimension: int = Field(ge=1)
    context: int = Field(ge=32)  # tokens that the model can take at once
    pooling: Literal["mean", "cls", "last"]
    normalisation: Literal["l2"] = "l2"
    query_prefix: str = ""
    passage_prefix: str = ""
    tokenizer: Literal["sentencepiece", "gguf"]
    unicode_form: Form | None = None  # texts are brought into it before they are tokenised
    windows: Windows = Windows()
    files: Files
    calibration: dict[str, dict[str, float]] = {}  # measured; for people, nothing depends on it

    @model_validator(mode="after")
    def consistent(self) -> Card:
        """Parts that must go together."""
        if (self.tokenizer == "sentencepiece") != (self.files.tokenizer is not None):
            raise ValueError("files.tokenizer belongs to the tokenizer 'sentencepiece', and to no other")
        if self.windows.tokens > self.context:
            raise ValueError("windows.tokens must not be greater than context")
        if self.windows.overlap > self.windows.tokens // 2:
            raise ValueError("windows.overlap must be at most half of windows.tokens")
        return self

    def generation(self) -> str:
        """16 hexadecimal digits that change with everything that changes a vector."""
        parts = self.model_dump(mode="json", exclude={"id", "licence", "source", "calibration"})
        parts["files"] = {kind: file and file["sha256"] for kind, file in parts["files"].items()}
        parts["scheme"] = SCHEME
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A card and the folder that holds its files."""

    card: Card
    folder: Path

    def path(self, file: ModelFile) -> Path:
        """Where a file of the card is."""
        return self.folder / file.name

    def verify(self) -> None:
        """Read all files and compare their hashes with the card's. Raises EmbeddingError."""
        for file in self.card.files:
            path = self.path(file)
            try:
                with path.open("rb") as stream:
                    found = hashlib.file_digest(stream, "sha256").hexdigest()
            except OSError as error:
                raise EmbeddingError(
                    f"The model file {path} cannot be read ({error.strerror}). Install OwnSona again, or correct OWNSONA_EMBEDDING_MODEL."
                ) from error
            if found != file.sha256:
                raise EmbeddingError(
                    f"The model file {path} is not the one that its card names: its SHA-256 is {found}, the card says {file.sha256}. "
                    "It is damaged or was replaced. Install OwnSona again; for a model of your own, correct the card."
                )


def read_card(path: Path) -> LocalModel:
    """The card in one TOML file. Raises EmbeddingError."""
    try:
        card = Card.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise EmbeddingError(f"The model card {path} cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EmbeddingError(f"The model card {path} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "card"
        raise EmbeddingError(f"The model card {path} cannot be used: {place}: {first['msg']}.") from None
    return LocalModel(card, path.parent)


def find_card(wanted: str | None) -> LocalModel:
    """The model that OWNSONA_EMBEDDING_MODEL names, or the default one. Raises EmbeddingError.

    `wanted` is a GGUF file with its card beside it (same name with `.toml`, or `card.toml`), a card, a folder with a
    `card.toml`, or the name of a model that comes with OwnSona.
    """
    if not wanted:
        return read_card(resource("models", DEFAULT, CARD))
    path = Path(wanted).expanduser()
    if path.is_dir():
        return read_card(path / CARD)
    if path.suffix == ".toml":
        return read_card(path)
    if path.suffix == ".gguf":
        return card_beside(path)
    shipped = resource("models", wanted, CARD)
    if Path(wanted).name == wanted and shipped.is_file():
        return read_card(shipped)
    raise EmbeddingError(
        f"OWNSONA_EMBEDDING_MODEL is {wanted!r}, which is neither a GGUF file, a model card, a folder with a {CARD}, nor one of: "
        f"{', '.join(sorted(folder.parent.name for folder in resource('models').glob(f'*/{CARD}')))}."
    )


def card_beside(model: Path) -> LocalModel:
    """The card of a GGUF file. Raises EmbeddingError."""
    if not model.is_file():
        raise EmbeddingError(f"OWNSONA_EMBEDDING_MODEL names {model}, and there is no such file.")
    for path in (model.with_suffix(".toml"), model.parent / CARD):
        if path.is_file():
            found = read_card(path)
            if found.card.files.model.name == model.name:
                return found
    raise EmbeddingError(
        f"The model {model} has no card. Write {model.with_suffix('.toml').name} beside it, after the example of "
        f"{resource('models', DEFAULT, CARD)}: dimension, context, pooling, prefixes, tokenizer, and the file with its SHA-256."
    )
