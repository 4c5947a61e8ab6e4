"""Every limit one below, at, and one above, and what counts."""

import pytest

from tests import cogwire
from tests.core.helpers import execute, run, singles
from tests.core.wire.tables import check_rows, same_outcome

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"
#: A block up to the value of the argument `x`.
X = '<execute>[{"name":"a","args":{"x":'

# fmt: off
READ = {
    # Size is counted in characters between opener and closer; the closer is not among them.
    "size": [
        ("<execute>[]</execute>", "execute → paused", "size=2,3,11"),
        ("<execute>[ ]</execute>", "execute → paused", "size=3,4"),
        ("<execute> [] </execute>", "execute → paused", "size=4,5"),
        (BLOCK, "call · execute → paused", "size=24"),
        ("<execute>\n[\n" + A + ",\n" + A + "\n]\n</execute>", "call · call · execute → paused", "size=52,53"),
        ('<execute>[{"name":"é","args":{"x":"😀"}}]</execute>', 'call {"name":"é","args":{"x":"😀"}} · execute → paused', "size=31,32"),
        ("<execute> ‸ []", "error limit-size → execute", "size=1"),  # white space before the array
        ("<execute> ‸[]", "error limit-size → execute", "size=1"),  # the opening bracket
        ("<execute>[‸ ]", "error limit-size /0 → execute", "size=1"),  # white space in the array
        ("<execute>[‸]", "error limit-size /0 → execute", "size=1"),  # the closing bracket
        ("<execute>[‸{", "error limit-size /0 → execute", "size=1"),  # an element
        ('<execute>[{‸"', "error limit-size /0 → execute", "size=2"),  # a key
        ('<execute>[{"name‸"', "error limit-size /0 → execute", "size=7"),  # the end of a key
        ('<execute>[{"name"‸:', "error limit-size /0 → execute", "size=8"),  # a colon
        ('<execute>[{"name":‸"', "error limit-size /0/name → execute", "size=9"),  # a value
        ('<execute>[{"name":"a‸"', "error limit-size /0/name → execute", "size=11"),  # the end of a string
        ('<execute>[{"name":"a"‸,', "error limit-size /0/name → execute", "size=12"),  # a comma
        ('<execute>[{"name":"a","args":‸{', "error limit-size /0/args → execute", "size=20"),  # a brace
        (X + '"\\‸n', "error limit-size /0/args/x → execute", "size=27"),  # an escape
        (X + "1‸2", "error limit-size /0/args/x → execute", "size=26"),  # a digit
        (X + "t‸rue", "error limit-size /0/args/x → execute", "size=26"),  # a literal
        (X + "[1‸,2]", "error limit-size /0/args/x/0 → execute", "size=27"),  # a comma in an array
        (X + '"</exec‸ute>', "error limit-size /0/args/x → execute", "size=32"),  # a closer in a string
        ("<execute>[]‸ ", "error limit-size → execute", "size=2"),  # white space after the array
        ('<execute>[{"name":"a","args":{}‸}]</execute>', "error limit-size /0/args → paused", "size=22"),  # a call completed by the crossing character is not given
        ("<execute>[" + A + "‸," + A + "]</execute>", "call · error limit-size /0 voids 1 → paused", "size=23"),  # a call before the crossing character is voided
        ("<execute>[]</exec‸x</execute>", "error trailing-text → paused", "size=2"),  # an incomplete closer does not count
        ("<execute>[]</exec‸", "error unclosed-execute → execute", "size=2"),  # the end inside the closer does not count
        (BLOCK + BLOCK + BLOCK, "call · execute · call · execute · call · execute", "transcript size=24"),  # the size is of one block
        (b"<execute>[     \xe2\x82]</execute>", "error limit-size /0 @14 → paused", "size=5"),
        (b"<execute>[     \xe2\x82]</execute>", "error bad-encoding /0 @15 → paused", "size=6,7"),
    ],
    "calls": [
        (BLOCK, "call · execute → paused", "calls=1,2"),
        ("<execute>[" + A + "," + A + "]</execute>", "call · call · execute → paused", "calls=2,3"),
        ("<execute>[" + A + "," + A + "," + A + "]</execute>", "call · call · call · execute → paused", "calls=3,4"),
        ("<execute>[" + A + ", ‸" + A + "]</execute>", "call · error limit-calls /1 voids 1 → paused", "calls=1"),
        ("<execute>[" + A + "," + A + ", ‸" + A + "]</execute>", "call · call · error limit-calls /2 voids 2 → paused", "calls=2"),
        ("<execute>[" + A + "," + A + "," + A + ", ‸" + A + "]</execute>", "call · call · call · error limit-calls /3 voids 3 → paused", "calls=3"),
        ("<execute>[]</execute>", "execute", "calls=1"),  # an empty block has no calls
        (BLOCK + BLOCK, "call · execute · call · execute", "transcript calls=1"),  # the number of calls is of one block
    ],
    # The array is 1, the element 2, its args 3; siblings add nothing, strings neither.
    "depth": [
        (BLOCK, "call · execute", "depth=3,4"),
        (X + "[]}}]</execute>", 'call {"name":"a","args":{"x":[]}} · execute', "depth=4,5"),
        (X + "{}}}]</execute>", 'call {"name":"a","args":{"x":{}}} · execute', "depth=4,5"),
        (X + "[[]]}}]</execute>", 'call {"name":"a","args":{"x":[[]]}} · execute', "depth=5,6"),
        (X + '[{"y":[1]}]}}]</execute>', 'call {"name":"a","args":{"x":[{"y":[1]}]}} · execute', "depth=6,7"),
        ('<execute>[{"name":"a","why":[[[]]],"args":{}}]</execute>', 'call {"name":"a","why":[[[]]],"args":{}} · execute', "depth=5,6"),
        (X + '"[[[["}}]</execute>', 'call {"name":"a","args":{"x":"[[[["}} · execute', "depth=3,4"),
        (X + '[],"y":[],"z":{"w":1}}}]</execute>', 'call {"name":"a","args":{"x":[],"y":[],"z":{"w":1}}} · execute', "depth=4,5"),
        ("<execute>[‸{", "error limit-depth /0 → execute", "depth=1"),
        ('<execute>[{"name":"a","args":‸{', "error limit-depth /0/args → execute", "depth=2"),
        ('<execute>[{"why":‸[', "error limit-depth /0/why → execute", "depth=2"),
        (X + "‸[", "error limit-depth /0/args/x → execute", "depth=3"),
        (X + "‸{", "error limit-depth /0/args/x → execute", "depth=3"),
        (X + "[1,‸{", "error limit-depth /0/args/x/1 → execute", "depth=4"),
        (X + '{"y":‸[', "error limit-depth /0/args/x/y → execute", "depth=4"),
    ],
    # Integer, fraction and exponent; no sign, no point, no `e`.
    "digits": [
        (X + '123,"y":123}}]</execute>', 'call {"name":"a","args":{"x":123,"y":123}} · execute', "digits=3,4"),
        *same_outcome("error limit-digits /0/args/x → execute", "digits=2", texts=[
            X + "12‸3", X + "-12‸3", X + "1.2‸3", X + "-0.1‸2", X + "1e2‸3", X + "1.2e‸3",
            X + "1E-2‸3", X + "12e+‸3",
        ]),
        (X + '-123,"y":-123}}]</execute>', 'call {"name":"a","args":{"x":-123,"y":-123}} · execute', "digits=3,4"),
        (X + '1.23,"y":1.23}}]</execute>', 'call {"name":"a","args":{"x":1.23,"y":1.23}} · execute', "digits=3,4"),  # 1.23
        (X + '-0.12,"y":-0.12}}]</execute>', 'call {"name":"a","args":{"x":-0.12,"y":-0.12}} · execute', "digits=3,4"),
        (X + '1e23,"y":1e23}}]</execute>', 'call {"name":"a","args":{"x":1e23,"y":1e23}} · execute', "digits=3,4"),
        (X + '1.2e3,"y":1.2e3}}]</execute>', 'call {"name":"a","args":{"x":1.2e3,"y":1.2e3}} · execute', "digits=3,4"),
        (X + '1E-23,"y":1E-23}}]</execute>', 'call {"name":"a","args":{"x":1E-23,"y":1E-23}} · execute', "digits=3,4"),
        (X + '12e+3,"y":12e+3}}]</execute>', 'call {"name":"a","args":{"x":12e+3,"y":12e+3}} · execute', "digits=3,4"),  # 12e+3
        ('<execute>[{"name":"12345","args":{"678901":"1e999 23456"}}]</execute>', 'call {"name":"12345","args":{"678901":"1e999 23456"}} · execute', "digits=1"),  # digits in strings do not count
        (X + "[1,22,333,-4.5e6]}}]</execute>", 'call {"name":"a","args":{"x":[1,22,333,-4.5e6]}} · execute', "digits=3"),  # numbers side by side are counted alone
        (X + "1e99‸9,", "error limit-digits /0/args/x", "digits=3"),
        (X + "1e999‸,", "error number-range /0/args/x", "digits=4"),
    ],
    "all at once": [
        (BLOCK, "call · execute", "size=1000000000000000000 calls=1000000000000000000 depth=1000000000000000000 digits=1000000000000000000"),  # a limit far beyond the text changes nothing
        ("<execute>[‸]", "error limit-size /0", "size=1 calls=1 depth=1 digits=1"),
        ("<execute>[]</execute>", "execute", "size=2 calls=1 depth=1 digits=1"),
    ],
}
# fmt: on


