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
