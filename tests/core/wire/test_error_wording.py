"""The messages of the errors of calls and results, word for word: they are what the model reads."""

from tests import cogwire
from tests.core.helpers import LINES, TAGS, run
from tests.rows import rows

CALL = '{"name": "a", "args": {}}'
A_CALL = 'A call is {"name": "…", "args": {…}}, but '
BLOCK = 'Expected "[" and an array, but got {}. A block is [{{"name": "…", "args": {{…}}}}, …].'
OTHER = "begins another value."
LOST = (
    "Here the input was not UTF-8, or was half of a surrogate pair, so the character is lost. "
    "Send it again."
)
LONE = (
    "An escape is half of a surrogate pair, without the other half. "
    "Write the character itself, or both halves."
)
RANGE = (
    "This number is beyond the range of a double. Write it as a string if this value is intended."
)
ESCAPE = r'A backslash in a string escapes one of " \ / b f n r t u, not {}. '
CONTROL = (
    "A string must not contain {} unescaped. "
    r"Escape control characters: \n for a line feed, \t for a tab."
)
QUOTE = r"A double quote inside a string is written \"."
NUMBERS = "JSON numbers begin with a digit or a minus sign."
NO_COMMA = "JSON has no trailing comma."
BRACE = "Is a comma, a colon or a value missing, or is there one too many?"
BRACKET = "Is a comma, a brace or a value missing, or is there one too many?"


def messages(text, dialect="xml-json", **options):
    """Return the messages of the errors of `text`, which are the same however it is cut."""
    whole, cut = (
        [event["content"] for event in events if event["type"] == "error"]
        for events in (run(chunks, dialect=dialect, **options).events for chunks in ([text], text))
    )
    assert whole == cut
    return whole


def message(text, dialect="xml-json", **options):
    """Return the message of the one error of `text`."""
    (only,) = messages(text, dialect, **options)
    return only


# -- What may be in a block ----------------------------------------------------------------


@rows(
    ("block", "expected"),
    [
        # Before the array, and after it.
        ("x", BLOCK.format('"x"')),
        ('"', BLOCK.format("a double quote")),
        ("{", BLOCK.format('"{"')),
        ("<", BLOCK.format('"<"')[:-1] + ", and an empty block is []."),
        ("```json", BLOCK.format('"`"')[:-1] + ", without a code fence."),
        ("]", BLOCK.format('"]"')),
        ("[]x", 'After the array only </execute> may follow, but got "x".'),
        ("[]]", 'After the array only </execute> may follow, but got "]".'),
        ("[] </execute,", 'After the array only </execute> may follow, but got ",".'),
        ("[]< ", "After the array only </execute> may follow, but got a space (U+0020)."),
        # Elements.
        ("[x", 'At /0: Expected an object or the end of the array, but got "x".'),
        ("[}", f'At /0: Expected an object or the end of the array, but got "}}". {BRACE}'),
        (f"[{CALL},x", 'At /1: Expected an object, but got "x".'),
        (f"[{CALL}, ]", f'At /1: Expected an object, but got "]". {NO_COMMA}'),
        (f"[{CALL}, }}", f'At /1: Expected an object, but got "}}". {NO_COMMA}'),
        (f"[{CALL}x", 'At /0: Expected "," or "]", but got "x".'),
        (f"[{CALL}}}", f'At /0: Expected "," or "]", but got "}}". {BRACE}'),
        (f"[{CALL}, {CALL}:", 'At /1: Expected "," or "]", but got ":".'),
        ('["', f"At /0: {A_CALL}a double quote {OTHER}"),
        *((f"[{char}", f'At /0: {A_CALL}"{char}" {OTHER}') for char in "[-0123456789tfn"),
        (f"[{CALL}, t", f'At /1: {A_CALL}"t" {OTHER}'),
        # Members.
        ("[{x", 'At /0: Expected a member name in double quotes or "}", but got "x".'),
        (
            "[{]",
            f'At /0: Expected a member name in double quotes or "}}", but got "]". {BRACKET}',
        ),
        ('[{"a": 1, x', 'At /0: Expected a member name in double quotes, but got "x".'),
        (
            '[{"a": 1, }',
            f'At /0: Expected a member name in double quotes, but got "}}". {NO_COMMA}',
        ),
        (
            '[{"a": 1, ]',
            f'At /0: Expected a member name in double quotes, but got "]". {NO_COMMA}',
        ),
        ('[{"a"x', 'At /0: Expected ":", but got "x".'),
        ('[{"a"}', f'At /0: Expected ":", but got "}}". {BRACE}'),
        ('[{"a": x', 'At /0/a: Expected a value, but got "x".'),
        ('[{"a": }', f'At /0/a: Expected a value, but got "}}". {BRACE}'),
        ('[{"a": ]', f'At /0/a: Expected a value, but got "]". {BRACKET}'),
        ('[{"a": 1 x', 'At /0/a: Expected "," or "}", but got "x".'),
        ('[{"a": 1]', f'At /0/a: Expected "," or "}}", but got "]". {BRACKET}'),
        # Items.
        ('[{"a": [x', 'At /0/a/0: Expected a value or "]", but got "x".'),
        ('[{"a": [}', f'At /0/a/0: Expected a value or "]", but got "}}". {BRACE}'),
        ('[{"a": [1, x', 'At /0/a/1: Expected a value, but got "x".'),
        ('[{"a": [1, ]', f'At /0/a/1: Expected a value, but got "]". {BRACKET}'),
        ('[{"a": [1 x', 'At /0/a/0: Expected "," or "]", but got "x".'),
        ('[{"a": [1}', f'At /0/a/0: Expected "," or "]", but got "}}". {BRACE}'),
        ('[{"a": [1, [] x', 'At /0/a/1: Expected "," or "]", but got "x".'),
    ],
)
def test_the_message_names_what_is_allowed(block, expected):
    assert message(f"<execute>{block}") == expected


