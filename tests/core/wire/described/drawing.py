"""Descriptions of formats, as JSON objects that the specification allows, and texts near them."""

import itertools
import json
from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st

#: Markers that models know.
_KNOWN: Final = (
    *("<tool_call>", "</tool_call>", "<function=", "</function>", "<|call|>", "[TOOL_CALLS]"),
    *("<|im_end|>", "</s>", '<invoke name="', '">', "```", "<think>", "[/THINK]", "<|a b|>"),
)
#: Few characters, so that markers share them and overlap with themselves.
_random = st.text("<a|>", min_size=2, max_size=4)
_marker = st.one_of(st.sampled_from(_KNOWN), _random, _random, st.sampled_from(["<<a", "aab", "§"]))
#: Markers that may end a name, since they do not begin like one.
_ends = _marker.map(lambda marker: marker.lstrip("ab") or "§")
_bools = st.booleans()
_white = st.sampled_from(["", "", "\n", " ", "\r\n", "\t \n"])
_rarely = st.sampled_from([False, False, False, True])


def _clashes(one: str, other: str, *, may_begin: bool = True) -> bool:
    """Whether a marker is another one or in it, other than as its beginning if it may be that."""
    return one == other or one in other[may_begin:]


@st.composite
def _apart(draw: st.DrawFn, taken: Sequence[str], *, may_begin: bool = False) -> str:
    """Draw a marker that contains none of `taken`, nor is in one; as its beginning it may be."""

    def clashes(one: str, other: str) -> bool:
        return _clashes(one, other, may_begin=may_begin)

    marker = draw(_marker)
    if may_begin and taken:
        longer = st.sampled_from(taken).map(lambda other: f"{other}{marker}")
        marker = draw(st.one_of(st.just(marker), st.just(f"{marker}\n"), longer))
    number = 0
    while any(clashes(marker, each) or clashes(each, marker) for each in taken):
        number += 1
        marker = f"[{number}]"
    return marker


