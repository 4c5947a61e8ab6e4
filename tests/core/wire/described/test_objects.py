"""Objects and arrays whose members have one of several names, or which are called like the tool."""

from tests import cogwire
from tests.core.helpers import CARET, bare, call, error, execute, respond, run, singles
from tests.core.wire.described.reading import (
    CALL_A,
    CALL_B,
    check_turn,
    description,
    each_turn,
    refusal,
)
from tests.core.wire.trained.formats import delta, turn
from tests.rows import rows

#: Cohere's Command R7B and A write `tool_name` and `parameters`, and other engines `name`.
COHERE = {
    "name": "cohere",
    "think": ["<|START_THINKING|>", "<|END_THINKING|>"],
    "call": ["<|START_ACTION|>", "<|END_ACTION|>"],
    "payload": {
        "kind": "array",
        "name": ["tool_name", "name"],
        "args": ["parameters", "arguments"],
    },
}
COHERE_TURNS = {
    "a render": turn(
        '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "a", "parameters": {"x": 1}},\n'
        '    {"tool_call_id": "1", "tool_name": "b", "parameters": {}}\n]<|END_ACTION|>',
        [CALL_A, CALL_B, execute()],
    ),
    "other names": turn(
        '<|START_ACTION|>[{"arguments": {"x": 1}, "name": "a"}, {"name": "b", "parameters": {}}]',
        [CALL_A, CALL_B, execute()],
    ),
    "two names": turn(
        f'<|START_ACTION|>[{{"tool_name": "a", "name{CARET}": "b", "parameters": {{}}}}]'
        "<|END_ACTION|>c",
        [error("duplicate-key", "/0/name"), respond("c")],
    ),
    "two args": turn(
        f'<|START_ACTION|>[{{"arguments": {{}}, "name": "a", "parameters{CARET}": {{}}}}]',
        [error("duplicate-key", "/0/parameters")],
        state="execute",
    ),
    "the same name twice": turn(
        f'<|START_ACTION|>[{{"name": "a", "name{CARET}": "b"}}]',
        [error("duplicate-key", "/0/name")],
        state="execute",
    ),
    "no name": turn(
        f'<|START_ACTION|>[{{"arguments": {{}}{CARET}}}]',
        [error("missing-name", "/0")],
        state="execute",
    ),
    "no args": turn(
        f'<|START_ACTION|>[{{"name": "a", "args": {{}}{CARET}}}]',
        [error("missing-args", "/0")],
        state="execute",
    ),
    "a name of another type": turn(
        f'<|START_ACTION|>[{{"name": {CARET}1}}]', [error("bad-name", "/0/name")], state="execute"
    ),
    "args of another type": turn(
        f'<|START_ACTION|>[{{"arguments": {CARET}[]}}]',
        [error("bad-args", "/0/arguments")],
        state="execute",
    ),
    "an empty name": turn(
        f'<|START_ACTION|>[{{"name": "{CARET}"}}]', [error("bad-name", "/0/name")], state="execute"
    ),
}

#: One object for each call; the member with the name may be called as args are elsewhere.
OBJECTS = {
    "name": "objects",
    "call": ["<call>", "</call>"],
    "payload": {
        "kind": "object",
        "name": ["tool", "input"],
        "args": ["values", "args"],
        "partial": True,
    },
}
OBJECTS_TURNS = {
    "both names": turn(
        '<call>{"tool": "a", "args": {"x": 1}}</call><call>{"input": "b"}</call>',
        [CALL_A, CALL_B, execute()],
    ),
    "white space and a member after the args": turn(
        '<call>{ "tool" : "a" , "args" : {"x": 1} \n}</call><call>{"tool": "b", "args": {}, "id": {}}'
        "</call>",
        [CALL_A, CALL_B, execute()],
    ),
    "args of yet another name": turn(
        f'<call>{{"input": "b", "params": {{}}{CARET}}}</call>c',
        [error("missing-args", "/0"), respond("c")],
    ),
    "an escape in a name": turn(
        '<call>{"to\\u006fl": "\\u0061", "values": {"x": 1}}</call>',
        [call('{"name": "\\u0061", "args": {"x": 1}}'), execute()],
    ),
}

