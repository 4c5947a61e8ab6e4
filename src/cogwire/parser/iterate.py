# SPDX-License-Identifier: MIT
"""Iterators over events: thin wrappers that pull chunks and feed a parser."""

from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator
from types import TracebackType
from typing import Literal, get_args

from ..events import Event
from .parser import Parser

#: Why a turn ends early: the source was interrupted, or the user stopped it.
Stop = Literal["interrupt", "cancelled"]


class EventStream(Iterator[Event]):
    """Yields the events of `chunks`, as they become known.

    It pulls a chunk only when no event is pending, stops pulling after a hard stop (or, with
    `drain`, at the end of `chunks`), and then closes the parser and the source.  A consumer that
    stops early loses nothing: `parser` keeps its state, and `pending` contains the events that have
    not been yielded; `stop` returns them, followed by the events that end the turn.

    Exceptions from `chunks` and from the parser (its clock may raise) propagate.  A consumer that
    continues afterwards misses nothing, since a chunk that the parser did not accept is fed again.
    If `chunks` end right after they raised, the turn was interrupted, and its end runs no calls.
    As a context manager it closes the source at the end of the `with`.
    """

    def __init__(
        self, chunks: Iterable[str | bytes], parser: Parser, *, drain: bool = False
    ) -> None:
        #: The parser that is fed.
        self.parser = parser
        #: Events that are parsed and not yet handed out.
        self.pending: deque[Event] = deque()
        self._chunks = iter(chunks)
        #: The chunk that was pulled and is not yet fed.
        self._pulled: list[str | bytes] = []
        self._is_drained = drain
        #: Whether the last pull raised: then the end of the source is not that of the turn.
        self._is_broken = False
        self._is_read = False
        #: The iterator is closed before the source that it belongs to.
        self._unclosed = _distinct(chunks, self._chunks)
        self._is_over = False
        #: Whether the turn has ended by itself, and whether `stop` has ended it.
        self._has_ended = False
        self._is_stopped = False

    def __next__(self) -> Event:
        while not self.pending:
            if self._is_over:
                raise StopIteration
            self._advance()
        return self.pending.popleft()

    def _advance(self) -> None:
        """Pull a chunk and feed it; close the parser and the source if it was the last one."""
        if not self._is_read:
            if not self._pulled:
                try:
                    self._pulled.append(next(self._chunks))
                except StopIteration:
                    self._is_read = True
                except BaseException:
                    self._is_broken = True
                    raise
                else:
                    self._is_broken = False
            if self._pulled:
                self.pending.extend(self.parser.feed(self._pulled[0]))
                self._pulled.clear()
                self._is_read = self.parser.stopped and not self._is_drained
        if self._is_read:
            self._close_source()
            self.pending.extend(self.parser.close(interrupted=self._is_broken))
            self._is_over = True
            self._has_ended = not self._is_broken

    def stop(self, reason: Stop) -> list[Event]:
        """End the turn early, close the source, and return the last events.

        They are the pending events, those of `parser.close`, and one of the type `reason`:
        `"interrupt"` if the source was interrupted, `"cancelled"` if the user stopped the turn.
        A turn whose events have all been yielded is not interrupted, but can still be cancelled,
        since its calls may be running.  Later calls return nothing.  Raises `ValueError` for any
        other reason, and then nothing has changed.
        """
        _require_reason(reason)
        self.close()
        is_stopped, has_ended = self._is_stopped, self._has_ended
        events = _last_events(self, reason, is_stopped=is_stopped, has_ended=has_ended)
        self._is_stopped = True
        return events

    def close(self) -> None:
        """Stop pulling and close the source; the parser and `pending` stay as they are."""
        self._is_over = True
        self._close_source()

    def _close_source(self) -> None:
        while self._unclosed:
            part = self._unclosed.pop()
            try:
                if close := getattr(part, "close", None):
                    close()
            except ValueError:  # a generator that another thread runs can be closed later
                self._unclosed.append(part)
                raise
            except BaseException:
                self._close_source()
                raise

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncEventStream(AsyncIterator[Event]):
    """Yields the events of async `chunks`; otherwise the same as `EventStream`."""

    def __init__(
        self, chunks: AsyncIterable[str | bytes], parser: Parser, *, drain: bool = False
    ) -> None:
        #: The parser that is fed.
        self.parser = parser
        #: Events that are parsed and not yet handed out.
        self.pending: deque[Event] = deque()
        self._chunks = aiter(chunks)
        #: The chunk that was pulled and is not yet fed.
        self._pulled: list[str | bytes] = []
        self._is_drained = drain
        #: Whether the last pull raised: then the end of the source is not that of the turn.
        self._is_broken = False
        self._is_read = False
        #: The iterator is closed before the source that it belongs to.
        self._unclosed = _distinct(chunks, self._chunks)
        self._is_over = False
        #: Whether the turn has ended by itself, and whether `stop` has ended it.
        self._has_ended = False
        self._is_stopped = False

    async def __anext__(self) -> Event:
        while not self.pending:
            if self._is_over:
                raise StopAsyncIteration
            await self._advance()
        return self.pending.popleft()

    async def _advance(self) -> None:
        """Pull a chunk and feed it; close the parser and the source if it was the last one."""
        if not self._is_read:
            if not self._pulled:
                try:
                    self._pulled.append(await anext(self._chunks))
                except StopAsyncIteration:
                    self._is_read = True
                except BaseException:
                    self._is_broken = True
                    raise
                else:
                    self._is_broken = False
            if self._pulled:
                self.pending.extend(self.parser.feed(self._pulled[0]))
                self._pulled.clear()
                self._is_read = self.parser.stopped and not self._is_drained
        if self._is_read:
            await self._close_source()
            self.pending.extend(self.parser.close(interrupted=self._is_broken))
            self._is_over = True
            self._has_ended = not self._is_broken

    async def stop(self, reason: Stop) -> list[Event]:
        """End the turn early, and return the last events; see `EventStream.stop`."""
        _require_reason(reason)
        await self.aclose()
        is_stopped, has_ended = self._is_stopped, self._has_ended
        events = _last_events(self, reason, is_stopped=is_stopped, has_ended=has_ended)
        self._is_stopped = True
        return events

    async def aclose(self) -> None:
        """Stop pulling and close the source; the parser and `pending` stay as they are."""
        self._is_over = True
        await self._close_source()

    async def _close_source(self) -> None:
        while self._unclosed:
            part = self._unclosed.pop()
            try:
                if close := getattr(part, "aclose", None) or getattr(part, "close", None):
                    closing = close()
                    if isinstance(closing, Awaitable):
                        await closing
            except RuntimeError:  # a generator that another task runs can be closed later
                self._unclosed.append(part)
                raise
            except BaseException:
                await self._close_source()
                raise

    async def __aenter__(self) -> "AsyncEventStream":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _distinct(chunks: object, iterator: object) -> list[object]:
    return [iterator] if iterator is chunks else [chunks, iterator]


