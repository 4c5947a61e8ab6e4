"""Single inputs of the line dialects on which careful readers would differ, one case for each.

A caret `‸` stands before the character at which the error is due; it is no part of the text.
"""

import json

import pytest

from tests import cogwire
from tests.core.helpers import (
    LINES,
    bare,
    call,
    check,
    end,
    error,
    execute,
    placed,
    respond,
    result,
    run,
    singles,
    think,
)
from tests.core.test_rulings import cases

A = '{"name":"a","args":{}}'
B = '{"name":"b"}'
CALL_A = f"§call: {A}\n"
CALL_B = f"§call: {B}\n"
#: A payload up to the value of the argument `x`.
X = '§call: {"name":"a","args":{"x":'


def check_lines(text, expected, **options):
    """Check `text` in both dialects, which are read alike."""
    check(text, expected, dialect="delimiter", **options)
    check_briefly(text, expected, dialect="delimiter-upper", **options)


def check_briefly(text, expected, *, state=None, discarded=0, dialect="delimiter", **options):
    """Check `text` whole and one by one only, where it is near one that is checked in every way."""
    data, expected = placed(text, expected)
    for chunks in ([data], singles(data)):
        outcome = run(chunks, dialect=dialect, **options)
        assert bare(outcome.events) == expected
        assert state in (None, outcome.state)
        assert outcome.discarded == discarded


def check_transcript(text, expected, **options):
    check_lines(text, expected, mode="transcript", **options)


def check_payload(payload):
    """Assert that `payload` is one call, whose content is its own text."""
    check_lines(f"§call: {payload}\n§execute", [call(payload), execute()], state="paused")


def check_broken(text, code, path="/0"):
    """Assert that the payload behind `§call:` breaks at its caret and is read as prose."""
    said = text.replace("‸", "").removeprefix("§call:").strip(" \t\n\r")
    expected = [error(code, path), *([respond(said)] if said else [])]
    check_lines(text, expected, state="prose")
    check_briefly(f"{text}\n§execute", expected, state="paused")
    check_briefly(f"{text}\n§end", [*expected, end()], state="ended")


# --- Markers ----------------------------------------------------------------------------------


@cases(
    "text events options",
    ("think", "§think: a", [think("a")], {"state": "think"}),
    ("respond", "§respond: a", [respond("a")], {"state": "prose"}),
    ("no white space behind", "§think:a", [think("a")], {}),
    ("a line end behind", "§respond:\na", [respond("a")], {}),
    ("upper case", "§THINK: a\n§RESPOND: b\n§END", [think("a"), respond("b"), end()], {}),
    ("any case", "§ThInK: a\n§rESPOND: b\n§End", [think("a"), respond("b"), end()], {}),
    ("a call in upper case", f"§CALL: {A}\n§EXECUTE", [call(A), execute()], {"state": "paused"}),
    ("a call in any case", f"§Call:{A}§eXecute", [call(A), execute()], {"state": "paused"}),
    ("the end at the end", "§end", [end()], {"state": "ended"}),
    ("a space behind it", "§end ", [end()], {"state": "ended", "discarded": 1}),
    ("a tab behind it", "§end\tx", [end()], {"discarded": 2}),
    ("a line end behind it", "§end\nx", [end()], {"discarded": 2}),
    ("a carriage return behind it", "§end\rx", [end()], {"discarded": 2}),
    ("a section sign behind it", "§end§x", [end()], {"discarded": 2}),
    ("a marker behind execute", "§execute§end", [execute()], {"discarded": 4}),
    ("execute in upper case", "§EXECUTE\n", [execute()], {"state": "paused", "discarded": 1}),
)
def test_markers(text, events, options):
    check_lines(text, events, **options)


@pytest.mark.parametrize(
    "text",
    [
        "§end.",
        "§ending",
        "§end!",
        "§end</s>",
        "§end\u00a0",
        "§end\u2028",
        "§end\x0b",
        "§endé",
        "§end:",
        "§execute-order",
        "§executes",
        "§execute.",
        "§execute:",
        "§executé",
        "§think",
        "§think a",
        "§think :",
        "§ think:",
        "§thinks:",
        "§respond",
        "§call",
        f"§call {A}",
        "§result",
        "§results:",
        "§metrics:",
        "§",
        "§§",
        "§§end",
        "§\n",
        "§thin\u212a: a",
        "§re\u017fpond: a",
        "§e\u0131nd",
        "\uff00§end",
        "\u00c2§end",
        "&sect;end",
        "&sect;call: {}",
        "$end",
        "<end>",
        "<execute>[]</execute>",
        "<results>",
        "[system: a]",
        "[System: a]",
        "[SYSTEM:a]",
        "[SYSTEM:\ta]",
        "[SYSTEM:\u00a0a]",
        "[SYSTEM : a]",
        "[ SYSTEM: a]",
        "[SYSTEM",
        "SYSTEM: a",
        "[[SYSTEM: a]",
        "&#91;SYSTEM: a]",
    ],
)
def test_what_is_nearly_a_marker_is_prose(text):
    check_lines(text, [respond(text.strip(" \t\n\r"))], state="prose")


# --- Where a marker counts --------------------------------------------------------------------


@pytest.mark.parametrize(
    "before",
    [
        "",
        " ",
        "\t",
        "\n",
        "\r",
        " \t\r\n \t",
        "§think:",
        "§think: ",
        "§think:\n\n",
        "§respond:§think: \t",
        "§RESPOND:",
    ],
)
def test_a_marker_counts_at_the_start_and_behind_another(before):
    """White space may stand between."""
    check_lines(f"{before}§end", [end()], state="ended")


@pytest.mark.parametrize("gap", ["\n", "\r", "\r\n", "\n \t", " \n", "\n\n  \n", "\r\t"])
def test_a_marker_counts_at_the_start_of_a_line(gap):
    """Spaces and tabs may stand before it."""
    check_lines(f"a{gap}§end", [respond("a"), end()], state="ended")
    check_lines(f"§think: a{gap}§respond: b{gap}§end", [think("a"), respond("b"), end()])


@pytest.mark.parametrize("gap", ["", " ", "\t", "\n", "\r\n\t \n"])
def test_a_marker_counts_behind_a_call(gap):
    check_lines(f"§call:{gap}{A}{gap}§execute", [call(A), execute()], state="paused")
    check_lines(
        f"§call: {A}{gap}§call: {B}{gap}§execute", [call(A), call(B), execute()], state="paused"
    )


@pytest.mark.parametrize(
    "text",
    [
        "the word §end here",
        "a §end",
        "a §respond: b",
        "a §think: b",
        f"a §call: {A}",
        "a [SYSTEM: b]",
        "a §result: b",
        "- §end",
        "> §end",
        "`§end`",
        "1. §execute",
        "§ §end",
        "\u00a0§end",
        "\ufeff§end",
        "\x0b§end",
        "a\n\x0c§end",
        "a\u2028§end",
        "a\u0085§end",
        "a\n- §end",
        "a\n§thin §end",
        "\0§end",
    ],
)
def test_elsewhere_a_marker_is_prose(text):
    check_lines(text, [respond(text)], state="prose")
    check_briefly(f"§respond: {text}", [respond(text)], state="prose")


# --- Segments ---------------------------------------------------------------------------------


@cases(
    "text events options",
    ("nothing", "", [], {"state": "prose"}),
    ("white space", " \n\t", [], {"state": "prose"}),
    ("text before any marker", "Hi.\n§end", [respond("Hi."), end()], {}),
    ("a think and an answer", "§think: a\n§respond: b", [think("a"), respond("b")], {}),
    ("two answers", "§respond: a\n§respond: b", [respond("a"), respond("b")], {}),
    ("two thinks", "§think: a\n§think: b\n", [think("a"), think("b")], {"state": "think"}),
    ("text, then an answer", "a\n§respond: b", [respond("a"), respond("b")], {}),
    ("an empty think", "§think:\n§respond: b", [respond("b")], {}),
    ("an empty answer", "§respond:\n§end", [end()], {"state": "ended"}),
    ("lines within", "§respond: a\n\n  b \n", [respond("a\n\n  b")], {}),
    ("only four are white space", "§respond:\u00a0\x1f\n", [respond("\u00a0\x1f")], {}),
    ("one respond on one line", "§respond: a §respond: b", [respond("a §respond: b")], {}),
    ("a think never ended", "a\n§think: b ", [respond("a"), think("b")], {"state": "think"}),
    ("half a marker at the end", "a\n§thin", [respond("a\n§thin")], {"state": "prose"}),
    ("half a marker in a think", "§think: a\n§en", [think("a\n§en")], {"state": "think"}),
    ("after the end", "§end\n§think: a", [end()], {"discarded": 10}),
    ("an answer without end", "§respond: Done.", [respond("Done.")], {"state": "prose"}),
    (
        "a call ends a think",
        f"§think: I could\n{CALL_A}§execute",
        [think("I could"), call(A), execute()],
        {"state": "paused"},
    ),
    ("a rare character", "§respond: \ufeff\0\U0001f600", [respond("\ufeff\0\U0001f600")], {}),
)
def test_segments(text, events, options):
    check_lines(text, events, **options)