@rows(
    ("char", "hint"),
    [
        ("'", "JSON strings are written in double quotes."),
        ("“", "JSON strings are written in straight double quotes."),
        ("/", "JSON has no comments."),
        ("#", "JSON has no comments."),
        ("N", "JSON has no NaN and no None; write null."),
        ("T", "JSON spells true in lower case."),
        ("F", "JSON spells false in lower case."),
        ("I", "JSON has no Infinity."),
        ("<", "A block ends only after its brackets are closed."),
        ("+", NUMBERS),
        (".", NUMBERS),
    ],
)
def test_what_was_probably_meant(char, hint):
    assert message(f'<execute>[{{"a": {char}') == (
        f'At /0/a: Expected a value, but got "{char}". {hint}'
    )
    assert message(f"<execute>[{{{char}") == (
        f'At /0: Expected a member name in double quotes or "}}", but got "{char}". {hint}'
    )


@rows(
    ("block", "expected"),
    [
        ('[{"a": "b" c', f'At /0/a: Expected "," or "}}", but got "c". {QUOTE}'),
        ('[{"a": "b"c', f'At /0/a: Expected "," or "}}", but got "c". {QUOTE}'),
        ('[{"a": "b".', f'At /0/a: Expected "," or "}}", but got ".". {QUOTE}'),
        ('[{"a": ["b"c', f'At /0/a/0: Expected "," or "]", but got "c". {QUOTE}'),
        ('[{"a": "b" "', 'At /0/a: Expected "," or "}", but got a double quote.'),
        ('[{"a": "b"{', 'At /0/a: Expected "," or "}", but got "{".'),
        ('[{"a": "b"[', 'At /0/a: Expected "," or "}", but got "[".'),
        ('[{"a": "b":', 'At /0/a: Expected "," or "}", but got ":".'),
        ('[{"a": "b"]', f'At /0/a: Expected "," or "}}", but got "]". {BRACKET}'),
        ('[{"a": ["b"}', f'At /0/a/0: Expected "," or "]", but got "}}". {BRACE}'),
        ('[{"a": ["b"]c', 'At /0/a: Expected "," or "}", but got "c".'),
        ('[{"a": {"b": "c"} d', 'At /0/a: Expected "," or "}", but got "d".'),
        ('[{"a": "b", "c": 1 d', 'At /0/c: Expected "," or "}", but got "d".'),
        ('[{"a": "b", c', 'At /0: Expected a member name in double quotes, but got "c".'),
        ('[{"a": ["b", c', 'At /0/a/1: Expected a value, but got "c".'),
    ],
)
def test_a_quote_may_have_ended_a_string_too_early(block, expected):
    assert message(f"<execute>{block}") == expected


