"""Which redirect addresses are allowed, when two of them are the same, and how an answer is put into one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlencode, urlsplit

MAX_CHARS = 2048
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_ALLOWED = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")  # RFC 3986 without the fragment
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+")
# Schemes that browsers or systems interpret themselves: nothing that could return an answer to an app.
FORBIDDEN_SCHEMES = frozenset(
    """about acrobat android-app blob cid chrome chrome-extension chrome-search data devtools edge feed file filesystem ftp ftps geo
    gopher hcp help imap intent its jar javascript ldap ldaps livescript mailto market mid mk mocha moz-extension ms-appinstaller
    ms-its ms-msdt ms-officecmd ms-settings news nfs nntp opera resource rlogin res search search-ms sftp shell sip sips smb sms ssh
    tel telnet urn vbs vbscript view-source vnc wais ws wss wyciwyg x-apple.systempreferences""".split()
)


def refusal(uri: str) -> str | None:
    """Why an address is not allowed, or None where it is."""
    if len(uri) > MAX_CHARS:
        return f"it is longer than {MAX_CHARS} characters"
    if not _ALLOWED.fullmatch(uri):
        return "it has a fragment, or characters that do not belong into an address"
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return "it is malformed"
    if not parts.scheme:
        return "it has no scheme"
    if "@" in parts.netloc:
        return "it holds a user name"
    return _scheme_refusal(parts, port)


def _scheme_refusal(parts: SplitResult, port: int | None) -> str | None:
    scheme = parts.scheme.lower()
    if scheme in ("http", "https"):
        host = parts.hostname or ""
        if not _HOST.fullmatch(host) or port == 0:
            return "its host or port is malformed"
        if scheme == "http" and host not in LOOPBACK_HOSTS:
            return "plain http is for this computer only (127.0.0.1, localhost); use https"
        return None
    if scheme in FORBIDDEN_SCHEMES:
        return "its scheme does not lead back to an app"
    return None if parts.netloc or parts.path else "nothing follows its scheme"


def is_loopback(uri: str) -> bool:
    """Whether an allowed address leads to a program on this computer over http."""
    parts = urlsplit(uri)
    return parts.scheme.lower() == "http" and parts.hostname in LOOPBACK_HOSTS


def matches(registered: str, requested: str) -> bool:
    """Exactly equal; on loopback with any port (RFC 8252 7.3), also for the name localhost. Never an address that is not allowed."""
    if refusal(requested) or refusal(registered):
        return False
    if registered == requested:
        return True
    return is_loopback(registered) and is_loopback(requested) and _without_port(registered) == _without_port(requested)


def _without_port(uri: str) -> tuple[str | None, str, str]:
    parts = urlsplit(uri)
    return parts.hostname, parts.path or "/", parts.query


def answer_address(uri: str, parameters: Iterable[tuple[str, str]]) -> str:
    """The address with an answer added to its query, which is kept as it is."""
    return uri + ("&" if "?" in uri else "?") + urlencode(list(parameters))


def destination(uri: str) -> str:
    """What a person should see of an address: its host, or the scheme of an app."""
    parts = urlsplit(uri)
    return parts.netloc if parts.scheme.lower() in ("http", "https") else f"{parts.scheme}:"


def form_action(uri: str) -> str:
    """The CSP source that lets a form's redirect through to an allowed address."""
    parts = urlsplit(uri)
    scheme = parts.scheme.lower()
    # CSP cannot name IPv6 hosts.
    return f"{scheme}:" if scheme not in ("http", "https") or ":" in (parts.hostname or "") else f"{scheme}://{parts.netloc.lower()}"
