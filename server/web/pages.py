"""The pages of the authorization server, with headers that keep other pages, caches and scripts away from them."""

from __future__ import annotations

import base64
import hashlib
import tomllib
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from server.paths import resource

LANGUAGE = "en"


class Pages:
    """Renders templates; everything that comes from outside is escaped."""

    def __init__(self) -> None:
        folder = resource("templates")
        self._environment = Environment(
            loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=False, auto_reload=False
        )
        style = folder.joinpath("style.css").read_text(encoding="utf-8")
        texts = tomllib.loads(folder.joinpath(f"texts.{LANGUAGE}.toml").read_text(encoding="utf-8"))
        self._environment.globals.update(t=texts, style=Markup(style))  # noqa: S704  our own file
        self._style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    def form(
        self, template: str, values: Mapping[str, Any], form_action: str, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Response:
        """A page with a form whose redirect may lead to `form_action`.

        Its referrer policy is not `no-referrer`: with that, browsers send `Origin: null` with the form, and the answer is refused.
        """
        return self._page(template, values, status, {"referrer-policy": "same-origin", **(headers or {})}, f"'self' {form_action}")

    def error(self, error: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
        """A page that says in plain words what went wrong and what to do; `error` is a key of the texts."""
        return self._page("error.html", {"error": error}, status, {"referrer-policy": "no-referrer", **(headers or {})}, "'none'")

    def _page(self, template: str, values: Mapping[str, Any], status: int, headers: Mapping[str, str], form_action: str) -> Response:
        policy = (
            f"default-src 'none'; style-src 'sha256-{self._style_hash}'; form-action {form_action}; frame-ancestors 'none'; base-uri 'none'"
        )
        fixed = {
            "cache-control": "no-store",
            "content-security-policy": policy,
            "x-frame-options": "DENY",
            "x-content-type-options": "nosniff",
        }
        return HTMLResponse(self._environment.get_template(template).render(values), status, {**fixed, **headers})
