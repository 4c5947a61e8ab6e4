"""The texts that the benchmarks read: turns of a wanted size, and families made to be hard."""

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any

SENTENCES = (
    "The config shows that the API endpoint is still the old one, so it has to be updated first. ",
    "Reading the file again afterwards proves that what was written is what is there.\n",
    "If x < 3 and y > 4, the second branch is taken; nothing else changes. ",
    "Résumé: two files, one edit, no surprises — “done” is when the test passes.\n\n",
)

SNIPPET = 'def main(path: str) -> int:\n    """Print each line."""\n    for line in open(path):\n'


def prose(size: int) -> str:
    """Return `size` characters of running text."""
    text = "".join(SENTENCES)
    return (text * (size // len(text) + 1))[:size]


def call(index: int) -> str:
    """Return one call: every third one writes a file, the others are short."""
    if index % 3 == 2:
        args = {"file": f"src/part{index}.py", "content": SNIPPET * 4, "mode": None}
        return json.dumps({"name": "write", "args": args}, ensure_ascii=False)
    args = {"file": f"src/part{index}.py", "lines": [index, index + 40], "numbered": True}
    return json.dumps({"name": "read", "args": args}, ensure_ascii=False)


def calls(size: int) -> list[str]:
    """Return calls of about `size` characters."""
    written = [call(0)]
    length = len(written[0])
    while length < size:
        written.append(call(len(written)))
        length += len(written[-1]) + 4
    return written


def turn(size: int) -> str:
    """Return a turn of about `size` characters: a third each of think, prose and a block."""
    block = array(calls(size // 3))
    rest = max(size - len(block), 40)
    return f"<think>{prose(rest // 2)}</think>\n\n{prose(rest // 2)}\n\n{block}"


def array(calls: Iterable[str]) -> str:
    """Return the block of `calls`, which are JSON."""
    return "<execute>\n[\n  " + ",\n  ".join(calls) + "\n]\n</execute>"


def turn_in(dialect: str, size: int) -> str:
    """Return a turn of about `size` characters: the same one in every dialect, all of it text."""
    said = prose(size // 3)
    tools = [texts(json.loads(written)) for written in calls(size // 3)]
    if dialect == "xml-json":
        return f"<think>{said}</think>\n\n{said}\n\n{array(map(_json, tools))}"
    if dialect == "xml-elements":
        block = "\n  ".join(["<execute>", *map(_element, tools)]) + "\n</execute>"
        return f"<think>{said}</think>\n\n{said}\n\n{block}"
    block = "".join(f"§call: {_json(tool)}\n" for tool in tools)
    text = f"§think: {said}\n§respond: {said}\n{block}§execute\n"
    return text if dialect == "delimiter" else re.sub("§[a-z]+", _upper, text)


def texts(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a call whose arguments are strings."""
    return {"name": tool["name"], "args": {key: str(arg) for key, arg in tool["args"].items()}}


def _json(tool: dict[str, Any]) -> str:
    return json.dumps(tool, ensure_ascii=False)


def _element(tool: dict[str, Any]) -> str:
    args = (f"<{key}>{escape(arg, quote=False)}</{key}>" for key, arg in tool["args"].items())
    return f"<{tool['name']}>{''.join(args)}</{tool['name']}>"


def _upper(keyword: re.Match[str]) -> str:
    return keyword[0].upper()


def tiny_calls(size: int) -> str:
    """Return a block of calls of 47 characters."""
    calls = ",\n".join(
        f'{{"name": "read", "args": {{"file": "a{index:07d}"}}}}' for index in range(size // 49)
    )
    return f"<execute>[\n{calls}\n]</execute>"


def in_string(body: str) -> str:
    """Return a block with one call whose one argument is `body`, as it is."""
    return f'<execute>[{{"name":"write","args":{{"content":"{body}"}}}}]</execute>'


#: Name → a text of about `size` characters in `xml-json`.
FAMILIES = {
    "mixed turn": turn,
    "prose": prose,
    "think": lambda size: f"<think>{prose(size)}",
    "white space": lambda size: "a" + " \n" * (size // 2),
    "< × n": lambda size: "<" * size,
    "<think × n": lambda size: "<think" * (size // 6),
    "{ × n": lambda size: "{" * size,
    "{ × n in a block": lambda size: "<execute>[" + "{" * size,
    "</execut × n in a void block": lambda size: "<execute>x" + "</execut" * (size // 8),
    "one huge string": lambda size: in_string("The quick brown fox. " * (size // 21)),
    "closers in a string": lambda size: in_string("</execute>" * (size // 10)),
    "backslashes": lambda size: in_string("\\\\" * (size // 2)),
    "surrogate pairs": lambda size: in_string("\\ud83d\\ude00" * (size // 12)),
    "many tiny calls": tiny_calls,
    "one huge array": lambda size: (
        '<execute>[{"name":"sum","args":{"of":[' + "1,2.5,true," * (size // 11) + "0]}}]</execute>"
    ),
    "many names": lambda size: (
        '<execute>[{"name":"set","args":{'
        + ",".join(f'"key{index:06d}":0' for index in range(size // 14))
        + "}}]</execute>"
    ),
    "a block never closed": lambda size: in_string("x" * size)[:size],
}

#: Dialect → name → a text of about `size` characters, made to be hard for that dialect.
FAMILIES_OF = {
    "xml-elements": {
        "one huge text": lambda size: "<execute><w><c>" + "The quick brown fox. " * (size // 21),
        "&amp; × n": lambda size: "<execute><w><c>" + "&amp;" * (size // 5),
        "]] × n": lambda size: "<execute><w><c>" + "]] " * (size // 3),
        "a huge section": lambda size: "<execute><w><c><![CDATA[" + "]]&<" * (size // 4),
        "</execut × n in a void block": lambda size: "<execute>x" + "</execut" * (size // 8),
        "many tiny calls": lambda size: (
            "<execute>" + "<read><file>a</file></read>\n" * (size // 28) + "</execute>"
        ),
    },
    "delimiter": {
        "prose": lambda size: f"§respond: {prose(size)}",
        "§ × n": lambda size: "§" * size,
        "a § at every line": lambda size: "§thin\n" * (size // 6),
        "blank lines": lambda size: " \t\n" * (size // 3),
        "[SYSTEM × n": lambda size: "\n[SYSTEM" * (size // 8),
        "many segments": lambda size: "§think: a\n§respond: b\n" * (size // 22),
        "many tiny calls": lambda size: '§call: {"name": "read"}\n' * (size // 24) + "§execute\n",
        "payloads that break": lambda size: '§call: {"name": "read", x\n' * (size // 26),
        "one huge string": lambda size: '§call: {"name":"a","args":{"x":"' + "a b " * (size // 4),
    },
}