@pytest.mark.parametrize("section", READ)
def test_limits(section):
    check_rows(READ[section], "xml-json")


@pytest.mark.parametrize(
    ("text", "code", "path", "allowed"),
    [
        (lambda n: "<execute>[" + ",".join([A] * n) + "]</execute>", "limit-calls", "/256", 256),
        (
            lambda n: f"{X}{'[' * n}{']' * n}}}}}]</execute>",
            "limit-depth",
            "/0/args/x" + "/0" * 125,
            125,
        ),
        (lambda n: f"{X}0.{'1' * (n - 1)}}}}}]</execute>", "limit-digits", "/0/args/x", 1000),
    ],
    ids=["calls", "depth", "digits"],
)
def test_the_defaults(text, code, path, allowed):
    """One below, at, and one above; the array is level 1, its element 2, the arguments 3."""
    for amount, is_allowed in ((allowed - 1, True), (allowed, True), (allowed + 1, False)):
        for chunks in ([text(amount)], singles(text(amount))):
            outcome = run(chunks)
            *calls, last = outcome.events
            assert outcome.state == "paused"
            assert all(event["type"] == "call" for event in calls)
            if is_allowed:
                assert last == execute()
            else:
                assert (last["code"], last["path"], last["calls"]) == (code, path, len(calls))


