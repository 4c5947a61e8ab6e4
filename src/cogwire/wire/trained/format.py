# SPDX-License-Identifier: MIT
"""A format as data: a description, whose JSON form has the same members."""

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, get_args

from ...text import WHITE, is_array, is_object, pointer_step, shorten
from ...text.decoding import REPLACEMENT, is_text
from ..blocks.headed import ID, OTHER_FIELD, TOOL, HeaderCalls, check_fields
from ..blocks.interface import BlockReader
from ..blocks.literals_calls import Style
from ..blocks.nested import KEY
from ..blocks.spelled import beginning_at_end
from ..blocks.tagged import ValueType
from ..dialect import Dialect
from ..frames.bare import SEPARATOR, Bare
from ..frames.header_markers import Header
from ..frames.markers import Found, Pair, literal
from ..frames.single import SingleFormat
from ..frames.wrapped import BRACE, BRACKET, Sides, Wrapped
from ..writing_interface import literal_across
from .members import (
    Marker,
    MarkerPair,
    Words,
    WrongError,
    read_flag,
    read_markers,
    read_object,
    read_pair,
    read_text,
    read_text_or_texts,
    read_texts,
    read_words,
)
from .payloads import (
    ArgumentsPayload,
    ArrayPayload,
    LiteralsPayload,
    ObjectPayload,
    Payload,
    TagsPayload,
    TextPayload,
    Types,
    check_apart,
    every,
)

#: The payloads of calls whose tool a header may name.
_AFTER_HEADERS: Final = (ArgumentsPayload, TagsPayload)
#: No pair of markers.
NONE: Final = ("", "")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")


# -- Formats -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Format:
    """One format of calls, a frozen value; it is accepted wherever the name of a dialect is.

    Its members are those of its JSON form, which `spec/described.md` defines: markers as text, and
    pairs of an opener and a closer, each of which may be several.  Raises `ValueError` for a
    description that contradicts itself.
    """

    #: What the format is called.
    name: str
    #: The opener and the closer of one call; either may be empty.
    call: MarkerPair
    #: What is between them.
    payload: Payload
    #: The opener and the closer of a think.
    think: MarkerPair = ("<think>", "</think>")
    #: The opener and the closer around several calls.
    section: MarkerPair = NONE
    #: The opener and the closer of one result.
    result: MarkerPair = NONE
    #: The markers that end a turn.
    ends: tuple[str, ...] = ()
    #: The markers in prose that have no meaning.
    ignored: tuple[str, ...] = ()
    #: The white space that is written on both sides of a payload.
    gap: str = ""
    #: Whether the opener of a call or a section ends a think.
    think_ends_at_call: bool = False
    #: The headers that say what follows them.
    header: Header | None = None
    #: Whether a call may come without its markers where a turn begins, or after a think or a call.
    bare: bool = False

    def __post_init__(self) -> None:
        _check(self)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is derived from the members."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @functools.cached_property
    def wire(self) -> Dialect:
        """The dialect itself."""
        return _wire(self)

    @property
    def dialect(self) -> str:
        """The name."""
        return self.name

    @classmethod
    def from_json(cls, value: object) -> "Format":
        """Return the format that `value`, a decoded JSON object, describes.

        Raises:
            ValueError: it is not a description; the message begins with the place, a JSON Pointer.
        """
        read: Format = _read(value, "", cls)
        return read

    def to_json(self) -> dict[str, Any]:
        """Return the description as a JSON object, without members that have their defaults."""
        return {**_written(self), "payload": {"kind": self.payload.kind, **_written(self.payload)}}


