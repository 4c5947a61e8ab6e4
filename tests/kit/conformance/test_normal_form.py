"""What is compared of an answer, and what is left out."""

from cogwire_kit.conformance import corpus, replies

PARSED = corpus.Case({"id": "xml-json-x", "dialect": "xml-json", "op": "parse", "expect": {}})
BETWEEN = corpus.Case({**PARSED.data, "dialect": "xml-elements"})


def test_the_normal_form_joins_deltas():
    """Those of one segment, with their raws, and of no two."""
    given = [
        {"type": "respond", "content": "a", "raw": " a", "segment": 0},
        {"type": "respond", "content": "b", "raw": "b ", "segment": 0, "done": True},
        {"type": "respond", "content": "c", "raw": "c", "segment": 1, "done": True},
        {"type": "end"},
    ]
    assert replies.joined(given) == [
        {"type": "respond", "content": "ab", "raw": " ab "},
        {"type": "respond", "content": "c", "raw": "c"},
        {"type": "end"},
    ]


def test_the_normal_form_joins_call_deltas():
    """Those of one call only; an index is not a segment."""
    delta = {"type": "call_delta", "index": 0, "name": "a"}
    given = [
        {"type": "respond", "content": "a", "segment": 0, "done": True},
        {**delta, "content": "{", "timestamp": 1},
        {**delta, "content": "}", "timestamp": 2},
        {**delta, "content": "{}", "index": 1},
    ]
    assert replies.joined(given) == [
        {"type": "respond", "content": "a"},
        {**delta, "content": "{}"},
        {**delta, "content": "{}", "index": 1},
    ]


def test_an_empty_call_delta_is_a_fault():
    delta = {"type": "call_delta", "index": 0, "name": "a", "content": "{"}
    assert replies.delta_faults([delta]) is None
    found = replies.delta_faults([delta, {**delta, "content": ""}])
    assert found == "an empty call delta (m-call-delta-fields)"


def test_the_normal_form_leaves_out_how_an_event_arrived():
    error = {"type": "error", "code": "not-array", "offset": 9, "calls": 0}
    given = [{**error, "content": "Expected …", "timestamp": 1.5}, {"type": "end", "timestamp": 2}]
    assert replies.joined(given) == [error, {"type": "end"}]


def test_calls_are_compared_as_text_but_as_values_between_elements():
    one, other = (
        {"events": [{"type": "call", "content": text}]}
        for text in ('{"name": "a", "args": {}}', '{"name":"a","args":{}}')
    )
    assert not replies.same(PARSED, one, other)
    assert replies.same(BETWEEN, one, other)


def test_the_normal_form_leaves_out_messages():
    problem = {"code": "missing-arg", "path": "/file"}
    judged = corpus.Case({**PARSED.data, "op": "validate"})
    reply = {"problems": [[{**problem, "message": "…"}]], "args": [{}]}
    assert replies.outcome(judged, reply) == {"problems": [[problem]], "args": [{}]}
    converted = corpus.Case({**PARSED.data, "op": "convert"})
    reply = {"text": "", "report": [{"offset": 3, "code": "joined", "message": "…"}]}
    entries = [{"offset": 3, "code": "joined"}]
    assert replies.outcome(converted, reply) == {"text": "", "report": entries}
