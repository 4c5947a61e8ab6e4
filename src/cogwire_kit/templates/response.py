# SPDX-License-Identifier: MIT
"""Descriptions of formats as Hugging Face writes them: `response_template`, version 1, both ways.

It is a member of `tokenizer_config.json`, by which transformers, and with copies of its reader
vLLM and SGLang, read what a model writes: https://huggingface.co/docs/transformers/main/chat_response_parsing
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import cogwire
from cogwire import Format, KnownFormat
from cogwire_kit.texts.dialects import DescribedName, described

Template = dict[str, Any]

#: How the template of ChatML begins a message of the model.
ANCHOR: Final = "<|im_start|>assistant\n"

_FUNCTION: Final = "function"
_THOUGHTS: Final = ("thinking", "reasoning_content", "reasoning")
_MEMBER: Final = re.compile(r"\w+")
_PLACE: Final = re.compile(rf"\{{(?:content\.)?({_MEMBER.pattern})\}}")
#: A value in tags is JSON or, where it is not, a text.
_VALUES: Final = {"name": "json", "args": {"allow_non_json": True}}


class Read(NamedTuple):
    """What a response template says, as a description."""

    #: The format, or `None` if its calls cannot be described.
    format: Format | None
    #: What no description can express, each with its place in the template.
    unsaid: list[str]


# -- Writing -------------------------------------------------------------------------------------


def written(name: str, anchor: str = ANCHOR, *, for_server: bool = False) -> Template:
    """Return the response template of the dialect `xml-json` or of a format.

    `anchor` is what the chat template writes before a message of the model.  `for_server` leaves
    out `join`, which the servers of vLLM and SGLang refuse, and without which transformers returns
    prose as a list of texts.  Raises `ValueError` for a dialect or a format that no response
    template can express.
    """
    template = _written(name, anchor)
    if for_server:
        del template["fields"]["content"]["join"]
    return template


def _written(name: str, anchor: str) -> Template:
    if name == "xml-json":
        calls: Template = {
            "open": "<execute>",
            "close": "</execute>",
            **_each("name", "args"),
        }
        return _template(["<think>", "</think>"], calls, anchor)
    form = name.form if isinstance(name, DescribedName) else cogwire.format_named(name).format
    description = form.to_json()
    payload = description["payload"]
    writer = _WRITERS.get(payload["kind"])
    has_keys = "{key}" in payload.get("value", ["", ""])[1]
    if writer is None or has_keys or not {"keyed", "member", "types"}.isdisjoint(payload):
        raise ValueError(f"{name}: no content parser of a response template reads such calls")
    if form.bare:
        raise ValueError(f"{name}: calls without a marker cannot be distinguished from prose")
    if description.get("header", {}).get("call") == "":
        raise ValueError(f"{name}: a header that is a tool's name looks like prose")
    return _template(_think_of(form), writer(description, payload), anchor)


def _template(think: list[Any], calls: Template, anchor: str) -> Template:
    return {
        "version": 1,
        "start_anchor": anchor,
        "fields": {
            "thinking": {"open": think[0], "close": think[1]},
            "content": {"repeats": True, "join": ""},
            "tool_calls": calls,
        },
    }


def _pattern(marker: str | list[str], written: Callable[[str], str] = re.escape) -> str:
    """Return a regular expression for a marker, or for any of several, each as it is `written`."""
    every = [*map(written, [marker] if isinstance(marker, str) else marker)]
    return every[0] if len(every) == 1 else f"(?:{'|'.join(every)})"


def _begun(marker: str) -> str:
    r"""Return a regular expression for every beginning of a marker, the empty one included.

    Before `\Z` it lets a reader wait for the closer of a section, which may arrive later than that
    of its last call: a reader accepts a match that cannot grow.
    """
    return "".join(f"(?:{re.escape(letter)}" for letter in marker[:-1]) + ")?" * (len(marker) - 1)


def _ends(description: Template, *, after: str = "") -> Template:
    """Return how a call opens and closes; a section around it is a part of the markers."""
    (opener, closer), section = description["call"], description.get("section")
    open_pattern = _pattern(opener) + after
    close_pattern = _pattern(closer)
    if section:
        open_pattern = rf"(?:{_pattern(section[0])}\s*)?{open_pattern}"
        close_pattern += rf"(?:\s*{_pattern(section[1])}|\s*{_pattern(section[1], _begun)}\Z)?"
    elif not after and closer:
        return {"open": opener, "close": closer}
    if not closer:
        # Where calls have no closer, the next opener or the end of the section or turn closes one.
        begins = _pattern(opener) or after
        if isinstance(opener, list) and not after:
            begins += r"\s*[\[{]"  # an opener in a string is hardly followed by one of these
        close_pattern = rf"(?={'|'.join([begins, *map(re.escape, description.get('ends', ()))])})"
        if section:
            close_pattern = rf"(?:\s*{_pattern(section[1])}|{close_pattern})"
    return {"open_pattern": open_pattern, "close_pattern": close_pattern}


def _names(description: Template, payload: Template) -> Iterator[str]:
    """Yield how the members with the name of a tool and its arguments are written.

    Raises `ValueError` for one that no placeholder can name: a reader would take it for a text.
    """
    for member, default in (("name", "name"), ("args", "arguments")):
        names = payload.get(member, default)
        name = names if isinstance(names, str) else names[0]
        if not _MEMBER.fullmatch(name):
            raise ValueError(
                f"{description['name']}: no placeholder of a template can name the member {name!r}"
            )
        yield name


def _call(name: str, arguments: str) -> Template:
    return {"type": _FUNCTION, _FUNCTION: {"name": name, "arguments": arguments}}


def _each(name: str, args: str) -> Template:
    return {
        "content": "json",
        "transform_each": True,
        "transform": _call(f"{{{name}}}", f"{{{args}}}"),
    }


def _of_object(description: Template, payload: Template) -> Template:
    name, args = _names(description, payload)
    if not _pattern(description["call"][0]):
        raise ValueError(
            f"{description['name']}: several objects in a section have no marker of a call"
        )
    return {
        **_ends(description),
        "repeats": True,
        "content": "json",
        "transform": _call(f"{{content.{name}}}", f"{{content.{args}}}"),
    }


def _of_array(description: Template, payload: Template) -> Template:
    return {**_ends(description), **_each(*_names(description, payload))}


def _of_arguments(description: Template, payload: Template) -> Template:
    before, after = payload["head"][0].split("{name}")
    end = _id(after.rstrip()) or r"(?=\s*\{)"
    head = rf"\s*{_id(before.lstrip())}(?P<name>[^\s{{]+?){end}"
    return {
        **_ends(description, after=head),
        "repeats": True,
        "content": "json",
        "transform": _call("{name}", "{content}"),
    }


def _id(part: str) -> str:
    return re.escape(part).replace(re.escape("{id}"), "[A-Za-z0-9]*")


def _of_tags(description: Template, payload: Template) -> Template:
    tool, key, value = payload["tool"], payload["key"], payload["value"]
    opener, closer = description["call"]
    end = payload.get("end", "")
    # In tags, white space may follow an id.
    after = r"\s*".join(map(_id, re.split(r"(?<=\{id\})", tool[1])))
    if not after:
        # A key, or the end of the call, follows the name; no name has a `<` in it.
        places = ["<" if each.startswith("<") else each for each in (key[0], end or closer)]
        after = rf"(?=\s*{_pattern([*dict.fromkeys(places)])})"
    head = rf"\s*{re.escape(tool[0])}(?P<name>[^<>\n]+?){after}"
    closed = _ends({**description, "call": [opener, closer or end]}, after=head)
    if closer and end:
        closed["close_pattern"] = rf"{re.escape(end)}\s*{closed['close_pattern']}"
    margin = f"{re.escape(payload['margin'])}?" if payload.get("margin") else ""
    inner = r"(?P<value>.*?)"
    if raw := payload.get("raw"):
        inner = rf"(?P<raw>{re.escape(raw[0])})?+{inner}(?(raw){re.escape(raw[1])})"
    pattern = rf"{re.escape(key[0])}(?P<key>[^<>\n]+?){re.escape(key[1])}"
    pattern += r"\s*" if value[0] else ""
    pattern += rf"{re.escape(value[0])}{margin}{inner}{margin}{re.escape(value[1])}"
    return {
        **closed,
        "repeats": True,
        "content": "xml-inline",
        "content_args": {"tag_pattern": pattern, "value_parser": _VALUES},
        "transform": _call("{name}", "{content}"),
    }


_WRITERS: Final = {
    "object": _of_object,
    "array": _of_array,
    "arguments": _of_arguments,
    "tags": _of_tags,
}


# -- Reading -------------------------------------------------------------------------------------


def read(template: object, name: str) -> Read:
    """Return the format that a response template describes, called `name`, and what is lost.

    A template whose calls are those of a known format is read as that format, with the think of
    the template.
    """
    fields = template.get("fields") if isinstance(template, Mapping) else None
    if not isinstance(fields, Mapping):
        return Read(None, ["/fields: must be an object"])
    unsaid = [
        f"/fields/{each}: a description has only thinking, content and tool_calls"
        for each in fields
        if each not in ("content", "tool_calls", *_THOUGHTS)
    ]
    calls = fields.get("tool_calls")
    if not isinstance(calls, Mapping):
        return Read(None, [*unsaid, "/fields/tool_calls: must describe calls"])
    thinks = [fields[each] for each in _THOUGHTS if isinstance(fields.get(each), Mapping)]
    think = [thinks[-1].get("open"), thinks[-1].get("close")] if thinks else None
    description: Template
    if known := _alike(calls, think):
        if len(known) > 1:
            names = " and ".join(each.name for each in known)
            unsaid.append(
                f"/fields/tool_calls: {names} have these calls; this describes {known[0].name}"
            )
        form = known[0].format
        if think in (None, _think_of(form)):
            return Read(form, unsaid)
        description = form.to_json()
    else:
        payload = _payload(calls)
        problems = list(_unsaid(calls))
        if problems or payload is None:
            return Read(None, [*unsaid, *problems])
        description = {"call": [calls["open"], calls.get("close", "")], "payload": payload}
    if think is not None:
        description["think"] = think
    try:
        return Read(described({**description, "name": name}, "the template").form, unsaid)
    except ValueError as problem:
        return Read(None, [*unsaid, str(problem)])


def _think_of(form: Format) -> list[Any]:
    return list(form.to_json().get("think", ("<think>", "</think>")))


def _alike(calls: Mapping[str, Any], think: list[Any] | None) -> list[KnownFormat]:
    """Return the known formats with the same calls in their templates and, if any, that think."""
    alike = []
    for known in cogwire.formats():
        with contextlib.suppress(ValueError):
            if written(known.name)["fields"]["tool_calls"] == calls:
                alike.append(known)
    return [each for each in alike if _think_of(each.format) == think] or alike


def _unsaid(calls: Mapping[str, Any]) -> Iterator[str]:
    place = "/fields/tool_calls"
    for each in ("open_pattern", "close_pattern"):
        if each in calls:
            yield (
                f"{place}/{each}: a description has markers, not regular expressions; if `cogwire "
                "format to` wrote this, use the description from which it did"
            )
    if "open" not in calls and "open_pattern" not in calls:
        yield f"{place}/open: calls without a marker cannot be distinguished from prose"
    if calls.get("content") != "json":
        yield f"{place}/content: only json can be described, except in known formats"
    elif calls.get("content_args"):
        yield f"{place}/content_args: JSON has to be strict"
    elif _payload(calls) is None:
        yield f"{place}/transform: it has to place the name and the arguments of a function"


def _payload(calls: Mapping[str, Any]) -> Template | None:
    """Return the payload of calls that are JSON, if the transform says where its parts are."""
    transform = calls.get("transform")
    function = transform.get(_FUNCTION, transform) if isinstance(transform, Mapping) else None
    if not isinstance(function, Mapping):
        return None
    places = [_PLACE.fullmatch(str(function.get(each))) for each in ("name", "arguments")]
    name, args = (each and each[1] for each in places)
    if not name or not args:
        return None
    kind = "array" if calls.get("transform_each") else "object"
    return {"kind": kind, "name": name, "args": args}
