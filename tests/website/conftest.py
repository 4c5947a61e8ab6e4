"""The built site, served on this machine, and Debian's browser to look at it."""

import functools
import http.server
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import watched

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
AXE = ROOT / "website" / "node_modules" / "axe-core" / "axe.min.js"

#: A page that shows nothing fails; one that is slow, because all else runs beside it, does not.
LONG = 120_000
expect.set_options(timeout=LONG)

#: What axe would measure while it changes.
STILL = "*, ::before, ::after { transition: none !important; animation: none !important; }"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, *arguments):
        """Stay quiet."""

    def send_error(self, code, message=None, explain=None):
        """Answer as hosts of such sites do where a page is not there."""
        if code != http.HTTPStatus.NOT_FOUND:
            super().send_error(code, message, explain)
            return
        body = (SITE / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    """A server that does not mind a browser that goes away."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        """Stay quiet."""


@pytest.fixture(scope="session")
def site():
    """Return the address of the built site."""
    if not (SITE / "index.html").is_file():
        pytest.fail("there is no site to look at: make site")
    handler = functools.partial(Quiet, directory=SITE)
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def opened(browser, site):
    """Return a function that opens a tab, in which nothing may go wrong."""
    with watched(browser, (f"{site}/", "blob:", "data:"), heard={"error", "warning"}) as open_tab:
        yield open_tab


@pytest.fixture
def tab(opened):
    """Return a tab on a desk."""
    return opened(viewport={"width": 1280, "height": 900})


def serious_faults(page, part="html", **options):
    """Return what axe holds to be serious or critical in a part of a page."""
    if not page.evaluate("'axe' in window"):
        page.add_style_tag(content=STILL)
        page.add_script_tag(path=AXE)
    options = {"resultTypes": ["violations"], **options}
    report = page.evaluate("([part, options]) => axe.run(part, options)", [part, options])
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]])
        for one in report["violations"]
        if one["impact"] in {"serious", "critical"}
    ]
