"""Events become messages, and messages events, in the dialects beside `xml-json`; the laws in all.

What single histories give is in the cases of the corpus; here is what they do not say.
"""

import html
import itertools
import json
import re

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from tests import cogwire
from tests.core.helpers import (
    DIALECTS,
    LINES,
    TAGS,
    WHITE,
    call,
    end,
    execute,
    respond,
    result,
    think,
)
from tests.core.laws import ALL, inputs, law
from tests.core.turns.histories import (
    NOT_A,
    OK_A,
    OK_B,
    VOID,
    A,
    B,
    answer,
    assemble,
    cancelled,
    chat,
    item,
    parsed,
    user,
)
from tests.rows import rows


def types(events):
    return [each["type"] for each in events]


def in_dialect(events, dialect):
    """Write events in the markers of `delimiter-upper`, which otherwise are those of `delimiter`."""
    if dialect == "delimiter":
        return events
    return re.sub("§(think:|call:|respond:|execute|end)", lambda marker: marker[0].upper(), events)


# --- Texts for chat templates -----------------------------------------------------------------

#: A call without a marker has nothing to neutralise.
MARKED = [dialect for dialect in ALL if dialect != "llama3-json"]


@law(inputs, dialects=MARKED, parses=False)
def test_a_text_for_a_chat_template_is_prose_and_says_the_same(dialect, data):
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    written = cogwire.neutralise(text, dialect)
    assert html.unescape(written) == html.unescape(text)
    assert {*types(parsed(written, dialect))} <= {"respond"}


# --- Batches ----------------------------------------------------------------------------------


@rows(
    ("dialect", "item", "codes"),
    [
        ("hermes", OK_A, ["surplus"]),
        ("xml-json", item("execute", "failure", 1), ["void", "mismatch"]),
    ],
)
def test_a_result_that_answers_no_call_is_reported(dialect, item, codes):
    """What is the answer of a void block must be one, too."""
    _, report = assemble([answer(item)], dialect)
    assert report == [(0, code) for code in codes]


# --- Calls as elements ------------------------------------------------------------------------


@rows(
    ("content", "reason"),
    [
        ('{"name": "my tool", "args": {}}', "/name: 'my tool' is not an XML name"),
        ('{"name": "a", "args": {"$ref": "x"}}', r"/args/\$ref: '\$ref' is not an XML name"),
        ('{"name": "a", "args": {"1": 2}}', "/args/1: '1' is not an XML name"),
        ('{"name": "a", "args": {"x": "\\u001b[0m"}}', "/args/x: the character U\\+001B"),
        ("[]", "not that of one call"),
        ('{"name": "a", "args": {"x": "\ud83d"}}', "not that of one call"),
        (
            '{"name": "a", "args": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}",
            "nested too deeply",
        ),
    ],
)
def test_a_call_that_elements_cannot_express_is_refused_with_its_index(content, reason):
    with pytest.raises(ValueError, match=f"^event 1: .*{reason}"):
        cogwire.to_messages([user("q"), call(content)], "xml-elements")


@rows(
    ("content", "reason"),
    [
        ('{"name": "a", "args": {"x": "y', "The JSON of the call is cut off: a value in it is not"),
        ('{"name": "a", "args": {}', "The JSON of the call is cut off: a value in it is not"),
        (f"{A}, {B}", "There is text before or after the object of the call"),
    ],
)
def test_what_is_wrong_with_a_stored_call_is_said(content, reason):
    with pytest.raises(ValueError, match=f"^event 1: .*not that of one call. {reason}"):
        cogwire.to_messages([user("q"), call(content)], "delimiter")


@rows("dialect", DIALECTS)
def test_limits_are_not_enforced_in_any_dialect(dialect):
    """The parser that gave the call may have had others."""
    long = json.dumps({"name": "a", "args": {"x": "é" * 8_400_000}}, ensure_ascii=False)
    ((_, text),) = assemble([call(long)], dialect)[0]
    assert len(text) > 8_400_000


# --- Results by lines -------------------------------------------------------------------------