# -- Strings, numbers and words ---------------------------------------------------------------


@rows(
    ("value", "expected"),
    [
        ('"\\x', ESCAPE.format('"x"') + "Write two backslashes for one."),
        ("\"\\'", ESCAPE.format('"\'"') + "Write two backslashes for one."),
        ('"\\\n', ESCAPE.format("a line feed (U+000A)") + "Write two backslashes for one."),
        ('"\\ ', ESCAPE.format("a space (U+0020)") + "Write two backslashes for one."),
        ('"\\u"', r"Expected four hexadecimal digits after \u, but got a double quote."),
        ('"\\u12g', r'Expected four hexadecimal digits after \u, but got "g".'),
        ('"\\ud83d\\ude0x', r'Expected four hexadecimal digits after \u, but got "x".'),
        ('"a\n', CONTROL.format("a line feed (U+000A)")),
        ('"\0', CONTROL.format("the character U+0000")),
        ('"\x1f', CONTROL.format("the character U+001F")),
        ('"\\ud83d\n', CONTROL.format("a line feed (U+000A)")),
        ('"\\ud83d!', LONE),
        ('"\\ud83d\\n', LONE),
        ('"\\ud83d\\u0041', LONE),
        ('"\\ude00', LONE),
        ("1e999,", RANGE),
        (f"{'9' * 309},", RANGE),
        ("-x", 'Expected a digit, but got "x".'),
        ("- ", "Expected a digit, but got a space (U+0020)."),
        ("1.e", 'Expected a digit, but got "e".'),
        ("1e,", 'Expected a digit, but got ",".'),
        ("1e+x", 'Expected a digit, but got "x".'),
        ("01", 'Expected "," or "}", but got "1".'),
        ("1x", 'Expected "," or "}", but got "x".'),
        ("1.5.", f'Expected "," or "}}", but got ".". {NUMBERS}'),
        ("1e999]", f'Expected "," or "}}", but got "]". {BRACKET}'),
        ("tx", 'Expected true, but got "x" in it.'),
        ("tru\t", "Expected true, but got a tab (U+0009) in it."),
        ("fa ", "Expected false, but got a space (U+0020) in it."),
        ("nul,", 'Expected null, but got "," in it.'),
        ('n"', "Expected null, but got a double quote in it."),
    ],
)
def test_what_is_wrong_in_a_value(value, expected):
    for member in ("a", "args/b"):
        opened = '"a": ' if member == "a" else '"args": {"b": '
        assert message(f"<execute>[{{{opened}{value}") == f"At /0/{member}: {expected}"


@rows(
    ("char", "name"),
    [
        (" ", "a space (U+0020)"),
        ("\t", "a tab (U+0009)"),
        ("\n", "a line feed (U+000A)"),
        ("\r", "a carriage return (U+000D)"),
        ('"', "a double quote"),
        ("a", '"a"'),
        ("\\", '"\\"'),
        ("é", '"é"'),
        ("😀", '"😀"'),
        ("\0", "the character U+0000"),
        ("\x0b", "the character U+000B"),
        ("\x7f", "the character U+007F"),
        ("\u00a0", "the character U+00A0"),
        ("\u200b", "the character U+200B"),
        ("\u2028", "the character U+2028"),
        ("\ufeff", "the character U+FEFF"),
        ("\U000e0001", "the character U+E0001"),
    ],
)
def test_the_name_of_a_character(char, name):
    assert message(f'<execute>[{{"a": t{char}') == f"At /0/a: Expected true, but got {name} in it."


