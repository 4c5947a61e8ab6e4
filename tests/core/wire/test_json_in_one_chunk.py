"""Elements that lie whole in a chunk go past the C decoder: where it knows less than the machine.

What is expected says the executable specification, and the machine alone, which reads one by one.
"""

from tests import cogwire, oracle
from tests.core.helpers import bare, run, singles
from tests.rows import rows

GOOD = '{"name":"tool","args":{"pad":"................"}}'
PAD = '"pad":"................"'


def assert_read(inside, *codes, **limits):
    """Assert that a block is read as specified, and has errors of these codes."""
    text = f"<execute>[{inside}]</execute>"
    limits = cogwire.Limits(**limits)
    expected = oracle.parse(text, "xml-json", limits=tuple(limits))
    errors = [event["code"] for event in expected.events if event["type"] == "error"]
    assert errors == list(codes)
    for chunks in ([text], singles(text)):
        outcome = run(chunks, limits=limits)
        assert bare(outcome.events) == expected.events, chunks
        assert outcome.state == expected.state, chunks


@rows(
    "members",
    [
        *('"a" :1,"b":": : :"', r'"a":"\"\\","b":"\\\""', r'"a":"\\ud83d"', r'"a":"\ud83d\ude00"'),
        *('"a":{"b":{"b":{"b":[{"b":1},{"b":2}]}}}', '"a":' + "9" * 308, '"a":"</execute>"'),
        *('"a":1e308,"b":-1E-999,"c":0.10', '"a":[],"b":{},"c":[[],{}]', '"name":"x","args":"y"'),
        *(
            '"a":"b: c","d":"https://e"',
            '"a:b":1,":":":"',
            r'"a":"\u003a:"',
            '"a":{"b":":"},"c":":"',
        ),
    ],
)
def test_what_the_scanner_may_accept_is_accepted(members):
    assert_read(f'{{"name":"tool","args":{{{PAD},{members}}}}},{GOOD}')
    assert_read(f'{GOOD},{{"name":"tool","args":{{{PAD},{members}}}}},{GOOD},{GOOD}')


@rows(
    ("code", "members"),
    [
        *(("duplicate-key", members) for members in ('"a":1,"a":2', r'"a":1,"\u0061":2')),
        *(("duplicate-key", members) for members in ('"a":":","a":2', r'"a":"\\","a":"x"')),
        # There are as many colons as if the last one were in a string.
        *(("duplicate-key", members) for members in (r'"a":1,"a":"\u003a"', r'"a":1,"a":"\u003A"')),
        *(("duplicate-key", members) for members in ('"a":":","a":":"', '"a":1,"b":":","a":2')),
        ("duplicate-key", '"o":{"a":1,"a":2}'),
        *(("json-syntax", f'"a":{value}') for value in ("NaN", "Infinity", "-Infinity", '"\t"')),
        *(("json-syntax", members) for members in ('"a":01', '"a":1.', '"a":1,')),
        ("number-range", '"a":1e999'),
        *(("lone-surrogate", rf'"a":"{value}"') for value in (r"\ud83d", r"\ude00", r"\\\ude00")),
        *(("lone-surrogate", members) for members in (r'"a":"\\ud83d\ude00"', r'"\ud83d":1')),
        ("limit-depth", '"a":' + "[" * 126),
    ],
)
def test_what_the_scanner_does_not_know_is_refused(code, members):
    assert_read(f'{GOOD},{{"name":"tool","args":{{{PAD},{members}}}}}', code)


@rows(
    ("code", "members"),
    [
        *(("bad-name", f'{PAD},"name":{name},"args":{{}}') for name in ('""', '"execute"', "1")),
        ("bad-args", f'"name":"tool",{PAD},"args":[]'),
        ("missing-args", f'"name":"tool",{PAD}'),
        ("missing-name", f'{PAD},"args":{{}}'),
    ],
)
def test_a_wrong_shape_is_refused(code, members):
    assert_read(f"{GOOD},{{{members}}}", code)


@rows("between", [",", " , ", ",\n  ", "\r\n,\t"])
def test_elements_are_separated_in_every_way(between):
    assert_read(between.join([GOOD] * 3))
    assert_read(f"{GOOD},{GOOD}{between}{GOOD},\n{GOOD}\n")
    assert_read(f"{GOOD},{GOOD}{between.replace(',', '')}{GOOD}", "json-syntax")


def test_the_size_limit_cuts_what_the_scanner_is_shown():
    inside = f"{GOOD},{GOOD}"
    assert_read(inside, size=101)
    assert_read(inside, "limit-size", size=100)
    assert_read(inside, "limit-size", size=99)