APERTUS = description("apertus")
OPEN, CLOSE = APERTUS["call"]
APERTUS_TURNS = {
    "a render": turn(
        f'PROSE{OPEN}[{{"get_weather": {{"city": "Paris, \\"é\\"", "n": 5}}}}, {{"get_weather": {{}}}}]{CLOSE}',
        [
            respond("PROSE"),
            call('{"name": "get_weather", "args": {"city": "Paris, \\"é\\"", "n": 5}}'),
            call('{"name": "get_weather", "args": {}}'),
            execute(),
        ],
    ),
    "an escape in a name": turn(
        f'{OPEN}[{{"\\u00e9\\"": {{}}}}]{CLOSE}', [call('{"name": "é\\"", "args": {}}'), execute()]
    ),
    "a member of args that is called like the tool": turn(
        f'{OPEN}[{{"a": {{"a": {{}}, "b": {{"a": {{}}}}}}}}]{CLOSE}',
        [call('{"name": "a", "args": {"a": {}, "b": {"a": {}}}}'), execute()],
    ),
    "no member": turn(f"{OPEN}[{{{CARET}}}]{CLOSE}b", [error("missing-name", "/0"), respond("b")]),
    "two members": turn(
        f'{OPEN}[{{"a": {{}}, "b{CARET}": {{}}}}]{CLOSE}b',
        [error("duplicate-key", "/0/b"), respond("b")],
    ),
    "the same member twice": turn(
        f'{OPEN}[{{"a": {{}}, "a{CARET}": {{}}}}]',
        [error("duplicate-key", "/0/a")],
        state="execute",
    ),
    "an empty name": turn(
        f'{OPEN}[{{"b": {{}}}}, {{"{CARET}": {{}}}}]{CLOSE}',
        [CALL_B, error("bad-name", "/1", calls=1)],
    ),
    "the reserved name": turn(
        f'{OPEN}[{{"execute{CARET}": {{}}}}]', [error("bad-name", "/0")], state="execute"
    ),
    "the reserved name, and long arguments": turn(
        f'{OPEN}[{{"execute{CARET}": {{"x": "some longer text"}}}}]',
        [error("bad-name", "/0")],
        state="execute",
    ),
    "args that are no object": turn(
        f'{OPEN}[{{"name": {CARET}"a", "args": {{}}}}]',
        [error("bad-args", "/0/name")],
        state="execute",
    ),
    "an error in the args": turn(
        f'{OPEN}[{{"a": {{"x": {CARET}x}}}}]', [error("json-syntax", "/0/a/x")], state="execute"
    ),
    "a cut name": turn(f'{OPEN}[{{"a{CARET}', [error("unclosed-call", "/0")], state="execute"),
}

KEYED = {
    "name": "keyed",
    "section": ["<calls>", "</calls>"],
    "call": ["", ""],
    "payload": {"kind": "object", "keyed": True},
}
KEYED_TURNS = {
    "two objects": turn(
        '<calls>\n{"a": {"x": 1}}\n{"b": {}}\n</calls>', [CALL_A, CALL_B, execute()]
    ),
    "too many calls": turn(
        f'<calls>{{"b": {{}}}}{CARET}{{"b": {{}}}}</calls>',
        [CALL_B, error("limit-calls", "/1", calls=1)],
        limits=cogwire.Limits(calls=1),
    ),
}

