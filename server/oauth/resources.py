"""Resource indicators (RFC 8707): which endpoint a token is for, and the scopes that this endpoint knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from server.oauth.builtin import ALL_SCOPES
from server.oauth.site import Site


class UnknownResourceError(ValueError):
    """The resource is not an endpoint of this server, or there is more than one."""


@dataclass(frozen=True, slots=True)
class Resources:
    """The endpoints of a server: path -> the scopes that its tools need, the main one first."""

    site: Site
    scopes: Mapping[str, frozenset[str]]

    def path(self, named: Sequence[str]) -> str:
        """The endpoint that a request names; the main one where it names none. Raises UnknownResourceError."""
        paths = {self._path(resource) for resource in named} or {next(iter(self.scopes))}
        if len(paths) > 1:
            raise UnknownResourceError
        return paths.pop()

    def _path(self, resource: str) -> str:
        """In any spelling of this server; one slash at the end makes no difference."""
        try:
            parts = urlsplit(resource)
        except ValueError:
            raise UnknownResourceError from None
        path = parts.path.removesuffix("/")
        if f"{parts.scheme}://{parts.netloc.lower()}" not in self.site.origins or path not in self.scopes or parts.query or parts.fragment:
            raise UnknownResourceError
        return path

    def narrow(self, path: str, requested: Iterable[str]) -> tuple[str, ...]:
        """What may be asked for at an endpoint: the known ones of those requested, and all where none of them is known."""
        known = [scope for scope in ALL_SCOPES if scope in self.scopes[path]]
        return tuple(scope for scope in known if scope in set(requested)) or tuple(known)

    def audience(self, path: str) -> str:
        """The `aud` of tokens for an endpoint. All servers behind one public address accept it."""
        return f"{self.site.issuer}{path}"