@functools.lru_cache(maxsize=64)  # a program may read the same description again and again
def _wire(form: Format) -> Dialect:
    frame = _frame(form)
    payload, header = form.payload, form.header
    if header is not None and header.prefixes and isinstance(payload, _AFTER_HEADERS):
        named = _header_calls(payload.head[0], header, frame)
        calls: SingleFormat[BlockReader] = named
        if isinstance(payload, TagsPayload):
            calls = payload.calls_after(named, frame.call.closers)
    elif isinstance(payload, TextPayload):
        calls = payload.calls(frame.block_ends[1], frame.call.openers)
    else:
        may_repeat = payload.kind != "object" or frame.may_repeat
        calls = payload.calls(frame.block_ends[1] if may_repeat else "")
    return Dialect(form.name, frame, calls, parallel=True, form=form)


def _frame(form: Format) -> Wrapped:
    frame = (Bare if form.bare else Wrapped)(
        *(_sides(form.think), _sides(form.call), _sides(form.result), _sides(form.section)),
        *(form.gap, form.ends, form.ignored),
        think_ends_at_call=form.think_ends_at_call,
        header=form.header,
        begins=BRACE if _is_object(form.payload) else BRACKET,
    )
    return frame._replace(strays=_strays(form, (*frame.openers, *frame.think.closers)))


def _sides(pair: MarkerPair) -> Sides:
    openers, closers = (tuple(filter(None, every(side))) for side in pair)
    return Sides(openers, closers)


def _is_object(payload: Payload) -> bool:
    """Whether a call begins with a brace, rather than with the bracket of an array or a list."""
    return payload.kind == "object" or (isinstance(payload, ArrayPayload) and payload.member != "")


def _strays(form: Format, live: Iterable[str]) -> tuple[str, ...]:
    """Return the closer of a value, unless it contains, or is in, a marker that is live in text."""
    if isinstance(form.payload, TagsPayload):
        closer = form.payload.value[1]
    elif isinstance(form.payload, TextPayload):
        closer = every(form.call[1])[0]
    else:
        return ()
    if form.header is not None:
        live = (*live, form.header.close)
    is_like = any(each in closer or closer in each for each in live)
    return () if is_like or KEY in closer else (closer,)


def _header_calls(template: str, header: Header, frame: Wrapped) -> HeaderCalls:
    """Return how calls are read whose tool is named in a header."""
    return HeaderCalls(
        template, header.name_end, header.close, functools.partial(_name_begin, frame)
    )


def _name_begin(frame: Wrapped, text: str) -> int | None:
    """Return where the name of a tool begins in a header of a call; `None` in any other text."""
    found = frame.live.after_call.prose.match(text, 0)
    return found.end if found is not None and found.role == "call" else None


def _check(form: Format) -> None:
    """Raise `WrongError` for members that are wrong, each by itself or together with others."""
    if not _NAME.fullmatch(form.name):
        raise WrongError("/name", "may have only lower-case letters, digits, dots and hyphens")
    _check_texts(form.to_json(), "")
    _check_markers(form)
    _check_empty(form)
    _check_together(form)
    if form.header is not None:
        _check_header(form, form.header)
    if form.bare:
        _check_bare(form)
    if form.gap.strip(WHITE):
        raise WrongError("/gap", "must be white space")
    payload, closers = form.payload, every(form.call[1])
    if form.header is None or not form.header.prefixes:
        payload.check(closers)
    elif isinstance(payload, TagsPayload):
        for closer in closers:
            payload.check((closer,))
    if isinstance(payload, TagsPayload):
        _check_after(form, payload, closers)
    if isinstance(payload, TextPayload):
        ends_with_it = {each.endswith(payload.margin) for each in every(form.call[0])}
        if len(ends_with_it) > 1:
            raise WrongError("/call/0", "either all openers end with /payload/margin, or none does")
    _check_literals(form)


def _check_after(form: Format, payload: TagsPayload, closers: tuple[str, ...]) -> None:
    """Refuse tags that cannot be told apart from a closer or a call that may follow them."""
    after = closers
    if form.section != NONE:
        after = (*(closers if closers[0] else every(form.call[0])), *every(form.section[1]))
    check_apart("/call", after)
    for marker in after:
        if begun := beginning_at_end(payload.end, marker):
            reason = f"ends with {begun!r}, as {marker!r} begins, which may follow it"
            raise WrongError("/payload/end", reason)


