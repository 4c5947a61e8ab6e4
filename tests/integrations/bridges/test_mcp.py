"""Servers and clients of `mcp`, in one process."""

import asyncio
import json

import pytest
from mcp import MCPError
from mcp.client import Client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)

import cogwire
from cogwire import aio
from cogwire_kit.bridges import mcp as bridge

MODES = ["auto", "legacy"]


def files():
    """Return a server as people write them."""
    made = MCPServer("files")

    @made.tool()
    def read(file: str, lines: int = 1) -> str:
        """Read a file."""
        if file == "secret":
            raise ToolError("not yours")
        return f"{lines} lines of {file}"

    @made.tool()
    def pay() -> CallToolResult:
        return CallToolResult(content=[], structured_content={"café": 1}, is_error=True)

    @made.tool()
    def count(folder: str) -> dict[str, int]:
        return {folder: 3}

    return made


def results(turn, toolset):
    """Return the result of a turn that is run with a toolset, as values."""

    async def run():
        batch = cogwire.Batch(clock=None)
        for event in cogwire.parse(turn, clock=None):
            batch.take(event)
        return await aio.run(batch, toolset)

    return run()


@pytest.mark.parametrize("mode", MODES)
def test_a_model_of_text_calls_a_server(mode):
    calls = [
        {"name": "read", "args": {"file": "a.txt", "lines": 2}},
        {"name": "count", "args": {"folder": "/"}},
        {"name": "read", "args": {"file": "secret"}},
        {"name": "read", "args": {"lines": "two"}},
        {"name": "write", "args": {}},
        {"name": "pay", "args": {}},
    ]

    async def main():
        async with Client(files(), mode=mode) as client:
            toolset = await bridge.toolset_of(client)
            assert "### read\nRead a file." in cogwire.render_prompt(toolset)
            return await results(cogwire.render_calls(calls), toolset)

    read, count, secret, wrong, unknown, pay = json.loads(asyncio.run(main())["content"])
    assert (read["status"], count["status"]) == ("success", "success")
    assert "2 lines of a.txt" in str(read["content"])
    assert count["content"] == {"/": 3}
    assert secret["content"].startswith("ServerFailure: ")
    assert "not yours" in secret["content"]
    assert "/file is missing" in wrong["content"]  # it never came to the server
    assert "No tool is called" in unknown["content"]
    assert pay["content"] == 'ServerFailure: {"café": 1}'


def names_of(pages):
    """Return the names of the tools of a server, which lists a tool and a cursor by cursor."""

    async def on_list_tools(_, params):
        name, following = pages[params.cursor if params else None]
        return ListToolsResult(
            tools=[Tool(name=name, input_schema={"type": "object"})], next_cursor=following
        )

    async def main():
        async with Client(Server("pages", on_list_tools=on_list_tools)) as client:
            return (await bridge.toolset_of(client)).names

    return asyncio.run(main())


def test_all_pages_of_tools_are_read():
    assert names_of({None: ("a", "1"), "1": ("b", "2"), "2": ("c", None)}) == ("a", "b", "c")


@pytest.mark.parametrize("second", ["1", "2"])
def test_a_list_of_tools_without_an_end_is_refused(second):
    pages = {None: ("a", "1"), "1": ("b", second), "2": ("c", "1")}
    endless = pytest.RaisesExc(ValueError, match=r"has no end: it gave the cursor '1' twice$")
    with pytest.RaisesGroup(endless, flatten_subgroups=True):
        names_of(pages)


def test_a_tool_with_a_schema_that_is_refused_can_be_left_out():
    """As those of zod are, which writes a lookahead for each email."""
    ahead = {"type": "string", "format": "email", "pattern": "^(?!\\.)(?!.*\\.\\.)[a-z.]+@[a-z]+$"}
    schemas = {
        "search": {"q": {"type": "string"}},
        "invite": {"to": ahead},
        "move": {"by": {"type": "array", "items": [{"type": "number"}, {"type": "number"}]}},
        "wait": {"seconds": {"type": "number", "minimum": 0, "exclusiveMinimum": True}},
    }
    listed = [
        Tool(name=name, input_schema={"type": "object", "properties": properties})
        for name, properties in schemas.items()
    ]

    async def on_list_tools(_, __):
        return ListToolsResult(tools=listed)

    async def main(**options):
        async with Client(Server("crm", on_list_tools=on_list_tools)) as client:
            return await bridge.toolset_of(client, **options)

    toolset = asyncio.run(main(strict=False))
    assert toolset.names == ("search",)
    assert [each.name for each in toolset.refused] == ["invite", "move", "wait"]
    assert "at '/properties/to/pattern'" in toolset.refused[0].message
    with pytest.raises(Exception, match="TaskGroup") as raised:
        asyncio.run(main())
    assert "tools[1]: tool 'invite'" in str(raised.value.exceptions[0].exceptions[0])


