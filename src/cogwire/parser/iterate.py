# SPDX-License-Identifier: MIT
"""Iterators over events: thin wrappers that pull chunks and feed a parser."""

from _thread import RLock
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator
from contextlib import nullcontext, suppress
from typing import Final, Literal, NamedTuple, get_args

from ..events import Event
from .parser import Parser

#: Why a turn ends early: the source was interrupted, or the user stopped it.
Stop = Literal["interrupt", "cancelled"]

#: What providers report of a turn that the model ended, in lower case.
_BY_MODEL: Final = frozenset(
    (
        *("stop", "tool_calls", "function_call"),  # OpenAI, and what follows it; Gemini; Ollama
        *("end_turn", "stop_sequence", "tool_use"),  # Anthropic, Bedrock
        *("complete", "completed", "tool_call"),  # Cohere, OpenAI's responses, pydantic-ai
        *("eos", "word", "eos_token"),  # llama.cpp, Text Generation Inference
    )
)


class Finish(NamedTuple):
    """Why a turn ended, as its provider reports it; a source may yield one among its chunks."""

    #: A finish reason, such as `"stop"` or `"length"`; `None` if the provider gave none.  The guide
    #: on streaming lists those of a turn that the model ended.
    reason: str | None

    @property
    def by_model(self) -> bool:
        """Whether the model ended the turn: not a limit, not a filter, and no unknown reason.

        Raises `TypeError` for a reason that is not a string, such as the number of an enumeration.
        """
        return _is_by_model(self.reason)


def _is_by_model(reason: object) -> bool:
    if not isinstance(reason, str | None):
        raise TypeError(f'a reason is a string, such as "stop", or None, not {reason!r}')
    return reason is not None and reason.lower() in _BY_MODEL


#: What a source yields.
Chunk = str | bytes | Finish


class _Turn:
    """The turn that a stream reads.  The streams pull; everything else is the same for both."""

    def __init__(self, chunks: object, iterator: object, parser: Parser, *, drain: bool) -> None:
        #: The parser that is fed.
        self.parser: Parser = parser
        #: Events that are parsed and not yet handed out.
        self.pending: deque[Event] = deque()
        #: The chunk that was pulled and is not yet fed.
        self._pulled: list[Chunk] = []
        self._drains = drain
        #: Whether the last pull raised: then the end of the source is not that of the turn.
        self._has_pull_failed = False
        #: What the source said of its end; `None` if it has said nothing.
        self.finish: Finish | None = None
        self._is_finish_by_model = True
        #: Whether the source has no chunk that matters.
        self._is_source_done = parser.stopped and not drain
        #: Whether nothing more is read.
        self._is_closed = False
        #: The iterator is closed before the source that it belongs to.
        self._unclosed = [iterator] if iterator is chunks else [chunks, iterator]
        #: Whether the turn has ended by itself.
        self._has_ended = False
        #: Whether its text has come to a hard stop.
        self._is_at_stop = parser.stopped
        #: The last events of a turn that was stopped, until they are returned; `None` before that.
        self._last: list[Event] | None = None
        #: Another thread may stop the turn; it does so between two chunks.
        self._lock = RLock()
        #: Whether the parser is in use.  A signal handler, which runs in the thread that uses it,
        #: cannot wait, and leaves its reason in `_stop_after`.
        self._is_in_use = False
        self._stop_after: Stop | None = None

    @property
    def _needs_chunk(self) -> bool:
        """Whether a chunk must be pulled next."""
        return not (self._is_source_done or self._pulled)

    @property
    def _is_finished(self) -> bool:
        """Whether the end of the source is where the model ended its turn."""
        return not self._has_pull_failed and self._is_finish_by_model

    @property
    def is_cut(self) -> bool:
        """Whether the turn is over, and neither the model nor a hard stop ended it."""
        has_ended = self._is_at_stop or (self._has_ended and self._is_finished)
        return self._is_closed and not has_ended

    def cut(self, reason: Stop) -> list[Event]:
        """End the turn early, without closing the source, and return the last events.

        They are the pending events, those of `parser.close`, and one of the type `reason`:
        `"interrupt"` if the source was interrupted, `"cancelled"` if the user stopped the turn.
        A turn whose events have all been yielded is not interrupted, but can still be cancelled,
        since its calls may be running.  Later calls return nothing.  Raises `ValueError` for any
        other reason, and then nothing has changed.

        It does not wait, so a task loses no events even if it is cancelled again.  The end of the
        `with` then closes the source.
        """
        self._stop(reason)
        if self._last is None:
            return []  # it ends when the parser has read what it reads now
        events, self._last = self._last, []
        return events

    def _feed(self) -> bool:
        """Feed the chunk that was pulled, unless the turn was stopped in the meantime.

        Return whether nothing more is read.
        """
        with self._lock:
            self._is_in_use = True  # before the question, after which a signal handler may run
            try:
                if self._pulled and not self._is_closed:
                    chunk = self._pulled[0]
                    self._has_pull_failed = False
                    if isinstance(chunk, Finish):
                        self._is_finish_by_model = chunk.by_model
                        self.finish = chunk
                    else:
                        self.pending.extend(self.parser.feed(chunk))
                        self._is_at_stop = self.parser.stopped
                    self._is_source_done = self._is_at_stop and not self._drains
            finally:
                self._release()
            self._pulled.clear()
        return self._is_source_done or self._is_closed

    def _end(self) -> None:
        """Close the parser, unless the turn was stopped in the meantime."""
        with self._lock:
            self._is_in_use = True
            try:
                if not self._is_closed:
                    self.pending.extend(self.parser.close(finished=self._is_finished))
                    self._is_closed = True
                    self._has_ended = not self._has_pull_failed
            finally:
                self._release()

    def _release(self) -> None:
        """Stop using the parser, and end the turn if a signal handler has asked for that."""
        self._is_in_use = False
        if self._stop_after is not None:
            self._stop(self._stop_after)
            self.pending.extend(self._last or ())
            self._last = []

    def _stop(self, reason: Stop) -> None:
        """Stop reading, and keep what `cut` returns."""
        if reason not in get_args(Stop):
            raise ValueError(f"`reason` must be 'interrupt' or 'cancelled', not {reason!r}")
        with self._lock:
            self._is_closed = True
            if self._is_in_use:
                self._stop_after = reason
            elif self._last is None:
                is_cancelled = reason == "cancelled"
                is_read = self._has_ended and not self.pending
                self._last = [*self.pending, *self.parser.close(cancelled=is_cancelled)]
                self.pending.clear()
                if is_cancelled:
                    self._last.append({"type": "cancelled"})
                elif not is_read:
                    self._last.append({"type": "interrupt"})

    def _is_running(self, part: object, error: BaseException) -> bool:
        """Whether closing `part` raised `error` because it is a generator that is running.

        Then the thread or task that runs it closes it, or the next `close` does.
        """
        of_async = isinstance(error, RuntimeError) and getattr(part, "ag_running", False)
        of_sync = isinstance(error, ValueError) and getattr(part, "gi_running", False)
        if is_running := bool(of_async or of_sync):
            self._unclosed.append(part)
        return is_running


