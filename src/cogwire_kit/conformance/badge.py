# SPDX-License-Identifier: MIT
"""A badge: what was run, and with what result, in a small image."""

from typing import Final
from xml.sax.saxutils import escape

from cogwire_kit.conformance.reports import Report
from cogwire_kit.conformance.verdict import verdict

_CHARACTER: Final = 6.6
_PADDING: Final = 12
_COLOURS: Final = {
    "conformant": "#1a7f37",
    "partial": "#57606a",
    "failing": "#c93c37",
    "none": "#c93c37",
}


def written(report: Report) -> str:
    """Return the badge as SVG, with the version of the corpus and the dialects."""
    corpus = f"cogwire {report.run['corpus']['version']}"
    found = verdict(report)
    dialects = ", ".join(dict.fromkeys(case["dialect"] for case in report.cases))
    label = f"{dialects}: {found.short}" if dialects else found.short
    left, right = (round(len(text) * _CHARACTER + _PADDING) for text in (corpus, label))
    colour = _COLOURS[found.kind]
    title = escape(f"{report.target}: {found.text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img">'
        f"<title>{title}</title>"
        f'<rect width="{left + right}" height="20" rx="3" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" rx="3" fill="{colour}"/>'
        f'<rect x="{left}" width="4" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14">{escape(corpus)}</text>'
        f'<text x="{left + right / 2}" y="14">{escape(label)}</text></g></svg>\n'
    )
