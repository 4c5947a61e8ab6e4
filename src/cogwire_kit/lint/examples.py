# SPDX-License-Identifier: MIT
"""An example of each rule, for `cogwire lint --explain`.

Those of error codes are the ones of the specification.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from cogwire import Limits
from cogwire.tooling import dialect_names
from cogwire_kit.conformance.corpus import PAGES

RECORD: Final = "record"


class Example(NamedTuple):
    """An input that breaks a rule, and the nearest one that does not."""

    bad: str
    good: str
    #: What it is: a transcript in this dialect, or as JSON the record of a data set.
    kind: str = "xml-json"
    #: How much a parser accepts, where that is the rule.
    limits: Limits = Limits()
    #: The tools that calls are checked against, if they are.
    tools: Sequence[Mapping[str, Any]] = ()


#: An entry of the page of errors, and in it a text of the wire with how it is read.
_ENTRY: Final = re.compile(r"^### `([a-z-]+)`(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
_WIRE: Final = re.compile(r"^```wire(.*?)\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_BYTE: Final = re.compile(r"\\x([0-9A-F]{2})")


def _of_code(entry: str) -> Example:
    """Return the example of an error code: the first text of its entry, and that of its fix."""
    bad, good = (_WIRE.search(part) for part in entry.split("**Fix.**"))
    assert bad is not None and good is not None  # noqa: S101, PT018 (each entry has both)
    words = bad[1].split()
    limits = dict(word.split("=") for word in words if "=" in word)
    return Example(
        _text(bad[2], words),
        _text(good[2], words),
        next((word for word in words if word in dialect_names()), "xml-json"),
        Limits(**{name: int(number) for name, number in limits.items()}),
    )


def _text(written: str, words: list[str]) -> str:
    """Return a text of the page, in which bytes that are not UTF-8 may be escapes."""
    if "bytes" not in words:
        return written
    data = _BYTE.sub(lambda byte: chr(int(byte[1], 16)), written).encode("latin-1")
    return data.decode("utf-8", "surrogateescape")


#: The tool whose calls break the rules of calls.
_TOOL: Final[dict[str, Any]] = {
    "name": "read",
    "parameters": {
        "type": "object",
        "properties": {
            "file": {"type": "string", "minLength": 1},
            "mode": {"enum": ["text", "binary"]},
            "match": {"type": "string", "pattern": "^(a|b)*a(a|b){900}c"},
        },
        "required": ["file"],
        "additionalProperties": False,
    },
}


def _call(args: str, *, name: str = "read") -> str:
    return f'<execute>[{{"name": "{name}", "args": {args}}}]</execute>'


def _of_calls(bad: str, good: str = '{"file": "a.txt"}') -> Example:
    return Example(_call(bad), _call(good), tools=(_TOOL,))


_OF_PROBLEMS: Final = {
    "unknown-tool": Example(_call("{}", name="ls"), _call('{"file": "a.txt"}'), tools=(_TOOL,)),
    "missing-arg": _of_calls("{}"),
    "unexpected-arg": _of_calls('{"file": "a.txt", "path": "."}'),
    "bad-type": _of_calls('{"file": 5}'),
    "not-in-enum": _of_calls(
        '{"file": "a.txt", "mode": "rows"}', '{"file": "a.txt", "mode": "text"}'
    ),
    "bad-value": _of_calls('{"file": ""}'),
    "too-much-work": _of_calls(f'{{"file": "a.txt", "match": "{"a" * 900_000}"}}'),
}


def _events(*events: dict[str, Any]) -> str:
    return json.dumps({"events": events})


def _chat(*messages: dict[str, Any]) -> str:
    return json.dumps({"messages": messages})


_ASKED: Final = {"role": "user", "content": "Hi"}
_ASKED_EVENT: Final = {"type": "user", "content": "Hi"}
_ANSWERED: Final = {"role": "tool", "tool_call_id": "c1", "content": "a"}


def _turn(args: object) -> dict[str, Any]:
    function = {"name": "ls", "arguments": args}
    return {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


def _calling(args: object) -> str:
    return _chat(_ASKED, _turn(args), _ANSWERED)


def _parts(*parts: dict[str, Any]) -> str:
    return _chat({"role": "user", "content": parts}, {"role": "assistant", "content": "Hello."})


def _said(text: str) -> str:
    return _events({"type": "respond", "content": text})


def _blocks(*blocks: dict[str, Any]) -> str:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a"}
    turn = {"role": "assistant", "content": blocks}
    return _chat(_ASKED, turn, {"role": "user", "content": [result]})


_TEXT: Final = {"type": "text", "text": "Hi"}
_IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
_USE: Final = {"type": "tool_use", "id": "t1", "name": "ls", "input": {}}
_VOID: Final = {
    "type": "result",
    "content": '[{"tool": "execute", "status": "failure", "content": "not JSON"}]',
    "payload": {"tools_executed": 1, "success_count": 0, "failure_count": 1},
}

_OF_NOTES: Final = {
    "void": Example(_events(_ASKED_EVENT, _VOID), _events(_ASKED_EVENT), RECORD),
    "dropped": Example(_parts(_TEXT, _IMAGE), _parts(_TEXT), RECORD),
    "retyped": Example(_calling({}), _calling("{}"), RECORD),
    "neutralised": Example(_said("Write <execute>."), _said("Write a block."), RECORD),
    "joined": Example(_parts(_TEXT, _TEXT), _parts(_TEXT), RECORD),
    "moved": Example(_blocks(_USE, _TEXT), _blocks(_TEXT, _USE), RECORD),
    "completed": Example(_calling(""), _calling("{}"), RECORD),
    "trimmed": Example(_said(" Hello. "), _said("Hello."), RECORD),
}

_BLOCK: Final = '<execute>[{"name": "ls", "args": {}}]</execute>'
_RESULTS: Final = '<results>[{"tool": "ls", "status": "success", "content": "a"}]</results>'

_OF_TEXTS: Final = {
    "unclosed-think": Example("<think>Look. Hello.", "<think>Look.</think> Hello."),
    "unanswered-execute": Example(f"{_BLOCK}\n\nDone.", f"{_BLOCK}\n\n{_RESULTS}\n\nDone."),
    "empty-block": Example("Done.\n\n<execute>[]</execute>", "Done."),
    "near-marker": Example("<Think>Look.</Think> Hello.", "<think>Look.</think> Hello."),
    "stray-closer": Example("Look.</think> Hello.", "<think>Look.</think> Hello."),
    "foreign-marker": Example("Hello.\n§end", "Hello.\n<end>"),
    "replaced-character": Example('{"text": "caf\\ud83d"}', '{"text": "caf\\u00e9"}', RECORD),
}

_CALLED: Final = _turn("{}")
_SAID: Final = {"role": "assistant", "content": "Hello."}
_FENCED: Final = {
    "role": "assistant",
    "content": '```json\n{"name": "ls", "arguments": {}}\n```',
}


def _answered_by(tool: str) -> str:
    call = {"type": "call", "content": json.dumps({"name": tool, "args": {}})}
    item = {"tool": "cat", "status": "success", "content": 1}
    payload = {"tools_executed": 1, "success_count": 1, "failure_count": 0}
    result = {"type": "result", "content": json.dumps([item]), "payload": payload}
    return _events(call, {"type": "execute"}, result)


_OF_RECORDS: Final = {
    "bad-record": Example('{"question": "Hi"}', _chat(_ASKED), RECORD),
    "not-text": Example('{"text": "PK\\u0003\\u0000\\ud83d"}', '{"text": "PK"}', RECORD),
    "no-dialect": Example(
        '{"text": "<think>Look.</think> Hello.\\n§end"}',
        '{"text": "<think>Look.</think> Hello.\\n<end>"}',
        RECORD,
    ),
    "bad-tools": Example('{"text": "Hi.", "tools": [{}]}', '{"text": "Hi.", "tools": []}', RECORD),
    "skipped": Example(_chat(_ASKED, _turn("{"), _ANSWERED), _calling("{}"), RECORD),
    "surplus": Example(_chat(_ASKED, _SAID, _ANSWERED), _calling("{}"), RECORD),
    "mismatch": Example(_answered_by("ls"), _answered_by("cat"), RECORD),
    "orphan": Example(
        _chat(_ASKED, _CALLED, _SAID), _chat(_ASKED, _CALLED, _ANSWERED, _SAID), RECORD
    ),
    "ignored-flag": Example(
        _chat(_ASKED, {**_SAID, "train": False}), _chat(_ASKED, {**_SAID, "weight": 0}), RECORD
    ),
    "fenced-calls": Example(_chat(_ASKED, _FENCED), _chat(_ASKED, _CALLED), RECORD),
    "unsafe-text": Example(
        _chat({"role": "user", "content": "<results>[]</results>"}, _SAID),
        _chat({"role": "user", "content": "&lt;results>[]&lt;/results>"}, _SAID),
        RECORD,
    ),
}

_ERRORS: Final = (PAGES / "errors.md").read_text("utf-8")
#: The example of each rule.
EXAMPLES: Final[dict[str, Example]] = {
    **{name: _of_code(entry) for name, entry in _ENTRY.findall(_ERRORS)},
    **_OF_PROBLEMS,
    **_OF_TEXTS,
    **_OF_RECORDS,
    **_OF_NOTES,
}
