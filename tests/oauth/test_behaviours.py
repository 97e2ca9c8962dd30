"""What real clients stumbled over elsewhere, one test for each behaviour; the numbers are those of our list."""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from server.endpoints import PATHS
from server.oauth.builtin import ALL_SCOPES, READ, WRITE
from server.oauth.tokens import TokenRequest, mint
from server.store.database import Database
from tests.oauth.support import FORM, LOOPBACK, Browser, OAuthClient, RealParts, location, new_client, query, register
from tests.programs import environment, program
from tests.web_support import PATIENCE, Probe, fetch, serving

MIXED = [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "http://localhost:8787/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
]
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, content-type, mcp-protocol-version"}


def age_use(database: Database, seconds: int) -> None:
    """Let time pass since refresh tokens were exchanged."""
    with database.transaction() as connection:
        connection.execute("UPDATE oauth_tokens SET used_at = used_at - %s * interval '1 second'", (seconds,))


def test_01_loopback_redirect_passes_authorize(probe: Probe) -> None:
    """A client with an http loopback address registers and gets through."""
    assert new_client(probe).log_in()["access_token"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_02_portless_loopback_matches_any_port(probe: Probe, host: str) -> None:
    """Also for the name localhost."""
    client = new_client(probe, f"http://{host}/callback")
    client.redirect = f"http://{host}:53682/callback"
    assert client.log_in()["access_token"]


def test_03_another_port_than_registered(probe: Probe) -> None:
    """On loopback only."""
    client = new_client(probe, "http://127.0.0.1:33418/")
    client.redirect = "http://127.0.0.1:40000/"
    assert client.log_in()["access_token"]
    web = new_client(probe, "https://app.example.org:8443/cb")
    web.redirect = "https://app.example.org:9443/cb"
    assert Browser(probe).get(web.authorize_path()).status == 400


def test_04_another_path_is_refused(probe: Probe) -> None:
    """With a page and no redirect; a path with an id works when it is registered."""
    client = new_client(probe, "http://127.0.0.1:5000/callback/a1b2")
    assert client.log_in()["access_token"]
    client.redirect = "http://127.0.0.1:5000/callback/other"
    answer = Browser(probe).get(client.authorize_path())
    assert answer.status == 400
    assert answer.all("location") == []
    assert answer.all("content-type") == ["text/html; charset=utf-8"]


def test_05_query_of_the_redirect_is_kept(probe: Probe) -> None:
    """And the answer is added to it."""
    redirect = "warp://mcp/oauth2callback?server_id=a%20b&x"
    address = location(new_client(probe, redirect).begin().send())
    assert address.startswith(f"{redirect}&code=")


def test_06_mixed_redirects(probe: Probe) -> None:
    """App scheme, loopback and https in one registration; each of them works."""
    document = register(probe, redirect_uris=MIXED).json
    assert document["redirect_uris"] == MIXED
    for redirect in MIXED:
        assert OAuthClient(probe, document, redirect).log_in()["access_token"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_07_resource_is_the_address_that_was_typed(probe: Probe, host: str) -> None:
    """Per path, at the root form and at the path form, without a slash at the end."""
    headers = {"Host": f"{host}:{probe.port}"}
    for form, path in (("", "/mcp"), ("/mcp", "/mcp"), ("/mcp/other", "/mcp/other")):
        document = fetch(probe.port, "GET", f"/.well-known/oauth-protected-resource{form}", headers).json
        assert document["resource"] == f"http://{host}:{probe.port}{path}"


def test_08_issuer_is_the_same_everywhere(probe: Probe, client: OAuthClient) -> None:
    """Byte by byte, under both names, in all documents and on the redirect."""
    issuer = f"http://127.0.0.1:{probe.port}"
    for well_known in ("oauth-authorization-server", "openid-configuration"):
        for path in ("", "/mcp", "/mcp/other"):
            answer = fetch(probe.port, "GET", f"/.well-known/{well_known}{path}", {"Host": f"localhost:{probe.port}"})
            assert answer.json["issuer"] == issuer
    assert fetch(probe.port, "GET", "/.well-known/oauth-protected-resource").json["authorization_servers"] == [issuer]
    assert query(location(client.begin().send()))["iss"] == issuer


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"state": "s" * 5000}, "invalid_request"),
    ],
)
def test_09_iss_is_on_every_redirect(probe: Probe, client: OAuthClient, changes: dict[str, Any], error: str) -> None:
    """Errors included, and the person's no too; always once, with the state."""
    address = location(Browser(probe).get(client.authorize_path(**changes)))
    assert address.startswith(LOOPBACK)
    parameters = query(address)
    assert (parameters["error"], parameters["iss"]) == (error, f"http://127.0.0.1:{probe.port}")
    assert parameters["state"] == changes.get("state", "a state/é")


