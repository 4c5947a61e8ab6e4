"""The parts that the targets share: the core, reading inputs, comparing, and running a target.

The core is instrumented where a target is run and `atheris` is installed.  Without it a target runs
the inputs that it is given, and the tests run it without a fuzzer.  An input consists of bytes: a
header of single bytes that choose, and a text.
"""

import contextlib
import importlib
import inspect
import itertools
import json
import pkgutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

try:
    import atheris
except ImportError:  # for the tests, and for running one input again
    atheris = None

#: Whether a target is the program that runs, rather than a program that imports one.
IS_FUZZING = atheris is not None and Path(sys.argv[0]).name.startswith("fuzz_")

with atheris.instrument_imports(["cogwire"]) if IS_FUZZING else contextlib.nullcontext():
    import cogwire

    # The core imports most of its modules when they are first used.
    for module in pkgutil.walk_packages(cogwire.__path__, "cogwire.") if IS_FUZZING else ():
        importlib.import_module(module.name)

from tests.core import laws  # noqa: E402 (it imports the core)
from tests.core.helpers import DIALECTS  # noqa: E402 (as above)

#: The longest input, in bytes: nearly every case fits, and an input takes milliseconds.
LONGEST = 2048

#: The largest number of arrays and objects in a JSON value.
MOST_BRACKETS = 300

#: The flags of a header.
TRANSCRIPT, THINK, TOKENS, RAW, BYTES, CUT_OFF = 1, 2, 4, 8, 16, 32

Target = Callable[[bytes], None]
#: Returns a changed input, given an input, the greatest size and a seed, or `None`.
Mutator = Callable[[bytes, int, int], bytes | None]


# --- Inputs -----------------------------------------------------------------------------------


class Reader:
    """Reads the bytes of an input from the front; past the end they are zero."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        """Read one byte."""
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def short(self) -> int:
        """Read two bytes, the higher first."""
        return self.byte() << 8 | self.byte()

    def choice(self, choices: Sequence[Any]) -> Any:
        """Read one byte that selects one of the choices."""
        return choices[self.byte() % len(choices)]

    def rest(self) -> bytes:
        """Read the rest."""
        rest, self._data = self._data[self._at :], b""
        return rest


def text_of(data: bytes) -> str:
    """Return the text of an input, whatever its bytes are.

    Surrogates are written as three bytes each, and bytes that are not UTF-8 become a low half each.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes that represent a text in an input."""
    return text.encode("utf-8", "surrogatepass")


def json_of(data: bytes) -> Any:
    """Return the JSON value in an input; `ValueError` if there is none, or one that is too deep.

    Copying and comparing values recurses into them.
    """
    if data.count(b"[") + data.count(b"{") > MOST_BRACKETS:
        raise ValueError("nested too deeply")
    return json.loads(text_of(data))


def json_bytes(value: Any) -> bytes:
    """Return the line that represents a JSON value in an input."""
    return json.dumps(value).encode()


class Feed(NamedTuple):
    """A text, where it is cut, and how it is read."""

    data: str | bytes
    cuts: tuple[int, ...] = ()
    dialect: str = DIALECTS[0]
    flags: int = 0
    #: Of size, calls, depth and digits, each at most 255; 0 leaves the default.
    limits: tuple[int, int, int, int] = (0, 0, 0, 0)

    @classmethod
    def read(cls, reader: Reader) -> "Feed":
        """Read a feed: the output of `encoded`, or anything."""
        dialect, flags = reader.choice(DIALECTS), reader.byte()
        limits = (reader.byte(), reader.byte(), reader.byte(), reader.byte())
        places = [reader.short() for _ in range(reader.byte() % 8)]
        rest = reader.rest()
        data = rest if flags & BYTES else text_of(rest)
        cuts = tuple(sorted(place % (len(data) + 1) for place in places))
        return cls(data, cuts, dialect, flags, limits)

    def encoded(self) -> bytes:
        """Return the input that is read as this feed."""
        flags = self.flags | (BYTES if isinstance(self.data, bytes) else 0)
        header = [DIALECTS.index(self.dialect), flags, *self.limits, len(self.cuts)]
        header += [half for cut in self.cuts for half in divmod(cut, 256)]
        text = self.data if isinstance(self.data, bytes) else bytes_of(self.data)
        return bytes(header) + text

    @property
    def chunks(self) -> list[str | bytes]:
        """The text as it is fed."""
        bounds = (0, *self.cuts, len(self.data))
        return [self.data[start:stop] for start, stop in itertools.pairwise(bounds)]

    @property
    def reading(self) -> dict[str, Any]:
        """The options that change the events, in the form that the executable spec reads."""
        usual = cogwire.Limits()
        defaults = (usual.size, usual.calls, usual.depth, usual.digits)
        return {
            "dialect": self.dialect,
            "mode": "transcript" if self.flags & TRANSCRIPT else "turn",
            "start": "think" if self.flags & THINK else "prose",
            "limits": tuple(
                own or default for own, default in zip(self.limits, defaults, strict=True)
            ),
        }

    @property
    def stream(self) -> str:
        """Whether the events are whole or in pieces."""
        return "token" if self.flags & TOKENS else "event"

    @property
    def raw(self) -> bool:
        """Whether the events carry their text."""
        return bool(self.flags & RAW)

    @property
    def fed(self) -> laws.Feed:
        """The text and its chunks, as laws take them."""
        return laws.Feed(self.data, self.chunks)


def hold(law: Any, dialect: str, **known: Any) -> None:
    """Hold the core to a law of the tests, which takes what it needs of the members known."""
    holds = law.law.holds
    _, *names = inspect.signature(holds).parameters
    holds(dialect, *(known[name] for name in names))


def options_of(reading: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a parser."""
    return reading | {"limits": cogwire.Limits(*reading["limits"])}


# --- Checking ---------------------------------------------------------------------------------


def same(found: Any, expected: Any, what: str) -> None:
    """Raise `AssertionError`, with both values, unless they are equal."""
    if found != expected:
        raise AssertionError(f"{what}\n  found:    {found!r}\n  expected: {expected!r}")


# --- Running ----------------------------------------------------------------------------------


def main(target: Target, mutator: Mutator | None = None) -> None:
    """Fuzz `target` with libFuzzer's arguments; without `atheris`, run the files that they name."""
    if not IS_FUZZING:
        for name in sys.argv[1:]:
            target(Path(name).read_bytes())
        return
    if mutator is None:
        atheris.Setup(sys.argv, target)
    else:
        atheris.Setup(sys.argv, target, custom_mutator=_mixed(mutator))
    atheris.Fuzz()


def _mixed(mutator: Mutator) -> Callable[[bytes, int, int], bytes]:
    """Return a mutator that alternates with libFuzzer's own."""

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        other = mutator(data, max_size, seed) if seed % 2 else None
        return bytes(atheris.Mutate(data, max_size)) if other is None else other

    return mutate
