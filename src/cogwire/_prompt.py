# SPDX-License-Identifier: MIT
"""The instructions that teach a model a dialect and its tools."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

from ._dialects import Dialect, dialect_named
from ._render import render_calls, render_results
from ._values import LIMITS, ItemWriter, mended

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
    "They run at the same time: what needs another one's result goes into a later block."
)
_IN_TURN: Final = "They run one after the other, in their order."

_INSTRUCTIONS: Final = """\
# How to think, call tools and answer

A program reads what you write. It knows these markers, spelled exactly so, in lower case:
{markers}.

## Thinking

{think}

Thinking is optional, and the user does not see it. It ends at the first `{think_closer}`. What
stands outside of the markers is your answer, which the user sees.

## Calling tools

Write one block: a JSON array of objects, each with `name`, the tool, and `args`, its arguments.

{call}

One block may hold several calls. {order}
Their results come in the order of the calls.

{calls}

Stop at `{execute_closer}` and write nothing after it: the results come in the next message. Never
write results yourself.

## Reading results

There is one result for each call, in the same place:

{results}

`content` is what the tool gave or, where `status` is `"failure"`, what went wrong. A failure stops
no other call. A result of the tool `execute` is about your block itself: it broke a rule, and none
of its calls ran. Read what it says and write the whole block again.

{void}

## What makes a block void

None of the calls of a block runs if it breaks one of these rules:

- Between `{execute_opener}` and `{execute_closer}` stands one JSON array and nothing else: no
  words, no comments, no code fences, no trailing commas, at most {limit} calls.
- Every call is an object with `name`, a string, and `args`, an object: `{{}}` without arguments.
- In a string `"` is written `\\"`, `\\` is written `\\\\`, a line break `\\n` and a tab `\\t`.
  Other text may stand in it as it is, markers too.
- No object has two members of one name, and no number is `NaN` or `Infinity`.
- The block ends with `{execute_closer}`.

## Writing about markers

In your answer a marker acts as a marker wherever it stands, in code and in quotes too. To show one
to the user, write `{literal}` for its first character: {shown}.

## Ending

When nothing is left to call, write your answer and no block. You may close with `{end}`.

## An example

{example}

## Tools

{tools}
"""


class _Tool(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class _Toolset(Protocol):
    @property
    def tools(self) -> Iterable[_Tool]: ...


def render_prompt(toolset: _Toolset, dialect: str = "xml-json") -> str:
    """Return the part of a system prompt that teaches the dialect and describes the tools.

    `toolset` is a `Toolset`.  Raises `RenderError` for parameters that JSON cannot hold; its path
    begins with the number of the tool.
    """
    wire = dialect_named(dialect)
    markers = (*wire.think, *wire.execute, *wire.results, wire.end)
    opener, closer = wire.execute
    return _INSTRUCTIONS.format(
        markers=" ".join(f"`{marker}`" for marker in markers),
        think="reasoning".join(wire.think),
        think_closer=wire.think[1],
        call=render_calls(_CALL, wire.name),
        order=_TOGETHER if wire.parallel else _IN_TURN,
        calls=render_calls(_CALLS, wire.name),
        execute_opener=opener,
        execute_closer=closer,
        results=render_results(_RESULTS, wire.name),
        void=render_results(_VOID, wire.name),
        limit=LIMITS.calls,
        literal=wire.literal,
        shown=f"`{_neutral(opener, wire)}`",
        end=wire.end,
        example=wire.joint.join(_example(wire)),
        tools="\n\n".join(_described(toolset.tools, wire)) or "There are none.",
    )


def _example(wire: Dialect) -> Iterator[str]:
    yield "The address is in the config.".join(wire.think)
    yield render_calls(_CALL, wire.name)
    yield render_results(_RESULT, wire.name)
    yield "The service is reached at old.example."
    yield wire.end


def _described(tools: Iterable[_Tool], wire: Dialect) -> Iterator[str]:
    for index, tool in enumerate(tools):
        parameters = ItemWriter(wire).write(tool.parameters, f"/{index}/parameters")
        lines = (f"### {tool.name}", tool.description.strip())
        yield "\n".join(
            [
                *(_neutral(line, wire) for line in lines if line),
                f"Parameters (JSON Schema): {parameters}",
            ]
        )


def _neutral(text: str, wire: Dialect) -> str:
    return wire.lookalike.sub(lambda _: wire.literal, mended(text))