def test_09_iss_is_on_a_refusal(probe: Probe, client: OAuthClient) -> None:
    """The person says no."""
    parameters = query(location(client.begin().send("deny")))
    assert (parameters["error"], parameters["iss"]) == ("access_denied", f"http://127.0.0.1:{probe.port}")
    assert parameters["state"] == "a state/é"


def test_10_slash_at_the_end_of_the_resource(probe: Probe, client: OAuthClient) -> None:
    """One makes no difference; a foreign resource does."""
    resource = f"http://localhost:{probe.port}/mcp/"
    code = client.code(resource=resource)
    foreign = client.redeem(code, resource="https://elsewhere.example/mcp")
    assert (foreign.status, foreign.json["error"]) == (400, "invalid_target")
    other = client.redeem(code, resource=f"http://127.0.0.1:{probe.port}/mcp/other")
    assert other.json["error"] == "invalid_target"
    client.tokens = client.redeem(code, resource=f"http://127.0.0.1:{probe.port}/mcp").json
    assert client.works() == 200
    assert client.refresh(resource=resource).status == 200
    assert client.refresh(resource="https://elsewhere.example/mcp").json["error"] == "invalid_target"
    twice = location(Browser(probe).get(client.authorize_path(resource=[resource, f"http://127.0.0.1:{probe.port}/mcp/other"])))
    assert query(twice)["error"] == "invalid_target"


def test_10_no_resource_means_the_main_endpoint(probe: Probe, client: OAuthClient) -> None:
    """And a named one is the only one that the token is good for."""
    client.log_in(resource=None)
    assert client.works() == 200
    client.log_in(resource=f"http://127.0.0.1:{probe.port}/mcp/other")
    assert (client.works(path="/mcp/other"), client.works()) == (200, 401)


def test_11_parallel_refreshes(probe: Probe, client: OAuthClient, database: Database) -> None:
    """Twenty windows with one token: all stay logged in. Long after, the old token ends the grant."""
    old = client.log_in()["refresh_token"]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: client.refresh(old), range(20)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.json["refresh_token"] for answer in answers}) == 20
    newest = answers[-1].json
    assert client.works(newest["access_token"]) == 200
    assert client.refresh(newest["refresh_token"]).status == 200
    age_use(database, 61)
    assert client.refresh(old).json["error"] == "invalid_grant"
    assert client.works(newest["access_token"]) == 401
    assert client.refresh(answers[3].json["refresh_token"]).json["error"] == "invalid_grant"


def test_12_refresh_with_and_without_scope(probe: Probe, client: OAuthClient) -> None:
    """It never widens."""
    scope = " ".join((READ, WRITE))
    client.log_in([READ, WRITE])
    for asked, got in (
        (None, scope),
        (scope, scope),
        (READ, READ),
        (" ".join(ALL_SCOPES), scope),
        (f"{READ} openid", READ),
        ("openid", scope),
    ):
        answer = client.refresh(scope=asked)
        assert (answer.status, answer.json["scope"]) == (200, got), asked
        client.tokens = answer.json
    assert client.refresh(scope="memories:delete").json["error"] == "invalid_scope"
    assert client.works(tool="erase") == 403


def test_13_failed_refresh_burns_nothing(probe: Probe, client: OAuthClient, database: Database) -> None:
    """The token is used up when the new one is issued, not before."""
    token = client.log_in()["refresh_token"]
    for changes in ({"resource": "https://elsewhere.example"}, {"scope": "x\u00e9", "resource": "y"}, {"client_id": "nobody"}):
        assert client.refresh(token, **changes).status in (400, 401)
    assert new_client(probe).refresh(token).json["error"] == "invalid_grant"
    age_use(database, 3600)
    assert client.refresh(token).status == 200