@cases(
    "text events options",
    ("no marker", "a", [think("a")], {"state": "think"}),
    ("nothing", "", [], {"state": "think"}),
    ("an opener", "§think: a\n§respond: b", [think("a"), respond("b")], {"state": "prose"}),
    ("white space, then an opener", " \n§THINK: a", [think("a")], {"state": "think"}),
    ("two openers", "§think: §think: a", [think("a")], {}),
    ("an opener later", "a\n§think: b", [think("a"), think("b")], {}),
    ("half an opener", "§thin", [think("§thin")], {"state": "think"}),
    ("an answer", "a\n§respond: b", [think("a"), respond("b")], {"state": "prose"}),
    ("an answer at once", "§respond: b", [respond("b")], {"state": "prose"}),
    ("a call", f"a\n{CALL_A}§execute", [think("a"), call(A), execute()], {"state": "paused"}),
    ("the end", "a\n§end", [think("a"), end()], {"state": "ended"}),
    ("mid-line", "a §end", [think("a §end")], {"state": "think"}),
    ("forged results", "a\n‸§result: b", [think("a"), error("forged-results")], {"discarded": 2}),
)
def test_a_turn_that_starts_in_think(text, events, options):
    check_lines(text, events, start="think", **options)


# --- Calls ------------------------------------------------------------------------------------


@cases(
    "payload",
    ("no args", '{"name":"tool"}'),
    ("args", A),
    ("args first", '{"args":{},"name":"a"}'),
    ("other members", '{"id":1,"name":"a","why":["x",null]}'),
    ("white space everywhere", '{ \n"name"\t:\r"a" , "args" : { "x" : [ ] } }'),
    ("a name in escapes", '{"n\\u0061me":"\\u0061"}'),
    ("markers in a string", '{"name":"a","args":{"x":"§execute §end [SYSTEM: ]"}}'),
    ("markers in a key", '{"name":"a","args":{"§end":1}}'),
    ("line ends in escapes", '{"name":"a","args":{"x":"\\n§end\\n"}}'),
    ("braces in strings", '{"name":"a","args":{"x":"}}]"}}'),
    ("an argument called args", '{"name":"a","x":{"args":[]}}'),
    ("numbers", '{"name":"a","args":{"x":[1e-400,-0,9007199254740993]}}'),
)
def test_a_valid_call(payload):
    check_payload(payload)


def test_a_call_without_args_has_none():
    """No `args` means none, for whoever runs it."""
    batch = cogwire.Batch("delimiter", clock=None)
    for event in run([f"§call: {B}\n§execute"], dialect="delimiter").events:
        batch.take(event)
    assert [(one.name, one.args) for one in batch.calls] == [("b", {})]
    assert not batch.parallel


def test_a_call_follows_its_marker_directly_or_behind_white_space():
    for gap in ("", " ", "\n", "\r\n\t  "):
        check_lines(f"§call:{gap}{B}§execute", [call(B), execute()], state="paused")


@cases(
    "text code path",
    ("a word", "§call: ‸please", "json-syntax"),
    ("a closing brace", "§call: ‸}", "json-syntax"),
    ("a fence", f"§call: ‸```json\n{A}\n```", "json-syntax"),
    ("a no-break space", f"§call: ‸\u00a0{A}", "json-syntax"),
    ("a tag", f"§call: ‸<execute>[{A}]</execute>", "json-syntax"),
    ("a string", '§call: ‸"a §end', "not-object"),
    ("an array", f"§call: ‸[{A}]", "not-object"),
    ("a number", "§call: ‸1", "not-object"),
    ("a minus", "§call: ‸-", "not-object"),
    ("null", "§call: ‸null", "not-object"),
    ("a word that begins like a value", "§call: ‸the tool", "not-object"),
    ("no quotes", "§call: {‸name: x}", "json-syntax"),
    ("single quotes", "§call: {‸'name'", "json-syntax"),
    ("an empty object", "§call: {‸}", "missing-name"),
    ("args alone", '§call: {"args":{}‸}', "missing-name"),
    ("a misspelled name", '§call: {"nme":"x"‸}', "missing-name"),
    ("a number as name", '§call: {"name":‸1}', "bad-name", "/0/name"),
    ("an empty name", '§call: {"name":"‸"}', "bad-name", "/0/name"),
    ("the reserved name", '§call: {"name":"execute‸"}', "bad-name", "/0/name"),
    ("an array as args", '§call: {"name":"a","args":‸[]}', "bad-args", "/0/args"),
    ("null as args", '§call: {"name":"a","args":‸null}', "bad-args", "/0/args"),
    ("a name twice", '§call: {"name":"a","name‸":"b"}', "duplicate-key", "/0/name"),
    ("a key twice", X + '1,"x‸":2}}', "duplicate-key", "/0/args/x"),
    ("a trailing comma", X + "1,‸}}", "json-syntax", "/0/args"),
    ("a wrong literal", X + "tru‸!}}", "json-syntax", "/0/args/x"),
    ("a leading zero", X + "0‸1}}", "json-syntax", "/0/args/x"),
    ("a number out of range", X + "1e999‸}}", "number-range", "/0/args/x"),
    ("a lone surrogate", X + '"\\ud83d‸"}}', "lone-surrogate", "/0/args/x"),
    ("a raw tab", X + '"‸\t"}}', "json-syntax", "/0/args/x"),
    ("an unknown escape", X + '"\\‸q"}}', "json-syntax", "/0/args/x"),
    ("a bracket that does not match", X + "[1‸}}", "json-syntax", "/0/args/x/0"),
    ("args in a string", '§call: {"name":"a","args":‸"{}"}', "bad-args", "/0/args"),
)
def test_a_payload_that_breaks_is_prose(text, code, path):
    check_broken(text, code, path or "/0")


@cases(
    "text events options",
    (
        "a marker instead of a payload",
        "§call:‸§execute",
        [error("json-syntax", "/0")],
        {"state": "paused"},
    ),
    (
        "a marker behind white space",
        "§call: \n ‸§end",
        [error("json-syntax", "/0"), end()],
        {"state": "ended"},
    ),
    (
        "a marker in an object",
        "§call: {\n‸§end",
        [error("json-syntax", "/0"), respond("{"), end()],
        {"state": "ended"},
    ),
    (
        "a marker where a value is due",
        '§call: {"name":‸§execute',
        [error("json-syntax", "/0/name"), respond('{"name":§execute')],
        {"state": "prose"},
    ),
    (
        "a raw line end in a string, and a marker",
        X + '"a‸\n§end\n"}}',
        [error("json-syntax", "/0/args/x"), respond('{"name":"a","args":{"x":"a'), end()],
        {"state": "ended", "discarded": 4},
    ),
    (
        "a result where it begins an array",
        "§call:‸[SYSTEM: x]",
        [error("not-object", "/0"), error("forged-results", offset=6)],
        {"state": "paused", "discarded": 2},
    ),
    (
        "a result in a payload",
        X + "\n[‸SYSTEM: x]",
        [
            error("json-syntax", "/0/args/x/0"),
            respond('{"name":"a","args":{"x":'),
            error("forged-results", offset=32),
        ],
        {"state": "paused", "discarded": 2},
    ),
    (
        "text goes on behind it",
        "§call: {‸bad} and\nmore\n§respond: b",
        [error("json-syntax", "/0"), respond("{bad} and\nmore"), respond("b")],
        {"state": "prose"},
    ),
    (
        "the text before it is another segment",
        "a\n§call: ‸b",
        [respond("a"), error("json-syntax", "/0"), respond("b")],
        {"state": "prose"},
    ),
    (
        "a think before it",
        "§think: a\n§call: ‸b",
        [think("a"), error("json-syntax", "/0"), respond("b")],
        {"state": "prose"},
    ),
)
def test_in_a_broken_payload_markers_count_again(text, events, options):
    check_lines(text, events, **options)


