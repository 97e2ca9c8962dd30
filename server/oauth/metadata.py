"""Discovery documents: of the resource server (RFC 9728) and of the authorization server (RFC 8414)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

from server.oauth.authority import AUTH_METHODS, GRANT_TYPES
from server.oauth.builtin import ALL_SCOPES
from server.oauth.keys import ALGORITHM
from server.oauth.registration import OFFLINE
from server.oauth.site import Site

SERVER_PATHS = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")


def protected_resource(site: Site, host: str, path: str, scopes: Iterable[str], name: str) -> dict[str, Any]:
    """The document of the endpoint at `path`. `resource` echoes the allowed Host: clients compare it with the address they use."""
    return {
        "resource": f"{site.origin_of(host)}{path}",
        "authorization_servers": [site.issuer],
        "scopes_supported": sorted(scopes),
        "bearer_methods_supported": ["header"],
        "resource_name": name,
    }


def authorization_server(site: Site) -> dict[str, Any]:
    """The document of the authorization server. The issuer is one fixed string, and all addresses are below it."""
    document = {
        "issuer": site.issuer,
        "authorization_endpoint": f"{site.issuer}/oauth/authorize",
        "token_endpoint": f"{site.issuer}/oauth/token",
        "registration_endpoint": f"{site.issuer}/oauth/register",
        "revocation_endpoint": f"{site.issuer}/oauth/revoke",
        "jwks_uri": f"{site.issuer}/oauth/jwks",
        "scopes_supported": [*ALL_SCOPES, OFFLINE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": GRANT_TYPES,
        "token_endpoint_auth_methods_supported": AUTH_METHODS,
        "revocation_endpoint_auth_methods_supported": AUTH_METHODS,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        # What readers of openid-configuration insist on; there are no ID tokens.
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    }
    if site.issuer.startswith("https:"):  # the rules of RFC 8414 allow nothing else; loopback is beyond them
        AuthorizationServerMetadata(document).validate()
    return document