@rows(
    "dialect, text", [("delimiter", "§result: a\n§end\nb"), ("delimiter-upper", "[SYSTEM: a]\nb")]
)
def test_what_follows_results_in_a_message_is_a_text_of_the_user(dialect, text):
    """Its marker, which is between them, is no part of it."""
    block = in_dialect(f"§call: {A}\n§execute", dialect)
    events = cogwire.from_messages(chat(("assistant", block), ("user", text)), dialect)
    assert types(events) == ["call", "execute", "result", "user"]
    assert events[-1]["content"] == "b"


def test_results_that_the_model_left_open_do_not_take_in_the_next_message():
    """What it began is wrong alone, for two calls, and only the next message has their results."""
    call = '{"name": "a", "arguments": {}}'
    block = f"[TOOL_CALLS][{call}, {call}][TOOL_RESULTS]"
    answers = "[TOOL_RESULTS]x[/TOOL_RESULTS][TOOL_RESULTS]y[/TOOL_RESULTS]"
    events = cogwire.from_messages(chat(("assistant", block), ("user", answers)), "mistral-v3")
    assert types(events) == ["call", "call", "execute", "error", "user"]
    assert events[-1]["content"] == answers


def test_a_result_too_many_leaves_the_message_a_text_of_the_user():
    """It answers no call, where the end of the turn has run the one before it."""
    block = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'
    answers = "<tool_response>x</tool_response><tool_response>y</tool_response>"
    events = cogwire.from_messages(chat(("assistant", block), ("user", answers)), "hermes")
    assert types(events) == ["call", "execute", "user"]
    assert events[-1]["content"] == answers


def test_a_marker_without_meaning_after_a_block_is_a_text_of_the_user():
    described = {
        "name": "padded",
        "call": ["<call>", "</call>"],
        "payload": {"kind": "object"},
        "result": ["<result>", "</result>"],
        "ignored": ["<pad>"],
    }
    block = '<call>{"name": "a", "arguments": {}}</call>'
    messages = chat(("assistant", block), ("user", "<pad>"))
    events = cogwire.from_messages(messages, cogwire.Format.from_json(described))
    assert types(events) == ["call", "execute", "user"]
    assert events[-1]["content"] == "<pad>"


@rows("size", [200, 900])
def test_results_that_other_limits_would_refuse_are_written(size):
    """A string that is as deep stays a string for whoever reads deeper."""
    deep = "[" * size + "]" * size
    value = f'[{{"tool": "a", "status": "success", "content": {deep}}}]'
    messages, report = assemble([call(A), {"type": "result", "content": value}], "delimiter")
    assert messages[1] == ("user", f"§result: {deep}")
    assert report == []
    assert json.loads(cogwire.from_messages(chat(*messages), "delimiter")[-1]["content"]) == (
        json.loads(value)
    )
    messages, report = assemble([call(A), answer(item("a", content=deep))], "delimiter")
    assert messages[1] == ("user", f'§result: "{deep}"')
    assert report == []


# --- Void batches -----------------------------------------------------------------------------


@rows("dialect", LINES)
@rows("text", [f"§call: {A} please\n§call: {B}\n§think: t\n", f"§call: {A}§exe"])
def test_a_void_batch_is_replayed_and_stopped(dialect, text):
    """It reads as the same events, and nothing in it runs."""
    events = parsed(text, dialect)
    stopped = "".join(each["raw"] for each in events) + in_dialect("\n§execute", dialect)
    messages, report = assemble([*events, answer(VOID)], dialect)
    assert messages[0] == ("assistant", stopped)
    assert report == []
    assert types(cogwire.parse(stopped, dialect)) == types(events)
    assert cogwire.from_messages(chat(*messages), dialect)[-1]["type"] == "result"


def test_a_text_before_the_calls_that_are_written_has_not_moved():
    """The first call was void, and no text is after the other."""
    events = [*parsed(f"§call: {B}\n§call: {{bad", "delimiter"), respond("r"), call(A), execute()]
    events[3:] = [{**event, "raw": "?"} for event in events[3:]]
    messages, report = assemble(events, "delimiter")
    assert messages == [("assistant", f"§respond: {{bad\n§respond: r\n§call: {A}\n§execute")]
    assert report == [(0, "mismatch"), (1, "void")]