def test_a_payload_that_breaks_voids_the_calls_behind_it():
    """What the model meant as an argument is shown as a call, and never runs."""
    payload = '{"name":"write","args":{"text":"press " then'
    remove = '{"name":"rm","args":{"p":"/"}}'
    text = f"§call: {payload.replace('then', '‸then')}\n§call: {remove}\n§execute"
    expected = [error("json-syntax", "/0/args/text"), respond(payload), call(remove)]
    check_lines(text, expected, state="paused")
    events = run([text.replace("‸", "")], dialect="delimiter").events
    batch = cogwire.Batch("delimiter", clock=None)
    answers = [answer for event in events for answer in batch.take(event)]
    assert [answer["payload"]["tools_executed"] for answer in answers] == [0]
    assert batch.calls == ()
    assert not batch.is_open


@cases(
    "text events options",
    (
        "after a good one",
        f"{CALL_A}§call: {{‸bad\n§execute",
        [call(A), error("json-syntax", "/1", calls=1), respond("{bad")],
        {"state": "paused"},
    ),
    (
        "after two",
        f'{CALL_A}{CALL_B}§call: {{"name":‸1}}',
        [call(A), call(B), error("bad-name", "/2/name", calls=2), respond('{"name":1}')],
        {"state": "prose"},
    ),
    (
        "a good one after it is shown",
        f"§call: ‸x\n{CALL_A}§execute",
        [error("json-syntax", "/0"), respond("x"), call(A)],
        {"state": "paused"},
    ),
    (
        "a second broken one is prose without an error",
        "§call: ‸x\n§call: {y}\n§execute",
        [error("json-syntax", "/0"), respond("x"), respond("{y}")],
        {"state": "paused"},
    ),
    (
        "a good one, a broken one, a good one",
        f"{CALL_A}§call: ‸x\n{CALL_B}§execute\n",
        [call(A), error("json-syntax", "/1", calls=1), respond("x"), call(B)],
        {"state": "paused", "discarded": 1},
    ),
    (
        "trailing text gives no second error",
        f"§call: ‸x\n§call: {A} y\n§execute",
        [error("json-syntax", "/0"), respond("x"), call(A), respond("y")],
        {"state": "paused"},
    ),
    (
        "nor does the end of the turn",
        f"§call: ‸x\n{CALL_A}§end",
        [error("json-syntax", "/0"), respond("x"), call(A), end()],
        {"state": "ended"},
    ),
    (
        "nor the end of the text",
        f"§call: ‸x\n{CALL_A}",
        [error("json-syntax", "/0"), respond("x"), call(A)],
        {"state": "execute"},
    ),
    (
        "nor a payload that it cuts",
        '§call: ‸x\n§call: {"name',
        [error("json-syntax", "/0"), respond("x"), respond('{"name')],
        {"state": "execute"},
    ),
    (
        "nor half a marker that it cuts",
        f"§call: ‸x\n{CALL_A}§exe",
        [error("json-syntax", "/0"), respond("x"), call(A), respond("§exe")],
        {"state": "prose"},
    ),
    (
        "forged results void nothing more",
        f"{CALL_A}§call: ‸x\n{CALL_B}‸§result: y",
        [
            call(A),
            error("json-syntax", "/1", calls=1),
            respond("x"),
            call(B),
            error("forged-results"),
        ],
        {"state": "paused", "discarded": 2},
    ),
)
def test_a_void_batch(text, events, options):
    check_lines(text, events, **options)


# --- Behind a call ----------------------------------------------------------------------------


@cases(
    "rest",
    ("a word", "‸please"),
    ("a comma", f"‸, {A}"),
    ("another object", f"‸{A}"),
    ("a brace", "‸}"),
    ("a bracket", "‸]"),
    ("a bracket that begins no result", "[‸x]"),
    ("half a result", "[SYS‸, x"),
    ("a result in lower case", "[‸system: x]"),
    ("a result without its space", "[SYSTEM:‸x]"),
    ("two brackets", "[‸[SYSTEM: x]"),
    ("a no-break space", "‸\u00a0"),
    ("a section sign", "§‸ x"),
    ("two section signs", "§‸§execute"),
    ("no keyword", "§‸x"),
    ("nearly a think", "§thin‸g"),
    ("a keyword and white space", "§think‸ :"),
    ("nearly execute", "§execute‸s"),
    ("execute and a full stop", "§execute‸."),
    ("nearly the end", "§end‸ing"),
    ("nearly a result", "§result‸s:"),
    ("neither of two", "§re‸x"),
    ("neither respond nor result", "§resp‸x"),
    ("a letter that folds to ascii", "§thin‸\u212a:"),
    ("nul", "‸\0"),
)
def test_text_behind_a_call_voids_the_batch(rest):
    """Path none; what stands behind the call is prose."""
    said = rest.replace("‸", "")
    expected = [call(A), error("trailing-text", calls=1), respond(said)]
    check_lines(f"§call: {A} \n{rest}", expected, state="prose")
    check_briefly(f"§call: {A}{rest}", expected, state="prose")
    check_briefly(f"§call: {A}{rest}\n§execute", expected, state="paused")


@cases(
    "text events options",
    (
        "a line end after half a marker",
        f"§call: {A} §thi‸\n§execute",
        [call(A), error("trailing-text", calls=1), respond("§thi")],
        {"state": "paused"},
    ),
    (
        "a marker on its line is prose",
        f"§call: {A} ‸x §execute",
        [call(A), error("trailing-text", calls=1), respond("x §execute")],
        {"state": "prose"},
    ),
    (
        "more calls",
        f"{CALL_A}{CALL_B}‸and\n{CALL_A}§end",
        [call(A), call(B), error("trailing-text", calls=2), respond("and"), call(A), end()],
        {"state": "ended"},
    ),
    (
        "half a marker and the end",
        f"{CALL_A}§exe‸",
        [call(A), error("trailing-text", calls=1), respond("§exe")],
        {"state": "prose"},
    ),
    (
        "a section sign and the end",
        f"{CALL_A}§‸",
        [call(A), error("trailing-text", calls=1), respond("§")],
        {"state": "prose"},
    ),
    (
        "half a think and the end",
        f"{CALL_A}§think‸",
        [call(A), error("trailing-text", calls=1), respond("§think")],
        {"state": "prose"},
    ),
    (
        "half a result and the end",
        f"{CALL_A}[SYSTEM:‸",
        [call(A), error("trailing-text", calls=1), respond("[SYSTEM:")],
        {"state": "prose"},
    ),
    (
        "execute and the end",
        f"{CALL_A}§execute",
        [call(A), execute()],
        {"state": "paused"},
    ),
)
def test_behind_a_call_text_may_still_become_a_marker(text, events, options):
    check_lines(text, events, **options)


# --- Execute and the end ----------------------------------------------------------------------


