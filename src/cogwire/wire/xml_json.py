# SPDX-License-Identifier: MIT
"""`xml-json`, the canonical dialect: tags, and a JSON array of calls."""

from typing import Final

from .blocks.json_reader import ARRAY
from .dialect import Dialect
from .frames.tags import Tags

#: The tags of both XML dialects.
XML_TAGS: Final = Tags(
    think=("<think>", "</think>"),
    execute=("<execute>", "</execute>"),
    results=("<results>", "</results>"),
    end="<end>",
)

DIALECT: Final = Dialect("xml-json", XML_TAGS, ARRAY, parallel=True)
