"""Drives clients of OpenAI's and Anthropic's APIs with a stream, and returns the message they make.

Each function gets the deltas of a case and returns its `content`, `calls` and `finish`, with
`arguments` as text or as a value.  The clients of the two companies get bytes of HTTP.

`python -m conformance.clients.readers API` compares the lines that `ai.mjs` has written.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Case = dict[str, Any]
Message = dict[str, Any]


def cases(api: str) -> list[Case]:
    """Return the cases of an API: `openai` or `anthropic`."""
    read: list[Case] = json.loads((HERE / f"{api}.json").read_text("utf-8"))
    return read


def differences(read: Callable[[list[Any]], Message], api: str) -> dict[str, Message]:
    """Return what a client makes of the cases of which it makes something else."""
    return differing({case["id"]: _tried(read, case["deltas"]) for case in cases(api)}, api)


def differing(made: Mapping[str, Message], api: str) -> dict[str, Message]:
    """Return the messages, by the ids of their cases, that are not the expected ones."""
    expected = {case["id"]: case["expect"] for case in cases(api)}
    return {name: found for name, found in made.items() if not _same(found, expected[name])}


def _tried(read: Callable[[list[Any]], Message], deltas: list[Any]) -> Message:
    try:
        return read(deltas)
    except Exception as problem:  # noqa: BLE001 - whatever the client throws is its answer
        return {"error": type(problem).__name__}


def _same(found: Message, expected: Message) -> bool:
    if "error" in found:
        return False
    whole = [call for call in expected["calls"] if isinstance(_value(call["arguments"]), dict)]
    calls = [{**call, "arguments": _value(call["arguments"])} for call in found["calls"]]
    allowed = [
        [{**call, "arguments": _value(call["arguments"])} for call in some]
        for some in (expected["calls"], whole)
    ]
    return (
        found["content"] == expected["content"]
        and calls in allowed
        and found["finish"] == expected["finish"]
    )


def _value(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


# -- OpenAI's chat completions ---------------------------------------------------------------


def openai_chunks(deltas: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream."""
    for delta in deltas:
        chunk = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        if "delta" in delta:
            yield {**chunk, "choices": [{"index": 0, "finish_reason": None, **delta}]}
        else:
            yield {**chunk, "choices": [], **delta}


def _openai_bytes(deltas: Iterable[Any]) -> bytes:
    lines = (f"data: {json.dumps(chunk)}\n\n" for chunk in openai_chunks(deltas))
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def _of_choice(choice: Any) -> Message:
    """Return the message of a whole choice of OpenAI's API."""
    calls = [
        {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
        for call in choice.message.tool_calls or ()
    ]
    return {
        "content": choice.message.content or "",
        "calls": calls,
        "finish": choice.finish_reason,
    }


def openai(deltas: list[Any]) -> Message:
    """Stream with `openai`'s client, and take the final completion."""
    import httpx2  # noqa: PLC0415 - each client is in an environment of its own
    from openai import OpenAI  # noqa: PLC0415

    client = httpx2.Client(transport=httpx2.MockTransport(_answer(httpx2, _openai_bytes(deltas))))
    api = OpenAI(api_key="a", base_url="http://a/v1", http_client=client)
    with api.chat.completions.stream(model="m", messages=[]) as stream:
        for _ in stream:
            pass
        return _of_choice(stream.current_completion_snapshot.choices[0])


def langchain(deltas: list[Any]) -> Message:
    """Add up chunks of `langchain-core`, made of the deltas as langchain-openai makes them."""
    from langchain_core.messages import AIMessageChunk  # noqa: PLC0415

    joined, finish = AIMessageChunk(""), None
    for chunk in openai_chunks(deltas):
        for choice in chunk["choices"]:
            finish = choice["finish_reason"] or finish
            pieces = [
                {
                    "name": call["function"].get("name"),
                    "args": call["function"].get("arguments"),
                    "id": call.get("id"),
                    "index": call["index"],
                }
                for call in choice["delta"].get("tool_calls") or ()
            ]
            content = choice["delta"].get("content") or ""
            joined += AIMessageChunk(content, tool_call_chunks=pieces)
    calls = [
        {"id": call["id"], "name": call["name"], "arguments": call["args"]}
        for call in joined.tool_calls
    ]
    return {"content": joined.text, "calls": calls, "finish": finish}


def litellm(deltas: list[Any]) -> Message:
    """Join the chunks with `litellm.stream_chunk_builder`."""
    import litellm as package  # noqa: PLC0415
    from litellm.types.utils import ModelResponseStream  # noqa: PLC0415

    made = package.stream_chunk_builder(
        [ModelResponseStream(**chunk) for chunk in openai_chunks(deltas)]
    )
    return _of_choice(made.choices[0])


def pydantic_ai(deltas: list[Any]) -> Message:
    """Stream with pydantic-ai's model for OpenAI's API, and take the response."""
    import httpx2  # noqa: PLC0415
    from openai import AsyncOpenAI  # noqa: PLC0415
    from pydantic_ai.messages import ModelRequest  # noqa: PLC0415
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    async def streamed() -> Any:
        transport = httpx2.MockTransport(_answer(httpx2, _openai_bytes(deltas)))
        client = httpx2.AsyncClient(transport=transport)
        api = AsyncOpenAI(api_key="a", base_url="http://a/v1", http_client=client)
        model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=api))
        asked = [ModelRequest.user_text_prompt("a")], None, ModelRequestParameters()
        async with model.request_stream(*asked) as stream:
            async for _ in stream:
                pass
            return stream.get()

    response = asyncio.run(streamed())
    calls = [
        {"id": call.tool_call_id, "name": call.tool_name, "arguments": call.args}
        for call in response.tool_calls
    ]
    # Its names of the reasons are its own.
    names = {"tool_call": "tool_calls"}
    finish = names.get(response.finish_reason, response.finish_reason)
    # `response.text` puts blank lines between its parts.
    text = "".join(part.content for part in response.parts if part.part_kind == "text")
    return {"content": text, "calls": calls, "finish": finish}


# -- Anthropic's messages --------------------------------------------------------------------


def anthropic(deltas: list[Any]) -> Message:
    """Stream with `anthropic`'s client, and take the final message."""
    import httpx2  # noqa: PLC0415
    from anthropic import Anthropic  # noqa: PLC0415

    message = {"id": "a", "type": "message", "role": "assistant", "model": "m", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None}
    message["usage"] = {"input_tokens": 1, "output_tokens": 1}
    events = [{"type": "message_start", "message": message}, *deltas, {"type": "message_stop"}]
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    transport = httpx2.MockTransport(_answer(httpx2, "".join(lines).encode()))
    api = Anthropic(api_key="a", http_client=httpx2.Client(transport=transport))
    with api.messages.stream(model="m", max_tokens=1, messages=[]) as stream:
        final = stream.get_final_message()
    calls = [
        {"id": block.id, "name": block.name, "arguments": block.input}
        for block in final.content
        if block.type == "tool_use"
    ]
    text = "".join(block.text for block in final.content if block.type == "text")
    return {"content": text, "calls": calls, "finish": final.stop_reason}


def _answer(httpx: Any, body: bytes) -> Callable[[Any], Any]:
    headers = {"content-type": "text/event-stream"}
    return lambda _request: httpx.Response(200, headers=headers, content=body)


if __name__ == "__main__":
    given = [json.loads(line) for line in sys.stdin]
    found = differing({one.pop("id"): one for one in given}, sys.argv[1])
    sys.stdout.write(f"{json.dumps(found, ensure_ascii=False)}\n")
