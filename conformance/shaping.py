"""Writes the shapes in each format that is described: `python -m conformance.shaping`.

A name on the command line is that of a format to begin with, of which there is a description.
"""

import json
import sys

from conformance.formatting import formatted

from cogwire_kit.conformance import corpus, formats, shapes


def main(names: list[str]) -> None:
    """Write the shapes in these formats, and in those that have shapes already."""
    known, _ = shapes.load()
    for name in sorted({*names, *formats.shaped()}):
        folder = corpus.PLACE / "formats" / name
        description = json.loads((folder / "description.json").read_text("utf-8"))
        text = formatted(json.dumps(shapes.texts(description, known)))
        (folder / "shapes.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
