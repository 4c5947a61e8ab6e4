"""Elements that lie whole in a chunk go past the C scanner: where it knows less than the machine."""

import pytest

from tests.core.parser.tables import check_rows

A = '{"name":"a","args":{}}'
GOOD = '{"name":"tool","args":{"pad":"................"}}'

# fmt: off
READ = {
    "what the scanner may accept is accepted": [
        ('<execute>[{"name":"tool","args":{"pad":"................","a" :1,"b":": : :"}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a" :1,"b":": : :"}} · call ' + GOOD + " · execute"),  # colons in strings and space before one
        ('<execute>[{"name":"tool","args":{"pad":"................","a":"\\"\\\\","b":"\\\\\\""}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":"\\"\\\\","b":"\\\\\\""}} · call ' + GOOD + " · execute"),  # escaped quotes behind escaped backslashes
        ('<execute>[{"name":"tool","args":{"pad":"................","a":"\\\\ud83d"}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":"\\\\ud83d"}} · call ' + GOOD + " · execute"),  # an escaped backslash, no surrogate
        ('<execute>[{"name":"tool","args":{"pad":"................","a":"\\ud83d\\ude00"}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":"\\ud83d\\ude00"}} · call ' + GOOD + " · execute"),  # a pair of escapes
        ('<execute>[{"name":"tool","args":{"pad":"................","a":{"b":{"b":{"b":[{"b":1},{"b":2}]}}}}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":{"b":{"b":{"b":[{"b":1},{"b":2}]}}}}} · call ' + GOOD + " · execute"),  # one name in many objects
        ('<execute>[{"name":"tool","args":{"pad":"................","a":' + "9" * 308 + "}}," + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":' + "9" * 308 + "}} · call " + GOOD + " · execute"),  # an integer of 308 digits
        ('<execute>[{"name":"tool","args":{"pad":"................","a":1e308,"b":-1E-999,"c":0.10}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":1e308,"b":-1E-999,"c":0.10}} · call ' + GOOD + " · execute"),  # floats at the ends of the range
        ('<execute>[{"name":"tool","args":{"pad":"................","a":[],"b":{},"c":[[],{}]}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","a":[],"b":{},"c":[[],{}]}} · call ' + GOOD + " · execute"),  # empty containers
        ('<execute>[{"name":"tool","args":{"pad":"................","name":"x","args":"y"}},' + GOOD + "]</execute>", 'call {"name":"tool","args":{"pad":"................","name":"x","args":"y"}} · call ' + GOOD + " · execute"),  # members called name and args
    ],
    "what the scanner does not know is refused": [
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":1,"a‸":2}}]</execute>', "call " + GOOD + " · error duplicate-key /1/args/a voids 1"),  # a name twice
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":1,"\\u0061‸":2}}]</execute>', "call " + GOOD + " · error duplicate-key /1/args/a voids 1"),  # escaped the second time
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":":","a‸":2}}]</execute>', "call " + GOOD + " · error duplicate-key /1/args/a voids 1"),  # as many colons as names
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\\\","a‸":"x"}}]</execute>', "call " + GOOD + " · error duplicate-key /1/args/a voids 1"),  # behind a backslash
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","o":{"a":1,"a‸":2}}}]</execute>', "call " + GOOD + " · error duplicate-key /1/args/o/a voids 1"),  # deeper
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":‸NaN}}]</execute>', "call " + GOOD + " · error json-syntax /1/args/a voids 1"),  # NaN
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":‸Infinity}}]</execute>', "call " + GOOD + " · error json-syntax /1/args/a voids 1"),  # Infinity
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":-‸Infinity}}]</execute>', "call " + GOOD + " · error json-syntax /1/args/a voids 1"),  # minus Infinity
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":1e999‸}}]</execute>', "call " + GOOD + " · error number-range /1/args/a voids 1"),  # a float too large
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\ud83d‸"}}]</execute>', "call " + GOOD + " · error lone-surrogate /1/args/a voids 1"),  # a high half
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\ude0‸0"}}]</execute>', "call " + GOOD + " · error lone-surrogate /1/args/a voids 1"),  # a low half
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\\\\\ude0‸0"}}]</execute>', "call " + GOOD + " · error lone-surrogate /1/args/a voids 1"),  # behind a backslash, a low half
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\\\ud83d\\ude0‸0"}}]</execute>', "call " + GOOD + " · error lone-surrogate /1/args/a voids 1"),  # only seems to be a pair
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","\\ud83d‸":1}}]</execute>', "call " + GOOD + " · error lone-surrogate /1/args voids 1"),  # a half in a name
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":' + "[" * 125 + "‸[}}]</execute>", "call " + GOOD + " · error limit-depth /1/args/a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0 voids 1"),  # 129 deep
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"‸\t"}}]</execute>', "call " + GOOD + " · error json-syntax /1/args/a voids 1"),  # a raw tab
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":0‸1}}]</execute>', "call " + GOOD + " · error json-syntax /1/args/a voids 1"),  # a leading zero
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":1.‸}}}]</execute>', "call " + GOOD + " · error json-syntax /1/args/a voids 1"),  # no digit after the point
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":1,‸}}]</execute>', "call " + GOOD + " · error json-syntax /1/args voids 1"),  # a trailing comma
    ],
    "a wrong shape is refused": [
        ("<execute>[" + GOOD + ',{"pad":"................","name":"‸","args":{}}]</execute>', "call " + GOOD + " · error bad-name /1/name voids 1"),  # an empty name
        ("<execute>[" + GOOD + ',{"pad":"................","name":"execute‸"}]</execute>', "call " + GOOD + " · error bad-name /1/name voids 1"),  # the reserved name
        ("<execute>[" + GOOD + ',{"pad":"................","name":‸1,"args":{}}]</execute>', "call " + GOOD + " · error bad-name /1/name voids 1"),  # a number
        ("<execute>[" + GOOD + ',{"name":"tool","pad":"................","args":‸[]}]</execute>', "call " + GOOD + " · error bad-args /1/args voids 1"),  # a list
        ("<execute>[" + GOOD + ',{"name":"tool","pad":"................"‸}]</execute>', "call " + GOOD + " · error missing-args /1 voids 1"),  # no args
        ("<execute>[" + GOOD + ',{"pad":"................","args":{}‸}]</execute>', "call " + GOOD + " · error missing-name /1 voids 1"),  # no name
    ],
    "elements without a comma between them": [
        ("<execute>[" + GOOD + "," + GOOD + "‸" + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · error json-syntax /1 voids 2"),  # elements without a comma between them
    ],
    "elements are separated in every way": [
        ("<execute>[" + GOOD + "," + GOOD + "," + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),  # ,
        ("<execute>[" + GOOD + " , " + GOOD + " , " + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),  #  ,
        ("<execute>[" + GOOD + ",\n  " + GOOD + ",\n  " + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),
        ("<execute>[" + GOOD + "\r\n,\t" + GOOD + "\r\n,\t" + GOOD + "]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),
    ],
    "elements separated in different ways": [
        ("<execute>[" + GOOD + "," + GOOD + " , " + GOOD + ",\n" + GOOD + "," + GOOD + "\n]</execute>", "call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · call " + GOOD + " · execute"),  # elements separated in different ways
    ],
    "an element for the machine among others": [
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"\\ud83d\\ude00"}},' + GOOD + "," + GOOD + "]</execute>", "call " + GOOD + ' · call {"name":"tool","args":{"pad":"................","a":"\\ud83d\\ude00"}} · call ' + GOOD + " · call " + GOOD + " · execute"),  # an element for the machine among others
    ],
    "a closer in a string behind whole elements": [
        ("<execute>[" + GOOD + ',{"name":"tool","args":{"pad":"................","a":"</execute>"}},' + GOOD + "]</execute>", "call " + GOOD + ' · call {"name":"tool","args":{"pad":"................","a":"</execute>"}} · call ' + GOOD + " · execute"),  # a closer in a string behind whole elements
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
