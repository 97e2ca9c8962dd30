"""The consent page in a real browser: what its policies let through and what they stop."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.oauth.login import hash_password
from server.paths import Home
from server.store.database import Database
from tests.certificates import make_certificate
from tests.desktop.browser import Chromium, Pages, chromium
from tests.oauth.support import PASSWORD, USERNAME, OAuthClient, RealParts, new_client, query
from tests.programs import eventually
from tests.web_support import PATIENCE, Probe, serving


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory, database: Database) -> Iterator[Probe]:
    """A server with a login."""
    folder = tmp_path_factory.mktemp("consent")
    parts = RealParts(Home.at(folder), database)
    parts.oauth.owner.set_login(USERNAME, hash_password(USERNAME, PASSWORD))
    with serving(folder, parts=parts) as running:
        assert running.ready.wait(PATIENCE)
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """One browser for all of them."""
    with chromium(tmp_path_factory.mktemp("chromium")) as running:
        yield running


@pytest.fixture
def pages() -> Iterator[Pages]:
    """Another program's pages."""
    serving_pages = Pages()
    yield serving_pages
    serving_pages.close()


@pytest.fixture
def secure_pages(tmp_path: Path) -> Iterator[Pages]:
    """The same over TLS."""
    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    serving_pages = Pages(context)
    yield serving_pages
    serving_pages.close()


def show(browser: Chromium, client: OAuthClient) -> None:
    """Open the consent page."""
    browser.open(f"http://127.0.0.1:{client.probe.port}{client.authorize_path()}")
    assert "Allow access to your memories?" in browser.source
    browser.messages()


def answer(browser: Chromium, decision: str) -> None:
    """As the person does."""
    browser.type("#username", USERNAME)
    browser.type("#password", PASSWORD)
    browser.click(f"button[value={decision}]")


def test_loopback(browser: Chromium, probe: Probe, pages: Pages) -> None:
    """The code arrives, and can be redeemed."""
    client = new_client(probe, f"http://127.0.0.1:{pages.port}/callback")
    show(browser, client)
    answer(browser, "allow")
    eventually(lambda: browser.address.startswith(client.redirect))
    assert client.redeem(query(pages.asked.get(timeout=PATIENCE))["code"]).status == 200


def test_deny(browser: Chromium, probe: Probe, pages: Pages) -> None:
    """The client learns that the person said no."""
    client = new_client(probe, f"http://localhost:{pages.port}/callback")
    show(browser, client)
    browser.click("button[value=deny]")
    eventually(lambda: browser.address.startswith(client.redirect))
    assert query(pages.asked.get(timeout=PATIENCE))["error"] == "access_denied"


def test_https(browser: Chromium, probe: Probe, secure_pages: Pages) -> None:
    """A web site as the client."""
    client = new_client(probe, f"https://localhost:{secure_pages.port}/callback")
    show(browser, client)
    answer(browser, "allow")
    eventually(lambda: browser.address.startswith(client.redirect))
    assert query(secure_pages.asked.get(timeout=PATIENCE))["code"]


def test_wrong_password_and_again(browser: Chromium, probe: Probe, pages: Pages) -> None:
    """The page says so and keeps what was typed, but the password."""
    client = new_client(probe, f"http://127.0.0.1:{pages.port}/callback")
    show(browser, client)
    browser.type("#username", USERNAME)
    browser.type("#password", "wrong")
    browser.click("button[value=allow]")
    eventually(lambda: "User name or password is wrong." in browser.source)
    assert f'value="{USERNAME}"' in browser.source
    browser.type("#password", PASSWORD)
    browser.click("button[value=allow]")
    eventually(lambda: browser.address.startswith(client.redirect))


def test_waiting_page_goes_on(browser: Chromium, probe: Probe, pages: Pages) -> None:
    """Approved in the window: the page in the browser follows by itself, without scripts."""
    client = new_client(probe, f"http://127.0.0.1:{pages.port}/callback")
    show(browser, client)
    browser.click("a[href*=wait]")
    eventually(lambda: "Waiting for your approval" in browser.source)
    [pending] = [one for one in probe.owner("GET", "/oauth/pending").json["pending"] if one["client_id"] == client.id]
    assert pending["check_code"] in browser.source
    assert probe.owner("POST", f"/oauth/pending/{pending['id']}/approve").status == 200
    assert query(pages.asked.get(timeout=PATIENCE))["code"]


def test_framing(browser: Chromium, probe: Probe, pages: Pages) -> None:
    """The page of another origin cannot put ours into a frame."""
    address = f"http://127.0.0.1:{probe.port}{new_client(probe).authorize_path()}".replace("&", "&amp;")
    pages.pages["/frame"] = f'<iframe src="{address}"></iframe>'
    browser.messages()
    browser.open(f"http://127.0.0.1:{pages.port}/frame")
    eventually(lambda: "frame-ancestors" in browser.messages())


def test_cross_site_post(browser: Chromium, probe: Probe, pages: Pages) -> None:
    """A form of another origin gets 403, also when it knows the request."""
    client = new_client(probe, f"http://127.0.0.1:{pages.port}/callback")
    show(browser, client)
    request_id = browser.address.partition("request=")[2]
    fields = {"request": request_id, "decision": "allow", "username": USERNAME, "password": PASSWORD, "scope": "memories:read"}
    inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
    pages.pages["/form"] = f'<form method="post" action="http://127.0.0.1:{probe.port}/oauth/consent">{inputs}<button>x</button></form>'
    browser.open(f"http://127.0.0.1:{pages.port}/form")
    browser.click("button")
    eventually(lambda: "WRONG_ORIGIN" in browser.source)
    assert client.probe.parts.oauth.store.request(request_id) is not None


def test_app_scheme(tmp_path: Path, probe: Probe) -> None:
    """The browser hands it to the system; our policy does not stop it, and does stop a form that leads elsewhere.

    A browser of its own: without a screen, nobody can answer the question whether to open the app, and the window stays with it.
    """
    with chromium(tmp_path) as browser:
        show(browser, new_client(probe, "ownsonatest://callback"))
        browser.run("document.forms[0].action = 'http://127.0.0.1:1/'")
        browser.click("button[value=deny]")
        eventually(lambda: "form-action" in browser.messages())
        show(browser, new_client(probe, "ownsonatest://callback"))
        request_id = browser.address.partition("request=")[2]
        answer(browser, "allow")
        eventually(lambda: probe.parts.oauth.store.request(request_id) is None)
        assert browser.run("return 1") == 1
        assert "form-action" not in browser.messages()
