"""Debian's browser, for the tests that look at pages."""

import contextlib
import shutil

import pytest
from playwright.sync_api import sync_playwright

#: They keep the browser from asking its maker's hosts for anything.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextlib.contextmanager
def chromium():
    """Give the browser, without its window."""
    path = shutil.which("chromium")
    if path is None:
        pytest.fail("these tests look at pages in chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def watched(browser, places, heard=None):
    """Give a function that opens a tab, in which nothing may go wrong.

    Only addresses that begin with one of `places` may be asked for, and nothing may be written on the
    console: nothing of the types that are `heard`, if they are named.
    """
    complaints, asked, contexts = [], set(), []

    def listen(message):
        if heard is None or message.type in heard:
            complaints.append(message.text)

    def open_tab(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        context.on("request", lambda request: asked.add(request.url))
        context.on("console", listen)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        return context.new_page()

    yield open_tab
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith(tuple(places))] == []
