"""The threats to an authorization server on a person's own computer, one test or more for each."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from server.memory.secrets import secret_shape
from server.oauth.builtin import READ, WRITE
from server.oauth.login import FixedLogin
from server.oauth.tokens import LIFETIME
from server.paths import Home
from server.store.database import Database
from tests.oauth.support import (
    FORM,
    LOOPBACK,
    PASSWORD,
    USERNAME,
    Browser,
    OAuthClient,
    RealParts,
    location,
    new_client,
    query,
    read_page,
    register,
)
from tests.web_support import PATIENCE, Answer, Probe, fetch, serving

TABLES = ("oauth_clients", "oauth_grants", "oauth_requests", "oauth_codes", "oauth_tokens", "oauth_rates", "oauth_logins", "signing_keys")


def sql(database: Database, statement: str, *values: object) -> None:
    """Change a row as time or another server would."""
    with database.transaction() as connection:
        connection.execute(statement, values)


def dump(database: Database) -> str:
    """All OAuth tables as text."""
    with database.transaction() as connection:
        rows = [connection.execute(f"SELECT t::text AS row FROM {table} t").fetchall() for table in TABLES]
    return "\n".join(row["row"] for table in rows for row in table)


# Cross-site request forgery.


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ""},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Cookie": ""},
        {"Cookie": "ownsona_request_0=x"},
    ],
)
def test_csrf_on_consent(client: OAuthClient, headers: dict[str, str]) -> None:
    """An answer counts only from our own page in the browser that began; a refused one changes nothing."""
    page = client.begin()
    answer = page.browser.post({**page.fields, "decision": "allow", "username": USERNAME, "password": PASSWORD}, **headers)
    assert answer.status == 403
    assert answer.all("location") == []
    assert query(location(page.send()))["code"]


def test_csrf_origin_of_another_spelling(probe: Probe, client: OAuthClient) -> None:
    """The page's own origin, not just any of ours."""
    page = client.begin(Browser(probe, "localhost"))
    assert page.browser.post(page.fields, Origin=f"http://127.0.0.1:{probe.port}").status == 403
    assert page.send().status == 303


def test_csrf_two_requests_in_one_browser(probe: Probe, client: OAuthClient) -> None:
    """Each has its cookie; neither answers for the other."""
    browser = Browser(probe)
    first, second = client.begin(browser), client.begin(browser)
    assert len(browser.cookies) == 2
    assert query(location(first.send("deny")))["error"] == "access_denied"
    assert query(location(second.send()))["code"]
    assert browser.cookies == {}


def test_csrf_request_counts_once(client: OAuthClient) -> None:
    """A second answer to the same request finds nothing, whatever the first was."""
    for decision in ("allow", "deny"):
        page = client.begin()
        cookies = dict(page.browser.cookies)
        assert page.send(decision).status == 303
        page.browser.cookies = cookies
        assert page.send().status == 410
        assert page.browser.get(f"/oauth/consent?request={page.fields['request']}").status == 410


def test_csrf_cookie_is_strict(probe: Probe, client: OAuthClient) -> None:
    """It is not readable by scripts, not sent from other sites, and not for other paths."""
    [cookie] = Browser(probe).get(client.authorize_path()).all("set-cookie")
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/oauth", "max-age=600"} <= parts


# Clickjacking, referrers, caches.


def test_clickjacking_and_leaks(probe: Probe, client: OAuthClient) -> None:
    """No frames, no scripts, no caches, and no address told to other sites, on every page."""
    browser = Browser(probe)
    shown = client.begin(browser)
    pages = [
        shown.answer,
        shown.send(password="wrong"),
        browser.get("/oauth/authorize?client_id=x"),
        browser.get("/oauth/consent?request=x"),
    ]
    for answer in pages:
        [policy] = answer.all("content-security-policy")
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "script" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.all("cache-control") == ["no-store"]
        assert answer.all("referrer-policy")[0] in ("no-referrer", "same-origin")
        assert b"<script" not in answer.body
    redirect = shown.send()
    assert redirect.status == 303
    assert (redirect.all("cache-control"), redirect.all("referrer-policy")) == (["no-store"], ["no-referrer"])


