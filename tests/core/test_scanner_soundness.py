"""The proofs that let the C scanner's word count: what they prove, what they do not, and how.

What is not proved is read again by the machine, so a proof that fails is never seen from outside;
one that succeeds where it should not is a rule that is lost.
"""

import importlib

import pytest

from tests import cogwire

scanner = importlib.import_module(f"{cogwire.__name__}._scanner")

#: By these, an element of more than ten characters is too long to be judged by its colons alone.
SURVEYING = cogwire.Limits(depth=6)
COUNTING = cogwire.Limits()


def is_proved(source, limits=COUNTING, *, at=0, most=64):
    run = scanner.decode(source, at, most, limits)
    return run.is_sound(source, limits, "args")


def digits(number):
    return f'{{"number":{number}}}'


@pytest.mark.parametrize("limits", [SURVEYING, COUNTING])
@pytest.mark.parametrize(
    "source",
    [
        pytest.param('{"name":"t","args":{"a":"b"}}', id="a call"),
        pytest.param('{"a":true,"b":null,"c":1,"d":-1.5e3}', id="literals and numbers"),
        pytest.param('{"a":[1,"x",[null,{"b":"c"}]],"d":{}}', id="containers"),
        pytest.param('{"a":"\\"x\\"","b":"\\"","c":"\\n\\\\"}', id="quotes in values"),
        pytest.param('{"\\"a":"\\"","b":{"c":"d"}}', id="quotes before what has none"),
        pytest.param('{"a":"b","\\"\\"":{"\\"":[1]}}', id="quotes in names"),
        pytest.param('{"a":"\\u0022 and \\u0041"}', id="a quote written as a number"),
        pytest.param('{"a":"\\u0041\\"","b":"\\""}', id="a number and quotes"),
        pytest.param('{"a":"\\u0041\\\\","b":"\\\\"}', id="a number and backslashes at the end"),
        pytest.param('{"a":"\\u0041\\\\\\"\\\\","b":1}', id="a number and both"),
        pytest.param('{"a":"::","b":" : "}', id="colons in strings"),
        pytest.param('{"name":"one"} , {"name":"two"},{"a":1}', id="elements"),
        pytest.param('{"a":"\\u0041","b":"\\""},{"b":"\\"c"}', id="elements with escapes"),
    ],
)
def test_what_keeps_the_rules_is_proved(source, limits):
    assert is_proved(source, limits)


@pytest.mark.parametrize("limits", [SURVEYING, COUNTING])
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("", id="nothing"),
        pytest.param('{"name":', id="less than an element"),
        pytest.param('{"a":NaN}', id="NaN"),
        pytest.param('{"a":-Infinity}', id="minus Infinity"),
        pytest.param('{"a":1e400}', id="a float that is not finite"),
        pytest.param(digits("9" * 309), id="an integer that is not"),
        pytest.param(digits("-" + "9" * 309), id="a negative one"),
        pytest.param(digits("0." + "1" * 999), id="too many digits"),
        pytest.param('{"name":1,"name":2}', id="a name twice"),
        pytest.param('{"name":1,"name":":"}', id="and colons"),
        pytest.param('{"name":1,"name":"\\""}', id="and a quote"),
        pytest.param('{"name":"\\"","name":1}', id="and a quote that is lost"),
        pytest.param('{"name":"\\u0022","name":1}', id="and one written as a number"),
        pytest.param('{"a":1,"\\u0061":12}', id="a name twice, once by number"),
        pytest.param('{"a":{"b":"c","b":"d"}}', id="a name twice in a value"),
        pytest.param('{"args":{"a":1,"a":2}}', id="in arguments"),
        pytest.param('{"a":[{"b":1},{"b":1,"b":2}]}', id="deeper"),
        pytest.param('{"name":1,"name":2},{"name":"x"}', id="in the first of two elements"),
        pytest.param('{"name":"x"},{"name":1,"name":2}', id="in the second"),
        pytest.param('{"a":"\\ud83d"}', id="half a pair"),
        pytest.param('{"a":"\\uDE00"}', id="the other half"),
        pytest.param('{"a":"\\ud83d\\ude00"}', id="a pair"),
        pytest.param('{"a":"\\\\ud83d","b":"x"}', id="what looks like half of one"),
    ],
)
def test_what_may_break_a_rule_is_not(source, limits):
    assert not is_proved(source, limits)


def test_only_what_was_decoded_is_looked_at():
    """Neither what stands before the elements nor what stands behind them matters."""
    good, half = '{"a":"\\u0041"}', '{"a":"\\ud83d"}'
    assert is_proved(f"{good},{half}", most=1)
    assert is_proved(f"{half},{good}", at=len(half) + 1)
    assert not is_proved(f"{good},{half}", most=2)