def _require_reason(reason: object) -> None:
    if reason not in get_args(Stop):
        raise ValueError(f"a turn is stopped by an interrupt or cancelled, not by {reason!r}")


def _last_events(
    stream: EventStream | AsyncEventStream, reason: Stop, *, is_stopped: bool, has_ended: bool
) -> list[Event]:
    last: Event = {"type": "interrupt"} if reason == "interrupt" else {"type": "cancelled"}
    is_cancelled = reason == "cancelled"
    is_read = has_ended and not stream.pending
    closed = stream.parser.close(cancelled=is_cancelled, interrupted=not is_cancelled)
    events = [*stream.pending, *closed]
    if not (is_stopped or (is_read and not is_cancelled)):
        events.append(last)
    stream.pending.clear()
    return events


def _checked(parser: object) -> Parser:
    if parser is not None and not isinstance(parser, Parser):
        hint = f": Parser({parser!r})" if isinstance(parser, str) else ""
        raise TypeError(f"events are read by a Parser{hint}, not by {parser!r}")
    return Parser() if parser is None else parser


def iter_events(
    chunks: Iterable[str | bytes], parser: Parser | None = None, *, drain: bool = False
) -> EventStream:
    """Return an iterator over the events of `chunks`, parsed by `parser` or a new `Parser()`.

    The chunks are all `str`, or all `bytes` of UTF-8.  Exceptions from `chunks` propagate;
    malformed text never raises.  With `drain`, the iterator reads on to the end of `chunks` after a
    hard stop and drops the text: for a source that reports its token usage at its end.
    Raises `TypeError` if `parser` is not a `Parser`.
    """
    return EventStream(chunks, _checked(parser), drain=drain)


def aiter_events(
    chunks: AsyncIterable[str | bytes], parser: Parser | None = None, *, drain: bool = False
) -> AsyncEventStream:
    """Return an async iterator over the events of `chunks`, parsed by `parser` or a new one.

    Otherwise the same as `iter_events`.
    """
    return AsyncEventStream(chunks, _checked(parser), drain=drain)
