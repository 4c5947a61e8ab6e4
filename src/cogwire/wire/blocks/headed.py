# SPDX-License-Identifier: MIT
"""Calls whose name comes in a head, before a JSON object that has only their arguments.

A head is described by templates, such as `{name}[ARGS]` and `{name}[CALLID]{id}[ARGS]`.
"""

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ...events import RESERVED_NAME, Event, Limits
from ...text import WHITE, WHITE_RUN, describe, jump
from ...text.decoding import is_text
from ...text.strict_json import quoted
from .cut_markers import Expected
from .interface import CallFormat, CallKind, FastPath, Fault, ReadCall
from .json_payload import ObjectShape, PayloadReader
from .json_reader import object_states
from .json_shapes import args_hint, mistyped
from .json_states import BEGINS_VALUE, PAYLOAD, JsonState
from .json_writing import PayloadWriting
from .spelled import beginning_at_end
from .values import ItemWriter, RenderError

TOOL: Final = "{name}"
ID: Final = "{id}"
#: A field or white space: what separates the markers of a template.
_BETWEEN: Final = re.compile(rf"(\{{name\}}|\{{id\}}|[{WHITE}]+)")
#: A word in braces; unless it is one of the two fields, it is probably a misspelled one.
OTHER_FIELD: Final = re.compile(r"\{\w+\}", re.ASCII)
#: Stands for the index of a call in its text, until its block is written; no head contains it.
INDEX: Final = "\0"
#: The characters of an id.
ID_RUN: Final = re.compile("[0-9A-Za-z]*")
#: The characters of most names; a marker that began with one would end a name in the middle.
NAME_RUN: Final = re.compile("[0-9A-Za-z_-]*")


class HeadPlace:
    """A place in a head, and what may come there: a field, or one of several markers."""

    __slots__ = ("allows_white", "expected", "field", "markers", "run")

    #: The markers, once all are known.
    expected: "Expected[HeadPlace | None]"

    def __init__(self) -> None:
        self.field = ""
        #: The markers, each with the place after it; that after the field has the key of the field.
        #: After the last marker of a template there is no place.
        self.markers: dict[str, HeadPlace | None] = {}
        #: Whether white space may come first; and the characters of the field.
        self.allows_white = False
        self.run: re.Pattern[str] = ID_RUN


@functools.lru_cache(maxsize=256)
def places(templates: tuple[str, ...]) -> HeadPlace:
    """Return the first place of a head; `ValueError` if the templates contradict each other."""
    if len({*templates}) < len(templates):
        raise ValueError("two of the templates are the same")
    first = HeadPlace()
    first.allows_white = True
    for template in templates:
        _add(first, template)
    _check(first)
    return first


def check_fields(template: str) -> None:
    """Raise `ValueError` unless the name is there once, an id at most once, and no other field."""
    fields = [part for part in _parts(template) if part in (TOOL, ID)]
    if other := OTHER_FIELD.search(_BETWEEN.sub("", template)):
        raise ValueError(
            f"the template {template!r} has the field {other[0]}; only {TOOL} and {ID} are known"
        )
    if sorted(fields) not in ([TOOL], [ID, TOOL]):
        raise ValueError(f"the template {template!r} must have {TOOL} once, and may have {ID} once")


def _parts(template: str) -> list[str]:
    return [part for part in _BETWEEN.split(template.strip(WHITE)) if part]


def _add(place: HeadPlace, template: str) -> None:
    check_fields(template)
    parts = _parts(template)
    fields = [part for part in parts if part in (TOOL, ID)]
    if parts[-1] == ID:
        raise ValueError(f"the template {template!r} ends with {ID}; a marker must follow")
    for index, part in enumerate(parts):
        if not part.strip(WHITE):
            place.allows_white = True
            continue
        field = part if part in fields else ""
        if place.markers and (field or place.field) and part not in place.markers:
            raise ValueError(f"the template {template!r} has another field than an earlier one")
        place.field = field
        after = place.markers.setdefault(part, None if index == len(parts) - 1 else HeadPlace())
        if (after is None) is not (index == len(parts) - 1):
            raise ValueError(f"the template {template!r} begins another one, or begins with it")
        if after is not None:
            place = after


