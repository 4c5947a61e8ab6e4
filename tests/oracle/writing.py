"""The writers: values and events in, wire text out, or a refusal.

A writer refuses everything that would not be read back as the same values, so the last step of each
of them is to read its output, with the default limits.
"""

import math
import re
from typing import Any

from .block import DEFAULT_LIMITS
from .framing import ITEM, block, call_part, end, framed_results, joint, marker, segment
from .json_shapes import ARGUMENTS, array
from .reading import LINES, parse
from .refused import Place, Refused
from .spelling import Number, value, without_lookalikes
from .stored import Event, is_call_delta, read_members, require_members
from .xml_block import CHARACTERS, NAME_CHARACTERS, begins_name, is_in

# res-short-escapes
# The escapes with a letter.
SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}

SEGMENTS = ("think", "respond")


# res-calls res-call-order res-framing m-law-round-trip
# A block: the calls, in the framing of the dialect.
def calls(values: Any, dialect: str = "xml-json") -> str:
    require_array(values)
    for index, call in enumerate(values):
        require_call(call, (str(index),), dialect)
    contents = [
        to_json({"name": call["name"], "args": call["args"]}, dialect, (str(index),))
        for index, call in enumerate(values)
    ]
    text = block(contents, dialect)
    require_read_back(parse(text, dialect).events, [*map(value, contents), "execute"])
    return text


# res-results res-framing m-law-round-trip
# The results of a batch.  They are read after a block of their tools, or after a void one.  They
# are the same in the xml dialects.
def results(values: Any, dialect: str = "xml-json") -> str:
    require_array(values)
    for index, item in enumerate(values):
        require_item(item, (str(index),), alone=len(values) == 1)
    content = array([item_json(item, dialect, (str(at),)) for at, item in enumerate(values)])
    text = framed_results(content, dialect)
    reader = dialect if dialect in LINES else "xml-json"
    if [item["tool"] for item in values] == ["execute"]:
        head, before = "§call:\n§execute" if dialect in LINES else "<execute></execute>", 1
    else:
        head = calls([{"name": item["tool"], "args": {}} for item in values], reader)
        before = len(values) + 1
    back = parse(f"{head}\n{text}", reader, mode="transcript").events[before:]
    require_read_back(back, [value(content)])
    return text


# res-events-parts res-events-refuse m-law-round-trip
# A transcript.  Its parts are in the order of the events, and are read back as these events.
def render(events: Any, dialect: str = "xml-json") -> str:
    if type(events) is not list:
        raise Refused((), "not an array")
    numbered = joined_deltas(events)
    parts = line_parts(numbered, dialect) if dialect in LINES else tag_parts(numbered, dialect)
    text = joint(dialect).join(parts)
    back = parse(text, dialect, mode="transcript").events
    for at, (number, event) in enumerate(numbered):
        if at == len(back) or comparable(back[at], dialect) != comparable(event, dialect):
            raise Refused((str(number),), "does not read back")
    if len(back) > len(numbered):
        raise Refused((str(numbered[-1][0]),), "reads back as more")
    return text


# ---- JSON ----


# res-one-line res-member-order res-refuse res-refuse-name
# JSON on one line, with ", " and ": " and no other white space outside of strings.  Members keep
# their order.  `place` is in the array of the calls or items, whose level is 1, so that its length
# gives the level.
def to_json(given: Any, dialect: str, place: Place = ()) -> str:
    if given is None:
        return "null"
    if given is True or given is False:
        return "true" if given else "false"
    if type(given) is Number:
        return given.spelling
    if type(given) in (int, float):
        return number_json(given, place)
    if type(given) is str:
        return string_json(given, dialect, place)
    if type(given) not in (list, dict):
        raise Refused(place, "JSON has no such value")
    if len(place) + 1 > DEFAULT_LIMITS.depth:
        raise Refused(place, "nested too deeply")
    if type(given) is list:
        elements = [
            to_json(element, dialect, (*place, str(index))) for index, element in enumerate(given)
        ]
        return "[" + ", ".join(elements) + "]"
    members = [
        # The place of a name is its object.
        string_json(name, dialect, place) + ": " + to_json(member, dialect, (*place, name))
        for name, member in given.items()
    ]
    return "{" + ", ".join(members) + "}"


# res-numbers
# An integer has all its digits; any other number is the shortest decimal to which no other double
# is nearer.  A finite double has to be near.
def number_json(given: float, place: Place) -> str:
    try:
        is_finite = math.isfinite(given)
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise Refused(place, "no finite double is near")
    return repr(given)


