# SPDX-License-Identifier: MIT
"""The dialects, as data.

A dialect is a frozen value: the parser, the renderers and the assembler read it and hold no
knowledge of their own about any wire format.  It has a frame, which says where the parts of a
message begin and end, and a format of calls.  A new dialect is a new value in `DIALECTS`.
"""

import functools
import re
from dataclasses import dataclass
from typing import ClassVar, Final

from ._blocks import ARRAY, ELEMENTS, PAYLOADS, CallFormat

#: An opener and its closer.
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """Parts between an opener and a closer; in prose an opener is live wherever it stands."""

    think: Pair
    execute: Pair
    results: Pair
    #: The marker that ends a turn; empty where there is none.
    end: str

    #: What stands between two parts of one message.
    joint: ClassVar[str] = "\n\n"

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that are live in prose."""
        openers = (self.think[0], self.execute[0], self.results[0])
        return (*openers, self.end) if self.end else openers

    @property
    def markers(self) -> tuple[str, ...]:
        """All markers."""
        return (*self.openers, self.think[1], self.execute[1], self.results[1])


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Parts that begin with a marker at the start of a line and last until the next marker.

    A marker that begins with `mark` is read in any ASCII letter case.
    """

    mark: str
    think: str
    call: str
    respond: str
    execute: str
    end: str
    #: What stands around the body of a result: as it is written, then what else is read as one.
    results: tuple[Pair, ...]

    joint: ClassVar[str] = "\n"

    @property
    def markers(self) -> tuple[str, ...]:
        """All markers; each of them is live in prose."""
        results = (opener for opener, _ in self.results)
        return (self.think, self.call, self.respond, self.execute, self.end, *results)

    @property
    def openers(self) -> tuple[str, ...]:
        """The markers that are live in prose."""
        return self.markers


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One wire format."""

    #: The name that `Parser(dialect=…)` and the adapter protocol use.
    name: str
    frame: Tags | Lines
    #: How the calls of a block are read and written.
    calls: CallFormat
    #: Whether the calls of a block run together or one after the other.
    parallel: bool

    @property
    def joint(self) -> str:
        """What stands between two parts of one message."""
        return self.frame.joint

    @property
    def lookalike(self) -> re.Pattern[str]:
        """The first character of whatever could pass for a marker, in any ASCII case."""
        return _lookalike(self)


@functools.cache
def _lookalike(dialect: Dialect) -> re.Pattern[str]:
    frame = dialect.frame
    markers = list(frame.markers)
    if isinstance(frame, Tags) and frame.end:
        # Whoever knows only openers and closers may take it for one.
        markers.append(f"{frame.end[0]}/{frame.end[1:]}")
    # Without the punctuation at its end: a careless reader may not look for it.
    names = (marker.rstrip(">:]") for marker in markers)
    choices = "|".join(f"{re.escape(name[0])}(?={re.escape(name[1:])})" for name in names)
    return re.compile(choices, re.IGNORECASE | re.ASCII)


#: How the first character of a marker is written in running text.
_LITERALS: Final = {"<": "&lt;", "§": "&sect;"}


def literal(marker: str) -> str:
    """Return `marker` in its literal form, which stands for it in running text."""
    return _LITERALS.get(marker[0], f"&#{ord(marker[0])};") + marker[1:]


_XML: Final = Tags(
    think=("<think>", "</think>"),
    execute=("<execute>", "</execute>"),
    results=("<results>", "</results>"),
    end="<end>",
)
_RESULT: Final = ("§result:", "")
_SYSTEM: Final = ("[SYSTEM: ", "]")

XML_JSON: Final = Dialect("xml-json", _XML, ARRAY, parallel=True)

XML_ELEMENTS: Final = Dialect("xml-elements", _XML, ELEMENTS, parallel=False)

DELIMITER: Final = Dialect(
    "delimiter",
    Lines(
        mark="§",
        think="§think:",
        call="§call:",
        respond="§respond:",
        execute="§execute",
        end="§end",
        results=(_RESULT, _SYSTEM),
    ),
    PAYLOADS,
    parallel=False,
)

DELIMITER_UPPER: Final = Dialect(
    "delimiter-upper",
    Lines(
        mark="§",
        think="§THINK:",
        call="§CALL:",
        respond="§RESPOND:",
        execute="§EXECUTE",
        end="§END",
        results=(_SYSTEM, _RESULT),
    ),
    PAYLOADS,
    parallel=False,
)

DIALECTS: Final[dict[str, Dialect]] = {
    dialect.name: dialect for dialect in (XML_JSON, XML_ELEMENTS, DELIMITER, DELIMITER_UPPER)
}


def dialect_named(name: str) -> Dialect:
    """Return the dialect called `name`, or raise `ValueError` with the names there are."""
    try:
        return DIALECTS[name]
    except (KeyError, TypeError):
        known = ", ".join(DIALECTS)
        raise ValueError(f"unknown dialect {name!r}; known: {known}") from None