@st.composite
def descriptions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a description: a JSON object that the chapter on formats by description allows."""
    live: list[str] = []

    def opener(*, may_begin: bool = True) -> str:
        live.append(draw(_apart(live, may_begin=may_begin)))
        return live[-1]

    def openers() -> Any:
        first = opener()
        # One of several may end skipped text in tags.
        return [first, opener(may_begin=kind != "tags")] if draw(_rarely) else first

    kind = draw(st.sampled_from(["object", "array", "arguments", "tags", "literals", "text"]))
    described: dict[str, Any] = {"name": draw(st.sampled_from(["a", "0", "kimi-k2", "v3.1-x"]))}
    thinking = openers() if draw(st.booleans()) else ""
    if not thinking:
        live.append("<think>")
    has_section = draw(st.booleans())
    begin = openers() if has_section else ""
    has_brace = has_section and kind == "object" and draw(st.booleans())
    called = "" if has_brace else openers()
    if isinstance(called, str) and called and not called.endswith("\n") and draw(_rarely):
        live[live.index(called)] = called = f"{called} "
    closer = draw(_marker if kind == "text" else st.one_of(st.just(""), _marker, _marker))
    payload = described["payload"] = draw(_payloads(kind, closer, _several(called)))
    described["call"] = [called, closer]
    is_read = kind == "text" or payload.get("lines", False) or payload.get("end") == ""
    if closer and not is_read and draw(_rarely):
        described["call"][1] = [closer, draw(_apart([closer], may_begin=kind != "tags"))]
    if draw(st.booleans()):
        described["result"] = [openers(), draw(_closers([]))]
    for member in ("ends", "ignored"):
        if draw(st.booleans()):
            described[member] = [opener() for _ in range(draw(st.integers(0, 2)))]
    _end_at_closers(described, live, is_ended=not has_section and draw(_bools))
    if has_section:
        inside = [*_several(called), *_several(described["call"][1]), *described.get("ends", ())]
        described["section"] = [begin, draw(_closers(inside, may_begin=kind != "tags"))]
    if end := payload.get("end", ""):
        pairs = [*described["call"], described.get("section", ["", ""])[1]]
        after = [marker for each in pairs for marker in _several(each)]
        if any(end.endswith(each[:size]) for each in after for size in range(1, len(each))):
            payload["end"] = f"{end}#"  # with which no marker begins
    calling = [*_several(begin), *_several(called)]
    ends_at_call = draw(_rarely) and not any(
        other.startswith(tuple(calling)) for other in live if other not in calling
    )
    if ends_at_call:
        described["think_ends_at_call"] = True
    if thinking:
        closer = draw(_closers(calling if ends_at_call else []))
        described["think"] = [thinking, closer]
        if any(each.startswith(tuple(calling)) for each in _several(closer)):
            described.pop("think_ends_at_call", None)
    if draw(st.booleans()):
        described["gap"] = draw(_white)
    if not has_section and _is_shown(payload) and draw(st.booleans()):
        return {**described, "bare": True}
    return draw(_with_header(described, live)) if draw(st.booleans()) else described


def _end_at_closers(described: dict[str, Any], live: list[str], *, is_ended: bool) -> None:
    """Let the first of several closers of a call end the turn if `is_ended`, or else none."""
    closers, ends = described["call"][1], described.get("ends", [])
    others = [each for each in ends if not any(_is_close(each, one) for one in _several(closers))]
    if others != ends:
        described["ends"] = others
    if (
        is_ended
        and isinstance(closers, list)
        and not any(_is_close(closers[0], one) for one in live)
    ):
        described["ends"] = [*others, closers[0]]
        live.append(closers[0])


def _is_close(one: str, other: str) -> bool:
    return _clashes(one, other) or _clashes(other, one)


def _is_shown(payload: dict[str, Any]) -> bool:
    """Whether a payload shows that it is a call, so that it needs no marker."""
    if payload["kind"] == "literals":
        return payload["style"] == "python" and not payload["lines"]
    is_whole = not (payload.get("partial", False) or payload.get("keyed", False))
    return payload["kind"] in ("object", "array") and is_whole


@st.composite
def _with_header(draw: st.DrawFn, described: dict[str, Any], live: Sequence[str]) -> dict[str, Any]:
    """Add headers to a description; they may name the tools of a payload of arguments."""
    taken = list(live)
    if described.get("think_ends_at_call"):
        taken += _several(described.get("think", ["", "</think>"])[1])
    pairs = itertools.permutations({*taken}, 2)
    if any(other.find(one, 1) >= 0 for one, other in pairs):
        return described
    header: dict[str, Any] = {"open": []}
    for _ in range(draw(st.integers(1, 2))):
        header["open"].append(draw(_apart([*taken, *header["open"]])))
    is_line = not any("\n" in marker for marker in taken) and draw(st.booleans())
    header["close"] = "\n" if is_line else draw(_apart([*taken, *header["open"]]))
    header["think"] = draw(st.sampled_from([[], ["analysis"], ["self", "to=me"]]))
    header["prose"] = draw(st.sampled_from([[], ["all"], ["to=user"]]))
    payload, close = described["payload"], header["close"]
    can_name = payload["kind"] == "arguments" or (
        payload["kind"] == "tags" and close[0] not in "ab\n"
    )
    if not can_name or draw(_rarely):
        return {**described, "header": header}
    prefix = draw(st.sampled_from(["to=", "", "f.", ["to=f.", "to="]]))
    opener = header["open"][0]
    first = prefix if isinstance(prefix, str) else prefix[0]
    header["call"] = prefix
    rest = {name: value for name, value in described.items() if name != "section"}
    rest |= {"header": header, "call": ["", described["call"][1]]}
    if payload["kind"] == "arguments":
        head = f"{opener}{first}{{name}}{close}"
        return {**rest, "payload": {"kind": "arguments", "head": [head]}}
    rest["payload"] = {**payload, "tool": [f"{opener}{first}", close]}
    if not payload["end"] and draw(_bools):
        closer = str(described["call"][1])
        beside = [*taken, *header["open"], close, closer, payload["key"][0]]
        rest["call"] = ["", [draw(_apart(beside)), closer]]
        rest["ends"] = [*described.get("ends", ()), rest["call"][1][0]]
    return rest


@st.composite
def _closers(draw: st.DrawFn, beside: Sequence[str], *, may_begin: bool = True) -> Any:
    """Draw one closer or two, which may be live together, and beside other markers."""

    def is_clear(closer: str) -> bool:
        """Whether a line feed after it, or after another one, is in no marker."""
        return not any(f"{one}\n" in closer or f"{closer}\n" in one for one in beside)

    first = draw(_apart(beside, may_begin=may_begin).filter(is_clear))
    if not draw(_rarely):
        return first
    return [first, draw(_apart([*beside, first], may_begin=may_begin).filter(is_clear))]


def _several(marker: Any) -> list[str]:
    """Return a marker, or several, as a list; an empty marker is none."""
    return [each for each in ([marker] if isinstance(marker, str) else marker) if each]


@st.composite
def _payloads(draw: st.DrawFn, kind: str, closer: str, openers: list[str]) -> dict[str, Any]:
    """Draw the payload of a description with this closer of calls."""
    payload: dict[str, Any] = {"kind": kind}
    if kind == "arguments":
        payload["head"] = draw(_heads())
    elif kind == "tags":
        payload |= draw(_tags(closer))
    elif kind == "literals":
        payload |= draw(_literals(closer))
    elif kind == "text":
        payload |= {"tool": draw(st.sampled_from(["a", "read", "é b"])), "arg": "x"}
        margins = [
            margin for margin in "\n " if len({each.endswith(margin) for each in openers}) == 1
        ]
        if draw(st.booleans()) and margins:
            payload["margin"] = draw(st.sampled_from(margins))
    else:
        payload |= draw(_members())
        if kind == "array" and draw(st.booleans()):
            payload["member"] = draw(st.sampled_from(["tool_calls", "name", 'é"']))
    return payload


@st.composite
def _literals(draw: st.DrawFn, closer: str) -> dict[str, Any]:
    """Draw a notation; calls are on lines only if no name begins like the closer."""
    if draw(st.booleans()):
        is_on_lines = closer[:1] in ("<", "[", "`", "|") and draw(_bools)
        payload, quotes = {"style": "python", "lines": is_on_lines}, ["'", '"']
    else:
        payload, quotes = {"style": "gemma"}, ["<a>", '"', "<<a", "|>|"]
    if draw(st.booleans()):
        payload["quote"] = draw(st.sampled_from(quotes))
    return payload


@st.composite
def _members(draw: st.DrawFn) -> dict[str, Any]:
    """Draw what the members of a call are called: one name each, one of several, or the tool."""
    if not draw(st.integers(0, 3)):
        return {"keyed": True}
    members: dict[str, Any] = {}
    names = ("name", "arguments", "args", "parameters", "tool", 'é"')
    drawn = draw(st.lists(st.sampled_from(names), min_size=2, max_size=4, unique=True))
    match draw(st.integers(0, 2)):
        case 1:
            members["name"], members["args"] = drawn[:2]
        case 2:
            members["name"], members["args"] = drawn[::2], drawn[1::2]
    if draw(st.booleans()):
        members["partial"] = draw(st.booleans())
    return members


@st.composite
def _heads(draw: st.DrawFn) -> list[str]:
    """Draw one or two templates; two part before the name, or after it."""
    gaps = st.sampled_from(["", "", " ", "\n"])
    first = draw(_ends.filter(lambda marker: " " not in marker))
    other = draw(
        _ends.filter(
            lambda marker: (
                " " not in marker and not (marker.startswith(first) or first.startswith(marker))
            )
        )
    )
    tail = draw(_ids())
    white = draw(gaps)
    end = draw(_white)
    match draw(st.sampled_from(["one", "bare", "before", "after"])):
        case "bare":
            begin = draw(st.sampled_from(["", "", first, "{id}:", f"{{id}}:\n{first} "]))
            return [f"{begin}{{name}}{end}"]
        case "one":
            begin = draw(st.sampled_from(["", first, f"{first}\n", "{id}:"]))
            tail = tail if "{id}" not in begin else ""
            return [f"{begin}{{name}}{white}{other}{tail}{end}"]
        case "before":
            return [f"{first}{{name}}{white}{other}{tail}{end}", f"{other}{white}{{name}}{first}"]
        case _:
            begin = draw(st.sampled_from(["", "f.", f"{first}\n"]))
            return [
                f"{begin}{{name}}{white}{first}{end}",
                f"{begin}{{name}}{white}{other}{tail}",
            ]


#: A closer with an id in it.
_marks_with_id = st.tuples(_ends, st.sampled_from(['">', "<|", "-a"])).map("{id}".join)


def _ids() -> st.SearchStrategy[str]:
    """Draw what may follow a marker of a head: nothing, or an id and a marker."""
    markers = _marker.filter(lambda marker: not (marker[0].isascii() and marker[0].isalnum()))
    spaces = st.sampled_from(["", " ", "\n"])
    with_id = st.tuples(spaces, markers).map(lambda pair: f"{{id}}{pair[0]}{pair[1]}")
    return st.one_of(st.just(""), with_id)


@st.composite
def _tags(draw: st.DrawFn, closer: str) -> dict[str, Any]:
    """Draw the markers of a payload of tags."""
    maybe, maybe_end = (st.one_of(st.just(""), each) for each in (_marker, _ends))
    has_end = not closer or draw(st.booleans())
    end = draw(_marker) if has_end else ""
    key = draw(_apart([end or closer]))
    if end and draw(_rarely):
        end = f"{key}{draw(_marker)}"
    can_be_empty = not any(each[:1] in ("a", "b") for each in (key, end or closer))
    tool = [draw(maybe), draw(st.one_of(maybe_end if can_be_empty else _ends, _marks_with_id))]
    if draw(_rarely):
        value_end = f"{draw(st.sampled_from([key, '<', '[']))}{{key}}{draw(_marker)}"
        pairs = {"tool": tool, "key": [key, draw(_ends)], "value": ["", value_end]}
        return {**pairs, "end": end, "item": "x"}
    value = draw(maybe_end)
    types = draw(_types())
    value_end = draw(_marker)
    if not types and draw(_rarely):
        value_end = f"{value_end}{{key}}{draw(_marker)}"
    after_key = "" if types else draw(maybe_end if value else _ends)
    payload: dict[str, Any] = {
        "tool": tool,
        "key": [key, after_key],
        "value": [value, value_end],
        "end": end,
    }
    if types:
        payload["types"] = types
    elif draw(st.booleans()):
        payload["literals"] = draw(st.sampled_from(["json", "python"]))
    if draw(st.booleans()):
        payload["margin"] = draw(st.sampled_from(["", "\n", " "]))
    elif not types and draw(st.booleans()):
        payload["raw"] = [draw(_apart([value_end.partition("{key}")[0]])), draw(_marker)]
    return payload


@st.composite
def _types(draw: st.DrawFn) -> dict[str, str]:
    """Draw the closers of keys with types, mostly none."""
    kinds = ("text", "json", "array", "boolean", "null", "number", "object")
    types: dict[str, str] = {}
    if not draw(st.integers(0, 2)):
        for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3)):
            ends = _apart(list(types)).filter(lambda marker: marker[0] not in "ab")
            types[draw(ends)] = kind
    return types


#: Pieces of JSON, words, white space, and halves of a character.
PIECES: Final = (
    *('{}[]"\\,: \n;<>=|a\r\x00', "a", "execute", "é😀", "\ud83d", "\ude00", "1e999", "x1"),
    *('{"a": 1}', '{"x": [{"y": "}"}]}', '{"x": 1, "x": 2}', '"name": "a"', "Hi, you.", "  \n"),
)
_names = st.sampled_from(["a", "b", "a", "read", "é", "a b", "execute", ""])


def markers_of(described: dict[str, Any]) -> list[str]:
    """Return every marker of a description that is not empty."""
    payload = described["payload"]
    pairs = [
        *(described.get(member, []) for member in ("section", "call", "result", "ends", "ignored")),
        *(described.get("think", ["<think>", "</think>"]), payload.get("head", [])),
        *(payload.get(member, []) for member in ("key", "value", "types", "raw")),
        payload["tool"] if payload["kind"] == "tags" else [],
    ]
    heads = [part for head in payload.get("head", []) for part in head.split()]
    heads += [payload["quote"]] if payload.get("style") == "gemma" and "quote" in payload else []
    every = [marker for pair in pairs for each in pair for marker in _several(each)]
    header = described.get("header", {})
    words = [word for member in header.values() for word in _several(member)]
    more = (payload.get("end", ""), *heads, *words)
    return sorted({marker for marker in (*every, *more) if marker})


@st.composite
def described_texts(draw: st.DrawFn, described: dict[str, Any]) -> str:
    """Draw a text made of pieces of a described format, as `str`.

    The pieces are its markers, whole and cut, calls, sections, broken calls, values that contain
    markers, pieces of JSON, white space and prose; halves of surrogate pairs may be in it.
    """
    whole = st.sampled_from(markers_of(described))
    halves = st.tuples(whole, st.integers(1, 8), _bools).map(
        lambda half: half[0][: half[1]] if half[2] else half[0][half[1] :]
    )
    markers = st.one_of(whole, whole, halves)
    calls = _calls(described, markers)
    cut = st.tuples(calls, st.integers(1, 40)).map(lambda pair: pair[0][: pair[1]])
    damaged = st.tuples(calls, st.integers(0, 60), st.integers(0, 2), st.sampled_from(PIECES)).map(
        lambda made: made[0][: made[1]] + made[3] + made[0][made[1] + made[2] :]
    )
    pieces = st.one_of(
        calls,
        calls,
        damaged,
        markers,
        markers,
        cut,
        st.sampled_from(PIECES),
        _sections(described, calls),
        *([_headers(described)] * 2 if "header" in described else []),
    )
    return "".join(draw(st.lists(pieces, max_size=9)))


@st.composite
def _headers(draw: st.DrawFn, described: dict[str, Any]) -> str:
    """Write a header of a few words, which may be too long, or have no end."""
    header = described["header"]
    words = [*header["think"], *header["prose"], "assistant", "", "a" * 250, "execute"]
    prefixes = _several(header.get("call", []))
    words += [f"{prefix}{name}" for prefix in [*prefixes, ""] for name in ("a", "execute", "")]
    gap = st.sampled_from(["", " ", " ", "\n", *header["open"]])
    pieces = st.tuples(st.sampled_from(words), gap).map("".join)
    text = "".join(draw(st.lists(pieces, max_size=3)))
    begin = draw(st.sampled_from(header["open"]))
    return f"{begin}{text}{draw(st.sampled_from([header['close'], header['close'], '']))}"


def _one(marker: Any) -> st.SearchStrategy[str]:
    """Draw one of several markers or names."""
    return st.sampled_from(_several(marker) or [""])


@st.composite
def _sections(draw: st.DrawFn, described: dict[str, Any], calls: st.SearchStrategy[str]) -> str:
    """Write a section of calls; in a format without sections, calls alone."""
    opener, closer = (draw(_one(side)) for side in described.get("section", ["", ""]))
    inner = [call + draw(_white) for call in draw(st.lists(calls, max_size=3))]
    return f"{opener}{draw(_white)}{''.join(inner)}{closer}"


@st.composite
def _calls(draw: st.DrawFn, described: dict[str, Any], markers: st.SearchStrategy[str]) -> str:
    """Write a call, which may have a name or a value that the format cannot contain."""
    opener, closer = (draw(_one(side)) for side in described["call"])
    if described.get("bare", False) and draw(st.booleans()):
        opener, closer = "", draw(st.sampled_from(["", "", ";", closer]))
    payload = described["payload"]
    kind = payload["kind"]
    values = st.one_of(markers, st.sampled_from(PIECES), st.lists(markers, max_size=3).map("".join))
    # A key may begin like the end of its call.
    keys = st.one_of(st.sampled_from(["x", "y", "é z"]), markers)
    args = draw(st.dictionaries(keys, values, max_size=2))
    name = draw(st.one_of(_names, _names, markers))
    white = draw(_white)
    if kind == "arguments":
        template = draw(st.sampled_from(payload["head"]))
        head = template.replace("{name}", name).replace(
            "{id}", draw(st.sampled_from(["", "0", "aZ9"]))
        )
        body = f"{head}{white}{json.dumps(args, ensure_ascii=draw(st.booleans()))}"
    elif kind == "tags":
        body = draw(_tagged(payload, name, args, white))
    elif kind == "text":
        margin = payload.get("margin", "")
        body = f"{margin}{draw(values)}{margin}"
    elif kind == "literals":
        calls = [draw(_literal_calls(payload, name, args)) for _ in range(draw(st.integers(0, 3)))]
        body = white.join(calls[:1])
        if payload["style"] == "python":
            joint = "\n" if payload["lines"] else ","
            body = f"{white}{joint}{white}".join(calls)
            body = body if payload["lines"] else f"[{white}{body}]"
    else:
        count = draw(st.integers(0, 3)) if kind == "array" else 1
        objects = [draw(_objects(payload, name, args)) for _ in range(count)]
        body = f"{white},".join(objects)
        body = f"[{white}{body}]" if kind == "array" else body
        if member := payload.get("member", ""):
            body = draw(_around(json.dumps(member), body))
    return f"{opener}{draw(_white)}{body}{white}{closer}"


@st.composite
def _around(draw: st.DrawFn, member: str, array: str) -> str:
    """Write the object around an array, with other members, twice the same, or without it."""
    value = st.one_of(_json, st.just('{"name": "a", "arguments": {}}'))
    names = st.sampled_from(['"thought"', '"0"', '"arguments"', member])
    others = st.lists(st.tuples(names, value), max_size=2)
    before, after = draw(others), draw(others)
    written = [*before, *([(member, array)] if draw(st.integers(0, 7)) else []), *after]
    return f"{{{', '.join(f'{name}: {each}' for name, each in written)}}}"


#: Values in the notation of Python, most of which are valid, and in that of Gemma.
_PYTHON_VALUES: Final = (
    *("5", "-0.5e+3", "1e999", "123", "True", "None", "false", "null", "Nil", "[]", "{}", "'x'"),
    *("''", '""', "'''it's'''", '"""a"b""c"""', "'\\n\\x41\\101\\7\\8'", "'\\d\\\n'", "'a\nb'"),
    *("'\\ud83d\\ude00'", "'\\ud83d'", "'\\U0001f600'", "'\\U00110000'", "'\\N{DASH}'", "'\\xg'"),
    *("[1, [2], 'x',]", "[1 2]", "{'k': [1, None, True], \"k\": 2}", "{'k' : {'': '',},}"),
    *("{'': 1}", "{k: 1}", "(1, 2)", "f(x=1)", "r'x'", "x", "1_000", "'a' 'b'", "-", "[,]", "é"),
)