# -- Calls ------------------------------------------------------------------------------------

TOOL = "Use the name of a tool."
MEMBER = 'The member "{}" appears twice in one object; write it once.'
IN_A_STRING = "Write the arguments as an object, not as JSON in a string. "
NO_ARGUMENTS = "Write {} for no arguments."


@rows(
    ("call", "where", "expected"),
    [
        ('{"name": 5', "/0/name", f'"name" must be a string, but "5" {OTHER} {TOOL}'),
        ('{"name": n', "/0/name", f'"name" must be a string, but "n" {OTHER} {TOOL}'),
        ('{"name": ""', "/0/name", f'"name" is empty. {TOOL}'),
        (
            '{"name": "execute"',
            "/0/name",
            f'No tool is called "execute": the name is reserved. {TOOL}',
        ),
        (
            '{"name": "\\u0065xecute"',
            "/0/name",
            f'No tool is called "execute": the name is reserved. {TOOL}',
        ),
        (
            '{"args": "',
            "/0/args",
            f'"args" must be an object, but a double quote {OTHER} {IN_A_STRING}{NO_ARGUMENTS}',
        ),
        ('{"args": [', "/0/args", f'"args" must be an object, but "[" {OTHER} {NO_ARGUMENTS}'),
        ("{}", "/0", 'The call has no "name". Each call is {"name": "…", "args": {…}}.'),
        (
            '{"name": "a", "parameters": {}, "arguments": {}}',
            "/0",
            (
                'The call has "arguments" where "args" is expected. '
                'Write the arguments as "args": {…}.'
            ),
        ),
        (
            '{"name": "a", "name"',
            "/0/name",
            MEMBER.format("name"),
        ),
        (
            '{"args": {"b/~": 1, "b\\/~"',
            "/0/args/b~1~0",
            MEMBER.format("b/~"),
        ),
    ],
)
def test_what_is_wrong_in_a_call(call, where, expected):
    """The same in an array and in a payload."""
    assert message(f"<execute>[{call}") == f"At {where}: {expected}"
    assert message(f"§call: {call}\n§execute", "delimiter") == f"At {where}: {expected}"
    assert message(f"§CALL: {call}\n§EXECUTE", "delimiter-upper") == f"At {where}: {expected}"


def test_a_call_in_an_array_needs_its_args():
    assert message('<execute>[{"name": "a"}') == (
        'At /0: The call has no "args". Write "args": {} for no arguments.'
    )


@rows(("dialect", "marker"), [("delimiter", "§call:"), ("delimiter-upper", "§CALL:")])
@rows("char", ["l", "}", "]", "'", "/", "§"])
def test_a_payload_begins_with_a_brace(dialect, marker, char):
    expected = f'At /0: Expected an object, but got "{char}". Write {{"name": "…", "args": {{…}}}}.'
    assert message(f"{marker} ```", dialect).endswith("}, without a code fence.")
    assert message(f"{marker} {char}", dialect) == expected


@rows("dialect", LINES)
@rows(("char", "name"), [('"', "a double quote"), ("[", '"["'), ("n", '"n"')])
def test_a_payload_must_be_an_object(dialect, char, name):
    assert message(f"§call: {char}", dialect) == f"At /0: {A_CALL}{name} {OTHER}"


# -- Results ----------------------------------------------------------------------------------

A_RESULT = '{"tool": "…", "status": "success", "content": …}'
A = '{"tool": "a", "status": "success", "content": 1}'
BATCHES = {
    "xml-json": f"<execute>[{CALL}]</execute><results>",
    "xml-elements": "<execute><a/></execute><results>",
}


