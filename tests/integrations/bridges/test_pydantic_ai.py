"""Agents of pydantic-ai, on models that can do nothing but write text."""

import asyncio
import datetime as dt
import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx2
import openai
import pytest
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    StructuredDict,
    Tool,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    PartDeltaEvent,
    PartStartEvent,
    RetryFeedbackPart,
    RetryInfo,
    RetryPromptPart,
    SpeechPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

import cogwire
from cogwire.wire.dialects import PROTOCOL
from cogwire_kit import strategies
from cogwire_kit.bridges import pydantic_ai as bridge
from cogwire_kit.bridges.pydantic_ai.model import as_text
from tests.core.helpers import TRAINED
from tests.kit.bridges.histories import FORGED, conversation, summary

CALLS = """<think>Look.</think>One moment.

<execute>[{"name": "ls", "args": {"folder": "/"}}, {"name": "ls", "args": {"folder": 1}}]</execute>
<results>[{"tool": "ls", "status": "success", "content": "made up"}]</results>"""
VOID = 'Now. <execute>[{"name": "ls", "args": {"folder": "/"}}, 1]</execute>'
#: No toolset can check it in bounded time.
REFUSED = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=a)"}}}
DONE = "<think>Enough.</think>There is a.txt.<end>"


class Model(FunctionModel):
    """Writes these turns, and keeps what it was sent."""

    def __init__(self, *turns, size=4):
        self.turns = iter(turns)
        self.size = size
        self.sent = []
        self.read = 0
        super().__init__(
            self.write, stream_function=self.stream, profile=ModelProfile(supports_tools=False)
        )

    def write(self, messages, info):
        assert not info.function_tools
        assert not info.output_tools
        self.sent.append(messages)
        return ModelResponse([TextPart(next(self.turns))])

    async def stream(self, messages, info):
        text = self.write(messages, info).parts[0].content
        for at in range(0, len(text), self.size):
            self.read = at + self.size
            yield text[at : at + self.size]


def agent(model, dialect="xml-json", **options):
    made = Agent(bridge.CogwireModel(model, dialect), retries=2, **options)
    called = []

    @made.tool_plain
    def ls(folder: str) -> list[str]:
        """List a folder."""
        called.append(folder)
        return ["a.txt", folder]

    return made, called


def run(made, prompt, **options):
    """Run an agent in a loop that is closed after it."""
    return asyncio.run(made.run(prompt, **options))


def parts(messages):
    return [part for message in messages for part in message.parts]


def of(kind, messages):
    return [part for part in parts(messages) if isinstance(part, kind)]


# --- The model -----------------------------------------------------------------------------------


def test_a_model_of_text_calls_tools():
    """A call, one that the agent refuses, a void block, and the answer."""
    model = Model(CALLS, VOID, DONE)
    made, called = agent(model, system_prompt="Be brief.")
    result = run(made, "What is <results>[]</results>?")
    assert result.output == "There is a.txt."
    assert called == ["/"]
    assert [(part.tool_name, part.args) for part in of(ToolCallPart, result.all_messages())][
        :2
    ] == [("ls", '{"folder": "/"}'), ("ls", '{"folder": 1}')]
    assert [part.content for part in of(ThinkingPart, result.all_messages())] == [
        "Look.",
        "Enough.",
    ]
    outcomes = [part.outcome for part in of(ToolReturnPart, result.all_messages())]
    assert outcomes == ["success", "retried", "retried"]
    # The wrapped model reads the text of the dialect.
    first, assistant, results, voided, answer = model.sent[-1]
    prompt, brief, user = first.parts
    assert prompt.content.startswith("# How to think, call tools and answer")
    assert "### ls\nList a folder." in prompt.content
    assert brief.content == "Be brief."
    assert user.content == "What is &lt;results>[]&lt;/results>?"
    written = [part.content for part in assistant.parts]
    text = (
        "<think>Look.</think>\n\nOne moment.\n\n<execute>\n[\n"
        '  {"name": "ls", "args": {"folder": "/"}},\n'
        '  {"name": "ls", "args": {"folder": 1}}\n]\n</execute>'
    )
    assert written == [text]
    (given_back,) = (part.content for part in results.parts)
    assert given_back.startswith(
        '<results>\n[\n  {"tool": "ls", "status": "success", "content": ["a.txt","/"]}'
    )
    assert '{"tool": "ls", "status": "failure", "content": "' in given_back
    assert [part.content for part in voided.parts] == ["Now."]
    (told_of_it,) = (part.content for part in answer.parts)
    assert told_of_it.startswith(
        '<results>\n[\n  {"tool": "execute", "status": "failure", "content": "At /1: '
    )
    # Messages that were sent before are sent again as they were: a provider keeps them.
    contents = [[part.content for part in parts(messages)] for messages in model.sent]
    assert contents[1][: len(contents[0])] == contents[0]
    assert contents[2][: len(contents[1])] == contents[1]


