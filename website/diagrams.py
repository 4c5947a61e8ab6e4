# SPDX-License-Identifier: MIT
"""The state machines: read from the tables of the specification, and drawn after them."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SCRIPT: Final = Path(__file__).with_name("diagrams.mjs")
_TABLE: Final = re.compile(
    r"^\| from \| on \| gives \| to \| in \|\n\|[-| ]+\|\n(?P<rows>(?:\|.*\|\n)+)", re.MULTILINE
)
_CODE: Final = re.compile(r"`([^`]+)`")
#: One thing that is given: in brackets, if it may be absent; with others that may be in its place.
_GIFT: Final = re.compile(r"\((?P<optional>[^)]+)\)|`(?P<code>[^`]+)`")

#: The figures of a table: the word that its rows have beside "both", and what they show.
_FIGURES: Final = {
    "turns": "The machine of a turn.",
    "transcripts": "What a transcript has in its place or beside it, where turns begin in prose.",
}
_SHARED: Final = " The dot represents every region with a line to it."
#: From so many markers on, an edge does not name them.
_MANY: Final = 4
_FAMILY: Final = "'Courier New','Liberation Mono',monospace"
#: What the widths are reckoned by; each character of it is as wide as any other.
_FONT: Final = 'fontname="Courier"'
#: A longer label takes two lines.
_WIDTH: Final = 26
_LOOK: Final = (
    f"bgcolor=none; rankdir=TB; nodesep=0.25; ranksep=0.5; "
    f"node [shape=box style=rounded {_FONT} fontsize=16 height=0.4]; "
    f"edge [{_FONT} fontsize=14 arrowsize=0.8];"
)


@dataclass(frozen=True)
class Gift:
    """An event or a code of an error that an edge gives, or one of several."""

    names: tuple[str, ...]
    is_optional: bool


@dataclass(frozen=True)
class Edge:
    """One row of a table of edges."""

    #: Regions, and what leads out of them: markers, or one phrase.
    sources: tuple[str, ...]
    triggers: tuple[str, ...]
    gifts: tuple[Gift, ...]
    #: A region, and perhaps the one in its place with `start="think"`.
    targets: tuple[str, ...]
    #: `both`, `turns` or `transcripts`.
    where: str


def machines(page: str) -> list[list[Edge]]:
    """Return the edges of each state machine on a page, in the order of their tables."""
    return [_edges(table) for table in _TABLE.finditer(page)]


def gifts(cell: str) -> tuple[Gift, ...]:
    """Return what the cell of a table says is given; *segment* is a name as well."""
    found = _GIFT.finditer(cell.replace("*", "`"))
    return tuple(
        Gift(tuple(_CODE.findall(one["optional"])), is_optional=True)
        if one["optional"]
        else Gift((one["code"],), is_optional=False)
        for one in found
    )


def drawn(page: str) -> str:
    """Return a page with each of its state machines drawn after its table, as HTML with SVG.

    Raises `RuntimeError` if there is no node, or it fails.
    """
    graphs = [graph for edges in machines(page) for graph in _graphs(edges)]
    pictures = iter(_rendered(graphs)) if graphs else iter(())
    return _TABLE.sub(lambda table: f"{table[0]}\n{_figures(_edges(table), pictures)}\n", page)


def _edges(table: re.Match[str]) -> list[Edge]:
    return [_edge(row) for row in table["rows"].splitlines()]


def _edge(row: str) -> Edge:
    sources, on, gives, targets, where = (cell.strip() for cell in row.strip("|").split("|"))
    return Edge(
        sources=tuple(_CODE.findall(sources)),
        triggers=tuple(_CODE.findall(on)) or (on,),
        gifts=gifts(gives),
        targets=tuple(_CODE.findall(targets)),
        where=where,
    )


# --- Figures --------------------------------------------------------------------------------


def _figures(edges: list[Edge], pictures: Iterator[str]) -> str:
    """Return the figures of a table, whose pictures are the next ones."""
    shared = _SHARED if any(len(edge.sources) > 1 for edge in edges) else ""
    captions = (caption + shared for caption in _FIGURES.values())
    return "\n".join(_figure(next(pictures), caption) for caption in captions)


def _figure(picture: str, caption: str) -> str:
    """Return one block of HTML, without blank lines; a wide picture scrolls in its own box."""
    return (
        '<figure class="machine" style="margin-inline:0;width:100%">\n'
        f'<div style="overflow-x:auto" tabindex="0" role="group" aria-label="{caption}">\n'
        f"{_accessible(picture, caption)}\n</div>\n"
        f"<figcaption>{caption} Drawn from the table above.</figcaption>\n</figure>\n"
    )


def _accessible(picture: str, caption: str) -> str:
    """Return the SVG with a title, in the colour of the text around it, and as wide as it fits."""
    body = picture[picture.index("<svg") :]
    body = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", body, flags=re.DOTALL)
    body = re.sub(r' (?:id|class|font-family)="[^"]*"', "", body)
    body = re.sub(r"\n{2,}", "\n", body)
    body = re.sub(r'"(?:black|#000000)"', '"currentColor"', body)
    width, height = re.findall(r'(?:width|height)="([\d.]+)pt"', body)[:2]
    style = (
        f"display:block;margin:auto;width:{width}px;max-width:100%;"
        f"min-width:{round(float(width) * 0.72)}px;height:auto;font-family:{_FAMILY}"
    )
    opener = f'<svg role="img" fill="currentColor" style="{style}"'
    body = body.replace("<svg", opener, 1).replace(f'width="{width}pt" height="{height}pt"', "", 1)
    return body.replace(">", f">\n<title>{caption}</title>", 1).strip()


# --- Graphs ---------------------------------------------------------------------------------


def _graphs(edges: list[Edge]) -> Iterator[str]:
    """Yield the DOT of each figure."""
    for mode in _FIGURES:
        wanted = ("both", mode) if mode == "turns" else (mode,)
        yield _dot([edge for edge in edges if edge.where in wanted])


def _dot(edges: list[Edge]) -> str:
    """Return a graph in which the edges with the same ends are one, with several labels.

    Edges that regions share begin at a point to which each of these regions leads.
    """
    points: dict[tuple[str, ...], str] = {}
    labels: dict[tuple[str, str], list[str]] = {}
    for edge in edges:
        if len(edge.sources) > 1:
            points.setdefault(edge.sources, f"point{len(points)}")
        tail = points.get(edge.sources, edge.sources[0])
        labels.setdefault((tail, edge.targets[0]), []).append(_label(edge))
    lines = [
        *(f"{name} [shape=point width=0.12];" for name in points.values()),
        *(f"{region} -> {points[regions]} [dir=none];" for regions in points for region in regions),
        *(f"{tail} -> {head} [label={_quoted(*texts)}];" for (tail, head), texts in labels.items()),
    ]
    return f"digraph {{ {_LOOK} {' '.join(lines)} }}"


def _label(edge: Edge) -> str:
    """Return what leads over an edge, and what it always gives."""
    given = ", ".join(name for gift in edge.gifts if not gift.is_optional for name in gift.names)
    on = " or ".join(trigger.strip() for trigger in edge.triggers)
    on = "a marker" if len(edge.triggers) > _MANY else on
    whole = f"{on} / {given}" if given else on
    return whole if len(whole) <= _WIDTH else f"{on}\n/ {given}"


def _quoted(*texts: str) -> str:
    """Return the lines of a label as a string of DOT, with room at both ends."""
    lines = (line for text in texts for line in text.splitlines())
    lines = (line.replace("\\", r"\\").replace('"', r"\"") for line in lines)
    return '"' + r"\n".join(f" {line} " for line in lines) + '"'


def _rendered(graphs: list[str]) -> list[str]:
    """Return the SVG of each graph; node starts once for all of them."""
    node = shutil.which("node")
    if node is None:
        raise RuntimeError("node draws the state machines, and is not installed")
    asked = json.dumps(graphs)
    done = subprocess.run(  # noqa: S603 (our own script)
        [node, str(_SCRIPT)], input=asked, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{_SCRIPT.name} failed: {done.stderr.strip()}")
    pictures: list[str] = json.loads(done.stdout)
    return pictures