@st.composite
def _literal_calls(
    draw: st.DrawFn, payload: dict[str, Any], name: str, args: dict[str, str]
) -> str:
    """Write a call in the notation of Python or of Gemma, with text or other values."""
    mark = payload.get("quote", '<|"|>')
    white = st.sampled_from(["", "", "", " ", "\n"])
    pairs: list[str] = []
    is_python = payload["style"] == "python"
    values = [
        *("5", "-0.5e+3", "1e999", "true", "None", "null", "[]", "{}", "[1,[2], null]", "[1,]"),
        *(f"{{k:{mark}x{mark},{mark}é\n{mark}:[true]}}", f"{{{mark}k{mark}:1,k:2}}", "{a:{}}", "x"),
    ]
    for key, text in args.items():
        quoted = json.dumps(text, ensure_ascii=draw(_bools)) if is_python else f"{mark}{text}{mark}"
        others = st.sampled_from(_PYTHON_VALUES if is_python else values)
        value = draw(st.one_of(st.just(quoted), others, others))
        key_ = draw(st.sampled_from([key, key, "x", "é.z/$1"]))
        equals = "=" if is_python else ":"
        pairs.append(f"{key_}{draw(white)}{equals}{draw(white)}{value}{draw(white)}")
    inner = f",{draw(white)}".join(pairs) + draw(st.sampled_from(["", "", "", ",", "1"]))
    return f"{name}{draw(white)}({inner})" if is_python else f"call:{name}{{{inner}}}"


