# SPDX-License-Identifier: MIT
"""Calls that are JSON objects with other members than `name` and `args`, alone or in an array.

Their members may have one of several names; or the only member is the tool itself, with its args.
"""

import functools
import json
import re
from collections.abc import Iterable
from typing import Any, ClassVar, Final

from ...events import ARGS_NAMES, RESERVED_NAME, Limits
from ...text import WHITE, pointer, pointer_step, quote
from ...text.json_text import members
from .interface import FULL, CallFormat, CallKind, ReadCall, Wrong
from .json_payload import REACH, PayloadReader
from .json_reader import ArrayReader, object_states, steps_in
from .json_shapes import NO_NAME, CallShape, args_hint, mistyped
from .json_states import START, JsonState
from .json_writing import ArrayWriting, PayloadWriting, array_writing, article_of
from .values import ItemWriter

#: What is before an object around an array, after the name of a member of it, and before the array.
_OBJECT: Final = JsonState('"{" and an object', "not-object")
_ARRAY_COLON: Final = JsonState('":"')
_ARRAY: Final = JsonState('"[" and an array', "not-array")

#: The names that a member may have, the first of which is written.
Names = tuple[str, ...]


# -- Shapes --------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _beginning(names: Names, args: Names) -> re.Pattern[str]:
    """Return the text of a call up to its args, if its name comes first and has no escape."""
    gap = f"[{WHITE}]*"
    name, arg = ("|".join(re.escape(json.dumps(one)) for one in each) for each in (names, args))
    text = rf'("[^"\\]*"){gap},{gap}(?:{arg}){gap}:{gap}'
    return re.compile(rf"\{{{gap}(?:{name}){gap}:{gap}{text}")


class _Shape(CallShape):
    """Calls with two members, the name and the args, each under one name."""

    def __init__(
        self, limit: int, *, is_partial: bool = False, name: str = "name", args: str = "args"
    ) -> None:
        super().__init__(limit, is_partial=is_partial, name=name, args=args)
        #: The text of most calls up to their args.
        self.beginning = _beginning((name,), (args,))

    def takes(self, _member: str, _present: set[str]) -> Wrong | None:
        """Check the name of a member; `present` has it and those before it."""
        return None

    def is_intended(self, names: set[str]) -> bool:
        """Whether an element that has these members is certainly a call."""
        return names >= {self.named, self.nested}

    def parts(self, members_of: dict[str, str]) -> tuple[str, str]:
        """Return the name and the args of a call, as JSON, from the texts of its members."""
        return members_of[self.named], members_of.get(self.nested, "{}")


class _OneOfShape(_Shape):
    """Calls in which a member may have any of several names."""

    def __init__(self, limit: int, *, is_partial: bool, names: Names, args: Names) -> None:
        super().__init__(limit, is_partial=is_partial, name=names[0], args=args[0])
        self._all = names, args
        self.beginning = _beginning(names, args)
        self._instead = ARGS_NAMES - {*names}

    def takes(self, member: str, present: set[str]) -> Wrong | None:
        for names in self._all:
            if member in names and len(present.intersection(names)) > 1:
                first = min(present.intersection(names) - {member})
                return "duplicate-key", (
                    f"{quote(member)} and {quote(first)} are the same member of a call; "
                    "write one of them."
                )
        return None

    def is_intended(self, names: set[str]) -> bool:
        return all(not names.isdisjoint(each) for each in self._all)

    def check_first(self, member: str, char: str) -> Wrong | None:
        names, args = self._all
        if member in names:
            self.named = member
        elif member in args:
            self.nested = member
        return super().check_first(member, char)

    def check_end(self, names: set[str]) -> Wrong | None:
        wrong = super().check_end(names)
        self.named, self.nested = (each[0] for each in self._all)
        return wrong

    def take_decoded(self, index: int, element: dict[str, Any]) -> bool:
        found = [[name for name in names if name in element] for names in self._all]
        if any(len(each) > 1 for each in found):
            return False
        self.named, self.nested = (
            each[0] if each else names[0] for each, names in zip(found, self._all, strict=True)
        )
        is_accepted = super().take_decoded(index, element)
        self.named, self.nested = (each[0] for each in self._all)
        return is_accepted

    def parts(self, members_of: dict[str, str]) -> tuple[str, str]:
        names, args = (
            [members_of[name] for name in each if name in members_of] for each in self._all
        )
        return names[0], args[0] if args else "{}"