@pytest.mark.parametrize("timeout", ["60", float("nan")])
def test_a_time_limit_that_is_not_one_is_refused_at_once(timeout):
    def add(a: int) -> int:
        return a

    with pytest.raises((TypeError, ValueError), match="timeout is a number of seconds, or None"):
        bridge.server("tools", cogwire.Toolset([add]), timeout=timeout)


def sent(toolset, name, args, mode="auto"):
    """Return what a client gets of a server that a toolset is."""

    async def main():
        async with Client(bridge.server("tools", toolset), mode=mode) as client:
            listed = await client.list_tools()
            return listed.tools, await client.call_tool(name, args)

    return asyncio.run(main())


def test_a_toolset_is_a_server():
    def add(a: int, b: int = 1) -> dict[str, int]:
        """Add."""
        if a < 0:
            raise ArithmeticError("too small")
        return {"sum": a + b}

    toolset = cogwire.Toolset([add])
    for mode in MODES:
        listed, result = sent(toolset, "add", {"a": 2}, mode)
        assert result.structured_content == {"sum": 3}
        assert json.loads(result.content[0].text) == {"sum": 3}
        assert not result.is_error
        assert cogwire.Toolset(listed).tools[0] == toolset.tools[0]
        _, wrong = sent(toolset, "add", {"a": "2"}, mode)
        assert wrong.is_error
        assert wrong.content[0].text == '/a: expected integer, got string "2"'
        _, failed = sent(toolset, "add", {"a": -1}, mode)
        assert (failed.is_error, failed.content[0].text) == (True, "ArithmeticError: too small")
        with pytest.raises(Exception, match="TaskGroup") as raised:
            sent(toolset, "sub", {}, mode)
        refusals = [raised.value]
        while hasattr(refusals[0], "exceptions"):
            refusals = refusals[0].exceptions
        assert [(type(each), each.message) for each in refusals] == [
            (MCPError, "There is no tool 'sub'.")
        ]


def test_a_toolset_in_elements_is_the_same_server():
    """Arguments come as JSON, and not as text."""

    def add(a: int) -> int:
        return a + 1

    _, result = sent(cogwire.Toolset([add], "xml-elements"), "add", {"a": 2})
    assert (result.content[0].text, result.structured_content) == ("3", None)


CONTENTS = [
    ([TextContent(text="a"), TextContent(text="b")], "a\n\nb"),
    ([], ""),
    (
        [TextContent(text="a"), ImageContent(data="AAAA", mime_type="image/png")],
        ["a", {"type": "image", "mimeType": "image/png"}],
    ),
    (
        [ResourceLink(name="b", uri="file:///b")],
        [{"type": "resource_link", "uri": "file:///b", "name": "b"}],
    ),
    (
        [EmbeddedResource(resource=TextResourceContents(uri="file:///c", text="c"))],
        [{"type": "resource", "uri": "file:///c", "text": "c"}],
    ),
    (
        [
            EmbeddedResource(
                resource=BlobResourceContents(uri="file:///d", blob="AAAA", mime_type="a/b")
            )
        ],
        [{"type": "resource", "uri": "file:///d", "mimeType": "a/b"}],
    ),
]


@pytest.mark.parametrize(("content", "value"), CONTENTS)
def test_the_text_of_a_result(content, value):
    assert bridge.value_of(CallToolResult(content=content)) == value


def test_structured_content_is_the_content_of_a_result():
    result = CallToolResult(content=[TextContent(text="{}")], structured_content={"a": 1})
    assert bridge.value_of(result) == {"a": 1}
    failed = CallToolResult(content=[], structured_content={"a": 1}, is_error=True)
    assert bridge.value_of(failed) == {"a": 1}
    failed.content = [TextContent(text="why")]
    assert bridge.value_of(failed) == "why"


def test_names_are_those_that_mcp_allows():
    (tool,) = bridge.tools(cogwire.Toolset([{"name": "fs.read"}]))
    assert tool.name == "fs.read"
    for name in ("fs read", "lire_é", "x" * 129):
        with pytest.raises(ValueError, match="its name must be of at most 128"):
            bridge.tools(cogwire.Toolset([{"name": name}]))
