# SPDX-License-Identifier: MIT
"""Texts of formats that are in no corpus: drawn from a seed, and answered by the reference."""

import json
import random
import re
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

from cogwire_kit.conformance import replies, shapes
from cogwire_kit.conformance.formats import OPTIONS, FormatCase, FormatCases, ReadMessage, message
from cogwire_kit.conformance.fresh import COMMON, answer, reworded, words_of
from cogwire_kit.conformance.questions import Chunks, word
from cogwire_kit.texts.words import counted

_Case = TypeVar("_Case", bound=FormatCase)

#: The lengths of a value whose text is timed, and of the chunks in which that is sent.
SIZES: Final = (20_000, 80_000)
CHUNK: Final = 8
#: The word in the place of that value.
_GROWING: Final = "growing"
#: How many texts are drawn for each format, and how often one is drawn again that means nothing.
TEXTS: Final = 12
#: How many turns are drawn for formats by description, and how many requests to write in them.
TURNS: Final = 60
WRITINGS: Final = 20
_DRAWS: Final = 20
#: One text in so many is long: each word of its prose, and of its values, is so many words.
_LONG_TEXT: Final = 3
_WORDS: Final = (8, 150)
#: So many calls and pieces of prose has a long one, if the corpus has such a text.
_SEVERAL_PARTS: Final = 2
#: The types of what is in arrays and objects: strings as often as all that has no parts.
_KINDS: Final = (*3 * ("string",), "integer", "boolean", "null", "array", "object")
#: The drawn turns of a format whose calls have every kind of value, whose prompt has begun the
#: reasoning, whose tools have schemas of every kind, which a limit cut, and which think first: the
#: others have what is drawn.
_WITH_EVERY_VALUE, _BEGUN, _WITH_SCHEMAS, _LIMITED, _THINKING = 3, 5, 7, 9, 11
#: `values` is what parsers make something else of, at the top and inside others.  `tools` have
#: schemas that say in many ways of which types their arguments are, and `arguments` of a call; the
#: corpus has tools with these names and other schemas.  The last is called so often that calls
#: after the twelfth are seen, and the seventeenth id.  `written` is what is written for some of
#: these arguments in formats whose payload has a member: texts in tags, which the schema makes
#: numbers, and words of JSON beside strings of Python.
_DRAWN: Final = json.loads(Path(__file__).with_name("values.json").read_text("utf-8"))
_VALUES: Final[list[Any]] = _DRAWN["values"]
#: The same in arrays and objects of arrays and objects.
_INSIDE: Final = {"none": None, "every": [*_VALUES, {"none": None, "every": _VALUES}]}
_EVERY_VALUE: Final = [
    {"call": "search", "arguments": {"query": "&#9; ' e\u0301", "options": _INSIDE}},
    {"call": "search", "arguments": {"query": "true", "tags": _VALUES}},
    {"call": "write", "arguments": {"file": '{"k": [1]}', "text": "a \\\\ .\r\n\tb"}},
]
#: How a schema may say that a value is of a type, or null.
_SPELLINGS: Final[tuple[Callable[[Any], dict[str, Any]], ...]] = (
    lambda schema: schema,
    lambda schema: {"type": [schema["type"], "null"]},
    lambda schema: {"anyOf": [schema, {"type": "null"}]},
    lambda schema: {"$ref": f"#/$defs/{schema['type']}"},
)
#: What is one word of a text, if another may be in its place: not what a backslash begins.
_REPLACED: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)|[A-Za-z]{2,}|(?<![\d.])[1-9]\d+(?![\d.])")
#: What JSON, Python and JSON Schema have words for.
_KEYWORDS: Final = frozenset(
    {"true", "false", "null", "True", "False", "None", "type", "string", "integer", "number"}
    | {"boolean", "array", "object", "properties", "required", "items", "enum", "const"}
    | {"anyOf", "oneOf", "allOf", "additionalProperties", "description"}
)


