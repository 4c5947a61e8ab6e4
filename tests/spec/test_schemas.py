"""The published schemas: valid themselves, and accepting only what the library returns."""

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

import cogwire
from cogwire import events as vocabulary
from cogwire.tools.problems import ProblemCode
from cogwire_kit import adapter
from cogwire_kit.conformance import corpus, questions
from tests.rows import rows
from tests.schemas import FILES, REGISTRY, SCHEMAS, validator
from tests.spec.test_pages import exchanges

SPEC = Path(__file__).parents[2] / "spec"

BLOCK = (
    '<execute>[{"name": "read", "args": {"file": "a"}}, {"name": "ls", "args": {}, "why": 1}]'
    "</execute>"
)
RESULTS = (
    '<results>[{"tool": "read", "status": "success", "content": {"a": [1]}}, '
    '{"tool": "ls", "status": "failure", "content": "no"}]</results>'
)


def fits(name, value):
    return validator(name).is_valid(value)


# --- The schemas themselves ---------------------------------------------------------------------


def test_the_schemas_are_those_of_the_page():
    page = (SPEC / "validation.md").read_text("utf-8")
    assert re.findall(r"\(schemas/(\S+?)\)", page) != []
    assert sorted(re.findall(r"\(schemas/(\S+?)\)", page)) == [path.name for path in FILES]


@rows("name", SCHEMAS)
def test_a_schema_is_valid_and_has_a_title(name):
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:cogwire:schema:{name}:1"
    assert schema["title"]
    assert schema["description"]


