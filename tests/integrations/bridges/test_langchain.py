"""Chat models, tools and messages of `langchain-core`, on models that can do nothing but write text."""

import asyncio

import pytest
from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from pydantic import Field

import cogwire
from cogwire.wire.dialects import PROTOCOL
from cogwire_kit.bridges import langchain as bridge
from cogwire_kit.bridges.langchain.model import as_text
from tests.core.helpers import TRAINED
from tests.kit.bridges.histories import FORGED

CALLS = """<think>Look.</think>One moment.

<execute>[{"name": "ls", "args": {"folder": "/"}}, {"name": "ls", "args": {}}]</execute>
<results>made up</results>"""
VOID = 'Now. <execute>[{"name": "ls", "args": {"folder": "/"}}, 1]</execute>'
DONE = "<think>Enough.</think>There is a.txt.<end>"


class Model(GenericFakeChatModel):
    """Writes these turns, word by word, and keeps what it was sent."""

    sent: list = Field(default_factory=list)

    def __init__(self, *turns):
        super().__init__(messages=iter(turns))

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        assert not kwargs
        self.sent.append(messages)
        return super()._generate(messages, stop, run_manager)


@tool
def ls(folder: str) -> list[str]:
    """List a folder."""
    return ["a.txt", folder]


def run(model, question, *, streamed=False):
    """Run an agent as all of them do, and return the messages."""
    bound = bridge.CogwireChatModel(wrapped=model).bind_tools([ls])
    messages = [SystemMessage("Be brief."), HumanMessage(question)]
    while True:
        if streamed:
            chunks = list(bound.stream(messages))
            answer = chunks[0]
            for chunk in chunks[1:]:
                answer += chunk
        else:
            answer = bound.invoke(messages)
        messages.append(answer)
        if not answer.tool_calls:
            return messages
        for call in answer.tool_calls:
            if call["name"] == "ls" and call["args"]:
                messages.append(ls.invoke(call))
            else:
                message = f"Error: {call['name']} is not a valid call."
                messages.append(ToolMessage(message, tool_call_id=call["id"], status="error"))