@cases(
    "text events options",
    ("nothing pending", "§execute", [execute()], {"state": "paused"}),
    ("after an answer", "§respond: a\n§execute", [respond("a"), execute()], {"state": "paused"}),
    ("mid-line", "a §execute", [respond("a §execute")], {"state": "prose"}),
    (
        "a think between",
        f"{CALL_A}§think: b\n{CALL_B}§execute",
        [call(A), think("b"), call(B), execute()],
        {"state": "paused"},
    ),
    (
        "an answer between",
        f"{CALL_A}§respond: on it\n§execute",
        [call(A), respond("on it"), execute()],
        {"state": "paused"},
    ),
    (
        "a second batch is discarded",
        f"{CALL_A}§execute\n{CALL_A}§execute",
        [call(A), execute()],
        {"state": "paused", "discarded": 1 + len(CALL_A) + 8},
    ),
    (
        "the end instead",
        f"{CALL_A}§respond: done\n‸§end",
        [call(A), respond("done"), error("missing-execute", calls=1), end()],
        {"state": "ended"},
    ),
    (
        "the end at once",
        f"{CALL_A}{CALL_B}‸§END\n",
        [call(A), call(B), error("missing-execute", calls=2), end()],
        {"state": "ended", "discarded": 1},
    ),
    (
        "the end of the text",
        f"§call: {A}‸",
        [call(A), error("missing-execute", calls=1)],
        {"state": "execute"},
    ),
    (
        "white space and the end of the text",
        f"{CALL_A} \n‸",
        [call(A), error("missing-execute", calls=1)],
        {"state": "execute"},
    ),
    (
        "an answer and the end of the text",
        f"{CALL_A}§respond: done ‸",
        [call(A), respond("done"), error("missing-execute", calls=1)],
        {"state": "prose"},
    ),
    (
        "a think and the end of the text",
        f"{CALL_A}§think: hm‸",
        [call(A), think("hm"), error("missing-execute", calls=1)],
        {"state": "think"},
    ),
    (
        "half of it in an answer",
        f"{CALL_A}§respond: a\n§exe‸",
        [call(A), respond("a\n§exe"), error("missing-execute", calls=1)],
        {"state": "prose"},
    ),
)
def test_calls_wait_for_execute(text, events, options):
    check_lines(text, events, **options)


@cases(
    "payload path",
    ("nothing", "", "/0"),
    ("white space", " \n", "/0"),
    ("a brace", " {", "/0"),
    ("a key", ' {"na', "/0"),
    ("a name", ' {"name":"a', "/0/name"),
    ("after a name", ' {"name":"a"', "/0/name"),
    ("a string", ' {"name":"w","args":{"c":"x', "/0/args/c"),
    ("a number", ' {"name":"w","args":{"c":1e999', "/0/args/c"),
    ("a nested array", ' {"name":"w","args":{"c":[1,', "/0/args/c/1"),
)
def test_a_payload_cut_by_the_end(payload, path):
    said = payload.strip(" \n")
    expected = [error("unclosed-call", path), *([respond(said)] if said else [])]
    check_lines(f"§call:{payload}‸", expected, state="execute")


def test_a_payload_cut_after_a_call():
    """It is the only error: the calls before it are voided by it."""
    expected = [call(A), error("unclosed-call", "/1", calls=1), respond('{"na')]
    check_lines(CALL_A + '§call: {"na‸', expected, state="execute")


# --- Results in a turn ------------------------------------------------------------------------


@cases(
    "text events options",
    ("first", "‸§result: a", [error("forged-results")], {"discarded": 2}),
    ("in brackets", "‸[SYSTEM: a]", [error("forged-results")], {"discarded": 2}),
    ("in upper case", "‸§RESULT:a", [error("forged-results")], {"discarded": 1}),
    ("nothing in it", "‸§result:", [error("forged-results")], {}),
    ("after white space", "\n ‸[SYSTEM: ", [error("forged-results")], {}),
    ("after prose", "a\n‸§result: b", [respond("a"), error("forged-results")], {"discarded": 2}),
    (
        "after a think",
        "§think: a\n‸[SYSTEM: b]",
        [think("a"), error("forged-results")],
        {"discarded": 2},
    ),
    ("after a marker", "§respond: ‸§result:", [error("forged-results")], {}),
    (
        "after a call",
        f"{CALL_A}{CALL_B}‸§result: ok\n§execute",
        [call(A), call(B), error("forged-results", calls=2)],
        {"discarded": 12},
    ),
    (
        "directly after a call",
        f"§call: {A}‸[SYSTEM: ok]",
        [call(A), error("forged-results", calls=1)],
        {"discarded": 3},
    ),
    ("after execute", "§execute\n[SYSTEM: ok]", [execute()], {"discarded": 13}),
)
def test_results_in_a_turn_are_forged(text, events, options):
    check_lines(text, events, state="paused", **options)


# --- Characters -------------------------------------------------------------------------------


@cases(
    "data events options",
    (
        "a byte in a string",
        X.encode() + b'"\xff"}}',
        [
            error("bad-encoding", "/0/args/x", offset=32),
            respond('{"name":"a","args":{"x":"\ufffd"}}'),
        ],
        {"state": "prose"},
    ),
    (
        "a byte before the payload",
        "§call: ".encode() + b"\xff{}",
        [error("bad-encoding", "/0", offset=7), respond("\ufffd{}")],
        {"state": "prose"},
    ),
    (
        "two bytes",
        "§call: ".encode() + b"\xff\xff",
        [error("bad-encoding", "/0", offset=7), respond("\ufffd\ufffd")],
        {"state": "prose"},
    ),
    (
        "half of a pair",
        X + "\ud83d",
        [error("bad-encoding", "/0/args/x", offset=31), respond('{"name":"a","args":{"x":\ufffd')],
        {"state": "prose"},
    ),
    (
        "behind a call",
        CALL_A.encode() + b"\xff",
        [call(A), error("bad-encoding", offset=30, calls=1), respond("\ufffd")],
        {"state": "prose"},
    ),
    (
        "behind half a marker",
        f"{CALL_A}§exe".encode() + b"\xff",
        [call(A), error("bad-encoding", offset=34, calls=1), respond("§exe\ufffd")],
        {"state": "prose"},
    ),
    ("in prose", b"a\xff", [respond("a\ufffd")], {"state": "prose"}),
    ("in a marker", "§thi".encode() + b"\xffnk:", [respond("§thi\ufffdnk:")], {"state": "prose"}),
    ("half a section sign", b"\xc2", [respond("\ufffd")], {"state": "prose"}),
    ("the other half", b"\xa7end", [respond("\ufffdend")], {"state": "prose"}),
    (
        "cut in a payload",
        "§call: {".encode() + b"\xe2\x82",
        [error("bad-encoding", "/0", offset=8), respond("{\ufffd")],
        {},
    ),
)
def test_a_replaced_character(data, events, options):
    check_lines(data, events, **options)


# --- Limits -----------------------------------------------------------------------------------


@cases(
    "text limits events",
    ("as many calls", f"{CALL_A}§execute", {"calls": 1}, [call(A), execute()]),
    (
        "one call more",
        f"{CALL_A}§call: ‸{B}",
        {"calls": 1},
        [call(A), error("limit-calls", "/1", calls=1), respond(B)],
    ),
    (
        "no more than one at a time when they are void",
        f"§call: ‸x\n{CALL_A}{CALL_B}§execute",
        {"calls": 1},
        [error("json-syntax", "/0"), respond("x"), call(A), call(B)],
    ),
    ("a call is level 2", f"{CALL_B}§execute", {"depth": 2}, [call(B), execute()]),
    ("a call too deep", "§call: ‸{", {"depth": 1}, [error("limit-depth", "/0"), respond("{")]),
    ("args are level 3", f"{CALL_A}§execute", {"depth": 3}, [call(A), execute()]),
    (
        "args too deep",
        '§call: {"name":"a","args":‸{}}',
        {"depth": 2},
        [error("limit-depth", "/0/args"), respond(A)],
    ),
    ("digits as allowed", '§call: {"name":"a","x":12}§execute', {"digits": 2}, None),
    (
        "a digit too many",
        '§call: {"name":"a","x":1‸2}',
        {"digits": 1},
        [error("limit-digits", "/0/x"), respond('{"name":"a","x":12}')],
    ),
    ("a size as allowed", f"§call: {B}§execute", {"size": 13}, [call(B), execute()]),
    (
        "a size one over",
        '§call: {"name":"b"‸}',
        {"size": 12},
        [error("limit-size", "/0/name"), respond(B)],
    ),
    ("white space counts", "§call:  ‸  {", {"size": 2}, [error("limit-size", "/0"), respond("{")]),
    (
        "the sizes of a batch add up",
        '§call:{"name":"b"}\n§call:{"name":"b"‸}',
        {"size": 23},
        [call(B), error("limit-size", "/1/name", calls=1), respond(B)],
    ),
    (
        "and what stands between does not count",
        f"§call:{B} \n\n §think: t\n§call:{B}§execute",
        {"size": 24},
        [call(B), think("t"), call(B), execute()],
    ),
    (
        "in a void batch they do not",
        f"§call:‸x\n§call:{B}§call:{B}§execute",
        {"size": 12},
        [error("json-syntax", "/0"), respond("x"), call(B), call(B)],
    ),
    ("text has no size", "§think: abc\n§end", {"size": 1}, [think("abc"), end()]),
)
def test_limits(text, limits, events):
    if events is None:
        events = [call('{"name":"a","x":12}'), execute()]
    check_lines(text, events, limits=cogwire.Limits(**limits))


