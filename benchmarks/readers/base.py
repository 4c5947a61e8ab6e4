"""What every reader has: its own way to write a turn, and to read it in chunks."""

import contextlib
import gc
import json
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from turns import TURNS, Turn

#: One measurement: run it, get seconds of processor time, or KiB.
Run = Callable[[], float]
#: How long a reader may take for a turn, in seconds of processor time.
LIMIT = 4.0


#: What is said of a reader that is compared on the calls alone.
CALLS_ALONE = "Reads the calls; its prose is not what was written, since it has markers or is lost."


class TooSlowError(BaseException):
    """A reader needs more than `LIMIT` for the turn; no reader catches this as a failure."""


class Prepared(NamedTuple):
    """What can be measured: the run, and how many units each run has (chunks, events, bytes)."""

    run: Run
    units: float
    #: Whether the reader was stopped at `LIMIT`, which the run returns: it would take longer.
    is_over: bool = False
    #: What it does with this turn less than cogwire or otherwise.
    note: str = ""


class Reader:
    """Reads turns in one format."""

    #: What it does less than cogwire or otherwise.
    note = ""
    #: Whether a call's arguments are all strings on its wire.
    has_strings_only = False
    #: Whether a reader is left out if its prose is not what was written; else it gets a note.
    needs_prose = True

    def written(self, turn: Turn) -> str:
        """Return the turn in its format."""
        raise NotImplementedError

    def chunks(self, turn: Turn, size: int) -> Sequence[Any]:
        """Return what it is fed, in the order of the text."""
        text = self.written(turn)
        return [text[at : at + size] for at in range(0, len(text), size)]

    def units(self, chunks: Sequence[Any], turn: Turn, size: int) -> float:
        """Return how many chunks the time is divided by."""
        del turn, size
        return len(chunks)

    def start(self) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        """Return what takes a chunk, and what ends the turn; both return output or nothing."""
        raise NotImplementedError

    def seen(self, outputs: list[Any]) -> Turn:
        """Return the turn that the outputs tell of."""
        raise NotImplementedError

    def outputs(self, chunks: Sequence[Any]) -> list[Any]:
        """Return everything that comes of the chunks, and of the end."""
        with _limited():
            feed, end = self.start()
            return [*map(feed, chunks), end()]

    def seconds(self, chunks: Sequence[Any]) -> float:
        """Return the time that the chunks and the end take a new reader."""
        begin = time.process_time()
        feed, end = self.start()
        for chunk in chunks:
            feed(chunk)
        end()
        return time.process_time() - begin

    def prepare(self, kind: str, size: int, chunk: int) -> Prepared:
        """Return the reading of a turn, of which it was seen that all of it comes out."""
        turn = TURNS[kind](size)
        chunks = self.chunks(turn, chunk)
        units = self.units(chunks, turn, chunk)
        return self.prepared(chunks, turn, units, has_strings_only=self.has_strings_only)

    def prepared(
        self, chunks: Sequence[Any], turn: Turn, units: float, *, has_strings_only: bool
    ) -> Prepared:
        """Return the reading of these chunks, in so many units, that gave back all of the turn."""
        try:
            told = self.seen(self.outputs(chunks))
        except TooSlowError:
            return Prepared(lambda: LIMIT, units, is_over=True)
        note = "" if self.needs_prose or told.prose.strip() == turn.prose else CALLS_ALONE
        check(
            turn._replace(prose=told.prose.strip()) if note else turn,
            told,
            has_strings_only=has_strings_only,
        )
        return Prepared(lambda: self.seconds(chunks), units, note=note)

    def memory(self) -> Prepared:
        """Return the weighing of readers that have read nothing."""
        self.start()  # whatever is made once

        def weigh(count: int = 100) -> float:
            gc.collect()
            tracemalloc.start()
            kept = [self.start()[0] for _ in range(count)]
            size, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return size / len(kept) / 1024

        return Prepared(weigh, 1)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise `TooSlowError` after `LIMIT`, also within a regular expression that does not end."""
    until = time.process_time() + LIMIT

    def look(*_: object) -> None:
        if time.process_time() > until:
            raise TooSlowError

    # A timer of processor time would make the clock of processor time coarse.
    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LIMIT, LIMIT / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def check(turn: Turn, told: Turn, *, has_strings_only: bool = False) -> None:
    """Raise `ValueError` if `told`, in which a call's `args` may be JSON, is not the turn."""
    for part in ("think", "prose"):
        if getattr(turn, part) != getattr(told, part).strip():
            raise ValueError(f"the {part} is not what was written")
    read = [{**call, "args": _value(call["args"])} for call in told.calls]
    wanted = turn.calls
    if has_strings_only:
        read, wanted = ([_bare(call) for call in calls] for calls in (read, wanted))
    if read != wanted:
        raise ValueError(f"{len(read)} calls were read, not the {len(wanted)} that were written")


def _value(args: Any) -> Any:
    return json.loads(args) if isinstance(args, str) else args


def _bare(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call with strings for arguments, white space at their ends left out."""
    args = {
        key: (arg if isinstance(arg, str) else json.dumps(arg, ensure_ascii=False)).strip()
        for key, arg in call["args"].items()
    }
    return {**call, "args": args}
