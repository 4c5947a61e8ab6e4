"""Turns with calls in every dialect, however a parser emits them and however they end.

Law, for every bridge: the calls that it finishes are those that the parser executed, in their order,
with their arguments.  Where a bridge knows the tools, the arguments have the types of their schemas.
"""

import json

import cogwire
from cogwire.tooling import notation
from cogwire.wire.dialects import TRAINED, dialect_names
from tests.rows import rows

DIALECTS = [*dialect_names(), *TRAINED]
#: The first call has no arguments, and therefore no deltas where the model leaves them out.
CALLS = [
    '{"name": "backup"}',
    '{"name": "rm", "args": {"path": "a.txt", "deep": 2}}',
    '{"name": "ls", "args": {}}',
    '{"name": "say", "args": {"text": "</tool_call> \\"x\\"", "to": "me"}}',
]
MODES = {
    "shown": {},
    "sealed": {"calls": "sealed"},
    "deltas": {"call_deltas": True},
    "sealed with deltas": {"calls": "sealed", "call_deltas": True},
}
ENDINGS = ["itself", "length", "cancelled", "interrupted", "broken"]

TEXT = {"type": "string"}
NONE = {"type": "object", "properties": {}}
#: The tools that are called, by their names.
SCHEMAS = {
    "backup": NONE,
    "rm": {"type": "object", "properties": {"path": TEXT, "deep": {"type": "integer"}}},
    "ls": NONE,
    "say": {"type": "object", "properties": {"text": TEXT, "to": TEXT}},
}

every_dialect = rows("dialect", DIALECTS)
every_mode = rows("mode", MODES)
every_ending = rows("ending", ENDINGS)


def text_of(dialect):
    """Return a turn with calls, as a model writes it."""
    is_text = notation(dialect).is_text
    calls = [call.replace(": 2", ': "2"') if is_text else call for call in CALLS]
    written = [{"type": "call", "content": call} for call in calls]
    (message, *_) = cogwire.to_messages(
        [{"type": "respond", "content": "Soon."}, *written], dialect
    )
    return message["content"]


def turns(dialect, mode, ending, *, sizes=(1, 7, 1000)):
    """Yield the events of turns that end in this way: wherever they are cut, or break a rule."""
    text = text_of(dialect)
    cuts = [len(text)] if ending == "itself" else range(0, len(text) + 1, 9)
    for cut in cuts:
        given = f"{text[:cut]}\x00{text[cut:]}" if ending == "broken" else text[:cut]
        for size in sizes if cut == len(text) else sizes[1:2]:
            parser = cogwire.Parser(dialect, stream="token", clock=None, **MODES[mode])
            pieces = [given[at : at + size] for at in range(0, len(given), size)]
            yield list(_read(parser, pieces, ending))


def _read(parser, pieces, ending):
    if ending in ("itself", "broken"):
        yield from cogwire.iter_events(pieces, parser)
        return
    for piece in pieces:
        yield from parser.feed(piece)
    yield from parser.close(cancelled=ending == "cancelled")
    if ending != "length":
        yield {"type": {"interrupted": "interrupt"}.get(ending, ending)}


def executed(events, toolset=None):
    """Return the names and arguments of the calls that may run, with the types of the tools."""
    if not any(event["type"] == "execute" for event in events):
        return []
    contents = [event["content"] for event in events if event["type"] == "call"]
    if toolset is not None:
        return [tuple(toolset.check(content)[:2]) for content in contents]
    calls = map(json.loads, contents)
    return [(call["name"], call.get("args", {})) for call in calls]


def written_turns(dialect, *, finished, step=9):
    """Yield a text, whole and cut, and the calls that run if it ends there.

    They do in every dialect if the model ended it, and in some if anything else did.
    """
    definitions = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
    toolset = cogwire.Toolset(definitions, dialect)
    text = text_of(dialect)
    for cut in (*range(0, len(text), step), len(text)):
        given = text[:cut]
        events = cogwire.parse(given, toolset, finished=finished, calls="sealed", clock=None)
        calls = executed(events, toolset)
        assert len(calls) == len(CALLS) or not finished or given != text
        yield given, calls
