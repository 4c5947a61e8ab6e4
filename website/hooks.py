# SPDX-License-Identifier: MIT
"""What mkdocs does besides, while it renders the site: see `hooks` in mkdocs.yml."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from website import links, search

_GUIDES: Final = "library"
#: The page that the formats are listed after.
_FORMATS: Final = "which-format.md"
#: A section of the index of guides, with its title and its table.
_GROUP: Final = re.compile(r"^### (.+)\n((?:(?!#).*\n)*)", re.MULTILINE)
#: A row of a table that leads to a guide.
_ROW: Final = re.compile(r"^\|.*\]\(([\w-]+\.md)\)", re.MULTILINE)
_PARAGRAPH: Final = re.compile(r"<p(?:\s[^>]*)?>(?P<text>.*?)</p>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]+>")
_LINK: Final = re.compile(r"<a\s.*?</a>", re.DOTALL)
#: How a sentence ends.  Ways to other pages, such as `Cases › xml-json`, are not sentences.
_SENTENCE: Final = re.compile(r"[.:?!](\s|$)")
_MAPPED: Final = re.compile(r"^(//|/\*)# sourceMappingURL=.*$", re.MULTILINE)
#: White space needs no colour, and would be a sixth of the pages.
_PLAIN: Final = re.compile(r'<span class="w">(\s*)</span>')
#: A longer description is cut where previews would cut it.
_LONGEST: Final = 200
#: What the theme brings along that no page of ours asks for.
_UNUSED: Final = ("**/*.map", "assets/javascripts/lunr/**/*.js")


def on_config(config: Any) -> Any:
    """Set the addresses that pyproject.toml has, and list the guides and formats that are there."""
    urls = links.addresses()
    config.site_url = urls.get("Documentation", "")
    config.repo_url = urls.get("Repository", "")
    config.repo_name = urlsplit(config.repo_url).path.strip("/")
    pages = Path(config.docs_dir)
    for part in config.nav:
        for entries in part.values():
            if isinstance(entries, list) and f"{_GUIDES}/index.md" in entries:
                entries[1:1] = guides(pages / _GUIDES)
            if isinstance(entries, list) and _FORMATS in entries:
                entries += [{path.stem: f"formats/{path.name}"} for path in formats(pages)]
    return config


def guides(folder: Path) -> list[dict[str, list[str]] | str]:
    """Return the pages of guides, as the tables of their index group them, then the others."""
    there = {path.name for path in folder.glob("*.md")} - {"index.md"}
    groups: dict[str, list[str]] = {}
    for heading, text in _GROUP.findall((folder / "index.md").read_text("utf-8")):
        if names := [name for name in dict.fromkeys(_ROW.findall(text)) if name in there]:
            groups[heading] = [f"{_GUIDES}/{name}" for name in names]
    grouped = {name for names in groups.values() for name in names}
    others = [f"{_GUIDES}/{name}" for name in sorted(there) if f"{_GUIDES}/{name}" not in grouped]
    return [*({heading: names} for heading, names in groups.items()), *others]


def formats(pages: Path) -> list[Path]:
    """Return the pages of formats, in the order of their names."""
    return sorted((pages / "formats").glob("*.md"), key=lambda path: path.stem)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Make a page lighter, and describe one that does not do so itself by how it begins."""
    for match in _PARAGRAPH.finditer(html):
        if _SENTENCE.search(_text(_LINK.sub("", match["text"]))):
            text = _text(match["text"])
            shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"
            page.meta.setdefault("description", shown)
            break
    return _PLAIN.sub(r"\1", html)


def _text(html: str) -> str:
    """Return the text of some HTML on one line."""
    return " ".join(unescape(_TAG.sub("", html)).split())


def on_post_build(config: Any) -> None:
    """Complete the index of the search, and leave out what no page needs."""
    site = Path(config.site_dir)
    path = site / "search" / "search_index.json"
    index = search.completed(json.loads(path.read_text("utf-8")), site)
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), "utf-8")
    for unused in _unused(site, bool(config.site_url)):
        unused.unlink()
    for script in (site / "assets").rglob("*.min.*"):
        script.write_text(_MAPPED.sub("", script.read_text("utf-8")), "utf-8")


def _unused(site: Path, has_address: bool) -> Iterator[Path]:  # noqa: FBT001 (one of two cases)
    for pattern in _UNUSED:
        yield from site.glob(pattern)
    if not has_address:  # a sitemap lists whole addresses, and is empty without them
        yield from site.glob("sitemap.xml*")
