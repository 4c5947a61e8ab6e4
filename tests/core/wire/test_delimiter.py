"""What the dialects by lines give for single texts that are not cases of the corpus."""

import itertools

import pytest

from tests import cogwire
from tests.core.helpers import LINES, bare, end, error, execute, placed, run
from tests.core.wire.tables import check_rows, framed, same_outcome

A = '{"name":"a","args":{}}'
B = '{"name":"b"}'
CALL_A = f"§call: {A}\n"
CALL_B = f"§call: {B}\n"
RUN_A = f"{CALL_A}§execute\n"
RUN_AB = f"{CALL_A}{CALL_B}§execute\n"
X = '§call: {"name":"a","args":{"x":'

# fmt: off
READ = {
    "markers": [
        ("§think: a", "think a → think"),  # think
        ("§respond: a", "respond a → prose"),  # respond
        ("§think:a", "think a"),  # no white space after
        ("§respond:\na", "respond a"),  # a line end after
        ("§ThInK: a\n§rESPOND: b\n§End", "think a · respond b · end"),  # any case
        ("§CALL: " + A + "\n§EXECUTE", "call · execute → paused"),  # a call in upper case
        ("§Call:" + A + "§eXecute", "call · execute → paused"),  # a call in any case
        ("§end", "end → ended"),  # the end at the end
        ("§EXECUTE\n", "execute → paused +1"),  # execute in upper case
    ],
    "what is nearly a marker is prose": [
        *same_outcome("respond … → prose", texts=[
            "§end!", "§end\u2028", "§end\x0b", "§endé", "§end:", "§executes", "§execute.",
            "§execute:", "§executé", "§think", "§think :", "§ think:", "§thinks:", "§respond",
            "§call", "§call " + A, "§result", "§results:", "§metrics:", "§§", "§e\u0131nd",
            "\uff00§end", "\xc2§end", "&sect;end", "&sect;call: {}", "$end", "<end>",
            "<execute>[]</execute>", "<results>", "[system: a]", "[System: a]", "[SYSTEM:a]",
            "[SYSTEM:\ta]", "[SYSTEM:\xa0a]", "[SYSTEM : a]", "[ SYSTEM: a]", "[SYSTEM",
            "SYSTEM: a", "[[SYSTEM: a]", "&#91;SYSTEM: a]",
        ]),
        ("§\n", "respond § → prose"),
    ],
    # White space may be between.
    "a marker counts at the start and after another": [
        *same_outcome("end → ended", texts=[
            " §end", "\t§end", "\n§end", "\r§end", " \t\r\n \t§end", "§think:§end", "§think: §end",
            "§think:\n\n§end", "§respond:§think: \t§end", "§RESPOND:§end",
        ]),
        *same_outcome("respond a · end → ended", texts=[
            "a\n§end", "a\r§end", "a\r\n§end", "a\n \t§end", "a \n§end", "a\n\n  \n§end",
            "a\r\t§end",
        ]),
        *same_outcome("think a · respond b · end", texts=[
            "§think: a\n§respond: b\n§end", "§think: a\r§respond: b\r§end",
            "§think: a\r\n§respond: b\r\n§end", "§think: a\n \t§respond: b\n \t§end",
            "§think: a \n§respond: b \n§end", "§think: a\n\n  \n§respond: b\n\n  \n§end",
            "§think: a\r\t§respond: b\r\t§end",
        ]),
    ],
    "a marker counts after a call": [
        *same_outcome("call · execute → paused", texts=[
            "§call:" + A + "§execute", "§call: " + A + " §execute", "§call:\t" + A + "\t§execute",
            "§call:\n" + A + "\n§execute", "§call:\r\n\t \n" + A + "\r\n\t \n§execute",
        ]),
        ("§call: " + A + '§call: {"name":"b"}§execute', 'call · call {"name":"b"} · execute → paused'),
        ("§call: " + A + ' §call: {"name":"b"} §execute', 'call · call {"name":"b"} · execute → paused'),
        ("§call: " + A + '\t§call: {"name":"b"}\t§execute', 'call · call {"name":"b"} · execute → paused'),
        (CALL_A + CALL_B + "§execute", 'call · call {"name":"b"} · execute → paused'),
        ("§call: " + A + '\r\n\t \n§call: {"name":"b"}\r\n\t \n§execute', 'call · call {"name":"b"} · execute → paused'),
    ],
    "elsewhere a marker is prose": framed(
        ("…", "respond … → prose"),
        ("§respond: …", "respond … → prose"),
        rows=[
            *same_outcome("…", texts=[
                "the word §end here", "a §end", "a §respond: b", "a §think: b", "a §call: " + A,
                "a [SYSTEM: b]", "a §result: b", "- §end", "> §end", "`§end`", "1. §execute", "§ §end",
                "\xa0§end", "\ufeff§end", "\x0b§end", "a\n\x0c§end", "a\u2028§end", "a\x85§end",
                "a\n- §end", "a\n§thin §end", "\x00§end",
            ]),
        ],
    ),
    "segments": [
        (" \n\t", "→ prose"),  # white space
        ("Hi.\n§end", "respond Hi. · end"),  # text before any marker
        ("§respond: a\n§respond: b", "respond a · respond b"),  # two answers
        ("a\n§respond: b", "respond a · respond b"),  # text, then an answer
        ("§think: a\n§think: b\n", "think a · think b → think"),  # two thinks
        ("§think:\n§respond: b", "respond b"),  # an empty think
        ("§respond:\n§end", "end → ended"),  # an empty answer
        ("§respond: a\n\n  b \n", "respond a\n\n  b"),  # lines within
        ("§respond:\xa0\x1f\n", "respond \xa0\x1f"),  # only four are white space
        ("a\n§think: b ", "respond a · think b → think"),  # a think never ended
        ("a\n§thin", "respond a\n§thin → prose"),  # half a marker at the end
        ("§think: a\n§en", "think a\n§en → think"),  # half a marker in a think
        ("§end\n§think: a", "end → +10"),  # after the end
        ("§respond: Done.", "respond Done. → prose"),  # an answer without end
        ("§think: I could\n" + CALL_A + "§execute", "think I could · call · execute → paused"),  # a call ends a think
        ("§respond: \ufeff\x00😀", "respond \ufeff\x00😀"),  # a rare character
    ],
    "a turn that starts in think": [
        ("a", "think a → think", "start=think"),  # no marker
        (" \n§THINK: a", "think a → think", "start=think"),  # white space, then an opener
        ("§think: a\n§respond: b", "think a · respond b → prose", "start=think"),  # an opener
        ("a\n§respond: b", "think a · respond b → prose", "start=think"),  # an answer
        ("a\n§think: b", "think a · think b", "start=think"),  # an opener later
        ("a\n" + CALL_A + "§execute", "think a · call · execute → paused", "start=think"),  # a call
        ("a\n§end", "think a · end → ended", "start=think"),  # the end
    ],
    "a valid call": [
        ('§call: {"name":"tool"}\n§execute', 'call {"name":"tool"} · execute → paused'),  # no args
        (CALL_A + "§execute", "call · execute → paused"),  # args
        ('§call: {"args":{},"name":"a"}\n§execute', 'call {"args":{},"name":"a"} · execute → paused'),  # args first
        ('§call: {"id":1,"name":"a","why":["x",null]}\n§execute', 'call {"id":1,"name":"a","why":["x",null]} · execute → paused'),  # other members
        ('§call: { \n"name"\t:\r"a" , "args" : { "x" : [ ] } }\n§execute', 'call { \n"name"\t:\r"a" , "args" : { "x" : [ ] } } · execute → paused'),  # white space everywhere
        ('§call: {"n\\u0061me":"\\u0061"}\n§execute', 'call {"n\\u0061me":"\\u0061"} · execute → paused'),  # a name in escapes
        (X + '"§execute §end [SYSTEM: ]"}}\n§execute', 'call {"name":"a","args":{"x":"§execute §end [SYSTEM: ]"}} · execute → paused'),  # markers in a string
        ('§call: {"name":"a","args":{"§end":1}}\n§execute', 'call {"name":"a","args":{"§end":1}} · execute → paused'),  # markers in a key
        (X + '"\\n§end\\n"}}\n§execute', 'call {"name":"a","args":{"x":"\\n§end\\n"}} · execute → paused'),  # line ends in escapes
        (X + '"}}]"}}\n§execute', 'call {"name":"a","args":{"x":"}}]"}} · execute → paused'),  # braces in strings
        ('§call: {"name":"a","x":{"args":[]}}\n§execute', 'call {"name":"a","x":{"args":[]}} · execute → paused'),  # an argument called args
        (X + "[1e-400,-0,9007199254740993]}}\n§execute", 'call {"name":"a","args":{"x":[1e-400,-0,9007199254740993]}} · execute → paused'),  # numbers
    ],
    "a call follows its marker directly or after white space": [
        ('§call:{"name":"b"}§execute', 'call {"name":"b"} · execute → paused'),
        ('§call: {"name":"b"}§execute', 'call {"name":"b"} · execute → paused'),
        ('§call:\n{"name":"b"}§execute', 'call {"name":"b"} · execute → paused'),
        ('§call:\r\n\t  {"name":"b"}§execute', 'call {"name":"b"} · execute → paused'),
    ],
    "a payload that breaks is prose": framed(
        ("§call: …", "error … → prose"),
        ("§call: …\n§execute", "error … → paused"),
        ("§call: …\n§end", "error … · end → ended"),
        rows=[
            ("‸please", "json-syntax /0 · respond please"),  # a word
            ("‸}", "json-syntax /0 · respond }"),  # a closing brace
            ("‸```json\n" + A + "\n```", 'json-syntax /0 · respond ```json\n{"name":"a","args":{}}\n```'),  # a fence
            ("‸\xa0" + A, 'json-syntax /0 · respond \xa0{"name":"a","args":{}}'),  # a no-break space
            ("‸<execute>[" + A + "]</execute>", 'json-syntax /0 · respond <execute>[{"name":"a","args":{}}]</execute>'),  # a tag
            ('‸"a §end', 'not-object /0 · respond "a §end'),  # a string
            ("‸[" + A + "]", 'not-object /0 · respond [{"name":"a","args":{}}]'),  # an array
            ("‸1", "not-object /0 · respond 1"),  # a number
            ("‸-", "not-object /0 · respond -"),  # a minus
            ("‸null", "not-object /0 · respond null"),  # null
            ("‸the tool", "not-object /0 · respond the tool"),  # a word that begins like a value
            ("{‸name: x}", "json-syntax /0 · respond {name: x}"),  # no quotes
            ("{‸'name'", "json-syntax /0 · respond {'name'"),  # single quotes
            ("{‸}", "missing-name /0 · respond {}"),  # an empty object
            ('{"args":{}‸}', 'missing-name /0 · respond {"args":{}}'),  # args alone
            ('{"nme":"x"‸}', 'missing-name /0 · respond {"nme":"x"}'),  # a misspelled name
            ('{"name":‸1}', 'bad-name /0/name · respond {"name":1}'),  # a number as name
            ('{"name":"‸"}', 'bad-name /0/name · respond {"name":""}'),  # an empty name
            ('{"name":"execute‸"}', 'bad-name /0/name · respond {"name":"execute"}'),  # the reserved name
            ('{"name":"a","args":‸[]}', 'bad-args /0/args · respond {"name":"a","args":[]}'),  # an array as args
            ('{"name":"a","args":‸null}', 'bad-args /0/args · respond {"name":"a","args":null}'),  # null as args
            ('{"name":"a","name‸":"b"}', 'duplicate-key /0/name · respond {"name":"a","name":"b"}'),  # a name twice
            ('{"name":"a","args":{"x":1,"x‸":2}}', 'duplicate-key /0/args/x · respond {"name":"a","args":{"x":1,"x":2}}'),  # a key twice
            ('{"name":"a","args":{"x":1,‸}}', 'json-syntax /0/args · respond {"name":"a","args":{"x":1,}}'),  # a trailing comma
            ('{"name":"a","args":{"x":tru‸!}}', 'json-syntax /0/args/x · respond {"name":"a","args":{"x":tru!}}'),  # a wrong literal
            ('{"name":"a","args":{"x":0‸1}}', 'json-syntax /0/args/x · respond {"name":"a","args":{"x":01}}'),  # a leading zero
            ('{"name":"a","args":{"x":1e999‸}}', 'number-range /0/args/x · respond {"name":"a","args":{"x":1e999}}'),  # a number out of range
            ('{"name":"a","args":{"x":"\\ud83d‸"}}', 'lone-surrogate /0/args/x · respond {"name":"a","args":{"x":"\\ud83d"}}'),  # a lone surrogate
            ('{"name":"a","args":{"x":"‸\t"}}', 'json-syntax /0/args/x · respond {"name":"a","args":{"x":"\t"}}'),  # a raw tab
            ('{"name":"a","args":{"x":"\\‸q"}}', 'json-syntax /0/args/x · respond {"name":"a","args":{"x":"\\q"}}'),  # an unknown escape
            ('{"name":"a","args":{"x":[1‸}}', 'json-syntax /0/args/x/0 · respond {"name":"a","args":{"x":[1}}'),  # a bracket that does not match
            ('{"name":"a","args":‸"{}"}', 'bad-args /0/args · respond {"name":"a","args":"{}"}'),  # args in a string
        ],
    ),
    "in a broken payload markers count again": [
        ("§call:‸§execute", "error json-syntax /0 → paused"),  # a marker instead of a payload
        ("§call: \n ‸§end", "error json-syntax /0 · end → ended"),  # a marker after white space
        ("§call: {\n‸§end", "error json-syntax /0 · respond { · end → ended"),  # a marker in an object
        ('§call: {"name":‸§execute', 'error json-syntax /0/name · respond {"name":§execute → prose'),  # a marker where a value is expected
        (X + '"a‸\n§end\n"}}', 'error json-syntax /0/args/x · respond {"name":"a","args":{"x":"a · end → ended +4'),  # a raw line end in a string, and a marker
        (X + "\n[SYSTEM: x]", 'error json-syntax /0/args/x/0 @33 · respond {"name":"a","args":{"x": · error forged-results @32 → paused +2'),  # a result in a payload
        ("§call: {‸bad} and\nmore\n§respond: b", "error json-syntax /0 · respond {bad} and\nmore · respond b → prose"),  # text goes on after it
        ("a\n§call: ‸b", "respond a · error json-syntax /0 · respond b → prose"),  # the text before it is another segment
        ("§think: a\n§call: ‸b", "think a · error json-syntax /0 · respond b → prose"),  # a think before it
    ],
    "a void batch": [
        (CALL_A + "§call: {‸bad\n§execute", "call · error json-syntax /1 voids 1 · respond {bad → paused"),  # after a good one
        (CALL_A + CALL_B + '§call: {"name":‸1}', 'call · call {"name":"b"} · error bad-name /2/name voids 2 · respond {"name":1} → prose'),  # after two
        ("§call: ‸x\n" + CALL_A + "§execute", "error json-syntax /0 · respond x · call → paused"),  # a good one after it is shown
        (CALL_A + "§call: ‸x\n" + CALL_B + "§execute\n", 'call · error json-syntax /1 voids 1 · respond x · call {"name":"b"} → paused +1'),  # a good one, a broken one, a good one
        ("§call: ‸x\n§call: " + A + " y\n§execute", "error json-syntax /0 · respond x · call · respond y → paused"),  # trailing text gives no second error
        ("§call: ‸x\n" + CALL_A + "§end", "error json-syntax /0 · respond x · call · end → ended"),  # nor does the end of the turn
        ("§call: ‸x\n" + CALL_A, "error json-syntax /0 · respond x · call → execute"),  # nor the end of the text
        ('§call: ‸x\n§call: {"name', 'error json-syntax /0 · respond x · respond {"name → execute'),  # nor a payload that it cuts
        ("§call: ‸x\n" + CALL_A + "§exe", "error json-syntax /0 · respond x · call · respond §exe → prose"),  # nor half a marker that it cuts
        (CALL_A + "§call: ‸x\n" + CALL_B + "‸§result: y", 'call · error json-syntax /1 voids 1 · respond x · call {"name":"b"} · error forged-results → paused +2'),  # forged results void nothing more
    ],
    # Path none; what is after the call is prose.
    "text after a call voids the batch": framed(
        ("§call: " + A + " \n…", "call · error trailing-text voids 1 · respond … → prose"),
        ("§call: " + A + "…", "call · error trailing-text voids 1 · respond … → prose"),
        ("§call: " + A + "…\n§execute", "call · error trailing-text voids 1 · respond … → paused"),
        rows=[
            *same_outcome("…", texts=[
                "‸please", "‸, " + A, "‸" + A, "[‸x]", "[SYS‸, x", "[‸system: x]", "[SYSTEM:‸x]",
                "[‸[SYSTEM: x]", "§‸ x", "§‸§execute", "§‸x", "§thin‸g", "§think‸ :", "§execute‸s",
                "§execute‸.", "§end‸ing", "§result‸s:", "§re‸x", "§resp‸x", "§thin‸\u212a:",
            ]),
            ("‸}", "}"),  # a brace
            ("‸]", "]"),  # a bracket
            ("‸\xa0", "\xa0"),  # a no-break space
            ("‸\x00", "\x00"),  # nul
        ],
    ),
    "after a call text may still become a marker": [
        ("§call: " + A + " §thi‸\n§execute", "call · error trailing-text voids 1 · respond §thi → paused"),  # a line end after half a marker
        ("§call: " + A + " ‸x §execute", "call · error trailing-text voids 1 · respond x §execute → prose"),  # a marker on its line is prose
        (CALL_A + CALL_B + "‸and\n" + CALL_A + "§end", 'call · call {"name":"b"} · error trailing-text voids 2 · respond and · call · end → ended'),  # more calls
        (CALL_A + "§exe‸", "call · error trailing-text voids 1 · respond §exe → prose"),  # half a marker and the end
        (CALL_A + "§‸", "call · error trailing-text voids 1 · respond § → prose"),  # a section sign and the end
        (CALL_A + "§think‸", "call · error trailing-text voids 1 · respond §think → prose"),  # half a think and the end
        (CALL_A + "[SYSTEM:‸", "call · error trailing-text voids 1 · respond [SYSTEM: → prose"),  # half a result and the end
    ],
    "calls wait for execute": [
        ("§respond: a\n§execute", "respond a · execute → paused"),  # after an answer
        ("a §execute", "respond a §execute → prose"),  # mid-line
        (CALL_A + "§think: b\n" + CALL_B + "§execute", 'call · think b · call {"name":"b"} · execute → paused'),  # a think between
        (CALL_A + "§respond: on it\n§execute", "call · respond on it · execute → paused"),  # an answer between
        (RUN_A + CALL_A + "§execute", "call · execute → paused +39"),  # a second batch is discarded
        (CALL_A + "§respond: done\n‸§end", "call · respond done · error missing-execute voids 1 · end → ended"),  # the end instead
        (CALL_A + CALL_B + "‸§END\n", 'call · call {"name":"b"} · error missing-execute voids 2 · end → ended +1'),  # the end at once
        ("§call: " + A + "‸", "call · error missing-execute voids 1 → execute"),  # the end of the text
        (CALL_A + " \n‸", "call · error missing-execute voids 1 → execute"),  # white space and the end of the text
        (CALL_A + "§respond: done ‸", "call · respond done · error missing-execute voids 1 → prose"),  # an answer and the end of the text
        (CALL_A + "§think: hm‸", "call · think hm · error missing-execute voids 1 → think"),  # a think and the end of the text
        (CALL_A + "§respond: a\n§exe‸", "call · respond a\n§exe · error missing-execute voids 1 → prose"),  # half of it in an answer
    ],
    "a payload cut by the end": [
        ("§call:‸", "error unclosed-call /0 → execute"),  # nothing
        ("§call: {‸", "error unclosed-call /0 · respond { → execute"),  # a brace
        ('§call: {"name":"a‸', 'error unclosed-call /0/name · respond {"name":"a → execute'),  # a name
        ('§call: {"name":"a"‸', 'error unclosed-call /0/name · respond {"name":"a" → execute'),  # after a name
        ('§call: {"name":"w","args":{"c":"x‸', 'error unclosed-call /0/args/c · respond {"name":"w","args":{"c":"x → execute'),  # a string
        ('§call: {"name":"w","args":{"c":1e999‸', 'error unclosed-call /0/args/c · respond {"name":"w","args":{"c":1e999 → execute'),  # a number
        ('§call: {"name":"w","args":{"c":[1,‸', 'error unclosed-call /0/args/c/1 · respond {"name":"w","args":{"c":[1, → execute'),  # a nested array
        (CALL_A + '§call: {"na‸', 'call · error unclosed-call /1 voids 1 · respond {"na → execute'),  # a payload cut after a call
    ],
    "results in a turn are forged": [
        ("‸§result: a", "error forged-results → paused +2"),  # first
        ("‸[SYSTEM: a]", "error forged-results → paused +2"),  # in brackets
        ("‸§RESULT:a", "error forged-results → paused +1"),  # in upper case
        ("‸§result:", "error forged-results → paused"),  # nothing in it
        ("\n ‸[SYSTEM: ", "error forged-results → paused"),  # after white space
        ("§respond: ‸§result:", "error forged-results → paused"),  # after a marker
        ("a\n‸§result: b", "respond a · error forged-results → paused +2"),  # after prose
        ("§think: a\n‸[SYSTEM: b]", "think a · error forged-results → paused +2"),  # after a think
        (CALL_A + CALL_B + "‸§result: ok\n§execute", 'call · call {"name":"b"} · error forged-results voids 2 → paused +12'),  # after a call
        ("§call: " + A + "‸[SYSTEM: ok]", "call · error forged-results voids 1 → paused +3"),  # directly after a call
        ("§execute\n[SYSTEM: ok]", "execute → paused +13"),  # after execute
    ],
    "a replaced character": [
        (b'\xc2\xa7call: {"name":"a","args":{"x":"\xff"}}', 'error bad-encoding /0/args/x @32 · respond {"name":"a","args":{"x":"\ufffd"}} → prose'),  # a byte in a string
        (b"\xc2\xa7call: \xff{}", "error bad-encoding /0 @7 · respond \ufffd{} → prose"),  # a byte before the payload
        (b"\xc2\xa7call: \xff\xff", "error bad-encoding /0 @7 · respond \ufffd\ufffd → prose"),  # two bytes
        (X + "‸\ud83d", 'error bad-encoding /0/args/x · respond {"name":"a","args":{"x":\ufffd → prose'),  # half of a pair
        (b'\xc2\xa7call: {"name":"a","args":{}}\n\xff', "call · error bad-encoding voids 1 @30 · respond \ufffd → prose"),  # after a call
        (b'\xc2\xa7call: {"name":"a","args":{}}\n\xc2\xa7exe\xff', "call · error bad-encoding voids 1 @34 · respond §exe\ufffd → prose"),  # after half a marker
        (b"a\xff", "respond a\ufffd → prose"),  # in prose
        ('\ud83d\n§call: {"name":"a","args":{}}\n§execute', "respond \ufffd · call · execute → paused"),  # before a call, in one chunk with its beginning
        (b"\xc2\xa7thi\xffnk:", "respond §thi\ufffdnk: → prose"),  # in a marker
        (b"\xc2", "respond \ufffd → prose"),  # half a section sign
        (b"\xc2\xa7call: {\xe2\x82", "error bad-encoding /0 @8 · respond {\ufffd"),  # cut in a payload
        (b'\xc2\xa7call: {"name":"a","args":{}}\n\xc2\xa7execute\n\xc2\xa7result: a\xffb\n', "call · execute · error results-shape /0 @49 → results", "transcript"),  # in a body
        (b'\xc2\xa7call: {"name":"a","args":{}}\n\xc2\xa7call: {"name":"b"}\n\xc2\xa7execute\n[SYSTEM: a]\n[SYSTEM: \xff]\n[SYSTEM: x]\nb', 'call · call {"name":"b"} · execute · error results-shape /1 @80 · respond b → prose', "transcript"),  # in a second body
        (b'\xc2\xa7call: {"name":"a","args":{}}\n\xc2\xa7execute\n[SYSTEM: a]\n\xff', 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a"}\n] · respond \ufffd → prose', "transcript"),  # after a body
    ],
    "limits": [
        (CALL_A + "§execute", "call · execute", "calls=1"),  # as many calls
        (CALL_A + '§call: ‸{"name":"b"}', 'call · error limit-calls /1 voids 1 · respond {"name":"b"}', "calls=1"),  # one call more
        ("§call: ‸x\n" + CALL_A + CALL_B + "§execute", 'error json-syntax /0 · respond x · call · call {"name":"b"}', "calls=1"),  # no more than one at a time when they are void
        (CALL_B + "§execute", 'call {"name":"b"} · execute', "depth=2"),  # a call is level 2
        ("§call: ‸{", "error limit-depth /0 · respond {", "depth=1"),  # a call too deep
        (CALL_A + "§execute", "call · execute", "depth=3"),  # args are level 3
        ('§call: {"name":"a","args":‸{}}', 'error limit-depth /0/args · respond {"name":"a","args":{}}', "depth=2"),  # args too deep
        ('§call: {"name":"a","x":12}§execute', 'call {"name":"a","x":12} · execute', "digits=2"),  # digits as allowed
        ('§call: {"name":"a","x":1‸2}', 'error limit-digits /0/x · respond {"name":"a","x":12}', "digits=1"),  # a digit too many
        ('§call: {"name":"b"}§execute', 'call {"name":"b"} · execute', "size=13"),  # a size as allowed
        ('§call: {"name":"b"‸}', 'error limit-size /0/name · respond {"name":"b"}', "size=12"),  # a size one over
        ("§call:  ‸  {", "error limit-size /0 · respond {", "size=2"),  # white space counts
        ('§call:{"name":"b"}\n§call:{"name":"b"‸}', 'call {"name":"b"} · error limit-size /1/name voids 1 · respond {"name":"b"}', "size=23"),  # the sizes of a batch add up
        ('§call:{"name":"b"} \n\n §think: t\n§call:{"name":"b"}§execute', 'call {"name":"b"} · think t · call {"name":"b"} · execute', "size=24"),  # and what is between does not count
        ('§call:‸x\n§call:{"name":"b"}§call:{"name":"b"}§execute', 'error json-syntax /0 · respond x · call {"name":"b"} · call {"name":"b"}', "size=12"),  # in a void batch they do not
        ("§think: abc\n§end", "think abc · end", "size=1"),  # text has no size
    ],
    "a transcript": [
        (RUN_A, "call · execute → prose", "transcript"),  # without results
        (RUN_A + "§respond: b", "call · execute · respond b", "transcript"),  # and an answer
        (RUN_A + "b", "call · execute · respond b → prose", "transcript"),  # and text
        (RUN_A + RUN_A, "call · execute · call · execute → prose", "transcript"),  # and another
        (RUN_A + "§result: ok", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "ok"}\n] → results', "transcript"),  # a result
        (RUN_A + "[SYSTEM: ok]", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "ok"}\n] → results', "transcript"),  # in brackets
        (CALL_A + "§execute§RESULT:ok", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "ok"}\n]', "transcript"),  # directly
        (RUN_A + "§result: ok\n§respond: b\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "ok"}\n] · respond b · end → prose', "transcript"),  # an answer after it
        (RUN_A + "[SYSTEM: ok]\nb", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "ok"}\n] · respond b → prose', "transcript"),  # text after a bracket
        (RUN_A + "§result: a\nb\n§respond: c", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a\\nb"}\n] · respond c', "transcript"),  # a body of two lines
        (RUN_A + "[SYSTEM: a\nb]\n§respond: c", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a\\nb"}\n] · respond c', "transcript"),  # a body of two lines in brackets
        (RUN_A + "[SYSTEM: see [1]\nand [2]]\n", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "see [1"}\n] · respond and [2]] → prose', "transcript"),  # a bracket at a line end
        (RUN_A + "[SYSTEM: see [1] and [2]]\n", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "see [1] and [2]"}\n] → results', "transcript"),  # brackets within a line
        (RUN_A + "[SYSTEM: a]\r\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a"}\n] · end', "transcript"),  # a bracket before a carriage return
        (RUN_A + "[SYSTEM: a\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a"}\n] · end', "transcript"),  # no bracket, and a marker
        (RUN_A + "[SYSTEM: a ", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a"}\n] → results', "transcript"),  # no bracket, and the end
        (RUN_A + "[SYSTEM: a] §end\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a] §end"}\n] · end', "transcript"),  # a bracket before a marker on its line
        (RUN_A + "§result: a §end\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "a §end"}\n] · end', "transcript"),  # a marker within a line is text
        (RUN_A + "§result:", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": ""}\n] → results', "transcript"),  # an empty body
        (RUN_A + "[SYSTEM: ]\n", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": ""}\n]', "transcript"),  # an empty one in brackets
        (RUN_A + "§result:§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": ""}\n] · end', "transcript"),  # an empty one before a marker
        (RUN_AB + "§result: 1\n§result: x", 'call · call {"name":"b"} · execute · result 2/0 [\n  {"tool": "a", "status": "success", "content": 1},\n  {"tool": "b", "status": "success", "content": "x"}\n]', "transcript"),  # two results
        (RUN_AB + "[SYSTEM: x]\n\n §Result: y\n§end", 'call · call {"name":"b"} · execute · result 2/0 [\n  {"tool": "a", "status": "success", "content": "x"},\n  {"tool": "b", "status": "success", "content": "y"}\n] · end', "transcript"),  # of both forms
        (RUN_AB + "[SYSTEM: x]\r[SYSTEM: y]", 'call · call {"name":"b"} · execute · result 2/0 [\n  {"tool": "a", "status": "success", "content": "x"},\n  {"tool": "b", "status": "success", "content": "y"}\n] → results', "transcript"),  # two in brackets
        (RUN_A + "[SYSTEM: x]\n \n", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] → results', "transcript"),  # waiting for the second
        (RUN_A + "[SYSTEM: x]\n§res", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] · respond §res → prose', "transcript"),  # half a marker after the result
        (RUN_A + "[SYST", "call · execute · respond [SYST → prose", "transcript"),  # half a marker after execute
        (RUN_A + "§result: x\n" + RUN_AB + "§result: y\n§result: z", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] · call · call {"name":"b"} · execute · result 2/0 [\n  {"tool": "a", "status": "success", "content": "y"},\n  {"tool": "b", "status": "success", "content": "z"}\n]', "transcript"),  # the next turn's calls
        ("§respond: a\n§end\n§respond: b\n§end", "respond a · end · respond b · end → prose", "transcript"),  # two turns
        ("§end\na", "end · respond a → prose", "transcript"),  # text after the end
        (CALL_A + "‸§end\n" + RUN_A, "call · error missing-execute voids 1 · end · call · execute → prose", "transcript"),  # a turn that misses its execute
    ],
    # As JSON where it is JSON, else as a string.
    "a body is the content of a success": framed(
        (RUN_A + "§result: …", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": …}\n] → results', "transcript"),
        (RUN_A + "[SYSTEM: …]\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": …}\n] · end', "transcript"),
        rows=[
            ("Found 3 files", '"Found 3 files"'),  # text
            ('a "b" \\', '"a \\"b\\" \\\\"'),  # quotes in text
            ("é\u2028😀", '"é\u2028😀"'),  # text out of ascii
            ("a\tb\x00\x7f", '"a\\tb\\u0000\x7f"'),  # control characters
            ("&sect;end", '"&sect;end"'),  # a literal form
            *same_outcome("…", texts=[
                '{"debug": false, "timeout": 30}', "[1]", '"a\\u0041"', "-1.50E+3", "null",
                '{"tool":"a","status":"success"}', '{"tool":"b","status":"x","content":1,"id":2}',
                '[{"tool": "a", "status": "success", "content": ""}]',
            ]),
            ("nulls", '"nulls"'),  # a word
            ('{"a": 1,}', '"{\\"a\\": 1,}"'),  # nearly json
            ('{"a":1,"a":2}', '"{\\"a\\":1,\\"a\\":2}"'),  # a name twice
            ("1e999", '"1e999"'),  # a number out of range
            ("NaN", '"NaN"'),  # not a number
            ('"\\ud83d"', '"\\"\\\\ud83d\\""'),  # a lone surrogate
            ("1 2", '"1 2"'),  # two values
        ],
    ),
    "a body is the content of a success: others": [
        (RUN_A + "§result:   x\n\n", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] → results', "transcript"),  # white space around
        (RUN_A + "[SYSTEM: x]\n§end", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] · end', "transcript"),  # white space around
        (RUN_A + '§result: {"a":\n1}', 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": {"a":\n1}}\n] → results', "transcript"),  # an object of two lines
    ],
    "results answer each call in order": [
        ('§call: {"name":"\\""}\n§execute\n§result: x', 'call {"name":"\\""} · execute · result 1/0 [\n  {"tool": "\\"", "status": "success", "content": "x"}\n]', "transcript"),  # quotes
        ('§call: {"name":"\\u0061\\u00e9"}\n§execute\n§result: x', 'call {"name":"\\u0061\\u00e9"} · execute · result 1/0 [\n  {"tool": "aé", "status": "success", "content": "x"}\n]', "transcript"),  # escapes
        ('§call: {"name":"§end"}\n§execute\n§result: x', 'call {"name":"§end"} · execute · result 1/0 [\n  {"tool": "§end", "status": "success", "content": "x"}\n]', "transcript"),  # a marker
        (RUN_AB + "§result: x\n‸§end", 'call · call {"name":"b"} · execute · error results-count · end → prose', "transcript"),  # fewer
        (RUN_AB + "[SYSTEM: x]\n‸b", 'call · call {"name":"b"} · execute · error results-count · respond b → prose', "transcript"),  # fewer, and text
        (RUN_AB + "§result: x ‸", 'call · call {"name":"b"} · execute · error results-count → results', "transcript"),  # fewer, and the end
        (RUN_AB + "[SYSTEM: x]\n‸", 'call · call {"name":"b"} · execute · error results-count → results', "transcript"),  # fewer, and white space
        (RUN_A + "§result: x\n‸§result: y\n[SYSTEM: z]\n§end", "call · execute · error results-count · end → prose", "transcript"),  # more
        (RUN_A + "[SYSTEM: x]\n‸[SYSTEM: y]\n", "call · execute · error results-count → results", "transcript"),  # more, and the end
        (RUN_AB + '§result: {"tool":"b","status":"success","content":1‸}\n§result: 1\n§end', 'call · call {"name":"b"} · execute · error results-order /0 · end → prose', "transcript"),  # the first of two is wrong
        (RUN_AB + '§result: 1\n[SYSTEM: {"tool":"a","status":"success","content":1‸}]\n', 'call · call {"name":"b"} · execute · error results-order /1 → results', "transcript"),  # the second is wrong
        (RUN_A + "[SYSTEM: x]\n‸[SYSTEM: y]\n" + RUN_A + "[SYSTEM: z]", 'call · execute · error results-count · call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "z"}\n] → results', "transcript"),  # the next batch is answered again
    ],
    # It is in the result as it is.
    "a body may be a whole item": framed(
        (RUN_A + "§result: …\n", "call · execute · result …", "transcript"),
        (RUN_A + "[SYSTEM: …]", "call · execute · result …", "transcript"),
        rows=[
            ('{"tool": "a", "status": "success", "content": "x"}', '1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n]'),  # a success
            ('{"tool": "a", "status": "failure", "content": "no"}', '0/1 [\n  {"tool": "a", "status": "failure", "content": "no"}\n]'),  # a failure
            ('{ "tool" : "a","status":"success",\n"content":[1]}', '1/0 [\n  { "tool" : "a","status":"success",\n"content":[1]}\n]'),  # other white space
            ('{"content":"no","status":"failure","tool":"a"}', '0/1 [\n  {"content":"no","status":"failure","tool":"a"}\n]'),  # another order
            ('{"t\\u006fol":"\\u0061","status":"success","content":null}', '1/0 [\n  {"t\\u006fol":"\\u0061","status":"success","content":null}\n]'),  # members in escapes
            ('{"tool":"a","status":"failure","content":"\\n§end"}', '0/1 [\n  {"tool":"a","status":"failure","content":"\\n§end"}\n]'),  # a marker in a string
        ],
    ),
    # The error is seen when the body is over, and is at its last character.
    "an item that breaks a rule": framed(
        (RUN_A + "§result: … \n§end", "call · execute · error … /0 · end → prose", "transcript"),
        (RUN_A + "[SYSTEM: …]", "call · execute · error … /0 → results", "transcript"),
        (RUN_A + "§result: … \n", "call · execute · error … /0 → results", "transcript"),
        (RUN_A + "[SYSTEM: …]\nb", "call · execute · error … /0 · respond b → prose", "transcript"),
        (RUN_A + "[SYSTEM: …]\n[SYSTEM: x]\n§result: y\n§respond: b", "call · execute · error … /0 · respond b → prose", "transcript"),
        rows=[
            ('{"tool":"b","status":"success","content":1‸}', "results-order"),  # another tool
            ('{"tool":"execute","status":"failure","content":""‸}', "results-order"),  # the reserved tool
            ('{"tool":1,"status":"success","content":1‸}', "results-shape"),  # a number as tool
            ('{"tool":"a","status":"ok","content":1‸}', "results-shape"),  # an unknown status
            ('{"tool":"a","status":true,"content":1‸}', "results-shape"),  # true as status
            ('{"tool":"a","status":"failure","content":1‸}', "results-shape"),  # a failure without words
        ],
    ),
    "a batch without calls is answered by an empty array": [
        ("§execute\n§result: []", "execute · result 0/0 [] → results", "transcript"),  # an array
        ("§execute\n[SYSTEM: []]\n", "execute · result 0/0 []", "transcript"),  # an array in brackets
        ("§execute\n§result: [ \n]\n§end", "execute · result 0/0 [] · end", "transcript"),  # a spread array
        ("§execute\n§end", "execute · end → prose", "transcript"),  # nothing
        ("§execute\n§result‸:", "execute · error results-count", "transcript"),  # an empty body
        ('§execute\n[SYSTEM: {"tool": "a", "status": "success", "content": ""‸}]', "execute · error results-count", "transcript"),  # an item
    ],
    "a void batch in a transcript": [
        ('§call: ‸x\n§execute\n§result: {"tool": "execute", "status": "failure", "content": "no"}\n§respond: y', 'error json-syntax /0 · respond x · result 0/1/0 [\n  {"tool": "execute", "status": "failure", "content": "no"}\n] · respond y → prose', "transcript"),  # answered
        (CALL_A + '‸x\n§execute\n[SYSTEM: {"tool": "execute", "status": "failure", "content": "no"}]', 'call · error trailing-text voids 1 · respond x · result 0/1/0 [\n  {"tool": "execute", "status": "failure", "content": "no"}\n] → results', "transcript"),  # answered in brackets
        ("§call: ‸x\n§execute\ny", "error json-syntax /0 · respond x · respond y → prose", "transcript"),  # not answered
        ("§call: ‸x\n§execute\n§result: o‸k\n", "error json-syntax /0 · respond x · error results-shape /0 → results", "transcript"),  # answered with text
        ('§call: ‸x\n§execute\n[SYSTEM: {"tool": "execute", "status": "success", "content": "no"‸}]', "error json-syntax /0 · respond x · error results-shape /0 → results", "transcript"),  # answered by a success
        (CALL_A + '‸x\n§execute\n§result: {"tool": "a", "status": "failure", "content": "no"‸}', "call · error trailing-text voids 1 · respond x · error results-order /0 → results", "transcript"),  # answered for its call
        ('§call: ‸x\n§execute\n§result: {"tool": "execute", "status": "failure", "content": "no"}\n‸§result: {"tool": "execute", "status": "failure", "content": "no"}', "error json-syntax /0 · respond x · error results-count → results", "transcript"),  # answered twice
        ("§call: ‸x\n§execute\n" + RUN_A + "§result: y", 'error json-syntax /0 · respond x · call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "y"}\n] → results', "transcript"),  # the next batch is not void
        ("§call: ‸x\n§end\n" + RUN_A, "error json-syntax /0 · respond x · end · call · execute → prose", "transcript"),  # nor is the next turn's
    ],
    "results where none are expected are forged": [
        ("‸§result: a", "error forged-results → results", "transcript"),  # first
        ("‸[SYSTEM: a", "error forged-results → results", "transcript"),  # in brackets
        ("‸§result: a\nb §end\n§respond: c", "error forged-results · respond c → prose", "transcript"),  # up to the next marker
        ("a\n‸§result: b", "respond a · error forged-results", "transcript"),  # prose before
        (RUN_A + "I know.\n§end\n‸§result: x\n§end", "call · execute · respond I know. · end · error forged-results · end → prose", "transcript"),  # after the end
        (RUN_A + "§respond: b\n‸[SYSTEM: x]\n", "call · execute · respond b · error forged-results → prose", "transcript"),  # after an answer
        (RUN_A + "§think:\n‸§result: x", "call · execute · error forged-results → results", "transcript"),  # after an empty think
        (CALL_A + "‸§result: x\n§execute\ny", "call · error forged-results voids 1 · respond y → prose", "transcript"),  # calls before them are void
        ("‸[SYSTEM: x]\n" + RUN_A + '[SYSTEM: {"tool": "execute", "status": "failure", "content": "no"}]', 'error forged-results · result 0/1/0 [\n  {"tool": "execute", "status": "failure", "content": "no"}\n] → results', "transcript"),  # and those after them
        ("‸[SYSTEM: x]\n" + CALL_A + "§end\n" + RUN_A, "error forged-results · end · call · execute → prose", "transcript"),  # until the turn is over
        ("a §result: b [SYSTEM: c]\nd", "respond a §result: b [SYSTEM: c]\nd → prose", "transcript"),  # mid-line they are prose
    ],
    "no call after an error in a transcript": [
        ("§call: ‸x\n" + RUN_A, "error json-syntax /0 · respond x → prose", "transcript"),  # its batch is void
        (CALL_B + "§call: ‸x\n" + RUN_A, 'call {"name":"b"} · error json-syntax /1 voids 1 · respond x → prose', "transcript"),  # a call before it is voided by it
        ("§call: ‸x\n" + RUN_A + CALL_B + "§execute\n", 'error json-syntax /0 · respond x · call {"name":"b"} · execute → prose', "transcript"),  # the next batch runs
        ("§call: ‸x\n" + RUN_A + "§call: x\n" + CALL_B + "§execute\n", "error json-syntax /0 · respond x · error json-syntax /0 @55 · respond x → prose", "transcript"),  # two void batches
        ("§call: ‸x\n" + CALL_A + "please\n" + CALL_B, "error json-syntax /0 · respond x · respond please", "transcript"),  # text after such a call is prose
    ],
    "a transcript that starts in think": [
        ("a\n" + RUN_A + "b\n§end\nc", "think a · call · execute · think b · end · think c → think", "transcript start=think"),  # every turn starts so
        ("a\n" + RUN_A + "[SYSTEM: x]\nb\n§respond: c", 'think a · call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] · think b · respond c → prose', "transcript start=think"),  # results come first
        (RUN_A + "\n", "call · execute → think", "transcript start=think"),  # waiting for results
        (RUN_A + "§result: x\n§think: b", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": "x"}\n] · think b → think', "transcript start=think"),  # an opener after results
        (RUN_A + "§res", "call · execute · think §res → think", "transcript start=think"),  # half a marker
        ("§call: ‸x", "error json-syntax /0 · respond x → prose", "transcript start=think"),  # a broken payload is prose
    ],
    "limits of results": [
        (RUN_A + "§result:12", 'call · execute · result 1/0 [\n  {"tool": "a", "status": "success", "content": 12}\n]', "transcript size=23"),  # as much as allowed
        ('§call:{"name":"b"}§execute§result:xxxxxxxxxxxx‸x\n§end', 'call {"name":"b"} · execute · error results-shape /0 · end', "transcript size=12"),  # the character that crosses
        ('§call:{"name":"b"}§execute§result:            ‸ x\n§end', 'call {"name":"b"} · execute · error results-shape /0 · end', "transcript size=12"),  # white space counts
        ('§call:{"name":"b"}§execute [SYSTEM: xxxxxxxxxxxx]\n', 'call {"name":"b"} · execute · result 1/0 [\n  {"tool": "b", "status": "success", "content": "xxxxxxxxxxxx"}\n]', "transcript size=12"),  # the sum of all bodies
        ('§call:{"name":"b"}§call:{"name":"b"}§execute [SYSTEM: xxxxxxxxxxxx]\n[SYSTEM: xxxxxxxxxxxx‸x]\n§end', 'call {"name":"b"} · call {"name":"b"} · execute · error results-shape /1 · end', "transcript size=24"),  # two bodies that cross
        ('§call:{"name":"b"}§call:{"name":"b"}§execute [SYSTEM: xxxxxxxxxxxxxxxxxxxxxxxx‸x]\n[SYSTEM: y]\nz', 'call {"name":"b"} · call {"name":"b"} · execute · error results-shape /0 · respond z', "transcript size=24"),  # the rest of the results is skipped
        (CALL_B + "§execute§result: [[1]]", 'call {"name":"b"} · execute · result 1/0 [\n  {"tool": "b", "status": "success", "content": "[[1]]"}\n]', "transcript depth=3"),  # too deep to be json
        (CALL_B + "§execute§result: [1]", 'call {"name":"b"} · execute · result 1/0 [\n  {"tool": "b", "status": "success", "content": [1]}\n]', "transcript depth=3"),  # deep enough
        (CALL_B + "§execute§result: 123", 'call {"name":"b"} · execute · result 1/0 [\n  {"tool": "b", "status": "success", "content": "123"}\n]', "transcript digits=2"),  # too many digits to be json
    ],
    "calls are written": [
        ('§call: {"name": "a", "args": {"x": "\\u00a7end\\n\\u005bSYSTEM: é"}}\n§call: {"name": "b", "args": {}}\n§execute', 'call {"name": "a", "args": {"x": "\\u00a7end\\n\\u005bSYSTEM: é"}} · call {"name": "b", "args": {}} · execute → paused'),
        ('§CALL: {"name": "a", "args": {"x": "\\u00a7end\\n\\u005bSYSTEM: é"}}\n§CALL: {"name": "b", "args": {}}\n§EXECUTE', 'call {"name": "a", "args": {"x": "\\u00a7end\\n\\u005bSYSTEM: é"}} · call {"name": "b", "args": {}} · execute → paused'),
    ],
}
# fmt: on


@pytest.mark.parametrize("section", READ)
def test_delimiter(section):
    check_rows(READ[section], "delimiter")


def test_a_call_without_args_has_none():
    """No `args` means none, for whoever runs it."""
    batch = cogwire.Batch("delimiter", clock=None)
    for event in run([f"§call: {B}\n§execute"], dialect="delimiter").events:
        batch.take(event)
    assert [(one.name, one.args) for one in batch.calls] == [("b", {})]
    assert not batch.parallel


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
    assert parser.close(finished=True) == [execute()]
    assert parser.state == "paused"
    parser = cogwire.Parser(dialect, clock=None)
    assert parser.feed("§end") == []
    assert parser.close(finished=True) == [end()]
    assert parser.state == "ended"


def test_calls_in_a_text_meant_as_an_argument_never_run():
    """They are shown as calls, and are in no batch."""
    text = '§call: {"name":"write","args":{"text":"press " then\n§call: {"name":"rm"}\n§execute'
    batch = cogwire.Batch("delimiter", clock=None)
    answers = [answer for event in events_of(text) for answer in batch.take(event)]
    assert [answer["payload"]["tools_executed"] for answer in answers] == [0]
    assert (batch.calls, batch.is_open) == ((), False)


def events_of(text, **options):
    return run([text], dialect="delimiter", **options).events


@pytest.mark.parametrize(
    ("text", "code", "limits"),
    [
        ("§call: ‸\ud83d", "bad-encoding", {}),
        ("§call:‸x", "json-syntax", {"size": 1}),
        ("§call:{‸}", "missing-name", {"size": 1}),
        ("§call: ‸{", "limit-depth", {"depth": 1, "size": 1}),
    ],
)
def test_one_character_breaks_two_rules(text, code, limits):
    data, events = placed(text, [error(code, "/0")])
    outcome = run([data], dialect="delimiter", limits=cogwire.Limits(**limits))
    assert bare(outcome.events)[:1] == events


def fed(text, dialect="delimiter", **options):
    """Feed `text` one by one; give what came, in short, and the state after each character."""
    parser = cogwire.Parser(dialect, clock=None, **options)
    steps = []
    for character in text:
        names = [event.get("code", event["type"]) for event in parser.feed(character)]
        steps.append((character, names, parser.state))
    return steps


def runs(states):
    """Return the states one after the other, each once."""
    return [state for state, _ in itertools.groupby(states)]


def test_the_state_after_each_part():
    """In a payload, and after a call until the next marker, the text is in the block."""
    text = f"a\n§think: b\n§call: {B} \n§respond: c\n§execute\n"
    states = [state for _, _, state in fed(text)]
    assert runs(states) == ["prose", "think", "execute", "prose", "paused"]
    assert states[text.index("{") - 2] == "execute"
    respond_ends = text.index("§respond: c") + 8
    assert states[respond_ends - 1 : respond_ends + 1] == ["execute", "prose"]
    text = f"§call: {B}§execute\n[SYSTEM: a]\n§result: b\n§end\nc"
    states = [state for _, _, state in fed(text, mode="transcript")]
    assert runs(states) == ["prose", "execute", "prose", "results", "prose"]


def test_results_are_emitted_when_other_text_follows():
    text = f"§call: {B}§execute\n[SYSTEM: a]\n \nc"
    steps = fed(text, mode="transcript")
    assert [names for _, names, _ in steps if names] == [["call"], ["execute"], ["result"]]
    assert steps[-1][1] == ["result"]
    text = f"§call: {B}§execute\n§result: a\n§en§end\n§end\n"
    steps = fed(text, mode="transcript")
    assert steps[-1][1] == ["result", "end"]


def test_an_error_in_a_payload_is_emitted_at_once():
    steps = fed("§call: {x")
    assert steps[-1][1] == ["json-syntax"]
    assert steps[-1][2] == "prose"
    steps = fed(f"§call: {B} §thing")
    assert steps[-1][1] == ["trailing-text"]


@pytest.mark.parametrize(
    ("pieces", "deltas"),
    [
        (["a §", "x"], [["a §"], ["x"]]),
        (["a\n§", "x"], [["a"], ["\n§x"]]),
        (["a\n §thin", "g"], [["a"], ["\n §thing"]]),
        (["a\n[SYSTEM:", "x"], [["a"], ["\n[SYSTEM:x"]]),
        (["a [SYSTEM: ", "x"], [["a [SYSTEM:"], [" x"]]),
        (["a\n§end", "s"], [["a"], ["\n§ends"]]),
        (["a ", "\n", "b"], [["a"], [], [" \nb"]]),
        ([" §", "§"], [[], ["§§"]]),
    ],
)
def test_text_is_held_back_only_while_it_may_be_a_marker(pieces, deltas):
    parser = cogwire.Parser("delimiter", stream="token", clock=None)
    given = [[event["content"] for event in parser.feed(piece)] for piece in pieces]
    assert given == deltas
