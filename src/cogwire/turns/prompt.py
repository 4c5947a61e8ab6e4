# SPDX-License-Identifier: MIT
"""The instructions that teach a model a dialect and its tools."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

from ..text.decoding import decode
from ..wire.blocks.values import ItemWriter, RenderError
from ..wire.dialects import DEFAULT, Dialect, HasDialect, dialect_named
from ..wire.writing import call_writing_of, frame_text, writing_of
from .changes import neutralise
from .render import render_calls, render_results

_Items = tuple[Mapping[str, object], ...]

_CALL: Final[_Items] = ({"name": "read", "args": {"file": "config.json"}},)
_CALLS: Final[_Items] = (
    {"name": "write", "args": {"file": "a.html", "content": '<p class="x">\n\tHi\n</p>'}},
    {"name": "read", "args": {"file": "b.txt"}},
    {"name": "list", "args": {}},
)
_RESULT: Final[_Items] = ({"tool": "read", "status": "success", "content": {"api": "old.example"}},)
_RESULTS: Final[_Items] = (
    {"tool": "write", "status": "success", "content": {"bytes": 22}},
    {"tool": "read", "status": "failure", "content": "File not found: b.txt"},
    {"tool": "list", "status": "success", "content": ["a.html", "config.json"]},
)
_VOID: Final[_Items] = (
    {"tool": "execute", "status": "failure", "content": "A string is closed too early."},
)

_TOGETHER: Final = (
    "They run at the same time: a call that needs another one's\n"
    "result goes into a later {unit}. Their results come in the order of the calls."
)
_IN_TURN: Final = (
    "They run one after the other, in the order in which\n"
    "you write them. Their results come in the order of the calls."
)

#: What the calls of a turn are called where they form a block, and where they do not.
_WORDS: Final = {
    False: {
        "unit": "block",
        "about": "its message",
        "again": "the whole block",
        "part": "block",
    },
    True: {"unit": "message", "about": "what it says", "again": "all calls", "part": "call"},
}

_INSTRUCTIONS: Final = """\
# How to think, call tools and answer

{markers}

## Thinking

{thinking}

## Calling tools

{calling}

{call}

One {unit} may contain several calls. {order}

{calls}

Stop {stop} and write nothing after it: the results come in the next message. Never
write results yourself.

## Reading results

There is one result for each call, in the same order:

{results}

{reading}
A failure stops no other call. A result of the tool `execute` is about your {unit} itself: it
broke a rule, and none of its calls ran. Read {about} and write {again} again.

{void}

## What makes a {unit} void

None of the calls of a {unit} runs if it breaks one of these rules:

{rules}

## Writing about markers

{quoting}

## Ending

When nothing is left to call, write your answer and no {part}.{ending}

## An example

{example}

## Tools

{tools}
"""


class _DescribedTool(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class _DescribedTools(Protocol):
    @property
    def tools(self) -> Iterable[_DescribedTool]: ...


def render_prompt(toolset: _DescribedTools, dialect: str | HasDialect | None = None) -> str:
    """Return the part of a system prompt that teaches the dialect and describes the tools.

    `toolset` is a `Toolset`, and the dialect is the toolset's; or any other object whose `tools`
    each have a `name`, a `description` and `parameters`, in a copy without `Toolset`.  Raises
    `ValueError` for the name of another dialect than the toolset's, and `RenderError` for a format
    without results, and for parameters that JSON cannot express; its path then begins with the
    index of the tool.  Raises `TypeError` for a value without `tools`.
    """
    tools: Iterable[_DescribedTool] | None = getattr(toolset, "tools", None)
    if tools is None:
        kind = type(toolset).__name__
        wanted = "a Toolset, or an object whose `tools` have `name`, `description`, `parameters`"
        raise TypeError(f"`toolset` must be {wanted}, not {kind}")
    wire = _dialect(toolset, dialect)
    frame = wire.frame
    if not frame.has_results:
        reason = "it has no markers for results, so use the prompt of the model's chat template"
        raise RenderError("", f"no prompt can teach {wire.name}: {reason}")
    words = _WORDS[frame.runs_at_end]
    return _INSTRUCTIONS.format(
        call=render_calls(_CALL, wire),
        order=(_TOGETHER if wire.parallel else _IN_TURN).format(**words),
        calls=render_calls(_CALLS, wire),
        results=render_results(_RESULTS, wire),
        void=render_results(_VOID, wire),
        ending=f" You may close with `{frame.end}`." if frame.end else "",
        example=writing_of(wire).joint.join(_example(wire)),
        tools="\n\n".join(_described(tools, wire)) or "There are none.",
        **words,
        **writing_of(wire).wording(call_writing_of(wire)),
    )


def _dialect(toolset: Any, named: str | HasDialect | None) -> Dialect:
    """Return the dialect of tools, or that which is named; `ValueError` if the two differ."""
    own = dialect_named(toolset) if hasattr(toolset, "dialect") else None
    wire = (own or dialect_named(DEFAULT)) if named is None else dialect_named(named)
    # A dialect that was copied or pickled is not the same object.
    if own is not None and (wire.name, wire.checksum) != (own.name, own.checksum):
        other = own.name if own.name != wire.name else "another format of this name"
        kind = type(toolset).__name__
        raise ValueError(f"the dialect is {wire.name}, and the {kind} is for {other}")
    return wire


def _example(wire: Dialect) -> Iterator[str]:
    yield frame_text("think", "The address is in the config.", wire)
    yield render_calls(_CALL, wire)
    yield render_results(_RESULT, wire)
    yield frame_text("respond", "The service is reached at old.example.", wire)
    if wire.frame.end:
        yield wire.frame.end


def _described(tools: Iterable[_DescribedTool], wire: Dialect) -> Iterator[str]:
    for index, tool in enumerate(tools):
        parameters = ItemWriter(writing_of(wire).escape).write(
            tool.parameters, f"/{index}/parameters"
        )
        # With the line feed after it, which some markers end with.
        lines = (f"### {tool.name}", tool.description.strip())
        head = "".join(f"{line}\n" for line in lines if line)
        yield f"{_neutral(head, wire)}Parameters (JSON Schema): {parameters}"


def _neutral(text: str, wire: Dialect) -> str:
    characters, _ = decode(text)
    return neutralise(characters, wire)