#: The array is a member of an object, whose other members have no meaning.
AROUND = {
    "name": "around",
    "call": ["<call>", "</call>"],
    "payload": {"kind": "array", "args": ["arguments", "args"], "member": "tool_calls"},
}
A, B = '{"name": "a", "args": {"x": 1}}', '{"name": "b", "arguments": {}}'
AROUND_TURNS = {
    "an array alone": turn(
        f'<call> {{ "tool_calls" : [ {A} , {B} ] }} </call>c',
        [CALL_A, CALL_B, respond("c"), execute()],
    ),
    "members around it": turn(
        f'<call>{{"thought": "a }} ] \\" </call>", "0": {{"name": [{{}}, -1.5e3]}}, "tool_\\u0063alls": [{A}],'
        ' "arguments": {"arguments": {}}, "name": null}</call>',
        [CALL_A, execute()],
    ),
    "two objects": turn(
        f'<call>{{"tool_calls": [{A}]}}</call><call>{{"tool_calls": [{B}]}}</call>',
        [CALL_A, CALL_B, execute()],
    ),
    "no calls": turn('<call>{"tool_calls": []}</call>b', [respond("b")], state="prose"),
    "no array": turn(f'<call>{{"calls": [{A}]}}</call>b', [respond("b")], state="prose"),
    "no member": turn("<call>{}</call>b", [respond("b")], state="prose"),
    "an array without an object": turn(
        f"<call>{CARET}[{A}]</call>b", [error("not-object"), respond("b")]
    ),
    "no object": turn(f"<call>{CARET}x</call>b", [error("not-object"), respond("b")]),
    "a member that is no array": turn(
        f'<call>{{"tool_calls": {CARET}{{}}}}</call>b',
        [error("not-array", "/tool_calls"), respond("b")],
    ),
    "the array twice": turn(
        f'<call>{{"tool_calls": [{A}], "tool_calls{CARET}": []}}</call>b',
        [CALL_A, error("duplicate-key", "/tool_calls", calls=1), respond("b")],
    ),
    "another member twice": turn(
        f'<call>{{"x": {{"y": 1, "y{CARET}": 2}}}}</call>b',
        [error("duplicate-key", "/x/y"), respond("b")],
    ),
    "a broken member": turn(
        f'<call>{{"x": n{CARET}il, "tool_calls": [{A}]}}</call>b',
        [error("json-syntax", "/x"), respond("b")],
    ),
    "a broken member after the calls": turn(
        f'<call>{{"tool_calls": [{A}], "x": [1 {CARET}2]}}</call>b',
        [CALL_A, error("json-syntax", "/x/0", calls=1), respond("b")],
    ),
    "a broken call of a second object": turn(
        f'<call>{{"tool_calls": [{A}]}}</call><call>{{"tool_calls": [{{}}]}}</call>b'.replace(
            "{}]", f"{{{CARET}}}]"
        ),
        [CALL_A, error("missing-name", "/1", calls=1), respond("b")],
    ),
    "no comma": turn(
        f'<call>{{"tool_calls": [{A}] {CARET}"x": 1}}</call>b',
        [CALL_A, error("json-syntax", "/tool_calls", calls=1), respond("b")],
    ),
    "no colon": turn(
        f'<call>{{"tool_calls" {CARET}[{A}]}}</call>b', [error("json-syntax"), respond("b")]
    ),
    "no name": turn(f"<call>{{{CARET}1}}</call>b", [error("json-syntax"), respond("b")]),
    "text after the array": turn(
        f'<call>{{"tool_calls": [{A}]{CARET}]</call>b',
        [CALL_A, error("json-syntax", "/tool_calls", calls=1), respond("b")],
    ),
    "cut after the array": turn(
        f'<call>{{"tool_calls": [{A}]{CARET}',
        [CALL_A, error("unclosed-call", "/tool_calls", calls=1)],
        state="execute",
    ),
    "cut before the array": turn(
        f'<call>{{"thought": "a{CARET}', [error("unclosed-call", "/thought")], state="execute"
    ),
    "cut before the member": turn(f"<call>{{{CARET}", [error("unclosed-call")], state="execute"),
    "members that are too deep": turn(
        f'<call>{{"x": [{CARET}[]], "tool_calls": []}}</call>b',
        [error("limit-depth", "/x/0"), respond("b")],
        limits=cogwire.Limits(depth=3),
    ),
    "a call of the same depth": turn(
        f'<call>{{"x": [], "tool_calls": [{A}]}}</call>',
        [CALL_A, execute()],
        limits=cogwire.Limits(depth=3),
    ),
    "an object that is full before the array": turn(
        f'<call>{{"tool_calls": {CARET}[]}}</call>b',
        [error("limit-size", "/tool_calls"), respond("b")],
        limits=cogwire.Limits(size=len('{"tool_calls": ')),
    ),
    "an object that is too large": turn(
        f'<call>{{"tool_calls": [{A}], "x": 1{CARET}}}</call>b',
        [CALL_A, error("limit-size", "/x", calls=1), respond("b")],
        limits=cogwire.Limits(size=len(f'{{"tool_calls": [{A}], "x": 1')),
    ),
    "an object that is large enough": turn(
        f'<call>{{"tool_calls": [{A}], "x": 1}}</call>b',
        [CALL_A, respond("b"), execute()],
        limits=cogwire.Limits(size=len(f'{{"tool_calls": [{A}], "x": 1}}')),
    ),
}