@cases(
    "text code path limits",
    ("an encoding before the grammar", "§call: ‸\ud83d", "bad-encoding", "/0", {}),
    ("the grammar before the size", "§call:‸x", "json-syntax", "/0", {"size": 1}),
    ("a missing name before the size", "§call:{‸}", "missing-name", "/0", {"size": 1}),
    ("the depth before the size", "§call: ‸{", "limit-depth", "/0", {"depth": 1, "size": 1}),
)
def test_one_character_breaks_two_rules(text, code, path, limits):
    data, events = placed(text, [error(code, path)])
    outcome = run([data], dialect="delimiter", limits=cogwire.Limits(**limits))
    assert bare(outcome.events)[:1] == events


# --- Transcripts ------------------------------------------------------------------------------


def item(tool="a", content="", status="success"):
    """Write an item as the parser does for a body that is none."""
    return json.dumps({"tool": tool, "status": status, "content": content}, ensure_ascii=False)


def answered(*items, failed=0, executed=None):
    """Give the result of these items."""
    content = "[\n  " + ",\n  ".join(items) + "\n]" if items else "[]"
    return result(content, len(items) - failed, failed, executed=executed)


RUN_A = f"{CALL_A}§execute\n"
RUN_AB = f"{CALL_A}{CALL_B}§execute\n"
RAN_A = [call(A), execute()]
RAN_AB = [call(A), call(B), execute()]


@cases(
    "text events options",
    ("without results", RUN_A, RAN_A, {"state": "prose"}),
    ("and an answer", f"{RUN_A}§respond: b", [*RAN_A, respond("b")], {}),
    ("and text", f"{RUN_A}b", [*RAN_A, respond("b")], {"state": "prose"}),
    ("and another", RUN_A * 2, RAN_A * 2, {"state": "prose"}),
    ("a result", f"{RUN_A}§result: ok", [*RAN_A, answered(item("a", "ok"))], {"state": "results"}),
    (
        "in brackets",
        f"{RUN_A}[SYSTEM: ok]",
        [*RAN_A, answered(item("a", "ok"))],
        {"state": "results"},
    ),
    ("directly", f"{CALL_A}§execute§RESULT:ok", [*RAN_A, answered(item("a", "ok"))], {}),
    (
        "an answer behind it",
        f"{RUN_A}§result: ok\n§respond: b\n§end",
        [*RAN_A, answered(item("a", "ok")), respond("b"), end()],
        {"state": "prose"},
    ),
    (
        "text behind a bracket",
        f"{RUN_A}[SYSTEM: ok]\nb",
        [*RAN_A, answered(item("a", "ok")), respond("b")],
        {"state": "prose"},
    ),
    (
        "a body of two lines",
        f"{RUN_A}§result: a\nb\n§respond: c",
        [*RAN_A, answered(item("a", "a\nb")), respond("c")],
        {},
    ),
    (
        "a body of two lines in brackets",
        f"{RUN_A}[SYSTEM: a\nb]\n§respond: c",
        [*RAN_A, answered(item("a", "a\nb")), respond("c")],
        {},
    ),
    (
        "a bracket at a line end",
        f"{RUN_A}[SYSTEM: see [1]\nand [2]]\n",
        [*RAN_A, answered(item("a", "see [1")), respond("and [2]]")],
        {"state": "prose"},
    ),
    (
        "brackets within a line",
        f"{RUN_A}[SYSTEM: see [1] and [2]]\n",
        [*RAN_A, answered(item("a", "see [1] and [2]"))],
        {"state": "results"},
    ),
    (
        "a bracket before a carriage return",
        f"{RUN_A}[SYSTEM: a]\r\n§end",
        [*RAN_A, answered(item("a", "a")), end()],
        {},
    ),
    (
        "no bracket, and a marker",
        f"{RUN_A}[SYSTEM: a\n§end",
        [*RAN_A, answered(item("a", "a")), end()],
        {},
    ),
    (
        "no bracket, and the end",
        f"{RUN_A}[SYSTEM: a ",
        [*RAN_A, answered(item("a", "a"))],
        {"state": "results"},
    ),
    (
        "a bracket before a marker on its line",
        f"{RUN_A}[SYSTEM: a] §end\n§end",
        [*RAN_A, answered(item("a", "a] §end")), end()],
        {},
    ),
    (
        "a marker within a line is text",
        f"{RUN_A}§result: a §end\n§end",
        [*RAN_A, answered(item("a", "a §end")), end()],
        {},
    ),
    ("an empty body", f"{RUN_A}§result:", [*RAN_A, answered(item("a", ""))], {"state": "results"}),
    ("an empty one in brackets", f"{RUN_A}[SYSTEM: ]\n", [*RAN_A, answered(item("a", ""))], {}),
    (
        "an empty one before a marker",
        f"{RUN_A}§result:§end",
        [*RAN_A, answered(item("a", "")), end()],
        {},
    ),
    (
        "two results",
        f"{RUN_AB}§result: 1\n§result: x",
        [*RAN_AB, answered(item("a", 1), item("b", "x"))],
        {},
    ),
    (
        "of both forms",
        f"{RUN_AB}[SYSTEM: x]\n\n §Result: y\n§end",
        [*RAN_AB, answered(item("a", "x"), item("b", "y")), end()],
        {},
    ),
    (
        "two in brackets",
        f"{RUN_AB}[SYSTEM: x]\r[SYSTEM: y]",
        [*RAN_AB, answered(item("a", "x"), item("b", "y"))],
        {"state": "results"},
    ),
    (
        "waiting for the second",
        f"{RUN_A}[SYSTEM: x]\n \n",
        [*RAN_A, answered(item("a", "x"))],
        {"state": "results"},
    ),
    (
        "half a marker behind the result",
        f"{RUN_A}[SYSTEM: x]\n§res",
        [*RAN_A, answered(item("a", "x")), respond("§res")],
        {"state": "prose"},
    ),
    (
        "half a marker behind execute",
        f"{RUN_A}[SYST",
        [*RAN_A, respond("[SYST")],
        {"state": "prose"},
    ),
    (
        "the next turn's calls",
        f"{RUN_A}§result: x\n{RUN_AB}§result: y\n§result: z",
        [*RAN_A, answered(item("a", "x")), *RAN_AB, answered(item("a", "y"), item("b", "z"))],
        {},
    ),
    (
        "two turns",
        "§respond: a\n§end\n§respond: b\n§end",
        [respond("a"), end(), respond("b"), end()],
        {"state": "prose"},
    ),
    ("text after the end", "§end\na", [end(), respond("a")], {"state": "prose"}),
    (
        "a turn that misses its execute",
        f"{CALL_A}‸§end\n{RUN_A}",
        [call(A), error("missing-execute", calls=1), end(), *RAN_A],
        {"state": "prose"},
    ),
)
def test_a_transcript(text, events, options):
    check_transcript(text, events, **options)