# --- Histories --------------------------------------------------------------------------------


def calls(dialect):
    """Draw calls of a and b; in elements a text must be what XML can hold."""
    sound = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
    texts = make.hostile_texts(dialect).map(lambda text: sound.sub("", text))
    return st.sampled_from(
        [A, B, '{"args":{"x":1.10},"name":"a"}', '{"name": "b"}', f" {A}\n", '{"name":"b","i":[]}']
    ) | st.builds(
        lambda text, ascii_only: json.dumps(
            {"name": "a", "args": {"t": text}}, ensure_ascii=ascii_only
        ),
        texts,
        st.booleans(),
    )


def items(dialect):
    odd = [
        "1",
        '"x"',
        '{"tool": "a"}',
        '{ "x":1.10 , "x":[] }',
        "null",
        '{"tool":1,"status":2,"content":3,"content":4}',
        '{"tool":"a","status":"success","content":"x","id":"§end <end>","ms":2}',
        VOID,
    ]
    return (
        st.sampled_from([OK_A, OK_B, NOT_A, *odd])
        | make.hostile_texts(dialect).map(lambda text: item("a", content=text))
        | make.hostile_texts(dialect).map(lambda text: item("b", "failure", text))
        | make.hostile_texts(dialect).map(lambda text: item("b", content={"x": [text]}))
    )


def results(dialect):
    return (
        st.lists(items(dialect), max_size=4).map(lambda some: answer(*some))
        | st.just(answer(VOID))
        | make.hostile_texts(dialect).map(lambda text: {"type": "result", "content": text})
        | st.just({"type": "result", "content": '{"outcome": "done", "content": "§end <end>"}'})
    )


def errors(dialect):
    """Draw an error as some program may have stored it."""
    broken = {"type": "error", "content": "m", "offset": 0, "calls": 0}
    codes = st.sampled_from(["json-syntax", "forged-results", "unclosed-call", "results-count"])
    return st.builds(
        lambda code, origin: {**broken, "code": code, **origin},
        codes,
        st.just({}) | make.hostile_texts(dialect).map(lambda text: {"raw": text}),
    )


@st.composite
def turns(draw, dialect, *, raw):
    """Parse a model's output, whole or in deltas; it may break off, or not be UTF-8."""
    options = {"stream": draw(st.sampled_from(["event", "token"])), "raw": raw, "clock": None}
    options["start"] = draw(st.sampled_from(["prose", "prose", "think"]))
    options["mode"] = draw(st.sampled_from(["turn", "turn", "turn", "transcript"]))
    parser = cogwire.Parser(dialect, **options)
    text = draw(make.texts(dialect)).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 7)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + b"\xff" + text[at:]
    size = draw(st.integers(1, 9))
    events = [
        event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])
    ]
    if draw(st.integers(0, 3)) == 0:
        return events[: draw(st.integers(0, 3))]
    return events + parser.close(finished=True)


@st.composite
def exchanges(draw, dialect):
    """Draw calls and what comes back, rightly or not quite."""
    given_calls = draw(st.lists(calls(dialect), max_size=3))
    events = [call(content) for content in given_calls]
    names = [json.loads(content)["name"] for content in given_calls]
    between = draw(
        st.sampled_from([[], [], [], [cancelled()], [{"type": "interrupt"}], [execute()]])
    )
    matching = [item(name, content=draw(make.hostile_texts(dialect))) for name in names]
    first = draw(st.integers(0, 1))
    reaction = draw(st.sampled_from(["right", "right", "fewer", "any", "none"]))
    if reaction == "none":
        return events + between
    if reaction == "any":
        return [*events, *between, draw(results(dialect))]
    return [*events, *between, answer(*matching[first if reaction == "fewer" else 0 :])]