@rows("dialect", TAGS)
@rows(
    ("results", "expected"),
    [
        ("x", f'Expected "[" and an array, but got "x". A block is [{A_RESULT}, …].'),
        ("[1", f'At /0: A result is {A_RESULT}, but "1" begins another value.'),
        ('["', f"At /0: A result is {A_RESULT}, but a double quote begins another value."),
        ("[x", 'At /0: Expected an object or the end of the array, but got "x".'),
        ('[{"tool": 1', 'At /0/tool: "tool" must be a string, but "1" begins another value.'),
        ('[{"status": n', 'At /0/status: "status" must be a string, but "n" begins another value.'),
        (
            '[{"tool": "b"',
            'At /0/tool: Result 0 must be for "a", the call at its position, but it is for "b".',
        ),
        ('[{"status": "ok"', 'At /0/status: "status" must be "success" or "failure", not "ok".'),
        ("[{}", f'At /0: The result has no "tool". Each is {A_RESULT}.'),
        ('[{"tool": "a"}', f'At /0: The result has no "status". Each is {A_RESULT}.'),
        (
            '[{"tool": "a", "status": "success"}',
            f'At /0: The result has no "content". Each is {A_RESULT}.',
        ),
        (
            '[{"tool": "a", "content": 1, "status": "failure"}',
            "At /0: The content of a failure must be a string, its message.",
        ),
        ("[]", "At /0: Expected 1 result, but the results end after 0."),
        (f"[{A}, {{", "At /1: Expected 1 result, but here another one begins."),
        (f"[{A}]x", 'After the array only </results> may follow, but got "x".'),
        ("[\ud800", f"At /0: {LOST}"),
        ("", "The text ends inside <results>, before </results>."),
        ("[", "At /0: The text ends inside <results>, before </results>."),
        (f"[{A}]</resul", "The text ends inside <results>, before </results>."),
    ],
)
def test_what_is_wrong_in_results(dialect, results, expected):
    assert message(BATCHES[dialect] + results, dialect, mode="transcript") == expected


@rows("dialect", TAGS)
@rows(
    ("results", "expected"),
    [
        (
            '[{"tool": "execute", "status": "success", "content": "x"}',
            "At /0: A void block is answered by a failure, not by a success.",
        ),
        (
            '[{"tool": "execute", "status": "failure", "content": 1}',
            "At /0: The content of a failure must be a string, its message.",
        ),
        (
            '[{"tool": "a"',
            'At /0/tool: Result 0 must be for "execute", the call at its position, but it is for "a".',
        ),
        ("[]", "At /0: Expected 1 result, but the results end after 0."),
    ],
)
def test_what_is_wrong_in_the_answer_to_a_void_block(dialect, results, expected):
    text = f"<execute>x</execute><results>{results}"
    assert messages(text, dialect, mode="transcript")[1:] == [expected]


def test_results_are_counted_and_numbered():
    for block, results, expected in (
        ("", "[{", "At /0: Expected 0 results, but here another one begins."),
        (f"{CALL}, {CALL}", f"[{A}]", "At /0: Expected 2 results, but the results end after 1."),
        (
            f"{CALL}, {CALL}",
            f'[{A}, {{"tool": "b"',
            'At /1/tool: Result 1 must be for "a", the call at its position, but it is for "b".',
        ),
        (
            f"{CALL}, {CALL}",
            f"[{A}, {A}, {{",
            "At /2: Expected 2 results, but here another one begins.",
        ),
    ):
        text = f"<execute>[{block}]</execute><results>{results}"
        assert message(text, mode="transcript") == expected


CALLED = '§call: {"name": "a"}\n'
ITEM = '{{"tool": "{}", "status": "{}", "content": {}}}'