KEYED_AROUND = {**AROUND, "payload": {"kind": "array", "keyed": True, "member": 'é"'}}
KEYED_AROUND_TURNS = {
    "a call": turn(
        '<call>{"x": {}, "é\\"": [{"a": {"x": 1}}, {"b": {}}]}</call>', [CALL_A, CALL_B, execute()]
    ),
}

#: A call may have no args, but not args of another type, whatever they are called.
PARTIAL = {
    "name": "partial",
    "call": ["<call>", "</call>"],
    "payload": {"kind": "object", "args": "values", "partial": True},
}
PARTIAL_TURNS = {
    "args of another type": turn(
        f'<call>{{"name": "a", "values": {CARET}[]}}</call>b',
        [error("bad-args", "/0/values"), respond("b")],
    ),
    "no args": turn('<call>{"name": "b"}</call>', [CALL_B, execute()]),
}

TABLES = (
    (PARTIAL, PARTIAL_TURNS),
    (COHERE, COHERE_TURNS),
    (OBJECTS, OBJECTS_TURNS),
    (APERTUS, APERTUS_TURNS),
    (KEYED, KEYED_TURNS),
    (AROUND, AROUND_TURNS),
    (KEYED_AROUND, KEYED_AROUND_TURNS),
)


@each_turn(*TABLES)
def test_a_turn(described, row):
    check_turn(described, row)


CALLS = [{"name": 'é"', "args": {"x": ["<"]}}, {"name": "b", "args": {}}]


@rows(
    ("described", "expected"),
    [
        (
            COHERE,
            (
                '<|START_ACTION|>[\n  {"tool_name": "é\\"", "parameters": {"x": ["<"]}},\n  '
                '{"tool_name": "b", "parameters": {}}\n]<|END_ACTION|>'
            ),
        ),
        (
            OBJECTS,
            (
                '<call>{"tool": "é\\"", "values": {"x": ["<"]}}</call>\n'
                '<call>{"tool": "b", "values": {}}</call>'
            ),
        ),
        (APERTUS, f'{OPEN}[\n  {{"é\\"": {{"x": ["<"]}}}},\n  {{"b": {{}}}}\n]{CLOSE}'),
        (KEYED, '<calls>\n{"é\\"": {"x": ["<"]}}\n{"b": {}}\n</calls>'),
        (
            AROUND,
            (
                '<call>{"tool_calls": [\n  {"name": "é\\"", "arguments": {"x": ["<"]}},\n  '
                '{"name": "b", "arguments": {}}\n]}</call>'
            ),
        ),
        (
            KEYED_AROUND,
            '<call>{"é\\"": [\n  {"é\\"": {"x": ["<"]}},\n  {"b": {}}\n]}</call>',
        ),
    ],
)
def test_a_batch_is_written(described, expected):
    form = cogwire.Format.from_json(described)
    assert cogwire.render_calls(CALLS, form) == expected
    contents = ['{"name": "é\\"", "args": {"x": ["<"]}}', '{"name": "b", "args": {}}']
    assert bare(cogwire.parse(expected, form, clock=None)) == [*map(call, contents), execute()]