@st.composite
def histories(draw, dialect):
    """Draw any history."""
    texts = st.builds(
        lambda make, text: make(text),
        st.sampled_from([user, think, respond]),
        make.hostile_texts(dialect),
    )
    silent = st.sampled_from([cancelled(), {"type": "interrupt"}, execute(), end()])
    single = (texts | results(dialect) | silent | errors(dialect) | calls(dialect).map(call)).map(
        lambda event: [event]
    )
    longer = exchanges(dialect) | turns(dialect, raw=True) | turns(dialect, raw=False)
    parts = draw(st.lists(single | longer | turns(dialect, raw=True), max_size=6))
    return [event for part in parts for event in part]


plain = st.text(max_size=8).filter(
    lambda text: text.strip(WHITE) == text != "" and not re.search("[<§[\ud800-\udfff]", text)
)


@st.composite
def conversations(draw):
    """Draw a history in which nothing has to be changed in any dialect, without `raw`."""
    events = []
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()) and types(events[-1:]) != ["user"]:
            events.append(user(draw(plain)))
        events += [think(text) for text in draw(st.lists(plain, max_size=2))]
        if draw(st.booleans()) and types(events[-1:]) != ["respond"]:
            events.append(respond(draw(plain)))
        names = draw(st.lists(st.sampled_from("ab"), max_size=2))
        args = [{"x": re.sub("[\x00-\x1f\ufffe\uffff]", "", draw(plain))} for _ in names]
        events += [
            call(json.dumps({"name": name, "args": some}))
            for name, some in zip(names, args, strict=True)
        ]
        if names or draw(st.booleans()):
            failed = [draw(st.booleans()) for _ in names]
            written = [
                item(name, "failure" if each else "success", draw(plain))
                for name, each in zip(names, failed, strict=True)
            ]
            counts = failed.count(False), failed.count(True)
            events.append(result(f"[{' , '.join(written)}]", *counts))
    return events


dialects = st.sampled_from(DIALECTS)
cases = dialects.flatmap(lambda dialect: st.tuples(st.just(dialect), histories(dialect)))
mild_cases = st.tuples(dialects, conversations())


# --- Laws -------------------------------------------------------------------------------------


@given(cases)
def test_one_more_event_changes_at_most_the_last_message_in_every_dialect(case):
    """Also for an event that is not stored, and for one more delta of a segment."""
    dialect, history = case
    before = []
    for count in range(len(history)):
        after = cogwire.to_messages(history[: count + 1], dialect)
        settled = before[:-1]
        assert after[: len(settled)] == settled
        before = after


@given(cases)
def test_memory_and_storage_have_the_same_messages_in_every_dialect(case):
    """Their roles alternate, none is white, and they contain every text of the user in order."""
    dialect, history = case
    stored = [each for each in history if cogwire.persisted(each)]
    messages = cogwire.to_messages(history, dialect)
    assert messages == cogwire.to_messages(stored, dialect)
    assert messages == cogwire.to_messages(json.loads(json.dumps(stored)), dialect)
    assert messages == cogwire.to_messages(cogwire.read_events(history), dialect)
    roles = [message["role"] for message in messages]
    assert set(roles) <= {"user", "assistant"}
    assert all(one != other for one, other in itertools.pairwise(roles))
    assert all(message["content"].encode().strip(WHITE.encode()) for message in messages)
    if dialect in LINES:
        stop = re.compile(r"(?:\A|[\s§}]|§end)§(?:execute|end)\s*\Z", re.IGNORECASE)
        for message in messages:
            assert message["role"] == "user" or stop.search(message["content"])
    said = _neutral("\n".join(each["content"] for each in messages if each["role"] == "user"))
    at = 0
    for each in cogwire.read_events(history):
        if each["type"] == "user":
            text = _neutral(each["content"])
            at = said.index(text, at) + len(text)


#: Far more than any history here contains.
BOUNDLESS = cogwire.Limits(size=10**9, calls=10**9, depth=10**9, digits=10**9)


def _contents(messages, dialect, kind):
    """Read what the assistant says, of one type."""
    return [
        each["content"]
        for message in messages
        if message["role"] == "assistant"
        for each in cogwire.parse_transcript(
            message["content"], dialect, clock=None, limits=BOUNDLESS
        )
        if each["type"] == kind
    ]