@rows("dialect", LINES)
@rows("opener", ["§result:", "[SYSTEM: "])
@rows(
    ("calls", "body", "expected"),
    [
        (
            CALLED,
            ITEM.format("b", "success", 1),
            'At /0: Result 0 must be for "a", the call at its position, but it is for "b".',
        ),
        (
            CALLED,
            ITEM.format("a", "ok", 1),
            'At /0: "status" must be "success" or "failure", not "ok".',
        ),
        (
            CALLED,
            ITEM.format("a", "failure", 1),
            "At /0: The content of a failure must be a string, its message.",
        ),
        (
            CALLED,
            '{"tool": 1, "status": "success", "content": 1}',
            'At /0: "tool" must be a string, but "1" begins another value.',
        ),
        (CALLED, "a\ud800", f"At /0: {LOST}"),
        (CALLED * 2, "1", "Expected 2 results, but the results end after 1."),
        (CALLED * 3, "1\n§result: 1", "Expected 3 results, but the results end after 2."),
        (CALLED, "1\n§result: 1", "Expected 1 result, but here another one begins."),
        (
            CALLED * 2,
            "1\n§result: 1\n§result: 1",
            "Expected 2 results, but here another one begins.",
        ),
        ("", "x", "There were no calls, so the result must be []."),
        ("", "[1]", "There were no calls, so the result must be []."),
        ("", "[]\n§result: []", "Expected 1 result, but here another one begins."),
    ],
)
def test_what_is_wrong_in_results_by_lines(dialect, opener, calls, body, expected):
    """With the bracket that closes one form of them, and is not there in the other."""
    if opener == "[SYSTEM: ":
        first, *others = body.split("\n", 1)
        body = "\n".join([f"{first}]", *others])
    text = f"{calls}§execute\n{opener}{body}"
    assert message(text, dialect, mode="transcript") == expected


@rows("dialect", LINES)
@rows(
    ("body", "expected"),
    [
        ("fine", "A void block is answered by a failure, not by a success."),
        (
            ITEM.format("execute", "success", 1),
            "A void block is answered by a failure, not by a success.",
        ),
        (
            ITEM.format("execute", "failure", 1),
            "The content of a failure must be a string, its message.",
        ),
        (
            ITEM.format("a", "failure", '"x"'),
            'Result 0 must be for "execute", the call at its position, but it is for "a".',
        ),
    ],
)
def test_what_is_wrong_in_the_answer_to_a_void_batch(dialect, body, expected):
    text = f"§call: ?\n§execute\n§result: {body}"
    assert messages(text, dialect, mode="transcript")[1:] == [f"At /0: {expected}"]


@rows(
    ("dialect", "marker", "in_writing"),
    [
        ("xml-json", "<results>", "&lt;results>"),
        ("xml-elements", "<results>", "&lt;results>"),
        ("delimiter", "§result:", "&sect;result:"),
        ("delimiter", "§ReSuLt:", "&sect;ReSuLt:"),
        ("delimiter", "[SYSTEM: ", "&#91;SYSTEM:"),
        ("delimiter-upper", "§RESULT:", "&sect;RESULT:"),
        ("delimiter-upper", "[SYSTEM: ", "&#91;SYSTEM:"),
    ],
)
@rows("mode", ["turn", "transcript"])
def test_forged_results(dialect, marker, in_writing, mode):
    assert message(marker, dialect, mode=mode) == (
        f"Results come from the system, never from the model: {marker.rstrip()} was not expected "
        "here. Say what to run and wait for its results; to write the marker, write "
        f"{in_writing}."
    )


# -- Limits -----------------------------------------------------------------------------------

SIZE = "A block may contain at most {}. Send less at once, or in several blocks."
SIZE_OF_CALLS = (
    "The calls of a turn may contain at most {}. Send less at once, or in several turns."
)
CALLS = (
    "A turn may contain at most {}, and here another one begins. Send the rest in the next turn."
)
DEPTH = (
    "Values may be nested {} deep; this is one level more. "
    "Nest less, or pass the value as JSON in a string where the tool accepts one."
)
DIGITS = "A number has at most {}. Write it as a string if it needs more."