@cases(
    "body content",
    ("text", "Found 3 files", '"Found 3 files"'),
    ("white space around", "  x\n\n", '"x"'),
    ("quotes in text", 'a "b" \\', '"a \\"b\\" \\\\"'),
    ("text out of ascii", "é\u2028\U0001f600", '"é\u2028\U0001f600"'),
    ("control characters", "a\tb\0\x7f", '"a\\tb\\u0000\x7f"'),
    ("a literal form", "&sect;end", '"&sect;end"'),
    ("an object", '{"debug": false, "timeout": 30}', '{"debug": false, "timeout": 30}'),
    ("an object of two lines", '{"a":\n1}', '{"a":\n1}'),
    ("an array", "[1]", "[1]"),
    ("a string of json", '"a\\u0041"', '"a\\u0041"'),
    ("a number", "-1.50E+3", "-1.50E+3"),
    ("null", "null", "null"),
    ("a word", "nulls", '"nulls"'),
    ("nearly json", '{"a": 1,}', '"{\\"a\\": 1,}"'),
    ("a name twice", '{"a":1,"a":2}', '"{\\"a\\":1,\\"a\\":2}"'),
    ("a number out of range", "1e999", '"1e999"'),
    ("not a number", "NaN", '"NaN"'),
    ("a lone surrogate", '"\\ud83d"', '"\\"\\\\ud83d\\""'),
    ("two values", "1 2", '"1 2"'),
    (
        "two members of an item",
        '{"tool":"a","status":"success"}',
        '{"tool":"a","status":"success"}',
    ),
    (
        "four members",
        '{"tool":"b","status":"x","content":1,"id":2}',
        '{"tool":"b","status":"x","content":1,"id":2}',
    ),
    ("an array of an item", f"[{item()}]", f"[{item()}]"),
)
def test_a_body_is_the_content_of_a_success(body, content):
    """As JSON where it is JSON, else as a string."""
    expected = f'[\n  {{"tool": "a", "status": "success", "content": {content}}}\n]'
    check_transcript(f"{RUN_A}§result: {body}", [*RAN_A, result(expected, 1)], state="results")
    if "\n" not in body.strip():
        text = f"{RUN_A}[SYSTEM: {body.strip()}]\n§end"
        check_briefly(text, [*RAN_A, result(expected, 1), end()], mode="transcript")


@cases(
    "tool name",
    ("quotes", '{"name":"\\""}', '"\\""'),
    ("escapes", '{"name":"\\u0061\\u00e9"}', '"aé"'),
    ("a marker", '{"name":"§end"}', '"§end"'),
)
def test_the_tool_of_a_body_is_the_name_of_its_call(tool, name):
    expected = f'[\n  {{"tool": {name}, "status": "success", "content": "x"}}\n]'
    text = f"§call: {tool}\n§execute\n§result: x"
    check_transcript(text, [call(tool), execute(), result(expected, 1)])


@cases(
    "whole failed",
    ("a success", item("a", "x"), 0),
    ("a failure", item("a", "no", "failure"), 1),
    ("other white space", '{ "tool" : "a","status":"success",\n"content":[1]}', 0),
    ("another order", '{"content":"no","status":"failure","tool":"a"}', 1),
    ("members in escapes", '{"t\\u006fol":"\\u0061","status":"success","content":null}', 0),
    ("a marker in a string", '{"tool":"a","status":"failure","content":"\\n§end"}', 1),
)
def test_a_body_may_be_a_whole_item(whole, failed):
    """It stands in the result as it is."""
    check_transcript(f"{RUN_A}§result: {whole}\n", [*RAN_A, answered(whole, failed=failed)])
    check_transcript(f"{RUN_A}[SYSTEM: {whole}]", [*RAN_A, answered(whole, failed=failed)])


@cases(
    "body code",
    ("another tool", '{"tool":"b","status":"success","content":1‸}', "results-order"),
    ("the reserved tool", '{"tool":"execute","status":"failure","content":""‸}', "results-order"),
    ("a number as tool", '{"tool":1,"status":"success","content":1‸}', "results-shape"),
    ("an unknown status", '{"tool":"a","status":"ok","content":1‸}', "results-shape"),
    ("true as status", '{"tool":"a","status":true,"content":1‸}', "results-shape"),
    ("a failure without words", '{"tool":"a","status":"failure","content":1‸}', "results-shape"),
)
def test_an_item_that_breaks_a_rule(body, code):
    """The error is seen when the body is over, and stands at its last character."""
    expected = [*RAN_A, error(code, "/0")]
    options = {"mode": "transcript"}
    check_transcript(f"{RUN_A}§result: {body} \n§end", [*expected, end()], state="prose")
    check_transcript(f"{RUN_A}[SYSTEM: {body}]", expected, state="results")
    check_briefly(f"{RUN_A}§result: {body} \n", expected, state="results", **options)
    after = [*expected, respond("b")]
    check_briefly(f"{RUN_A}[SYSTEM: {body}]\nb", after, state="prose", **options)
    skipped = f"{RUN_A}[SYSTEM: {body}]\n[SYSTEM: x]\n§result: y\n§respond: b"
    check_briefly(skipped, after, state="prose", **options)


@cases(
    "text events options",
    (
        "fewer",
        f"{RUN_AB}§result: x\n‸§end",
        [*RAN_AB, error("results-count"), end()],
        {"state": "prose"},
    ),
    (
        "fewer, and text",
        f"{RUN_AB}[SYSTEM: x]\n‸b",
        [*RAN_AB, error("results-count"), respond("b")],
        {"state": "prose"},
    ),
    (
        "fewer, and the end",
        f"{RUN_AB}§result: x ‸",
        [*RAN_AB, error("results-count")],
        {"state": "results"},
    ),
    (
        "fewer, and white space",
        f"{RUN_AB}[SYSTEM: x]\n‸",
        [*RAN_AB, error("results-count")],
        {"state": "results"},
    ),
    (
        "more",
        f"{RUN_A}§result: x\n‸§result: y\n[SYSTEM: z]\n§end",
        [*RAN_A, error("results-count"), end()],
        {"state": "prose"},
    ),
    (
        "more, and the end",
        f"{RUN_A}[SYSTEM: x]\n‸[SYSTEM: y]\n",
        [*RAN_A, error("results-count")],
        {"state": "results"},
    ),
    (
        "the first of two is wrong",
        f'{RUN_AB}§result: {{"tool":"b","status":"success","content":1‸}}\n§result: 1\n§end',
        [*RAN_AB, error("results-order", "/0"), end()],
        {"state": "prose"},
    ),
    (
        "the second is wrong",
        f'{RUN_AB}§result: 1\n[SYSTEM: {{"tool":"a","status":"success","content":1‸}}]\n',
        [*RAN_AB, error("results-order", "/1")],
        {"state": "results"},
    ),
    (
        "the next batch is answered again",
        f"{RUN_A}[SYSTEM: x]\n‸[SYSTEM: y]\n{RUN_A}[SYSTEM: z]",
        [*RAN_A, error("results-count"), *RAN_A, answered(item("a", "z"))],
        {"state": "results"},
    ),
)
def test_results_answer_each_call_in_order(text, events, options):
    check_transcript(text, events, **options)


@cases(
    "text events options",
    ("an array", "§execute\n§result: []", [execute(), answered()], {"state": "results"}),
    ("an array in brackets", "§execute\n[SYSTEM: []]\n", [execute(), answered()], {}),
    ("a spread array", "§execute\n§result: [ \n]\n§end", [execute(), answered(), end()], {}),
    ("nothing", "§execute\n§end", [execute(), end()], {"state": "prose"}),
    (
        "text",
        "§execute\n§result: o‸k \n",
        [execute(), error("results-count")],
        {"state": "results"},
    ),
    ("an empty body", "§execute\n§result‸:", [execute(), error("results-count")], {}),
    ("an empty body in brackets", "§execute\n[SYSTEM:‸ ]", [execute(), error("results-count")], {}),
    ("an item", f"§execute\n[SYSTEM: {item()[:-1]}‸}}]", [execute(), error("results-count")], {}),
    ("an array of something", "§execute\n§result: [1‸]", [execute(), error("results-count")], {}),
    (
        "two arrays",
        "§execute\n[SYSTEM: []]\n‸[SYSTEM: []]",
        [execute(), error("results-count")],
        {"state": "results"},
    ),
)
def test_a_batch_without_calls_is_answered_by_an_empty_array(text, events, options):
    check_transcript(text, events, **options)


FAILED = item("execute", "no", "failure")