# Confused deputy: consent is asked every time.


def test_no_approval_from_before(probe: Probe, client: OAuthClient) -> None:
    """A client that was allowed a moment ago is asked for again, in the same browser too."""
    browser = Browser(probe)
    client.begin(browser).send()
    again = browser.get(location(browser.get(client.authorize_path())))
    assert again.status == 200
    assert read_page(browser, again).fields["request"]


@pytest.mark.parametrize(
    ("redirect", "shown"),
    [
        (LOOPBACK, "a program on this computer"),
        ("cursor://x/cb", "opens an app on this computer"),
        ("https://claude.ai/cb", "This is a web site"),
    ],
)
def test_destination_is_shown(probe: Probe, redirect: str, shown: str) -> None:
    """With a warning for each kind."""
    page = new_client(probe, redirect).begin()
    assert shown in page.text


def test_one_can_allow_less(client: OAuthClient) -> None:
    """Each scope can be unticked, what was not asked for cannot be added, and nothing at all is no answer."""
    assert client.redeem(client.code([READ])).json["scope"] == READ
    page = client.begin(scope=READ)
    assert client.redeem(query(location(page.send(scope=[READ, WRITE])))["code"]).json["scope"] == READ
    empty = client.begin().send(scope=[])
    assert empty.status == 400
    assert b"Choose at least one" in empty.body


# Tokens for others.


def test_token_passthrough(probe: Probe, client: OAuthClient) -> None:
    """A token is for one endpoint, and a foreign one for none."""
    client.log_in()
    assert client.works(path="/mcp/other") == 401
    assert client.works(probe.token(issuer="https://elsewhere.example")) == 401
    assert client.works(client.tokens["refresh_token"]) == 401


def test_lifetime(client: OAuthClient) -> None:
    """An hour at most, whatever the library thinks right for codes."""
    assert client.log_in()["expires_in"] == LIFETIME <= 3600


# Malicious clients.


@pytest.mark.parametrize(
    "uri",
    [
        "http://evil.example/cb", "http://127.0.0.1.evil.example/cb", "http://localhost@evil.example/", "http://u:p@127.0.0.1/cb",
        "https://u@example.org/cb", "https://example.org/cb#x", "https://", "http://127.0.0.1:99999/", "http://127.0.0.1:0/", "https://[::1/",
        "javascript:alert(1)", "data:,x", "file:///x", "vbscript:x", "blob:x", "about:x", "view-source:x", "ws://x", "wss://x",
        "https://a\\b.example/",
        "https://example.org/\r\nSet-Cookie: a=b", "https://example.org/ x", "https://ex\u00e4mple.org/", "app:",
        "/relative", "https://example.org/" + "x" * 2048, "", 3, None, ["https://example.org"],
        "http://2130706433/", "ms-msdt:x", "urn:a:b",
    ],
)  # fmt: skip
def test_malicious_redirects(probe: Probe, uri: object) -> None:
    """Each one fails the registration, also beside a good one."""
    answer = register(probe, redirect_uris=[LOOPBACK, uri])
    assert answer.status == 400
    assert answer.json["error"] in ("invalid_redirect_uri", "invalid_client_metadata")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"x"', b"3", b"[" * 50_000, b'{"a":' * 5000, b"\xff", b"{}", b'{"redirect_uris": []}',
        b'{"redirect_uris": null}', b'{"redirect_uris": {}}', b'{"x":"' + b"y" * 70_000 + b'"}',
    ],
)  # fmt: skip
def test_hostile_documents(probe: Probe, body: bytes) -> None:
    """400 with a code, never a fault."""
    refused(fetch(probe.port, "POST", "/oauth/register", {"Content-Type": "application/json"}, body))


@pytest.mark.parametrize(
    "changes",
    [
        {"response_types": [False]},
        {"response_types": ["token"]},
        {"scope": 3},
        {"grant_types": ["password"]},
        {"client_name": "\0"},
        {"client_name": "\ud800"},
        {"client_name": []},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"contacts": ["a"] * 30},
    ],
)
def test_hostile_registrations(probe: Probe, changes: dict[str, Any]) -> None:
    """Wrong types, and what is not served here."""
    refused(register(probe, **changes))