def _check(place: HeadPlace) -> None:
    markers = sorted(place.markers)
    place.expected = Expected(place.markers)
    for one, other in itertools.pairwise(markers):
        if other.startswith(one):
            raise ValueError(f"{other!r} begins with {one!r}, and both may come at one place")
    if place.field == TOOL:
        place.run = _name_run("")
    for after in place.markers.values():
        if after is None:
            continue
        if place.field and after.field:
            raise ValueError(f"a marker must separate {place.field} and {after.field}")
        ends = "".join(marker[0] for marker in after.markers)
        for marker in after.markers:
            if place.field == ID and jump(ID_RUN, marker, 0, 1):
                raise ValueError(f"{marker!r}, after {ID}, begins with a letter or a digit")
            if place.field == TOOL and jump(NAME_RUN, marker, 0, 1):
                raise ValueError(f"{marker!r}, after {TOOL}, begins with a character of names")
        if place.field == TOOL:
            place.run = _name_run(ends)
        _check(after)


def _name_run(ends: str) -> re.Pattern[str]:
    """Return a pattern for a name, which ends before a brace, white space or one of `ends`."""
    return re.compile(rf"[^{{{WHITE}{re.escape(ends)}]*")


class Head:
    """Reads one head; feed it text until it is `done` or raises `Fault`."""

    __slots__ = ("_example", "_marker", "_pieces", "_place", "done", "name")

    def __init__(self, first: HeadPlace, example: str) -> None:
        #: Whether the head has ended, and the name, once it is known.
        self.done = False
        self.name = ""
        self._example = example
        self._pieces: list[str] = []
        #: The place in the head, and the part of a marker that has been read there.
        self._place = first
        self._marker = ""

    @property
    def in_marker(self) -> bool:
        """Whether the text ends inside a marker that `extend` may continue."""
        return bool(self._marker)

    def extend(self, chunk: str) -> bool:
        """Take the chunk if all of it continues the marker; called only if `in_marker`."""
        seen = self._marker + chunk
        if seen not in self._place.expected.beginnings:
            return False
        self._marker = seen
        return True

    def read(self, text: str, pos: int, end: int) -> int:
        """Read `text[pos:end]` and return where reading stopped: `end`, or after the head."""
        while pos < end and not self.done:
            place = self._place
            if self._marker:
                pos = self._read_marker(text, pos, end)
                continue
            if place.allows_white and not self._pieces:
                pos = jump(WHITE_RUN, text, pos, end)
            if not place.field:
                pos = self._read_marker(text, pos, end)
                continue
            stop = jump(place.run, text, pos, end)
            if stop > pos:
                self._pieces.append(text[pos:stop])
            if stop < end:
                self._end_field("".join(self._pieces), text[stop], stop)
            pos = stop
        return pos

    def _read_marker(self, text: str, pos: int, end: int) -> int:
        """Read one of the markers, or its beginning."""
        place = self._place
        marker, self._marker, pos = place.expected.read(self._marker, text, pos, end)
        if marker:
            self._enter(place.expected.then[marker])
        elif pos < end:
            raise self._refusal(text[pos], pos)
        return pos

    def _refusal(self, char: str, pos: int) -> Fault:
        if not self.name:
            message = f"A call begins with {_filled(self._example)}, but got {describe(char)}."
            return Fault("missing-args", pos, message)
        rest = _filled(self._example.partition(TOOL)[2]).strip(WHITE)
        marker = rest or min(self._place.markers)
        call = _filled(self._example) if rest else marker
        message = (
            f"After the name of the tool {marker} and an object with its arguments must follow, "
            f"but got {describe(char)}. Write {call}{{}} for no arguments."
        )
        return Fault("missing-args", pos, message)

    def _enter(self, place: HeadPlace | None) -> None:
        if place is None:
            self.done = True
        else:
            self._place = place

    def _end_field(self, value: str, char: str, pos: int) -> None:
        if self._place.field == TOOL:
            self._take_name(value, char, pos)
        self._pieces = []
        self._enter(self._place.markers[self._place.field])

    def _take_name(self, name: str, char: str, pos: int) -> None:
        _check_name(name, char, pos, self._example)
        self.name = name


