# SPDX-License-Identifier: MIT
"""Transcripts as one page of HTML.

Everything from a transcript is in the page as text.  The page's policy allows nothing to run except
the one script with a known hash, and allows nothing to be loaded.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from string import Template
from typing import Final, NamedTuple

import cogwire
from cogwire_kit.masks import chosen
from cogwire_kit.texts.words import counted
from cogwire_kit.view.cards import attribute, card, escaped
from cogwire_kit.view.rows import Part, Row, rows

#: The types of events that a reader may want to fold.
_FOLDED: Final = frozenset({"think", "result"})
_START: Final = 120


_Trained = Callable[[Part], bool]


class Document(NamedTuple):
    """A transcript, or why there is none."""

    name: str
    text: str
    #: None if the row is refused; `text` states why.
    dialect: str | None


class _Section(NamedTuple):
    """A transcript of the page, ready to be written."""

    number: int
    document: Document
    rows: list[Row]

    @property
    def errors(self) -> list[tuple[int, Row]]:
        """The rows whose event is an error, each with its number."""
        found = enumerate(self.rows)
        return [(n, row) for n, row in found if row.event and row.event["type"] == "error"]


def page(
    title: str,
    documents: Sequence[Document],
    *,
    train: Sequence[str] = ("model",),
    skip: Sequence[str] = (),
) -> str:
    """Return the page that shows `documents`; `train` and `skip` are those of `masks.mask`.

    Raises `ValueError` for a name that is neither an author nor a kind.
    """
    is_trained = chosen(train, skip)
    sections = [
        _Section(n, each, rows(each.text, each.dialect) if each.dialect else [])
        for n, each in enumerate(documents, 1)
    ]
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
        transcripts="\n".join(
            "".join(_section(each, is_trained, is_one=is_one)) for each in sections
        ),
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
    """Return how a Content-Security-Policy names an inline text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# -- The header and the contents ------------------------------------------------------------------


def _facts(section: _Section) -> str:
    document = section.document
    if document.dialect is None:
        return "refused"
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


def _section(section: _Section, is_trained: _Trained, *, is_one: bool) -> Iterator[str]:
    document = section.document
    yield f'<section class="transcript" id="t{section.number}">\n'
    if not is_one:
        yield f"<h2>{escaped(document.name)}</h2>\n"
        yield f'<p class="facts">{_facts(section)}</p>\n{_errors(section)}'
    if document.dialect is None:
        yield f'<p class="refused">Refused: {escaped(document.text)}</p>\n'
    elif not section.rows:
        yield '<p class="note">There is no text.</p>\n'
    else:
        yield '<div class="columns"><span>On the wire</span><span>Parsed</span></div>\n'
    for number, row in enumerate(section.rows):
        yield from _row(f"t{section.number}-{number}", row, is_trained)
    yield "</section>\n"


def _row(name: str, row: Row, is_trained: _Trained) -> Iterator[str]:
    kind = row.event["type"] if row.event else "rest"
    folds = kind in _FOLDED
    element, head = ("details open", "summary") if folds else ("div", "p")
    # The white space before it may be another's.
    author = next((part.author for part in row.parts if part.kind != "white"), "model")
    yield f'<{element} class="row {kind} from-{author}" id="{name}">\n<{head} class="head">'
    void = ' <span class="code">void</span>' if kind == "call" and _is_void(row) else ""
    yield f'<span class="type">{kind}</span>{void} <span>{author}</span> '
    yield f'<span class="where">{_where(row)} · '
    yield f"{counted(len(row.text), 'character')}</span>"
    if row.event and folds:
        yield f' <span class="start" aria-hidden="true">{escaped(_start(row.event))}</span>'
    yield f'</{head}>\n<div class="pair"><pre class="raw"><code>'
    for part in row.parts:
        yield _part(part, trained=is_trained(part))
    yield f'</code></pre><div class="parsed">{card(row.event)}</div></div>\n'
    yield f"</{element.partition(' ')[0]}>\n"


def _where(row: Row) -> str:
    """Return where a row begins or, for an error, where the error is."""
    line, column = row.place or (row.line, row.column)
    return f"line {line}, column {column}"


def _is_void(row: Row) -> bool:
    """Whether the call of this row is of a block that broke a rule."""
    return any(part.kind == "error" for part in row.parts)


def _start(event: cogwire.Event) -> str:
    """Return how the content begins, on one line."""
    return " ".join(str(event.get("content", ""))[:_START].split())


def _part(part: Part, *, trained: bool) -> str:
    names = f"k-{part.kind} a-{part.author} m-{int(trained)}"
    text = f'<span class="{names}">{escaped(part.text)}</span>'
    return text if part.error is None else f'<mark class="err">{text if part.text else ""}</mark>'