@rows("described", [APERTUS, KEYED])
def test_a_call_in_another_format_is_written_with_its_own_spelling(described):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    text = '<execute>[{"name": "\\u0061", "args": {"x": 1.0}}]</execute><results>[{"tool": "a", '
    text += '"status": "success", "content": 1}]</results>'
    written = cogwire.convert(text, "xml-json", form)
    assert '{"\\u0061": {"x": 1.0}}' in written


@rows("described", [APERTUS, KEYED])
def test_a_prompt_teaches_the_only_member(described):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    tool = {"name": "a", "parameters": {"properties": {"x": {"type": "integer"}}}}
    prompt = cogwire.render_prompt(cogwire.Toolset([tool], form))
    assert "Every call is an object with one member: the name of the tool" in prompt


@rows(
    "described, words",
    [
        (AROUND, "a JSON object whose member `tool_calls` is a JSON array of objects with `name`"),
        (KEYED_AROUND, "is a JSON array of objects, each with one member, which is called like"),
        (AROUND, "one JSON object and nothing else"),
        (KEYED_AROUND, "one JSON object and nothing else"),
    ],
)
def test_a_prompt_teaches_the_object_around_calls(described, words):
    form = cogwire.Format.from_json({**described, "result": ["<r>", "</r>"]})
    assert words in cogwire.render_prompt(cogwire.Toolset([], form))


def test_deltas_have_the_name_of_the_only_member():
    form = cogwire.Format.from_json(KEYED)
    parser = cogwire.Parser(form, stream="token", call_deltas=True, clock=None)
    chunks = ('<calls>{"a"', ': {"x', '": 1}', "}</calls>")
    assert [parser.feed(chunk) for chunk in chunks] == [
        [],
        [delta('{"x')],
        [delta('": 1}')],
        [CALL_A],
    ]


@rows(
    "members, place",
    [
        ({"name": []}, "/name"),
        ({"args": ["a", "a"]}, "/args"),
        ({"name": ["a", "b"], "args": ["b"]}, "/args"),
        ({"name": ["a", 1]}, "/name/1"),
        ({"args": 1}, "/args"),
        ({"member": "a"}, "/member"),
        ({"kind": "array", "member": 1}, "/member"),
        ({"kind": "array", "member": "\ud800"}, "/member"),
        ({"keyed": 1}, "/keyed"),
        ({"keyed": True, "name": "a"}, "/keyed"),
        ({"keyed": True, "args": "a"}, "/keyed"),
        ({"keyed": True, "partial": True}, "/keyed"),
    ],
)
def test_a_description_is_refused(members, place):
    described = {"name": "a", "call": ["<a>", "</a>"], "payload": {"kind": "object", **members}}
    assert refusal(described).startswith(f"/payload{place}: ")


def test_arrays_in_pieces_are_read_like_whole_ones():
    """Large arrays take the path of the decoder in C, and single characters that of the machine."""
    form = cogwire.Format.from_json(COHERE)
    item = '{"name": "a", "arguments": {"x": "some longer text"}}'
    text = f"<|START_ACTION|>[{', '.join([item] * 3)}]<|END_ACTION|>"
    expected = [call('{"name": "a", "args": {"x": "some longer text"}}')] * 3 + [execute()]
    for chunks in ([text], singles(text)):
        assert bare(run(chunks, dialect=form).events) == expected