@pytest.mark.parametrize(
    ("depth", "source", "expected"),
    [
        (1, "{}", False),
        (2, "{}", True),
        (2, '{"a":1}', True),
        (2, '{"a":{}}', False),
        (3, '{"a":{}}', True),
        (3, '{"a":[]}', True),
        (3, '{"a":[[]]}', False),
        (6, '{"a":[[[[]]]]}', True),
        (6, '{"a":[[[[[]]]]]}', False),
        (6, '{"":[[[[{}]]]]}', False),
    ],
)
def test_the_depth_that_is_allowed_is_proved(depth, source, expected):
    assert is_proved(source, cogwire.Limits(depth=depth)) is expected


@pytest.mark.parametrize(
    ("limit", "number", "expected"),
    [
        (3, "999", True),
        (3, "-999", True),
        (3, "1000", False),
        (3, "-1000", False),
        (3, "0.1", True),
        (3, "0.12", False),
        (308, "9" * 308, True),
        (308, "-" + "9" * 308, True),
        (1000, "9" * 308, True),
        (1000, "1" + "0" * 308, False),
        (1000, "-1" + "0" * 308, False),
    ],
)
@pytest.mark.parametrize("depth", [3, 1000])
def test_the_digits_that_are_allowed_are_proved(limit, number, expected, depth):
    limits = cogwire.Limits(digits=limit, depth=depth)
    assert is_proved(digits(number), limits) is expected


def test_an_element_is_not_proved_by_the_span_of_another():
    for elements, spans in (([{}, {}], [(0, 2)]), ([{}], [(0, 2), (3, 5)])):
        run = scanner.Run(elements, spans, None)
        with pytest.raises(ValueError, match="zip"):
            run.is_sound("{},{}", COUNTING, "args")


# --- What the proof costs ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "limits", "surveyed"),
    [
        ("{  }", {"depth": 3}, []),
        ("{   }", {"depth": 3}, [{}]),
        ('{"a":10}', {"digits": 8}, []),
        ('{"a":100}', {"digits": 8}, [{"a": 100}]),
        ('{"a":1},{"b":2}', {"digits": 8}, []),
        ('{"name":"a","args":{"b":1,"c":2}}', {}, []),
        ('{"args":{"b":1,"c":2},"name":"a"}', {}, []),
        ('{"name":"a","other":{"b":1}}', {}, [{"name": "a", "other": {"b": 1}}]),
        ('{"name":":"}', {}, [{"name": ":"}]),
        ('{"a":1,"a":2}', {}, [{"a": 2}]),
        ('{"a":1},{"b":2},{"c":":"},{"d":4}', {}, [{"c": ":"}]),
    ],
)
def test_values_are_looked_at_where_counting_does_not_tell(monkeypatch, source, limits, surveyed):
    """As many names as colons, in few characters, prove all rules; most calls are like that."""
    seen = []
    survey = scanner._survey

    def recording(elements, depth, bound):
        seen.extend(elements)
        return survey(elements, depth, bound)

    monkeypatch.setattr(scanner, "_survey", recording)
    is_proved(source, cogwire.Limits(**limits))
    assert seen == surveyed


# --- Runs -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "at", "most", "spans", "refused"),
    [
        pytest.param("{},{},{}", 0, 64, [(0, 2), (3, 5), (6, 8)], None, id="commas"),
        pytest.param("{},{},{}", 0, 2, [(0, 2), (3, 5)], None, id="as many as are asked for"),
        pytest.param("{},{},{}", 3, 64, [(3, 5), (6, 8)], None, id="from a place on"),
        pytest.param("{} ,\n{},{}", 0, 64, [(0, 2), (5, 7), (8, 10)], None, id="white space"),
        pytest.param(",{},{};{}", 1, 64, [(1, 3), (4, 6)], None, id="a comma before and none"),
        pytest.param("{}", 0, 64, [(0, 2)], None, id="one"),
        pytest.param("{}]", 0, 64, [(0, 2)], None, id="the end of the array"),
        pytest.param("{}XXXX{}", 0, 64, [(0, 2)], None, id="what is no comma"),
        pytest.param("{},[]", 0, 64, [(0, 2)], None, id="a comma and no object"),
        pytest.param("", 0, 64, [], 0, id="nothing"),
        pytest.param("{},{},{?}", 0, 64, [(0, 2), (3, 5)], 6, id="what is not JSON"),
        pytest.param('{},{"a":NaN},{}', 0, 64, [(0, 2)], 3, id="what JSON does not have"),
        pytest.param("{},{", 0, 64, [(0, 2)], 3, id="what is cut off"),
    ],
)
def test_elements_are_decoded_up_to_what_the_scanner_does_not_take(
    source, at, most, spans, refused
):
    run = scanner.decode(source, at, most, COUNTING)
    assert run.spans == spans
    assert run.elements == [{}] * len(spans)
    assert run.refused == refused


@pytest.mark.parametrize("between", ["§call:", " \n§CALL: ", "\t§Call:\r\n"])
def test_a_marker_may_stand_between_elements(between):
    dividing = scanner.marker_between("§call:")
    source = f"{{}}{between}{{}}{between}{{}} , {{}}"
    run = scanner.decode(source, 0, 64, COUNTING, dividing)
    step = 2 + len(between)
    assert run.spans == [(0, 2), (step, step + 2), (2 * step, 2 * step + 2)]
    assert run.refused is None
