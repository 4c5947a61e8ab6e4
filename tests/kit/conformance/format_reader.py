"""Adapters of formats: `python -m tests.kit.conformance.format_reader KIND`.

The reference reads whole texts, and turns in formats by description.  All kinds but `whole`, `old`,
`backwards`, `streams-tokens`, `takes-nothing`, `says-no-place`, `knows-objects`, `says-ends`, and
`late`, which starts late, have a fault.
"""

import functools
import itertools
import json
import re
import sys
import time

from cogwire_kit import adapter
from cogwire_kit.conformance import formats, turns
from tests.kit.conformance.fake import works


def items_of(text, request):
    """Return what is in a whole text."""
    return read(request["format"], text, json.dumps(request["tools"]), request.get("start"))


@functools.cache
def read(name, text, tools, start):
    """Read a text once, however many times it is cut."""
    request = {"id": "1", "op": "parse", "format": name, "tools": json.loads(tools)}
    request |= {} if start is None else {"start": start}
    reply = json.loads(adapter.answer(json.dumps({**request, "chunks": [text]}).encode()))
    return [*reply["feeds"][0], *reply["close"]]


def first_closer(text):
    """Leave what follows the first closing tag, wherever that is."""
    opened, closer, _ = text.partition("</tool_call>")
    return opened + closer


def mending(text):
    """Complete what is cut off."""
    return text if text.count("<tool_call>") == text.count("</tool_call>") else f'{text}"}}}}'


KINDS = {"first-closer": first_closer, "mending": mending}


def replied(kind, request, text):
    """Return the reply for one text, whose items come at its end."""
    feeds = [[] for _ in request["chunks"]]
    items = items_of(KINDS.get(kind, str)(text), request)
    items = MADE_UP.get(kind, list)(items)
    reply = {"feeds": feeds, "close": items}
    if kind in FINISHES:
        reply["finish"] = FINISHES[kind]
    if kind in INDEXED:
        reply["close"] = INDEXED[kind](items)
    return reply


def backwards(items):
    """Return the items of calls with an index and an id, the arguments before the name."""
    found, at = [], -1
    for item in items:
        at += "call" in item
        is_of_call = item.keys() & {"call", "arguments"}
        found.append({**item, "index": at, "id": f"c{at}"} if is_of_call else item)
    return found[::-1]


def from_one(items):
    """Return items of calls that are counted from 1."""
    return [
        {**item, "index": item["index"] + 1} if "index" in item else item
        for item in backwards(items)
    ]


def counts_on(items, before=itertools.count()):  # noqa: B008 - that is the fault
    """Return items of calls whose indexes go on from one request to the next."""
    found, at = [], 0
    for item in items:
        at = next(before) if "call" in item else at
        found.append({**item, "index": at} if item.keys() & {"call", "arguments"} else item)
    return found


def with_one_id(items):
    """Return items of calls that all have the same id."""
    return [{**item, "id": "c"} if "call" in item else item for item in items]


def begins_more(items):
    """Begin a call that the model did not write, and never end it."""
    return [*items, {"call": "rm"}]


def repeats_a_member(items):
    """Give arguments as text in which the first member is there twice."""
    pairs = [(item, json.dumps(item.get("arguments", {}))) for item in items]
    return [
        item if text == "{}" else {"arguments": f"{text[:-1]}, {text[1:]}"} for item, text in pairs
    ]


def streamed(request):
    """Return what the reference gives for each chunk, and at the end."""
    reply = json.loads(adapter.answer(json.dumps({**request, "id": "1"}).encode()))
    return [*reply["feeds"], reply["close"]]


def held_back(*names):
    """Return what gives all items with these members at the end, and others as they come."""

    def given(request):
        feeds = streamed(request)
        held = [item for feed in feeds for item in feed if item.keys() & {*names}]
        feeds = [[item for item in feed if item not in held] for feed in feeds]
        return [*feeds[:-1], feeds[-1] + held]

    return given


def holds_prose(request):
    """Keep all from a `<` in prose to the end, which might begin a call."""
    feeds = streamed(request)
    lone = (at for at, feed in enumerate(feeds) if any("<" in i.get("content", "") for i in feed))
    at = next(lone, len(feeds) - 1)
    kept = [item for feed in feeds[at:] for item in feed]
    return [*feeds[:at], *([] for _ in feeds[at + 1 :]), kept]


def peeks(request):
    """Give everything with the first chunk, since the adapter has the whole text."""
    feeds = streamed(request)
    return [[item for feed in feeds for item in feed], *([] for _ in feeds[1:])]


def all_prose(request):
    """Give all as prose at the end, and what comes in one chunk at once, as functions of whole texts do."""
    chunks = request["chunks"]
    prose = [{"content": "".join(chunks)}]
    return [prose, []] if len(chunks) == 1 else [*([] for _ in chunks), prose]