class _KeyedShape(_Shape):
    """Calls that are objects with one member: the name of the tool, and its args."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit, args=NO_NAME)
        self.example = '{"the name of a tool": {…}}'

    def takes(self, member: str, present: set[str]) -> Wrong | None:
        if len(present) > 1:
            return "duplicate-key", (
                f"A call has one member, the tool with its arguments, and {quote(member)} is "
                "another. Write each call as a separate object."
            )
        self.named = self.nested = member
        return self.check_string(0, member, member)

    def check_first(self, member: str, char: str) -> Wrong | None:
        if char == "{":
            return None
        return "bad-args", mistyped(member, "an object", char, args_hint(char))

    def check_end(self, names: set[str]) -> Wrong | None:
        if not names:
            return "missing-name", f"The call has no tool. Each call is {self.example}."
        self.tools.append(self.name)
        self.name, self.nested = "", NO_NAME
        return None

    def take_decoded(self, index: int, element: dict[str, Any]) -> bool:
        if len(element) != 1:
            return False
        ((name, args),) = element.items()
        if name in ("", RESERVED_NAME) or type(args) is not dict:
            return False
        self.tools.append(name)
        return True

    def parts(self, members_of: dict[str, str]) -> tuple[str, str]:
        ((name, args),) = members_of.items()
        return json.dumps(name, ensure_ascii=False), args


# -- Reading -------------------------------------------------------------------------------------


class _Reader(ArrayReader):
    """Reads such objects, and returns each as a call."""

    __slots__ = ()

    _shape: _Shape
    _absent: ClassVar[str] = "{}"

    @property
    def is_call(self) -> bool:
        """Whether this is surely a call: one is complete, or the open element has both members."""
        return self.count > 0 or bool(self._names and self._shape.is_intended(self._names[0]))

    def _call(self, element: str, size: int, _text: str, stop: int) -> ReadCall:
        shape = self._shape
        # With two members, nothing but the brace comes after the args.
        if size == 2 and (found := shape.beginning.match(element)):
            name, args = found[1], element[found.end() : -1].rstrip(WHITE)
        else:
            name, args = shape.parts(dict(members(element)))
        return f'{{"name": {name}, "args": {args}}}', stop - len(element), stop

    def _check_name(self, name: str, text: str, pos: int) -> None:
        present = self._names[0]
        if wrong := self._shape.takes(name, present):
            fault = self._fault(text, pos, wrong)
            if len(present) > 1:
                fault.path = f"{fault.path}{pointer_step(name)}"
            raise fault


class _ObjectReader(_Reader, PayloadReader):
    """Reads such objects one by one."""

    __slots__ = ()


class ArrayPartReader(_Reader):
    """Reads arrays of such objects, one after the other, each up to its closing bracket."""

    __slots__ = ()

    _full = FULL

    def open(self) -> None:
        """Continue with another array."""
        super().open()
        self._first = len(self._pieces)
        self._state = START

    def _bound(self, text: str, pos: int, end: int) -> int:
        bound = text.find("]", pos + REACH, end)
        return end if bound < 0 else bound


class MemberReader(ArrayPartReader):
    """Reads objects with such an array as one member; the other members have no meaning.

    The object is read like an element that is not a call.  While its array is open, nothing of it
    is on the stacks, so that calls are read as in an array alone.
    """

    __slots__ = ("_around", "_array", "_outer")

    def __init__(self, shape: _Shape, array: str, limits: Limits) -> None:
        """Read objects whose calls are in the member `array`."""
        super().__init__(shape, "", limits)
        self._array = array
        #: The names of the members of the object so far, if its array is open.
        self._around: set[str] | None = None
        #: How many pieces of the text come before the object.
        self._outer: int = 0
        self._state = _OBJECT

    @property
    def is_call(self) -> bool:
        return self.count > 0 or (self._around is not None and super().is_call)

    def open(self) -> None:
        super().open()
        self._state = _OBJECT

    def path(self, rest: str = "") -> str | None:
        if self._around is not None:
            return super().path(rest)
        return pointer(steps_in(self._before(rest))) or None

    def open_around(self, text: str, pos: int, _end: int) -> int:
        self._open.append(_OBJECT)
        self._begin_element(text, pos)
        self._state = _FIRST_NAME
        self._outer = self._first
        return pos + 1

    def close_outer_name(self, text: str, pos: int, end: int) -> int:
        """Take the name of a member of the object around the array."""
        pos = self.close_name(text, pos, end)
        self._state = _ARRAY_COLON if self._value == self._array else _COLON
        return pos

    def open_calls(self, text: str, pos: int, end: int) -> int:
        self._around = self._names.pop()
        self._open.clear()
        return self.open_block(text, pos, end)

    def _close_block(self, _text: str, pos: int, _end: int) -> int:
        self._names.append(self._around or set())
        self._open += _OBJECT, _OBJECT
        self._around = None
        self._first = self._outer
        self._state = _VALUE.after
        return pos + 1

    def close_around(self, _text: str, pos: int, _end: int) -> int:
        self._names.clear()
        self._open.clear()
        self.closed = True
        return pos + 1


_FIRST_NAME, _COLON, _VALUE = object_states(
    MemberReader.close_outer_name, MemberReader.close_around
)
_OBJECT.enter({"{": MemberReader.open_around})
_ARRAY_COLON.enter({":": _ARRAY})
_ARRAY.enter({"[": MemberReader.open_calls})


class ObjectCalls(CallFormat):
    """A JSON object for each call, or an array of them; their members may have other names."""

    def __init__(
        self,
        args: Names,
        *,
        is_partial: bool,
        names: Names = ("name",),
        is_array: bool = False,
        member: str = "",
        closer: str = "",
    ) -> None:
        """Read calls with one of `names` and one of `args`; a `member` may have the array.

        With a `closer`, it and white space are all that may be between a call and the marker of
        another one, if the reader takes both at once.
        """
        self.kind: CallKind = "objects" if is_array else "object"
        self.has_lists = is_array
        self.name, self.args = names[0], args[0]
        self.is_partial = is_partial
        self.member = member
        self._names = names, args
        self._closer = closer

    def reader(self, closer: str, limits: Limits) -> PayloadReader | ArrayPartReader:
        shape = self._shape(limits.calls)
        if self.member:
            return MemberReader(shape, self.member, limits)
        if self.has_lists:
            return ArrayPartReader(shape, "", limits)
        return _ObjectReader(shape, closer, limits, self._closer or None)

    def _shape(self, limit: int) -> _Shape:
        names, args = self._names
        if len(names) == len(args) == 1:
            return _Shape(limit, is_partial=self.is_partial, name=self.name, args=self.args)
        return _OneOfShape(limit, is_partial=self.is_partial, names=names, args=args)


class KeyedCalls(ObjectCalls):
    """An object for each call, whose only member is named after the tool; or an array of them."""

    def __init__(self, *, is_array: bool, member: str) -> None:
        super().__init__(("args",), is_partial=False, is_array=is_array, member=member)
        self.kind: CallKind = "keyed"

    def _shape(self, limit: int) -> _Shape:
        return _KeyedShape(limit)


# -- Writing -------------------------------------------------------------------------------------


class KeyedWriting(ArrayWriting):
    """Writes objects whose only member is named after the tool."""

    def __init__(self, form: KeyedCalls) -> None:
        self._like = like = array_writing(form.member) if form.has_lists else PayloadWriting()
        self.is_whole: bool = like.is_whole
        article = article_of(is_array=form.has_lists, member=form.member)
        each = ", each" if form.has_lists else ""
        self.description: str = (
            f"{article}{each} with one member, which is called like the tool, and whose value is "
            "the\nobject of its arguments."
        )
        self.rules: str = like.rules.replace(
            like.members,
            "Every call is an object with one member: the name of the tool, and the object of its\n"
            "  arguments, which is `{}` without arguments.",
        )

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        key = writer.write(name, f"{path}/name")
        return self.spell(key, writer.write(args, f"{path}/args", level=2))

    def spell(self, name: str, args: str) -> str:
        return f"{{{name}: {args}}}"

    def join(self, calls: Iterable[str], gap: str = "", first: int = 0) -> str:
        return self._like.join(calls, gap, first)
