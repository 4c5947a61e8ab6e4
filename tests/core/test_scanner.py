"""Elements that lie whole in a chunk go past the C scanner: where it knows less than the machine.

Each text is run whole, where the scanner is asked, and one character at a time, where it is not.
"""

import pytest

from tests import cogwire
from tests.core.helpers import call, check, error, execute

PAD = '"pad":"................"'


def element(args, name='"tool"'):
    """Return a call long enough for the scanner to be asked."""
    return f'{{"name":{name},"args":{{{PAD}{"," if args else ""}{args}}}}}'


def block(*elements):
    return f"<execute>[{','.join(elements)}]</execute>"


GOOD = element("")


@pytest.mark.parametrize(
    "args",
    [
        pytest.param('"a" :1,"b":": : :"', id="colons in strings and space before one"),
        pytest.param('"a":"\\"\\\\","b":"\\\\\\""', id="escaped quotes behind escaped backslashes"),
        pytest.param('"a":"\\\\ud83d"', id="an escaped backslash, no surrogate"),
        pytest.param('"a":"\\ud83d\\ude00"', id="a pair of escapes"),
        pytest.param('"a":{"b":{"b":{"b":[{"b":1},{"b":2}]}}}', id="one name in many objects"),
        pytest.param('"a":' + "9" * 308, id="an integer of 308 digits"),
        pytest.param('"a":1e308,"b":-1E-999,"c":0.10', id="floats at the ends of the range"),
        pytest.param('"a":[],"b":{},"c":[[],{}]', id="empty containers"),
        pytest.param('"name":"x","args":"y"', id="members called name and args"),
    ],
)
def test_what_the_scanner_may_accept_is_accepted(args):
    content = element(args)
    check(block(content, GOOD), [call(content), call(GOOD), execute()])


@pytest.mark.parametrize(
    ("args", "code", "path"),
    [
        pytest.param('"a":1,"a‸":2', "duplicate-key", "/1/args/a", id="a name twice"),
        pytest.param(
            '"a":1,"\\u0061‸":2', "duplicate-key", "/1/args/a", id="escaped the second time"
        ),
        pytest.param('"a":":","a‸":2', "duplicate-key", "/1/args/a", id="as many colons as names"),
        pytest.param('"a":"\\\\","a‸":"x"', "duplicate-key", "/1/args/a", id="behind a backslash"),
        pytest.param('"o":{"a":1,"a‸":2}', "duplicate-key", "/1/args/o/a", id="deeper"),
        pytest.param('"a":‸NaN', "json-syntax", "/1/args/a", id="NaN"),
        pytest.param('"a":‸Infinity', "json-syntax", "/1/args/a", id="Infinity"),
        pytest.param('"a":-‸Infinity', "json-syntax", "/1/args/a", id="minus Infinity"),
        pytest.param('"a":1e999‸', "number-range", "/1/args/a", id="a float too large"),
        pytest.param(
            '"a":' + "9" * 309 + "‸", "number-range", "/1/args/a", id="an integer too large"
        ),
        pytest.param('"a":"\\ud83d‸"', "lone-surrogate", "/1/args/a", id="a high half"),
        pytest.param('"a":"\\ude0‸0"', "lone-surrogate", "/1/args/a", id="a low half"),
        pytest.param(
            '"a":"\\\\\\ude0‸0"', "lone-surrogate", "/1/args/a", id="behind a backslash, a low half"
        ),
        pytest.param(
            '"a":"\\\\ud83d\\ude0‸0"', "lone-surrogate", "/1/args/a", id="only seems to be a pair"
        ),
        pytest.param('"\\ud83d‸":1', "lone-surrogate", "/1/args", id="a half in a name"),
        pytest.param('"a":' + "1" * 1000 + "‸1", "limit-digits", "/1/args/a", id="1001 digits"),
        pytest.param(
            '"a":0.' + "0" * 999 + "‸0", "limit-digits", "/1/args/a", id="1001 digits of a float"
        ),
        pytest.param(
            '"a":' + "[" * 125 + "‸[", "limit-depth", "/1/args/a" + "/0" * 125, id="129 deep"
        ),
        pytest.param('"a":"‸\t"', "json-syntax", "/1/args/a", id="a raw tab"),
        pytest.param('"a":0‸1', "json-syntax", "/1/args/a", id="a leading zero"),
        pytest.param('"a":1.‸}', "json-syntax", "/1/args/a", id="no digit after the point"),
        pytest.param('"a":1,‸', "json-syntax", "/1/args", id="a trailing comma"),
    ],
)
def test_what_the_scanner_does_not_know_is_refused(args, code, path):
    closed = element(args)
    expected = [call(GOOD), error(code, path, calls=1)]
    cogwire_reads_it_whole_and_in_pieces(f"<execute>[{GOOD},{closed}]</execute>", expected)


