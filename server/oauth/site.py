"""The addresses under which one server is reached: issuer, allowed hosts and origins, resource identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
LOCAL_ORIGIN = r"https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?"  # of a page that a program on this computer serves


class PublicUrlError(ValueError):
    """`OWNSONA_PUBLIC_URL` cannot be used; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class Site:
    """A server on one loopback port, and perhaps at one public address (a tunnel)."""

    port: int
    public_url: str | None = None  # origin without a trailing slash
    scheme: str = "http"  # on loopback; https with a certificate of the person's

    @classmethod
    def at(cls, port: int, public_url: str | None, *, tls: bool = False) -> Site:
        """Raises PublicUrlError where the public address is not an http(s) origin."""
        scheme = "https" if tls else "http"
        if public_url is None:
            return cls(port, scheme=scheme)
        try:
            parts = urlsplit(public_url.rstrip("/"))
            usable = parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
            raise PublicUrlError("OWNSONA_PUBLIC_URL: give an address like https://memory.example.org, without a path or a user name.")
        default = ":443" if parts.scheme == "https" else ":80"
        return cls(port, f"{parts.scheme}://{parts.netloc.lower().removesuffix(default)}", scheme)

    @property
    def local_url(self) -> str:
        """The canonical loopback origin."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def issuer(self) -> str:
        """One fixed string: clients compare it byte by byte."""
        return self.public_url or self.local_url

    @property
    def hosts(self) -> frozenset[str]:
        """Values of the Host header that mean this server, in lower case."""
        hosts = {f"{name}:{self.port}" for name in LOOPBACK_NAMES}
        if self.port == (443 if self.scheme == "https" else 80):
            hosts.update(LOOPBACK_NAMES)
        if self.public_url:
            hosts.add(urlsplit(self.public_url).netloc)
        return frozenset(hosts)

    @property
    def origins(self) -> frozenset[str]:
        """Values of the Origin header that mean this server's own pages, in lower case."""
        origins = {f"{self.scheme}://{host}" for host in self.hosts if not self.public_url or host != urlsplit(self.public_url).netloc}
        if self.public_url:
            origins.add(self.public_url)
        return frozenset(origins)

    def origin_of(self, host: str) -> str:
        """The origin that belongs to an allowed Host header."""
        if self.public_url and host.lower() == urlsplit(self.public_url).netloc:
            return self.public_url
        return f"{self.scheme}://{host.lower()}"

    def audiences(self, path: str) -> frozenset[str]:
        """Resource identifiers that mean the endpoint at `path`, in any spelling of this server."""
        return frozenset(f"{origin}{path}" for origin in self.origins)

    def resource(self, path: str) -> str:
        """The canonical identifier of the endpoint at `path`, for tokens that are minted at home."""
        return f"{self.local_url}{path}"