@cases(
    "text events options",
    (
        "answered",
        f"§call: ‸x\n§execute\n§result: {FAILED}\n§respond: y",
        [
            error("json-syntax", "/0"),
            respond("x"),
            answered(FAILED, failed=1, executed=0),
            respond("y"),
        ],
        {"state": "prose"},
    ),
    (
        "answered in brackets",
        f"{CALL_A}‸x\n§execute\n[SYSTEM: {FAILED}]",
        [
            call(A),
            error("trailing-text", calls=1),
            respond("x"),
            answered(FAILED, failed=1, executed=0),
        ],
        {"state": "results"},
    ),
    (
        "not answered",
        "§call: ‸x\n§execute\ny",
        [error("json-syntax", "/0"), respond("x"), respond("y")],
        {"state": "prose"},
    ),
    (
        "answered with text",
        "§call: ‸x\n§execute\n§result: o‸k\n",
        [error("json-syntax", "/0"), respond("x"), error("results-shape", "/0")],
        {"state": "results"},
    ),
    (
        "answered with nothing",
        "§call: ‸x\n§execute\n§result‸:\n§end",
        [error("json-syntax", "/0"), respond("x"), error("results-shape", "/0"), end()],
        {"state": "prose"},
    ),
    (
        "answered by a success",
        f"§call: ‸x\n§execute\n[SYSTEM: {item('execute', 'no')[:-1]}‸}}]",
        [error("json-syntax", "/0"), respond("x"), error("results-shape", "/0")],
        {"state": "results"},
    ),
    (
        "answered for its call",
        f"{CALL_A}‸x\n§execute\n§result: {item('a', 'no', 'failure')[:-1]}‸}}",
        [
            call(A),
            error("trailing-text", calls=1),
            respond("x"),
            error("results-order", "/0"),
        ],
        {"state": "results"},
    ),
    (
        "answered twice",
        f"§call: ‸x\n§execute\n§result: {FAILED}\n‸§result: {FAILED}",
        [error("json-syntax", "/0"), respond("x"), error("results-count")],
        {"state": "results"},
    ),
    (
        "the next batch is not void",
        f"§call: ‸x\n§execute\n{RUN_A}§result: y",
        [error("json-syntax", "/0"), respond("x"), *RAN_A, answered(item("a", "y"))],
        {"state": "results"},
    ),
    (
        "nor is the next turn's",
        f"§call: ‸x\n§end\n{RUN_A}",
        [error("json-syntax", "/0"), respond("x"), end(), *RAN_A],
        {"state": "prose"},
    ),
)
def test_a_void_batch_in_a_transcript(text, events, options):
    check_transcript(text, events, **options)


@cases(
    "text events options",
    ("first", "‸§result: a", [error("forged-results")], {"state": "results"}),
    ("in brackets", "‸[SYSTEM: a", [error("forged-results")], {"state": "results"}),
    (
        "up to the next marker",
        "‸§result: a\nb §end\n§respond: c",
        [error("forged-results"), respond("c")],
        {"state": "prose"},
    ),
    (
        "up to a bracket at a line end",
        "‸[SYSTEM: a] b]\nc",
        [error("forged-results"), respond("c")],
        {"state": "prose"},
    ),
    (
        "up to a marker before the bracket",
        "‸[SYSTEM: a\n§think: b]\nc",
        [error("forged-results"), think("b]\nc")],
        {"state": "think"},
    ),
    ("prose before", "a\n‸§result: b", [respond("a"), error("forged-results")], {}),
    ("twice", "‸§result: a\n‸[SYSTEM: b]\n", [error("forged-results")] * 2, {"state": "prose"}),
    (
        "after the end",
        f"{RUN_A}I know.\n§end\n‸§result: x\n§end",
        [*RAN_A, respond("I know."), end(), error("forged-results"), end()],
        {"state": "prose"},
    ),
    (
        "after an answer",
        f"{RUN_A}§respond: b\n‸[SYSTEM: x]\n",
        [*RAN_A, respond("b"), error("forged-results")],
        {"state": "prose"},
    ),
    (
        "after an empty think",
        f"{RUN_A}§think:\n‸§result: x",
        [*RAN_A, error("forged-results")],
        {"state": "results"},
    ),
    (
        "calls before them are void",
        f"{CALL_A}‸§result: x\n§execute\ny",
        [call(A), error("forged-results", calls=1), respond("y")],
        {"state": "prose"},
    ),
    (
        "and those behind them",
        f"‸[SYSTEM: x]\n{CALL_A}§execute\n[SYSTEM: {FAILED}]",
        [error("forged-results"), call(A), answered(FAILED, failed=1, executed=0)],
        {"state": "results"},
    ),
    (
        "until the turn is over",
        f"‸[SYSTEM: x]\n{CALL_A}§end\n{RUN_A}",
        [error("forged-results"), call(A), end(), *RAN_A],
        {"state": "prose"},
    ),
    (
        "mid-line they are prose",
        "a §result: b [SYSTEM: c]\nd",
        [respond("a §result: b [SYSTEM: c]\nd")],
        {"state": "prose"},
    ),
)
def test_results_where_none_are_due_are_forged(text, events, options):
    check_transcript(text, events, **options)


@cases(
    "text events options",
    (
        "every turn starts so",
        f"a\n{RUN_A}b\n§end\nc",
        [think("a"), *RAN_A, think("b"), end(), think("c")],
        {"state": "think"},
    ),
    (
        "results come first",
        f"a\n{RUN_A}[SYSTEM: x]\nb\n§respond: c",
        [think("a"), *RAN_A, answered(item("a", "x")), think("b"), respond("c")],
        {"state": "prose"},
    ),
    ("waiting for results", f"{RUN_A}\n", RAN_A, {"state": "think"}),
    (
        "an opener behind results",
        f"{RUN_A}§result: x\n§think: b",
        [*RAN_A, answered(item("a", "x")), think("b")],
        {"state": "think"},
    ),
    ("half a marker", f"{RUN_A}§res", [*RAN_A, think("§res")], {"state": "think"}),
    (
        "prose goes on behind forged results",
        "a\n‸[SYSTEM: x]\nb",
        [think("a"), error("forged-results"), respond("b")],
        {"state": "prose"},
    ),
    (
        "a broken payload is prose",
        "§call: ‸x",
        [error("json-syntax", "/0"), respond("x")],
        {"state": "prose"},
    ),
)
def test_a_transcript_that_starts_in_think(text, events, options):
    check_transcript(text, events, start="think", **options)


@cases(
    "text limits events",
    ("as much as allowed", f"{RUN_A}§result:12", {"size": 23}, [*RAN_A, answered(item("a", 12))]),
    (
        "the character that crosses",
        "§call:" + B + "§execute§result:" + "x" * 12 + "‸x" + "\n§end",
        {"size": 12},
        [call(B), execute(), error("results-shape", "/0"), end()],
    ),
    (
        "white space counts",
        "§call:" + B + "§execute§result:" + " " * 12 + "‸ x" + "\n§end",
        {"size": 12},
        [call(B), execute(), error("results-shape", "/0"), end()],
    ),
    (
        "the sum of all bodies",
        f"§call:{B}§execute [SYSTEM: {'x' * 12}]\n",
        {"size": 12},
        [call(B), execute(), answered(item("b", "x" * 12))],
    ),
    (
        "two bodies that cross",
        f"§call:{B}§call:{B}§execute [SYSTEM: {'x' * 12}]\n[SYSTEM: {'x' * 12}‸x]\n§end",
        {"size": 24},
        [call(B), call(B), execute(), error("results-shape", "/1"), end()],
    ),
    (
        "the rest of the results is skipped",
        f"§call:{B}§call:{B}§execute [SYSTEM: {'x' * 24}‸x]\n[SYSTEM: y]\nz",
        {"size": 24},
        [call(B), call(B), execute(), error("results-shape", "/0"), respond("z")],
    ),
    (
        "too deep to be json",
        f"{CALL_B}§execute§result: [[1]]",
        {"depth": 3},
        [call(B), execute(), answered(item("b", "[[1]]"))],
    ),
    (
        "deep enough",
        f"{CALL_B}§execute§result: [1]",
        {"depth": 3},
        [call(B), execute(), answered(item("b", [1]))],
    ),
    (
        "too many digits to be json",
        f"{CALL_B}§execute§result: 123",
        {"digits": 2},
        [call(B), execute(), answered(item("b", "123"))],
    ),
)
def test_limits_of_results(text, limits, events):
    check_transcript(text, events, limits=cogwire.Limits(**limits))


