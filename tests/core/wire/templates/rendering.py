"""Chat templates, rendered as transformers renders them, and what each render says.

`templates.json` has a line for each template: the format that it writes, where a turn of the model
begins in it, and what it does not write of a message.  The templates are in `llama.cpp`, as its
source has them.
"""

import datetime as dt
import functools
import json
from pathlib import Path
from typing import NamedTuple

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import SandboxedEnvironment

from cogwire_kit.conformance import formats
from tests import cogwire
from tests.core.wire.messages import message_of

PLACE = Path(__file__).parent
TABLE = json.loads((PLACE / "templates.json").read_text("utf-8"))


# -- What is written -----------------------------------------------------------------------------


_PARAMETERS = {
    "query": {"type": "string"},
    "limit": {"type": "integer"},
    "ratio": {"type": "number"},
    "deep": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "options": {"type": "object"},
    "note": {"type": ["string", "null"]},
}
SCHEMAS = [
    {"name": "search", "parameters": {"type": "object", "properties": _PARAMETERS}},
    {"name": "ls", "parameters": {"type": "object", "properties": {}}},
]


def _for_templates(tool):
    """Return the definition of a tool with each member that some template cannot do without."""
    properties = {
        name: {
            **schema,
            "type": "string" if name == "note" else schema["type"],
            "description": "d",
            "additionalProperties": {"type": "string"},
        }
        for name, schema in tool["parameters"]["properties"].items()
    }
    parameters = {"type": "object", "properties": properties, "required": []}
    function = {"name": tool["name"], "description": "d", "parameters": parameters}
    return {"type": "function", "function": function}


class Variant(NamedTuple):
    """What a message of the model says: its prose, its reasoning and its calls."""

    calls: list
    prose: str = ""
    thought: str = ""

    @property
    def message(self):
        """The message, as a client of a chat API stores it."""
        thought = dict.fromkeys(("reasoning_content", "reasoning", "thinking"), self.thought)
        return {
            "role": "assistant",
            "content": self.prose,
            **(thought if self.thought else {}),
            "tool_calls": [
                {"id": f"abcdefgh{at}", "type": "function", "function": call}
                for at, call in enumerate(self.calls)
            ],
        }


def call(name="search", **arguments):
    """Return a call."""
    return {"name": name, "arguments": arguments}


VARIANTS = {
    "one": Variant([call(query="Paris")]),
    "two": Variant([call(query="Paris"), call("ls")]),
    "same": Variant([call(query="Paris")] * 2),
    "empty": Variant([call("ls")]),
    "typed": Variant([call(query="x", limit=-5, ratio=1.5, deep=False, tags=["a", "b c"])]),
    "nested": Variant([call(query="x", options={"k": ["1", 2, True, None], "o": {"p": {}}})]),
    "null": Variant([call(query="x", note=None)]),
    "digits": Variant([call(query="05", note="true", options={"5": "null"})]),
    "quotes": Variant([call(query='say "a\\b" \'c\' `d` """ it\'s', note='"')]),
    "unicode": Variant([call(query="é \u2028 漢字 😀 e\u0301", note="\x07")]),
    "lines": Variant([call(query="a\n  b\n\nc\td\r\n\te", note="if x < 3 && y > 4: {z} [0]")]),
    "margins": Variant([call(query=" a ", note="\n\nb\n")]),
    "blank": Variant([call(query="", note=" \n", tags=[], options={})]),
    "prose": Variant([call(query="Paris")], "I will look."),
    "thought": Variant([call(query="Paris")], "", "What is it?\n\nA city."),
    "both": Variant([call(query="Paris"), call("ls")], "I will look.", "What is it?"),
}


def with_markers(description):
    """Return the variant that has every marker of a format in the text of an argument."""
    return Variant([call(query=" ".join(sorted(_strings(description))))])


def _strings(value):
    """Return the strings in a decoded JSON value."""
    if isinstance(value, str):
        return {value} if value.strip() else set()
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for each in values for text in _strings(each)}


# -- Rendering -----------------------------------------------------------------------------------