def refused(answer: Answer) -> None:
    """As RFC 7591 says."""
    assert answer.status == 400
    assert answer.json["error"] in ("invalid_redirect_uri", "invalid_client_metadata")
    assert answer.all("cache-control") == ["no-store"]


def test_too_many_redirects_and_long_names(probe: Probe) -> None:
    """Counts and lengths have an end."""
    assert register(probe, redirect_uris=[f"{LOOPBACK}/{number}" for number in range(21)]).status == 400
    assert register(probe, client_name="x" * 3000).status == 400
    assert register(probe, client_name=None).json.get("client_name") is None
    assert "Unnamed program" in new_client(probe, client_name="\u202e\u200b").begin().text


# Open redirects.


def test_open_redirect(probe: Probe, client: OAuthClient) -> None:
    """An unknown client or address gets a page; after a form there is a 303, which sends no form on."""
    for changes in (
        {"client_id": "x"},
        {"redirect_uri": "https://evil.example/"},
        {"client_id": None},
        {"redirect_uri": LOOPBACK + "\\@evil"},
    ):
        answer = Browser(probe).get(client.authorize_path(**changes))
        assert (answer.status, answer.all("location")) == (400, [])
    assert client.begin().send().status == 303


def test_duplicate_and_odd_parameters(probe: Probe, client: OAuthClient) -> None:
    """Given twice, with control characters, or not UTF-8: refused without a redirect."""
    path = client.authorize_path()
    for more in (
        "&state=x",
        "&redirect_uri=http://127.0.0.1:1/",
        "&x=%00",
        "&x=%0d%0aSet-Cookie",
        "&x=%ff",
        "&a=1" * 60,
        "&x=" + "y" * 70_000,
    ):
        assert Browser(probe).get(path + more).status in (400, 431)
    assert Browser(probe).get(client.authorize_path(response_type='c"\u00f6')).status == 400
    for body in (b"grant_type=refresh_token&grant_type=x", b"grant_type=%ff", b"\xff", b"", b"{}", b"grant_type=p\xc3\xb6"):
        answer = fetch(probe.port, "POST", "/oauth/token", FORM, body)
        assert (answer.status, answer.json["error"]) in ((400, "invalid_request"), (400, "unsupported_grant_type"))
    for authorization in ("Basic", "Basic x", "Basic /w==", "Basic eDp5", "Bearer x", "Basic " + "é"):
        answer = fetch(
            probe.port, "POST", "/oauth/token", {**FORM, "Authorization": authorization}, b"grant_type=refresh_token&refresh_token=x"
        )
        assert answer.status in (400, 401)


# Interception and replay of codes.


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge": "a" * 42},
        {"code_challenge": "a" * 44},
        {"code_challenge": "=" * 43},
    ],
)
@pytest.mark.parametrize("method", ["none", "client_secret_post"])
def test_pkce_is_required(probe: Probe, method: str, changes: dict[str, Any]) -> None:
    """Of every client, and only as S256."""
    client = new_client(probe, token_endpoint_auth_method=method)
    assert query(location(Browser(probe).get(client.authorize_path(**changes))))["error"] == "invalid_request"


def test_code_interception(probe: Probe, client: OAuthClient, database: Database) -> None:
    """A code is worth nothing without its verifier, client and address, or after a minute; failures do not use it up."""
    code = client.code()
    for changes, error in (
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": "x" * 43}, "invalid_grant"),
        ({"code_verifier": "x"}, "invalid_request"),
        ({"redirect_uri": "http://127.0.0.1:1/callback"}, "invalid_grant"),
        ({"redirect_uri": None}, "invalid_grant"),
        ({"client_id": new_client(probe).id}, "invalid_grant"),
    ):
        assert client.redeem(code, **changes).json["error"] == error, changes
    assert client.redeem("x").json["error"] == "invalid_grant"
    assert client.token(grant_type="authorization_code").json["error"] == "invalid_request"
    assert client.redeem(code).status == 200
    late = client.code()
    sql(database, "UPDATE oauth_codes SET expires_at = expires_at - interval '61 seconds'")
    assert client.redeem(late).json["error"] == "invalid_grant"


