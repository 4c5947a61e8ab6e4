# SPDX-License-Identifier: MIT
"""Transcripts as one page of HTML.

Everything from a transcript is in the page as text.  The page's policy allows nothing to run except
the one script with a known hash, and allows nothing to be loaded.
"""

import base64
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from itertools import islice
from string import Template
from typing import Final, NamedTuple

import cogwire
from cogwire.tooling import Start
from cogwire_kit.masks import chosen
from cogwire_kit.texts.words import counted
from cogwire_kit.view.cards import attribute, card, escaped, stored_card
from cogwire_kit.view.rows import Item, Row, TextRun, rows

#: The types of events that a reader may want to fold.
_FOLDED: Final = frozenset({"think", "result"})
_START: Final = 120
#: How many rows are elements of the page at once; the others are made where they are seen.
_DIRECT: Final = 400
#: How many rows are made together.
_TOGETHER: Final = 100


_Trained = Callable[[TextRun], bool]


class ViewedTranscript(NamedTuple):
    """A transcript to show, or why it is refused."""

    name: str
    text: str
    #: None if the row is refused; `text` states why.  For `items`, the form that they are in.
    dialect: str | None
    #: Messages or events that are shown as they are, in place of a text.
    items: Sequence[Item] = ()
    #: Where its turns begin: in prose, in an open think or in a header.
    start: Start = "prose"


class _Section(NamedTuple):
    """A transcript of the page, ready to be written."""

    number: int
    document: ViewedTranscript
    rows: list[Row]

    def written(self, is_trained: _Trained, names: "_Names") -> Iterator[tuple[str, str]]:
        """Yield the HTML of each row, and the numbers of its filter values."""
        for number, row in enumerate(self.rows):
            # The white space before it may be another's.
            author = next((part.author for part in row.parts if part.kind != "white"), "model")
            by = names.of(author, [row.event])
            yield _row(f"t{self.number}-{number}", row, author, by, is_trained), by
        for number, item in enumerate(self.document.items):
            by = names.of(item.author, item.events)
            yield "".join(_item(f"t{self.number}-{number}", item, by)), by

    @property
    def errors(self) -> list[tuple[int, Row]]:
        """The rows whose event is an error, each with its number."""
        found = enumerate(self.rows)
        return [(n, row) for n, row in found if row.event and row.event["type"] == "error"]


def page(
    title: str,
    documents: Sequence[ViewedTranscript],
    *,
    train: Sequence[str] = ("model",),
    skip: Sequence[str] = (),
) -> str:
    """Return the page that shows `documents`; `train` and `skip` are those of `masks.mask`.

    Raises `ValueError` for a name that is neither an author nor a kind.
    """
    is_trained = chosen(train, skip)
    sections = [
        _Section(
            n,
            each,
            rows(each.text, each.dialect, each.start) if each.dialect and not each.items else [],
        )
        for n, each in enumerate(documents, 1)
    ]
    names = _Names()
    parts = _Sections(sections, is_trained, names)
    transcripts = "\n".join("".join(parts.section(each)) for each in sections)
    style, script = _data("page.css"), _data("page.js")
    is_one = len(sections) == 1
    facts = _facts(sections[0]) if is_one else _many(sections)
    if is_one and documents[0].name != title:
        facts = f"{escaped(documents[0].name)} · {facts}"
    return Template(_data("page.html")).substitute(
        title=attribute(title),
        heading=escaped(title),
        facts=facts,
        contents=_errors(sections[0]) if is_one else _contents(sections),
        transcripts=transcripts,
        filters=names.filters(),
        trained=", ".join(train) + (f", but not {', '.join(skip)}" if skip else ""),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        version=cogwire.__version__,
    )