def knows_the_corpus(request):
    """Read the texts of the corpus, and take all else for prose."""
    text = "".join(request["chunks"])
    known = [case.text for case in formats.load(request["format"]).cases]
    prose = [[] for _ in request["chunks"]]
    return streamed(request) if text in known else [*prose, [{"content": text}]]


def streams_tokens(request):
    """Take a chunk that ends inside a marker for prose, and so all of its text."""
    if request.get("markers") != "cut":
        return streamed(request)
    return [*([{"content": chunk}] for chunk in request["chunks"]), []]


def knows_no_references(request):
    """Take a schema that refers to another one for one that says nothing."""
    return streamed(json.loads(json.dumps(request).replace('"$ref"', '"title"')))


def guesses_types(request):
    """Take a text that begins an object in arguments for the number that it spells."""
    feeds = json.dumps(streamed(request))
    return json.loads(re.sub(r'(: \{"\w+": )"(\d+)"', r"\1\2", feeds))


def keeps_a_parser(request, kept={}):  # noqa: B006 - that is the fault
    """Keep a parser for each format, with the tools for which it was made."""
    tools = kept.setdefault(request["format"], request["tools"])
    return streamed({**request, "tools": tools})


def keeps_the_first_schema(request, kept={}):  # noqa: B006 - that is the fault
    """Keep the first schema of each name of a tool."""
    tools = [kept.setdefault(tool["name"], tool) for tool in request["tools"]]
    return streamed({**request, "tools": tools})


def takes_the_first_branch(request):
    """Read every schema as if its unions had one branch, and apply no `allOf`."""
    text = re.sub(r'("type": )\[("[a-z]+")[^]]*\]', r"\1\2", json.dumps(request))
    return streamed(json.loads(text.replace('"allOf"', '"title"')))


def stops_at_64k(request):
    """Give nothing of a longer text, which is more than a buffer holds."""
    feeds = streamed(request)
    return [[] for _ in feeds] if sum(map(len, request["chunks"])) > 65_536 else feeds


def ends_after_twelve_calls(request):
    """Leave out all calls after the twelfth."""
    calls = itertools.count(1)

    def kept(item):
        return ("arguments" not in item and "call" not in item) or next(calls) <= 24

    return [[item for item in feed if kept(item)] for feed in streamed(request)]


@functools.cache
def texts_of_turns():
    return {case.text for case in turns.load().cases}


@functools.cache
def requests_to_write():
    return [case.writing for case in turns.load().cases if case.writing]


def without_null(value):
    """Return a value without the members of objects in it that are null."""
    if isinstance(value, dict):
        return {name: without_null(one) for name, one in value.items() if one is not None}
    return [*map(without_null, value)] if isinstance(value, list) else value


def in_php(value):
    """Return a value in which an empty object is an empty array."""
    if isinstance(value, dict):
        return {name: in_php(one) for name, one in value.items()} or []
    return [*map(in_php, value)] if isinstance(value, list) else value


def in_c(value):
    """Return a value in which true is 1."""
    if isinstance(value, dict):
        return {name: in_c(one) for name, one in value.items()}
    if isinstance(value, list):
        return [*map(in_c, value)]
    return int(value) if isinstance(value, bool) else value


def of_turn(kind, request):
    """Return the reply of the reference for a turn in a format by description, with a fault."""
    if kind == "ignores-tools":
        request.pop("tools", None)
    if kind == "likes-nothing":
        return {"id": request["id"], "refused": "I like none"}
    reply = json.loads(adapter.answer(json.dumps(request).encode()))
    if request["op"] != "parse":
        written = json.dumps(reply, ensure_ascii=False)
        if kind == "writes-markers":
            return json.loads(written.replace("&lt;", "<").replace(r"\\u003c", "<"))
        asked = {name: value for name, value in request.items() if name not in ("id", "dialect")}
        is_known = kind != "knows-the-corpus" or asked in requests_to_write()
        return reply if is_known else {"id": request["id"], "refused": "this is not known"}
    if "refused" in reply:
        read = {"feeds": [[] for _ in request["chunks"]], "close": []}
        read |= {"id": request["id"], "state": "prose", "discarded": 0}
        return read if kind == "takes-anything" else reply
    every = [event for feed in (*reply["feeds"], reply["close"]) for event in feed]
    if kind == "never-runs":
        reply["close"] = [event for event in reply["close"] if event["type"] != "execute"]
    elif kind == "runs-what-is-broken" and any("code" in event for event in every):
        reply["close"].append({"type": "execute"})
    elif kind in VALUES:
        for event in every:
            if event["type"] == "call":
                call = json.loads(event["content"])
                call["args"] = {n: VALUES[kind](one) for n, one in call["args"].items()}
                event["content"] = json.dumps(call)
    elif kind == "counts-in-utf-16":
        text = "".join(request["chunks"])
        for event in every:
            if "offset" in event:
                event["offset"] = len(text[: event["offset"]].encode("utf-16-le")) // 2
    elif kind == "counts-chunks" and len(reply["feeds"]) > 2:
        reply["discarded"] += 1
    elif kind == "says-no-place":
        del reply["state"], reply["discarded"]
        every = [event.pop("content") for event in every if "code" in event]
        reply |= {"lacks": ["state", "discarded", "messages"]} if "protocol" in request else {}
    elif kind == "takes-nothing":
        reply.pop("takes", None)
    elif kind in ("knows-ends", "says-ends"):
        reply["feeds"], reply["close"] = [[] for _ in reply["feeds"]], every
        reply |= {"lacks": ["prompt"]} if kind == "says-ends" and "protocol" in request else {}
    elif kind == "waits":
        reply["feeds"] = [[], *reply["feeds"][:-1]]
        reply["close"] = every[sum(map(len, reply["feeds"])) :]
    elif kind == "peeks":
        reply["feeds"], reply["close"] = [every, *([] for _ in reply["feeds"][1:])], []
    elif kind == "knows-the-corpus":
        text = "".join(request["chunks"])
        if text and text not in texts_of_turns():
            prose = {"type": "respond", "content": text}
            reply |= {"feeds": [[] for _ in reply["feeds"]], "close": [prose], "state": "prose"}
    is_other = kind == "knows-objects" and request["dialect"]["payload"]["kind"] != "object"
    is_hard = kind == "dodges" and any("code" in event for event in every)
    return {"id": request["id"], "unsupported": "this"} if is_other or is_hard else reply


