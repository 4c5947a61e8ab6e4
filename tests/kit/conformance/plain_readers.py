"""The simplest possible readers of whole texts in four formats, which share nothing with the core.

They return the contents of a text as items of a reply.  Text that is invalid or incomplete is not a
call.  Where the core is stricter, they come to the first outcome of a case.
"""

import json
import re

WHITE = re.compile(r"\s*")
THINK = ("<think>", "</think>")


# --- Shared by the formats ----------------------------------------------------------------------


def thought(text, markers=THINK):
    """Return the reasoning at the beginning of a text as items, and where it ends."""
    found = re.match(rf"\s*{re.escape(markers[0])}(.*?){re.escape(markers[1])}", text, re.DOTALL)
    return ([{"reasoning": found[1]}], found.end()) if found else ([], 0)


def value_at(text, at):
    """Return the JSON value after white space at a place, and where it ends."""
    return json.JSONDecoder().raw_decode(text, WHITE.match(text, at).end())


def arguments_at(text, at):
    """Return the JSON object at a place, and where it ends."""
    value, end = value_at(text, at)
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004 - the text is invalid, not its type
    return value, end


def after(text, marker, at):
    """Return the end of the next marker of this kind, or the end of the text."""
    start = text.find(marker, at)
    return len(text) if start < 0 else start + len(marker)


def is_next(text, marker, at):
    """Whether a marker follows, or the text ends before or within it."""
    rest = text[at:].lstrip()
    return rest.startswith(marker) or marker.startswith(rest)


def made(name, arguments):
    """Return the items of a call."""
    return [{"call": name}, {"arguments": arguments}]


def called(value):
    """Return the items of a call, which must be an object with a name and arguments."""
    if not (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("arguments"), dict)
    ):
        raise ValueError("not a call")  # noqa: TRY004 - the text is invalid, not its type
    return made(value["name"], value["arguments"])


# --- Calls after a marker ----------------------------------------------------------------------


def mistral_v3(text):
    """Read arrays of calls, each after a marker; invalid text extends to the next marker."""
    items, at = thought(text, ("[THINK]", "[/THINK]"))
    marker = "[TOOL_CALLS]"
    while (start := text.find(marker, at)) >= 0:
        items.append({"content": text[at:start]})
        at = start + len(marker)
        try:
            value, end = value_at(text, at)
            values = value if isinstance(value, list) else [value]
            calls = [item for one in values for item in called(one)]
        except ValueError:
            at = text.find(marker, at) if marker in text[at:] else len(text)
        else:
            items += calls
            at = end
    return [*items, {"content": text[at:]}]


# --- Calls in a section -------------------------------------------------------------------------


def sections(*, begin, end, opener, separator, closer, name):
    """Return a reader of sections of calls; `name` is a pattern whose group is the name."""

    def read(text):
        items, at = thought(text)
        while (start := text.find(begin, at)) >= 0:
            items.append({"content": text[at:start]})
            at = start + len(begin)
            while text[at:].lstrip().startswith(opener):
                try:
                    call, at = of_call(text, after(text, opener, at))
                except ValueError:
                    over = text.find(end, at)
                    at = min(after(text, closer, at), over if over >= 0 else len(text))
                else:
                    items += call
            at = after(text, end, at)
        return [*items, {"content": text[at:]}]

    def of_call(text, at):
        place = text.find(separator, at)
        found = re.fullmatch(name, text[at:place].strip()) if place >= 0 else None
        if not found:
            raise ValueError("the name is missing")
        arguments, stop = arguments_at(text, place + len(separator))
        if not is_next(text, closer, stop):
            raise ValueError("text after the arguments")
        return made(found[1], arguments), after(text, closer, stop)

    return read


deepseek = sections(
    begin="<｜tool▁calls▁begin｜>",
    end="<｜tool▁calls▁end｜>",
    opener="<｜tool▁call▁begin｜>",
    separator="<｜tool▁sep｜>",
    closer="<｜tool▁call▁end｜>",
    name=r"(\S+)",
)

kimi = sections(
    begin="<|tool_calls_section_begin|>",
    end="<|tool_calls_section_end|>",
    opener="<|tool_call_begin|>",
    separator="<|tool_call_argument_begin|>",
    closer="<|tool_call_end|>",
    name=r"functions\.(\S+):\d+",
)


# --- Messages -----------------------------------------------------------------------------------

MESSAGE = re.compile(
    r"(?:<\|start\|>(?P<role>[^\s<]*))?(?P<header>(?:(?!<\|(?:message|start)\|>).)*)<\|message\|>",
    re.DOTALL,
)
STOP = re.compile(r"<\|(?:end|call|return)\|>|(?=<\|start\|>)|$")
KINDS = {"analysis": "reasoning", "commentary": "content", "final": "content"}


def harmony(text):
    """Read messages; the role of the first one is in the prompt."""
    if "<|" not in text:
        return [{"content": text}]
    items, at = [], 0
    while found := MESSAGE.match(text, at):
        at = found.end()
        recipient = re.search(r"to=([^\s<]+)", found["header"])
        channel = re.search(r"<\|channel\|>(\w+)", found["header"])
        content = text[at : STOP.search(text, at).start()]
        if found["role"] not in (None, "assistant") or not channel:
            pass
        elif recipient:
            try:
                arguments, end = arguments_at(text, at)
            except ValueError:
                end = None
            if end is not None and any(is_next(text, f"<|{m}|>", end) for m in ("call", "end")):
                items += made(recipient[1].removeprefix("functions."), arguments)
                at = end
        elif channel[1] in KINDS:
            items.append({KINDS[channel[1]]: content})
        at = STOP.search(text, at).end()
    return items


READERS = {
    "deepseek-v3.1": deepseek,
    "harmony": harmony,
    "kimi-k2": kimi,
    "mistral-v3": mistral_v3,
}