class EventStream(_Turn, Iterator[Event]):
    """Yields the events of `chunks`, as they become known.

    It pulls a chunk only when no event is pending, stops pulling after a hard stop (or, with
    `drain`, at the end of `chunks`), and then closes the parser, and the source when no event is
    left.  A consumer that stops early loses nothing: `parser` keeps its state, and `pending`
    contains the events that have not been yielded; `stop` returns them, followed by the events that
    end the turn.  A snapshot of `parser` does not have them, so take one only while `pending` is
    empty.

    The end of `chunks` is where the model ended its turn, unless they yielded a `Finish` with
    another reason, or the last pull raised: then `is_cut` is true, and the end runs no calls.
    Exceptions from `chunks` and from the parser (its clock may raise) propagate.  A consumer that
    continues afterwards misses nothing, since a chunk that the parser did not accept is fed again.
    As a context manager it closes the source at the end of the `with`; an exception that leaves the
    `with` is the one that propagates, even if the source cannot be closed.
    """

    def __init__(self, chunks: Iterable[Chunk], parser: Parser, *, drain: bool = False) -> None:
        self._chunks = iter(chunks)
        super().__init__(chunks, self._chunks, parser, drain=drain)

    def __next__(self) -> Event:
        while not self.pending:
            if self._is_closed:
                self._close_source()
                raise StopIteration
            self._advance()
        try:
            return self.pending.popleft()
        except IndexError:  # a signal handler or another thread has taken them in the meantime
            return next(self)

    def _advance(self) -> None:
        """Pull a chunk and feed it; close the parser if it was the last one."""
        if self._needs_chunk:
            try:
                self._pulled.append(next(self._chunks))
            except StopIteration:
                self._is_source_done = True
            except BaseException:
                self._has_pull_failed = True
                raise
        if self._feed():
            self._end()

    def stop(self, reason: Stop) -> list[Event]:
        """End the turn early, close the source, and return what `cut` does.

        If closing raises, another `stop` returns it.  Another thread may call it while one waits
        for a chunk: the iterator then ends with the next chunk, which is dropped, and closes a
        source that could not be closed before.  A signal handler may call it too: where that runs
        while the parser reads, nothing is returned, and the iterator yields these events.
        """
        self._stop(reason)
        self.close()
        return self.cut(reason)

    def close(self) -> None:
        """Stop pulling and close the source; the parser and `pending` stay as they are."""
        self._is_closed = True
        self._close_source()

    def _close_source(self) -> None:
        while self._unclosed:
            part = self._unclosed.pop()
            try:
                if close := getattr(part, "close", None):
                    close()
            except BaseException as error:
                if self._is_running(part, error):
                    return
                self._close_source()
                raise

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, _: object, problem: BaseException | None, __: object) -> None:
        with suppress(Exception) if problem else nullcontext():
            self.close()