class HeaderRest:
    """Reads the rest of a complete header, from the name of the tool on."""

    __slots__ = ("_closer", "_example", "_is_cut", "_name_end", "done", "name")

    def __init__(self, name_end: re.Pattern[str], closer: str, example: str) -> None:
        #: Whether the header has ended, and the name, once it is known.
        self.done = False
        self.name = ""
        self._name_end = name_end
        self._closer = closer
        self._example = example
        #: Whether the name is cut off, by a limit or a lost character, so that no call follows.
        self._is_cut = False

    def read(self, text: str, pos: int, end: int) -> int:
        """Read as `Head.read` does."""
        if not self.name:
            found = self._name_end.search(text, pos)
            if self._is_cut or found is None or found.start() > end:
                self._is_cut = True
                return end
            name = text[pos : found.start()]
            _check_name(name, found[0][0], found.start(), self._example)
            self.name, pos = name, found.start()
        at = text.find(self._closer, pos, end)
        self.done = at >= 0
        return at + len(self._closer) if self.done else end


def _check_name(name: str, char: str, pos: int, example: str) -> None:
    """Raise `Fault` for a name that no tool has, which ends at `char`."""
    if not name:
        message = (
            f"Expected the name of a tool, but got {describe(char)}. "
            f"A call is {_filled(example)}{{…}}."
        )
        raise Fault("bad-name", pos, message)
    if name == RESERVED_NAME:
        message = (
            f'No tool is called "{RESERVED_NAME}": the name is reserved. Use the name of a tool.'
        )
        raise Fault("bad-name", pos, message)


def _last(template: str) -> str:
    """Return the marker with which a template ends; empty if it ends with the name."""
    return _BETWEEN.split(template.strip(WHITE))[-1]


def _filled(template: str) -> str:
    """Return an example of a head, for messages."""
    return template.replace(TOOL, "tool").replace(ID, "0")


class HeadedReader(PayloadReader):
    """Reads calls that have a head, one by one."""

    __slots__ = ("_arguments", "_example", "_form", "_head")

    def __init__(self, form: "HeadedCalls", marker: str, limits: Limits) -> None:
        """Read calls, each of which follows `marker`."""
        self._form = form
        self._example = form.templates[0]
        self._arguments = ObjectShape(limits.calls)
        super().__init__(self._arguments, marker, limits, closer=None)

    def open(self) -> None:
        super().open()
        self._head = self._form.head()

    @property
    def quick(self) -> FastPath:
        return self.extend if self._head.done else self._extend_head

    def _extend_head(self, chunk: str, _now: float | None) -> list[Event] | None:
        """Take a chunk that begins inside the head."""
        head, size = self._head, len(chunk)
        if isinstance(head, Head) and head.in_marker and size <= self._room and head.extend(chunk):
            self._pieces.append(chunk)
            self._room -= size
            return []
        events = self._read_chunk(chunk)
        return None if head.done else events

    def unread(self, text: str, at: int, closer: str, /) -> str:
        # It may begin like a marker of the head.
        return "" if self._head.done else beginning_at_end(self.payload_before(text, at), closer)

    def path(self, rest: str = "") -> str | None:
        path = super().path(rest)
        if path is None or not self._head.done:
            return path
        _, index, *inner = path.split("/")
        return "/".join(("", index, "args", *inner))

    def _advance(self, text: str, pos: int, end: int, is_plain: bool = False) -> int:  # noqa: FBT001, FBT002
        head = self._head
        if not head.done:
            try:
                pos = head.read(text, pos, end)
            except Fault as fault:
                raise self._fault(text, fault.at, (fault.code, fault.message)) from None
            self._arguments.name = head.name
        return super()._advance(text, pos, end, is_plain) if head.done else pos

    def _cross_limit(self, text: str, pos: int, end: int) -> int:
        is_done = self._head.done
        try:
            return super()._cross_limit(text, pos, end)
        except Fault:
            # A character for which there is no room does not complete the head.
            self._head.done = is_done
            raise

    def _call(self, element: str, _size: int, text: str, stop: int) -> ReadCall:
        size = len(self.payload_before(text, stop).lstrip(WHITE))
        content = f'{{"name": {quoted(self._head.name)}, "args": {element}}}'
        return content, stop - size, stop

    def _refusal(self, state: JsonState, text: str, at: int) -> Fault:
        char = text[at]
        if state is PAYLOAD and char in BEGINS_VALUE:
            last = _last(self._example) or "the name"
            what, hint = f"What follows {last}", args_hint(char)
            message = mistyped(what, "an object", char, hint)
            return self._fault(text, at, ("bad-args", message.replace(f'"{what}"', what)))
        return super()._refusal(state, text, at)

    def _begin_element(self, text: str, pos: int) -> None:
        self._args_begin, self._args_end = pos, None
        super()._begin_element(text, pos)
        self._state = _FIRST_NAME

    def close_argument_name(self, text: str, pos: int, end: int) -> int:
        """Take the name of an argument; its value may be of any type."""
        pos = self.close_name(text, pos, end)
        self._state = _COLON
        return pos