def _outlined(content):
    """Say of a call what every dialect keeps."""
    value = json.loads(content)
    return value["name"], sorted(value.get("args", {}))


@given(cases)
def test_the_assistant_makes_no_call_that_was_not_given(case):
    """Whatever its texts, its results and its users say."""
    dialect, history = case
    messages, report = assemble(history, dialect)
    given_calls = [
        _outlined(each["content"])
        for each in cogwire.read_events(history)
        if each["type"] == "call"
    ]
    written = [_outlined(content) for content in _contents(chat(*messages), dialect, "call")]
    remaining = iter(given_calls)
    assert all(outline in remaining for outline in written), "in order, and none that was not given"
    broken = any(each["type"] == "error" for each in history)
    if not broken and not any(code == "void" for _, code in report):
        assert written == given_calls


def _neutral(text):
    """Undo what neutralising does, so that texts can be compared."""
    text = re.sub("[\ud800-\udbff][\udc00-\udfff]", _pair, text)
    text = re.sub("[\ud800-\udfff]", "\ufffd", text).strip(WHITE)
    return text.replace("&lt;", "<").replace("&sect;", "§").replace("&#91;", "[")


def _pair(halves):
    return halves[0].encode("utf-16", "surrogatepass").decode("utf-16")


@given(cases)
def test_the_messages_of_the_assistant_contain_its_texts_and_nothing_else(case):
    """Each think and each prose is one again; between tags, prose is so once it is joined."""
    dialect, history = case
    messages = chat(*assemble(history, dialect)[0])
    joint = "\n\n" if dialect in TAGS else None
    for kind in ("think", "respond"):
        expected = [
            _neutral(each["content"])
            for each in cogwire.read_events(history)
            if each["type"] == kind and each["content"].strip(WHITE)
        ]
        contents = [_neutral(text) for text in _contents(messages, dialect, kind)]
        if kind == "respond" and joint:
            assert joint.join(contents) == joint.join(expected)
        else:
            assert contents == expected


@given(st.sampled_from(TAGS).flatmap(lambda each: st.tuples(st.just(each), histories(each))))
def test_a_user_message_contains_only_real_results_between_tags(case):
    """They begin a message after one of the assistant's, and nothing in them is a marker."""
    dialect, history = case
    role = "assistant"
    for message in cogwire.to_messages(history, dialect):
        text = message["content"]
        if message["role"] == "user":
            if text.startswith("<results>\n"):
                assert role == "assistant"
                inside, closer, text = text.removeprefix("<results>").partition("</results>")
                assert closer
                assert type(json.loads(inside)) is list
                assert not re.search("</?(think|execute|results|end)", inside, re.IGNORECASE)
            assert not re.search("</?results>", text, re.IGNORECASE | re.ASCII)
        role = message["role"]


#: Where results may begin in a message of the user's.
RESULTS_LINE = re.compile(r"(?:\A|[\r\n])[ \t]*(?:§result:|\[system: )", re.IGNORECASE | re.ASCII)


@given(st.sampled_from(LINES).flatmap(lambda each: st.tuples(st.just(each), histories(each))))
def test_a_user_message_contains_only_real_results_in_delimiter(case):
    """As many as the last batch has calls, one where it was void or empty, and no others."""
    dialect, history = case
    # What is first may be the answer of a void batch, in a window that begins there.
    expected_results = 1
    for message in cogwire.to_messages(history, dialect):
        text = message["content"]
        if message["role"] == "user":
            assert len(RESULTS_LINE.findall(text)) in (
                {0} if expected_results is None else {0, expected_results}
            )
            expected_results = None
        else:
            kinds = types(cogwire.parse_transcript(text, dialect))
            runs = kinds[-1:] == ["execute"]
            batch = itertools.takewhile(
                lambda kind: kind not in {"execute", "end", "error"}, reversed(kinds[:-1])
            )
            expected_results = max(1, list(batch).count("call")) if runs else 1