# res-escapes res-refuse res-refuse-name res-refuse-limits
# In a string the quote, the backslash, the characters below U+0020 and the first character of a
# lookalike are escaped, and everything else is unchanged.  A lone surrogate is refused, and so is
# text that is longer than a block.
def string_json(given: Any, dialect: str, place: Place) -> str:
    if type(given) is not str:
        raise Refused(place, "a name that is not a string")
    if re.search("[\ud800-\udfff]", given):
        raise Refused(place, "a lone surrogate")
    if len(given) > DEFAULT_LIMITS.size:
        raise Refused(place, "too long for any block")
    return quoted(given, dialect)


# res-escapes res-short-escapes res-lookalike
def quoted(text: str, dialect: str) -> str:
    written = "".join(
        SHORT_ESCAPES.get(character, f"\\u{ord(character):04x}" if character < " " else character)
        for character in text
    )
    return f'"{without_lookalikes(written, dialect)}"'


# res-result-order
# Tool, status and content are written in this order.
def item_json(item: dict[str, Any], dialect: str, place: Place = ()) -> str:
    return to_json({name: item[name] for name in ITEM}, dialect, place)


# ---- What is refused ----


# res-refuse-limits
# No more than the calls of a block.
def require_array(values: Any) -> None:
    if type(values) is not list:
        raise Refused((), "not an array")
    if len(values) > DEFAULT_LIMITS.calls:
        raise Refused((str(DEFAULT_LIMITS.calls),), "too many items")


# res-calls
# A call has exactly a name, which is not empty and not `execute`, and args, which are an object.
def require_call(call: Any, place: Place, dialect: str) -> None:
    if type(call) is not dict or set(call) != {"name", "args"}:
        raise Refused(place, "not exactly name and args")
    if type(call["name"]) is not str or call["name"] in ("", "execute"):
        raise Refused((*place, "name"), "not the name of a tool")
    if type(call["args"]) is not dict:
        raise Refused((*place, "args"), "not an object")
    if dialect == "xml-elements":
        require_element(call, place)


# m-call-args b-call-content msg-call-refused
# The content of a call that a parser emitted is that of one call, whatever its size and depth: it
# may have other members, and it may lack args, unless another member takes their place.
def require_stored_call(content: str, place: Place) -> dict[str, Any]:
    call = read_json(content, place)
    if (
        type(call) is not dict
        or type(call.get("name")) is not str
        or call["name"] in ("", "execute")
        or type(call.get("args", {})) is not dict
        or ("args" not in call and not call.keys().isdisjoint(ARGUMENTS))
    ):
        raise Refused(place, "not that of one call")
    return call


# res-events-refuse
# Values given as JSON text follow the rules of blocks.
def read_json(text: str, place: Place) -> Any:
    try:
        return value(text)
    except ValueError:
        raise Refused(place, "not JSON") from None


# xe-write-refuse res-refuse-name
# In xml-elements names are NCNames, and values are strings of the characters that XML has.  A name
# is refused with the place of the value that it names; a name that is not valid in JSON either,
# with its object.
def require_element(call: dict[str, Any], place: Place) -> None:
    if not is_ncname(call["name"]):
        raise Refused((*place, "name"), "not an NCName")
    for name, text in call["args"].items():
        string_json(name, "xml-elements", (*place, "args"))
        if not is_ncname(name):
            raise Refused((*place, "args", name), "not an NCName")
        if type(text) is not str:
            raise Refused((*place, "args", name), "not a string")
        if not all(is_in(CHARACTERS, ord(character)) for character in text):
            raise Refused((*place, "args", name), "a character that XML does not have")


# xe-names
# A name without a colon, as namespaces require.
def is_ncname(name: Any) -> bool:
    return (
        type(name) is str
        and name != ""
        and begins_name(name[0])
        and all(is_in(NAME_CHARACTERS, ord(character)) for character in name)
    )


# res-item res-tool res-status res-success res-failure res-void
# An item has exactly a tool, a status and a content, which in a failure is a string.  An item of
# `execute` is a failure, and the only item.
def require_item(item: Any, place: Place, *, alone: bool) -> None:
    if type(item) is not dict or set(item) != set(ITEM):
        raise Refused(place, "not exactly tool, status and content")
    if type(item["tool"]) is not str or item["tool"] == "":
        raise Refused((*place, "tool"), "not the name of a tool")
    if item["status"] not in ("success", "failure"):
        raise Refused((*place, "status"), "neither success nor failure")
    if item["status"] == "failure" and type(item["content"]) is not str:
        raise Refused((*place, "content"), "the content of a failure must be a string")
    if item["tool"] == "execute" and (item["status"] == "success" or not alone):
        raise Refused(place, "an item of execute must be a failure, and the only item")


