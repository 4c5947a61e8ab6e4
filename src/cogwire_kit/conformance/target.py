# SPDX-License-Identifier: MIT
"""The program under test: one long-lived process that answers a line for a line.

Requests are pipelined, as many at a time as the protocol allows.  When the process dies, stays
silent or answers with something that is not a reply, everything in flight is asked again, each
request alone in its own process, so that the blame falls on the one that caused it.
"""

import codecs
import json
import math
import queue
import random
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from cogwire_kit.adapter import IN_FLIGHT, LINE_LIMIT, PROTOCOL
from cogwire_kit.conformance.process import Process, idle
from cogwire_kit.conformance.replies import TOO_DEEP
from cogwire_kit.texts.rows import RepeatedError, no_number, unrepeated
from cogwire_kit.texts.words import counted

#: A reply may be so much longer than its request, in bytes: ad-reply-length.
_SPARE, _TIMES = 1 << 20, 64

#: What most often keeps an adapter silent.
UNFLUSHED: Final = "each reply must be flushed before the adapter waits for input (ad-flush)"
#: After how many more seconds it is looked whether a target that has not replied in time works.
_MORE: Final = 1.0
#: How many characters of a request are shown.
_SHOWN: Final = 300
#: How many characters are shown on each side of the place where JSON ends.
_AROUND: Final = 100
#: What Python does not read as JSON without a place, outside strings: a constant, a long integer.
_ODD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity|-?\d{4301,})')
#: Members of replies that do not show that a request was carried out.
_NO_ANSWER: Final = frozenset({"protocol", "error", "unsupported"})

_encode: Final = json.JSONEncoder(check_circular=False).encode


_decode: Final = json.JSONDecoder(parse_constant=no_number, object_pairs_hook=unrepeated).decode


class TargetError(Exception):
    """The target cannot be run, or no longer can."""


class NoAdapterError(TargetError):
    """What was started does not greet back; `instead` is what it did instead."""

    def __init__(self, instead: str) -> None:
        super().__init__(f"no answer to `hello`: {instead}")
        self.instead = instead


@dataclass(frozen=True)
class Reply:
    """A reply of the protocol."""

    members: dict[str, Any]
    #: From when the request was the next to be answered.
    seconds: float
    #: Processor time of the target meanwhile; None where it was not asked for, or is not known.
    work: float | None = None
    #: Time meanwhile in which it neither had a processor nor waited for one, where that is known.
    idle: float | None = None


@dataclass(frozen=True)
class Failure:
    """That there was no answer, or none of the protocol.

    `kind` is `crashed` (the process ended), `timed-out`, or `fault` (a line that is not a reply to
    the request).
    """

    kind: str
    message: str


Answer = Reply | Failure