def _check_together(form: Format) -> None:
    """Refuse markers that may come at the same place and cannot be told apart."""
    calls, sections = every(form.call[0]), every(form.section[0])
    openers = (*every(form.think[0]), *sections, *calls, *every(form.result[0]))
    live = [*openers, *form.ends, *form.ignored]
    if form.header is not None:
        live = [each for each in live if not each.startswith(form.header.open)]
    _check_distinct(form, "", live)
    closers = every(form.think[1])
    _check_distinct(form, "/think", closers)
    if form.think_ends_at_call:
        thinking = [marker for marker in (*sections, *calls) if marker]
        _check_distinct(form, "/think", (*closers, *thinking))
        _check_lines("/think/1", closers, thinking)
        for other in {*openers, *form.ends, *form.ignored, *closers}.difference(thinking):
            if other.startswith(tuple(thinking)):
                raise WrongError("/think_ends_at_call", f"{other!r} begins with an opener of calls")
    closers = every(form.call[1])
    _check_distinct(form, "/call", closers)
    _check_lines("/call/1", closers, {*closers}.intersection(form.ends))
    if {*closers}.issubset(form.ends):
        reason = f"{closers[0]!r} also ends the turn: add one that does not, or have no closer"
        raise WrongError("/call/1", reason)
    _check_distinct(form, "/result", every(form.result[1]))
    if form.section != NONE:
        closers = every(form.section[1])
        inside = (*calls, *closers, *form.ends)
        if calls == ("",) and any(BRACE in marker for marker in inside):
            raise WrongError("/section", f"no marker may have {BRACE} if calls have no opener")
        _check_distinct(form, "/section", inside)
        _check_distinct(form, "/section", (*every(form.call[1]), *closers, *form.ends))
        _check_lines("/section/1", closers, calls)


def _check_lines(path: str, closers: Iterable[str], others: Iterable[str]) -> None:
    """Refuse closers that begin other markers together with the line feed written after them."""
    for closer, other in itertools.product(filter(None, closers), others):
        if other.startswith(f"{closer}\n"):
            reason = f"{other!r} begins with {closer!r} and the line feed that is written after it"
            raise WrongError(path, reason)


def _check_bare(form: Format) -> None:
    """Refuse bare calls that cannot be told from prose."""
    if form.section != NONE or form.header is not None:
        raise WrongError("/bare", "cannot be combined with a section or a header")
    payload = form.payload
    is_shown = False
    if isinstance(payload, ObjectPayload):
        is_shown = not (payload.partial or payload.keyed)
    elif isinstance(payload, LiteralsPayload):
        is_shown = payload.style == "python" and not payload.lines
    if not is_shown:
        reason = (
            "needs objects with a name and args, arrays of them, or a list in Python's notation"
        )
        raise WrongError("/bare", reason)
    openers = *every(form.think[0]), *every(form.call[0]), *every(form.result[0])
    for marker in (*openers, *form.ends, *form.ignored):
        if marker.startswith(SEPARATOR):
            raise WrongError(
                "/bare", f"{marker!r} begins with {SEPARATOR!r}, which may follow a call"
            )


