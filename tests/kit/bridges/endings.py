"""Turns with calls in every dialect, however a parser emits them and however they end.

Law, for every bridge: the calls that it finishes are those that the parser executed, in their order,
with their arguments.  Where a bridge knows the tools, the arguments have the types of their schemas.
"""

import functools
import json

import cogwire
from cogwire.tooling import notation
from cogwire.wire.dialects import dialect_names
from tests.core.helpers import IS_BRIEF, TRAINED
from tests.rows import rows

DIALECTS = [*dialect_names(), *TRAINED]
#: The first call has no arguments, and therefore no deltas where the model leaves them out.
CALLS = [
    {"name": "backup"},
    {"name": "rm", "args": {"path": "a.txt", "deep": 2}},
    {"name": "ls", "args": {}},
    {
        "name": "say",
        "args": {"text": '</tool_call> "x"', "to": [1, "me"], "more": {"a": True}, "n": 5},
    },
]
MODES = {
    "shown": {},
    "sealed": {"calls": "sealed"},
    "deltas": {"call_deltas": True},
    "sealed with deltas": {"calls": "sealed", "call_deltas": True},
}
#: How the model, its provider, the user or the network ended a turn, or that it broke a rule.
ENDINGS = [
    *("itself", "length", "content_filter", "error", None),
    *("cancelled", "interrupted", "broken"),
]

TEXT = {"type": "string"}
NONE = {"type": "object", "properties": {}}
#: The tools that are called, by their names.
SCHEMAS = {
    "backup": NONE,
    "rm": {"type": "object", "properties": {"path": TEXT, "deep": {"type": "integer"}}},
    "ls": NONE,
    "say": {
        "type": "object",
        "properties": {
            "text": TEXT,
            "to": {"type": "array"},
            "more": {"type": "object"},
            "n": {"type": ["integer", "string"]},
        },
    },
}

#: A turn is cut after each so many characters.
STEP = 47 if IS_BRIEF else 9

#: The dialects in which the last character of a block runs its calls, whatever comes after it.
CLOSED = ("xml-json", "xml-elements")

every_dialect = rows("dialect", DIALECTS)
every_mode = rows("mode", MODES)
every_ending = rows("ending", ENDINGS)


def text_of(dialect):
    """Return a turn with calls, as a model writes it."""
    calls = [
        {**call, "args": {name: _written(value) for name, value in call["args"].items()}}
        if "args" in call and notation(dialect).is_text
        else call
        for call in CALLS
    ]
    written = [{"type": "call", "content": json.dumps(call)} for call in calls]
    (message, *_) = cogwire.to_messages(
        [{"type": "respond", "content": "Soon."}, *written], dialect
    )
    return message["content"]


def _written(value):
    return value if isinstance(value, str) else json.dumps(value)


def turns(dialect, mode, ending, *, sizes=(1, 7, 1000)):
    """Yield the events of turns that end in this way: wherever they are cut, or break a rule."""
    text = text_of(dialect)
    cuts = [len(text)] if ending == "itself" else range(0, len(text) + 1, STEP)
    for cut in cuts:
        given = f"{text[:cut]}\x00{text[cut:]}" if ending == "broken" else text[:cut]
        for size in sizes if cut == len(text) else sizes[1:2]:
            parser = cogwire.Parser(dialect, stream="token", clock=None, **MODES[mode])
            pieces = [given[at : at + size] for at in range(0, len(given), size)]
            events = list(_read(parser, pieces, ending))
            may_run = ending in ("itself", "broken") or (dialect in CLOSED and given == text)
            assert may_run or executed(events) == []
            yield events


def _read(parser, pieces, ending):
    if ending in ("itself", "broken"):
        yield from cogwire.iter_events(pieces, parser)
    elif ending in ("cancelled", "interrupted"):
        for piece in pieces:
            yield from parser.feed(piece)
        yield from parser.close(cancelled=ending == "cancelled")
        yield {"type": "interrupt" if ending == "interrupted" else ending}
    else:
        yield from cogwire.iter_events([*pieces, cogwire.Finish(ending)], parser)


def executed(events, toolset=None):
    """Return the names and arguments of the calls that may run, with the types of the tools."""
    if not any(event["type"] == "execute" for event in events):
        return []
    contents = [event["content"] for event in events if event["type"] == "call"]
    if toolset is not None:
        return [tuple(toolset.check(content)[:2]) for content in contents]
    calls = map(json.loads, contents)
    return [(call["name"], call.get("args", {})) for call in calls]


@functools.cache
def written_turns(dialect, *, finished, step=9):
    """Return a text, whole and cut, and for each the calls that run if it ends there.

    They do in every dialect if the model ended it, and in some if anything else did.
    """
    definitions = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
    toolset = cogwire.Toolset(definitions, dialect)
    text, found = text_of(dialect), []
    for cut in (*range(0, len(text), step), len(text)):
        given = text[:cut]
        events = cogwire.parse(given, toolset, finished=finished, calls="sealed", clock=None)
        calls = executed(events, toolset)
        assert len(calls) == len(CALLS) or not finished or given != text
        found.append((given, calls))
    return found


def openai_calls(chunks):
    """Return the calls that a client runs; their numbers must be in the order of the list."""
    found = []
    for chunk in chunks:
        if "error" in chunk:
            return []
        (choice,) = chunk["choices"]
        for part in choice["delta"].get("tool_calls", ()):
            if part["index"] == len(found):
                assert part["id"] == f"call_{len(found)}"
                found.append([part["function"]["name"], ""])
            assert part["index"] == len(found) - 1
            found[-1][1] += part["function"]["arguments"]
    assert choice["finish_reason"] == ("tool_calls" if found else "stop")
    return [(name, json.loads(args)) for name, args in found]


def anthropic_calls(events):
    """Return the calls that a client runs."""
    found = []
    for event in events:
        kind = event["type"]
        if kind == "error":
            return []
        if kind == "content_block_start":
            name = event["content_block"].get("name")
            if name is not None:
                found.append([name, ""])
        elif kind == "content_block_delta":
            found[-1:] = [
                [name, text + event["delta"].get("partial_json", "")] for name, text in found[-1:]
            ]
    assert events[-2]["delta"]["stop_reason"] == ("tool_use" if found else "end_turn")
    return [(name, json.loads(args)) for name, args in found]


def responses_calls(events):
    """Return the calls that a client runs, which are done; those shown before are the same."""
    ends = [event for event in events if event["type"] == "response.output_item.done"]
    done = [event["item"] for event in sorted(ends, key=lambda event: event["output_index"])]
    found = [(item["name"], item["arguments"]) for item in done if item["type"] == "function_call"]
    if events[-1]["type"] == "error":
        assert found == []
        return []
    assert events[-1]["response"]["output"] == done
    shown = {}
    for event in events:
        if event["type"] == "response.function_call_arguments.delta":
            shown[event["item_id"]] = shown.get(event["item_id"], "") + event["delta"]
    assert [json.loads(text) for text in shown.values()] == [json.loads(args) for _, args in found]
    return [(name, json.loads(args)) for name, args in found]
