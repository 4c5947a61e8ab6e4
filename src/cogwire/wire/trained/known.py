# SPDX-License-Identifier: MIT
"""What is known of a format that has a name."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from ..dialect import Dialect
from .format import Format

#: Where llama.cpp keeps the chat templates from which formats were read.
_LLAMA_CPP: Final = "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/"

#: A marker, or several, of which any may be written.
_Mark = str | list[str]


class KnownFormat(NamedTuple):
    """A format that models write, and what is known of it; it is accepted wherever a dialect is."""

    #: The format itself.
    format: Format
    #: The models that write it, each as the beginning of their names.
    models: tuple[str, ...]
    #: Its source: the address of a chat template or of documentation.
    source: str
    #: Its other names, which are those that inference engines give their parsers of it.
    aliases: tuple[str, ...] = ()
    #: What cannot be read or written, each as a sentence.
    limits: tuple[str, ...] = ()
    #: Parts of markers that its chat templates have where they put the markers together.
    marks: tuple[str, ...] = ()
    #: A pattern that its calls match, and those of another format that reads the same do not.
    sign: str = ""

    @property
    def name(self) -> str:
        """What the format is called."""
        return self.format.dialect

    @property
    def dialect(self) -> str:
        """The name."""
        return self.name

    @property
    def wire(self) -> Dialect:
        """The dialect itself."""
        return self.format.wire

    def fit(self, template: str) -> tuple[int, int]:
        """Return how well a chat template fits this format: the greater of two fits better.

        The first is the length of the markers of calls, all of which the template has, or 0; the
        second that of other markers that it has, without those that it lacks.
        """
        marks, others = self._marks()
        sizes = [_size(mark, template) for mark in marks]
        there = (_size(mark, template) or -len(_every(mark)[0]) for mark in others)
        return (sum(sizes), sum(there)) if all(sizes) else (0, 0)

    def _marks(self) -> tuple[list[_Mark], list[_Mark]]:
        """Return the markers of calls, and the other markers that a template of it may have."""
        form = self.format
        data = form.to_json()
        marks = self.marks or (*data.get("section", ()), *data["call"], *_tags(data["payload"]))
        others: list[_Mark] = [
            *data.get("think", ()),
            *chain.from_iterable(map(_lines, data.get("result", ()))),
            *form.ignored,
            *form.ends,
        ]
        if data["payload"]["kind"] in ("object", "array"):
            others.append(f'"{data["payload"].get("args", "arguments")}"')
        return list(filter(None, marks)), others

    def place_in(self, model: str) -> tuple[int, int] | None:
        """Return where the name of one of its models is in `model`, and minus its length.

        `model` is a name such as `Qwen/Qwen3-8B`; the result is `None` if no name is in it, and the
        least of them otherwise.  Versions are whole: `Qwen3` is not in `Qwen3.5-4B`.
        """
        title = model.rstrip("/").rpartition("/")[2]
        found = (
            re.search(rf"(?<![^\W_]){_pattern(name)}{_WHOLE}", title, re.IGNORECASE)
            for name in self.models
        )
        return min(((each.start(), -len(each[0])) for each in found if each), default=None)


def _every(mark: _Mark) -> Sequence[str]:
    return [mark] if isinstance(mark, str) else mark


def _lines(mark: _Mark) -> Sequence[_Mark]:
    """Return the lines of a marker, between which a chat template may have an escape."""
    return mark.split("\n") if isinstance(mark, str) else [mark]


def _size(mark: _Mark, template: str) -> int:
    """Return the length of a marker in a chat template, of several the longest, or 0."""
    return max((len(each) for each in _every(mark) if each in template), default=0)


def _tags(payload: dict[str, Any]) -> Iterator[str]:
    """Yield the markers of a payload; words that only a head has are written by no template."""
    for head in payload.get("head", ())[:1]:
        yield from filter(_has_sign, re.split(r"\{name\}|\{id\}", head))
    if payload["kind"] == "tags":
        for marker in (*payload["tool"], *payload["key"], *payload["value"]):
            yield from re.split(r"\{id\}|\{key\}", marker)
        yield payload.get("end", "")


#: Whether a part of a head is a marker, rather than a word.
_has_sign: Final = re.compile(r"[^\w.:\s]").search


#: What ends a version: it matches after `Qwen3` in `Qwen3_8B`, but not in `Qwen3_5-4B`.
_WHOLE: Final = r"(?!\.?[0-9]|_[0-9]+(?![0-9b]))"
#: The point in a version, which names may write as in `Llama-3_3`; not before a size like `8b`.
_POINT: Final = r"(?:\.|[-_](?![0-9]+(?:\.[0-9]+)?b))"


def _pattern(name: str) -> str:
    """Return a regular expression for the name of a model, whose words may be joined otherwise."""
    return "[-_ ]?".join(map(re.escape, re.split("[-_ ]", name))).replace(r"\.", _POINT)


def template(name: str) -> str:
    """Return the address of a chat template of llama.cpp."""
    return f"{_LLAMA_CPP}{name}.jinja"