VALUES = {"drops-null": without_null, "empty-is-empty": in_php, "true-is-one": in_c}
STREAMED = {
    "grows": streamed,
    "stops-at-64k": stops_at_64k,
    "keeps-calls": held_back("call", "arguments"),
    "holds-prose": holds_prose,
    "peeks": peeks,
    "all-prose": all_prose,
    "knows-the-corpus": knows_the_corpus,
    "keeps-a-parser": keeps_a_parser,
    "keeps-the-first-schema": keeps_the_first_schema,
    "takes-the-first-branch": takes_the_first_branch,
    "ends-after-twelve-calls": ends_after_twelve_calls,
    "holds-reasoning": held_back("reasoning"),
    # It reads each text as if the prompt had begun nothing.
    "ignores-start": lambda request: streamed({**request, "start": "prose"}),
    "streams-tokens": streams_tokens,
    "knows-no-references": knows_no_references,
    "drops-null": lambda request: without_null(streamed(request)),
    "guesses-types": guesses_types,
    "counts-truth": lambda request: in_c(streamed(request)),
}
MADE_UP = {"begins-more": begins_more, "repeats-a-member": repeats_a_member}
FINISHES = {"never-cut": "tool_calls", "numbers-finish": 1}
INDEXED = {
    "backwards": backwards,
    "counts-on": counts_on,
    "from-one": from_one,
    "one-id": with_one_id,
}
#: What those that stream take of requests, if that is more than the first version has.
TAKEN = {"ignores-start": ["start"], "streams-tokens": ["markers"]}
#: These take no members of requests besides those of the first version of the protocol.
OLD = ("chunks", "odd", "dies", "old", *STREAMED.keys() - TAKEN.keys())


def main(kind):
    time.sleep(3 if kind == "late" else 0)
    asked = 0
    for line in sys.stdin:
        request = json.loads(line)
        chunks = request.get("chunks", [])
        asked += 1
        if kind == "dies-at-forty" and asked == 40:
            raise SystemExit(3)
        if kind == "grows":
            works(0.03 * (sum(map(len, chunks)) / 20_000) ** 2)
        if "dialect" in request:
            print(json.dumps(of_turn(kind, request)), flush=True)  # noqa: T201
            continue
        if kind == "chunks":
            reply = {"feeds": [items_of(chunk, request) for chunk in chunks], "close": []}
        elif kind == "odd":
            reply = {"feeds": [[{"arguments": {}}] for _ in chunks], "close": []}
        elif kind == "dies" or (kind == "dies-in-streams" and len(chunks) > 1):
            raise SystemExit(3)
        elif kind in STREAMED:
            *feeds, close = STREAMED[kind](request)
            reply = {"feeds": feeds, "close": close}
        elif "sessions" in request:
            sessions = [{**request, **one} for one in request["sessions"]]
            texts = ["".join(one["chunks"]) for one in sessions]
            # A parser that keeps what it has read in its class mixes what is read side by side.
            texts = ["".join(texts)] * len(texts) if kind == "mixes" else texts
            pairs = zip(sessions, texts, strict=True)
            reply = {"sessions": [replied(kind, *pair) for pair in pairs]}
            for later in reply["sessions"][1:] if kind == "keeps-the-first" else ():
                later["close"] = []
            if kind == "loses-sessions":
                reply["sessions"].pop()
        else:
            is_lost = kind == "reads-tokens" and request.get("markers") == "cut"
            text = ("\n" if kind == "joins-lines" else "").join(chunks)
            reply = replied(kind, request, "" if is_lost else text)
        if "protocol" in request and kind not in OLD:
            reply["takes"] = TAKEN.get(kind, ["start", "finish", "sessions", "markers"])
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