@cases(
    "data events state",
    (
        "in a body",
        f"{RUN_A}§result: a".encode() + b"\xffb\n",
        [*RAN_A, error("results-shape", "/0", offset=49)],
        "results",
    ),
    (
        "in a second body",
        f"{RUN_AB}[SYSTEM: a]\n[SYSTEM: ".encode() + b"\xff]\n[SYSTEM: x]\nb",
        [*RAN_AB, error("results-shape", "/1", offset=80), respond("b")],
        "prose",
    ),
    (
        "behind a body",
        f"{RUN_A}[SYSTEM: a]\n".encode() + b"\xff",
        [*RAN_A, answered(item("a", "a")), respond("\ufffd")],
        "prose",
    ),
)
def test_a_replaced_character_in_results(data, events, state):
    check_transcript(data, events, state=state)


# --- What is given when -----------------------------------------------------------------------


def fed(text, dialect="delimiter", **options):
    """Feed `text` one by one; give what came, in short, and the state behind each character."""
    parser = cogwire.Parser(dialect, clock=None, **options)
    steps = []
    for character in text:
        names = [event.get("code", event["type"]) for event in parser.feed(character)]
        steps.append((character, names, parser.state))
    return steps


@pytest.mark.parametrize("dialect", LINES)
def test_a_boundary_is_waited_for(dialect):
    """`§execute` at the end of a chunk may still be a longer word."""
    for boundary in " \t\n\r§":
        parser = cogwire.Parser(dialect, clock=None)
        assert parser.feed("§execute") == []
        assert parser.state == "prose"
        assert parser.feed(boundary) == [execute()]
        assert parser.discarded == 1
    parser = cogwire.Parser(dialect, clock=None)
    assert parser.feed("§execute") == []
    assert parser.close() == [execute()]
    assert parser.state == "paused"
    parser = cogwire.Parser(dialect, clock=None)
    assert parser.feed("§end") == []
    assert parser.close() == [end()]
    assert parser.state == "ended"


def test_the_state_behind_each_part():
    """In a payload, and behind a call until the next marker, the text stands in the block."""
    text = f"a\n§think: b\n§call: {B} \n§respond: c\n§execute\n"
    states = [state for _, _, state in fed(text)]
    runs = [
        state for state, before in zip(states, [None, *states], strict=False) if state != before
    ]
    assert runs == ["prose", "think", "execute", "prose", "paused"]
    assert states[text.index("{") - 2] == "execute"
    assert states[text.index("§respond: c") + 7] == "execute"
    assert states[text.index("§respond: c") + 8] == "prose"


def test_the_states_of_a_transcript():
    text = f"§call: {B}§execute\n[SYSTEM: a]\n§result: b\n§end\nc"
    states = [state for _, _, state in fed(text, mode="transcript")]
    runs = [
        state for state, before in zip(states, [None, *states], strict=False) if state != before
    ]
    assert runs == ["prose", "execute", "prose", "results", "prose"]


def test_results_are_given_when_something_else_comes():
    text = f"§call: {B}§execute\n[SYSTEM: a]\n \nc"
    steps = fed(text, mode="transcript")
    assert [names for _, names, _ in steps if names] == [["call"], ["execute"], ["result"]]
    assert steps[-1][1] == ["result"]
    text = f"§call: {B}§execute\n§result: a\n§en§end\n§end\n"
    steps = fed(text, mode="transcript")
    assert steps[-1][1] == ["result", "end"]


def test_an_error_in_a_payload_comes_at_once():
    steps = fed("§call: {x")
    assert steps[-1][1] == ["json-syntax"]
    assert steps[-1][2] == "prose"
    steps = fed(f"§call: {B} §thing")
    assert steps[-1][1] == ["trailing-text"]


@cases(
    "pieces deltas",
    ("a section sign within a line", ["a §", "x"], [["a §"], ["x"]]),
    ("one at the start of a line", ["a\n§", "x"], [["a"], ["\n§x"]]),
    ("half a marker", ["a\n §thin", "g"], [["a"], ["\n §thing"]]),
    ("half a result", ["a\n[SYSTEM:", "x"], [["a"], ["\n[SYSTEM:x"]]),
    ("brackets within a line", ["a [SYSTEM: ", "x"], [["a [SYSTEM:"], [" x"]]),
    ("no boundary", ["a\n§end", "s"], [["a"], ["\n§ends"]]),
    ("white space", ["a ", "\n", "b"], [["a"], [], [" \nb"]]),
    ("at the start", [" §", "§"], [[], ["§§"]]),
)
def test_text_is_held_back_only_while_it_may_be_a_marker(pieces, deltas):
    parser = cogwire.Parser("delimiter", stream="token", clock=None)
    given = [[event["content"] for event in parser.feed(piece)] for piece in pieces]
    assert given == deltas


# --- What is written --------------------------------------------------------------------------


@cases(
    "results lower upper",
    ("text", [("a", "success", "ok")], "§result: ok", "[SYSTEM: ok]"),
    ("lines", [("a", "success", "a\nb")], "§result: a\nb", "[SYSTEM: a\nb]"),
    ("an object", [("a", "success", {"x": 1})], '§result: {"x": 1}', '[SYSTEM: {"x": 1}]'),
    ("an array", [("a", "success", [1, 2])], "§result: [1, 2]", "[SYSTEM: [1, 2]]"),
    ("nothing", [("a", "success", None)], "§result: null", "[SYSTEM: null]"),
    ("a string that is json", [("a", "success", "1")], '§result: "1"', '[SYSTEM: "1"]'),
    ("an empty string", [("a", "success", "")], '§result: ""', '[SYSTEM: ""]'),
    ("white space", [("a", "success", " x")], '§result: " x"', '[SYSTEM: " x"]'),
    (
        "a bracket at a line end",
        [("a", "success", "see [1]\nand [2]")],
        "§result: see [1]\nand [2]",
        '[SYSTEM: "see [1]\\nand [2]"]',
    ),
    (
        "a marker",
        [("a", "success", "say §end")],
        '§result: "say \\u00a7end"',
        '[SYSTEM: "say \\u00a7end"]',
    ),
    (
        "a system line",
        [("a", "success", "[System: x")],
        '§result: "\\u005bSystem: x"',
        '[SYSTEM: "\\u005bSystem: x"]',
    ),
    (
        "a failure",
        [("a", "failure", "no")],
        '§result: {"tool": "a", "status": "failure", "content": "no"}',
        '[SYSTEM: {"tool": "a", "status": "failure", "content": "no"}]',
    ),
    (
        "what looks like an item",
        [("a", "success", {"tool": "b", "status": "x", "content": 1})],
        '§result: {"tool": "a", "status": "success", "content": {"tool": "b", "status": "x", "content": 1}}',
        '[SYSTEM: {"tool": "a", "status": "success", "content": {"tool": "b", "status": "x", "content": 1}}]',
    ),
    (
        "two",
        [("a", "success", "x"), ("b", "success", 1)],
        "§result: x\n§result: 1",
        "[SYSTEM: x]\n[SYSTEM: 1]",
    ),
    ("none", [], "§result: []", "[SYSTEM: []]"),
)
def test_results_are_written(results, lower, upper):
    """As short as they can be read back; each form is read in both dialects."""
    items = [dict(zip(("tool", "status", "content"), one, strict=True)) for one in results]
    assert cogwire.render_results(items, "delimiter") == lower
    assert cogwire.render_results(items, "delimiter-upper") == upper
    calls = "".join(f'§call: {{"name": "{tool}"}}\n' for tool, _, _ in results)
    for text in (lower, upper):
        for dialect in LINES:
            *_, event = cogwire.parse_transcript(f"{calls}§execute\n{text}", dialect, clock=None)
            assert json.loads(event["content"]) == items


def test_calls_are_written():
    calls = [{"name": "a", "args": {"x": "§end\n[SYSTEM: é"}}, {"name": "b", "args": {}}]
    first = '{"name": "a", "args": {"x": "\\u00a7end\\n\\u005bSYSTEM: é"}}'
    second = '{"name": "b", "args": {}}'
    lower = f"§call: {first}\n§call: {second}\n§execute"
    upper = f"§CALL: {first}\n§CALL: {second}\n§EXECUTE"
    assert cogwire.render_calls(calls, "delimiter") == lower
    assert cogwire.render_calls(calls, "delimiter-upper") == upper
    assert cogwire.render_calls([], "delimiter") == "§execute"
    for text in (lower, upper):
        check_lines(text, [call(first), call(second), execute()], state="paused")