@st.composite
def _objects(draw: st.DrawFn, payload: dict[str, Any], name: str, args: dict[str, str]) -> str:
    """Write the object of a call, with its members in any order, others, or not all of them."""
    members = [draw(_one(payload.get(*each))) for each in (("name", "name"), ("args", "arguments"))]
    again = [draw(_one(payload.get(*each))) for each in (("name", "name"), ("args", "arguments"))]
    known: list[tuple[str, Any]] = [(members[0], name), (members[1], args)]
    if payload.get("keyed", False):
        known = [(name, args)]
    others = st.sampled_from([("id", 1), ("params", {}), (again[1], []), (again[0], ""), ("", {})])
    written = draw(st.permutations(known))
    shape = draw(st.integers(0, 7))
    if shape == 0:
        written = [*written[:1], draw(others)]
    elif shape == 1:
        written = written[:1]
    inner = ", ".join(
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=shape < 4)}" for key, value in written
    )
    return f"{{{inner}}}"


#: Values that are JSON, or nearly so.
_json = st.sampled_from(
    ['"a"', "5", "-1.5e9 ", " [1, {}]", '{"x": [null]}', "true", "\n[\n]", "1e999", "[1 2]", "nul"]
)


@st.composite
def _tagged(
    draw: st.DrawFn, payload: dict[str, Any], name: str, args: dict[str, str], white: str
) -> str:
    """Write a name and values in tags."""
    margin = payload.get("margin", "")
    line = "" if payload["tool"][1] else "\n"
    closer = payload["tool"][1].replace("{id}", draw(st.sampled_from(["", "0", "aZ9"])))
    written = f"{white}{payload['tool'][0]}{name}{line}{closer}{white}"
    types = payload.get("types", {payload["key"][1]: "text"})
    for key, text in args.items():
        closer = draw(st.sampled_from(list(types)))
        value = text if types[closer] == "text" else draw(st.one_of(_json, _json, st.just(text)))
        line = "" if closer else white
        between = white if payload["value"][0] else ""
        written += f"{payload['key'][0]}{key}{line}{closer}{between}"
        value_end = payload["value"][1].replace("{key}", key)
        if "raw" in payload and draw(_bools):
            value = value.join(payload["raw"])
        if "item" in payload and draw(_bools):
            inner = draw(st.sampled_from([key, "y", "x"]))
            inner_end = payload["value"][1].replace("{key}", inner)
            value = f"{draw(_white)}{payload['key'][0]}{inner}{closer}{value}{inner_end}"
        written += f"{payload['value'][0]}{margin}{value}{margin}{value_end}{white}"
    return written + str(payload["end"])
