# SPDX-License-Identifier: MIT
"""`llms.txt`: what the site has, for readers that are programs (see llmstxt.org)."""

from pathlib import Path

from website.clauses import Clauses

_HEAD = """\
# cogwire

> The specification, the reference library and the conformance kit of an agent wire protocol: the
> text a language model streams when it thinks, answers and calls tools, and the typed events that
> agents are built on.

The addresses are relative to this file. Clauses have ids such as `xj-skip` and are at them, such as
`spec/xml-json.html#xj-skip`; a case is at its id on the page of its topic, such as
`cases/xml-json/calls.html#ID`; an error code is at `spec/errors.html#err-json-syntax`, a class of
bugs at `bugs.html#lenient-json`. `matrix.json` has every case with its page and who passes it.
"""


def write_file(pages: Path, known: Clauses, version: str) -> None:
    """Write the file."""
    base = f"downloads/{version}"
    paths = sorted(known.spec.glob("*.md"))
    chapters = [f"- [{_title(path)}]({base}/spec/{path.stem}.txt)" for path in paths]
    lines = [
        _HEAD,
        "## Specification\n",
        *chapters,
        "\n## Data\n",
        f"- [Clauses]({base}/clauses.json): id, level, page, text and cases of each",
        f"- [Error codes]({base}/errors.json): cause, clauses and cases of each",
        f"- [Corpus]({base}/corpus.jsonl): every conformance case, one a line",
        f"- [Files]({base}/index.json): everything of this version, with checksums",
        "\n## Library\n",
        "- [Guides](library/index.html)",
        "- [API reference](library/reference/index.html)",
        "- [Which format does my model write?](which-format.html)",
        "- [Lint rules](rules.html)",
        "- [Changelog](changelog.html)",
        "\n## Optional\n",
        "- [Results](matrix.html): which implementation passes what",
        "- [Formats](formats.html): who reads the formats that models are trained on",
        "- [Benchmarks](benchmarks.html), [as JSON](benchmarks.json)",
        "- [Playground](playground/index.html)",
    ]
    (pages / "llms.txt").write_text("\n".join([*lines, ""]), "utf-8", newline="\n")


def _title(path: Path) -> str:
    return path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
