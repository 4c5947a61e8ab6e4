"""The simplest possible readers of whole texts, one for each format.

They return the contents of a text as items of a reply.  Text that is invalid or incomplete is not a
call.
"""

import json
import re

WHITE = re.compile(r"\s*")
THINK = ("<think>", "</think>")
BLOCK = ("<tool_call>", "</tool_call>")


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


def called(value, name="name", arguments="arguments"):
    """Return the items of a call, which must be an object with these members."""
    if not (
        isinstance(value, dict)
        and isinstance(value.get(name), str)
        and isinstance(value.get(arguments), dict)
    ):
        raise ValueError("not a call")  # noqa: TRY004 - the text is invalid, not its type
    return made(value[name], value[arguments])


# --- Calls in tags ------------------------------------------------------------------------------


def tagged(of_call):
    """Return a reader of calls between two tags; `of_call` reads one call."""

    def read(text, tools):
        items, at = thought(text)
        while (start := text.find(BLOCK[0], at)) >= 0:
            items.append({"content": text[at:start]})
            try:
                call, at = of_call(text, start + len(BLOCK[0]), tools)
            except ValueError:
                at = after(text, BLOCK[1], start)
            else:
                items += call
                at = after(text, BLOCK[1], at) if is_next(text, BLOCK[1], at) else len(text)
        return [*items, {"content": text[at:]}]

    return read


def hermes(text, at, _):
    """Read a JSON object with a name and arguments."""
    value, end = value_at(text, at)
    if isinstance(value, dict):
        value.setdefault("arguments", {})
    return called(value), end


FUNCTION = re.compile(
    r"\s*<function=([^>]*)>((?:\s*<parameter=[^>]*>.*?</parameter>)*)\s*</function>", re.DOTALL
)
PARAMETER = re.compile(r"\s*<parameter=([^>]*)>\n?(.*?)\n?</parameter>", re.DOTALL)
PAIR = r"\s*<arg_key>\s*([^<]*?)\s*</arg_key>\s*<arg_value>(.*?)</arg_value>"
PAIRS = re.compile(rf"\s*([^\s<]+)((?:{PAIR})*)\s*(?=</tool_call>)", re.DOTALL)


def qwen3_coder(text, at, tools):
    """Read a function with its parameters, of the types that the tool's schema declares."""
    return typed_call(FUNCTION.match(text, at), PARAMETER, tools)


def glm(text, at, tools):
    """Read a name with keys and values, of the types that the tool's schema declares."""
    return typed_call(PAIRS.match(text, at), re.compile(PAIR, re.DOTALL), tools)


def typed_call(found, pairs, tools):
    """Return the items of a call whose values have no quotes, and where it ends."""
    if not found:
        raise ValueError("not a call")
    schemas = {tool["name"]: tool["parameters"]["properties"] for tool in tools}
    types = {name: one["type"] for name, one in schemas.get(found[1], {}).items()}
    values = pairs.findall(found[2])
    return made(found[1], {n: typed(v, types.get(n, "string")) for n, v in values}), found.end()


def typed(text, kind):
    """Return the text as a value of the type, or as it is if it is not one."""
    try:
        return text if kind == "string" else json.loads(text.lower() if kind == "boolean" else text)
    except ValueError:
        return text


# --- Calls after a marker ----------------------------------------------------------------------

NAME = re.compile(r"\s*([^\[\]]+?)(?:\[CALL_ID\][^\[]*)?\[ARGS\]")


def mistral(text, _):
    """Read names with arguments, each after a marker."""
    return after_markers(text, of_name)


def mistral_v3(text, _):
    """Read an array of calls after a marker."""
    return after_markers(text, of_array)


def after_markers(text, of_calls):
    """Read calls with `of_calls` after each marker; invalid text extends to the next marker."""
    items, at = thought(text, ("[THINK]", "[/THINK]"))
    marker = "[TOOL_CALLS]"
    while (start := text.find(marker, at)) >= 0:
        items.append({"content": text[at:start]})
        at = start + len(marker)
        try:
            calls, at = of_calls(text, at)
        except ValueError:
            at = text.find(marker, at) if marker in text[at:] else len(text)
        else:
            items += calls
    return [*items, {"content": text[at:]}]


def of_name(text, at):
    """Return the items of a name with arguments, and where they end."""
    found = NAME.match(text, at)
    if not found:
        raise ValueError("the name is missing")
    arguments, end = arguments_at(text, found.end())
    return made(found[1], arguments), end


def of_array(text, at):
    """Return the items of an array of calls, and where it ends."""
    value, end = value_at(text, at)
    values = value if isinstance(value, list) else [value]
    return [item for one in values for item in called(one)], end


def llama3_json(text, _):
    """Read a turn that is a call, or several with semicolons between them."""
    items, at = thought(text)
    tag = "<|python_tag|>"
    if not text[at:].lstrip().startswith("{") and tag in text[at:]:
        items.append({"content": text[at : text.index(tag, at)]})
        at = after(text, tag, at)
    elif not text[at:].lstrip().startswith("{"):
        return [*items, {"content": text[at:]}]
    while text[at:].lstrip().startswith("{"):
        try:
            value, end = value_at(text, at)
            items += called(value, arguments="parameters")
        except ValueError:
            break
        at = re.compile(r"\s*;?").match(text, end).end()
    return [*items, {"content": text[at:]}]


# --- Calls in a section -------------------------------------------------------------------------


def sections(*, begin, end, opener, separator, closer, name):
    """Return a reader of sections of calls; `name` is a pattern whose group is the name."""

    def read(text, _):
        items, at = thought(text)
        while (start := text.find(begin, at)) >= 0:
            items.append({"content": text[at:start]})
            at = start + len(begin)
            while text[at:].lstrip().startswith(opener):
                try:
                    call, at = of_call(text, after(text, opener, at))
                except ValueError:
                    at = after(text, closer, at)
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


def harmony(text, _):
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
    "glm-4.5": tagged(glm),
    "harmony": harmony,
    "hermes": tagged(hermes),
    "kimi-k2": kimi,
    "llama3-json": llama3_json,
    "mistral": mistral,
    "mistral-v3": mistral_v3,
    "qwen3-coder": tagged(qwen3_coder),
}
