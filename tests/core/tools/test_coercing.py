"""Arguments that come as text: what a schema makes of them, and what fits nothing.

Single texts and values are in the cases of the corpus; here is what they do not say.
"""

import json
import sys

from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire
from tests.rows import rows

DIALECT = "xml-elements"


def toolset(parameters, name="t", dialect=DIALECT):
    return cogwire.Toolset([{"name": name, "parameters": parameters}], dialect)


def checked(parameters, **args):
    return toolset(parameters).check({"name": "t", "args": args})


def outcome(schema, text, **rest):
    """Return the argument `v` as it is handed on, and the problems as (code, path)."""
    result = checked({"properties": {"v": schema}, **rest}, v=text)
    return result.args["v"], [(each["code"], each["path"]) for each in result.problems]


def is_same(value, expected):
    """Whether two JSON values are equal and of one type."""
    return json.dumps(value) == json.dumps(expected)


# --- Types ------------------------------------------------------------------------------------


@rows(
    ("kind", "text", "expected"),
    [
        # No decoder is given these.
        ("integer", "9" * 5000, ("9" * 5000, [("bad-type", "/v")])),
        ("array", "[" * 100_000, ("[" * 100_000, [("bad-type", "/v")])),
        ("number", "1E-999", (0.0, [])),
        ("number", f"0.{'0' * 5000}1", (0.0, [])),
    ],
)
def test_numbers_and_arrays_beyond_what_python_reads(kind, text, expected):
    assert outcome({"type": kind}, text) == expected


def test_the_first_of_equal_listed_values_is_the_value():
    value, problems = outcome({"enum": [1.0, 1]}, "1")
    assert is_same(value, 1.0)
    assert not problems


@rows(
    ("schema", "text", "reason"),
    [
        ({"type": "array"}, "[1,", "Expecting value: line 1 column 4 (char 3)"),
        ({"type": "array"}, "[1, 2] 3", "Extra data: line 1 column 8 (char 7)"),
        ({"type": "array"}, " {'a'", "Expecting property name enclosed in double quotes: "),
        ({"type": ["object", "null"]}, '{"a": "\n"}', "Invalid control character at: line 1 col"),
        ({"type": "object"}, '{"a": 1, "a": 1}', 'The member "a" appears twice in one object; '),
        ({"type": "array"}, "[NaN]", 'Expected a value or "]", but got "N". JSON has no NaN'),
        ({"type": "array"}, "[" * 126, "Values may be nested 128 deep; this is one level more. "),
        ({"type": "array"}, f"[{'1' * 1001}]", "A number has at most 1000 digits. "),
        ({"type": "array"}, f"[NaN, {'[' * 100_000}", ""),
    ],
)
def test_the_message_says_why_a_text_is_not_json(schema, text, reason):
    """If the argument is an array or an object, and the text begins as one."""
    (problem,) = checked({"properties": {"a/b": schema}}, **{"a/b": text}).problems
    assert problem["message"].startswith("/a~1b: expected ")
    assert f"; it is not valid JSON: {reason}" in problem["message"]


# --- References -------------------------------------------------------------------------------


def test_a_web_of_references():
    """Each place is looked at once, however many ways lead to it."""
    defs = {
        f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]}
        for i in range(60)
    }
    parameters = {
        "properties": {"v": {"$ref": "#/$defs/d0"}},
        "$defs": {**defs, "d60": {"type": "integer"}},
    }
    assert checked(parameters, v="7").args == {"v": 7}


# --- Calls ------------------------------------------------------------------------------------


def test_a_call_that_was_parsed():
    tools = toolset(
        {
            "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
            "required": ["path"],
        },
        name="read",
    )
    text = "<execute><read><lines>12</lines></read><read><path>7</path></read></execute>"
    first, second, _ = cogwire.parse(text, DIALECT, clock=None)
    result = tools.check(first)
    assert result.args == {"lines": 12}
    assert [(each["code"], each["path"]) for each in result.problems] == [("missing-arg", "/path")]
    assert tools.check(second) == ("read", {"path": "7"}, [])


@rows(
    ("schema", "given", "typed"),
    [
        ({"type": "integer"}, '"12"', "12"),
        ({"type": "number"}, '"1.50"', "1.50"),
        ({"type": "string"}, '"12"', '"12"'),
        ({"type": "integer"}, '"twelve"', '"twelve"'),
        ({"type": "array"}, '"[1.0, 2]"', "[1.0, 2]"),
        ({"type": "array"}, '"[\\"é\\"]"', '["é"]'),
        ({"enum": [1.0]}, '"1"', "1.0"),
        ({}, '"12"', '"12"'),
        ({"type": "integer"}, "12", "12"),
    ],
)
def test_a_history_gets_the_types_that_tools_declare(schema, given, typed):
    tools = toolset({"properties": {"n": schema}}, name="f")
    call, expected = (
        {"type": "call", "content": f'{{"name": "f", "args": {{"n": {n}, "s": "1"}}}}', "id": "c"}
        for n in (given, typed)
    )
    others = [{"type": "user", "content": "q"}, {"type": "execute"}, "no event", {"type": "call"}]
    others += [
        {"type": "call", "content": each} for each in ("[]", {}, '{"name": "g", "args": {}}')
    ]
    assert list(tools.typed([call, *others])) == [expected, *others]
    of_json = cogwire.Toolset(tools.tools)
    spaced = {**call, "content": '{"name":"f"}'}
    assert list(of_json.typed([call, *others, spaced])) == [call, *others, spaced]
    assert list(tools.typed([spaced])) == [{**call, "content": '{"name": "f", "args": {}}'}]