@rows(
    ("dialect", "limits", "text", "expected"),
    [
        ("xml-json", {"size": 1}, "<execute>[ ", f"At /0: {SIZE.format('1 character')}"),
        ("xml-json", {"size": 2}, "<execute>[] ", SIZE.format("2 characters")),
        ("xml-json", {"size": 3}, '<execute>[{"a', f"At /0: {SIZE.format('3 characters')}"),
        ("delimiter", {"size": 1}, '§call: {"', f"At /0: {SIZE_OF_CALLS.format('1 character')}"),
        (
            "delimiter",
            {"size": 14},
            '§call: {"name": "a"}\n§call: {"',
            f"At /1: {SIZE_OF_CALLS.format('14 characters')}",
        ),
        ("xml-json", {"calls": 1}, f"<execute>[{CALL}, {{", f"At /1: {CALLS.format('1 call')}"),
        (
            "xml-json",
            {"calls": 2},
            f"<execute>[{CALL}, {CALL}, {{",
            f"At /2: {CALLS.format('2 calls')}",
        ),
        (
            "delimiter",
            {"calls": 1},
            '§call: {"name": "a"}\n§call: {',
            f"At /1: {CALLS.format('1 call')}",
        ),
        ("xml-json", {"depth": 1}, "<execute>[{", f"At /0: {DEPTH.format(1)}"),
        ("xml-json", {"depth": 2}, '<execute>[{"args": {', f"At /0/args: {DEPTH.format(2)}"),
        ("delimiter", {"depth": 3}, '§call: {"x": [[', f"At /0/x/0: {DEPTH.format(3)}"),
        ("xml-json", {"digits": 1}, '<execute>[{"x": 12', f"At /0/x: {DIGITS.format('1 digit')}"),
        (
            "xml-json",
            {"digits": 2},
            '<execute>[{"x": 1e23',
            f"At /0/x: {DIGITS.format('2 digits')}",
        ),
        ("delimiter", {"digits": 2}, '§call: {"x": -1.23', f"At /0/x: {DIGITS.format('2 digits')}"),
    ],
)
def test_limits(dialect, limits, text, expected):
    assert message(text, dialect, limits=cogwire.Limits(**limits)) == expected


@rows(
    ("dialect", "limits", "text", "expected"),
    [
        (
            "xml-elements",
            {"size": 12},
            f'{BATCHES["xml-elements"]}[{{"content": ',
            f"At /0/content: {SIZE.format('12 characters')}",
        ),
        (
            "xml-elements",
            {"depth": 3},
            f'{BATCHES["xml-elements"]}[{{"content": [[',
            f"At /0/content/0: {DEPTH.format(3)}",
        ),
        (
            "xml-elements",
            {"digits": 1},
            f'{BATCHES["xml-elements"]}[{{"content": 12',
            f"At /0/content: {DIGITS.format('1 digit')}",
        ),
        (
            "delimiter",
            {"size": 1},
            "§execute\n§result:12",
            "At /0: Results may contain at most 1 character.",
        ),
        (
            "delimiter-upper",
            {"size": 28},
            f"{CALLED * 2}§execute\n[SYSTEM: 123]\n[SYSTEM: {'4' * 28}",
            "At /1: Results may contain at most 28 characters.",
        ),
    ],
)
def test_limits_of_results(dialect, limits, text, expected):
    options = {"mode": "transcript", "limits": cogwire.Limits(**limits)}
    assert message(text, dialect, **options) == expected


# -- The end of the text, and what was lost ---------------------------------------------------

UNCLOSED_EXECUTE = (
    "The text ends inside the block, before </execute>, so nothing in it has run. "
    "Send it again, with fewer calls if it was cut for its length."
)
UNCLOSED_CALL = (
    "The text ends inside the call, so nothing has run. "
    "Send the calls again, fewer at once if they were cut for their length."
)


