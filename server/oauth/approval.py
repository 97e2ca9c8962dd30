"""The person's answer to an authorization request: bound to one browser, given once, and only by who may give it.

A request is answered on the consent page, by logging in, or in the desktop window, by the owner's token. In both cases the
browser that began it fetches the result: it shows the cookie that it got with the page.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from server.oauth.authority import Authority
from server.oauth.login import Login
from server.oauth.opaque import digest, new_secret
from server.oauth.records import Pending

COOKIE_PREFIX = "ownsona_request_"


class ForeignPageError(Exception):
    """The answer does not come from our own consent page."""


class GoneError(Exception):
    """The request was answered already, has expired, or never was."""


class NoScopeError(Exception):
    """Everything was unticked."""


class WrongLoginError(Exception):
    """User name or password is wrong."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A request that now waits: its id, and the cookie of the browser."""

    request_id: str
    cookie: str


def cookie_name(request_id: str) -> str:
    """Each request has a cookie of its own, so that several may wait in one browser."""
    return COOKIE_PREFIX + digest(request_id).hex()[:16]


def check_code(id_hash: bytes) -> str:
    """Four characters that page and window show alike, so that the person approves what is in front of them."""
    return base64.b32encode(id_hash)[:4].decode()


def require_own_page(origin: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse an answer that another page, or no page at all, has sent. Raises ForeignPageError."""
    values = list(headers)
    origins = [value.decode("latin-1").lower() for name, value in values if name == b"origin"]
    sites = [value for name, value in values if name == b"sec-fetch-site"]
    if origins != [origin] or any(site not in (b"same-origin", b"none") for site in sites):
        raise ForeignPageError


class Approval:
    """Begins, answers and finishes requests. Blocks; raises StoreError."""

    def __init__(self, authority: Authority, login: Login) -> None:
        self._authority = authority
        self._store = authority.store
        self.login = login

    def begin(self, parameters: Mapping[str, list[str]]) -> Begun:
        """Check a request and keep it for the person. Raises RefusedRequestError."""
        pending = self._authority.authorization_request(parameters)
        begun = Begun(new_secret(), new_secret())
        self._store.add_request(begun.request_id, replace(pending, cookie_hash=digest(begun.cookie)))
        return begun

    def pending(self, request_id: str) -> Pending:
        """What waits. Raises GoneError."""
        pending = self._store.request(request_id)
        if pending is None:
            raise GoneError
        return pending

    def allow(self, request_id: str, cookie: str, scopes: Sequence[str], login: tuple[str, str]) -> str:
        """Where the browser goes next. Raises ForeignPageError, GoneError, NoScopeError, LockedError, WrongLoginError."""
        pending = self._bound(request_id, cookie)
        granted = [scope for scope in pending.scopes if scope in scopes]
        if not granted:
            raise NoScopeError
        if not self.login.check(*login):
            raise WrongLoginError
        return self._decide(request_id, granted)

    def deny(self, request_id: str, cookie: str) -> str:
        """Where the browser goes next; saying no needs no password. Raises ForeignPageError, GoneError."""
        self._bound(request_id, cookie)
        return self._decide(request_id, None)

    def collect(self, request_id: str, cookie: str) -> str | None:
        """Where the browser goes next, once the window has given the answer; None while it waits. Raises GoneError."""
        pending = self.pending(request_id)
        if pending.decision is None:
            return None
        try:
            self._bound(request_id, cookie)
        except ForeignPageError:  # another browser with the address learns nothing
            raise GoneError from None
        return self._finish(request_id)

    def _bound(self, request_id: str, cookie: str) -> Pending:
        pending = self.pending(request_id)
        if not hmac.compare_digest(digest(cookie), pending.cookie_hash):
            raise ForeignPageError
        return pending

    def _decide(self, request_id: str, scopes: Sequence[str] | None) -> str:
        if not self._store.decide(digest(request_id), scopes):
            raise GoneError
        return self._finish(request_id)

    def _finish(self, request_id: str) -> str:
        code = new_secret()
        pending = self._store.finish(request_id, code)
        if pending is None:
            raise GoneError
        return self._authority.answer(pending, code)