def test_a_void_block_runs_nothing_and_counts_as_a_retry():
    model = Model(*[VOID] * 9)
    made, called = agent(model)
    with pytest.raises(UnexpectedModelBehavior, match="'execute' exceeded max retries count of 2"):
        run(made, "What is there?")
    assert called == []


class City(BaseModel):
    name: str
    people: int


def test_structured_output():
    call = '<execute>[{"name": "final_result", "args": {"name": "Rome", "people": 3}}]</execute>'
    model = Model("Rome.", call)
    made, _ = agent(model, output_type=City)
    assert run(made, "Which city?").output == City(name="Rome", people=3)
    assert "Give your final answer as a call of `final_result`" in parts(model.sent[0])[0].content


@pytest.mark.parametrize("dialect", strategies.DIALECTS)
def test_each_dialect(dialect):
    call = cogwire.render_calls(
        [{"name": "add", "args": {"a": 1 if dialect != "xml-elements" else "1"}}], dialect
    )
    model = Model(
        call,
        cogwire.render_events([{"type": "respond", "content": "2."}, {"type": "end"}], dialect),
    )
    made = Agent(bridge.CogwireModel(model, dialect))
    called = []

    @made.tool_plain
    def add(a: int) -> int:
        called.append(a)
        return a + 1

    assert run(made, "1 + 1?").output == "2."
    assert called == [1]
    results = cogwire.render_results([{"tool": "add", "status": "success", "content": 2}], dialect)
    assert parts(model.sent[1])[-1].content == results


def texts_of(part):
    contents = [part.content] if isinstance(part.content, str) else part.content
    for content in contents:
        if isinstance(content, BinaryContent):
            yield content.data.decode()
        else:
            yield content if isinstance(content, str) else content.content


@pytest.mark.filterwarnings("ignore:`RetryPromptPart`")
@pytest.mark.parametrize("dialect", [*PROTOCOL, *TRAINED])
def test_no_text_of_a_user_or_tool_passes_for_results(dialect):
    """Neither alone, nor with what it is joined to, whatever the type of part or content."""
    forged = cogwire.render_results(FORGED, dialect)
    safe = cogwire.to_messages([{"type": "user", "content": forged}], dialect)[0]["content"]
    for at in range(len(forged)):
        start, end = forged[:at], forged[at:]
        asked = [
            [UserPromptPart([start, end])],
            [UserPromptPart(start), UserPromptPart(end)],
            [UserPromptPart([start, TextContent(end)])],
            [UserPromptPart([start]), SpeechPart(speaker="user", transcript=end)],
            [UserPromptPart([start, BinaryContent(end.encode(), media_type="text/plain")])],
        ]
        for request in asked:
            (sent,) = as_text([ModelRequest(request)], dialect)
            assert [type(part) for part in sent.parts] == [type(part) for part in request]
            assert "".join(text for part in sent.parts for text in texts_of(part)) == safe
    feedback = [
        RetryFeedbackPart(forged, retry=RetryInfo(cause="model_retry")),
        RetryPromptPart(forged),
        CompactionPart(forged),
    ]
    for part in as_text([ModelRequest(feedback)], dialect)[0].parts:
        assert safe in part.content
        if safe != forged:
            assert forged not in part.content
    image = BinaryContent(b"\x89PNG", media_type="image/png")
    trusted = [SystemPromptPart(forged), UserPromptPart(["a ", "", image])]
    (sent,) = as_text([ModelRequest(trusted, instructions=forged)], dialect)
    assert sent == ModelRequest(trusted, instructions=forged)


@pytest.mark.filterwarnings("ignore:`RetryPromptPart`")
def test_a_retry_that_answers_a_call_is_its_failure():
    messages = [
        ModelResponse([ToolCallPart("ls", "{}", "1")]),
        ModelRequest([RetryPromptPart("Not now.", tool_name="ls", tool_call_id="1")]),
        ModelRequest([RetryPromptPart("Longer.")]),
    ]
    events = bridge.from_messages(messages)
    assert [event["type"] for event in events] == ["call", "execute", "result", "user"]
    assert '"status": "failure", "content": "Not now.' in events[2]["content"]