_FIRST_NAME, _COLON, _ = object_states(HeadedReader.close_argument_name, HeadedReader.close_element)


class HeadedCalls(CallFormat):
    """The name of a tool in a head, and a JSON object with its arguments."""

    kind: CallKind = "headed"

    def __init__(self, templates: Sequence[str]) -> None:
        """Read heads of these templates; `ValueError` if they contradict each other."""
        self.templates = tuple(templates)
        places(self.templates)

    def reader(self, closer: str, limits: Limits) -> HeadedReader:
        return HeadedReader(self, closer, limits)

    def head(self) -> Head | HeaderRest:
        """Return a reader of one head."""
        return Head(places(self.templates), self.templates[0])

    def takes(self, name: str) -> bool:
        """Whether this name is read back from the head that is written with it."""
        return self._name_in(f"{self.templates[0].replace(TOOL, name).replace(ID, '0')}{{") == name

    def _name_in(self, text: str) -> str:
        """Return the name in `text`, a head with the brace after it; empty for other text."""
        head = self.head()
        try:
            end = head.read(text, 0, len(text))
        except Fault:
            return ""
        return head.name if head.done and text[end:].strip(WHITE) == "{" else ""


class HeaderCalls(HeadedCalls):
    """Calls whose tool is named in a header, which the frame finds, before an object with args."""

    def __init__(
        self,
        template: str,
        name_end: re.Pattern[str],
        closer: str,
        find: Callable[[str], int | None],
    ) -> None:
        """Write headers by `template`; `find` returns where the name in a header begins."""
        self.templates = (template,)
        self._rest = name_end, closer, template
        self._find = find

    def head(self) -> HeaderRest:
        return HeaderRest(*self._rest)

    def _name_in(self, text: str) -> str:
        begin = self._find(text)
        return "" if begin is None else super()._name_in(text[begin:])


class HeadedWriting(PayloadWriting):
    """The name of a tool in a head, and a JSON object with its arguments."""

    def __init__(self, form: HeadedCalls) -> None:
        self._form = form
        self.description: str = f"{_words(form)}, and its arguments as a JSON object."
        content = "one JSON object and nothing else"
        rules = PayloadWriting.rules.replace(content, f"{_words(form)}, {content}")
        self.rules: str = rules.replace(
            PayloadWriting.members,
            "The object has the arguments by their names, and is `{}` without arguments.",
        )

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return self._head(name, f"{path}/name") + writer.write(args, f"{path}/args")

    def spell(self, name: str, args: str) -> str:
        return f"{self._head(json.loads(name), '/name')}{args}"

    def join(self, calls: Iterable[str], gap: str = "", first: int = 0) -> str:
        numbered = (call.replace(INDEX, str(index), 1) for index, call in enumerate(calls, first))
        return super().join(numbered, gap)

    def _head(self, name: str, path: str) -> str:
        """Return the head of a call of `name`; `RenderError` if no head can contain it."""
        template = self._form.templates[0]
        if not self._form.takes(name):
            raise RenderError(path, f"{name!r} has a character that ends a name here")
        if not is_text(name) or INDEX in name:
            raise RenderError(path, f"{name!r} has half of a surrogate pair, or U+0000")
        return template.replace(TOOL, name).replace(ID, INDEX)


def _words(form: HeadedCalls) -> str:
    """Describe the head in words, for instructions."""
    parts = form.templates[0].replace(ID, "0").strip(WHITE).partition(TOOL)
    return ", ".join(
        "the name of the tool" if part == TOOL else f"`{part}`" for part in parts if part
    )
