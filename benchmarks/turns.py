"""The texts that the benchmarks read: turns of a wanted size, and families made to be hard."""

import json

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


def turn(size: int) -> str:
    """Return a turn of about `size` characters: a third each of think, prose and a block."""
    calls = [call(0)]
    length = len(calls[0])
    while length < size // 3:
        calls.append(call(len(calls)))
        length += len(calls[-1]) + 4
    block = "<execute>\n[\n  " + ",\n  ".join(calls) + "\n]\n</execute>"
    rest = max(size - len(block), 40)
    return f"<think>{prose(rest // 2)}</think>\n\n{prose(rest // 2)}\n\n{block}"


def tiny_calls(size: int) -> str:
    """Return a block of calls of 47 characters."""
    calls = ",\n".join(
        f'{{"name": "read", "args": {{"file": "a{index:07d}"}}}}' for index in range(size // 49)
    )
    return f"<execute>[\n{calls}\n]</execute>"


def in_string(body: str) -> str:
    """Return a block with one call whose one argument is `body`, as it is."""
    return f'<execute>[{{"name":"write","args":{{"content":"{body}"}}}}]</execute>'


#: Name → a text of about `size` characters.
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