def references(node):
    """Yield every `$ref` in a schema."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for member in node.values():
            yield from references(member)
    elif isinstance(node, list):
        for element in node:
            yield from references(element)


@rows("name", SCHEMAS)
def test_references_lead_to_schemas_of_this_folder(name):
    resolver = REGISTRY.resolver(SCHEMAS[name]["$id"])
    for reference in references(SCHEMAS[name]):
        assert isinstance(resolver.lookup(reference).contents, dict)


def type_of(event):
    return get_args(event.__annotations__["type"])[0]


def schema_name(event):
    return "framework-error" if event is vocabulary.FrameworkErrorEvent else type_of(event)


def test_the_lists_in_the_schemas_are_those_of_the_library():
    definitions = SCHEMAS["event"]["$defs"]
    names = {branch["$ref"].removeprefix("#/$defs/") for branch in SCHEMAS["event"]["oneOf"]}
    assert names == set(map(schema_name, get_args(vocabulary.StoredEvent)))
    assert {definitions[name]["properties"]["type"]["const"] for name in names} == set(
        map(type_of, get_args(vocabulary.Event))
    )
    assert definitions["error"]["properties"]["code"]["enum"] == list(get_args(vocabulary.Code))
    assert SCHEMAS["problem"]["properties"]["code"]["enum"] == list(get_args(ProblemCode))
    assert SCHEMAS["execute"]["maxItems"] == vocabulary.Limits().calls


def test_an_event_type_has_the_same_fields_in_the_library():
    for event in (*get_args(vocabulary.StoredEvent), vocabulary.CallDeltaEvent):
        schema = SCHEMAS["event"]["$defs"][schema_name(event)]
        assert set(schema["properties"]) == event.__required_keys__ | event.__optional_keys__
        assert set(schema["required"]) == event.__required_keys__


# --- Events -------------------------------------------------------------------------------------


def contents_fit(event):
    """Whether the JSON inside an event is valid against the schemas of calls and results."""
    if event["type"] == "call":
        return fits("call", json.loads(event["content"]))
    if event["type"] == "result":
        return fits("results", json.loads(event["content"]))
    return True


def streams(text):
    """Yield the events of a text for each way to read it."""
    for mode in ("turn", "transcript"):
        for stream in ("event", "token"):
            for raw in (False, True):
                parser = cogwire.Parser(mode=mode, stream=stream, raw=raw)
                middle = len(text) // 2
                yield [
                    *parser.feed(text[:middle]),
                    *parser.feed(text[middle:]),
                    *parser.close(finished=True),
                ]


PIECES = ["<think>", "</think>", "<end>", BLOCK, RESULTS, "[", '{"name":', "</execute>", " ", "x"]


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_what_a_parser_gives_for_any_text_fits(text):
    for events in streams(text):
        for event in events:
            validator("event").validate(event)
            assert contents_fit(event)


# --- Values beside the schemas ------------------------------------------------------------------

#: Values of which each fits a schema or does not.  Requests that an adapter answers with an error
#: are in tests/kit/test_adapter.py.
VALUES = corpus.array(corpus.PLACE / "texts" / "values.json")


@rows("each", VALUES)
def test_a_value_fits_its_schema_or_does_not(each):
    assert fits(each["schema"], corpus.expanded(each["value"])) is each["fits"]


def test_there_is_a_wrong_event_of_every_type():
    events = [each["value"] for each in VALUES if each["schema"] == "event" and not each["fits"]]
    wrong = {event.get("type") for event in events if isinstance(event, dict)}
    assert wrong >= set(map(type_of, get_args(vocabulary.Event)))


# --- The adapter protocol -----------------------------------------------------------------------


def asked(path):
    """Yield requests of a file of cases: its batches and tools, and its first of each other op."""
    cases = {}
    for data in json.loads(path.read_text("utf-8")):
        if not {"growth", "large"} & {*data, *data["flags"]}:
            is_each = data["op"] in ("batch", "validate")
            cases.setdefault(data["id"] if is_each else data["op"], corpus.Case(data))
    return [questions.whole(case).request for case in cases.values()]


@rows("path", corpus.case_files())
def test_the_requests_of_the_corpus_and_their_replies_fit(path):
    for request in asked(path):
        numbered = {"id": "1", **request}
        validator("adapter-request").validate(numbered)
        reply = json.loads(adapter.answer(json.dumps(numbered).encode()))
        assert reply.keys() & {"error", "crashed"} == set()
        validator("adapter-reply").validate(reply)
        for turn in reply.get("turns", [reply]):
            events = [event for feed in turn.get("feeds", []) for event in feed]
            events += turn.get("close", []) + turn.get("events", [])
            assert all(map(contents_fit, events))


def test_the_examples_of_the_protocol_for_formats_fit():
    page = (SPEC / "conformance.md").read_text("utf-8").partition("{ #format-protocol }")[2]
    *pairs, turn, writing = re.findall(r"```json\n(.+)\n(.+)\n```", page)
    assert len(pairs) == 2
    for request, reply in pairs:
        validator("format-request").validate(json.loads(request))
        validator("format-reply").validate(json.loads(reply))
    validator("format-reply").validate({"id": "1", "unsupported": "tags", "takes": ["start"]})
    first = {**json.loads(turn[1]), "takes": ["tools"]}
    validator("adapter-reply").validate(first)
    for request, reply in (turn, writing):
        validator("adapter-request").validate(json.loads(request))
        assert json.loads(adapter.answer(request.encode())) == json.loads(reply)


@rows(
    "line, member",
    [
        (b"{", "error"),
        (b'{"op": "parse"}', "error"),
        (b'{"id": "1", "op": "parse", "text": 5}', "error"),
        (b'{"id": "1", "op": "dance"}', "unsupported"),
        (b'{"id": "1", "op": "calls", "calls": [5]}', "refused"),
    ],
)
def test_a_reply_without_a_result_fits(line, member):
    reply = json.loads(adapter.answer(line))
    assert reply.keys() == {"id", member}
    validator("adapter-reply").validate(reply)


def test_every_op_is_in_the_corpus_and_on_the_page():
    """Its examples are validated against the schemas in tests/spec/test_pages.py."""
    branches = SCHEMAS["adapter-request"]["oneOf"]
    ops = {branch["$ref"].removeprefix("#/$defs/") for branch in branches}
    assert {one["op"] for path in corpus.case_files() for one in asked(path)} == ops - {"hello"}
    assert {request["op"] for request, _ in exchanges()} == ops


# --- The page on validation ---------------------------------------------------------------------

PAGE = (SPEC / "validation.md").read_text("utf-8")
TOOL = json.loads(re.search(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1])
ROW = re.compile(r"^\| `(\{.*?\})` \| (none|`[a-z-]+` `/.*`) \|$", re.MULTILINE)
VALUE_ROW = re.compile(r"^\| `(\{.*?\})` \| `([^`]*)` \| `([a-z-]+)` \|$", re.MULTILINE)


def found(tool, args):
    checked = cogwire.Toolset([tool]).check({"name": tool["name"], "args": args})
    return [(problem["code"], problem["path"]) for problem in checked.problems]


def test_the_tables_of_the_page_are_read():
    assert len(ROW.findall(PAGE)) == 10
    assert len(VALUE_ROW.findall(PAGE)) == 5


@rows("args, expected", ROW.findall(PAGE))
def test_arguments_have_the_problems_on_the_page(args, expected):
    assert fits("tool", TOOL)
    assert found(TOOL, json.loads(args)) == re.findall(r"`([a-z-]+)` `(/[^`]*)`", expected)


@rows("schema, value, code", VALUE_ROW.findall(PAGE))
def test_alternatives_have_the_problem_on_the_page(schema, value, code):
    tool = {"name": "t", "parameters": {"properties": {"v": json.loads(schema)}}}
    assert found(tool, {"v": json.loads(value)}) == [(code, "/v")]
