"""LangChain's parser of JSON in a text, as its guide to calls by a prompt reads them.

The name and the arguments are members of the object that the parser returns; in a stream, the last
one that it returns is read, at the end.
"""

import logging
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from lines import Item, answer

logging.disable(logging.CRITICAL)
parsers = import_module("langchain_core.output_parsers.json")
exceptions = import_module("langchain_core.exceptions")


class Turn:
    """One turn of a model."""

    def __init__(self, tools: list[Any]) -> None:
        del tools
        self._chunks: list[str] = []

    def whole(self, text: str) -> Iterator[Item]:
        """Read a whole text."""
        try:
            found = parsers.JsonOutputParser().invoke(text)
        except exceptions.OutputParserException:
            found = None
        return _items(found, text)

    def feed(self, chunk: str) -> tuple[Item, ...]:
        """Collect a chunk."""
        self._chunks.append(chunk)
        return ()

    def close(self) -> Iterator[Item]:
        """Read the chunks as a stream."""
        found = None
        for found in parsers.JsonOutputParser().transform(iter(self._chunks)):  # noqa: B007
            pass
        return _items(found, "".join(self._chunks))


def _items(found: Any, text: str) -> Iterator[Item]:
    if isinstance(found, dict) and "name" in found:
        yield {"call": str(found["name"])}
        yield {"arguments": found.get("parameters", found.get("arguments", {}))}
    else:
        yield {"content": text}


answer({"llama3-json": Turn}, lambda _, reader: reader)
