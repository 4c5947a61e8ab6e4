"""What every writer of streams can do: choose, and write prose and JSON."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from . import pools

Choice = TypeVar("Choice")


class Fault(NamedTuple):
    """A text that must give an error, and how it has to be read for that."""

    text: str
    limits: dict[str, int]
    #: Whether the text ends here: nothing may follow.
    is_last: bool = False


class Writer:
    """Chooses at random; `scale` is how many times longer than usual its texts may get."""

    def __init__(self, source: random.Random, scale: int = 1) -> None:
        self.random = source
        self.scale = scale

    def one(self, pool: Sequence[Choice]) -> Choice:
        """Choose one of them."""
        return pool[int(self.random.random() * len(pool))]

    def chance(self, part: float) -> bool:
        """Say yes in so many of all times."""
        return self.random.random() < part

    def number(self, first: int, last: int) -> int:
        """Choose a number, both ends included."""
        return first + int(self.random.random() * (last - first + 1))

    def some(self, pool: Sequence[str], most: int) -> str:
        """Write up to `most` of a pool in a row."""
        return "".join(self.one(pool) for _ in range(self.number(0, most * self.scale)))

    def white(self) -> str:
        """Write white space, mostly none."""
        return self.one(pools.WHITE)

    def prose(self) -> str:
        """Write text without a marker that counts."""
        return self.one(pools.FIRST_WORDS) + self.some(pools.WORDS, 1)


class JsonWriter(Writer):
    """Writes JSON; what it is asked to put into a call is somewhere among the arguments."""

    def gap(self) -> str:
        """Write what may be between two tokens."""
        return self.white()

    def string(self) -> str:
        """Write a string, spelled in any way."""
        return f'"{self.some(pools.SPELLINGS, 2)}"'

    def value(self, depth: int) -> str:
        """Write any value, of so many levels at most."""
        kind = self.random.random()
        if depth > 0 and kind < 0.15:
            return self.object(self.plain_members(depth - 1))
        if depth > 0 and kind < 0.25:
            return self.array(self.value(depth - 1) for _ in range(self.number(0, 3)))
        if kind < 0.5:
            return self.one(pools.NUMBERS)
        return self.one(pools.LITERALS) if kind < 0.65 else self.string()

    def array(self, elements: Iterable[str]) -> str:
        """Write an array of these."""
        gap = self.gap()
        return f"[{gap}{f'{gap},{self.gap()}'.join(elements)}{gap}]"

    def object(self, members: Iterable[tuple[str, str]]) -> str:
        """Write an object of these names, which are not quoted yet, and values."""
        gap = self.gap()
        written = (f'"{name}"{gap}:{self.gap()}{value}' for name, value in members)
        return f"{{{gap}{f'{gap},{self.gap()}'.join(written)}{gap}}}"

    def plain_members(self, depth: int) -> list[tuple[str, str]]:
        """Return members whose names are not alike."""
        names = self.random.sample(pools.KEYS, self.one([0, 0, 0, 0, 0, 1, 1, 2]))
        return [(name, self.value(depth)) for name in names]

    def shuffled(self, members: list[tuple[str, str]]) -> str:
        """Write an object whose members are in any order."""
        self.random.shuffle(members)
        return self.object(members)

    def args(self, hole: str | None = None) -> str:
        """Write arguments, with `hole` as one of the values or in one of them."""
        members = self.plain_members(1)
        if hole is not None:
            members.append(("hole", self.wrapped(hole)))
        return self.shuffled(members)

    def wrapped(self, hole: str) -> str:
        """Put a value into others, or leave it as it is."""
        kind = self.random.random()
        if kind < 0.6:
            return hole
        if kind < 0.8:
            return self.array([self.value(0), hole])
        return self.object([("k", hole), ("z", self.value(0))])

    def call(self, name: str, hole: str | None = None) -> str:
        """Write a call of this name."""
        members = [("name", f'"{name}"'), ("args", self.args(hole))]
        if self.chance(0.05):
            members.append((self.one(pools.KEYS), self.value(1)))
        return self.shuffled(members)

    def item(self, tool: str) -> str:
        """Write the result of a tool."""
        status = self.one(["success", "success", "failure"])
        content = self.string() if status == "failure" else self.value(2)
        return self.result_of(tool, f'"{status}"', content)

    def result_of(self, tool: str, status: str, content: str) -> str:
        """Write an item of these values."""
        return self.shuffled([("tool", f'"{tool}"'), ("status", status), ("content", content)])

    def failure(self) -> str:
        """Write the result of a batch that did not run."""
        return self.result_of("execute", '"failure"', self.string())

    # --- Faults of a call ---------------------------------------------------------------------

    def broken_call(self, code: str) -> tuple[str, dict[str, int]]:
        """Write a call that breaks the rule of `code`, and the limits that it takes for that."""
        if code in VALUES:
            return self.call(self.one(pools.TOOLS), self.one(VALUES[code])), {}
        if code in LIMITED:
            limit = self.number(3, 6)
            call = self.call(self.one(pools.TOOLS), LIMITED[code](self, limit))
            return call, {code.removeprefix("limit-"): limit}
        return MALFORMED[code](self), {}

    def without_name(self) -> str:
        """Write a call that has none."""
        return self.shuffled([*self.plain_members(1), ("args", self.args())])

    def without_args(self) -> str:
        """Write a call that has none."""
        return self.shuffled([*self.plain_members(1), ("name", '"a"')])

    def badly_named(self) -> str:
        """Write a call of a name that no tool may have."""
        names = ['""', '"execute"', '"\\u0065xecute"', "1", "null", "[", "{", "true"]
        return self.object([("name", self.one(names)), ("args", self.args())])

    def with_bad_args(self) -> str:
        """Write a call whose arguments are no object."""
        return self.object([("name", '"a"'), ("args", self.one(pools.NO_OBJECTS))])

    def with_twins(self) -> str:
        """Write a call with two members of one name."""
        if self.chance(0.5):
            return self.call("a", self.one(pools.TWICE))
        again = self.one(["name", "args", "\\u006eame", "arg\\u0073"])
        value = '"b"' if again.endswith("ame") else "{}"
        return self.object([("name", '"a"'), ("args", "{}"), (again, value)])

    def nest(self, depth: int) -> str:
        """Write brackets in brackets."""
        levels = [self.one(["[]", "{}"]) for _ in range(depth)]
        opened = "".join('{"a":' if level == "{}" else "[" for level in levels)
        return opened + "1" + "".join(level[1] for level in reversed(levels))

    def digits(self, count: int) -> str:
        """Write a number of one digit more than `count`."""
        digits = "1" * count + "0"
        split = self.number(1, count)
        return self.one([digits, f"-{digits}", f"{digits[:split]}.{digits[split:]}", f"0.{digits}"])

    def damaged_by_half(self, text: str) -> str:
        """Put half a surrogate pair into a text."""
        place = self.number(0, len(text))
        return text[:place] + self.one(pools.HALVES) + text[place:]


#: For each code the values that have it, wherever a value may be.
VALUES = {
    "json-syntax": pools.BROKEN_VALUES,
    "number-range": pools.INFINITE,
    "lone-surrogate": pools.LONE_VALUES,
}
LIMITED: dict[str, Callable[[JsonWriter, int], str]] = {
    "limit-depth": JsonWriter.nest,
    "limit-digits": JsonWriter.digits,
}
MALFORMED: dict[str, Callable[[JsonWriter], str]] = {
    "not-object": lambda writer: writer.one(pools.NO_OBJECTS),
    "missing-name": JsonWriter.without_name,
    "bad-name": JsonWriter.badly_named,
    "missing-args": lambda writer: writer.without_args(),
    "bad-args": JsonWriter.with_bad_args,
    "duplicate-key": JsonWriter.with_twins,
}
#: The codes of a call that is written as JSON.
CALL_CODES = (*VALUES, *LIMITED, *MALFORMED)