def test_14_restart_keeps_clients_and_tokens(tmp_path: Path, database: Database, probe: Probe) -> None:
    """All of it is in the database, and the key in the home."""
    client = new_client(probe)
    tokens = client.log_in()
    client.probe = probe
    with serving(tmp_path / "home", parts=RealParts(probe.home, database)) as second:
        assert second.ready.wait(PATIENCE)
        assert OAuthClient(second, client.document).refresh(tokens["refresh_token"]).status == 200


@pytest.mark.parametrize("client_id", ["nobody", "x" * 300, "a'b", "é"])
def test_15_unknown_client(probe: Probe, client: OAuthClient, client_id: str) -> None:
    """401 invalid_client for programs, a page with help and no redirect for people."""
    answer = client.token(grant_type="refresh_token", refresh_token="x", client_id=client_id)
    assert (answer.status, answer.json["error"]) == (401, "invalid_client")
    page = Browser(probe).get(client.authorize_path(client_id=client_id))
    assert page.status == 400
    assert page.all("location") == []
    assert b"not registered here any more" in page.body


def test_16_clients_are_not_pruned(probe: Probe, client: OAuthClient, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Approved ones stay, whatever else registers; deleting one ends its tokens."""
    monkeypatch.setattr("server.store.oauth_flow.MAX_UNAPPROVED", 2)
    client.log_in()
    waiting = new_client(probe)
    waiting.begin()
    dropped = new_client(probe)
    for _ in range(3):
        new_client(probe)
    assert client.refresh().status == 200
    assert probe.parts.oauth.store.client(waiting.id) is not None
    assert probe.parts.oauth.store.client(dropped.id) is None
    assert client.works() == 200
    assert probe.owner("DELETE", f"/oauth/clients/{client.id}").status == 200
    assert client.works() == 401
    assert client.refresh().json["error"] == "invalid_client"


def test_17_registration_echoes_all(probe: Probe) -> None:
    """With defaults filled in, lists for lists, and an end for the secret where there is one."""
    answer = register(probe, token_endpoint_auth_method=None, client_uri="https://example.org", contacts=["a@example.org"])
    assert answer.status == 201
    assert answer.all("cache-control") == ["no-store"]
    document = answer.json
    assert document["token_endpoint_auth_method"] == "client_secret_basic"
    assert len(document["client_secret"]) >= 43
    assert document["client_secret_expires_at"] == 0
    assert document["grant_types"] == ["authorization_code", "refresh_token"]
    assert document["response_types"] == ["code"]
    assert document["redirect_uris"] == [LOOPBACK]
    assert (document["client_name"], document["client_uri"], document["contacts"]) == (
        "Test Client",
        "https://example.org",
        ["a@example.org"],
    )
    assert document["scope"] == " ".join(ALL_SCOPES)
    assert None not in document.values()
    assert OAuthClient(probe, document).log_in()["access_token"]
    public = register(probe).json
    assert public["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in public


def test_18_public_clients_revoke_and_basic_needs_no_id(probe: Probe, client: OAuthClient) -> None:
    """Revoking with either token; a secret may come either way."""
    client.log_in()
    assert client.revoke(client.tokens["access_token"], token_type_hint="access_token").status == 200
    assert client.works() == 401
    basic = new_client(probe, token_endpoint_auth_method="client_secret_basic")
    assert basic.log_in()["access_token"]  # the id is in the header alone
    assert basic.revoke(basic.tokens["refresh_token"], token_type_hint="nonsense").status == 200
    assert basic.refresh().json["error"] == "invalid_grant"


def test_19_offline_access(probe: Probe) -> None:
    """Accepted, never an error; advertised by the authorization server alone."""
    client = new_client(probe, scope=f"{READ} offline_access")
    assert client.log_in(scope=[READ])["refresh_token"]
    page = client.begin(scope="offline_access")
    assert page.fields["scope"] == list(ALL_SCOPES)
    assert "offline_access" in fetch(probe.port, "GET", "/.well-known/oauth-authorization-server").json["scopes_supported"]
    resource = fetch(probe.port, "GET", "/.well-known/oauth-protected-resource").json
    assert "offline_access" not in resource["scopes_supported"]


def test_20_unknown_scope_is_narrowed(probe: Probe, client: OAuthClient) -> None:
    """And what was granted is said."""
    page = client.begin(scope=f"{READ} openid admin")
    assert page.fields["scope"] == [READ]
    granted = client.redeem(query(location(page.send()))["code"]).json
    assert granted["scope"] == READ


def test_21_missing_scope_at_a_tool(probe: Probe, client: OAuthClient) -> None:
    """403 with all that the tool needs; the default holds what ordinary tools need."""
    client.log_in([READ])
    answer = probe.call("erase", token=client.tokens["access_token"])
    assert answer.status == 403
    assert 'error="insufficient_scope"' in answer.all("www-authenticate")[0]
    client.log_in()
    assert (client.works(tool="echo"), client.works(tool="erase")) == (200, 200)


def test_22_one_challenge(probe: Probe, client: OAuthClient) -> None:
    """401 with one header that names the metadata, for no token, a bad one and an old one."""
    old = TokenRequest(probe.site.issuer, probe.site.resource("/mcp"), "1", client.id, "g", [READ], lifetime=-3600)
    for token in (None, "nonsense", mint(probe.runtime._signing_key, old), "ownsona_pat_nonsense"):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = fetch(probe.port, "POST", "/mcp", headers, b"{}")
        [challenge] = answer.all("www-authenticate")
        assert answer.status == 401
        assert challenge.startswith("Bearer ")
        assert f'resource_metadata="http://127.0.0.1:{probe.port}/.well-known/oauth-protected-resource/mcp"' in challenge


def test_23_old_session_id_is_no_obstacle(probe: Probe, client: OAuthClient) -> None:
    """There are no sessions to lose."""
    client.log_in()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert probe.post(message, token=client.tokens["access_token"], Mcp_Session_Id="0123456789abcdef").status == 200


def test_24_get_is_405_at_once(probe: Probe, client: OAuthClient) -> None:
    """And 401 without a token."""
    client.log_in()
    answer = fetch(probe.port, "GET", "/mcp", {"Authorization": f"Bearer {client.tokens['access_token']}", "Accept": "text/event-stream"})
    assert (answer.status, answer.all("allow")) == (405, ["POST"])
    assert fetch(probe.port, "GET", "/mcp").status == 401


def test_25_second_start_finds_the_first(tmp_path: Path) -> None:
    """One listener."""
    command = ("-m", "tests.probe_server", "serve", "--home", str(tmp_path / "home"))
    with program(*command, env=environment()) as first:
        assert first.line().startswith(b"OwnSona ready at ")
        with program(*command, env=environment()) as second:
            assert second.line().startswith(b"OwnSona already runs at ")
            assert second.end() == 0
        if sys.platform != "win32":
            first.process.terminate()
            assert first.end() == 0


@pytest.mark.parametrize("path", ["/mcp", "/mcp/other", "/oauth/register", "/oauth/token", "/oauth/revoke", "/oauth/jwks"])
def test_26_preflight_needs_no_token(probe: Probe, path: str) -> None:
    """For clients in a browser on this computer; answers can be read, challenge included."""
    origin = "http://localhost:6274"
    answer = fetch(probe.port, "OPTIONS", path, {"Origin": origin, **PREFLIGHT})
    assert answer.status == 200
    assert answer.all("access-control-allow-origin") == [origin]
    allowed = answer.all("access-control-allow-headers")[0].lower()
    assert {"authorization", "mcp-protocol-version", "mcp-method", "mcp-name"} <= set(re.split(r",\s*", allowed))
    refused = fetch(probe.port, "POST", path if path != "/oauth/jwks" else "/mcp", {"Origin": origin, **FORM}, b"")
    assert refused.status in (400, 401)
    assert refused.all("access-control-allow-origin") == [origin]
    exposed = refused.all("access-control-expose-headers")[0]
    assert "WWW-Authenticate" in exposed
    assert "Mcp-Session-Id" in exposed


def test_26_foreign_pages_get_no_access(probe: Probe) -> None:
    """A web site cannot even ask, and the consent page is for our own pages only."""
    for path in ("/mcp", "/oauth/token"):
        assert fetch(probe.port, "OPTIONS", path, {"Origin": "https://evil.example", **PREFLIGHT}).status == 403
    assert fetch(probe.port, "GET", "/oauth/authorize", {"Origin": "http://localhost:6274"}).status == 403


@pytest.mark.parametrize(
    ("redirect", "source"),
    [
        (LOOPBACK, "http://127.0.0.1:7777"),
        ("http://[::1]:7777/cb", "http:"),
        ("https://Claude.ai/api/mcp/auth_callback", "https://claude.ai"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"),
    ],
)
def test_27_the_form_may_redirect_to_the_client(probe: Probe, redirect: str, source: str) -> None:
    """The page's policy names where the answer goes; a browser would stop it otherwise."""
    page = new_client(probe, redirect).begin()
    [policy] = page.answer.all("content-security-policy")
    assert f"form-action 'self' {source};" in policy
    assert location(page.send()).startswith(redirect)


def tools() -> list[dict[str, Any]]:
    """The tools of all profiles, as they are shown."""
    profiles = json.loads(files("server.toolsets").joinpath("schemas.json").read_text(encoding="utf-8"))
    return [tool for profile in profiles.values() for tool in profile["tools"]]


def test_28_text_and_structured_content_are_the_same(probe: Probe, client: OAuthClient) -> None:
    """Some clients read the one, some the other."""
    client.log_in()
    for tool in ("echo", "fail"):
        result = probe.call(tool, token=client.tokens["access_token"]).json["result"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_29_errors_fit_the_output_schema() -> None:
    """An error envelope is valid where a schema is published: only `ok` is required."""
    assert all(tool["outputSchema"]["required"] == ["ok"] for tool in tools())


def test_30_schemas_are_plain() -> None:
    """Nothing at the top that callers of other models refuse, no references, no unions with null."""
    for tool in tools():
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            text = json.dumps(schema)
            assert not {"oneOf", "anyOf", "allOf"} & set(schema)
            assert "$ref" not in text
            assert '"null"' not in text


def test_31_names_are_short() -> None:
    """With the server's name before them, too."""
    for tool in tools():
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,53}", tool["name"])
    assert all(len(f"ownsona-{path}") < 60 for path in PATHS)


def test_32_annotations_are_explicit(probe: Probe, client: OAuthClient) -> None:
    """On every tool."""
    client.log_in()
    answer = probe.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, token=client.tokens["access_token"])
    for tool in answer.json["result"]["tools"]:
        assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= set(tool["annotations"])