def _data(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash of an inline text in the form of a Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# -- The header and the contents ------------------------------------------------------------------


def _facts(section: _Section) -> str:
    document = section.document
    if document.dialect is None:
        return "refused"
    if document.items:
        noun = "event" if document.dialect == "events" else "message"
        kind = "" if noun == "event" else f" of {document.dialect}"
        return f"a record{kind}, as it is · {counted(len(document.items), noun)}"
    size = sum(len(row.text) for row in section.rows)
    types = Counter(row.event["type"] for row in section.rows if row.event)
    errors = types.pop("error", 0)
    counts = ", ".join(f"{count} {name}" for name, count in types.items())
    facts = [document.dialect, counted(size, "character"), counts]
    if errors:
        facts.append(f'<span class="bad">{counted(errors, "error")}</span>')
    return " · ".join(filter(None, facts))


def _many(sections: Sequence[_Section]) -> str:
    errors = sum(len(section.errors) for section in sections)
    facts = [counted(len(sections), "transcript")]
    if errors:
        facts.append(f'<span class="bad">{counted(errors, "error")}</span>')
    return " · ".join(facts)


def _contents(sections: Sequence[_Section]) -> str:
    items = "".join(
        f'<li><a href="#t{one.number}">{escaped(one.document.name)}</a> '
        f'<span class="where">{_facts(one)}</span></li>'
        for one in sections
    )
    return f"<nav><details open><summary>Transcripts</summary><ol>{items}</ol></details></nav>"


def _errors(section: _Section) -> str:
    if not section.errors:
        return ""
    items = "".join(
        f'<li><a href="#t{section.number}-{n}">{_where(row)}</a> {card(row.event)}</li>'
        for n, row in section.errors
    )
    summary = counted(len(section.errors), "error")
    return f"<nav><details open><summary>{summary}</summary><ol>{items}</ol></details></nav>"


# -- The transcript -------------------------------------------------------------------------------


class _Names:
    """The values that rows can be filtered by: authors, error codes and tools, numbered."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, int]] = {"author": {}, "finding": {}, "tool": {}}

    def of(self, author: str, events: Iterable[cogwire.Event | None]) -> str:
        """Return the numbers of a row's filter values, with a comma after each kind."""
        found: dict[str, list[str]] = {"author": [author], "finding": [], "tool": []}
        for event in events:
            if event is None:
                continue
            if event["type"] == "error":
                found["finding"].append(event["code"])
            elif event["type"] == "call":
                found["tool"] += _tools(f"[{event['content']}]", "name")
            elif event["type"] == "result":
                found["tool"] += _tools(event["content"], "tool")
        numbers = (
            {self._names[kind].setdefault(name, len(self._names[kind])) for name in names}
            for kind, names in found.items()
        )
        return ",".join(" ".join(map(str, sorted(each))) for each in numbers)

    def filters(self) -> str:
        """Return a menu for each kind of filter that has a choice."""
        menus = ""
        for index, (kind, names) in enumerate(self._names.items()):
            if len(names) > (kind == "author"):
                options = "".join(
                    f'<option value="{number}">{attribute(name)}</option>'
                    for name, number in sorted(names.items())
                )
                options = f'<option value="">every {kind}</option>{options}'
                label = f'aria-label="Only one {kind}" data-kind="{index}"'
                menus += f"<select {label}>{options}</select>"
        return menus


def _tools(array: str, member: str) -> list[str]:
    """Return the names of tools in calls or results, which may be stored and malformed."""
    try:
        found = [each.get(member) for each in json.loads(array)]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return []
    return [each for each in found if isinstance(each, str)]


class _Sections:
    """Writes sections; rows beyond the first ones are compressed, and the script makes them."""

    def __init__(self, sections: Sequence[_Section], is_trained: _Trained, names: _Names) -> None:
        self._is_one = len(sections) == 1
        self._is_trained = is_trained
        self._names = names
        self._room = _DIRECT

    def section(self, section: _Section) -> Iterator[str]:
        """Yield the HTML of a section."""
        document = section.document
        yield f'<section class="transcript" id="t{section.number}">\n'
        if not self._is_one:
            yield f"<h2>{escaped(document.name)}</h2>\n"
            yield f'<p class="facts">{_facts(section)}</p>\n{_errors(section)}'
        if document.dialect is None:
            yield f'<p class="refused">Refused: {escaped(document.text)}</p>\n'
        elif document.items:
            yield '<div class="columns"><span>The record, as it is</span><span>Read</span></div>\n'
        elif not section.rows:
            yield '<p class="note">There is no text.</p>\n'
        else:
            yield '<div class="columns"><span>On the wire</span><span>Parsed</span></div>\n'
        written = section.written(self._is_trained, self._names)
        direct = list(islice(written, self._room))
        self._room -= len(direct)
        yield from (html for html, _ in direct)
        first = len(direct)
        while held := list(islice(written, _TOGETHER)):
            by = ";".join(each for _, each in held)
            rows_of_it = "".join(html for html, _ in held).encode()
            packed = base64.b64encode(zlib.compress(rows_of_it)).decode()
            yield f'<div class="held" data-first="{first}" data-by="{by}">'
            yield f'<script type="text/plain">{packed}</script></div>\n'
            first += len(held)
        yield "</section>\n"


def _row(name: str, row: Row, author: str, by: str, is_trained: _Trained) -> str:
    kind = row.event["type"] if row.event else "rest"
    element, outer, head, start = "div", "div", "p", ""
    if row.event and kind in _FOLDED:
        element, outer, head = "details", "details open", "summary"
        start = f' <span class="start" aria-hidden="true">{escaped(_start(row.event))}</span>'
    void = ' <span class="code">void</span>' if kind == "call" and _is_void(row) else ""
    parts = "".join([_part(part, trained=is_trained(part)) for part in row.parts])
    return (
        f'<{outer} class="row {kind} from-{author}" id="{name}" data-by="{by}">\n'
        f'<{head} class="head"><span class="type">{kind}</span>{void} <span>{author}</span> '
        f'<span class="where">{_where(row)} · {counted(len(row.text), "character")}</span>{start}'
        f'</{head}>\n{_link(name)}<div class="pair"><pre class="raw"><code>{parts}'
        f'</code></pre><div class="parsed">{card(row.event)}</div></div>\n</{element}>\n'
    )


def _link(name: str) -> str:
    """Return a link to a row, which is beside its head because a summary contains no link."""
    return f'<a class="link" href="#{name}">#</a>\n'


def _item(name: str, item: Item, by: str) -> Iterator[str]:
    """Yield the HTML of a message or an event that is shown as it is."""
    kind = item.events[0]["type"] if len(item.events) == 1 else "record"
    yield f'<div class="row {kind} from-{item.author}" id="{name}" data-by="{by}">\n'
    yield '<p class="head">'
    yield f'<span class="type">{escaped(item.kind)}</span> <span>{item.author}</span> '
    yield f'<span class="where">/{name.partition("-")[2]}</span></p>\n'
    yield f'{_link(name)}<div class="pair">'
    yield f'<pre class="raw"><code>{escaped(item.source)}</code></pre>'
    cards = "".join(map(stored_card, item.events))
    said = f'<pre class="text"><code>{escaped(item.said)}</code></pre>' if item.said else ""
    yield f'<div class="parsed">{cards}{said}</div></div>\n</div>\n'


def _where(row: Row) -> str:
    """Return where a row begins or, for an error, where the error is."""
    line, column = row.place or (row.line, row.column)
    return f"line {line}, column {column}"


def _is_void(row: Row) -> bool:
    """Whether the call of this row is in a void block."""
    return any(part.kind == "error" for part in row.parts)


def _start(event: cogwire.Event) -> str:
    """Return the beginning of the content, on one line."""
    return " ".join(str(event.get("content", ""))[:_START].split())


def _part(part: TextRun, *, trained: bool) -> str:
    names = f"k-{part.kind} a-{part.author} m-{int(trained)}"
    text = f'<span class="{names}">{escaped(part.text)}</span>'
    return text if part.error is None else f'<mark class="err">{text if part.text else ""}</mark>'
