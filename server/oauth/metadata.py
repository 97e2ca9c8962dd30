"""Discovery documents of the resource server (RFC 9728)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.oauth.site import Site


def protected_resource(site: Site, host: str, path: str, scopes: Iterable[str], name: str) -> dict[str, Any]:
    """The document of the endpoint at `path`. `resource` echoes the allowed Host: clients compare it with the address they use."""
    return {
        "resource": f"{site.origin_of(host)}{path}",
        "authorization_servers": [site.issuer],
        "scopes_supported": sorted(scopes),
        "bearer_methods_supported": ["header"],
        "resource_name": name,
    }
