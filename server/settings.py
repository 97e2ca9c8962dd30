"""Validated settings, read from the environment once at start-up."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from server.endpoints import DEFAULT_PORT
from server.memory.model import Limits
from server.oauth.login import FixedLogin

_LIMITS = Limits()


class SettingsError(Exception):
    """A setting has a value that cannot be used; the message names it and says what is allowed."""


class Settings(BaseModel):
    """Every field can be set by the variable `OWNSONA_` + its name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    port: int = Field(DEFAULT_PORT, ge=0, le=65535)
    database_url: str | None = None  # an own Postgres with pgvector instead of the embedded one
    embedding_url: str | None = None  # an embedding service with the OpenAI API instead of the local model
    embedding_model: str | None = None  # a GGUF path or a card's name
    embedding_api_key: str | None = None
    embedding_threads: int = Field(min(2, os.cpu_count() or 1), ge=1, le=64)
    embedding_idle_minutes: float = Field(0.0, ge=0)  # without work the local model is unloaded after so long; 0: never
    public_url: str | None = None
    tls_cert: str | None = None  # PEM files; without them the server speaks plain HTTP on loopback
    tls_key: str | None = None
    login_username: str | None = None  # of the consent page; both or none
    login_password: str | None = Field(None, repr=False)
    max_text_chars: int = Field(_LIMITS.max_text_chars, ge=1, le=1_000_000)
    max_batch_size: int = Field(_LIMITS.max_batch_size, ge=1, le=10_000)
    default_recall_limit: int = Field(_LIMITS.default_recall_limit, ge=1, le=1000)
    max_recall_limit: int = Field(_LIMITS.max_recall_limit, ge=1, le=1000)
    graph_max_relations: int = Field(_LIMITS.graph_max_relations, ge=1, le=100_000)
    max_export_rows: int = Field(_LIMITS.max_export_rows, ge=1, le=1_000_000)
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")

    def fixed_login(self) -> FixedLogin | None:
        """The login that the environment sets, if it does."""
        return FixedLogin(self.login_username, self.login_password) if self.login_username and self.login_password else None

    @model_validator(mode="after")
    def _pairs(self) -> Settings:
        for first, second in (("tls_cert", "tls_key"), ("login_username", "login_password")):
            if bool(getattr(self, first)) != bool(getattr(self, second)):
                raise ValueError(f"OWNSONA_{first.upper()} and OWNSONA_{second.upper()} are needed together")
        return self

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ, **overrides: object) -> Settings:
        """Settings from the environment; `overrides` come from the command line. Raises SettingsError."""
        values: dict[str, object] = {
            name: environ[f"OWNSONA_{name.upper()}"] for name in cls.model_fields if environ.get(f"OWNSONA_{name.upper()}")
        }
        values.update({name: value for name, value in overrides.items() if value is not None})
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            # The value itself is left out: it may be a password.
            first = error.errors(include_url=False, include_input=False)[0]
            name = ".".join(map(str, first["loc"]))
            where = f"OWNSONA_{name.upper()}: " if name else ""
            raise SettingsError(f"{where}{first['msg'].removeprefix('Value error, ')}.") from None