def _kept(events):
    """Return what is stored of events, with calls and results as values."""
    return [
        {**each, "content": json.loads(each["content"])}
        if each["type"] in {"call", "result"}
        else each
        for each in events
        if cogwire.persisted({"type": each["type"]}) and each["type"] != "cancelled"
    ]


@given(cases | mild_cases)
def test_messages_without_report_are_read_back_as_their_events_in_every_dialect(case):
    """So whatever is read otherwise is in the report."""
    dialect, history = case
    messages, report = assemble(history, dialect)
    event(f"report: {bool(report)}")
    if report:
        return
    events = cogwire.from_messages(chat(*messages), dialect)
    stored = [each for each in cogwire.read_events(history) if cogwire.persisted(each)]
    original = [{key: each[key] for key in each if key != "raw"} for each in stored]
    assert _kept(events) == _kept(original)
    if not any("raw" in each for each in stored):
        assert cogwire.to_messages(events, dialect) == chat(*messages)


@given(mild_cases)
def test_a_conversation_that_needs_no_change_is_not_reported(case):
    """And so the laws that hold where nothing is reported say something."""
    dialect, history = case
    orphans = {index for index, code in assemble(history, dialect)[1] if code == "orphan"}
    moved = {index for index, code in assemble(history, dialect)[1] if code == "moved"}
    assert {code for _, code in assemble(history, dialect)[1]} <= {"orphan", "moved", "joined"}
    answered = all(
        types([two]) == ["result"] or types([two]) == ["call"]
        for one, two in itertools.pairwise(history)
        if one["type"] == "call"
    )
    assert not answered or not (orphans | moved)


@given(
    dialects.flatmap(
        lambda dialect: st.tuples(
            st.just(dialect),
            st.lists(
                st.tuples(
                    st.sampled_from(["system", "user", "assistant"]), make.hostile_texts(dialect)
                ),
                max_size=5,
            ),
        )
    )
)
def test_messages_can_be_made_from_the_events_of_any_messages(case):
    dialect, messages = case
    events = cogwire.from_messages(chat(*messages), dialect)
    assert cogwire.read_events(events) == events
    cogwire.to_messages(events, dialect)


@given(
    dialects.flatmap(lambda dialect: st.tuples(st.just(dialect), make.texts(dialect))),
    st.sampled_from(["event", "token"]),
)
def test_a_turn_with_raw_is_written_byte_for_byte_in_every_dialect(case, stream):
    """A void block is closed, and by lines the turn is ended; nothing else is added."""
    dialect, text = case
    events = parsed(text, dialect, stream=stream)
    raw = "".join(each["raw"] for each in events)
    messages, report = assemble(events, dialect)
    event(f"report: {report}")
    if report:
        # The error took the first character of a marker, which alone is prose.
        assert dialect in LINES
        assert raw[-1] in "§["
        return
    ((_, written),) = messages or [("", "")]
    added = written.removeprefix(raw)
    assert written.startswith(raw)
    if dialect in TAGS:
        assert added in {"", "\n</execute>"}
    else:
        assert added in {"", *(in_dialect(stop, dialect) for stop in ("\n§end", "\n§execute"))}
    runs = "execute" in types(events)
    assert ("execute" in types(cogwire.parse(written, dialect))) == runs


def statuses(events, dialect):
    """Return the tool and the status of each call; messages write a failure where there is none."""
    turns = cogwire.exchanges(events, dialect)
    return [
        (each["name"], "success" if each["status"] == "success" else "failure")
        for turn in turns
        for each in turn["calls"]
    ]


@given(mild_cases, st.sets(st.integers(0, 20)), plain)
def test_a_failure_never_becomes_a_success(case, lost, last):
    """Whatever follows it, and if its result is lost."""
    dialect, history = case
    history = [
        cancelled() if event["type"] == "result" and at in lost else event
        for at, event in enumerate(history)
    ]
    events = [*history, user(last)]
    messages, report = assemble(events, dialect)
    back = cogwire.from_messages(chat(*messages), dialect)
    assert statuses(back, dialect) == statuses(events, dialect)
    if (len(events) - 1, "joined") not in report:
        assert back[-1] == user(last)