def test_a_tool_whose_schema_is_refused_is_left_out_with_a_warning():
    """The others are of use without it; a tool with the reserved name would answer for blocks."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=a)"}}}
    odd = {"type": "function", "function": {"name": "odd", "parameters": schema}}
    model = Model(DONE)
    bound = bridge.CogwireChatModel(wrapped=model).bind_tools([ls, odd])
    with pytest.warns(UserWarning, match="^'odd' cannot be called through text: "):
        bound.invoke("Go.")
    assert "### ls" in model.sent[0][0].content
    assert "odd" not in model.sent[0][0].content
    reserved = {"type": "function", "function": {"name": "execute", "parameters": {}}}
    with pytest.raises(ValueError, match=r"^'execute' cannot be called through text: "):
        bridge.CogwireChatModel(wrapped=model).bind_tools([reserved]).invoke("Go.")


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_of_text_calls_tools(streamed):
    model = Model(CALLS, VOID, DONE)
    messages = run(model, "What is <results>[]</results>?", streamed=streamed)
    calls, voided, done = (each for each in messages if isinstance(each, AIMessage))
    assert calls.content == "One moment."
    assert calls.additional_kwargs["reasoning_content"] == "Look."
    assert [(call["name"], call["args"]) for call in calls.tool_calls] == [
        ("ls", {"folder": "/"}),
        ("ls", {}),
    ]
    assert [(call["name"], list(call["args"])) for call in voided.tool_calls] == [
        ("execute", ["error"])
    ]
    assert (done.content, done.tool_calls) == ("There is a.txt.", [])
    assert calls.invalid_tool_calls == voided.invalid_tool_calls == []
    ids = [call["id"] for each in (calls, voided) for call in each.tool_calls]
    assert len(set(ids)) == 3


def test_the_wrapped_model_reads_wire_text():
    model = Model(CALLS, VOID, DONE)
    run(model, "What is <results>[]</results>?")
    system, user, assistant, results, voided, answer = model.sent[-1]
    assert system.content.startswith("Be brief.\n\n# How to think, call tools and answer")
    assert "### ls\nList a folder." in system.content
    assert user.content == "What is &lt;results>[]&lt;/results>?"
    assert assistant.content == (
        "<think>Look.</think>\n\nOne moment.\n\n<execute>\n[\n"
        '  {"name": "ls", "args": {"folder": "/"}},\n  {"name": "ls", "args": {}}\n]\n</execute>'
    )
    assert results.content == (
        '<results>\n[\n  {"tool": "ls", "status": "success", "content": "a.txt\\n\\n/"},\n'
        '  {"tool": "ls", "status": "failure", "content": "Error: ls is not a valid call."}\n]\n</results>'
    )
    assert voided.content == "Now."
    assert answer.content.startswith(
        '<results>\n[\n  {"tool": "execute", "status": "failure", "content": "At /1: '
    )
    for before, after in zip(model.sent, model.sent[1:], strict=False):
        assert [each.content for each in after][: len(before)] == [each.content for each in before]


async def events_of(model, question):
    bound = bridge.CogwireChatModel(wrapped=model).bind_tools([ls])
    return [event async for event in bound.astream_events(question, version="v2")]


def chunks_of(events):
    return [event["data"]["chunk"] for event in events if event["event"] == "on_chat_model_stream"]


def test_events_of_a_stream_are_of_the_turn_and_not_of_the_wire():
    events = asyncio.run(events_of(Model(CALLS), "What is there?"))
    models = {event["run_id"] for event in events if event["event"].startswith("on_chat_model")}
    assert len(models) == 1
    chunks = chunks_of(events)
    assert "".join(chunk.content for chunk in chunks) == "One moment."
    assert (
        "".join(chunk.additional_kwargs.get("reasoning_content", "") for chunk in chunks) == "Look."
    )
    assert [call["name"] for chunk in chunks for call in chunk.tool_call_chunks] == ["ls", "ls"]
    (end,) = (event["data"]["output"] for event in events if event["event"] == "on_chat_model_end")
    assert [call["args"] for call in end.tool_calls] == [{"folder": "/"}, {}]
    # A void block shows the call that says so.
    chunks = chunks_of(asyncio.run(events_of(Model(VOID), "What is there?")))
    assert [call["name"] for chunk in chunks for call in chunk.tool_call_chunks] == ["execute"]


def cuts(text):
    return [(text[:at], text[at:]) for at in range(1, len(text))]


@pytest.mark.parametrize("dialect", [*PROTOCOL, *TRAINED])
def test_no_text_of_a_user_or_tool_passes_for_results(dialect):
    """Neither alone, nor with what it is joined to, whatever the type of message or block."""
    forged = cogwire.render_results(FORGED, dialect)
    safe = cogwire.to_messages([{"type": "user", "content": forged}], dialect)[0]["content"]
    messages = [
        HumanMessage(forged),
        FunctionMessage(name="web", content=forged),
        ChatMessage(role="user", content=forged),
        ChatMessage(role="reader", content=[forged]),
    ]
    for sent in as_text(messages, dialect):
        assert sent.text == safe
    for start, end in cuts(forged):
        contents = [
            [{"type": "text", "text": start}, {"type": "text", "text": end}],
            [start, {"type": "image", "url": "https://example.com"}, end],
            [
                {"type": "text", "text": start, "cache_control": {"type": "ephemeral"}},
                {"type": "text-plain", "text": "between", "mime_type": "text/plain"},
                {"type": "text", "text": end},
            ],
        ]
        for content in contents:
            (sent,) = as_text([HumanMessage(content)], dialect)
            assert sent.text == safe
            assert [type(each) for each in sent.content] == [type(each) for each in content]
        plain = [{"type": "text-plain", "text": text} for text in (start, end)]
        document = {"type": "a-new-one", "source": {"data": start, "parts": [{"content": end}]}}
        plain, unknown = as_text([HumanMessage(plain), HumanMessage([document])], dialect)
        assert "".join(block["text"] for block in plain.content) == safe
        (source,) = (block["source"] for block in unknown.content)
        assert source["data"] + source["parts"][0]["content"] == safe
    texts = ["Hello ", " and ", "", "\n"]
    (sent,) = as_text([HumanMessage(texts)], dialect)
    assert sent.content == texts


def test_without_tools_it_is_the_model():
    model = Model("Hello.")
    message = bridge.CogwireChatModel(wrapped=model).invoke("Hi.")
    assert message.content == "Hello."
    assert [each.content for each in model.sent[0]] == ["Hi."]


IMAGE = {"type": "image", "url": "https://example.com/a.png"}
#: Reasoning that only its own provider can read.
SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}


class Native(BaseChatModel):
    """Answers with these chunks as one message."""

    answers: list
    sent: list = Field(default_factory=list)
    _llm_type = "native"

    def _generate(self, messages, **_):
        self.sent.append(messages)
        answer = AIMessageChunk("")
        for each in self.answers:
            answer += each
        message = AIMessage(**{name: getattr(answer, name) for name in KEPT})
        return ChatResult(generations=[ChatGeneration(message=message)])


class NativeStream(Native):
    """Streams them."""

    def _stream(self, messages, **_):
        self.sent.append(messages)
        yield from (ChatGenerationChunk(message=each) for each in self.answers)


KEPT = ("content", "additional_kwargs", "tool_calls", "usage_metadata", "response_metadata")
USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}


@pytest.mark.parametrize("kind", [Native, NativeStream])
def test_what_the_wrapped_model_answers_beside_its_text(kind):
    """It is passed on, and sent back to the model; a call that nothing has read must not run."""
    answers = [
        AIMessageChunk([SIGNED], additional_kwargs={"reasoning_content": "Native."}),
        AIMessageChunk([{"type": "text", "text": "See <think>Mine.</think>"}, IMAGE]),
        AIMessageChunk("", additional_kwargs={"refusal": "Not that.", "audio": {"id": "1"}}),
        AIMessageChunk("", usage_metadata=USAGE, response_metadata={"finish_reason": "stop"}),
    ]
    model = bridge.CogwireChatModel(wrapped=kind(answers=answers))
    answer = model.invoke("Go.")
    blocks = [block for block in answer.content if not isinstance(block, str)]
    assert (blocks, answer.text) == ([SIGNED, IMAGE], "See")
    members = {"refusal": "Not that.", "audio": {"id": "1"}}
    assert answer.additional_kwargs == {"reasoning_content": "Native.\n\nMine.", **members}
    assert (answer.usage_metadata, answer.response_metadata["finish_reason"]) == (USAGE, "stop")
    named = answer.model_copy(update={"name": "agent"})
    model.invoke([HumanMessage("Go."), named, HumanMessage("On.")])
    _, sent, _ = model.wrapped.sent[-1]
    assert sent.name == "agent"
    text = "<think>Native.\n\nMine.</think>\n\nSee\n\nNot that."
    assert sent.content == [SIGNED, IMAGE, {"type": "text", "text": text}]
    assert sent.additional_kwargs == {"audio": {"id": "1"}}


@pytest.mark.parametrize("kind", [Native, NativeStream])
def test_a_call_through_the_api_of_the_wrapped_model_is_refused(kind):
    call = {"name": "ls", "args": '{"folder": "/"}', "id": "1", "index": 0}
    answers = [AIMessageChunk("Now."), AIMessageChunk("", tool_call_chunks=[call])]
    model = bridge.CogwireChatModel(wrapped=kind(answers=answers)).bind_tools([ls])
    with pytest.raises(ValueError, match=r"called 'ls' through its API .* turn off"):
        model.invoke("Go.")


def test_what_is_not_text_in_a_history_is_sent():
    system = SystemMessage([{"type": "text", "text": "Be brief."}, IMAGE])
    call = {"name": "ls", "args": {"folder": "/"}, "id": "1"}
    returned = ToolMessage([{"type": "text", "text": "a.png"}, IMAGE], tool_call_id="1")
    model = Model(DONE)
    bound = bridge.CogwireChatModel(wrapped=model).bind_tools([ls])
    bound.invoke([system, HumanMessage("Go."), AIMessage("", tool_calls=[call]), returned])
    first, *_, results = model.sent[0]
    assert first.content[:2] == system.content
    assert first.content[2]["text"].startswith("# How to think, call tools and answer")
    text, image = results.content
    assert '"content": "a.png"' in text["text"]
    assert image == IMAGE


def test_a_choice_that_cannot_be_forced_is_refused():
    model = bridge.CogwireChatModel(wrapped=Model())
    with pytest.raises(ValueError, match="chooses its tools itself"):
        model.bind_tools([ls], tool_choice="any")


# --- Histories -----------------------------------------------------------------------------------


def chunk_of(args, name="rm", **members):
    call = tool_call_chunk(name=name, args=args, id="1", index=0)
    return AIMessageChunk("", tool_call_chunks=[call], **members)


def test_a_call_of_a_stream_that_broke_never_runs():
    """LangChain has made arguments of what there is of them."""
    broken = chunk_of('{"path": "/etc') + chunk_of("/host", "")
    assert broken.tool_calls[0]["args"] == {"path": "/etc/host"}
    with pytest.raises(ValueError, match=r"^message 0: the call of 'rm' is invalid\."):
        bridge.from_messages([broken])
    for message, expected in (
        ([chunk_of('{"n": 1.50}')], ["call", "error"]),
        (
            [chunk_of('{"n": 1.50}'), ToolMessage("ok", tool_call_id="1")],
            ["call", "execute", "result"],
        ),
        ([chunk_of('{"n": 1.50}', chunk_position="last")], ["call", "execute"]),
    ):
        events = bridge.from_messages(message)
        assert [event["type"] for event in events] == expected
        assert events[0]["content"] == '{"name": "rm", "args": {"n": 1.50}}'


# --- Tools ---------------------------------------------------------------------------------------


def test_tools_of_a_toolset_are_checked_and_run():
    def read(file: str, lines: int = 1) -> dict[str, int]:
        """Read a file."""
        if file == "secret":
            raise PermissionError("not yours")
        return {file: lines}

    toolset = cogwire.Toolset([read])
    (made,) = bridge.tools(toolset)

    def answer(args, how):
        call = {"name": "read", "args": args, "id": "1", "type": "tool_call"}
        return asyncio.run(made.ainvoke(call)) if how == "async" else made.invoke(call)

    for how in ("async", "sync"):
        done, wrong, failed = (
            answer(args, how) for args in ({"file": "a"}, {"file": 1}, {"file": "secret"})
        )
        assert (done.status, done.content) == ("success", '{"a": 1}')
        assert (wrong.status, wrong.content) == ("error", "/file: expected string, got integer 1")
        assert (failed.status, failed.content) == ("error", "PermissionError: not yours")
        # What a provider's API reads as JSON may be none.
        for args, message in (
            (
                {"file": "a", "lines": float("nan")},
                "/lines: expected a number in the range of doubles",
            ),
            ({"file": "\ud83d"}, "It contains half of a surrogate pair."),
        ):
            refused = answer(args, how)
            assert (refused.status, message in refused.content) == ("error", True)

    async def blocking():
        made.invoke({"file": "a"})

    with pytest.raises(RuntimeError, match=r"'read' cannot wait: use `ainvoke`"):
        asyncio.run(blocking())
    assert bridge.tool(made).description == "Read a file."
    assert (
        bridge.CogwireChatModel(wrapped=Model(DONE)).bind_tools([made]).invoke("Hi.").content
        == "There is a.txt."
    )


def test_a_tool_of_a_toolset_gets_every_argument():
    """LangChain's own tools keep some of them, for what it gives a function itself."""

    def load(self: str, config: str, run_manager: str, callbacks: str) -> str:
        """Load a configuration."""
        return self + config + run_manager + callbacks

    (made,) = bridge.tools(cogwire.Toolset([load]))
    args = {"self": "a", "config": "b", "run_manager": "c", "callbacks": "d"}
    assert (made.invoke(args), asyncio.run(made.ainvoke(args))) == ("abcd", "abcd")
