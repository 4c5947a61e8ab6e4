# SPDX-License-Identifier: MIT
"""The picture of a real run of the parser, for README and previews: `website.drawing` stores it."""

from html import escape
from pathlib import Path
from typing import Any, Final

import cogwire

FOLDER: Final = Path(__file__).with_name("pictures")

#: A turn as a model streams it.
CHUNKS: Final = (
    "<thi",
    "nk>The port is",
    " in the config.</think>",
    "\n\n<exec",
    'ute>[{"name": "read",',
    ' "args": {"file": "config.json"}}',
    "]</exec",
    "ute>",
)
#: In units of the picture: its width, where events begin, the height of a row and of what is above.
_WIDTH: Final = 880
_EVENTS: Final = 400
_ROW: Final = 36
_TOP: Final = 48
#: How wide a character of the font is.
_CHARACTER: Final = 7.85
_COLOURS: Final = {
    "text": ("#1f2328", "#e6edf3"),
    "soft": ("#57606a", "#9aa4af"),
    "line": ("#d0d7de", "#3d444d"),
    "chunk": ("#f6f8fa", "#161b22"),
    "think": ("#e6dcfa", "#3b2a66"),
    "call": ("#d3e3fb", "#143a6b"),
    "execute": ("#fbe3b8", "#5a3d06"),
}


def stream() -> str:
    """Return the stream becoming events: each chunk, and beside it what the parser emits for it."""
    parser = cogwire.Parser(stream="token", clock=None)
    rows = [(chunk, parser.feed(chunk)) for chunk in CHUNKS]
    parts = [_words(20, 28, "what a model streams", "soft")]
    parts.append(_words(_EVENTS, 28, "what cogwire emits, as the text arrives", "soft"))
    for number, (chunk, events) in enumerate(rows):
        top = _TOP + number * _ROW
        shown = chunk.replace("\n", "↵")
        width = len(shown) * _CHARACTER + 18
        parts.append(_box(20, top, width, "chunk"))
        parts.append(_words(29, top + 18, shown))
        parts.append(f'<path d="M{20 + width + 8:.0f} {top + 13}H{_EVENTS - 10}" class="line"/>')
        if events:
            parts += _event(events[0], top)
        else:
            parts.append(_words(_EVENTS, top + 18, "nothing yet", "soft"))
    height = _TOP + len(rows) * _ROW + 8
    description = "; ".join(f"{chunk!r}: {[dict(one) for one in events]}" for chunk, events in rows)
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
                f'width="{_WIDTH}" height="{height}" role="img">'
            ),
            "<title>A stream of text becoming events</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{_style()}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def _style() -> str:
    light, dark = (
        "".join(f"--{name}:{pair[n]};" for name, pair in _COLOURS.items()) for n in range(2)
    )
    shapes = "".join(f".{name}{{fill:var(--{name})}}" for name in _COLOURS if name != "line")
    return (
        f"svg{{{light}font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}}"
        f"@media (prefers-color-scheme:dark){{svg{{{dark}}}}}"
        f"{shapes}.chunk{{stroke:var(--line)}}.line{{stroke:var(--line);fill:none}}"
        ".name{font-weight:700}"
    )


def _event(event: Any, top: int) -> list[str]:
    kind = event["type"]
    width = len(kind) * _CHARACTER + 18
    content = event.get("content", "")
    shown = content if kind == "call" else f'"{content}"' if content else ""
    if event.get("done"):
        shown += "  done"
    return [
        _box(_EVENTS, top, width, kind),
        _words(_EVENTS + 9, top + 18, kind, "text name"),
        _words(_EVENTS + width + 10, top + 18, shown),
    ]


def _box(x: float, y: float, width: float, kind: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width:.0f}" height="26" rx="5" class="{kind}"/>'


def _words(x: float, y: float, words: str, kind: str = "text") -> str:
    shown = escape(words, quote=False)
    place = f'x="{x:.0f}" y="{y}" class="{kind}" xml:space="preserve"'
    return f"<text {place}>{shown}</text>"
