# SPDX-License-Identifier: MIT
"""Iterators over events: thin wrappers that pull chunks and feed a parser."""

from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from types import TracebackType
from typing import Self

from ._events import Event
from ._parser import Parser


class EventStream(Iterator[Event]):
    """Yields the events of `chunks`, as they become known.

    It pulls a chunk only when it has no event left, stops pulling after a hard stop or at the end
    of `chunks`, and then closes both.  A consumer that stops early loses nothing: `parser` is where
    the text stopped, and `pending` holds what is parsed and not yet handed out.

    What `chunks` raises goes through, and so does what `Parser.feed` raises.  As a context manager
    it closes the source at the end of the `with`.
    """

    def __init__(self, chunks: Iterable[str | bytes], parser: Parser) -> None:
        #: The parser that is fed.
        self.parser = parser
        #: Events that are parsed and not yet handed out.
        self.pending: deque[Event] = deque()
        self._chunks = iter(chunks)
        self._ended = False

    def __next__(self) -> Event:
        while not self.pending:
            if self._ended:
                raise StopIteration
            try:
                chunk = next(self._chunks)
            except StopIteration:
                self._end()
            else:
                self.pending.extend(self.parser.feed(chunk))
                if self.parser.stopped:
                    self._end()
        return self.pending.popleft()

    def _end(self) -> None:
        self.close()
        self.pending.extend(self.parser.close())

    def close(self) -> None:
        """Stop pulling and close the source; the parser and `pending` stay as they are."""
        if not self._ended:
            self._ended = True
            close = getattr(self._chunks, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncEventStream(AsyncIterator[Event]):
    """Yields the events of async `chunks`; all else is as in `EventStream`."""

    def __init__(self, chunks: AsyncIterable[str | bytes], parser: Parser) -> None:
        #: The parser that is fed.
        self.parser = parser
        #: Events that are parsed and not yet handed out.
        self.pending: deque[Event] = deque()
        self._chunks = aiter(chunks)
        self._ended = False

    async def __anext__(self) -> Event:
        while not self.pending:
            if self._ended:
                raise StopAsyncIteration
            try:
                chunk = await anext(self._chunks)
            except StopAsyncIteration:
                await self._end()
            else:
                self.pending.extend(self.parser.feed(chunk))
                if self.parser.stopped:
                    await self._end()
        return self.pending.popleft()

    async def _end(self) -> None:
        await self.aclose()
        self.pending.extend(self.parser.close())

    async def aclose(self) -> None:
        """Stop pulling and close the source; the parser and `pending` stay as they are."""
        if not self._ended:
            self._ended = True
            close = getattr(self._chunks, "aclose", None)
            if close is not None:
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def iter_events(chunks: Iterable[str | bytes], parser: Parser | None = None) -> EventStream:
    """Return an iterator over the events of `chunks`, parsed by `parser` or a new `Parser()`.

    The chunks are all `str`, or all `bytes` of UTF-8.  The iterator raises what they raise, and
    never for what the text says.
    """
    return EventStream(chunks, parser or Parser())


def aiter_events(
    chunks: AsyncIterable[str | bytes], parser: Parser | None = None
) -> AsyncEventStream:
    """Return an async iterator over the events of `chunks`, parsed by `parser` or a new one.

    All else is as in `iter_events`.
    """
    return AsyncEventStream(chunks, parser or Parser())