def test_code_replay(client: OAuthClient) -> None:
    """A second use ends what the first has begun."""
    code = client.code()
    client.tokens = client.redeem(code).json
    assert client.works() == 200
    assert client.redeem(code).json["error"] == "invalid_grant"
    assert client.works() == 401
    assert client.refresh().json["error"] == "invalid_grant"


def test_code_race(client: OAuthClient) -> None:
    """Twenty at once: one gets through."""
    code = client.code()
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: client.redeem(code), range(20)))
    assert sorted(answer.status for answer in answers) == [200] + [400] * 19


def test_redirect_that_was_not_named(probe: Probe, client: OAuthClient) -> None:
    """With one registered address it may be left out, then it need not be repeated; with several it may not."""
    code = query(location(client.begin(redirect_uri=None).send()))["code"]
    assert client.redeem(code, redirect_uri=None).status == 200
    several = new_client(probe, redirect_uris=[LOOPBACK, "cursor://x/cb"])
    assert Browser(probe).get(several.authorize_path(redirect_uri=None)).status == 400


# Theft of refresh tokens.


def test_refresh_theft(client: OAuthClient, database: Database) -> None:
    """Idle tokens end; a token that was exchanged long ago ends the family."""
    old = client.log_in()["refresh_token"]
    new = client.refresh(old).json["refresh_token"]
    sql(database, "UPDATE oauth_tokens SET used_at = used_at - interval '2 minutes'")
    assert client.refresh(old).json["error"] == "invalid_grant"
    assert client.refresh(new).json["error"] == "invalid_grant"
    client.log_in()
    sql(database, "UPDATE oauth_tokens SET expires_at = now() WHERE kind = 'refresh'")
    assert client.refresh().json["error"] == "invalid_grant"


def test_lost_races(client: OAuthClient, probe: Probe, database: Database) -> None:
    """A token that ends between the look and the exchange is not exchanged."""
    store = probe.parts.oauth.store
    token = client.log_in()["refresh_token"]
    found = store.refresh_token(token, client.id)
    assert found is not None
    sql(database, "UPDATE oauth_grants SET revoked_at = now() WHERE client_id = %s", client.id)
    assert store.rotate(found, "new") is False
    code = client.code()
    seen = store.code(code)
    assert seen is not None
    assert store.redeem(seen, None) is True
    assert store.redeem(seen, None) is False


def test_revocation(probe: Probe, client: OAuthClient) -> None:
    """Unknown tokens are no error, those of others are; nobody else is hit."""
    client.log_in()
    other = new_client(probe)
    for token in (client.tokens["access_token"], client.tokens["refresh_token"]):
        assert other.revoke(token).status == 400
    assert client.revoke("nonsense").status == 200
    assert client.revoke("").json["error"] == "invalid_request"
    assert client.revoke(client.tokens["refresh_token"], client_id="nobody").status == 401
    assert client.works() == 200


# Guessing.


def test_brute_force_on_the_login(client: OAuthClient, database: Database) -> None:
    """From the fifth wrong password on one waits, longer each time, also with the right one; time and success set it back."""
    page = client.begin()
    for _ in range(5):
        answer = page.send(password="wrong")
        assert answer.status == 403
        assert b"User name or password is wrong" in answer.body
        assert b"wrong" not in b"".join(value.encode() for _, value in answer.headers)
    locked = page.send()
    assert locked.status == 429
    assert 1 <= int(locked.all("retry-after")[0]) <= 5
    sql(database, "UPDATE oauth_logins SET locked_until = now()")
    assert page.send(username="somebody").status == 403
    assert 6 <= int(page.send().all("retry-after")[0]) <= 10
    sql(database, "UPDATE oauth_logins SET failures = 20, locked_until = now()")
    page.send(password="wrong")
    assert 800 <= int(page.send().all("retry-after")[0]) <= 900
    sql(database, "UPDATE oauth_logins SET locked_until = now()")
    assert page.send().status == 303
    assert client.begin().send(password="wrong").status == 403
    sql(database, "UPDATE oauth_logins SET failures = 9, last_try_at = now() - interval '2 days', locked_until = NULL")
    assert client.begin().send(password="wrong").status == 403
    assert client.begin().send().status == 303


