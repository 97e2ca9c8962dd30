"""The whole way: register, ask, log in, redeem, call a tool, refresh, revoke."""

from __future__ import annotations

import pytest

from tests.oauth.support import OAuthClient, new_client
from tests.web_support import Probe


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic"])
def test_whole_way(probe: Probe, method: str) -> None:
    """With each way to authenticate."""
    client: OAuthClient = new_client(probe, token_endpoint_auth_method=method)
    tokens = client.log_in()
    assert tokens["token_type"] == "Bearer"
    assert tokens["scope"] == "memories:read memories:write memories:delete"
    assert client.works() == 200
    refreshed = client.refresh()
    assert refreshed.status == 200, refreshed.body
    assert client.works(refreshed.json["access_token"]) == 200
    assert client.revoke(refreshed.json["refresh_token"]).status == 200
    assert client.works() == 401
    assert client.refresh(refreshed.json["refresh_token"]).json["error"] == "invalid_grant"