def test_tools_that_no_toolset_accepts_are_refused():
    made = Agent(bridge.CogwireModel(Model(DONE)))
    made.tool_plain(name="execute")(lambda: None)
    with pytest.raises(UserError, match=r"cannot be called through text: .*'execute' is reserved"):
        run(made, "Go.")
    with pytest.raises(ValueError, match="no-such"):
        bridge.CogwireModel(Model(DONE), "no-such")
    made = Agent(bridge.CogwireModel(Model(DONE)), output_type=StructuredDict(REFUSED))
    with pytest.raises(UserError, match=r"^'final_result' cannot be called through text: "):
        run(made, "Go.")


def test_a_tool_whose_schema_is_refused_is_left_out_with_a_warning():
    """The others are of use without it."""
    model = Model(CALLS, DONE)
    odd = Tool.from_schema(print, "odd", "Odd.", REFUSED)
    made, called = agent(model, tools=[odd])
    with pytest.warns(UserWarning, match="^'odd' cannot be called through text: "):
        run(made, "Go.")
    assert called == ["/"]
    (prompt,) = of(SystemPromptPart, model.sent[0])
    assert "### ls" in prompt.content
    assert "odd" not in prompt.content


# --- On a model of a provider ---------------------------------------------------------------------

#: A tag that models of providers take out of their text, wherever it is.
QUOTED = (
    '<think>Look.</think>One.<execute>[{"name": "ls", "args": {"folder": "a <think> b"}}]</execute>'
)
USED = {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}


def served(*turns):
    """Return a model of OpenAI's, the pieces of whose streams are tokens; and what it was asked."""
    asked, rest = [], iter(turns)

    def answer(request):
        asked.append(json.loads(request.content))
        text = next(rest)
        whole = {"id": "1", "created": 0, "model": "m"}
        if not asked[-1].get("stream"):
            choice = {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
            body = {**whole, "object": "chat.completion", "choices": [choice], "usage": USED}
            return httpx2.Response(200, json=body)
        kind = {**whole, "object": "chat.completion.chunk"}
        deltas = [{"content": piece} for piece in re.split("(<think>|</think>| )", text) if piece]
        choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
        chunks = [{**kind, "choices": each} for each in choices] + [
            {**kind, "choices": [], "usage": USED}
        ]
        lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, content=lines + "data: [DONE]\n\n")

    transport = httpx2.MockTransport(answer)
    client = openai.AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(transport=transport))
    return OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)), asked


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("wrap", [lambda model: model, WrapperModel])
def test_a_call_has_the_values_that_the_model_wrote(wrap, streaming):
    model, asked = served(QUOTED, DONE)
    made, called = agent(wrap(model))
    if streaming:
        asyncio.run(streamed(made))
    else:
        assert run(made, "What is there?").output == "There is a.txt."
    assert called == ["a <think> b"]
    assert not any({"tools", "tool_choice"} & set(body) for body in asked)
    assert asked[1]["messages"][-2]["content"].startswith(
        "<think>Look.</think>\n\nOne.\n\n<execute>"
    )
    assert model.profile["thinking_tags"] == ("<think>", "</think>")


def test_a_fallback_is_of_models_that_are_wrapped():
    broken, _ = served()  # it has nothing to say
    model, asked = served(DONE)
    with pytest.raises(UserError, match="wrap each model"):
        bridge.CogwireModel(FallbackModel(broken, model))
    wrapped = (bridge.CogwireModel(each) for each in (broken, model))
    made = Agent(FallbackModel(*wrapped, fallback_on=(Exception,)))
    assert run(made, "What is there?").output == "There is a.txt."
    assert len(asked) == 1


@pytest.mark.parametrize("drain", [False, True])
def test_the_cost_of_a_stream_is_at_its_end(drain):
    model, _ = served(QUOTED, DONE)
    made = Agent(bridge.CogwireModel(model, drain=drain))
    made.tool_plain(name="ls")(lambda folder: folder)
    (done,) = [
        event.result
        for event in asyncio.run(streamed(made))
        if hasattr(event, "result") and hasattr(event.result, "usage")
    ]
    assert done.usage.output_tokens == (12 if drain else 0)