def test_brute_force_side_by_side(client: OAuthClient) -> None:
    """Many guesses at once get no further than one after the other."""
    page = client.begin()
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda number: page.send(password=f"guess {number}").status, range(20)))
    assert answers.count(403) == 5
    assert answers.count(429) == 15


def test_login_from_the_environment(tmp_path: Path, database: Database) -> None:
    """It goes before the stored one."""
    home = Home.at(tmp_path / "home")
    parts = RealParts(home, database, FixedLogin("env", "from the environment"))
    sql(database, "DELETE FROM oauth_logins")
    with serving(tmp_path / "home", parts=parts) as probe:
        assert probe.ready.wait(PATIENCE)
        page = new_client(probe).begin()
        assert page.send().status == 403
        assert page.send(username="env", password="from the environment").status == 303
    assert "environment" not in repr(FixedLogin("env", "from the environment"))


def test_without_a_login(client: OAuthClient, probe: Probe, database: Database) -> None:
    """No default and no first visitor: the page says how to set one, and looks again by itself."""
    sql(database, "DELETE FROM oauth_logins")
    page = client.begin()
    assert "ownsona login" in page.text
    assert 'name="password"' not in page.text
    assert page.answer.all("refresh") == [f"3; url=/oauth/consent?request={page.fields['request']}"]
    assert page.send().status == 400  # nothing was ticked
    assert page.send(scope=[READ]).status == 403
    assert page.send("deny").status == 303
    assert probe.owner("GET", "/oauth/login").json["set"] is False


# Floods.