@rows(
    ("dialect", "text", "expected"),
    [
        ("xml-json", "<execute>", UNCLOSED_EXECUTE),
        ("xml-json", "<execute>[", f"At /0: {UNCLOSED_EXECUTE}"),
        ("xml-json", '<execute>[{"a": "', f"At /0/a: {UNCLOSED_EXECUTE}"),
        ("xml-elements", "<execute>", UNCLOSED_EXECUTE),
        ("delimiter", "§call:", f"At /0: {UNCLOSED_CALL}"),
        ("delimiter-upper", '§CALL: {"a": [', f"At /0/a/0: {UNCLOSED_CALL}"),
        ("delimiter", f"{CALLED}§call: {{", f"At /1: {UNCLOSED_CALL}"),
        ("xml-json", "<execute>\ud800", LOST),
        ("xml-json", "<execute>[\ud800", f"At /0: {LOST}"),
        ("xml-json", '<execute>[{"a": "\ud800', f"At /0/a: {LOST}"),
        ("xml-json", "<execute>[]\ud800", LOST),
        ("xml-elements", "<execute><a><b>\ud800", f"At /0/args/b: {LOST}"),
        ("delimiter", '§call: {"a": \ud800', f"At /0/a: {LOST}"),
        ("delimiter", f"{CALLED}\ud800", LOST),
    ],
)
def test_the_end_and_what_was_lost(dialect, text, expected):
    assert message(text, dialect) == expected


@rows(("dialect", "marker"), [("delimiter", "§execute"), ("delimiter-upper", "§EXECUTE")])
@rows("following", ["", "§end", "§respond: later"])
def test_calls_that_were_never_run(dialect, marker, following):
    assert message(CALLED + following, dialect) == (
        f"The calls have not run: {marker} did not follow them. "
        f"Send them again, and {marker} after the last."
    )
    trailing = (
        "After a call only another marker may follow, at the start of a line. "
        f"Write {marker} to run the calls."
    )
    assert message(f"{CALLED}x\n{following}", dialect) == trailing


@rows(("dialect", "marker"), [("delimiter", "§execute"), ("delimiter-upper", "§EXECUTE")])
@rows("length", [1, 5, 8])
@rows("stream", ["event", "token"])
def test_a_turn_that_was_cut_in_the_marker_is_not_asked_for_the_marker(
    dialect, marker, length, stream
):
    parser = cogwire.Parser(dialect, stream=stream, clock=None)
    parser.feed(CALLED + marker[:length])
    (error,) = (event for event in parser.close() if event["type"] == "error")
    assert error["content"] == (
        "Nothing says that the turn ends here, so its calls have not run. "
        "Send them again, fewer at once if they were cut for their length."
    )


@rows(
    ("body", "expected"),
    [
        ("x" * 30, "At /0: Results may contain at most 29 characters."),
        (" " + "x" * 29 + "\n\ud800", "At /0: Results may contain at most 29 characters."),
        ("x\ud800" + "x" * 40, f"At /0: {LOST}"),
        ("x" * 28 + "\ud800", f"At /0: {LOST}"),
    ],
)
def test_bodies_that_are_too_large_or_lost(body, expected):
    """Whichever comes first."""
    text = f"{CALLED}§execute\n§result:{body}"
    limits = cogwire.Limits(size=29)
    assert message(text, "delimiter", mode="transcript", limits=limits) == expected


# -- How much is shown ------------------------------------------------------------------------


@rows(
    ("text", "shown"),
    [
        ("n" * 64, "n" * 64),
        ("n" * 65, "n" * 63 + "…"),
        ("n" * 62 + "abc", "n" * 62 + "a…"),
        ("😀" * 1000, "😀" * 63 + "…"),
    ],
)
def test_a_long_text_is_shortened_to_64_characters(text, shown):
    for given, expected in (
        (f'[{{"{text[3:]}": x', f'At {"/0/" + shown[3:]}: Expected a value, but got "x".'),
        (
            f'[{{"{text}": 1, "{text}"',
            f"At {('/0/' + text)[:63]}…: {MEMBER.format(shown)}",
        ),
    ):
        assert message(f"<execute>{given}") == expected
    status = f'<execute>[{CALL}]</execute><results>[{{"status": "{text}"'
    assert message(status, mode="transcript") == (
        f'At /0/status: "status" must be "success" or "failure", not "{shown}".'
    )
    tool = f'<execute>[{{"name": "{text}", "args": {{}}}}]</execute><results>[{{"tool": "b{text}"'
    assert message(tool, mode="transcript") == (
        f'At /0/tool: Result 0 must be for "{shown}", the call at its position, '
        f'but it is for "b{text[:62]}…".'
    )
