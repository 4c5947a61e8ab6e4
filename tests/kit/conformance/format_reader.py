"""Adapters of formats: `python -m tests.kit.conformance.format_reader KIND`.

The formats that are dialects of the core are read by the reference, whole texts at a time, and the
others by plain readers.  All kinds but `whole` and `late`, which starts late, have a fault.
"""

import functools
import json
import sys
import time

from cogwire_kit import adapter
from tests.kit.conformance.plain_readers import READERS


def items_of(text, request):
    """Return what is in a whole text."""
    return read(request["format"], text, json.dumps(request["tools"]))


@functools.cache
def read(name, text, tools):
    """Read a text once, however many times it is cut."""
    if name in READERS:
        return READERS[name](text)
    request = {"id": "1", "op": "parse", "format": name, "tools": json.loads(tools)}
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


def main(kind):
    time.sleep(3 if kind == "late" else 0)
    for line in sys.stdin:
        request = json.loads(line)
        chunks = request["chunks"]
        if kind == "chunks":
            reply = {"feeds": [items_of(chunk, request) for chunk in chunks], "close": []}
        elif kind == "odd":
            reply = {"feeds": [[{"arguments": {}}] for _ in chunks], "close": []}
        elif kind == "dies":
            raise SystemExit(3)
        else:
            text = KINDS.get(kind, str)("".join(chunks))
            reply = {"feeds": [[] for _ in chunks], "close": items_of(text, request)}
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
