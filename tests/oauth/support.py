"""An authorization server over the real database, and the two who deal with it: a client and a person's browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from server.oauth.builtin import OWNER_ID
from server.oauth.keys import PublicJwk
from server.oauth.login import FixedLogin
from server.oauth.owner import OAuthParts
from server.paths import Home
from server.settings import Settings
from server.store.database import Database
from server.store.oauth import OAuthTables
from server.store.oauth_flow import OAuthFlow
from server.store.oauth_owner import OAuthOwner
from tests.probe_server import ProbeParts
from tests.web_support import Answer, Probe, fetch

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LOOPBACK = "http://127.0.0.1:7777/callback"
USERNAME, PASSWORD = "ada", "correct horse battery"


class RealParts(ProbeParts):
    """The probe toolset with the real tables of access."""

    def __init__(self, home: Home, database: Database, login: FixedLogin | None = None) -> None:
        super().__init__(home, Settings.read({}))
        connect = database.transaction
        self.tables = OAuthTables(connect, OWNER_ID)
        self.grants = self.tables  # type: ignore[assignment]  # real ones in the place of the probe's
        self.oauth = OAuthParts(OAuthFlow(connect, OWNER_ID), OAuthOwner(connect, OWNER_ID), login)

    def register_key(self, jwk: PublicJwk, replaces: str | None) -> None:
        """In the database."""
        self.tables.register_key(jwk, replaces)

    def public_keys(self) -> Iterable[Mapping[str, Any]]:
        """From the database."""
        return self.tables.public_keys()


def query(address: str) -> dict[str, str]:
    """The parameters of an address, each once."""
    values = parse_qs(urlsplit(address).query, strict_parsing=True)
    assert all(len(one) == 1 for one in values.values()), "a parameter is there twice"
    return {name: one[0] for name, one in values.items()}


def location(answer: Answer) -> str:
    """Where a redirect leads."""
    assert answer.status in (302, 303), (answer.status, answer.body)
    [address] = answer.all("location")
    return address


def pkce() -> tuple[str, str]:
    """A verifier and its challenge."""
    verifier = secrets.token_urlsafe(48)
    return verifier, base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


class Browser:
    """A person's browser at the server's own address: keeps cookies, and says where a form came from."""

    def __init__(self, probe: Probe, host: str = "127.0.0.1") -> None:
        self.probe = probe
        self.host = f"{host}:{probe.port}"
        self.cookies: dict[str, str] = {}

    def get(self, path: str, **headers: str) -> Answer:
        """Follow a link."""
        return self._keep(fetch(self.probe.port, "GET", path, {**self._headers(), **headers}))

    def post(self, fields: Mapping[str, Any] | bytes, path: str = "/oauth/consent", **headers: str) -> Answer:
        """Send a form; a header that is given as "" is left out."""
        sent = {**self._headers(), **FORM, "Origin": f"http://{self.host}", "Sec-Fetch-Site": "same-origin"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        body = fields if isinstance(fields, bytes) else urlencode(fields, doseq=True).encode()
        return self._keep(fetch(self.probe.port, "POST", path, {name: value for name, value in sent.items() if value}, body))

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Host": self.host, **({"Cookie": cookies} if cookies else {})}

    def _keep(self, answer: Answer) -> Answer:
        for text in answer.all("set-cookie"):
            for name, morsel in SimpleCookie(text).items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value
        return answer


@dataclass
class Page:
    """The consent page as a browser shows it."""

    browser: Browser
    answer: Answer
    fields: dict[str, Any]  # what the form would send

    @property
    def text(self) -> str:
        """Its source."""
        return self.answer.body.decode()

    def send(self, decision: str = "allow", **changes: Any) -> Answer:
        """Send the form."""
        values = {"username": USERNAME, "password": PASSWORD, **self.fields, "decision": decision, **changes}
        return self.browser.post({name: value for name, value in values.items() if value is not None})


def read_page(browser: Browser, answer: Answer) -> Page:
    """The page with the values of its form."""
    text = answer.body.decode()
    [request_id] = re.findall(r'name="request" value="([^"]+)"', text)
    ticked = re.findall(r'name="scope" value="([^"]+)" checked', text)
    return Page(browser, answer, {"request": html.unescape(request_id), "scope": ticked})


@dataclass
class OAuthClient:
    """A registered client and what it has got."""

    probe: Probe
    document: Mapping[str, Any]
    redirect: str = LOOPBACK
    verifier: str = ""
    tokens: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.document["client_id"])

    def authorize_path(self, **changes: Any) -> str:
        """The address to which it sends the browser; None leaves a parameter out."""
        self.verifier, challenge = pkce()
        values = {
            "response_type": "code", "client_id": self.id, "redirect_uri": self.redirect, "state": "a state/é", "code_challenge": challenge,
            "code_challenge_method": "S256", "resource": f"http://127.0.0.1:{self.probe.port}/mcp",
        }  # fmt: skip
        wanted = {name: value for name, value in {**values, **changes}.items() if value is not None}
        return f"/oauth/authorize?{urlencode(wanted, doseq=True)}"

    def begin(self, browser: Browser | None = None, **changes: Any) -> Page:
        """Up to the consent page."""
        browser = browser or Browser(self.probe)
        answer = browser.get(location(browser.get(self.authorize_path(**changes))))
        assert answer.status == 200, answer.body
        return read_page(browser, answer)

    def code(self, scope: list[str] | None = None, **changes: Any) -> str:
        """A code, with the person's consent."""
        page = self.begin(**changes)
        answer = query(location(page.send("allow", **({} if scope is None else {"scope": scope}))))
        return answer["code"]

    def token(self, **parameters: Any) -> Answer:
        """A request to the token endpoint, with the client's id unless it has a secret."""
        headers = dict(FORM)
        if self.document.get("token_endpoint_auth_method") == "client_secret_basic":
            pair = f"{self.id}:{self.document['client_secret']}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            parameters = {"client_id": self.id, "client_secret": self.document.get("client_secret"), **parameters}
        body = urlencode({name: value for name, value in parameters.items() if value is not None}, doseq=True)
        return fetch(self.probe.port, "POST", "/oauth/token", headers, body.encode())

    def redeem(self, code: str, **changes: Any) -> Answer:
        """Exchange a code."""
        values = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect, "code_verifier": self.verifier}
        return self.token(**{**values, **changes})

    def refresh(self, token: str | None = None, **changes: Any) -> Answer:
        """Exchange a refresh token."""
        return self.token(**{"grant_type": "refresh_token", "refresh_token": token or self.tokens["refresh_token"], **changes})

    def log_in(self, scope: list[str] | None = None, **changes: Any) -> dict[str, Any]:
        """The whole way to tokens."""
        answer = self.redeem(self.code(scope, **changes))
        assert answer.status == 200, answer.body
        self.tokens = answer.json
        return self.tokens

    def revoke(self, token: str, **parameters: Any) -> Answer:
        """A request to the revocation endpoint."""
        values = {"client_id": self.id, "client_secret": self.document.get("client_secret"), "token": token, **parameters}
        body = urlencode({name: value for name, value in values.items() if value is not None})
        return fetch(self.probe.port, "POST", "/oauth/revoke", FORM, body.encode())

    def works(self, token: str | None = None, path: str = "/mcp", tool: str = "echo") -> int:
        """The status of a tool call."""
        return self.probe.call(tool, token=token or self.tokens["access_token"], path=path).status


def register(probe: Probe, **changes: Any) -> Answer:
    """A registration; None leaves a value out."""
    values = {"client_name": "Test Client", "redirect_uris": [LOOPBACK], "token_endpoint_auth_method": "none", **changes}
    body = json.dumps({name: value for name, value in values.items() if value is not None}).encode()
    return fetch(probe.port, "POST", "/oauth/register", {"Content-Type": "application/json"}, body)


def new_client(probe: Probe, redirect: str = LOOPBACK, **changes: Any) -> OAuthClient:
    """A registered client that uses this redirect address."""
    answer = register(probe, **{"redirect_uris": [redirect], **changes})
    assert answer.status == 201, answer.body
    return OAuthClient(probe, answer.json, redirect)
