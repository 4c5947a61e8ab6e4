# SPDX-License-Identifier: MIT
"""Markdown that says what a text says, whatever is in the text."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>&#|{}~$:!])")
_CODE_SPAN: Final = re.compile(r"(`[^`]+`)")
_FENCE: Final = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_DECLARATION: Final = re.compile(r"`([^`\n]*<![^`\n]*)`")
_BACKTICKS: Final = re.compile(r"`+")
#: Control characters, those that turn the direction of text, and halves of surrogate pairs.
_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
#: A longer text is cut.
LONGEST: Final = 3000


#: The attributes of a line that says who passes; it is not text to search.
TESTED: Final = "{: .tested data-search-exclude }"


def escaped(text: str) -> str:
    """Return `text` as running Markdown that shows it."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[1])};", text)


def prose(text: str) -> str:
    """Return a sentence as Markdown, in which only code spans are more than they seem."""
    parts = _CODE_SPAN.split(text)
    return "".join(part if n % 2 else escaped(part) for n, part in enumerate(parts))


def code(text: str) -> str:
    """Return `text` as HTML of a code span, which may be in a table."""
    kept = "".join(_entity(character) for character in seen(text))
    return f"<code>{kept}</code>"


def _entity(character: str) -> str:
    return f"&#{ord(character)};" if _SPECIAL.match(character) else character


def folded(of: str) -> str:
    """Return the mark of a long page, whose sections theme/site.mjs folds and filters."""
    return f'<div class="narrow" data-of="{of}"></div>'


def boosted(markdown: str, boost: float = 4) -> str:
    """Return a page that a search finds before others, or below a boost of 1 after them."""
    return f"---\nsearch:\n  boost: {boost}\n---\n\n{markdown}"


def guarded(markdown: str) -> str:
    """Return a page whose code spans hold no `<!`, which readers of its HTML stumble over."""
    parts = _FENCE.split(markdown)
    return "".join(
        part if n % 2 else _DECLARATION.sub(lambda match: code(match[1]), part)
        for n, part in enumerate(parts)
    )


def seen(text: str) -> str:
    """Return `text` with what nobody would see, or that acts, written as escapes."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def fence(text: str, language: str = "text", longest: int | None = LONGEST) -> str:
    """Return a block of `text` as it is, or of its beginning if it is longer than that."""
    shown = seen(text)
    if longest is not None and len(shown) > longest:
        shown = f"{shown[:longest]}…\n\n({len(text):,} characters in all)"
    ticks = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    bar = "`" * max(3, ticks + 1)
    return f"{bar}{language}\n{shown}\n{bar}"


def json_line(value: Any) -> str:
    """Return `value` as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown without bars and line feeds."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def page(
    title: str,
    *blocks: str,
    leaf: bool = False,
    search: bool = True,
    boost: float = 1,
    hide: Sequence[str] = (),
) -> str:
    """Return a page with a title: blocks of Markdown, those that are empty left out.

    A leaf has what others lead to: it has no navigation but the way up, and of its text a search
    finds what `website.search` lists.
    """
    lines = [f"title: {json.dumps(title)}"]
    lines += ["template: leaf.html"] if leaf else []
    lines += ["search:", "  exclude: true"] if leaf or not search else []
    lines += ["search:", f"  boost: {boost}"] if boost != 1 else []
    lines += ["hide:", *(f"  - {name}" for name in hide)] if hide else []
    head = "\n".join(["---", *lines, "---"])
    return "\n\n".join([head, f"# {escaped(title)}", *filter(None, blocks)]) + "\n"


def write(path: Path, text: str) -> None:
    """Write a page, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
