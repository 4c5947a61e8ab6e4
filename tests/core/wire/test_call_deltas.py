"""The args of a call are shown while they are written: what each chunk adds to them."""

from tests import cogwire
from tests.core.helpers import singles
from tests.rows import rows

GLM = "<tool_call>w\n<arg_key>k</arg_key>\n<arg_value>ab</arg_value>\n</tool_call>"
QWEN = "<tool_call>\n<function=w>\n<parameter=k>\nab\n</parameter>\n</function>\n</tool_call>"
MISTRAL = '[TOOL_CALLS]w[ARGS]{"k": "ab"}'


def shown(chunks, dialect, size=None):
    """Return for each chunk its deltas, `call` and the codes of errors; a delta names its call."""
    limits = cogwire.Limits() if size is None else cogwire.Limits(size=size)
    parser = cogwire.Parser(dialect, stream="token", call_deltas=True, limits=limits, clock=None)
    feeds = [[short(event) for event in parser.feed(chunk)] for chunk in chunks]
    assert "execute" not in [each for feed in feeds[:-1] for each in feed]
    return [[each for each in feed if each != "execute"] for feed in feeds]


def short(event):
    if event["type"] == "call_delta":
        return f"{event['name']}{event['index']} {event['content']}"
    return event["code"] if event["type"] == "error" else event["type"]


# A dialect, the chunks of a text, and what each chunk shows.
PIECES = [
    (
        "xml-json",
        ['<execute>[{"name": "w", "args": {"a": 1}}, {"args": {"b": [2]}, "name": "v"}]</execute>'],
        [['w0 {"a": 1}', "call", 'v1 {"b": [2]}', "call"]],
    ),
    (
        "xml-json",
        ['<execute>[{"name": "w", "args": {"a"', ": 1}", ', "x": 0}, {"name": "v"}]</execute>'],
        [['w0 {"a"'], ["w0 : 1}"], ["call", "missing-args"]],
    ),
    (
        "xml-json",
        ['<execute>[{"args": {"a"', ": {}}", ', "name": "w"', ', "x": {}}]</execute>'],
        [[], [], ['w0 {"a": {}}'], ["call"]],
    ),
    (
        "xml-json",
        ['<execute>[{"args": {"a"', ': 1}, "name": "w"}, {"args": {}, "name', '": "v"}]</execute>'],
        [[], ['w0 {"a": 1}', "call"], ["v1 {}", "call"]],
    ),
    (
        "xml-json",
        ['<execute>[{"name":"w","args":{}},{"name":"v","args":{"a":"b', "c", '"}}]</execute>'],
        [["w0 {}", "call", 'v1 {"a":"b'], ["v1 c"], ['v1 "}', "call"]],
    ),
    (
        "xml-elements",
        ["<execute><w></w><v><a>b", "c", "</a></v></execute>"],
        [["w0 {}", "call", 'v1 {"a": "b'], ["v1 c"], ['v1 "}', "call"]],
    ),
    (
        "delimiter",
        ['§call: {"name": "w"}\n§call: {"name": "v", "args": {"a', '": 1}}\n§execute\n'],
        [["call", 'v1 {"a'], ['v1 ": 1}', "call"]],
    ),
    (
        "hermes",
        ['<tool_call>\n{"name": "w", "arguments": {"a"', ": 1}}\n</tool_call>"],
        [['w0 {"a"'], ["w0 : 1}", "call"]],
    ),
    ("mistral", [MISTRAL[:26], MISTRAL[26:]], [['w0 {"k": "'], ['w0 ab"}', "call"]]),
]


@rows("dialect, chunks, feeds", PIECES)
def test_each_chunk_shows_what_it_adds_to_the_args(dialect, chunks, feeds):
    assert shown(chunks, dialect) == feeds


@rows("half", [False, True])
def test_args_that_are_nested_more_deeply_than_a_stack_is_deep_are_shown(half):
    args = '{"a": ' * 30_000 + "0" + "}" * 30_000
    text = f'<execute>[{{"name": "w", "args": {args}}}]</execute>'
    chunks = [text[: len(text) // 2], text[len(text) // 2 :]] if half else [text]
    options = {"stream": "token", "call_deltas": True, "clock": None}
    parser = cogwire.Parser(limits=cogwire.Limits(depth=40_000), **options)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    assert [event["type"] for event in events[len(chunks) :]] == ["call", "execute"]
    assert "".join(event["content"] for event in events[: len(chunks)]) == args


# A dialect, a text with a mark where its block begins and another where it may have no more
# characters, and what is shown of its calls: the args up to there, even if the next character would
# end them, or break another rule.
FULL = [
    ("xml-json", '<execute>|[{"name":"w","args":{"a":1}|}]</execute>', '{"a":1}'),
    ("xml-json", '<execute>|[{"name":"w","args":{"a":1|}}]</execute>', '{"a":1'),
    ("xml-json", '<execute>|[{"args":{},"name":"w|"}]</execute>', ""),
    ("xml-json", '<execute>|[{"name":"w","args":{}},|{"name":"v"}]</execute>', "{}"),
    ("xml-elements", "<execute>|<w><a>b|</a></w></execute>", '{"a": "b'),
    ("delimiter", '§call:|{"name":"w","args":{}|}\n§execute\n', "{}"),
    ("hermes", '<tool_call>|{"name":"w","arguments":{}|}</tool_call>', "{}"),
    ("mistral", '[TOOL_CALLS]|w[ARGS]{"k":1|}', '{"k":1'),
    ("glm-4.5", GLM.replace("ab", "ab|").replace(">", ">|", 1), '{"k": "ab'),
    ("glm-4.5", GLM.replace("ab", "a|b").replace(">", ">|", 1), '{"k": "a'),
    ("qwen3-coder", QWEN.replace("ab", "a|b").replace(">", ">|", 1), '{"k": "a'),
]


@rows("dialect, text, expected", FULL)
def test_at_the_limit_of_a_block_the_args_before_it_are_shown(dialect, text, expected):
    opener, block, rest = text.split("|")
    text = opener + block + rest
    for chunks in ([text], singles(text)):
        events = [each for feed in shown(chunks, dialect, len(block)) for each in feed]
        *before, _ = events[: events.index("limit-size") + 1]
        assert "".join(before).replace("w0 ", "").removesuffix("call") == expected