def _check_header(form: Format, header: Header) -> None:
    """Refuse headers that cannot be told from other markers, or do not fit the calls."""
    if not header.open:
        raise WrongError("/header/open", "must have a marker")
    for member in ("think", "prose", "call"):
        words: tuple[str, ...] = header.prefixes if member == "call" else getattr(header, member)
        for word in words:
            if header.name_end.search(word) or not (word or member == "call"):
                reason = f"{word!r} is not a word without white space and markers"
                raise WrongError(f"/header/{member}", reason)
    if not {*header.think}.isdisjoint(header.prose):
        raise WrongError("/header/prose", "has a word that /header/think has too")
    frame = _frame(form)
    within = [each for each in frame.header_roles if not each.startswith(header.open)]
    _check_distinct(form, "/header", (*within, *header.open, header.close))
    for marker, role in frame.header_roles.items():
        is_header = frame.markers.prose.match(marker, 0) == Found(role, 0, len(marker))
        if marker.startswith(header.open) and not is_header:
            raise WrongError("/header", _begun_otherwise(form, header, marker))
    _check_header_calls(form, header, frame)


def _begun_otherwise(form: Format, header: Header, marker: str) -> str:
    """Return why a marker that begins like a header is not read as that marker, with a hint."""
    place = next(at for at, each in _named_markers(form).items() if each == marker)
    problem = f"{place}, {marker!r}, begins like a header"
    if place.startswith("/result"):
        return f"{problem}, and results have no headers: leave 'result' out"
    if not marker.endswith(header.close):
        return f"{problem}, but does not end with /header/close, {header.close!r}"
    if place.startswith("/think"):
        words = [*filter(None, header.name_end.split(marker))]
        return f"{problem}, but none of its words is in /header/think: {words}"
    hint = ": leave the header out of it" if place in ("/call/0", "/section/0") else ""
    return f"{problem}, so it is not read as this marker{hint}"


def _check_header_calls(form: Format, header: Header, frame: Wrapped) -> None:
    payload = form.payload
    if not header.prefixes:
        return
    if form.call[0] or form.section != NONE:
        raise WrongError("/call/0", "must be empty: a header begins each call, without a section")
    if not isinstance(payload, _AFTER_HEADERS) or len(payload.head) != 1:
        raise WrongError("/payload/head", "must be one header with the name of a tool")
    place = "/payload/head" if isinstance(payload, ArgumentsPayload) else "/payload/tool"
    try:
        check_fields(payload.head[0])
    except ValueError as error:
        raise WrongError(place, str(error)) from None
    calls = _header_calls(payload.head[0], header, frame)
    if not calls.takes("tool"):
        raise WrongError(place, _unnamed(payload.head[0], header))


def _unnamed(head: str, header: Header) -> str:
    """Return why a head is not a header that names a tool, with a hint on what to write."""
    if not (head.startswith(header.open) and head.endswith(header.close)):
        return f"must begin with a marker of /header/open and end with {header.close!r}"
    before = head.partition(TOOL)[0]
    *_, other, word = header.name_end.split(before)
    if word.startswith(header.prefixes):
        return "is not read as a header that names a tool"
    reason = f"the word with {TOOL}, '{word}{TOOL}', begins with nothing in /header/call"
    marker = before.rpartition(other)[2] if other and not word else ""
    if marker in header.open:
        reason += f"; put '{other}{marker}' there, and take {marker!r} out of /header/open"
    return reason


def _check_texts(value: Any, path: str) -> None:
    """Refuse texts with characters that no text has, or that replace damaged text."""
    if isinstance(value, str):
        if REPLACEMENT in value or not is_text(value):
            reason = "must not have U+FFFD, which marks damaged text, or half of a surrogate pair"
            raise WrongError(path, reason)
    elif is_object(value):
        for name, member in value.items():
            _check_texts(name, path)
            _check_texts(member, path + pointer_step(name))
    elif is_array(value):
        for index, item in enumerate(value):
            _check_texts(item, f"{path}/{index}")


def _check_literals(form: Format) -> None:
    """Refuse a marker that may be live where the literal form of a marker is written."""
    named = {place: marker for place, marker in _named_markers(form).items() if marker}
    for place, marker in named.items():
        other = literal_across(marker, named.values())
        if other:
            written = f"{literal(other)!r}, which stands for {other!r} in prose"
            reason = f"could be live inside {written}: change one of them"
            raise WrongError(place, reason)