class AsyncEventStream(_Turn, AsyncIterator[Event]):
    """Yields the events of async `chunks`; otherwise the same as `EventStream`."""

    def __init__(
        self, chunks: AsyncIterable[Chunk], parser: Parser, *, drain: bool = False
    ) -> None:
        self._chunks = aiter(chunks)
        super().__init__(chunks, self._chunks, parser, drain=drain)

    async def __anext__(self) -> Event:
        while not self.pending:
            if self._is_closed:
                await self._close_source()
                raise StopAsyncIteration
            await self._advance()
        try:
            return self.pending.popleft()
        except IndexError:  # as in `EventStream`
            return await anext(self)

    async def _advance(self) -> None:
        """Pull a chunk and feed it; close the parser if it was the last one."""
        if self._needs_chunk:
            try:
                self._pulled.append(await anext(self._chunks))
            except StopAsyncIteration:
                self._is_source_done = True
            except BaseException:
                self._has_pull_failed = True
                raise
        if self._feed():
            self._end()

    async def stop(self, reason: Stop) -> list[Event]:
        """End the turn early as `EventStream.stop` does; another task may call it."""
        self._stop(reason)
        await self.aclose()
        return self.cut(reason)

    async def aclose(self) -> None:
        """Stop pulling and close the source; the parser and `pending` stay as they are."""
        self._is_closed = True
        await self._close_source()

    async def _close_source(self) -> None:
        while self._unclosed:
            part = self._unclosed.pop()
            try:
                if close := getattr(part, "aclose", None) or getattr(part, "close", None):
                    closing = close()
                    if isinstance(closing, Awaitable):
                        await closing
            except BaseException as error:
                if self._is_running(part, error):
                    return
                await self._close_source()
                raise

    async def __aenter__(self) -> "AsyncEventStream":
        return self

    async def __aexit__(self, _: object, problem: BaseException | None, __: object) -> None:
        with suppress(Exception) if problem else nullcontext():
            await self.aclose()


def _checked(parser: object) -> Parser:
    if parser is not None and not isinstance(parser, Parser):
        hint = f": Parser({parser!r})" if isinstance(parser, str) else ""
        raise TypeError(f"events are read by a Parser{hint}, not by {parser!r}")
    return Parser() if parser is None else parser


def iter_events(
    chunks: Iterable[Chunk], parser: Parser | None = None, *, drain: bool = False
) -> EventStream:
    """Return an iterator over the events of `chunks`, parsed by `parser` or a new `Parser()`.

    The chunks are all `str`, or all `bytes` of UTF-8; among them may be a `Finish`, which says why
    the turn ended.  Exceptions from `chunks` propagate; malformed text never raises.  With `drain`,
    the iterator reads on to the end of `chunks` after a hard stop and drops the text: for a source
    that reports its token usage at its end.  Raises `TypeError` if `parser` is not a `Parser`, or
    `chunks` are asynchronous.
    """
    if hasattr(chunks, "__aiter__") and not hasattr(chunks, "__iter__"):
        raise TypeError("asynchronous chunks must be read with `aiter_events`, not `iter_events`")
    return EventStream(chunks, _checked(parser), drain=drain)


def aiter_events(
    chunks: AsyncIterable[Chunk], parser: Parser | None = None, *, drain: bool = False
) -> AsyncEventStream:
    """Return an async iterator over the events of `chunks`, parsed by `parser` or a new one.

    Otherwise the same as `iter_events`.
    """
    return AsyncEventStream(chunks, _checked(parser), drain=drain)