def test_a_deep_call_is_left_to_whoever_reads_it():
    """Wherever the stack ends meanwhile."""
    tools = toolset({"properties": {"n": {"type": "array"}}}, name="f")
    for depth in range(800, 1100, 7):
        deep = f'{{"name": "f", "args": {{"n": {"[" * depth + "]" * depth}}}}}'
        call = {"type": "call", "content": deep}
        assert list(tools.typed([call])) == [call]


def test_a_value_of_another_notation_is_written_as_json():
    parameters = {"properties": {"n": {"type": "boolean"}}}
    tools = toolset(parameters, "f", "qwen3-coder")
    call = {"type": "call", "content": '{"name": "f", "args": {"n": "True"}}'}
    assert list(tools.typed([call])) == [{**call, "content": '{"name": "f", "args": {"n": true}}'}]


@rows("text", ["5,", "5 , ", "(5)", "5, 6"])
def test_a_tuple_of_another_notation_is_a_text(text):
    tools = toolset({"properties": {"n": {"type": "integer"}}}, "f", "seed-oss")
    assert tools.check({"name": "f", "args": {"n": text}}).args == {"n": text}
    assert tools.check({"name": "f", "args": {"n": "5"}}).args == {"n": 5}


def test_a_transcript_is_converted_with_the_types_of_its_tools():
    """So that the model that goes on reads the calls that its own tools accept."""
    tools = toolset({"properties": {"n": {"type": "integer"}}}, name="f")
    text = "<execute>\n  <f>\n    <n>12</n>\n  </f>\n</execute>"
    report = []
    converted = cogwire.convert(text, tools, "hermes", report=report)
    assert '"arguments": {"n": 12}' in converted
    assert '"arguments": {"n": "12"}' in cogwire.convert(text, DIALECT, "hermes")
    assert report == []


def test_a_value_that_is_not_text_is_unchanged():
    """Calls that were made by hand may hold values of any type."""
    parameters = {"properties": {"n": {"type": "integer"}, "l": {"type": "array"}}}
    assert checked(parameters, n=7, l=["1"]) == ("t", {"n": 7, "l": ["1"]}, [])


def test_the_call_that_is_given_is_not_changed():
    call = {"name": "t", "args": {"n": "7"}}
    assert toolset({"properties": {"n": {"type": "integer"}}}).check(call).args == {"n": 7}
    assert call == {"name": "t", "args": {"n": "7"}}


# --- Warnings ---------------------------------------------------------------------------------


def test_names_that_elements_cannot_have():
    parameters = {
        "properties": {"my arg": {}, "été": {}, "$ref": {}, "n:x": {}},
        "allOf": [{"required": ["1"]}],
        "anyOf": [{"properties": {"a/b": {}}}, False],
    }
    warnings = toolset(parameters, name="a b").warnings
    assert [warning.startswith("tool 'a b': ") for warning in warnings] == [True] * len(warnings)
    named = [
        name
        for warning in warnings
        for name in ("my arg", "$ref", "n:x", "'1'", "a/b", "été")
        if name in warning
    ]
    assert named == ["my arg", "$ref", "n:x", "'1'", "a/b"]
    assert len(warnings) == 6
    assert toolset(parameters, name="a b", dialect="xml-json").warnings == ()
    assert toolset({"properties": {"a": {}}}, name="read").warnings == ()


# --- Any text ---------------------------------------------------------------------------------

KINDS = ["string", "integer", "number", "boolean", "null", "array", "object"]

texts = st.one_of(
    st.text(max_size=12),
    st.text('0123456789+-.eE[]{}",:tfnul \n', max_size=12),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    ).map(json.dumps),
)


@given(texts, st.lists(st.sampled_from(KINDS), min_size=1, unique=True))
def test_judging_never_fails_and_never_guesses(text, kinds):
    """What is converted is what the text says as JSON, and what is not stays as it is."""
    value, problems = outcome({"type": kinds}, text)
    if isinstance(value, str):
        assert value == text
        assert problems == ([] if "string" in kinds else [("bad-type", "/v")])
    else:
        assert problems == []
        assert is_same(value, json.loads(text))
        assert abs(value) <= sys.float_info.max if isinstance(value, float) else True
