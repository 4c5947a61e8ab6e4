"""The turns that the benchmarks read: the same one for every reader, each in its own format."""

import json
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

SENTENCES = (
    "The config shows that the API endpoint is still the old one, so it has to be updated first. "
    "Reading the file again afterwards proves that what was written is what is there.\n"
    "If x < 3 and y > 4, the second branch is taken; nothing else changes.\n\n"
    "Résumé: two files, one edit, no surprises — “done” 🎉 is when it passes. "
)
SNIPPET = (
    'def main(path: str) -> int:\n    """Print ✨ each line."""\n    for line in open(path):\n'
)


class Turn(NamedTuple):
    """The content of one turn; each call has a `name` and `args`."""

    think: str
    prose: str
    calls: list[dict[str, Any]]


def prose(size: int) -> str:
    """Return `size` characters of running text, or fewer, so that no white space is at the end."""
    return (SENTENCES * (size // len(SENTENCES) + 1))[:size].strip()


def usual_call(index: int) -> dict[str, Any]:
    """Return a call: every third one writes a file, each a longer one; the others are short."""
    if index % 3 == 2:
        content = SNIPPET * min(index // 3 + 1, 8)
        args = {"file": f"src/part{index}.py", "content": content, "mode": None}
        return {"name": "write", "args": args}
    args = {"file": f"src/part{index}.py", "lines": [index, index + 40], "numbered": True}
    return {"name": "read", "args": args}


def tiny_call(index: int) -> dict[str, Any]:
    """Return a call of 47 characters."""
    return {"name": "read", "args": {"file": f"a{index:07d}"}}


def dense_call(index: int) -> dict[str, Any]:
    """Return a call that is mostly punctuation and short values."""
    return {"name": f"t{index}", "args": {"a": index, "b": [1, 2.5, {"c": True}], "d": None}}


def calls(size: int, make: Callable[[int], dict[str, Any]] = usual_call) -> list[dict[str, Any]]:
    """Return calls of about `size` characters."""
    made: list[dict[str, Any]] = []
    length = 0
    while length < size:
        made.append(make(len(made)))
        length += len(dumped(made[-1])) + 4
    return made


def turn(size: int, share: float = 1 / 3) -> Turn:
    """Return a turn of about `size` characters, a `share` prose, and as much think as calls."""
    other = int(size * (1 - share) / 2)
    return Turn(prose(other), prose(int(size * share)), calls(other))


def in_ascii(turn: Turn) -> Turn:
    """Return the turn without the characters that are not ASCII."""
    think, prose, calls = (dumped(part).encode("ascii", "ignore") for part in turn)
    return Turn(json.loads(think), json.loads(prose), json.loads(calls))


#: Each function has the size as its argument.
TURNS: dict[str, Callable[[int], Turn]] = {
    "even thirds": turn,
    "even thirds, ASCII": lambda size: in_ascii(turn(size)),
    "half prose": lambda size: turn(size, 1 / 2),
    "JSON alone": lambda size: Turn("", "", calls(size)),
    "tiny calls": lambda size: Turn("", "", calls(size, tiny_call)),
    "dense JSON": lambda size: Turn("", "", calls(size, dense_call)),
}


# -- Formats ---------------------------------------------------------------------------------


def dumped(value: Any) -> str:
    """Return JSON as models write it."""
    return json.dumps(value, ensure_ascii=False)


def array(turn: Turn) -> str:
    """Return the calls as an array, one per line."""
    return "[\n  " + ",\n  ".join(map(dumped, turn.calls)) + "\n]"


def xml_json(turn: Turn) -> str:
    """Return the turn in cogwire's first dialect."""
    return f"{thought(turn)}<execute>\n{array(turn)}\n</execute>"


def xml_elements(turn: Turn) -> str:
    """Return the turn in the dialect of elements, its arguments all strings."""
    block = "\n  ".join(map(_element, in_strings(turn).calls))
    return f"{thought(turn)}<execute>\n  {block}\n</execute>"


def delimiter(turn: Turn) -> str:
    """Return the turn in the dialect of delimiters."""
    block = "".join(f"§call: {dumped(call)}\n" for call in turn.calls)
    return f"§think: {turn.think}\n§respond: {turn.prose}\n{block}§execute\n"


def thought(turn: Turn) -> str:
    """Return the text before the calls, in the form that most formats have."""
    parts = [f"<think>{turn.think}</think>"] * bool(turn.think) + [turn.prose] * bool(turn.prose)
    return "".join(f"{part}\n\n" for part in parts)


def in_strings(turn: Turn) -> Turn:
    """Return the turn with each argument as a string, for formats that have no other type."""
    made = [
        {**call, "args": {k: _string(v) for k, v in call["args"].items()}} for call in turn.calls
    ]
    return turn._replace(calls=made)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else dumped(value)


def _element(call: dict[str, Any]) -> str:
    args = (f"<{key}>{escape(arg, quote=False)}</{key}>" for key, arg in call["args"].items())
    return f"<{call['name']}>{''.join(args)}</{call['name']}>"
