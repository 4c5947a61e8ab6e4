# SPDX-License-Identifier: MIT
"""What must hold of the rendered site: links lead somewhere, nothing is asked of other hosts."""

import functools
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from lxml import html

#: How heavy a page may be when it is first opened: what it needs, compressed, in bytes.
HEAVIEST: Final = 400_000
#: What a browser fetches with a page, by element and attribute.
_FETCHED: Final = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
#: Links that are not fetched: where else the page is, and what comes next.
_POINTERS: Final = frozenset({"canonical", "prev", "next", "alternate"})
#: The fragment is the state of the playground, and no anchor.
_STATES: Final = "playground/index.html"
_CSS_URL: Final = re.compile(
    r"url\(\s*['\"]?(?P<address>[^'\")]+)|@import\s+['\"](?P<other>[^'\"]+)"
)


@dataclass
class Found:
    """What was seen, and what is wrong."""

    pages: int = 0
    links: int = 0
    heaviest: tuple[int, str] = (0, "")
    problems: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """Return it in one line."""
        size, name = self.heaviest
        return (
            f"{self.pages:,} pages, {self.links:,} links, {len(self.problems)} problems; "
            f"the heaviest page is {name}: {size / 1000:.0f} kB compressed"
        )


@dataclass(frozen=True)
class _Page:
    """A page: its anchors, its links, and what is fetched for it."""

    path: Path
    anchors: frozenset[str]
    links: list[str]
    fetched: list[str]


def check(site: Path) -> Found:
    """Return what is wrong with the site in a folder."""
    found = Found()
    site = site.resolve()
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}

    @functools.cache
    def broken(folder: Path, address: str) -> str:
        return _broken(site, folder, address, pages)

    for page in pages.values():
        found.pages += 1
        found.links += len(page.links)
        name = page.path.relative_to(site).as_posix()
        for address in page.links:
            if address.startswith("#"):
                problem = "" if unquote(address[1:]) in page.anchors else "no such anchor"
            else:
                problem = broken(page.path.parent, address)
            if problem:
                found.problems.append(f"{name}: {address}: {problem}")
        outside = [address for address in page.fetched if urlsplit(address).netloc]
        found.problems += [f"{name}: {address}: of another host" for address in outside]
        weight = _weight(page)
        found.heaviest = max(found.heaviest, (weight, name))
        if weight > HEAVIEST:
            found.problems.append(f"{name}: {weight:,} bytes compressed, more than {HEAVIEST:,}")
    found.problems += _styles(site)
    return found


def _read(path: Path) -> _Page:
    tree = html.parse(str(path)).getroot()
    anchors = {str(one) for one in tree.xpath("//@id | //a/@name")}
    links = [str(one) for one in tree.xpath("//a/@href")]
    fetched = list(_fetched(tree))
    return _Page(path, frozenset(anchors), links + fetched, fetched)


def _fetched(tree: html.HtmlElement) -> Iterator[str]:
    for element, attribute in _FETCHED.items():
        for one in tree.iter(element):
            address = one.get(attribute)
            if address and one.get("rel") not in _POINTERS:
                yield address


def _broken(site: Path, folder: Path, address: str, pages: dict[Path, _Page]) -> str:
    """Return what is wrong with an address on the pages of a folder, or nothing."""
    parts = urlsplit(address)
    if parts.scheme in {"http", "https", "mailto", "data"}:
        return ""
    if parts.scheme or parts.netloc:
        return "no address"
    base = site if parts.path.startswith("/") else folder
    goal = (base / unquote(parts.path).lstrip("/")).resolve()
    if goal.is_dir():
        goal /= "index.html"
    if not goal.is_file() or not goal.is_relative_to(site):
        return "leads nowhere"
    has_anchors = goal.suffix == ".html" and goal.relative_to(site).as_posix() != _STATES
    if parts.fragment and has_anchors and unquote(parts.fragment) not in pages[goal].anchors:
        return "no such anchor"
    return ""


def _weight(page: _Page) -> int:
    """Return how much is fetched before the page is there, compressed."""
    files = {page.path.resolve()}
    for address in page.fetched:
        path = (page.path.parent / unquote(urlsplit(address).path)).resolve()
        if path.is_file():
            files.add(path)
    return sum(map(_compressed, files))


@functools.cache
def _compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 6))


def _styles(site: Path) -> Iterator[str]:
    """Yield what the style sheets would ask of other hosts."""
    for path in sorted(site.rglob("*.css")):
        for match in _CSS_URL.finditer(path.read_text("utf-8")):
            address = match["address"] or match["other"]
            if urlsplit(address).netloc:
                yield f"{path.relative_to(site)}: {address}: of another host"