def of_format(
    found: FormatCases, request: dict[str, Any], description: Any, seed: int
) -> Iterator[FormatCase]:
    """Yield texts of a format that are in no corpus, each with tools of its own.

    They are texts of the corpus whose meaning the template of the format defines, and, where there
    is a description, as many turns that are drawn and written from it, with other words and numbers
    in the place of those that are not part of the format, in what is expected as well.  In some,
    much prose follows the lone beginning of a marker.  The reference has to agree: a word of a text
    may mean something that nobody has listed.
    """
    lent = [one for one in found.cases if not one.is_decided and not one.data.get("also")]
    # Of a long text something follows a call, so that it shows when the call comes.
    several = [one for one in lent if _number(one.data["expect"]) >= _SEVERAL_PARTS] or lent
    kept = {*_parts([description, found.tokens]), *_KEYWORDS}
    # A parser of a format without reasoning is not expected to read any.
    has_reasoning = any("reasoning" in case.parts for case in found.cases)
    thinking = (_BEGUN, _THINKING) if has_reasoning else ()
    marks = {*found.tokens, *(shapes.markers(description).values() if description else ())}
    leads = sorted({mark[0] for mark in marks})
    for number in range(TEXTS if lent else 0):
        rng = random.Random(f"{seed}/{found.name}/{number}")  # noqa: S311 - texts, not keys
        for attempt in range(_DRAWS):
            is_long = number % _LONG_TEXT == 2
            # Not every sign may stand in prose, nor every format have every turn.
            is_free = attempt < _DRAWS // 2
            lender = rng.choice(several if is_long else lent)
            tools = lender.tools.get("tools", found.usual)
            by_schema = None
            if description and number == _WITH_SCHEMAS and is_free:
                by_schema = _turn_by_schema(description)
                lender, tools = by_schema or (lender, tools)
            elif description and number % 2 and is_free:
                lender, tools = _turn(description, number, rng, thinking) or (lender, tools)
            is_lone = leads and number % _LONG_TEXT == 1 and is_free and not by_schema
            lead = leads[number // _LONG_TEXT % len(leads)] if is_lone else ""
            names = {tool["name"] for tool in tools if by_schema}
            drawn = _redrawn(tools, lender, kept | names, rng, is_long=is_long, lead=lead)
            one = FormatCase({**drawn, "id": f"{found.name}-fresh-{number + 1}"})
            is_there = lead in "".join(drawn["expect"]["content"] or ())
            if is_there and one.text != lender.text and _is_agreed(one, request):
                yield one
                break
    if lent and (written := _growing(description)) is not None:
        text, call = written
        tools = [tool for tool in shapes.load()[1] if tool["name"] == call["name"]]
        data = {"text": text, "expect": {"content": [], "calls": [call]}, "tools": tools}
        yield FormatCase({**_of_growth(found.name), **data})


def of_described(found: FormatCases, seed: int) -> Iterator[FormatCase]:
    """Yield turns in described formats that are in no corpus, as the reference reads them.

    Each is a turn of the corpus with another word or number for each that is not part of the format
    or, as often, with pieces of it and of others of its format put in, doubled or left out.
    """
    lent = [one for one in found.cases if one.text]  # others have no text, but are refused
    for number in range(TURNS if lent else 0):
        rng = random.Random(f"{seed}/{found.name}/{number}")  # noqa: S311 - texts, not keys
        lender = rng.choice(lent)
        kept = {*_parts([*lender.tools.values(), lender.options]), *_KEYWORDS}
        others = {one: _other(one, rng) for one in _parts(lender.text) if one not in kept}
        text = _replaced(lender.text, others)
        if number % 2:
            alike = [one.text for one in lent if one.tools == lender.tools]
            text = _damaged(text, [*alike, *COMMON], rng)
        reply = answer({"op": "parse", **lender.tools, **lender.options, "chunks": [text]})
        ending = {name: reply[name] for name in replies.OF_REPLIES}
        drawn = {
            "id": f"{found.name}-fresh-{number + 1}",
            "title": f"{lender.data['title']}, changed",
            "basis": "reference",
            "text": text,
            "expect": {"events": replies.joined(replies.events_of(reply)), **ending},
        }
        yield type(lender)({**lender.data, **drawn})
    yield from _of_writing(found, seed)
    kinds: set[str] = set()
    for lender in lent:
        described = lender.data["described"]
        kind = str(described["payload"]["kind"])
        written = _growing(described) if kind not in kinds and not lender.options else None
        if written is not None:
            text, call = written
            content = json.dumps({"name": call["name"], "args": call["arguments"]})
            events = [{"type": "call", "content": content}, {"type": "execute"}]
            expect = {"events": events, "state": "paused", "discarded": 0}
            of_kind = {**_of_growth(f"{found.name}-{kind}"), "described": described}
            reply = answer({"op": "parse", **lender.tools, "chunks": [text]})
            # Not every description has a text that a shape can be written in.
            if [event["type"] for event in replies.events_of(reply)] == ["call", "execute"]:
                kinds.add(kind)
                yield type(lender)({**of_kind, "text": text, "expect": expect})


def _of_writing(found: FormatCases, seed: int) -> Iterator[FormatCase]:
    """Yield requests of the corpus to write in described formats, with another word in a text."""
    lent = [one for one in found.cases if any(words_of(one.data.get("request", {})))]
    for number in range(WRITINGS if lent else 0):
        rng = random.Random(f"{seed}/{found.name}/writing/{number}")  # noqa: S311 - texts, not keys
        lender = rng.choice(lent)
        drawn = {
            "id": f"{found.name}-fresh-writing-{number + 1}",
            "title": f"{lender.data['title']}, changed",
            "basis": "reference",
            "request": reworded(lender.data["request"], rng),
        }
        one: Any = type(lender)({**lender.data, **drawn})
        yield type(lender)(
            {**one.data, "expect": replies.outcome(one.like, answer(one.request(found)))}
        )


def _of_growth(name: str) -> dict[str, Any]:
    """Return what all texts have whose work is measured."""
    title = "Work does not grow much faster than a value"
    kept = {"flags": [], "clauses": ["m-law-linear"], "basis": "growth"}
    return {"id": f"{name}-growth", "title": title, **kept}


def _growing(description: Any) -> tuple[str, dict[str, Any]] | None:
    """Return a text with a value that can be made longer, and its call, if it can be written."""
    payload = description["payload"] if description else {}
    is_text = payload.get("kind") == "text"
    name, argument = (payload["tool"], payload["arg"]) if is_text else ("search", "query")
    call = {"name": name, "arguments": {argument: _GROWING}}
    turn = [{"call": name, "arguments": call["arguments"]}]
    text = shapes.Shape({"id": "", "turn": turn}).text(description) if payload else None
    return None if text is None else (text, call)


def grown(one: _Case, size: int, rng: random.Random) -> _Case:
    """Return a text whose value is so long, and has words that no other text has."""
    other = f"{word(rng)} {word(rng)} "
    value = (other * (size // len(other) + 1))[:size].strip()
    expect = json.loads(json.dumps(one.data["expect"]).replace(_GROWING, value))
    text = one.text.replace(_GROWING, value)
    return type(one)({**one.data, "text": text, "expect": expect})


def _damaged(text: str, lent: list[str], rng: random.Random) -> str:
    """Return a text of which up to three parts are left out, doubled, or replaced."""
    for _ in range(rng.randint(1, 3)):
        begin = rng.randint(0, len(text))
        end = begin + rng.choice((0, 0, 1, 2, 8))
        other = rng.choice(lent)
        put = rng.choice(("", 2 * text[begin:end], other[rng.randint(0, len(other) - 1) :]))
        text = text[:begin] + put + text[end:]
    return text


def _number(expect: dict[str, Any]) -> int:
    """Return how many calls and pieces of prose an outcome has."""
    return len(expect["calls"]) + len(expect["content"] or ())


def _turn(
    description: Any, number: int, rng: random.Random, thinking: Container[int]
) -> tuple[FormatCase, list[dict[str, Any]]] | None:
    """Return a turn that is drawn, and the tools that it calls, if it can be written in a format.

    It has up to four calls, with values of any depth, and prose before, between or after them.  It
    thinks first if its number is one of `thinking`.
    """
    _, tools = shapes.load()
    turn: list[dict[str, Any]] = []
    for _ in range(rng.randint(1, 4)):
        turn += [{"prose": f"{_prose(rng)}."}] if rng.random() < 1 / 2 else []
        turn.append(_call(rng.choice(tools), rng))
    turn += [{"prose": _prose(rng)}] if rng.random() < 1 / 3 else []
    written = shapes.Shape({"id": "", "turn": _EVERY_VALUE}).text(description)
    if number == _WITH_EVERY_VALUE and written:
        turn = _EVERY_VALUE
    thought = [{"think": _prose(rng)}] if number in thinking else []
    text = shapes.Shape({"id": "", "turn": [*thought, *turn]}).text(description)
    if text is None:
        return None
    calls = [{"name": c["call"], "arguments": c["arguments"]} for c in turn if "call" in c]
    expect = {"content": [c["prose"] for c in turn if "prose" in c], "calls": calls}
    title = f"A turn with {counted(len(calls), 'call')}"
    data: dict[str, Any] = {"title": title, "flags": [], "text": text, "expect": expect}
    if thought:
        data |= {"requires": ["reasoning"]}
        expect["reasoning"] = [thought[0]["think"]]
    if thought and number == _BEGUN:
        begun = shapes.markers(description)["think-opener"]
        data |= {"start": "think", "text": text.removeprefix(begun)}
    elif number == _LIMITED:
        data["finish"] = "length"
    return FormatCase(data), [_spelled(tool, number) for tool in tools]


def _turn_by_schema(description: Any) -> tuple[FormatCase, list[dict[str, Any]]] | None:
    """Return a turn that calls the tools with schemas of every kind, and these tools."""
    payload = description["payload"]
    own = [values for member, values in _DRAWN["written"].items() if member in payload]
    written = {name: value for values in own for name, value in values.items()}
    tools = _DRAWN["tools"]
    calls = [{n: tool[n] for n in ("name", "arguments")} for tool in [*tools, *13 * tools[-1:]]]
    if "item" in payload:
        calls[0]["arguments"] = {**calls[0]["arguments"], "twice": _key_twice(payload)}
    turn = [
        {
            "call": one["name"],
            "arguments": {n: written.get(n, v) for n, v in one["arguments"].items()},
        }
        for one in calls
    ]
    text = shapes.Shape({"id": "", "turn": turn}).text(description)
    data: dict[str, Any] = {"title": "Values by schemas", "flags": [], "text": text}
    tools = [{n: tool[n] for n in ("name", "parameters")} for tool in tools]
    case = FormatCase({**data, "expect": {"content": [], "calls": calls}})
    return None if text is None else (case, tools)


def _key_twice(payload: Any) -> str:
    """Return a value in tags that is not an object, since two of its members have one key."""
    (opener, closer), end = payload["key"], payload["value"][1]
    return "".join(f"{opener}k{closer}{value}{end.replace('{key}', 'k')}" for value in "12")


def _spelled(tool: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a tool whose schemas say in one of several ways of which types its arguments are."""
    spelling = _SPELLINGS[(number // 2 + 2) % len(_SPELLINGS)]
    known = tool["parameters"]["properties"]
    parameters = {
        "type": "object",
        "properties": {name: spelling(schema) for name, schema in known.items()},
        "$defs": {schema["type"]: schema for schema in known.values()},
    }
    return {"name": tool["name"], "parameters": parameters}


def _call(tool: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a call of a tool with some of its arguments, in any order."""
    known = tool["parameters"]["properties"]
    names = rng.sample(list(known), rng.randint(0, len(known)))
    return {"call": tool["name"], "arguments": {n: _value(known[n]["type"], rng) for n in names}}


def _value(kind: str, rng: random.Random) -> Any:
    """Return a value of a type of JSON Schema; what is in arrays and objects is of any type."""
    if kind in ("array", "object"):
        values = [_value(rng.choice(_KINDS), rng) for _ in range(rng.randint(0, 5))]
        return values if kind == "array" else {word(rng): value for value in values}
    drawn = {"integer": rng.randint(0, 9999), "number": rng.randint(0, 99) + 0.5, "null": None}
    text = _prose(rng, rng.choice((" ", *COMMON)))
    return {**drawn, "boolean": rng.random() < 1 / 2, "string": text}[kind]


def _prose(rng: random.Random, between: str = " ") -> str:
    return between.join(word(rng) for _ in range(rng.randint(1, 8)))


def _redrawn(
    tools: list[dict[str, Any]],
    lender: FormatCase,
    kept: set[str],
    rng: random.Random,
    *,
    is_long: bool,
    lead: str,
) -> dict[str, Any]:
    """Return the members of a text with other words and numbers, and as many words as wanted.

    After `lead`, which stands alone in the prose if there is some, come many more.
    """
    expect = lender.data["expect"]
    called = {call["name"] for call in expect["calls"]}
    tools = [one for one in tools if one["name"] in called]
    kept = kept | {*_parts(lender.data.get("prompt"))}
    texts = {name: one for name, one in expect.items() if name != "calls"}
    said = [list(one.values()) for one in (texts, *expect["calls"])]
    others = {one: _other(one, rng) for one in dict.fromkeys(_parts(said)) if one not in kept}
    free = [one for one in others if one.isalpha() and one not in {*_parts(tools)}]
    words = [*(word(rng) for _ in range(9)), "é😀", "–", "e\u0301\u200d"]
    for one in free if is_long else ():
        others[one] = " ".join(rng.choice(words) for _ in range(rng.randint(*_WORDS)))
    prose = [one for one in _parts(expect["content"]) if one in free] if lead else []
    if prose := [one for one in prose if one not in {*_parts(expect["calls"])}]:
        others[rng.choice(prose)] = f"{lead} {' '.join(rng.choices(words, k=_WORDS[1]))}"
    kept_members = ("requires", *OPTIONS)
    calls = [
        {name: _replaced(one, others) for name, one in call.items()} for call in expect["calls"]
    ]
    return {
        **{name: lender.data[name] for name in kept_members if name in lender.data},
        "title": f"{lender.data['title']}, in other words",
        "basis": "fresh",
        "flags": lender.data["flags"],
        "text": _replaced(lender.text, others),
        "expect": {**{name: _replaced(one, others) for name, one in texts.items()}, "calls": calls},
        "tools": _replaced(tools, others),
    }


def _parts(value: Any) -> Iterator[str]:
    """Yield the words and the numbers in the strings of a JSON value, names included."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for one in value:
            yield from _parts(one)
    elif isinstance(value, str) or type(value) is int:
        yield from (part for part in _REPLACED.findall(str(value)) if part[0] != "\\")


def _other(one: str, rng: random.Random) -> str:
    """Return another word, or another number, that is written like this one."""
    if not one.isalpha():
        return str(rng.randint(10, 10 ** len(one)))
    other = word(rng)
    return other.capitalize() if one[0].isupper() else other


def _replaced(value: Any, others: dict[str, str]) -> Any:
    """Return a JSON value with other words, and other numbers, in the place of some."""
    if isinstance(value, dict):
        return {_replaced(name, others): _replaced(one, others) for name, one in value.items()}
    if isinstance(value, list):
        return [_replaced(one, others) for one in value]
    if type(value) is int:
        return int(others.get(str(value), value))
    if not isinstance(value, str):
        return value
    return _REPLACED.sub(lambda found: others.get(found[0], found[0]), value)


def _is_agreed(one: FormatCase, request: dict[str, Any]) -> bool:
    """Say whether the reference reads a text as expected."""
    feeds = reference(one, request, [one.text])
    read = None if feeds is None else message(item for feed in feeds for item in feed)
    return isinstance(read, ReadMessage) and one.outcome(read) == 0


def reference(
    one: FormatCase,
    request: dict[str, Any],
    chunks: Chunks,
    takes: Container[str] = frozenset({"start", "finish"}),
) -> list[Any] | None:
    """Return what the reference gives for each chunk of a text and at its end, if it reads it."""
    options = one.asked(takes)
    if options is None:
        return None
    reply = answer({**request, **one.tools, **options, "chunks": chunks})
    return [*reply["feeds"], reply["close"]] if "feeds" in reply else None
