# SPDX-License-Identifier: MIT
"""A text that knows, for each of its characters, the path that an error there has.

JSON is written from trees, by the clauses err-path-outside, err-path-index, err-path-member,
err-path-object, err-path-duplicate, err-path-missing and err-path-number.
"""

import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from cogwire_kit.strategies._wire import Document, Event, call, execute


class Fault(NamedTuple):
    """A text with exactly one fault, how to read it, and its required events.

    `data` is text or, if the fault is in its encoding, perhaps bytes.  `events` has one `error`,
    of this `code`, and the events before and after it.  `options` has the `dialect`, the `mode`,
    the `start` and, if a limit is crossed, the `limits`, such as `{"depth": 3}`.
    """

    data: str | bytes
    code: str
    events: list[Event]
    state: str
    discarded: int
    options: dict[str, Any]


class Array(NamedTuple):
    """An array of JSON; `gap` is the white space between its tokens."""

    items: "list[Tree]"
    gap: str = ""


class Object(NamedTuple):
    """An object of JSON: for each member its name as it is written, its name, and its value.

    The second member of one name is the offence `duplicate-key`.
    """

    members: "list[tuple[str | Bad, str, Tree]]"
    gap: str = ""


class Bad(NamedTuple):
    """A value, or the spelling of a name, with a fault of this `code`.

    `at` is the place of the offending character in it, from the end if it is negative, and `below`
    the part of its path below that of the value.
    """

    tree: "Tree"
    code: str
    at: int = 0
    below: str = ""


#: A value of JSON; a string is the text of a value that contains no other.
Tree = str | Array | Object | Bad


class Offence(NamedTuple):
    """The one fault: its code, the place of the offending character, and its path, if any."""

    code: str
    offset: int
    path: str | None


class Written:
    """A text that grows, and the error that would be reported at each character."""

    def __init__(self) -> None:
        self.text = ""
        #: For each character the path of an error there.
        self.paths: list[str | None] = []
        #: For each character whether it is in a JSON string; its closing quote does.
        self.is_quoted: list[bool] = []
        #: For each call the place of its last character, and its content.
        self.calls: list[tuple[int, str]] = []
        #: Places by name, such as where the array begins.
        self.marks: dict[str, int] = {}
        self.offence: Offence | None = None

    def put(self, text: str, path: str | None) -> None:
        """Write `text`, of which each character has this path."""
        begins_string = path is not None and text.startswith('"')
        self.is_quoted += [begins_string and place > 0 for place in range(len(text))]
        self.text += text
        self.paths += [path or None] * len(text)

    def mark(self, name: str) -> None:
        """Remember this place."""
        self.marks[name] = len(self.text)

    def spoil(self, code: str, offset: int, path: str | None) -> None:
        """State the fault; the first one counts."""
        self.offence = self.offence or Offence(code, offset, path)

    @property
    def names(self) -> list[str]:
        """The names of the calls."""
        return [name_of(content) for _, content in self.calls]

    @property
    def events(self) -> list[Event]:
        """The events of a block without a fault."""
        return [*(call(content) for _, content in self.calls), execute()]

    @property
    def fault(self) -> Offence:
        """The offence; `ValueError` where there is none."""
        if self.offence is None:
            raise ValueError("a text without a fault")
        return self.offence

    def calls_before(self, offset: int) -> list[str]:
        """Return the contents of the calls that are complete before the character at `offset`."""
        return [content for place, content in self.calls if place < offset]

    def _changed(self, text: str, place: int, code: str, at: int = 0) -> "Written":
        changed = type(self)()
        changed.text, changed.marks = text, self.marks
        changed.calls = [each for each in self.calls if each[0] < place]
        changed.offence = Offence(code, place + at, self.paths[place])
        return changed

    def struck(self, place: int, inserted: str, code: str, at: int = 0) -> "Written":
        """Return this text with something put in, whose character `at` is the offence."""
        return self._changed(self.text[:place] + inserted + self.text[place:], place, code, at)

    def cut(self, place: int, code: str) -> "Written":
        """Return this text up to a place, where its end is the offence."""
        return self._changed(self.text[:place], place, code)

    def crossing(self, place: int, code: str) -> "Written":
        """Return this text, whose character at `place` crosses a limit."""
        return self._changed(self.text, place, code)


