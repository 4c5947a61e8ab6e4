"""Objects and arrays whose members have one of several names, or which are called like the tool."""

from tests import cogwire
from tests.core.helpers import bare, call, execute, run, singles
from tests.core.wire.described.reading import (
    CALL_A,
    description,
)
from tests.core.wire.trained.formats import delta
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
APERTUS = description("apertus")
OPEN, CLOSE = APERTUS["call"]
KEYED = {
    "name": "keyed",
    "section": ["<calls>", "</calls>"],
    "call": ["", ""],
    "payload": {"kind": "object", "keyed": True},
}
#: The array is a member of an object, whose other members have no meaning.
AROUND = {
    "name": "around",
    "call": ["<call>", "</call>"],
    "payload": {"kind": "array", "args": ["arguments", "args"], "member": "tool_calls"},
}
KEYED_AROUND = {**AROUND, "payload": {"kind": "array", "keyed": True, "member": 'é"'}}
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


@rows(
    "chunks",
    [
        ['<c>{"name": "a"}</c><c>{"name": "a", "arguments": {"x": 1}}</c><c>{"name": "a"}</c>'],
        [
            '<c>{"name": "a"',
            '}</c><c>{"arguments": {"x": 1}, "name": "a"',
            '}</c><c>{"name": "a"}</c>',
        ],
        [
            '<c>{"name": "a"}</c><c>{"name": "a", "arguments": {"x": 1}',
            ', "y": [1]}</c><c>{"name": "a"}</c>',
        ],
    ],
)
def test_args_that_are_left_out_have_a_delta(chunks):
    described = {
        "name": "n",
        "call": ["<c>", "</c>"],
        "payload": {"kind": "object", "partial": True},
    }
    form = cogwire.Format.from_json(described)
    for pieces in (chunks, "".join(chunks)):
        parser = cogwire.Parser(form, stream="token", call_deltas=True, clock=None)
        events = [event for piece in pieces for event in parser.feed(piece)]
        shown = ["", "", ""]
        calls = []
        for event in events:
            if event["type"] == "call":
                calls.append(f'{{"name": "a", "args": {shown[len(calls)]}}}')
                assert event["content"] == calls[-1]
            else:
                shown[event["index"]] += event["content"]
        assert shown == ["{}", '{"x": 1}', "{}"]
        assert len(calls) == len(shown)


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


def test_arrays_in_pieces_are_read_like_whole_ones():
    """Large arrays take the path of the decoder in C, and single characters that of the machine."""
    form = cogwire.Format.from_json(COHERE)
    item = '{"name": "a", "arguments": {"x": "some longer text"}}'
    text = f"<|START_ACTION|>[{', '.join([item] * 3)}]<|END_ACTION|>"
    expected = [call('{"name": "a", "args": {"x": "some longer text"}}')] * 3 + [execute()]
    for chunks in ([text], singles(text)):
        assert bare(run(chunks, dialect=form).events) == expected