def _named_markers(form: Format) -> dict[str, str]:
    """Return each marker around a part, by its place."""
    named: dict[str, str] = {}
    for name in ("think", "section", "call", "result"):
        pair: MarkerPair = getattr(form, name)
        for side, marker in enumerate(pair):
            if isinstance(marker, str):
                named[f"/{name}/{side}"] = marker
            elif not marker:
                raise WrongError(f"/{name}/{side}", "must have a marker")
            else:
                named |= {f"/{name}/{side}/{at}": each for at, each in enumerate(marker)}
    for name in ("ends", "ignored"):
        named |= {f"/{name}/{at}": marker for at, marker in enumerate(getattr(form, name))}
    if form.header is not None:
        named |= {f"/header/open/{at}": marker for at, marker in enumerate(form.header.open)}
        if form.header.close != "\n":
            named["/header/close"] = form.header.close
    return named


def _check_markers(form: Format) -> None:
    """Refuse markers with white space where none may be."""
    for path, marker in _named_markers(form).items():
        # The space ends a word, so that the marker is not the beginning of a longer one.
        is_word = path.startswith("/call/0") and marker.endswith(" ")
        ended = marker[:-1] if is_word else marker.rstrip("\n")
        begins_white = marker != marker.lstrip(WHITE)
        if begins_white or ended != ended.rstrip(WHITE):
            reason = (
                "must end without white space, but for line feeds or a space after a call's opener"
            )
            if begins_white:
                reason = "must begin without white space, which is skipped before a marker anyway"
            if not marker.strip(WHITE):
                reason = "must not be white space alone"
            raise WrongError(path, reason)
        _check_fields(path, marker)
    payload = form.payload
    if isinstance(payload, TagsPayload):
        named = {name: getattr(payload, name) for name in ("tool", "key", "value", "raw")}
        for name, markers in {**named, "end": (payload.end,)}.items():
            for index, marker in enumerate(markers):
                place = f"/payload/{name}/{index}"
                if marker != marker.strip(WHITE):
                    hint = ", which is skipped there anyway" if name in ("tool", "key") else ""
                    raise WrongError(place, f"must begin and end without white space{hint}")
                _check_fields(place, marker)


def _check_fields(place: str, marker: str) -> None:
    """Refuse a word in braces in a marker, unless it is a field there."""
    known = {"/payload/tool/1": ID, "/payload/value/1": KEY}.get(place)
    hint = f"; only {known} has one" if known else ""
    if place.startswith("/result"):
        hint = ": leave 'result' out if a result has an id"
    for field in OTHER_FIELD.findall(marker):
        if field != known:
            raise WrongError(place, f"{field} has no meaning here{hint}")


#: Where else a marker that is required may be, or when it may be empty.
_MAY_BE_EMPTY: Final = {
    "/call/0": ", except after a header that names the tool, and for objects in a section",
    "/payload/end": " if /call/1 is",
}


def _check_empty(form: Format) -> None:
    """Refuse markers that are empty and must not be."""
    required = _named_markers(form)
    for name in ("section", "result"):
        if getattr(form, name) == NONE:
            required = {path: each for path, each in required.items() if f"/{name}/" not in path}
    is_header = form.header is not None and form.header.prefixes
    if is_header or (form.payload.kind == "object" and form.section != NONE):
        required.pop("/call/0", None)
    required.pop("/call/1", None)
    if isinstance(form.payload, TagsPayload):
        tags = form.payload
        required |= {"/payload/key/0": tags.key[0], "/payload/value/1": tags.value[1]}
        required["/payload/value/0"] = tags.key[1] or tags.value[0] or "".join(dict(tags.types))
        required["/payload/end"] = tags.end or every(form.call[1])[0]
    if isinstance(form.payload, LiteralsPayload):
        required["/payload/quote"] = form.payload.quote
    if isinstance(form.payload, TextPayload) or getattr(form.payload, "lines", False):
        required["/call/1"] = every(form.call[1])[0]
    for path, marker in required.items():
        if not marker:
            raise WrongError(path, f"must not be empty{_MAY_BE_EMPTY.get(path, '')}")


