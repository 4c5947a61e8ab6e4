"""Readers of formats that are as plain as can be: of whole texts, when they have come.

`python -m tests.kit.conformance.format_reader KIND` is an adapter of them; all kinds but `whole`
and `late`, which starts late, have a fault.
"""

import json
import re
import sys
import time

THINK = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)
OPENER, CLOSER = "<tool_call>", "</tool_call>"
WHITE = re.compile(r"\s*")
FUNCTION = re.compile(
    r"\s*<function=([^>]*)>((?:\s*<parameter=[^>]*>.*?</parameter>)*)\s*</function>", re.DOTALL
)
PARAMETER = re.compile(r"\s*<parameter=([^>]*)>\n?(.*?)\n?</parameter>", re.DOTALL)


def read(text, tools, of_call):
    """Yield what a text says; `of_call` reads a call at a place and returns it with its end."""
    at = 0
    if thought := THINK.match(text):
        yield {"reasoning": thought[1]}
        at = thought.end()
    while (start := text.find(OPENER, at)) >= 0:
        yield {"content": text[at:start]}
        try:
            (name, arguments), end = of_call(text, start + len(OPENER), tools)
        except ValueError:
            at = text.find(CLOSER, start) + len(CLOSER) if CLOSER in text[start:] else len(text)
            continue
        yield {"call": name}
        yield {"arguments": arguments}
        rest = text[end:].lstrip()
        at = len(text) - len(rest) + len(CLOSER) if rest.startswith(CLOSER) else len(text)
    yield {"content": text[at:]}


def hermes(text, at, _):
    """Read a JSON object with a name and arguments."""
    value, end = json.JSONDecoder().raw_decode(text, WHITE.match(text, at).end())
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ValueError("no call")  # noqa: TRY004 - it is about the text
    arguments = value.get("arguments", {})
    if not isinstance(arguments, dict):
        raise ValueError("no arguments")  # noqa: TRY004 - it is about the text
    return (value["name"], arguments), end


def first_closer(text, at, tools):
    """Read what stands before the first closing tag, wherever that stands."""
    end = text.find(CLOSER, at)
    return hermes(text[:end] if end >= 0 else text, at, tools)


def mending(text, at, tools):
    """Complete what is cut off."""
    try:
        return hermes(text, at, tools)
    except ValueError:
        return hermes(text + '"}}', at, tools)


def qwen3_coder(text, at, tools):
    """Read a function with its parameters, of the types that the tool's schema gives."""
    found = FUNCTION.match(text, at)
    if not found:
        raise ValueError("no function")
    schemas = {tool["name"]: tool["parameters"]["properties"] for tool in tools}
    types = {name: one["type"] for name, one in schemas.get(found[1], {}).items()}
    values = PARAMETER.findall(found[2])
    return (found[1], {n: typed(v, types.get(n, "string")) for n, v in values}), found.end()


def typed(text, kind):
    """Return a value of the type, or the text itself."""
    try:
        return text if kind == "string" else json.loads(text.lower() if kind == "boolean" else text)
    except ValueError:
        return text


CALLS = {"hermes": hermes, "qwen3-coder": qwen3_coder}


def main(kind):
    time.sleep(3 if kind == "late" else 0)
    for line in sys.stdin:
        request = json.loads(line)
        chunks, of_call = request["chunks"], CALLS[request["format"]]
        of_call = {"first-closer": first_closer, "mending": mending}.get(kind, of_call)
        if kind == "chunks":
            feeds = [list(read(chunk, request["tools"], of_call)) for chunk in chunks]
            reply = {"feeds": feeds, "close": []}
        elif kind == "odd":
            reply = {"feeds": [[{"arguments": {}}] for _ in chunks], "close": []}
        elif kind == "dies":
            raise SystemExit(3)
        else:
            items = list(read("".join(chunks), request["tools"], of_call))
            reply = {"feeds": [[] for _ in chunks], "close": items}
        print(json.dumps({"id": request["id"], **reply}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