def cogwire_reads_it_whole_and_in_pieces(text, expected):
    """As `check`, on fewer cuts where the text is long."""
    if len(text) < 300:
        check(text, expected)
        return
    at = text.index("‸")
    expected = [{**event, "offset": at} if "offset" in event else event for event in expected]
    text = text.replace("‸", "")
    for size in (len(text), 1, 7, 100):
        parser = cogwire.Parser(clock=None)
        events = [
            event
            for begin in range(0, len(text), size)
            for event in parser.feed(text[begin : begin + size])
        ]
        for event in events:
            if event["type"] == "error":
                del event["content"]
        assert events + parser.close() == expected


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        pytest.param(
            f'{{{PAD},"name":"‸","args":{{}}}}', "bad-name", "/1/name", id="an empty name"
        ),
        pytest.param(f'{{{PAD},"name":"execute‸"}}', "bad-name", "/1/name", id="the reserved name"),
        pytest.param(f'{{{PAD},"name":‸1,"args":{{}}}}', "bad-name", "/1/name", id="a number"),
        pytest.param(f'{{"name":"tool",{PAD},"args":‸[]}}', "bad-args", "/1/args", id="a list"),
        pytest.param(f'{{"name":"tool",{PAD}‸}}', "missing-args", "/1", id="no args"),
        pytest.param(f'{{{PAD},"args":{{}}‸}}', "missing-name", "/1", id="no name"),
    ],
)
def test_a_wrong_shape_is_refused(text, code, path):
    check(block(GOOD, text), [call(GOOD), error(code, path, calls=1)])


def test_elements_without_a_comma_between_them():
    """The scanner is not asked again behind an element that no comma follows."""
    check(
        f"<execute>[{GOOD},{GOOD}‸{GOOD}]</execute>",
        [
            call(GOOD),
            call(GOOD),
            error("json-syntax", "/1", calls=2),
        ],
    )


@pytest.mark.parametrize("between", [",", " , ", ",\n  ", "\r\n,\t"])
def test_elements_are_separated_in_every_way(between):
    check(f"<execute>[{between.join([GOOD] * 3)}]</execute>", [call(GOOD)] * 3 + [execute()])


def test_elements_separated_in_different_ways():
    check(
        f"<execute>[{GOOD},{GOOD} , {GOOD},\n{GOOD},{GOOD}\n]</execute>",
        [call(GOOD)] * 5 + [execute()],
    )


def test_an_element_for_the_machine_among_others():
    """What only the machine can judge does not keep it from the ones around it."""
    pair = element('"a":"\\ud83d\\ude00"')
    check(
        block(GOOD, pair, GOOD, GOOD), [call(GOOD), call(pair), call(GOOD), call(GOOD), execute()]
    )


def test_a_closer_in_a_string_behind_whole_elements():
    closer = element('"a":"</execute>"')
    check(block(GOOD, closer, GOOD), [call(GOOD), call(closer), call(GOOD), execute()])


def test_the_size_limit_cuts_what_the_scanner_is_shown():
    text = block(GOOD, GOOD)
    size = len(f"[{GOOD},{GOOD}]")
    for limit, expected in (
        (size, [call(GOOD), call(GOOD), execute()]),
        (size - 1, [call(GOOD), call(GOOD), error("limit-size", "/1", calls=2, offset=8 + size)]),
        (size - 2, [call(GOOD), error("limit-size", "/1/args", calls=1, offset=7 + size)]),
    ):
        check(text, expected, limits=cogwire.Limits(size=limit))
