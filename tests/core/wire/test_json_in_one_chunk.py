"""Elements that lie whole in a chunk go past the C decoder: where it knows less than the machine."""

import pytest

from tests.core.wire.tables import check_rows, framed, same_outcome

A = '{"name":"a","args":{}}'
GOOD = '{"name":"tool","args":{"pad":"................"}}'

# fmt: off
READ = {
    "what the scanner may accept is accepted": framed(
        ('<execute>[{"name":"tool","args":{"pad":"................",…}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................",…}} · call ' + GOOD + " · execute"),
        rows=[
            *same_outcome("…", texts=[
                '"a" :1,"b":": : :"', '"a":"\\"\\\\","b":"\\\\\\""', '"a":"\\\\ud83d"',
                '"a":"\\ud83d\\ude00"', '"a":{"b":{"b":{"b":[{"b":1},{"b":2}]}}}', '"a":' + "9" * 308,
                '"a":1e308,"b":-1E-999,"c":0.10', '"a":[],"b":{},"c":[[],{}]', '"name":"x","args":"y"',
                '"a":"b: c","d":"https://e"', '"a:b":1,":":":"', '"a":"\\u003a:"', '"a":{"b":":"},"c":":"',
            ]),
        ],
    ),
    "what the scanner does not know is refused": framed(
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................",…}}]</execute>', "call " + GOOD + " · error … voids 1"),
        rows=[
            *same_outcome("duplicate-key /1/args/a", texts=[
                '"a":1,"a‸":2', '"a":1,"\\u0061‸":2', '"a":":","a‸":2', '"a":"\\\\","a‸":"x"',
                # There are as many colons as if the last one were in a string.
                '"a":1,"a‸":"\\u003a"', '"a":1,"a‸":"\\u003A"', '"a":":","a‸":":"', '"a":1,"b":":","a‸":2',
            ]),
            ('"o":{"a":1,"a‸":2}', "duplicate-key /1/args/o/a"),  # deeper
            *same_outcome("json-syntax /1/args/a", texts=[
                '"a":‸NaN', '"a":‸Infinity', '"a":-‸Infinity', '"a":"‸\t"', '"a":0‸1', '"a":1.‸}',
            ]),
            ('"a":1e999‸', "number-range /1/args/a"),  # a float too large
            *same_outcome("lone-surrogate /1/args/a", texts=[
                '"a":"\\ud83d‸"', '"a":"\\ude0‸0"', '"a":"\\\\\\ude0‸0"', '"a":"\\\\ud83d\\ude0‸0"',
            ]),
            ('"\\ud83d‸":1', "lone-surrogate /1/args"),  # a half in a name
            ('"a":' + "[" * 125 + "‸[", "limit-depth /1/args/a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0"),  # 129 deep
            ('"a":1,‸', "json-syntax /1/args"),  # a trailing comma
        ],
    ),
    "a wrong shape is refused": framed(
        ("<execute>[" + GOOD + ",{…}]</execute>", "call " + GOOD + " · error … voids 1"),
        rows=[
            ('"pad":"................","name":"‸","args":{}', "bad-name /1/name"),  # an empty name
            ('"pad":"................","name":"execute‸"', "bad-name /1/name"),  # the reserved name
            ('"pad":"................","name":‸1,"args":{}', "bad-name /1/name"),  # a number
            ('"name":"tool","pad":"................","args":‸[]', "bad-args /1/args"),  # a list
            ('"name":"tool","pad":"................"‸', "missing-args /1"),  # no args
            ('"pad":"................","args":{}‸', "missing-name /1"),  # no name
        ],
    ),
    "elements are separated in every way": [
        ("<execute>[" + GOOD + "," + GOOD + "‸" + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · error json-syntax /1 voids 2"),  # elements without a comma between them
        ("<execute>[" + GOOD + "," + GOOD + "," + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),  # ,
        ("<execute>[" + GOOD + " , " + GOOD + " , " + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),  #  ,
        ("<execute>[" + GOOD + ",\n  " + GOOD + ",\n  " + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),
        ("<execute>[" + GOOD + "\r\n,\t" + GOOD + "\r\n,\t" + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),
        ("<execute>[" + GOOD + "," + GOOD + " , " + GOOD + ",\n" + GOOD + "," + GOOD + "\n]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),  # elements separated in different ways
    ],
    "an element for the machine among others": [
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\ud83d\\ude00"}},' + GOOD + "," + GOOD + "]</execute>", "call " + GOOD + ' · call {"name":"tool","args":{"pad":"................","a":"\\ud83d\\ude00"}} · call ' + GOOD + " · call " + GOOD + " · execute"),  # an element for the machine among others
    ],
    "a closer in a string after whole elements": [
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"</execute>"}},' + GOOD + "]</execute>", "call " + GOOD + ' · call {"name":"tool","args":{"pad":"................","a":"</execute>"}} · call ' + GOOD + " · execute"),  # a closer in a string after whole elements
    ],
    "the size limit cuts what the scanner is shown": [
        ("<execute>[" + GOOD + "," + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · execute", "size=101"),
        ("<execute>[" + GOOD + "," + GOOD + "‸]</execute>", "call " + GOOD + " · call " + GOOD + " · error limit-size /1 voids 2", "size=100"),
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................"}‸}]</execute>', "call " + GOOD + " · error limit-size /1/args voids 1", "size=99"),
    ],
}
# fmt: on


@pytest.mark.parametrize("section", READ)
def test_scanner(section):
    check_rows(READ[section], "xml-json")