def test_the_place_of_an_excess_item():
    for text, offset in (
        ("<execute>[" + ",".join([A] * 257), 10 + 256 * (len(A) + 1)),
        (X + "[" * 126, len(X) + 125),
        (f"{X}0.{'1' * 1000}", len(X) + 1001),
    ):
        assert run([text]).events[-1]["offset"] == offset


def test_prose_and_thinks_have_no_limit():
    text = "<think>" + "[" * 50 + "</think>" + "1" * 50
    events = cogwire.parse(
        text, limits=cogwire.Limits(size=1, calls=1, depth=1, digits=1), clock=None
    )
    assert [event["type"] for event in events] == ["think", "respond"]


def test_the_default_size():
    """Strings of that length, so that the test is short."""
    allowed = 8_388_608 - len('[{"name":"a","args":{"x":""}}]')
    for length in (allowed - 1, allowed, allowed + 1):
        *_, last = cogwire.parse(f'{X}"{"x" * length}"}}}}]</execute>', clock=None)
        assert (last == execute()) == (length <= allowed)
    *_, last = cogwire.parse(f'{X}"{"x" * 8_388_608}', clock=None)
    assert (last["code"], last["path"]) == ("limit-size", "/0/args/x")
    assert last["offset"] == len("<execute>") + 8_388_608