def name_of(content: str) -> str:
    """Return the name of a call without a fault."""
    return str(json.loads(content, parse_int=str)["name"])


def pointed(row: str) -> tuple[str, int]:
    """Return a text without its caret `‸`, and the place of the character after it."""
    return row.replace("‸", ""), row.index("‸")


def escaped(name: str) -> str:
    """Return a name as a step of a JSON Pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def write_tree(written: Written, tree: Tree, path: str) -> None:
    """Write a value of JSON; an error at its first character has this path, or none if empty."""
    if isinstance(tree, str):
        written.put(tree, path)
    elif isinstance(tree, Array):
        _write_array(written, tree, path)
    elif isinstance(tree, Object):
        _write_object(written, tree, path)
    else:
        start = len(written.text)
        write_tree(written, tree.tree, path)
        offset = tree.at + (start if tree.at >= 0 else len(written.text))
        written.spoil(tree.code, offset, path + tree.below)


def source(tree: Tree) -> str:
    """Return the text of a value of JSON."""
    written = Written()
    write_tree(written, tree, "")
    return written.text


def _write_array(written: Written, array: Array, path: str) -> None:
    """Write `[`, the items, and `]`; from the `[` on the index is part of the path.

    The elements of the outermost array are the calls.
    """
    here = f"{path}/0"
    written.put("[", path)
    written.put(array.gap, here)
    for index, item in enumerate(array.items):
        if index:
            written.put(",", here)
            here = f"{path}/{index}"
            written.put(array.gap, here)
        start = len(written.text)
        write_tree(written, item, here)
        if not path:
            written.calls.append((len(written.text) - 1, written.text[start:]))
        written.put(array.gap, here)
    written.put("]", here)


def _write_object(written: Written, tree: Object, path: str) -> None:
    """Write `{`, the members, and `}`; from each `:` to the `,` the name is part of the path."""
    here, taken = path, set[str]()
    written.put("{" + tree.gap, path)
    for index, (spelling, name, value) in enumerate(tree.members):
        if index:
            written.put(",", here)
            written.put(tree.gap, path)
        write_tree(written, spelling, path)
        here = path + escaped(name)
        if name in taken:
            written.spoil("duplicate-key", len(written.text) - 1, here)
        taken.add(name)
        written.put(tree.gap + ":", path)
        written.put(tree.gap, here)
        write_tree(written, value, here)
        written.put(tree.gap, here)
    written.put("}", here)


#: Input that becomes one U+FFFD: halves of surrogate pairs, and bytes that are not UTF-8.
HALVES = ["\ud83d", "\ude00", "\ud800", "\udfff"]
NO_UTF8 = [b"\xff", b"\x80", b"\xc3", b"\xc0", b"\xed", b"\xe2\x82", b"\xf0\x9f", b"\xf0\x9f\x98"]


@st.composite
def damaged(draw: st.DrawFn, text: str, place: int) -> str | bytes:
    """Draw an input that is read as `text`, with a U+FFFD at `place` that replaces something."""
    before, after = text[:place], text[place + 1 :]
    if draw(st.booleans()):
        return before + draw(st.sampled_from(HALVES)) + after
    return before.encode() + draw(st.sampled_from(NO_UTF8)) + after.encode()


#: The codes whose offending character may be one that decoding replaced.
REPLACING = ("bad-encoding", "results-shape")


@st.composite
def fault_of(draw: st.DrawFn, document: Document, limits: dict[str, int]) -> Fault:
    """Return a document with one fault as such; the character that was replaced is drawn."""
    text, events, state, discarded, options = document
    error = next(event for event in events if event["type"] == "error")
    code, offset = error["code"], error["offset"]
    is_replaced = code in REPLACING and text[offset : offset + 1] == "\ufffd"
    data = draw(damaged(text, offset)) if is_replaced else text
    options = options | ({"limits": limits} if limits else {})
    return Fault(data, code, events, state, discarded, options)
