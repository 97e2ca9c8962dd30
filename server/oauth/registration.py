"""Dynamic client registration (RFC 7591): what a client may register, and the answer that it gets."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.shared.auth import OAuthClientMetadata
from pydantic import ValidationError

from server.oauth.authority import AUTH_METHODS, GRANT_TYPES
from server.oauth.builtin import ALL_SCOPES
from server.oauth.opaque import digest, new_secret
from server.oauth.records import Client
from server.oauth.redirects import refusal

MAX_REDIRECTS = 20
MAX_CHARS = 2048  # of any one value
MAX_NAME_CHARS = 200
OFFLINE = "offline_access"
NAMELESS = "Unnamed program"
_NOT_KEPT = {"jwks", "jwks_uri"}  # keys are not a way to authenticate here


class RegistrationError(Exception):
    """The registration is refused; `error` is a code of RFC 7591, the message says what to change."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Registration:
    """A new client, and the answer that alone holds its secret."""

    client: Client
    answer: Mapping[str, Any]


def register(document: object) -> Registration:
    """Check a registration and make the client. Raises RegistrationError."""
    metadata = _metadata(_checked(document))
    secret = new_secret() if metadata["token_endpoint_auth_method"].startswith("client_secret") else None
    client = Client(
        client_id=new_secret()[:24],
        name=visible(metadata.get("client_name", "")) or NAMELESS,
        metadata=metadata,
        secret_hash=digest(secret) if secret else None,
    )
    answer = {**metadata, "client_id": client.client_id, "client_id_issued_at": int(time.time())}
    if secret:
        answer |= {"client_secret": secret, "client_secret_expires_at": 0}
    return Registration(client, answer)


def visible(name: str) -> str:
    """A name without characters that are not seen or that turn the direction of writing."""
    kept = "".join(char if unicodedata.category(char)[0] not in "CZ" else " " for char in name)
    return " ".join(kept.split())[:MAX_NAME_CHARS]


def _checked(document: object) -> dict[str, Any]:
    """The document with values of the right types and of sensible sizes."""
    if not isinstance(document, dict):
        raise RegistrationError("invalid_client_metadata", "The body must be a JSON object.")
    if not isinstance(document.get("redirect_uris"), list):
        raise RegistrationError("invalid_redirect_uri", "redirect_uris must be a list of addresses.")
    try:
        values = OAuthClientMetadata.model_validate(document).model_dump(mode="json", exclude_none=True, exclude=_NOT_KEPT)
    except ValidationError as error:
        field = str(error.errors(include_url=False, include_input=False)[0]["loc"][0])
        code = "invalid_redirect_uri" if field == "redirect_uris" else "invalid_client_metadata"
        raise RegistrationError(code, f"{field} is missing or has a value that is not allowed.") from None
    values["redirect_uris"] = document["redirect_uris"]  # as written: the type check has put them into another form
    for text in _texts(values):
        if len(text) > MAX_CHARS or any(ord(char) < 32 or 0xD800 <= ord(char) < 0xE000 for char in text):
            raise RegistrationError(
                "invalid_client_metadata", f"A value is longer than {MAX_CHARS} characters or holds control characters."
            )
    return values


def _texts(values: Mapping[str, Any]) -> list[str]:
    texts: list[str] = []
    for value in values.values():
        texts += value if isinstance(value, list) else [value]
    return texts


def _metadata(values: dict[str, Any]) -> dict[str, Any]:
    """What is kept and echoed: redirect policy applied, defaults filled in, the rest narrowed to what is served here."""
    redirects = values["redirect_uris"]
    if len(redirects) > MAX_REDIRECTS or len(values.get("contacts", ())) > MAX_REDIRECTS:
        raise RegistrationError("invalid_redirect_uri", f"At most {MAX_REDIRECTS} redirect addresses and contacts can be registered.")
    for uri in redirects:
        if reason := refusal(uri):
            raise RegistrationError("invalid_redirect_uri", f"A redirect address is not allowed: {reason}.")
    method = values.get("token_endpoint_auth_method") or AUTH_METHODS[0]
    if method not in AUTH_METHODS:
        raise RegistrationError("invalid_client_metadata", f"token_endpoint_auth_method must be one of {', '.join(AUTH_METHODS)}.")
    if "code" not in values["response_types"] or "authorization_code" not in values["grant_types"]:
        raise RegistrationError("invalid_client_metadata", "The response type code and the grant type authorization_code are needed.")
    asked = values.get("scope", "").split()
    return {
        **values,
        "token_endpoint_auth_method": method,
        "grant_types": [grant for grant in GRANT_TYPES if grant in values["grant_types"]],
        "response_types": ["code"],
        "scope": " ".join(scope for scope in (*ALL_SCOPES, OFFLINE) if scope in asked) or " ".join(ALL_SCOPES),
    }
