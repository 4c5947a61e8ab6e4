"""Calls and results in JSON: the shapes of objects, and of an array of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .block import Block, Written
from .json_block import (
    close_bracket,
    items,
    members,
    read_string,
    read_value,
    require,
    require_array,
)

#: The names that models and other formats give to `args`.
ARGUMENTS = ("args", "arguments", "input", "kwargs", "parameters", "params")


class Call(NamedTuple):
    """A call in a block: its name, its content, and the place of its first character."""

    name: str
    content: str
    first: int


# xj-not-object xj-limit-calls xj-call xj-call-content
# A block of calls is an array of objects.  The content of each call is its own text.
def read_calls(block: Block) -> Iterator[Call]:
    require_array(block)
    for index in items(block, 1):
        require(block, "{", "not-object")
        if index == block.limits.calls:
            raise block.error("limit-calls")
        first = block.at
        name = read_call(block)
        yield Call(name, block.text.characters[first : block.at], first)
    close_bracket(block, ())


# xj-member-order xj-other-members xj-args-type xj-missing err-path-missing
# A call has a name and args, in any order; other members are ignored.  Returns the name.
# dl-payload-args tr-arguments tr-arguments-named fd-object fd-one-of
# In some formats args may be absent, but not under another name, and in some the two members have
# other names, or one of several.
def read_call(
    block: Block,
    *,
    needs_args: bool = True,
    name_keys: Sequence[str] = ("name",),
    args_keys: Sequence[str] = ("args",),
) -> str:
    outside = block.place
    block.written = Written()
    name = ""
    has_args = has_arguments = False
    for member in members(block, 2, [name_keys, args_keys]):
        if member in name_keys:
            first = block.at
            name = read_tool_name(block)
            block.written.name = name
            block.written.spelled = block.text.characters[first : block.at]
        elif member in args_keys:
            require(block, "{", "bad-args")
            has_args = True
            read_args(block)
        else:
            has_arguments = has_arguments or member in ARGUMENTS
            read_value(block, 3, "}")
    if name == "":
        raise block.error("missing-name", outside)
    if needs_args and not has_args:
        raise block.error("missing-args", outside)
    if has_arguments and not has_args:
        raise block.error("missing-args", outside)
    close_bracket(block, outside)
    return name


# m-call-delta m-call-delta-broken
# The text of the args, whole or up to an error.
def read_args(block: Block) -> None:
    first = block.at
    try:
        read_value(block, 3, "}")
    finally:
        block.written.args = block.text.characters[first : block.at]


# xj-name-type xj-name-value xj-name-compare
# A name is a string, not empty, and not `execute`.
def read_tool_name(block: Block) -> str:
    require(block, '"', "bad-name")
    name = read_string(block)
    if name in ("", "execute"):
        raise block.error("bad-name")
    block.accept()
    return name


# xj-results xj-results-shape xj-results-count xj-results-void res-items
# A block of results is an array with one object for each call, in the order of the calls; a void
# block has one, of `execute`.  Returns the statuses.
def read_results(block: Block, called: list[str] | None) -> list[str]:
    tools = ["execute"] if called is None else called
    statuses: list[str] = []
    require_array(block)
    for index in items(block, 1):
        require(block, "{", "results-shape")
        if index == len(tools):
            raise block.error("results-count")
        statuses.append(read_result(block, tools[index], is_void=called is None))
    if len(statuses) < len(tools):
        raise block.error("results-count")
    close_bracket(block, ())
    return statuses


# res-array res-empty
# The items on separate lines, each after two spaces; without items `[]`.
def array(items: list[str]) -> str:
    return "[\n  " + ",\n  ".join(items) + "\n]" if items else "[]"


# xj-results-item xj-results-void res-item res-success res-failure res-void err-path-missing
# A result has the tool of its call, a status, and a content: any value, for a failure a string.
# The result of a void block is a failure.  Returns the status.
def read_result(block: Block, tool: str, *, is_void: bool) -> str:
    outside = block.place
    status = ""
    present: set[str] = set()
    content_is_string = False
    for member in members(block, 2):
        present.add(member)
        if member == "tool":
            read_tool(block, tool)
        elif member == "status":
            status = read_status(block)
        else:
            if member == "content":
                content_is_string = block.peek() == '"'
            read_value(block, 3, "}")
    if not present >= {"tool", "status", "content"}:
        raise block.error("results-shape", outside)
    if status == "failure" and not content_is_string:
        raise block.error("results-shape", outside)
    if status == "success" and is_void:
        raise block.error("results-shape", outside)
    close_bracket(block, outside)
    return status


# xj-results-order xj-results-types xj-name-compare err-order res-tool
# The tool is the name of the call in the same position; names compare unescaped.
def read_tool(block: Block, tool: str) -> None:
    require(block, '"', "results-shape")
    if read_string(block) != tool:
        raise block.error("results-order")
    block.accept()


# xj-results-status xj-results-types xj-name-compare res-status
# A status is one of two words.
def read_status(block: Block) -> str:
    require(block, '"', "results-shape")
    status = read_string(block)
    if status not in ("success", "failure"):
        raise block.error("results-shape")
    block.accept()
    return status
