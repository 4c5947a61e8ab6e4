"""What `xml-json` gives for single texts that are not cases of the corpus: markers, blocks, transcripts."""

import pytest

from tests.core.wire.tables import check_rows, framed, same_outcome

A = '{"name":"a","args":{}}'
BLOCK = f"<execute>[{A}]</execute>"
ITEM = '{"tool":"a","status":"success","content":1}'
FAILED = '{"tool":"a","status":"failure","content":"no"}'
VOID = '{"tool":"execute","status":"failure","content":"no"}'
ANSWERED = f"<results>[{ITEM}]</results>"
#: A block up to the value of the argument `x`.
X = '<execute>[{"name":"a","args":{"x":'

# fmt: off
READ = {
    "only four characters are white space": [
        *same_outcome("respond …", texts=[
            "x\x1f", "x\xa0", "x\u2028", "\x0b\x0cx\x0c\x0b",
        ]),
        ("<think>\xa0x\xa0</think>", "think \xa0x\xa0"),  # in a think
        (" \xa0 ", "respond \xa0"),  # alone
    ],
    "white space around a segment is not content": [
        *same_outcome("respond x → prose", texts=[
            "  x  ", "\tx\t", "\nx\n", "\r\nx\r\n",
        ]),
        ("<think> \t\r\nx \t\r\n</think>", "think x → prose"),  # in a think
        (" x \n\n y ", "respond x \n\n y → prose"),  # inside a segment
    ],
    "rare characters are content": [
        ("\x00", "respond \x00"),  # nul alone
        ("a\ufffd", "respond a\ufffd"),  # a true replacement character
    ],
    "an invalid sequence is one replacement character": [
        (b"\xff\xfe", "respond \ufffd\ufffd"),  # two lone bytes
        (b"a\x80b", "respond a\ufffdb"),  # a lone continuation
        (b"\xc0\xafa", "respond \ufffd\ufffda"),  # an overlong form
        (b"<think>\xff</think>", "think \ufffd"),  # in a think
        (b"<thi\xffnk>", "respond <thi\ufffdnk>"),  # in a marker
        ('\ud83d<execute>[{"name":"a","args":{}}]</execute>', "respond \ufffd · call · execute → paused"),  # before a block, in one chunk with its beginning
    ],
    "surrogate halves join and lone ones are replaced": [
        ("\ud83d\ude00", "respond 😀"),  # a pair of halves
        ("\ude00a", "respond \ufffda"),  # a lone low half
    ],
    "text after a stop is counted in characters": [
        (b"<end>\xf0\x9f", "end → ended +1"),  # a character cut at the end
        (b"<end>\xe2\x82A", "end → ended +2"),  # an invalid sequence
        ("<end> \n", "end → ended +2"),  # white space
        ("<end><think>", "end → ended +7"),  # markers
    ],
    "a replaced character voids its block": [
        (b'<execute>[{"name":"a","args":{"x":"\xff"}}]</execute>', "error bad-encoding /0/args/x @35 → paused"),  # byte in a string
        ("<execute>[‸\ude00]</execute>", "error bad-encoding /0 → paused"),  # lone low half
        ("<execute>[‸\ud83d</execute>", "error bad-encoding /0 → paused"),  # lone half at the closer
        (X + '"‸\ud83d"}}]</execute>', "error bad-encoding /0/args/x → paused"),  # lone half in a string
    ],
    "a rare character in a string is content": [
        (X + '"\ufffd"}}]</execute>', 'call {"name":"a","args":{"x":"\ufffd"}} · execute → paused'),  # a true replacement character
        (X + '"\\ufffd"}}]</execute>', 'call {"name":"a","args":{"x":"\\ufffd"}} · execute → paused'),  # an escaped one
        ('<execute>[{"name":"a","args":{"😀":"😀"}}]</execute>', 'call {"name":"a","args":{"😀":"😀"}} · execute → paused'),  # a character out of the first plane
        (X + '"\ud83d\ude00"}}]</execute>', 'call {"name":"a","args":{"x":"😀"}} · execute → paused'),  # a pair of halves in a block is one character
    ],
    "what is nearly a marker is prose": [
        *same_outcome("respond … → prose", texts=[
            "<THINK>", "<Think>a</Think>", "< think>", "<think >", "<think\n>", "<end />", "<END>",
            "<execute id='1'>[]", "</execute>", "</results>", "</think>Hi", "<thinking>", "<think",
            "<<", "<t", "&lt;execute>",
        ]),
        ("<", "respond < → prose"),
    ],
    "markers are live in prose and closers in their region": [
        ("<think><think>a</think>", "think <think>a"),  # think in think
        ("<think><end></think>", "think <end>"),  # end in think
        ("<think><execute>[]</execute></think>", "think <execute>[]</execute>"),  # block in think
        ("<think><results></results></think>", "think <results></results>"),  # results in think
        ("<think></thinks></think>", "think </thinks>"),  # a nearly closed think
        ("<thi<think>a</think>", "respond <thi · think a"),  # half a marker before it
        ("<think></thi</think>", "think </thi"),  # half a closer before it
        ("a<end>", "respond a · end → ended"),  # end in prose
    ],
    "before the array is nothing but white space": [
        ("<execute>‸" + BLOCK, "error not-array → paused"),  # another opener
        ("<execute>‸```json\n[" + A + "]\n```</execute>", "error not-array → paused"),  # a fence
        ("<execute>‸\x0c[]</execute>", "error not-array → paused"),  # a form feed
    ],
    "after the array is nothing but white space": [
        ("<execute>[]‸]</execute>", "error trailing-text → paused"),  # a second bracket
        ("<execute>[]‸" + A + "</execute>", "error trailing-text → paused"),  # an object
        ("<execute>[" + A + "]‸;</execute>", "call · error trailing-text voids 1 → paused"),  # a semicolon after a call
    ],
    "a valid block": [
        (BLOCK, "call · execute → paused"),  # compact
        ("<execute> \r\n[\t" + A + "\n] \r\n</execute>", "call · execute → paused"),  # spread out
        ("<execute>[" + A + " , " + A + "]</execute>", "call · call · execute → paused"),  # two
        ("Hi.\n\n" + BLOCK, "respond Hi. · call · execute → paused"),  # after prose
        ("<think>t</think>" + BLOCK, "think t · call · execute → paused"),  # after a think
    ],
    "a character that cannot continue the json": [
        *same_outcome("error json-syntax /0/args/x → execute", texts=[
            X + "‸x", X + "tru‸!", X + "fals‸}", X + "nul‸,", X + '"a" ‸"b"',
        ]),
        ("<execute>[‸/* */", "error json-syntax /0 → execute"),  # a comment
        ('<execute>[{"name":"a",‸}', "error json-syntax /0 → execute"),  # no key after a comma
        ("<execute>[{‸1", "error json-syntax /0 → execute"),  # a number as a key
    ],
    "an error after calls says how many it voids": [
        ("<execute>[" + A + "‸" + A + "]</execute>", "call · error json-syntax /0 voids 1 → paused"),  # no comma
        ("<execute>[" + A + ",{‸name]</execute>", "call · error json-syntax /1 voids 1 → paused"),  # a broken second call
    ],
    "the shape of a call": [
        ("<execute>[‸false]", "error not-object /0 → execute"),  # false
        ('<execute>[{"name":"a","args":‸1', "error bad-args /0/args → execute"),  # a number as args
        ('<execute>[{"\\u0061rgs":‸1', "error bad-args /0/args → execute"),  # args spelled with an escape
        ("<execute>[" + A + ",{‸}]</execute>", "call · error missing-name /1 voids 1 → paused"),  # no name
        ("<execute>[" + A + "," + A + ',{"name":‸1}]</execute>', "call · call · error bad-name /2/name voids 2 → paused"),  # a bad name
    ],
    "a valid call": [
        ('<execute>[{"args":{},"name":"a"}]</execute>', 'call {"args":{},"name":"a"} · execute → paused'),  # args before name
        ('<execute>[{"name":"a","args":{"name":1,"args":[{"name":[]}]}}]</execute>', 'call {"name":"a","args":{"name":1,"args":[{"name":[]}]}} · execute → paused'),  # members of the same name in args
        ('<execute>[{"name":"executes","args":{}}]</execute>', 'call {"name":"executes","args":{}} · execute → paused'),  # a longer name
        ('<execute>[{"name":"été","args":{}}]</execute>', 'call {"name":"été","args":{}} · execute → paused'),  # a name out of ascii
        ('<execute>[{"name":"\\u0061","args":{}}]</execute>', 'call {"name":"\\u0061","args":{}} · execute → paused'),  # a name in escapes
        ('<execute>[{ \n"name"\t:\r"a" , "args" : { "x" : [ ] , "y" : { } } }]</execute>', 'call { \n"name"\t:\r"a" , "args" : { "x" : [ ] , "y" : { } } } · execute → paused'),  # white space everywhere
        ('<execute>[{"name":"a","args":{"é":1,"e\u0301":2}}]</execute>', 'call {"name":"a","args":{"é":1,"e\u0301":2}} · execute → paused'),  # keys that differ in normal form
        ('<execute>[{"name":"a","args":{"a":1,"A":2}}]</execute>', 'call {"name":"a","args":{"a":1,"A":2}} · execute → paused'),  # keys that differ in case
        ('<execute>[{"name":"a","args":{"a":{"a":1},"b":[{"a":1},{"a":2}]}}]</execute>', 'call {"name":"a","args":{"a":{"a":1},"b":[{"a":1},{"a":2}]}} · execute → paused'),  # one key in two objects
        ('<execute>[{"name":"a","args":{"":0}}]</execute>', 'call {"name":"a","args":{"":0}} · execute → paused'),  # an empty key
        ('<execute>[{"name":"a","args":{"a\\":1,\\"a":2,"a":3}}]</execute>', 'call {"name":"a","args":{"a\\":1,\\"a":2,"a":3}} · execute → paused'),  # a key that looks like two
        (X + "[true,false,null]}}]</execute>", 'call {"name":"a","args":{"x":[true,false,null]}} · execute → paused'),  # every literal
        (X + '"}]{[","y":"}}]"}}]</execute>', 'call {"name":"a","args":{"x":"}]{[","y":"}}]"}} · execute → paused'),  # brackets in strings
        (X + '"</execute>"}}]</execute>', 'call {"name":"a","args":{"x":"</execute>"}} · execute → paused'),  # the closer in a string
        ('<execute>[{"name":"a","args":{"</execute>":1}}]</execute>', 'call {"name":"a","args":{"</execute>":1}} · execute → paused'),  # the closer in a key
        (X + '"<end><think></results>"}}]</execute>', 'call {"name":"a","args":{"x":"<end><think></results>"}} · execute → paused'),  # the end in a string
        (X + '"\\"</execute>\\""}}]</execute>', 'call {"name":"a","args":{"x":"\\"</execute>\\""}} · execute → paused'),  # an escaped quote before the closer
        (X + '"\\\\","y":"</execute>"}}]</execute>', 'call {"name":"a","args":{"x":"\\\\","y":"</execute>"}} · execute → paused'),  # an escaped backslash at the end
        (X + '"\\"\\\\\\/\\b\\f\\n\\r\\t"}}]</execute>', 'call {"name":"a","args":{"x":"\\"\\\\\\/\\b\\f\\n\\r\\t"}} · execute → paused'),  # every short escape
        ('<execute>[{"name":"a","args":{"\\ud83d\\ude00":0}}]</execute>', 'call {"name":"a","args":{"\\ud83d\\ude00":0}} · execute → paused'),  # an escaped pair in a key
    ],
    "a duplicate member": [
        ('<execute>[{"name":"a","args":{"a":1,"a‸"', "error duplicate-key /0/args/a → execute"),  # of args
        ('<execute>[{"name":"a","args":{"a":1,"\\u0061‸"', "error duplicate-key /0/args/a → execute"),  # escaped
        ('<execute>[{"name":"a","args":{"\\u0061":1,"a‸"', "error duplicate-key /0/args/a → execute"),  # escaped first
        ('<execute>[{"name":"a","name‸"', "error duplicate-key /0/name → execute"),  # name
        ('<execute>[{"name":"a","\\u006eame‸"', "error duplicate-key /0/name → execute"),  # name, escaped
        ('<execute>[{"x":1,"x‸"', "error duplicate-key /0/x → execute"),  # another member
        (X + '{"a/b":1,"a\\/b‸"', "error duplicate-key /0/args/x/a~1b → execute"),  # with a slash
        (X + '{"~1":1,"~1‸"', "error duplicate-key /0/args/x/~01 → execute"),  # with a tilde
        (X + '{"a" :1,"a‸" :2', "error duplicate-key /0/args/x/a → execute"),  # white space before the colon
    ],
    "a block cut by the end": [
        ("<execute> ‸", "error unclosed-execute → execute"),  # white space
        ('<execute>[{"name":"a"‸', "error unclosed-execute /0/name → execute"),  # after a name
        ('<execute>[{"name":"a",‸', "error unclosed-execute /0 → execute"),  # after a comma
        (X + '"rm -rf build‸', "error unclosed-execute /0/args/x → execute"),  # a string
        (X + '"\\‸', "error unclosed-execute /0/args/x → execute"),  # a backslash
        (X + '"\\u00‸', "error unclosed-execute /0/args/x → execute"),  # an escape
        (X + '["npm install","npm test"‸', "error unclosed-execute /0/args/x/1 → execute"),  # a nested array
        (X + '{"y":{"z":1‸', "error unclosed-execute /0/args/x/y/z → execute"),  # a nested object
        ('<execute>[{"name":"a","args":{}‸', "error unclosed-execute /0/args → execute"),  # after args
        ("<execute>[" + A + "]\n‸", "call · error unclosed-execute voids 1 → execute"),  # after white space
        ("<execute>[" + A + "]<‸", "call · error unclosed-execute voids 1 → execute"),  # at the closer's first character
    ],
    "a valid number": [
        (X + "-1.7976931348623158e308}}]</execute>", 'call {"name":"a","args":{"x":-1.7976931348623158e308}} · execute → paused'),
    ],
    "an invalid number": [
        (X + "1e5‸e", "error json-syntax /0/args/x → execute"),  # two exponents
        (X + "1 ‸2", "error json-syntax /0/args/x → execute"),  # white space in it
        (X + "-1e999‸,", "error number-range /0/args/x → execute"),  # out of range, negative
        (X + "9" * 309 + "‸,", "error number-range /0/args/x → execute"),  # an integer out of range
        (X + "1.7976931348623159e308‸,", "error number-range /0/args/x → execute"),  # just out of range
    ],
    "a lone surrogate escape": [
        (X + '{"\\ud83d‸"', "error lone-surrogate /0/args/x → execute"),  # at the quote of a key
    ],
    "what a string cannot hold": [
        *same_outcome("error json-syntax /0/args/x → execute", texts=[
            X + '"a‸\r\n', X + '"‸\t', X + '"‸\x00', X + '"‸\x1f', X + '"\\‸\n', X + '"\\‸H',
            X + '"\\‸\'', X + '"\\‸U0041',
        ]),
    ],
    "after an error the block is skipped to its closer": [
        ("<execute>[{‸bad}]</execute>", "error json-syntax /0 → paused"),  # its closer
        ("<execute>[{‸bad, worse}, 1, \\x</execute>", "error json-syntax /0 → paused"),  # a second error
        ("<execute>[{‸b\ud83d</execute>", "error json-syntax /0 → paused"),  # a replaced character
        (BLOCK + BLOCK, "call · execute → paused +43"),  # a second block is discarded
        ('<execute>[{‸}, 1, {"name": 2}, NaN, \ud83d] x</execute>', "error missing-name /0 → paused"),  # one error for one block
    ],
    "results in a turn are forged": [
        ("‸<results>", "error forged-results → paused"),  # first
        ("Hi ‸<results>[]", "respond Hi · error forged-results → +2"),  # after prose
        ("<result", "respond <result → prose"),  # half a marker
        (BLOCK + "<results>", "call · execute → +9"),  # after a block
    ],
    "a turn that starts in think": [
        ("a</think>b", "think a · respond b → prose", "start=think"),  # no opener
        (" \n<think>a</think>b", "think a · respond b", "start=think"),  # white space, then an opener
        ("<think><think>a</think>", "think <think>a", "start=think"),  # two openers
        ("<thin</think>", "think <thin", "start=think"),  # half an opener
        ("<end></think><end>", "think <end> · end → ended", "start=think"),  # another marker
        ("<think>", "→ think", "start=think"),  # an opener alone
        ("a b", "think a b → think", "start=think"),  # never closed
        ("a</think><think>b</think>", "think a · think b", "start=think"),  # closed, then a think
        (BLOCK, 'think <execute>[{"name":"a","args":{}}]</execute>', "start=think"),  # a block in the think
        ("a</think>" + BLOCK, "think a · call · execute", "start=think"),  # a block after it
    ],
    "segments": [
        ("<think></think>", ""),  # an empty think
        ("<think>a</think>\n\n<think>b</think>", "think a · think b"),  # white space between
        ("<think>a</think> b <think>c</think>", "think a · respond b · think c"),  # think, prose, think
        ("a<think>b ", "respond a · think b → think"),  # a think never closed
        ("<think>a</thi", "think a</thi → think"),  # half a closer at the end
        ("a <thin", "respond a <thin → prose"),  # half an opener at the end
        ("Done.", "respond Done. → prose"),  # no end
        (" <thin", "respond <thin → prose"),  # white space and half an opener
        ("a  <thinner", "respond a  <thinner"),  # white space before half an opener
        ("<end>a", "end → ended +1"),  # after the end
    ],
    "one character breaks two rules": [
        ("<execute>‸\ud83d", "error bad-encoding → execute"),  # an encoding before the grammar
        ("<execute>[‸\ud83d", "error bad-encoding /0 → execute", "size=1"),  # an encoding before the size
        ("<execute>[‸x", "error json-syntax /0 → execute", "size=1"),  # the grammar before the size
        ('<execute>[{"name":"\\ud83d‸"', "error lone-surrogate /0/name → execute"),  # a surrogate before a name
        ('<execute>[{"x":1e999‸}', "error number-range /0/x → execute"),  # a number before a missing name
        ("<execute>[‸{", "error limit-depth /0 → execute", "size=1 depth=1"),  # the depth before the size
        ("<execute>[" + A + ",‸[", "call · error not-object /1 voids 1 → execute", "calls=1"),  # an element's type before the number of calls
    ],
    "a transcript": [
        (BLOCK, "call · execute", "transcript"),  # a block without results
        (BLOCK + " b", "call · execute · respond b", "transcript"),  # prose after a block
        (BLOCK + BLOCK, "call · execute · call · execute", "transcript"),  # a block after a block
        (BLOCK + ANSWERED + "b", "call · execute · result 1/0 [" + ITEM + "] · respond b", "transcript"),  # prose after results
        (BLOCK + "<resul", "call · execute · respond <resul", "transcript"),  # half a results marker
        (BLOCK + "<result>", "call · execute · respond <result>", "transcript"),  # a nearby marker
        ("<think>a", "think a → think", "transcript"),  # think in transcripts
        ("a<execute>‸", "respond a · error unclosed-execute → execute", "transcript"),  # an open block
        (BLOCK + " I already know<end>\n‸" + ANSWERED, "call · execute · respond I already know · end · error forged-results → prose", "transcript"),  # forged after the end
        (BLOCK + "<think>t</think>‸<results>[]</results>", "call · execute · think t · error forged-results", "transcript"),  # a think before them
        (BLOCK + "<think></think>‸" + ANSWERED, "call · execute · error forged-results", "transcript"),  # an empty think
        (BLOCK + ANSWERED + "‸" + ANSWERED, "call · execute · result 1/0 [" + ITEM + "] · error forged-results", "transcript"),  # results twice
        ('a‸<results>["</results>"]</results>', 'respond a · error forged-results · respond "]</results>', "transcript"),  # strings hide nothing in forged results
        ("‸<results><end></results><end>", "error forged-results · end", "transcript"),  # markers in forged results
        (BLOCK + ANSWERED + "<execute>‸x</execute>", "call · execute · result 1/0 [" + ITEM + "] · error not-array", "transcript"),  # two turns with offsets from the start
    ],
    "a void block in a transcript": [
        ("<execute>‸x</execute><results>[" + VOID + "]</results>", "error not-array · result 0/1/0 [" + VOID + "]", "transcript"),  # answered
        ("<execute>‸x</execute> b", "error not-array · respond b", "transcript"),  # not answered
        ("<execute>‸x", "error not-array → execute", "transcript"),  # still open
        ("<execute>[" + A + "‸x]</execute>\n<results>[" + VOID + "]</results>", "call · error json-syntax /0 voids 1 · result 0/1/0 [" + VOID + "]", "transcript"),  # its calls do not count
        ("<execute>[" + A + '‸x]</execute><results>[{"tool":"a‸"', "call · error json-syntax /0 voids 1 · error results-order /0/tool", "transcript"),  # answered for its call
        ('<execute>‸x</execute><results>[{"tool":"execute","status":"success","content":"no"‸}]', "error not-array · error results-shape /0", "transcript"),  # answered by a success
        ("<execute>‸x</execute><results>[" + VOID + ",‸" + VOID + "]", "error not-array · error results-count /1", "transcript"),  # answered twice
        ("<execute>‸x</execute><results>[‸]", "error not-array · error results-count /0", "transcript"),  # answered by nothing
    ],
    "a transcript that starts in think": [
        ("a</think>" + BLOCK + "b</think><end>c", "think a · call · execute · think b · end · think c → think", "transcript start=think"),  # every turn starts so
        ("a</think>" + BLOCK + "\n" + ANSWERED + "\nb</think>c", "think a · call · execute · result 1/0 [" + ITEM + "] · think b · respond c → prose", "transcript start=think"),  # results come first
        ("</think>" + BLOCK + " <think>b", "call · execute · think b", "transcript start=think"),  # an opener after a block
        ("</think>" + BLOCK + "\n", "call · execute → think", "transcript start=think"),  # waiting for results
        ("</think>" + BLOCK + " <res</think>", "call · execute · think <res", "transcript start=think"),  # half a results marker
        ("</think>" + BLOCK + " <thi</think>", "call · execute · think <thi", "transcript start=think"),  # half a think marker
        ("</think><end>" + ANSWERED + "</think>", "end · think " + ANSWERED, "transcript start=think"),  # results in the think
        ("</think>" + BLOCK + ANSWERED + " <think>b", "call · execute · result 1/0 [" + ITEM + "] · think b → think", "transcript start=think"),  # an opener after results
        ("</think><end><think>b", "end · think b → think", "transcript start=think"),  # an opener after the end
        ("</think><execute>‸x</execute> <think>b", "error not-array · think b", "transcript start=think"),  # after a void block
    ],
    # The first error is the only one, and the results are skipped to their closer.
    "results that break a rule": [
        (BLOCK + "<results>‸</results>", "call · execute · error results-shape → prose", "transcript"),  # empty
        *same_outcome("call · execute · error results-shape → results", "transcript", texts=[
            BLOCK + "<results>‸ok", BLOCK + "<results>‸{", BLOCK + "<results>[" + ITEM + "]‸x",
            BLOCK + "<results>[" + ITEM + "]</‸execute>", BLOCK + "<results>‸",
            BLOCK + "<results>[" + ITEM + "]‸", BLOCK + "<results>[" + ITEM + "]</resul‸",
        ]),
        (BLOCK + '<results>[{"tool":"a","status":"success","content":‸data}]', "call · execute · error results-shape /0/content → results", "transcript"),  # a placeholder
        (BLOCK + '<results>[{"content":1e999‸,', "call · execute · error results-shape /0/content → results", "transcript"),  # a number out of range
        (BLOCK + '<results>[{"content":"\\udc0‸0', "call · execute · error results-shape /0/content → results", "transcript"),  # a lone surrogate
        (BLOCK + '<results>[{"content":"‸\ud83d', "call · execute · error results-shape /0/content → results", "transcript"),  # a replaced character
        (BLOCK + '<results>[{"content":"‸\n', "call · execute · error results-shape /0/content → results", "transcript"),  # a raw newline
        (BLOCK + '<results>[{"content":"‸', "call · execute · error results-shape /0/content → results", "transcript"),  # cut in a string
        *same_outcome("call · execute · error results-shape /0 → results", "transcript", texts=[
            BLOCK + "<results>[‸1]", BLOCK + "<results>[‸[]]", BLOCK + "<results>[{‸}]",
            BLOCK + '<results>[{"tool":"a","status":"success"‸}]',
            BLOCK + '<results>[{"tool":"a","content":1‸}]',
            BLOCK + '<results>[{"status":"success","content":1‸}]',
            BLOCK + '<results>[{"tool":"a","status":"failure","content":1‸}]',
            BLOCK + '<results>[{"content":{},"status":"failure","tool":"a"‸}]',
        ]),
        (BLOCK + '<results>[{"tool":‸1', "call · execute · error results-shape /0/tool → results", "transcript"),  # a number as tool
        (BLOCK + '<results>[{"tool":‸null', "call · execute · error results-shape /0/tool → results", "transcript"),  # null as tool
        (BLOCK + '<results>[{"tool":"a","tool‸"', "call · execute · error results-shape /0/tool → results", "transcript"),  # a duplicate member
        (BLOCK + '<results>[{"status":‸true', "call · execute · error results-shape /0/status → results", "transcript"),  # true as status
        (BLOCK + '<results>[{"status":‸{', "call · execute · error results-shape /0/status → results", "transcript"),  # an object as status
        (BLOCK + '<results>[{"status":"ok‸"', "call · execute · error results-shape /0/status → results", "transcript"),  # an unknown status
        (BLOCK + '<results>[{"status":"Success‸"', "call · execute · error results-shape /0/status → results", "transcript"),  # a status in capitals
        (BLOCK + '<results>[{"status":"‸"', "call · execute · error results-shape /0/status → results", "transcript"),  # an empty status
        (BLOCK + '<results>[{"tool":"‸"', "call · execute · error results-order /0/tool → results", "transcript"),  # an empty tool
        (BLOCK + '<results>[{"tool":"b‸","status":"success","content":1}]', "call · execute · error results-order /0/tool → results", "transcript"),  # another tool
        (BLOCK + '<results>[{"tool":"A‸"', "call · execute · error results-order /0/tool → results", "transcript"),  # another case
        (BLOCK + "<results>[‸]", "call · execute · error results-count /0 → results", "transcript"),  # fewer
        (BLOCK + "<results>[" + ITEM + ",‸" + ITEM + "]", "call · execute · error results-count /1 → results", "transcript"),  # more
        (BLOCK + "<results>[" + ITEM + ",‸1]", "call · execute · error results-shape /1 → results", "transcript"),  # more, but no object
        (BLOCK + "<results>[" + ITEM + ",‸]", "call · execute · error results-shape /1 → results", "transcript"),  # a trailing comma
        (BLOCK + "<results>[‸1]</results> b", "call · execute · error results-shape /0 · respond b → prose", "transcript"),  # and prose goes on
        (BLOCK + "<results>[" + ITEM + "‸</results>b", "call · execute · error results-shape /0 · respond b → prose", "transcript"),  # at the offending character
        (BLOCK + '<results>[‸1,"</results>"]', 'call · execute · error results-shape /0 · respond "] → prose', "transcript"),  # at the first closer
        (BLOCK + "<results>[‸1]</results>‸<results>[]</results>", "call · execute · error results-shape /0 · error forged-results → prose", "transcript"),  # and a second block is forged
        (BLOCK + "<results>[                             ‸ ", "call · execute · error results-shape /0 → results", "transcript size=30"),  # size
        (BLOCK + '<results>[{"content":[‸[', "call · execute · error results-shape /0/content/0 → results", "transcript depth=3"),  # depth
        (BLOCK + '<results>[{"content":1‸2', "call · execute · error results-shape /0/content → results", "transcript digits=1"),  # digits
    ],
    # The content is the text between the markers, trimmed, verbatim.
    "valid results": framed(
        (BLOCK + "<results>…</results>", "call · execute · result … → prose", "transcript"),
        (BLOCK + "<results>\n…\n</results>", "call · execute · result … → prose", "transcript"),
        (BLOCK + "<results> \t\r\n… </results>", "call · execute · result … → prose", "transcript"),
        rows=[
            ("[\n  " + ITEM + "\n]", "1/0 [\n  " + ITEM + "\n]"),  # spread out
            ('[{"id":7,"tool":"a","status":"success","content":1,"took":0.5}]', '1/0 [{"id":7,"tool":"a","status":"success","content":1,"took":0.5}]'),  # other members
            ('[{"content":[],"status":"success","tool":"a"}]', '1/0 [{"content":[],"status":"success","tool":"a"}]'),  # members in another order
            ('[{"content":"no","status":"failure","tool":"a"}]', '0/1 [{"content":"no","status":"failure","tool":"a"}]'),  # a failure in another order
            ('[{"tool":"a","status":"success","content":"x </results> y"}]', '1/0 [{"tool":"a","status":"success","content":"x </results> y"}]'),  # the closer in a string
            ('[{"tool":"a","status":"success","content":{"x":[null,true,-1.5e3,""]}}]', '1/0 [{"tool":"a","status":"success","content":{"x":[null,true,-1.5e3,""]}}]'),  # any content
            ('[{"tool":"a","status":"success","content":null}]', '1/0 [{"tool":"a","status":"success","content":null}]'),  # null
            ('[{"tool":"\\u0061","status":"\\u0073uccess","content":""}]', '1/0 [{"tool":"\\u0061","status":"\\u0073uccess","content":""}]'),  # a tool in escapes
            ('[{"tool":"a","status":"failure","content":""}]', '0/1 [{"tool":"a","status":"failure","content":""}]'),  # a failure
            ('[{"\\u0074ool":"a","st\\u0061tus":"success","c\\u006fntent":0}]', '1/0 [{"\\u0074ool":"a","st\\u0061tus":"success","c\\u006fntent":0}]'),  # members in escapes
        ],
    ),
    "valid results: others": [
        (BLOCK + "<results>\n[" + ITEM + "]\n</results>", "call · execute · result 1/0 [" + ITEM + "] → prose", "transcript"),  # one
        (BLOCK + "<results> \t\r\n[" + ITEM + "] </results>", "call · execute · result 1/0 [" + ITEM + "] → prose", "transcript"),  # one
    ],
}
# fmt: on


@pytest.mark.parametrize("section", READ)
def test_xml_json(section):
    check_rows(READ[section], "xml-json")