def _check_distinct(form: Format, path: str, markers: Sequence[str]) -> None:
    """Refuse equal markers, and markers that contain another one after their first character."""
    live = [marker for marker in markers if marker]
    for one, other in itertools.permutations(live, 2):
        if one == other:
            places = [place for place, each in _named_markers(form).items() if each == one]
            raise WrongError(path, f"{' and '.join(places)} are the same marker, {one!r}")
        if other.find(one, 1) >= 0:
            reason = f"{other!r} contains {one!r}, so they cannot be told apart"
            raise WrongError(path, reason if one.strip() else f"{reason}; leave {one!r} out of it")


# -- JSON ----------------------------------------------------------------------------------------


def _written(value: Any) -> dict[str, Any]:
    """Return the members of `value` that do not have their defaults, as JSON."""
    written: dict[str, Any] = {}
    for each in fields(value):
        member: Any = getattr(value, each.name)
        if member != each.default:
            is_object = each.type in (Words, Types)
            written[each.name] = dict(member) if is_object else _as_json(member)
    return written


def _as_json(value: Any) -> Any:
    if isinstance(value, Header):
        return _written(value)
    return [_as_json(each) for each in value] if value.__class__ is tuple else value


def _read(value: object, path: str, described: type[Any]) -> Any:
    """Return a value of the class `described`, whose fields are the members of an object."""
    data = read_object(value, path)
    known = {each.name: each for each in fields(described)}
    for name in data:
        if name not in known:
            listed = ", ".join(known)
            raise WrongError(f"{path}{pointer_step(name)}", f"unknown member; known are {listed}")
    for name, each in known.items():
        if each.default is MISSING and name not in data:
            raise WrongError(path, f"{name!r} is missing")
    members = {
        name: _READERS[known[name].type](member, f"{path}/{name}") for name, member in data.items()
    }
    for name, member in members.items():
        if member == known[name].default == NONE:
            raise WrongError(f"{path}/{name}", "must have markers, or be left out")
    return described(**members)


def _payload(value: object, path: str) -> Payload:
    members = read_object(value, path)
    kind = members.pop("kind", None)
    if type(kind) is not str or kind not in _PAYLOADS:
        found = f", not {shorten(repr(kind))}" if kind is not None else ""
        raise WrongError(f"{path}/kind", f"must be one of {', '.join(_PAYLOADS)}{found}")
    read: Payload = _read(members, path, _PAYLOADS[kind])
    return read


def _header(value: object, path: str) -> Header:
    read: Header = _read(value, path, Header)
    return read


def _types(value: object, path: str) -> Types:
    kinds: dict[str, ValueType] = {kind: kind for kind in get_args(ValueType)}
    for tag, type_ in (types := read_words(value, path)):
        if type_ not in kinds:
            known = ", ".join(kinds)
            raise WrongError(f"{path}{pointer_step(tag)}", f"must be one of {known}")
    return tuple((tag, kinds[type_]) for tag, type_ in types)


_PAYLOADS: Final[Mapping[str, type[Payload]]] = {
    payload.kind: payload
    for payload in (
        *(ObjectPayload, ArrayPayload, ArgumentsPayload, TagsPayload),
        *(LiteralsPayload, TextPayload),
    )
}
#: What reads a member, by its type.
_READERS: Final[Mapping[Any, Callable[[object, str], Any]]] = {
    str: read_text,
    Style: read_text,
    bool: read_flag,
    Pair: read_pair,
    MarkerPair: read_markers,
    Marker: read_text_or_texts,
    tuple[str, ...]: read_texts,
    Words: read_words,
    Types: _types,
    Payload: _payload,
    Header | None: _header,
}