class _Generation(Extension):
    """The tag around what a model writes, which training looks for."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.Scope(body, lineno=line)


def _raise(message):
    raise TemplateError(message)


def _to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):  # noqa: FBT002 - their signature
    plain = value if isinstance(value, dict | list | str | int | float | None) else list(value)
    return json.dumps(
        plain,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _now(form):
    return dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc).strftime(form)


#: What the templates need besides, each under the name that some of them use.
_OTHERS = {"bos_token": "<s>", "eos_token": "</s>", "datetime": "now"}
#: What the model is asked; a template may change a message.
_QUESTION = {"role": "user", "content": "Q?"}


@functools.cache
def _template(name):
    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals |= {"raise_exception": _raise, "strftime_now": _now}
    return environment.from_string((PLACE / "llama.cpp" / f"{name}.jinja").read_text("utf-8"))


class Turn(NamedTuple):
    """What the model wrote, by a template, and what the parser starts in."""

    text: str
    start: str


def turns(name, variant):
    """Return the turns that a message may have been, by the template `name`.

    The first is what follows the prompt, and there is a second where the prompt has opened a think
    whose opener some servers send along.  `TemplateError` if the template refuses the message.
    """
    about = TABLE[name]
    stop = about.get("stop")
    thinks = bool(variant.thought)
    before = prompt_of(name, thinks)
    start = start_of(name, thinks)
    whole = _rendered(name, [_QUESTION, _message(about, variant)], thinks)
    prompt, text = _after(about["header"], before, whole)
    if stop is not None and stop in text:
        text = text[: text.rindex(stop)]
    if about.get("opened") and variant.thought:
        return [Turn(text, "think")]
    if not variant.thought:
        text = text.removeprefix(about.get("instead", ""))
    if start == "header":
        begun = text.removeprefix(prompt)
        return [Turn(begun, "header"), Turn(f"{prompt or about['header']}{begun}", "prose")]
    if not text.startswith(prompt):
        return [Turn(text, "prose")]
    after = Turn(text[len(prompt) :], start)
    return [after, Turn(text, "prose")] if start == "think" else [after]


def _after(header, before, whole):
    """Return what comes after the header of a turn: in a prompt, and in a history."""
    start = before.rindex(header) + len(header)
    pairs = enumerate(zip(before, whole, strict=False))
    shared = next((at for at, (one, other) in pairs if one != other), len(before))
    place = start if shared >= start else whole.index(header, shared - len(header)) + len(header)
    return before[start:], whole[place:]


@functools.cache
def prompt_of(name, thinks):
    """Return what a model is given by a template; `thinks` is whether it is asked to think."""
    return _rendered(name, [_QUESTION], thinks, add_generation_prompt=True)


def start_of(name, thinks):
    """Return where a turn begins after this prompt, by the table."""
    start = TABLE[name].get("start", "prose")
    return start if start != "asked" else "think" if thinks else "prose"


def _rendered(name, messages, thinks, *, add_generation_prompt=False):
    tools = [_for_templates(tool) for tool in SCHEMAS]
    return _template(name).render(
        messages=messages,
        tools=tools,
        add_generation_prompt=add_generation_prompt,
        **dict.fromkeys(("enable_thinking", "thinking"), thinks),
        functions=json.dumps(tools),
        **_OTHERS,
    )


def _message(about, variant):
    """Return a message in the form that a template wants."""
    message = variant.message
    if about.get("arguments") == "string":
        for each in message["tool_calls"]:
            arguments = json.dumps(each["function"]["arguments"], ensure_ascii=False)
            each["function"] = {**each["function"], "arguments": arguments}
    if about.get("apart") and variant.thought:
        message["content"] = ""
    if about.get("thought") == "blocks" and variant.thought:
        blocks = [{"type": "thinking", "thinking": variant.thought}]
        message["content"] = [
            *blocks,
            *([{"type": "text", "text": variant.prose}] * bool(variant.prose)),
        ]
    return message | {key: None for key in about.get("null", ()) if not message[key]}


def expected(name, variant):
    """Return what a render has of a message, as a case of a format expects it."""
    lost = TABLE[name].get("loses", {})
    calls = variant.calls[:1] if "several" in lost else variant.calls
    prose = [] if "prose" in lost or not variant.prose else [variant.prose]
    thought = {} if "thought" in lost or not variant.thought else {"reasoning": [variant.thought]}
    return formats.FormatCase({"expect": {"content": prose, "calls": calls, **thought}})


# -- Reading -------------------------------------------------------------------------------------


@functools.cache
def toolset_of(form):
    """Return the tools, for calls in a format."""
    return cogwire.Toolset(SCHEMAS, form)


def read(chunks, form, **options):
    """Return what a parser of a format says that the chunks of a turn say."""
    parser = cogwire.Parser(form, clock=None, **options)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    events += parser.close(finished=True)
    message = message_of(events, toolset_of(form))
    if not any(event["type"] == "execute" for event in events):
        message.raw_calls.clear()
    return message