def brief(message: str) -> str:
    """Return a message in one line: of several lines the first and the last."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return " … ".join([*lines[:1], *lines[1:][-1:]])


@dataclass(frozen=True)
class Unexplained:
    """A failure that did not come again when each request was asked alone."""

    failure: Failure
    #: How many replies the process had written.
    replies: int
    #: The first request that waited, as it is shown.
    request: str


def in_words(found: Iterable[Unexplained]) -> list[str]:
    """Return a line for each way to fail: how often, and after how many replies of a process.

    Failures that differ only in the replies that they quote are one way, and the first is shown.
    """
    groups: defaultdict[tuple[str, str], list[Unexplained]] = defaultdict(list)
    for one in found:
        groups[one.failure.kind, one.failure.message.partition(": '")[0]].append(one)
    lines = []
    for those in groups.values():
        failure = those[0].failure
        numbers = [one.replies for one in those]
        least, most = min(numbers), max(numbers)
        span = f"{least:,} to " if least < most else ""
        times = f", {len(those):,} times" if those[1:] else ""
        lines.append(
            f"after {span}{counted(most, 'reply', 'replies')} of a process{times}: "
            f"{failure.kind}: {brief(failure.message)}; each request that waited was answered when "
            f"it was asked alone, the first of them {those[0].request}"
        )
    return lines


@dataclass
class Patience:
    """How long a target may take, in seconds, and how often it may fail."""

    start: float = 120
    reply: float = 10
    #: Added for every 2²⁰ characters of a request.
    reply_per_megabyte: float = 5
    failures: int = 200
    #: How often it may stay silent, or end, before it has answered anything but `hello`.
    silences: int = 10
    #: The whole run, and when that is over on the monotonic clock.
    run: float = 3600
    until: float = math.inf


@dataclass
class _Waiting:
    place: int
    #: Its id, or None where it has none that could be read.
    identity: str | None
    line: bytes


@dataclass
class Target:
    """A program that speaks the adapter protocol, as a runner sees it.

    Use it as a context manager; the first process is started, and greeted, at once.

    Raises:
        TargetError: it cannot be started, or does not greet back.
    """

    command: list[str]
    limits: Patience = field(default_factory=Patience)
    seed: int = 0
    #: Where the command is run; by default where the runner is.
    folder: Path | None = None
    #: Whether it is greeted, and has to greet back.
    greets: bool = True
    #: How it greeted back: each of its processes has to do it in the same way.
    hello: dict[str, Any] = field(default_factory=dict)
    #: What its replies lack, although it does not say so.
    undeclared: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.failures = 0
        #: How often it was silent or ended, until it has answered anything.
        self._silences = 0
        self._has_answered = False
        self._is_abandoned = False
        #: Failures that did not come again when each request was asked alone.
        self.unexplained: list[Unexplained] = []
        #: A probe without an answer, for each kind of failure; whether cases fail so, too, decides.
        self.deaths: dict[str, str] = {}
        self._rng = random.Random(self.seed)  # noqa: S311 - ids that say nothing, not keys
        self._process: Process | None = None

    def __enter__(self) -> "Target":
        self._started()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def abandon(self) -> None:
        """End the process at once, and start no other."""
        self._is_abandoned = True
        if self._process is not None:
            self._process.kill()

    def finish(self) -> str | None:
        """End the process by ending its input; return what was wrong with how it went, or None."""
        process, self._process = self._process, None
        return None if process is None else process.finish()

    def _started(self) -> Process:
        """Return the process; start and greet one if there is none."""
        if self._is_abandoned:
            raise TargetError("abandoned")
        if time.monotonic() > self.limits.until:
            took = f"the run took longer than {self.limits.run:g} s"
            raise TargetError(f"{took}; --time-limit gives it more")
        if self._process is None:
            try:
                process = Process(self.command, self.folder)
            except OSError as problem:
                message = f"cannot be started: {problem.strerror or problem}"
                raise (NoAdapterError if self.greets else TargetError)(message) from None
            answer = self._greet(process) if self.greets else Reply({}, 0)
            if isinstance(answer, Failure):
                process.kill()
                hint = f"; {UNFLUSHED}, or --start-timeout gives it more time to start"
                hint = hint if answer.kind == "timed-out" else ""
                raise NoAdapterError(f"{answer.kind}: {brief(answer.message)}{hint}")
            if self.hello and _claims(answer.members) != _claims(self.hello):
                process.kill()
                raise TargetError("the reply to `hello` differs from the first one (ad-stateless)")
            self._process, self.hello = process, answer.members
        return self._process

    def _greet(self, process: Process) -> Answer:
        waiting = self._waiting(0, {"op": "hello", "protocol": PROTOCOL})
        process.send(waiting.line)
        answer = self._answer(process, waiting, self.limits.start)
        is_echo = isinstance(answer, Reply) and answer.members == _decode(waiting.line.decode())
        return Failure("fault", "the request itself came back") if is_echo else answer

    def _waiting(self, place: int, request: dict[str, Any]) -> _Waiting:
        # The id says nothing about the case, and is another in every run.
        identity = request.get("id") or f"{self._rng.getrandbits(64):x}"
        line = _encode({"id": identity, **request}).encode("ascii") + b"\n"
        return _Waiting(place, identity, line)

    def _answer(self, process: Process, waiting: _Waiting, seconds: float) -> Answer:
        """Wait for the reply to the request that is the next to be answered."""
        started = time.perf_counter()
        try:
            line = self._line(process, seconds)
        except queue.Empty:
            return Failure("timed-out", f"no reply within {seconds:.3g} s")
        if line is None:
            return Failure("crashed", process.ending())
        if len(line) > _SPARE + _TIMES * len(waiting.line):
            return Failure("fault", f"{len(line):,} bytes are too long a reply (ad-reply-length)")
        answer = _read(line, waiting.identity, time.perf_counter() - started)
        self._has_answered |= isinstance(answer, Reply) and not answer.members.keys() & _NO_ANSWER
        return answer

    def _line(self, process: Process, seconds: float) -> bytes | None:
        """Return what `Process.reply` does, but wait on while the machine is busy otherwise.

        That is as long as the target works, or waits for a processor, and has not worked for so
        many seconds since the first of them were over.
        """
        try:
            return process.reply(min(seconds, self.limits.until - time.monotonic()))
        except queue.Empty:
            before = first = process.work()
        while before is not None and first is not None:
            left = self.limits.until - time.monotonic()
            wait = min(seconds, _MORE, left)
            try:
                return process.reply(wait)
            except queue.Empty:
                after = process.work()
            if after is None or wait >= left or after.work - first.work >= seconds:
                break
            if (idled := idle(before, after, wait)) is None or idled > wait / 2:
                break
            before = after
        raise queue.Empty

    def _patience(self, waiting: _Waiting) -> float:
        return self.limits.reply + self.limits.reply_per_megabyte * (len(waiting.line) >> 20)

    def ask_all(
        self, requests: Iterable[dict[str, Any]], is_moot: Callable[[int], bool] = lambda _: False
    ) -> Iterator[tuple[int, Answer]]:
        """Yield the answer to each request with its place, in order; requests are read ahead.

        What is moot by the time that it would have to be asked again is left out.

        Raises:
            TargetError: the target has failed too often, or does not start again.
        """
        source = enumerate(requests)
        flight: deque[_Waiting] = deque()
        while True:
            process = self._started()
            self._fill(process, flight, source)
            if not flight:
                return
            answer = self._answer(process, flight[0], self._patience(flight[0]))
            if isinstance(answer, Failure) and len(flight) == 1 and not process.replies:
                # It was asked alone already.
                self._failed(answer)
                yield flight.popleft().place, answer
            elif isinstance(answer, Failure):
                yield from self._one_by_one(flight, answer, is_moot)
                flight.clear()
            else:
                yield flight.popleft().place, answer

    def _fill(
        self,
        process: Process,
        flight: deque[_Waiting],
        source: Iterator[tuple[int, dict[str, Any]]],
    ) -> None:
        """Top the flight up, half of it at a time: one write carries many requests."""
        if len(flight) > IN_FLIGHT // 2:
            return
        lines: list[bytes] = []
        size = sum(len(waiting.line) for waiting in flight)
        while len(flight) < IN_FLIGHT and size < LINE_LIMIT:
            place, request = next(source, (None, {}))
            if place is None:
                break
            flight.append(self._waiting(place, request))
            lines.append(flight[-1].line)
            size += len(lines[-1])
        if lines:
            process.send(b"".join(lines))

    def _one_by_one(
        self, flight: deque[_Waiting], failure: Failure, is_moot: Callable[[int], bool]
    ) -> Iterator[tuple[int, Answer]]:
        """Ask again what was in flight when the target failed, each request alone."""
        replies = self._process.replies if self._process is not None else 0
        self._failed(failure)
        is_explained = False
        for waiting in flight:
            if is_moot(waiting.place):
                continue
            answer, is_alone = self._again(waiting)
            if isinstance(answer, Failure) and answer.kind == "crashed" and not is_alone:
                # It may have died of what came before.
                self._end()
                answer, _ = self._again(waiting)
            if isinstance(answer, Failure):
                is_explained = True
                self._failed(answer)
            yield waiting.place, answer
        if not is_explained:
            first = flight[0].line.decode("utf-8", "replace").rstrip()
            self.unexplained.append(Unexplained(failure, replies, first[:_SHOWN]))

    def _again(self, waiting: _Waiting) -> tuple[Answer, bool]:
        """Return the answer to one request, and whether its process was asked nothing before."""
        process = self._started()
        is_alone = process.replies <= self.greets
        process.send(waiting.line)
        return self._answer(process, waiting, self._patience(waiting)), is_alone

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _failed(self, failure: Failure) -> None:
        self.failures += 1
        self._silences += failure.kind != "fault"
        self._end()
        last = f"{failure.kind}: {brief(failure.message)}"
        if self._silences >= self.limits.silences and not self._has_answered:
            hint = f"; {UNFLUSHED}" if failure.kind == "timed-out" else ""
            of_what = "no reply to anything but `hello`" if self.greets else "no result"
            raise TargetError(f"{of_what} in {self._silences} requests; the last: {last}{hint}")
        if self.failures > self.limits.failures:
            raise TargetError(f"it has failed {self.failures} times; the last: {last}")

    def ask(self, request: dict[str, Any]) -> Answer:
        """Return the answer to one request."""
        ((_, answer),) = self.ask_all([request])
        return answer

    def ask_measured(self, request: dict[str, Any]) -> Answer:
        """Return the answer to one request, with the processor time that it took."""
        process = self._started()
        before = process.work()
        answer = self.ask(request)
        if not isinstance(answer, Reply) or process is not self._process:
            return answer
        after = process.work()
        if before is None or after is None:
            return answer
        idled = idle(before, after, answer.seconds)
        return replace(answer, work=after.work - before.work, idle=idled)

    def ask_line(self, line: bytes) -> Answer:
        """Return the answer to a line that need not be a request; its reply has a null id."""
        process = self._started()
        process.send(line)
        answer = self._answer(process, _Waiting(0, None, line), self.limits.reply)
        if isinstance(answer, Failure):
            self._failed(answer)
        return answer


def _claims(hello: dict[str, Any]) -> list[Any]:
    return [hello.get(name) for name in ("ops", "dialects", "offset_unit", "lacks")]


def _unread(text: str, problem: ValueError) -> str:
    """Return why a text is not read as JSON, with what is around the place."""
    odd = next((found for found in _ODD.finditer(text) if found[1]), None)
    if isinstance(problem, json.JSONDecodeError):
        place = problem.pos
    else:
        place = odd.start() if odd else 0
        if odd and odd[1].lstrip("-").isdigit():
            around = text[max(place - _AROUND, 0) : place + _AROUND]
            digits = len(odd[1].lstrip("-"))
            return f"a number of {digits:,} digits at character {place:,}: {around!r}"
    where = f"at character {place:,}: " if place else ""
    return f"not JSON: {where}{text[max(place - _AROUND, 0) : place + _AROUND]!r}"


def _read(line: bytes, identity: str | None, seconds: float) -> Answer:
    """Return the reply in `line`, if it is the reply to that request."""
    shown = line[:200].decode("utf-8", "backslashreplace").rstrip()
    if not line.endswith(b"\n"):
        reason = "a line over the limit" if len(line) > LINE_LIMIT else "half a line"
        return Failure("fault", f"{reason}: {shown!r}")
    if line.startswith(codecs.BOM_UTF8):
        return Failure("fault", f"a byte order mark before the reply (ad-utf8): {shown!r}")
    try:
        reply = _decode(line.decode("utf-8"))
    except UnicodeDecodeError:
        return Failure("fault", f"not UTF-8 (ad-utf8): {shown!r}")
    except RepeatedError as problem:
        return Failure("fault", f"two members {problem.name!r} in one object (ad-reply-names)")
    except ValueError as problem:
        return Failure("fault", _unread(line.decode("utf-8").rstrip("\n"), problem))
    except RecursionError:
        return Failure("fault", f"{TOO_DEEP}: {shown!r}")
    if not isinstance(reply, dict):
        return Failure("fault", f"not an object: {shown!r}")
    if (given := reply.get("id", ...)) != identity:
        described = f"the id {given!r}" if isinstance(given, str) else "no string as its id"
        reason = f"a reply has {described}, instead of the id of its request (ad-id)"
        return Failure("fault", f"{reason}: {shown!r}")
    return Reply(reply, seconds)