def test_registration_flood(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit per minute, above what anybody needs; the answer says when to come back."""
    monkeypatch.setitem(__import__("server.web.oauth_endpoints", fromlist=["RATES"]).RATES, "register", 3)
    answers = [register(probe) for _ in range(5)]
    assert answers[2].status == 201
    assert answers[-1].status == 429
    assert 1 <= int(answers[-1].all("retry-after")[0]) <= 60


def test_limits_are_wide(probe: Probe) -> None:
    """30 registrations and 120 token requests a minute always pass."""
    from server.web.oauth_endpoints import RATES

    assert (RATES["register"] >= 30, RATES["token"] >= 120) == (True, True)
    assert {register(probe).status for _ in range(30)} == {201}


def test_pending_flood(client: OAuthClient, probe: Probe, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that wait are few, per client and in all; the newest stay."""
    pages = [client.begin() for _ in range(12)]
    statuses = [page.browser.get(f"/oauth/consent?request={page.fields['request']}").status for page in pages]
    assert statuses == [410, 410] + [200] * 10
    monkeypatch.setattr("server.store.oauth_flow.MAX_PENDING", 3)
    new_client(probe).begin()
    assert len(probe.parts.oauth.owner.pending()) == 3
    sql(database, "UPDATE oauth_requests SET expires_at = now()")
    assert pages[-1].send().status == 410
    new_client(probe).begin()
    assert len(probe.parts.oauth.owner.pending()) == 1


# Leaks.


@pytest.fixture
def records(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Everything that is logged, at the lowest level, by our code and by libraries."""
    with caplog.at_level(logging.DEBUG):
        yield caplog


def test_nothing_secret_in_logs_or_database(probe: Probe, database: Database, records: pytest.LogCaptureFixture) -> None:
    """Neither token, code, verifier, secret, request id, cookie nor password, in any log line or row."""
    client = new_client(probe, token_endpoint_auth_method="client_secret_post")
    browser = Browser(probe)
    page = client.begin(browser)
    cookies = list(browser.cookies.values())
    page.send(password="a wrong password")
    code = query(location(page.send()))["code"]
    tokens = client.redeem(code).json
    client.redeem("a guessed code")
    refreshed = client.refresh(tokens["refresh_token"]).json
    client.works(refreshed["access_token"])
    client.revoke(tokens["access_token"])
    created = json.loads(_owner_post(probe, "/oauth/tokens", {"name": "Jan"}))
    secrets = [
        *(code, client.verifier, client.document["client_secret"], page.fields["request"], PASSWORD, "a wrong password", *cookies),
        *(tokens["access_token"], tokens["refresh_token"], refreshed["access_token"], refreshed["refresh_token"], created["token"]),
    ]
    logged = "\n".join(record.getMessage() + str(record.exc_info or "") for record in records.records)
    rows = dump(database)
    assert "An authorization request was answered." in logged
    assert client.id in rows
    for secret in secrets:
        assert secret not in logged
        assert secret not in rows


def _owner_post(probe: Probe, path: str, body: dict[str, Any]) -> bytes:
    from server.secrets_store import owner_token

    headers = {"Authorization": f"Bearer {owner_token(probe.home)}", "Content-Type": "application/json"}
    return fetch(probe.port, "POST", f"/api/v1{path}", headers, json.dumps(body).encode()).body


def test_authlib_is_kept_quiet(caplog: pytest.LogCaptureFixture) -> None:
    """It logs the tokens that it issues, at DEBUG."""
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("authlib.oauth2.rfc6749.grants.refresh_token").debug("Issue token %r", "secret")
    assert caplog.records == []


# Static tokens.


def test_static_token(probe: Probe) -> None:
    """Good for its endpoint and scopes, until it is taken back; then at once no more."""
    created = json.loads(_owner_post(probe, "/oauth/tokens", {"name": "Jan", "scopes": [READ]}))
    token = created["token"]
    assert token.startswith("ownsona_pat_")
    assert secret_shape(f"my token is {token}") == "an OwnSona token"
    answer = probe.call("echo", token=token)
    assert answer.json["result"]["structuredContent"]["client"] == "Jan"
    assert probe.call("erase", token=token).status == 403
    assert probe.call("echo", token=token, path="/mcp/other").status == 401
    [listed] = [one for one in probe.owner("GET", "/oauth/tokens").json["tokens"] if one["id"] == created["id"]]
    assert listed["last_used_at"] is not None
    assert token not in json.dumps(listed)
    assert probe.owner("DELETE", f"/oauth/clients/{created['id']}").status == 200
    assert probe.call("echo", token=token).status == 401


# Addresses from headers.


def test_forwarded_headers_are_ignored(probe: Probe) -> None:
    """Only Host counts, and only where it is allowed."""
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example"}
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"):
        assert b"evil" not in fetch(probe.port, "GET", path, headers).body


def test_public_address(tmp_path: Path, database: Database, probe: Probe) -> None:
    """Behind a tunnel: its address is issuer and resource, its cookies are for https only."""
    client = new_client(probe)
    folder = tmp_path / "home"
    with serving(folder, parts=RealParts(Home.at(folder), database), public_url="https://memory.example.org") as public:
        assert public.ready.wait(PATIENCE)
        document = fetch(public.port, "GET", "/.well-known/oauth-authorization-server", {"Host": "memory.example.org"}).json
        assert document["token_endpoint"] == "https://memory.example.org/oauth/token"
        [cookie] = fetch(
            public.port, "GET", client.authorize_path(resource="https://memory.example.org/mcp"), {"Host": "memory.example.org"}
        ).all("set-cookie")
        assert "; secure" in cookie.lower()


def test_uncertain_database(tmp_path: Path) -> None:
    """Without a database: 503 with the time to wait, as JSON or as a page; never a fault."""
    with serving(tmp_path / "home") as probe:  # its tables answer that there is no database
        assert probe.ready.wait(PATIENCE)
        for method, path in (("POST", "/oauth/token"), ("POST", "/oauth/register"), ("GET", "/oauth/authorize"), ("GET", "/oauth/consent")):
            answer = fetch(probe.port, method, path, FORM, b"grant_type=x" if method == "POST" else None)
            assert (answer.status, answer.all("retry-after")) == (503, ["5"])
