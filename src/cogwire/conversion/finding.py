# SPDX-License-Identifier: MIT
"""Finding calls in text that should have none: a model wrote them where nobody reads them.

At the opener or the header of calls a parser of each format with that opener begins, and all read
on together, until one has read a whole block.  The text of blocks that break a rule is prose, and
is not looked at again, so that the work is linear.

Rules: spec/described.md, "Calls that are found".
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ..events import Limits, require_limits
from ..parser.parser import Parser
from ..text import WHITE, short_repr
from ..text.decoding import REPLACEMENT, Decoder
from ..text.json_text import members, value_at_start
from ..wire.dialects import dialect_named
from ..wire.frames.longest import markers_in
from ..wire.frames.markers import MarkerSet, Role
from ..wire.frames.wrapped import Wrapped
from ..wire.trained.catalogue import format_named
from ..wire.trained.format import Format
from ..wire.trained.known import KnownFormat
from ..wire.trained.payloads import TagsPayload, every

#: What a payload without a closer may end with.
_ENDS: Final = "})]"
#: What stands for a character that the decoder replaced.
_LOST: Final = "\udc00"
#: How much text a parser reads at once, since it reads on after an error.
_REACH: Final = 256
#: What may come before the text of a line: white space and the markers of lists.
_LEAD: Final = re.compile(r"(?:[ \t]+|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]))*")
#: How many characters after that say whether it goes on.
_HEAD: Final = len("123456789. ")
#: What a line begins with in which nothing is live: a quoted line, or a fence.
_NO_PROSE: Final = (">", "~~~")
#: The beginning of a fence where the text of a line begins; and a line that ends one.
_TILDES: Final = re.compile("~{3,}")
_FENCE_END: Final = re.compile(rf"([ \t]*)(`+|~+)[{WHITE}]*")
#: How many backticks open a fence wherever they are, and how much deeper its end may be.
_TICKS: Final = 3
_DEEPER: Final = 3
_COMMENT: Final = ("<!--", "-->")
#: A run of backticks, the begin of a comment, or what may become one of these; in one, its end.
_TOKENS: Final = re.compile(r"`+|<!--|<!?-?\Z")
_IN_COMMENT: Final = re.compile(r"-->|--?\Z")
_QUOTES: Final = frozenset("\"'“”„‘’‚«»‹›")
#: What directly follows a marker that is only mentioned.
_MENTIONS: Final = _QUOTES | {"`"}


class FoundCall(NamedTuple):
    """A call that was found in prose."""

    #: The name of the tool.
    name: str
    #: The call as JSON, an object with `name` and `args`.
    content: str
    #: The name of its format.
    format: str
    #: Where its block begins in the text, in code points; several calls may be in one.
    begin: int
    #: Where its block ends.
    end: int


class FoundCalls(NamedTuple):
    """What `find_calls` found."""

    #: The text without the blocks of the calls.
    prose: str
    #: The calls, in the order of the text.
    calls: list[FoundCall]


def _format_of(named: object) -> Format:
    known = format_named(named) if isinstance(named, str) else named
    form = known.format if isinstance(known, KnownFormat) else known
    if not isinstance(form, Format):
        raise TypeError(f"`formats` must have names or Formats, not {short_repr(form)}")
    return form


def find_calls(
    text: str | bytes,
    *,
    formats: Iterable[str | Format | KnownFormat],
    names: Collection[str],
    finished: bool = False,
    limits: Limits = Limits(),  # noqa: B008 (a frozen value)
) -> FoundCalls:
    """Find the calls that a model wrote into its prose, and return them and the prose without them.

    `formats` lists the formats to look for: their names, descriptions, or members of `formats()`.
    `names` lists the tools that the model was offered.  A block counts only if it is complete,
    breaks no rule, and calls only tools that were offered.  Blocks in code, in comments, in quoted
    lines and after quotation marks do not count.  `finished` states that the model ended its turn
    at the end of `text`, as a stop token or a finish reason says: a block whose closer was cut off
    there counts if a `Parser` of its format runs it.  No found call is stated to be safe to run;
    the application decides that.

    Raises `ValueError` if `formats` is empty or contains an unknown name, and `TypeError` if it
    contains anything else that is not a format, if `formats` or `names` is a string, if `text` is
    neither `str` nor `bytes`, and if `limits` is not a `Limits`.
    """
    finder = CallFinder(formats=formats, names=names, limits=limits)
    prose = finder.feed(text) + finder.close(finished=finished)
    return FoundCalls(prose, finder.calls)


class CallFinder:
    """Finds calls as `find_calls` does, in text that arrives in chunks.

    Raises `ValueError` if `formats` is empty or contains an unknown name, and `TypeError` if it
    contains anything else that is not a format, if `formats` or `names` is a string, and if
    `limits` is not a `Limits`.
    """

    def __init__(
        self,
        *,
        formats: Iterable[str | Format | KnownFormat],
        names: Collection[str],
        limits: Limits = Limits(),  # noqa: B008 (a frozen value)
    ) -> None:
        require_limits(limits)
        for option, value in (("formats", formats), ("names", names)):
            if isinstance(value, str):  # it would be a list of its letters
                raise TypeError(f"`{option}` must be a list of names, such as [{value!r}], not one")
        #: The calls so far, each once its block is complete.
        self.calls: list[FoundCall] = []
        self._names = frozenset(names)
        self._limits = limits
        self._decoder = Decoder()
        self._closed = False
        #: The formats, without bare calls, which cannot be distinguished from prose.
        self._formats = [replace(_format_of(each), bare=False) for each in formats]
        if not self._formats:
            raise ValueError("`formats` must not be empty")
        #: What finds the openers, and what reads on after one, by its formats.
        self._openers = _openers(self._formats)
        self._starts: dict[tuple[int, ...], _Start] = {}
        #: By the opener of a section, those of the calls in it; and those of calls that are not
        #: live, since their section is not.
        self._inner: dict[str, set[str]] = {}
        self._quoted: set[str] = set()
        #: Those of the opener right before the place, which is quoted, or is only mentioned.
        self._mentioned: set[str] = set()
        for form in self._formats:
            sections = [*filter(None, every(form.section[0]))]
            for section in sections:
                inner = {*_markers(form, 0)}.difference(sections)
                self._inner.setdefault(section, set()).update(inner)
        #: The text that may become an opener, and the prose that has not been returned.
        self._carry = ""
        self._prose: list[str] = []
        #: How many characters come before the place, and the lines that it is in.
        self._at = 0
        self._lines = _Lines()
        #: The readings of the open block, its text, and how much of that there is.
        self._tries: list[_Try] = []
        self._block: list[str] = []
        self._size = 0
        self._pieces = re.compile("")

    def feed(self, chunk: str | bytes) -> str:
        """Read the next chunk, and return the prose that is certain not to be in a block.

        Raises `TypeError` if `chunk` is neither `str` nor `bytes`, or not of the first one's type,
        and `RuntimeError` after `close`.
        """
        if self._closed:
            raise RuntimeError("feed() after close()")
        return self._read(self._marked(self._decoder.decode(chunk)), is_last=False)

    def close(self, *, finished: bool = False) -> str:
        """End the text, and return the rest of the prose; later calls return none.

        `finished` states that the model ended its turn here, as a stop token or a finish reason
        says: a block whose closer was cut off counts if a `Parser` of its format runs it.
        Otherwise an incomplete block is prose.
        """
        self._closed = True
        prose = self._read(self._marked(self._decoder.finish()), is_last=True)
        if finished:
            done = next((each for each in self._tries if each.finishes(self._names)), None)
            if done is not None:
                self._take(done)
        if self._tries:
            prose += "".join(self._block).replace(_LOST, REPLACEMENT)
            self._tries = []
        return prose

    def _marked(self, text: str) -> str:
        """Return the text that was decoded last, in which a parser still sees what was lost."""
        if self._decoder.replaced:
            chars = list(text)
            for at in self._decoder.replaced:
                chars[at] = _LOST
            text = "".join(chars)
        return text

    def _read(self, text: str, *, is_last: bool) -> str:
        text, self._carry = self._carry + text, ""
        pos = 0
        while pos < len(text):
            if self._tries:
                text, pos = self._read_block(text, pos)
                continue
            found, stop = self._next(text, pos, is_last=is_last)
            if found is None:
                self._release(text[pos:stop])
                self._carry = text[stop:]
                break
            self._release(text[pos : found.at])
            self._quoted |= self._mentioned
            self._mentioned = set()
            inner = self._inner.get(found.marker, set())
            opener, pos = text[found.at : found.end], found.end
            if self._lines.are_live and found.marker not in self._quoted:
                self._quoted -= inner
                self._begin(opener, found)
                text, pos = self._read_block(text, pos)
            else:
                self._release(opener)
                self._mentioned = inner
        prose, self._prose = "".join(self._prose), []
        return prose.replace(_LOST, REPLACEMENT)

    def _release(self, text: str) -> None:
        """Take text that is prose."""
        if text:
            if text[0] not in _MENTIONS:
                self._quoted |= self._mentioned
            self._mentioned = set()
            self._prose.append(text)
            self._at += len(text)
            self._lines.take(text)

    def _next(self, text: str, pos: int, *, is_last: bool) -> "tuple[_Opener | None, int]":
        """Return the next opener, or where the end of the text begins that may become one."""
        seen = [each.next(text, pos, is_last=is_last) for each in self._openers]
        stop = min(stop for _, stop in seen)
        found = [each for each, _ in seen if each is not None and each.at < stop]
        if not found:
            return None, stop
        at, end, marker, _ = min(found, key=lambda each: (each.at, -each.end))
        forms = [form for each in found if each[:2] == (at, end) for form in each.forms]
        return _Opener(at, end, marker, tuple(sorted({*forms}))), stop

    def _begin(self, opener: str, found: "_Opener") -> None:
        start = self._starts.get(found.forms)
        if start is None:
            start = self._starts[found.forms] = _Start([self._formats[at] for at in found.forms])
        self._tries = [
            _Try(form, ends, opener, found.marker, self._limits) for form, ends in start.formats
        ]
        self._pieces = start.pieces
        self._block = [opener]
        self._size = len(opener)

    def _read_block(self, text: str, pos: int) -> tuple[str, int]:
        """Read on in the open block, and return the text and the place where reading continues."""
        while True:
            done = next((each for each in self._tries if each.is_done), None)
            if done is not None:
                self._take(done)
                return text, pos
            if all(each.broken for each in self._tries):
                return self._give_up(text, pos)
            if pos == len(text):
                return text, pos
            piece = self._pieces.match(text, pos)
            assert piece is not None  # noqa: S101 (it matches any text)
            self._block.append(piece[0])
            self._size += len(piece[0])
            pos = piece.end()
            for each in self._tries:
                if not each.broken:
                    each.read(piece[0], self._size, self._names)

    def _take(self, done: "_Try") -> None:
        """Take the calls of a block, which is not prose."""
        end = self._at + self._size
        self.calls += [
            FoundCall(name, content, done.form.name, self._at, end) for name, content in done.calls
        ]
        self._at = end
        self._tries = []

    def _give_up(self, text: str, pos: int) -> tuple[str, int]:
        """Release a block that every format refuses, up to the last character that one refused."""
        block = "".join(self._block)
        broken = max(each.broken for each in self._tries)
        # An opener that the end of the text may be in is not part of it.
        resumed = min(broken, *(each.resumed(block[:broken]) for each in self._openers))
        self._tries = []
        self._release(block[:resumed])
        back = len(block) - resumed
        return (text, pos - back) if back <= pos else (block[resumed:] + text[pos:], 0)


class _Opener(NamedTuple):
    """Where a block begins."""

    at: int
    end: int
    #: The opener of calls or of a section, without a header; empty if a header names the tool.
    marker: str
    #: The places of its formats in the list of all.
    forms: tuple[int, ...]


class _OpenerSearch:
    """Finds openers, and keeps what was found last: a search may go through to the end."""

    def __init__(self, openers: "_Markers | _Headers") -> None:
        self.resumed, self._find = openers.resumed, openers.find
        #: The text that was searched last, whether it was the last one, and what was seen there.
        self._seen: tuple[str, bool, _Opener | None, int] = "", False, None, -1

    def next(self, text: str, pos: int, *, is_last: bool) -> tuple[_Opener | None, int]:
        """Return the next opener, and where the end of the text begins that may become one."""
        seen, was_last, found, stop = self._seen
        if text is not seen or is_last != was_last or pos > (found.at if found else stop):
            found, stop = self._find(text, pos, is_last=is_last)
            self._seen = text, is_last, found, stop
        return found, stop


class _Markers:
    """Openers that are the same text everywhere."""

    def __init__(self, forms: dict[str, list[int]]) -> None:
        self._forms = {opener: tuple(each) for opener, each in forms.items()}
        self._markers = MarkerSet(dict.fromkeys(forms, "call"))

    def find(self, text: str, pos: int, *, is_last: bool) -> tuple[_Opener | None, int]:
        found = self._markers.find(text, pos, fresh=True)
        stop = len(text) if is_last else self._markers.hold(text, pos, fresh=True)
        if found is None:
            return None, stop
        marker = text[found.at : found.end]
        return _Opener(found.at, found.end, marker, self._forms[marker]), stop

    def resumed(self, text: str) -> int:
        """Return where the opener begins that the end of `text` may be in, after its beginning."""
        whole = [len(text) - len(each) for each in self._forms if text.endswith(each, 1)]
        return min(self._markers.hold(text, 1, fresh=True), *whole, len(text))


class _Headers:
    """Headers of one format that calls follow."""

    def __init__(self, at: int, form: Format) -> None:
        frame = dialect_named(form).frame
        assert isinstance(frame, Wrapped) and form.header is not None  # noqa: S101, PT018
        self._forms = (at,)
        #: The headers in text after which more may follow, and in text after which none can.
        self._headers = [each.headers({}, {}) for each in (frame.live, frame.last)]
        #: What ends a header that names a tool; where none does, what may follow one.
        self._end = form.header.close if frame.call_headers else ""
        self._openers = _markers(form, 0)
        roles: dict[str, Role] = dict.fromkeys(self._openers, "call")
        self._live = [markers_in(roles, is_last=each) if roles else None for each in (False, True)]

    def find(self, text: str, pos: int, *, is_last: bool) -> tuple[_Opener | None, int]:
        text = text.replace(_LOST, REPLACEMENT)
        headers, live = self._headers[is_last], self._live[is_last]
        while (found := headers.find(text, pos, fresh=True)) is not None:
            role, at, end = found
            if role in ("call", "section"):
                return self._opener(text, at, end), len(text)
            if role == "prose" and live is not None:
                opener = live.match(text, end)
                if opener is not None:
                    return self._opener(text, at, opener.end), len(text)
                if not is_last and live.hold(text, end, fresh=True) == end:
                    return None, at
            pos = at + 1
        return None, len(text) if is_last else headers.hold(text, pos, fresh=True)

    def _opener(self, text: str, at: int, end: int) -> _Opener:
        """Return a header that names a tool, or one with the opener of the calls after it."""
        if self._end:
            return _Opener(at, text.index(self._end, end) + len(self._end), "", self._forms)
        ended = [each for each in self._openers if text.endswith(each, at, end)]
        return _Opener(at, end, max(ended, key=len), self._forms)

    def resumed(self, text: str) -> int:
        found, stop = self.find(text, 1, is_last=False)
        while found is not None and found.end < len(text):
            found, stop = self.find(text, found.at + 1, is_last=False)
        return stop if found is None else found.at


def _openers(formats: list[Format]) -> list[_OpenerSearch]:
    """Return what finds the openers of these formats."""
    forms: dict[str, list[int]] = {}
    for at, form in enumerate(formats):
        for opener in _markers(form, 0):
            forms.setdefault(opener, []).append(at)
    searches = [_OpenerSearch(_Markers(forms))] if forms else []
    headed = (at for at, form in enumerate(formats) if form.header is not None)
    return [*searches, *(_OpenerSearch(_Headers(at, formats[at])) for at in headed)]


class _Start:
    """The formats of one opener, and how their blocks are cut into pieces."""

    def __init__(self, formats: list[Format]) -> None:
        #: Each with the characters with which a block of it may end.
        self.formats = [(form, _ends(form)) for form in formats]
        ends = re.escape("".join(frozenset[str]().union(*(ends for _, ends in self.formats))))
        #: What matches the text through the next such character, if that is near.
        self.pieces = re.compile(f"[^{ends}]{{0,{_REACH}}}[{ends}]?")


class _Try:
    """One format's reading of a block."""

    def __init__(
        self, form: Format, ends: frozenset[str], opener: str, marker: str, limits: Limits
    ) -> None:
        self.form = form
        #: The names and contents of the calls so far.
        self.calls: list[tuple[str, str]] = []
        #: Whether the block is complete; and how much of it is prose if it breaks a rule, else 0.
        self.is_done = False
        self.broken = 0
        #: The characters with which the block may end, and whether it is a section.
        self.ends = ends
        self.is_section = marker != "" and marker in every(form.section[0])
        self._parser = Parser(form, spans=True, clock=None, limits=limits)
        self._take(self._parser.feed(opener))

    def read(self, piece: str, size: int, names: frozenset[str]) -> None:
        """Read the next piece of the block, of which `size` characters have been read then."""
        is_over = self._take(self._parser.feed(piece)) or (
            piece[-1] in self.ends and self._parser.state == "prose"
        )
        if is_over and not self.broken:
            self.is_done = self._counts(names)
            self.broken = 0 if self.is_done else size

    def finishes(self, names: frozenset[str]) -> bool:
        """Return whether the block counts if the model ended its turn here."""
        events: Any = [] if self.broken else self._parser.close(finished=True)
        self._take(events[:-1])  # the end of the turn may be the closer of a call
        is_run = [event["type"] for event in events[-1:]] == ["execute"]
        return is_run and not self.broken and self._counts(names)

    def _counts(self, names: frozenset[str]) -> bool:
        """Return whether there are calls, and all their tools were offered."""
        return bool(self.calls) and names.issuperset(name for name, _ in self.calls)

    def _take(self, events: Any) -> bool:
        """Take what was read; return whether the turn has ended with a call."""
        for event in events:
            if event["type"] == "call":
                content: str = event["content"]
                _, name = next(members(content))  # it is the first in what a format gives
                self.calls.append((value_at_start(name), content))
            elif event["type"] == "execute" and not self.is_section:
                return True
            else:
                # An error, or the end of the turn in a section.
                is_error = event["type"] == "error"
                # A forged result may begin as a call does: then its first character is prose.
                self.broken = max(1, event["offset"]) if is_error else event["span"][1]
                return False
        return False