@pytest.mark.parametrize(
    "path", ["/mcp", "/oauth/authorize", "/oauth/token", "/oauth/jwks", "/.well-known/openid-configuration", "/healthz"]
)
def test_33_wrong_host(probe: Probe, path: str) -> None:
    """421 on all paths."""
    for host in ("evil.example", f"evil.example:{probe.port}", "127.0.0.1.evil.example"):
        assert fetch(probe.port, "POST", path, {"Host": host}).status == 421


@pytest.mark.parametrize(
    "uri", ["javascript:alert(1)", "data:text/html,x", "JavaScript://x", "vbscript:x", "file:///etc/passwd", "about:blank"]
)
def test_34_dangerous_schemes(probe: Probe, database: Database, uri: str) -> None:
    """Refused at registration, and again when a request names one."""
    answer = register(probe, redirect_uris=[uri])
    assert (answer.status, answer.json["error"]) == (400, "invalid_redirect_uri")
    client = new_client(probe)
    with database.transaction() as connection:  # as if an older version had let it in
        connection.execute(
            "UPDATE oauth_clients SET metadata = jsonb_set(metadata, '{redirect_uris}', %s::jsonb) WHERE client_id = %s",
            (json.dumps([uri]), client.id),
        )
    for redirect in (uri, None):
        page = Browser(probe).get(client.authorize_path(redirect_uri=redirect))
        assert (page.status, page.all("location")) == (400, [])


def test_35_the_page_trusts_nobody(probe: Probe) -> None:
    """The client's name is text, the address's host is shown, and other sites can neither send nor frame the form."""
    client = new_client(probe, client_name='<script>alert(1)</script>\u202e"', logo_uri="https://evil.example/logo.png")
    page = client.begin()
    assert "<script" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "\u202e" not in page.text
    assert "evil.example" not in page.text
    assert "127.0.0.1:7777" in page.text
    assert page.answer.all("x-frame-options") == ["DENY"]
    assert "frame-ancestors 'none'" in page.answer.all("content-security-policy")[0]
    fields = {**page.fields, "decision": "allow"}
    assert page.browser.post(fields, Origin="https://evil.example").status == 403
    assert page.browser.post(fields, Sec_Fetch_Site="cross-site").status == 403
    assert urlsplit(location(page.send())).netloc == "127.0.0.1:7777"
