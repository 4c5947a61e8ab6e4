"""Calls in prose, found by reading each block that may begin, and the prose without them."""

import json
import re
from typing import Any, NamedTuple

from .described import NAMED, PLAIN, Described
from .ledger import Options
from .reading import parse
from .text import decode

QUOTES = "\"'“”„‘’‚«»‹›"


class Found(NamedTuple):
    """A call, the name of its format, and where its block is."""

    content: str
    format: str
    begin: int
    end: int


class Opener(NamedTuple):
    """An opener with its header, if it has one: its size, and the opener of a call or a section."""

    size: int
    marker: str


# fd-found fd-found-block fd-found-broken fd-found-broken-text
# The prose, and the calls.
def find_calls(
    data: str,
    descriptions: list[dict[str, Any]],
    names: set[str],
    *,
    finished: bool = False,
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
        found = [(opener_at(text, at, form), form) for form in descriptions]
        opener = max((each for each, _ in found), key=lambda each: each.size)
        inner = inner_of(opener.marker, descriptions)
        if opener.size == 0 or opener.marker in quoted or not is_live(prose):
            size = max(opener.size, 1)
            if not is_mentioned(text, at + size, descriptions):
                quoted |= inner
            prose += text[at : at + size]
            at += size
            continue
        quoted -= inner
        forms = [form for each, form in found if each.size == opener.size]
        end, form, contents = read_block(
            text[at:], opener, forms, descriptions, names, finished=finished
        )
        calls += [Found(content, form, at, at + end) for content in contents]
        prose += "" if contents else text[at : at + end]
        at += end
    return prose.replace("\udc00", "\ufffd"), calls


# fd-found
def openers_of(form: dict[str, Any]) -> list[str]:
    pairs = [form["call"][0], *form.get("section", [])[:1]]
    every = [[each] if isinstance(each, str) else each for each in pairs]
    return [opener for several in every for opener in several if opener]


# fd-found fd-found-header
# The opener of a format at a place; its size is 0 if there is none.
def opener_at(text: str, at: int, form: dict[str, Any]) -> Opener:
    marker = longest_at(text, at, openers_of(form))
    return max(Opener(len(marker), marker), header_at(text, at, form), key=lambda each: each.size)


# fd-found
# The longest of these markers at a place.
def longest_at(text: str, at: int, markers: list[str]) -> str:
    return max((each for each in markers if text.startswith(each, at)), key=len, default="")


# fd-found-header
def header_at(text: str, at: int, form: dict[str, Any]) -> Opener:
    begin = longest_at(text, at, form["header"]["open"] if "header" in form else [])
    reading = Described(decode(text), Options(), form)
    said = reading.header_after(at + len(begin)) if begin else ""
    if said == NAMED:
        closer = form["header"]["close"]
        return Opener(text.index(closer, reading.passed) + len(closer) - at, "")
    marker = longest_at(text, reading.passed, openers_of(form)) if said == PLAIN else said
    if marker not in openers_of(form):
        return Opener(0, "")
    return Opener(reading.passed + (len(marker) if said == PLAIN else 0) - at, marker)


# fd-found-quoted
# Whether what ends at this place is only mentioned.
def is_mentioned(text: str, at: int, descriptions: list[dict[str, Any]]) -> bool:
    follows = max(opener_at(text, at, form).size for form in descriptions)
    return follows == 0 and text[at : at + 1] in {*QUOTES, "`"}


# fd-found-quoted
# The openers of the calls in the sections that this opener may begin.
def inner_of(opener: str, descriptions: list[dict[str, Any]]) -> set[str]:
    inner: set[str] = set()
    for form in descriptions:
        if opener in sections_of(form):
            inner |= {each for each in openers_of(form) if each not in sections_of(form)}
    return inner


# fd-found-quoted
def sections_of(form: dict[str, Any]) -> list[str]:
    return openers_of({"call": form.get("section", [""])})


# fd-found-block fd-found-broken fd-found-finished
# The size of the block or of the text that is prose, and of a block its format and its calls.
def read_block(
    text: str,
    opener: Opener,
    forms: list[dict[str, Any]],
    every: list[dict[str, Any]],
    names: set[str],
    *,
    finished: bool,
) -> tuple[int, str, list[str]]:
    broken: dict[str, int] = {}
    for size in range(opener.size, len(text) + 1):
        for form in forms:
            if form["name"] in broken:
                continue
            errors = [each for each in parse(text[:size], form).events if each["type"] == "error"]
            following = parse(f"{text[:size]}{LETTER}", form)
            stopped = following.discarded > 0
            if errors and errors[0]["offset"] < size:
                broken[form["name"]] = max(1, errors[0]["offset"])
            elif stopped and opener.marker in sections_of(form):
                broken[form["name"]] = size
            elif stopped or (size > opener.size and is_prose(following.events)):
                contents = offered(parse(text[:size], form).events, names)
                if contents:
                    return size, form["name"], contents
                broken[form["name"]] = size
        if len(broken) == len(forms):
            return resumed(text[: max(broken.values())], every), "", []
    for form in forms:
        events = parse(text, form).events
        runs = {each["type"] for each in events} == {"call", "execute"}
        if finished and form["name"] not in broken and runs and offered(events, names):
            return len(text), form["name"], offered(events, names)
    return len(text), "", []


# fd-found-block
# The calls of these events, if each has a name that was offered.
def offered(events: list[dict[str, Any]], names: set[str]) -> list[str]:
    contents = [each["content"] for each in events if each["type"] == "call"]
    return contents if {json.loads(content)["name"] for content in contents} <= names else []


# fd-found-broken
# How much of a text that is refused is not the beginning of another opener.
def resumed(text: str, descriptions: list[dict[str, Any]]) -> int:
    for size in range(1, len(text)):
        if any(may_be_opener(text, size, form) for form in descriptions):
            return size
    return len(text)


# fd-found-broken fd-found-header
# Whether the end of a text, from here on, is an opener or the beginning of one.
def may_be_opener(text: str, at: int, form: dict[str, Any]) -> bool:
    begins = [*openers_of(form), *(form["header"]["open"] if "header" in form else [])]
    if any(each.startswith(text[at:]) for each in begins):
        return True
    if opener_at(text, at, form).size == len(text) - at:
        return True
    begin = longest_at(text, at, form["header"]["open"] if "header" in form else [])
    if not begin:
        return False
    reading = Described(decode(text), Options(), form)
    if reading.header_after(at + len(begin)) == PLAIN:
        return any(each.startswith(text[reading.passed :]) for each in openers_of(form))
    return reading.may_be_header(at + len(begin))


# What is read after a text to see what follows it.
LETTER = "\N{DOUBLE DAGGER}"


# fd-found-block
# Whether prose may follow: then a letter after the text is prose.
def is_prose(events: list[dict[str, Any]]) -> bool:
    return any(event.get("content") == LETTER for event in events)


# fd-found-quoted fd-found-comment
# Whether an opener after this prose is live.
def is_live(prose: str) -> bool:
    *lines, line = prose.split("\n")
    fence, column, comment = "", 0, False
    for each in lines:
        began = comment
        _, code, comment = end_of(each, fence, comment)
        text, indent = text_of(each)
        if fence != "":
            end = re.fullmatch("(`+|~+)[ \t\r]*", each.lstrip(" \t"))
            if end is not None and end[1].startswith(fence) and indent <= column + 3:
                fence = ""
        elif text.startswith("~~~") and not began:
            fence, column = text[: len(text) - len(text.lstrip("~"))], indent
        elif code >= 3 and not text.startswith(">"):
            fence, column = "`" * code, indent
    return end_of(line, fence, comment)[0]


# fd-found-quoted
# The text of a line after white space and markers of lists, and the column where it begins.
def text_of(line: str) -> tuple[str, int]:
    text = line.lstrip(" \t")
    while marker := re.match(r"([-*+]|[0-9]{1,9}[.)])[ \t]", text):
        text = text[len(marker[1]) :].lstrip(" \t")
    column = 0
    for letter in line[: len(line) - len(text)]:
        column += 4 - column % 4 if letter == "\t" else 1
    return text, column


# fd-found-quoted fd-found-comment
# Whether an opener at the end of this line is live, how many backticks begin the inline code there,
# or 0, and whether a comment is open.
def end_of(line: str, fence: str, comment: bool) -> tuple[bool, int, bool]:  # noqa: FBT001
    code = 0
    at = 0
    while found := re.compile("-->" if comment else "`+|<!--").search(line, at):
        at = found.end()
        if comment:
            comment = False
        elif found[0] == "<!--":
            comment = fence == "" and code == 0 and not is_quoted(line[: found.start()])
        else:
            code = len(found[0]) if code == 0 else 0 if code == len(found[0]) else code
    live = fence == "" and code == 0 and not comment and not is_quoted(line)
    return live, code, comment


# fd-found-quoted
def is_quoted(line: str) -> bool:
    return line.endswith(tuple(QUOTES)) or text_of(line)[0].startswith((">", "~~~"))