def _markers(form: Format, side: int) -> list[str]:
    """Return the openers of calls and sections, for the side 0, or the closers, for 1."""
    return [marker for pair in (form.call, form.section) for marker in every(pair[side]) if marker]


def _ends(form: Format) -> frozenset[str]:
    """Return the characters with which a block may end."""
    last = form.payload.end[-1:] if isinstance(form.payload, TagsPayload) else ""
    return frozenset({*_ENDS, *last, *(marker[-1] for marker in _markers(form, 1))})


class _Lines:
    """Where the prose is, as far as it decides whether a marker is live."""

    def __init__(self) -> None:
        self._line: list[str] = []
        #: The beginning of its text; the fence that is open, if one is, and the column of the text
        #: of its line; and whether a comment was open when the line began.
        self._head = ""
        self._fence = ""
        self._column = 0
        self._began_in_comment = False
        #: The text of the line that has not been looked at, and the character before it.
        self._rest: list[str] = []
        self._last = ""
        #: How many backticks open the inline code, and whether a comment is open.
        self._code = 0
        self._in_comment = False

    @property
    def are_live(self) -> bool:
        """Whether a marker here is live: neither in code nor in a comment nor in a quotation."""
        rest = self._look()
        return self._is_live(self._code_after(rest), rest[-1:] or self._last)

    def take(self, text: str) -> None:
        """Take more prose."""
        first, *others = text.split("\n")
        self._take_part(first)
        for part in others:
            self._end_line()
            self._take_part(part)

    def _take_part(self, part: str) -> None:
        """Take a part of a line."""
        if part:
            self._line.append(part)
            self._rest.append(part)
            if len(self._head) < _HEAD:
                head = self._head + part
                self._head = head[_end_of_lead(head) :][:_HEAD]

    def _look(self) -> str:
        """Look at the rest of the line, and return the end of it that more text may continue."""
        text = "".join(self._rest)
        at, end = 0, len(text)
        while found := (_IN_COMMENT if self._in_comment else _TOKENS).search(text, at):
            at = found.end()
            if at == len(text) and found[0] not in _COMMENT:
                end = found.start()
            elif self._in_comment:
                self._in_comment = False
            elif found[0] == _COMMENT[0]:
                last = text[found.start() - 1] if found.start() else self._last
                self._in_comment = self._is_live(self._code, last)
            else:
                self._code = self._code_after(found[0])
        self._last = text[end - 1] if end else self._last
        self._rest = [text[end:]]
        return text[end:]

    def _is_live(self, code: int, last: str) -> bool:
        """Whether a marker is live after `last`, in inline code of `code` backticks, or 0."""
        is_quoted = last in _QUOTES or self._head.startswith(_NO_PROSE)
        return not (self._fence or code or self._in_comment or is_quoted)

    def _code_after(self, rest: str) -> int:
        """Return how many backticks open the inline code after these, which may close it."""
        if not rest.startswith("`") or self._in_comment:
            return self._code
        if self._code:
            return 0 if self._code == len(rest) else self._code
        return len(rest)

    def _end_line(self) -> None:
        code = self._code_after(self._look())
        line = "".join(self._line)
        if not self._fence:
            self._begin_fence(line, code)
        else:
            end = _FENCE_END.fullmatch(line)
            if end is not None and end[2].startswith(self._fence):
                is_content = _column(end[1]) > self._column + _DEEPER
                self._fence = self._fence if is_content else ""
        self._line, self._rest, self._head, self._last = [], [], "", ""
        self._began_in_comment = self._in_comment
        self._code = 0

    def _begin_fence(self, line: str, code: int) -> None:
        """Begin a fence if the line does, at whose end inline code of `code` backticks is open."""
        lead = _end_of_lead(line)
        tildes = None if self._began_in_comment else _TILDES.match(line, lead)
        if tildes is not None:
            self._fence = tildes[0]
        elif code >= _TICKS and not line.startswith(">", lead):
            self._fence = "`" * code
        self._column = _column(line[:lead])


def _end_of_lead(line: str) -> int:
    """Return where the text of a line begins."""
    lead = _LEAD.match(line)
    assert lead is not None  # noqa: S101 (it matches any text)
    return lead.end()


def _column(lead: str) -> int:
    """Return the column after white space and the markers of lists."""
    return len(lead.expandtabs(4))
