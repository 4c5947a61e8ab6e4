"""Calls in prose, found by reading each block that may begin, and the prose without them."""

import json
import re
from typing import Any, NamedTuple

from .reading import parse
from .text import decode


class Found(NamedTuple):
    """A call, the name of its format, and where its block is."""

    content: str
    format: str
    begin: int
    end: int


# fd-found fd-found-block fd-found-broken
# The prose, and the calls.
def find_calls(
    data: str, descriptions: list[dict[str, Any]], names: set[str]
) -> tuple[str, list[Found]]:
    decoded = decode(data)
    # A character that was lost is lost in a block, too.
    text = "".join(
        "\udc00" if at in decoded.replaced else letter
        for at, letter in enumerate(decoded.characters)
    )
    prose = ""
    calls: list[Found] = []
    at = 0
    quoted: set[str] = set()
    while at < len(text):
        openers = [each for form in descriptions for each in openers_of(form)]
        opener = max((each for each in openers if text.startswith(each, at)), key=len, default="")
        inner = inner_of(opener, descriptions)
        if opener == "" or opener in quoted or not is_live(prose):
            quoted |= inner
            size = max(len(opener), 1)
            prose += text[at : at + size]
            at += size
            continue
        quoted -= inner
        forms = [form for form in descriptions if opener in openers_of(form)]
        end, form, contents = read_block(text[at:], opener, forms, openers, names)
        calls += [Found(content, form, at, at + end) for content in contents]
        prose += "" if contents else text[at : at + end]
        at += end
    return prose.replace("\udc00", "\ufffd"), calls


# fd-found
def openers_of(form: dict[str, Any]) -> list[str]:
    pairs = [form["call"][0], *form.get("section", [])[:1]]
    every = [[each] if isinstance(each, str) else each for each in pairs]
    return [opener for several in every for opener in several if opener]


# fd-found-quoted
# The openers of the calls in the sections that this opener may begin.
def inner_of(opener: str, descriptions: list[dict[str, Any]]) -> set[str]:
    inner: set[str] = set()
    for form in descriptions:
        sections = openers_of({"call": form.get("section", [""])})
        if opener in sections:
            inner |= {each for each in openers_of(form) if each not in sections}
    return inner


# fd-found-block fd-found-broken
# The size of the block or of the text that is prose, and of a block its format and its calls.
def read_block(
    text: str, opener: str, forms: list[dict[str, Any]], every: list[str], names: set[str]
) -> tuple[int, str, list[str]]:
    broken: dict[str, int] = {}
    for size in range(len(opener) + 1, len(text) + 1):
        for form in forms:
            if form["name"] in broken:
                continue
            errors = [each for each in parse(text[:size], form).events if each["type"] == "error"]
            if errors and errors[0]["offset"] < size:
                broken[form["name"]] = errors[0]["offset"]
            elif parse(f"{text[:size]}a", form).discarded:
                broken[form["name"]] = size
            elif is_prose(text[:size], form):
                events = parse(text[:size], form).events
                contents = [each["content"] for each in events if each["type"] == "call"]
                offered = {json.loads(content)["name"] for content in contents} <= names
                if contents and offered:
                    return size, form["name"], contents
                broken[form["name"]] = size
        if len(broken) == len(forms):
            return resumed(text[: max(broken.values())], every), "", []
    return len(text), "", []


# fd-found-broken
# How much of a text that is refused is not the beginning of another opener.
def resumed(text: str, openers: list[str]) -> int:
    for size in range(1, len(text)):
        if any(each.startswith(text[size:]) for each in openers):
            return size
    return len(text)


# fd-found-block
# Whether prose may follow: then a letter after the text is prose.
def is_prose(text: str, form: dict[str, Any]) -> bool:
    events = parse(f"{text}\N{DOUBLE DAGGER}", form).events
    return any(event.get("content") == "\N{DOUBLE DAGGER}" for event in events)


# fd-found-quoted fd-found-comment
# Whether an opener after this prose is live.
def is_live(prose: str) -> bool:
    *lines, line = prose.split("\n")
    fence, comment = "", False
    for each in lines:
        began, comment = comment, end_of(each, fence, comment)[1]
        found = re.fullmatch(r" {0,3}(```+|~~~+)(.*)", each, re.DOTALL)
        if found is None or began or comment:
            continue
        if fence == "":
            fence = "" if found[1][0] == "`" and "`" in found[2] else found[1]
        elif found[1].startswith(fence) and found[2].strip(" \t\r") == "":
            fence = ""
    return end_of(line, fence, comment)[0]


# fd-found-quoted fd-found-comment
# Whether an opener at the end of this line is live, and whether a comment is open there.
def end_of(line: str, fence: str, comment: bool) -> tuple[bool, bool]:  # noqa: FBT001
    code = 0
    for found in re.finditer("`+|<!--|-->", line):
        if comment:
            comment = found[0] != "-->"
        elif found[0] == "<!--":
            comment = fence == "" and code == 0 and not is_quoted(line[: found.start()])
        elif found[0] != "-->":
            code = len(found[0]) if code == 0 else 0 if code == len(found[0]) else code
    return fence == "" and code == 0 and not comment and not is_quoted(line), comment


# fd-found-quoted
def is_quoted(line: str) -> bool:
    marks = tuple("\"'“”„‘’‚«»‹›")
    return line.endswith(marks) or re.match(" {0,3}(>|~~~)", line) is not None