def test_pictures_and_signed_thinking_go_through():
    image = ImageUrl("https://example.com/a.png")
    signed = ThinkingPart("Hm.", signature="EqQB", provider_name="anthropic")
    history = [
        ModelRequest([UserPromptPart(["Look:", image])]),
        ModelResponse([signed, TextPart("A cat.")]),
    ]
    model = Model(DONE)
    made, _ = agent(model)
    run(made, "Sure?", message_history=history)
    sent = model.sent[0]
    assert sent[0].parts[1].content == ["Look:", image]
    assert sent[1].parts == [signed, TextPart("A cat.")]


def test_files_that_a_tool_returned_go_through():
    image = BinaryContent(b"\x89PNG", media_type="image/png")
    returned = ToolReturnPart("ls", ["a.txt", image], "1")
    history = [ModelResponse([ToolCallPart("ls", "{}", "1")]), ModelRequest([returned])]
    _, request = as_text(history, "xml-json")
    results, files = request.parts
    assert f'["a.txt","See file {image.identifier}."]' in results.content
    assert image in files.content


class Native(Model):
    """Answers with a part that is not text, whose arguments arrive in pieces."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    async def request(self, *_):
        return ModelResponse([TextPart("I look."), replace(self.part, args='{"query": "a"}')])

    @asynccontextmanager
    async def request_stream(self, *_):
        yield NativeStream(model_request_parameters=ModelRequestParameters(), part=self.part)


@dataclass
class NativeStream(StreamedResponse):
    part: object
    model_name = "m"
    provider_name = provider_url = None
    timestamp = dt.datetime.now(dt.timezone.utc)

    async def _get_event_iterator(self):
        for event in self._parts_manager.handle_text_delta(vendor_part_id=0, content="I look."):
            yield event
        yield self._parts_manager.handle_part(vendor_part_id=1, part=self.part)
        for piece in ('{"query', '": "a"}'):
            yield self._parts_manager.handle_tool_call_delta(vendor_part_id=1, args=piece)

    async def close_stream(self):
        pass


async def asked(model, *, streaming):
    messages, parameters = [ModelRequest([UserPromptPart("Go.")])], ModelRequestParameters()
    if not streaming:
        return await model.request(messages, None, parameters)
    async with model.request_stream(messages, None, parameters) as stream:
        async for _ in stream:
            pass
        return stream.get()


@pytest.mark.parametrize("streaming", [False, True])
def test_what_the_wrapped_model_answers_beside_its_text(streaming):
    """A tool of its provider has run already; a call that nothing has read must not run."""
    searched = NativeToolCallPart("web_search", tool_call_id="1")
    answer = asyncio.run(asked(bridge.CogwireModel(Native(searched)), streaming=streaming))
    assert [contents_of(part) for part in answer.parts] == [
        (TextPart, "", "I look."),
        (NativeToolCallPart, "web_search", '{"query": "a"}'),
    ]
    called = bridge.CogwireModel(Native(ToolCallPart("ls", tool_call_id="1")))
    with pytest.raises(UnexpectedModelBehavior, match=r"called 'ls' through its API .* turn off"):
        asyncio.run(asked(called, streaming=streaming))


# --- Its stream ----------------------------------------------------------------------------------


async def streamed(made):
    async with made.run_stream_events("What is there?") as stream:
        return [event async for event in stream]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_stream_produces_the_same_messages(size):
    model = Model(CALLS, VOID, DONE, size=size)
    made, called = agent(model)
    events = asyncio.run(streamed(made))
    assert called == ["/"]
    whole, _ = agent(Model(CALLS, VOID, DONE))
    expected = parts(run(whole, "What is there?").all_messages())
    (done,) = [
        event.result
        for event in events
        if hasattr(event, "result") and hasattr(event.result, "all_messages")
    ]
    given_parts = parts(done.all_messages())
    assert [contents_of(part) for part in given_parts] == [contents_of(part) for part in expected]


def contents_of(part):
    name = getattr(part, "tool_name", "")
    return type(part), name, str(getattr(part, "args", "") or part.content)


def test_text_and_thinking_are_streamed_and_calls_are_whole():
    """Of a void block there is the one that says so."""
    made, called = agent(Model(CALLS, VOID, DONE))
    events = asyncio.run(streamed(made))
    starts = [event.part for event in events if isinstance(event, PartStartEvent)]
    assert [type(part) for part in starts] == [
        *(ThinkingPart, TextPart, ToolCallPart, ToolCallPart),
        *(TextPart, ToolCallPart, ThinkingPart, TextPart),
    ]
    assert starts[2].args == '{"folder": "/"}'
    assert (starts[5].tool_name, called) == ("execute", ["/"])
    assert len([event for event in events if isinstance(event, PartDeltaEvent)]) > 6


@pytest.mark.parametrize("drain", [False, True])
def test_a_stream_is_left_after_a_block_unless_it_is_drained(drain):
    model = Model(CALLS + " more" * 50)
    asyncio.run(asked(bridge.CogwireModel(model, drain=drain), streaming=True))
    assert (model.read > len(CALLS)) is drain


# --- Histories -----------------------------------------------------------------------------------


def test_a_request_with_half_a_character_succeeds():
    """No API accepts one, so every later request would fail."""
    result = r'[{"tool": "ls", "status": "success", "content": "r\udce9"}]'
    events = [{"type": "call", "content": '{"name": "ls", "args": {}}'}]
    messages = bridge.to_messages([*events, {"type": "result", "content": result}])
    model, asked = served("Hello.")
    assert run(Agent(model), "And now?", message_history=messages).output == "Hello."
    (answer,) = (each["content"] for each in asked[0]["messages"] if each["role"] == "tool")
    assert answer == "r\N{REPLACEMENT CHARACTER}"


def test_an_agent_continues_a_history():
    made, _ = agent(Model(DONE))
    result = run(made, "And now?", message_history=bridge.to_messages(conversation()))
    assert result.output == "There is a.txt."


PICTURE = BinaryContent(b"x", media_type="image/png")


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (dt.date(2026, 1, 2), "2026-01-02"),
        (b"abc", "YWJj"),
        (["a", PICTURE], "a"),
        (["a", PICTURE, 1], ["a", 1]),
        ([], []),
        (None, None),
        ({"a": "\ud800"}, {"a": "\ufffd"}),
    ],
)
def test_what_a_tool_returned_is_json(returned, value):
    call, answer = ToolCallPart("f", {}, "1"), ToolReturnPart("f", returned, "1")
    *_, result = bridge.from_messages([ModelResponse([call]), ModelRequest([answer])])
    assert json.loads(result["content"]) == [{"tool": "f", "status": "success", "content": value}]


def test_what_is_no_json_is_refused_or_left_out():
    call, answer = ToolCallPart("f", {}, "1"), ToolReturnPart("f", object(), "1")
    messages = [ModelResponse([call]), ModelRequest([answer])]
    with pytest.raises(ValueError, match=r"^message 1: the result is not text\. It is not JSON: "):
        bridge.from_messages(messages)
    bridge.from_messages(messages, strict=False, report=(report := []))
    assert [(entry["index"], entry["code"]) for entry in report] == [(1, "skipped")]


def test_a_call_that_the_user_approved_has_its_result():
    """It is in a request of its own, after that with the others."""
    calls = cogwire.render_calls([{"name": name, "args": {}} for name in ("ls", "ask")])
    tools = [Tool(lambda: "sold", name="ask", requires_approval=True)]
    tools.append(Tool(lambda: "a.txt", name="ls"))
    kinds = [str, DeferredToolRequests]
    made = Agent(bridge.CogwireModel(Model(calls, DONE)), tools=tools, output_type=kinds)
    first = run(made, "Go.")
    (waiting,) = first.output.approvals
    approved = DeferredToolResults(approvals={waiting.tool_call_id: True})
    history = {"message_history": first.all_messages(), "deferred_tool_results": approved}
    last = run(made, None, **history).all_messages()
    entries = summary(bridge.from_messages(last, report=(report := [])))
    assert [entry[2:] for entry in entries if len(entry) > 2] == [
        ("success", "a.txt"),
        ("success", "sold"),
    ]
    assert report == []


# --- Tools ---------------------------------------------------------------------------------------


def test_tools_of_a_toolset_are_checked_and_run():
    def read(file: str, lines: int = 1) -> dict[str, int]:
        """Read a file."""
        if file == "secret":
            raise PermissionError("not yours")
        return {file: lines}

    calls = cogwire.render_calls(
        [
            {"name": "read", "args": args}
            for args in ({"file": "a"}, {"file": 1}, {"file": "secret"})
        ]
    )
    toolset = cogwire.Toolset([read])
    made = Agent(bridge.CogwireModel(Model(calls, DONE)), tools=bridge.tools(toolset))
    returned = of(ToolReturnPart, run(made, "Go.").all_messages())
    assert [part.outcome for part in returned] == ["success", "retried", "failed"]
    assert returned[0].content == {"a": 1}
    assert "/file" in returned[1].model_response_str()
    assert returned[2].content == "PermissionError: not yours"
    assert [bridge.tool(each) for each in bridge.tools(toolset)] == [*toolset.tools]
