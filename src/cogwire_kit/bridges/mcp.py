# SPDX-License-Identifier: MIT
"""MCP: the tools of a server for a model that writes text, and a toolset as a server.

It needs `mcp`: `pip install 'mcp>=2.3'`.
"""

import json
from collections.abc import Callable
from typing import Any

try:
    from mcp.client import Client
    from mcp.server import Server
    from mcp.shared.exceptions import MCPError
    from mcp.shared.tool_name_validation import validate_tool_name
    from mcp_types import (
        INVALID_PARAMS,
        CallToolRequestParams,
        CallToolResult,
        ContentBlock,
        EmbeddedResource,
        ListToolsResult,
        PaginatedRequestParams,
        ResourceLink,
        TextContent,
        TextResourceContents,
    )
    from mcp_types import Tool as ToolDefinition
except ImportError as missing:
    raise ImportError("cogwire_kit.bridges.mcp needs mcp: pip install 'mcp>=2.3'") from missing

from cogwire import Toolset
from cogwire.tooling import Tool
from cogwire_kit.bridges.common.outcomes import CallOutcome, json_text, plain_text
from cogwire_kit.bridges.common.tools import caller

__all__ = ["ServerFailure", "result_of", "server", "tools", "toolset_of", "value_of"]


class ServerFailure(Exception):  # noqa: N818 - what a server reports as failed is not our error
    """A failure of a call that a server reports."""


# -- Tools in -------------------------------------------------------------------------------------


async def toolset_of(client: Client, dialect: str = "xml-json", *, strict: bool = True) -> Toolset:
    """Return all tools of a server, whose calls go to the server.

    `cogwire.aio.run` runs them while the client is open.  Raises `ValueError` for a schema that a
    `Toolset` refuses; without `strict`, its tool is left out, and is in the toolset's `refused`.
    Nothing that a schema refers to is fetched.  Raises `ValueError` too for a server that gives a
    page again, whose list has no end.
    """
    found: list[Tool] = []
    cursor: str | None = None
    seen: set[str] = set()
    while True:
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            function = _function(client, tool.name)
            found.append(Tool(tool.name, tool.description or "", tool.input_schema, function))
        cursor = page.next_cursor
        if cursor is None:
            return Toolset(found, dialect, strict=strict)
        if cursor in seen:
            message = f"the server's list of tools has no end: it gave the cursor {cursor!r} twice"
            raise ValueError(message)
        seen.add(cursor)


def _function(client: Client, name: str) -> Callable[..., Any]:
    async def run(**args: Any) -> object:
        result = await client.call_tool(name, args)
        value = value_of(result)
        if result.is_error:
            raise ServerFailure(value if isinstance(value, str) else json_text(value))
        return value

    return run


def value_of(result: CallToolResult) -> object:
    """Return the value of a result: its structured content, its text, or a list of its contents.

    Images and audio are in the list without their data, which no text model can read.  Of a failure
    the structured content is returned only if it has nothing else, since its text is the message.
    """
    if result.structured_content is not None and not (result.is_error and result.content):
        return result.structured_content
    parts = [_part(block) for block in result.content]
    if all(isinstance(part, str) for part in parts):
        return "\n\n".join(map(str, parts))
    return parts


def _part(block: ContentBlock) -> object:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ResourceLink):
        return {"type": "resource_link", "uri": str(block.uri), "name": block.name}
    if isinstance(block, EmbeddedResource):
        resource = block.resource
        if isinstance(resource, TextResourceContents):
            return {"type": "resource", "uri": str(resource.uri), "text": resource.text}
        return {"type": "resource", "uri": str(resource.uri), "mimeType": resource.mime_type}
    return {"type": block.type, "mimeType": block.mime_type}


# -- Tools out ------------------------------------------------------------------------------------


def tools(toolset: Toolset) -> list[ToolDefinition]:
    """Return the tools of a toolset as a server lists them.

    Raises `ValueError` for a name that MCP does not allow (SEP-986).
    """
    for tool in toolset.tools:
        if not validate_tool_name(tool.name).is_valid:
            raise ValueError(
                f"tool {tool.name!r}: its name must be of at most 128 letters, digits, dots, "
                "hyphens and underscores"
            )
    return [
        ToolDefinition(
            name=tool.name,
            description=tool.description or None,
            input_schema={**tool.parameters, "type": "object"},
        )
        for tool in toolset.tools
    ]


def result_of(outcome: CallOutcome) -> CallToolResult:
    """Return an outcome as the result of a call: an object is structured content, too."""
    value = json.loads(outcome.content)
    text = TextContent(text=plain_text(outcome.content))
    is_failure = outcome.status == "failure"
    if is_failure or not isinstance(value, dict):
        return CallToolResult(content=[text], is_error=is_failure)
    return CallToolResult(content=[text], structured_content=value)


def server(name: str, toolset: Toolset, *, timeout: float | None = 60) -> Server[Any]:
    """Return a server with the tools of a toolset.

    Calls are checked and run as `cogwire.aio.run` does, for at most `timeout` seconds; a failure is
    a result with `is_error`.  Raises `ValueError` for a tool without a function, and for a name
    that MCP does not allow.
    """
    listed = tools(toolset)
    call = caller(toolset, timeout)

    async def on_list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def on_call_tool(_: object, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in toolset.names:
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r}.")
        return result_of(await call(params.name, params.arguments or {}))

    return Server(name, on_list_tools=on_list_tools, on_call_tool=on_call_tool)