# res-refuse res-refuse-limits res-refuse-whole
# Each value is read back from one event, before an `execute` if there is one.  A value that is not
# read back exceeds a limit, and the error shows where.
def require_read_back(events: list[dict[str, Any]], expected: list[Any]) -> None:
    for event in events:
        if event["type"] == "error":
            raise Refused(tuple(event.get("path", "").split("/")[1:]), event["code"])
    back = [value(event["content"]) if "content" in event else "execute" for event in events]
    if back != expected:
        raise Refused((), "does not read back")


# ---- Events ----


# res-events-deltas res-events-path
# The deltas of a segment are consecutive, up to the one that is done.  Yields each event with its
# index in the input; for joined deltas that of the first.
def joined_deltas(events: list[Any]) -> list[tuple[int, Event]]:
    joined: list[tuple[int, Event]] = []
    # The type and the segment of the previous delta, unless it was the last one of its segment.
    is_open: tuple[str, int] | None = None
    for number, given in enumerate(events):
        if is_call_delta(given):
            continue
        event = wire_event(given, number)
        this = (event["type"], event["segment"]) if "segment" in event else None
        if this is not None and this == is_open:
            joined[-1][1]["content"] += event["content"]
        else:
            fields = ("type", "content", "payload")
            bare: Event = {name: event[name] for name in fields if name in event}
            joined.append((number, bare))
        is_open = None if "done" in event else this
    return joined


# res-events-refuse
# An event of the wire has its fields, a result its payload too.
def wire_event(given: Any, number: int) -> Event:
    event = read_members(given, number)
    if event["type"] not in (*SEGMENTS, "call", "execute", "result", "end"):
        raise Refused((str(number),), "this event cannot be written")
    if event["type"] == "result" and "payload" not in event:
        raise Refused((str(number),), "the payload is missing")
    require_members(event, number)
    return event


# res-events-parts res-events-refuse res-events-path
# In the xml dialects the calls are in their block, with nothing between them and its `execute`.
def tag_parts(events: list[tuple[int, Event]], dialect: str) -> list[str]:
    parts: list[str] = []
    contents: list[str] = []
    for number, event in events:
        kind, content = event["type"], event.get("content", "")
        if contents and kind not in ("call", "execute"):
            raise Refused((str(number - 1),), "a call without its execute")
        if kind == "call":
            if dialect == "xml-elements":
                require_call(read_json(content, (str(number),)), (str(number),), dialect)
            contents.append(content)
        elif kind == "execute":
            parts.append(block(contents, dialect))
            contents = []
        elif kind == "result":
            parts.append(framed_results(content, dialect))
        else:
            parts.append(end(dialect) if kind == "end" else segment(kind, content, dialect))
    if contents:
        raise Refused((str(events[-1][0]),), "a call without its execute")
    return parts


# res-events-parts dl-write-parts
# In the delimiter dialects each event is a part; a result is a body for each of its items.
def line_parts(events: list[tuple[int, Event]], dialect: str) -> list[str]:
    parts: list[str] = []
    for number, event in events:
        kind, content = event["type"], event.get("content", "")
        if kind == "call":
            parts.append(call_part(content, dialect))
        elif kind == "result":
            require_items(content, (str(number),))
            parts.append(framed_results(content, dialect))
        elif kind in SEGMENTS:
            parts.append(segment(kind, content, dialect))
        else:
            parts.append(marker(kind, dialect))
    return parts


# res-events-refuse res-results
# In the delimiter dialects each item is a separate part, so that all are checked one by one.
def require_items(content: str, place: Place) -> None:
    items = read_json(content, place)
    if type(items) is not list:
        raise Refused(place, "not an array")
    for index, item in enumerate(items):
        require_item(item, (*place, "content", str(index)), alone=len(items) == 1)


# res-events-refuse
# Events are compared unchanged.  Values that the dialect re-spells, which are calls in elements and
# results in delimiter dialects, are compared as JSON, with numbers compared by their spelling.
def comparable(event: Event, dialect: str) -> Event:
    compared = dict(event)
    if (event["type"] == "call" and dialect == "xml-elements") or (
        event["type"] == "result" and dialect in LINES
    ):
        compared["content"] = value(event["content"])
    return compared
