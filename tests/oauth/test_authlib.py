"""What authlib does by default and must not do here, one test for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.oauth.authority import RefreshGrant, S256Only
from server.paths import Home
from server.store.database import Database
from tests.oauth.support import FORM, Browser, OAuthClient, RealParts, location, new_client, query, register
from tests.web_support import PATIENCE, Probe, fetch, serving


def test_pkce_is_not_for_public_clients_alone(probe: Probe) -> None:
    """authlib asks only clients without a secret for it, and takes `plain` where no method is named."""
    assert list(S256Only.SUPPORTED_CODE_CHALLENGE_METHOD) == ["S256"]
    client = new_client(probe, token_endpoint_auth_method="client_secret_basic")
    assert query(location(Browser(probe).get(client.authorize_path(code_challenge_method=None))))["error"] == "invalid_request"
    code = client.code()
    assert client.redeem(code, code_verifier=None).status == 400


def test_refresh_tokens_rotate(client: OAuthClient) -> None:
    """authlib gives no new one by default."""
    assert RefreshGrant.INCLUDE_NEW_REFRESH_TOKEN is True
    old = client.log_in()["refresh_token"]
    assert client.refresh().json["refresh_token"] != old


def test_tokens_of_codes_are_short_lived(client: OAuthClient) -> None:
    """authlib's default is ten days."""
    assert client.log_in()["expires_in"] == 3600
    assert client.refresh().json["expires_in"] == 3600


def test_credentials_are_used_up_with_the_issue(client: OAuthClient) -> None:
    """authlib looks first and deletes later; and a failure in between must not cost the client its login."""
    code = client.code()
    assert client.redeem(code, resource="https://elsewhere.example").status == 400
    tokens = client.redeem(code).json
    assert client.refresh(tokens["refresh_token"], resource="https://elsewhere.example").status == 400
    assert client.refresh(tokens["refresh_token"]).status == 200


@pytest.mark.parametrize("uri", ["com.example:/cb", "com.example.app:/oauth2redirect"])
def test_private_use_schemes(probe: Probe, uri: str) -> None:
    """authlib's registration refuses the form that RFC 8252 recommends, and takes line breaks."""
    assert new_client(probe, uri).log_in()["access_token"]
    assert register(probe, redirect_uris=[uri + "\r\n"]).status == 400


def test_plain_http_behind_a_public_name(tmp_path: Path, database: Database, probe: Probe) -> None:
    """authlib raises at addresses that are neither https nor loopback; which ones are served is the guards' business."""
    client = new_client(probe)
    folder = tmp_path / "home"
    with serving(folder, parts=RealParts(Home.at(folder), database), public_url="http://memory.example.org") as public:
        assert public.ready.wait(PATIENCE)
        headers = {**FORM, "Host": "memory.example.org"}
        body = f"grant_type=refresh_token&refresh_token=x&client_id={client.id}".encode()
        assert fetch(public.port, "POST", "/oauth/token", headers, body).json["error"] == "invalid_grant"


@pytest.mark.parametrize("value", ["c\u00f6de", 'code"', "code\\"])
def test_values_that_authlib_cannot_quote(probe: Probe, client: OAuthClient, value: str) -> None:
    """They raise ValueError when it writes its message."""
    assert Browser(probe).get(client.authorize_path(response_type=value)).status == 400
    assert Browser(probe).get(client.authorize_path(redirect_uri=f"http://127.0.0.1/{value}")).status == 400
    assert client.token(grant_type=value).status == 400


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic"])
def test_wrong_client_is_401(probe: Probe, method: str) -> None:
    """authlib says 400 where no header was sent; clients register anew only on 401. The header names the way."""
    client = new_client(probe, token_endpoint_auth_method=method)
    wrong = OAuthClient(probe, {**client.document, "client_id": "nobody", "client_secret": "x"})
    answer = wrong.refresh("x")
    assert (answer.status, answer.json["error"]) == (401, "invalid_client")
    assert answer.all("www-authenticate")[0].startswith("Basic ")
    if method != "none":
        assert OAuthClient(probe, {**client.document, "client_secret": "x"}).refresh("x").status == 401
        bare = fetch(probe.port, "POST", "/oauth/token", FORM, f"grant_type=refresh_token&refresh_token=x&client_id={client.id}".encode())
        assert bare.status == 401
