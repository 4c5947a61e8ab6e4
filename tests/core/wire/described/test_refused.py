"""Descriptions that are refused: each says where, and what to write.

The places alone of many more are in the corpus, in `described/refused.json`.
"""

from tests import cogwire
from tests.core.wire.described.reading import (
    CDATA,
    PARTED,
    description,
    like,
    refusal,
    with_payload,
)
from tests.rows import rows

KIMI = description("kimi-k2")
MINIMAX = description("minimax-m2")
SEED = description("seed-oss")
LISTS = description("llama4-pythonic")
#: A marker comes before the name of a tool, and is not among those that begin a header.
LYRA = {
    "name": "lyra",
    "think": ["<|from|>lyra<|chan|>muse<|body|>", "<|eom|>"],
    "call": ["", "<|eom|>"],
    "payload": {"kind": "arguments", "head": ["<|from|>lyra<|chan|>act<|to|>{name}<|body|>"]},
    "header": {
        "open": ["<|from|>", "<|chan|>"],
        "close": "<|body|>",
        "think": ["muse"],
        "call": ["act<|to|>"],
    },
    "ends": ["<|eot|>"],
    "ignored": ["<|eom|>"],
}


#: Headers that end with a line feed.
LINED = {
    "name": "lined",
    "header": {"open": ["<|s|>"], "close": "\n"},
    "payload": {"kind": "array"},
}


def with_header(**members):
    return like(LYRA, header={**LYRA["header"], **members})


def with_head(text):
    return with_payload(LYRA, head=[text])


@rows(
    "described, message",
    [
        ([], "the description: an object is needed"),
        (
            "{}",
            "the description: an object is needed, not its text: decode it, as json.loads does",
        ),
        (
            like(KIMI, think=["<think> ", "</think>"]),
            "/think/0: a marker may end with line feeds, and the opener of a call with a space too",
        ),
        (
            like(KIMI, think=["<think>", " </think>"]),
            "/think/1: leave out the white space before the marker, which is read anyway",
        ),
        (like(KIMI, think=["<think>", "\n"]), "/think/1: white space alone is no marker"),
        (
            like(KIMI, payload={"kind": "jsn"}),
            (
                "/payload/kind: one of object, array, arguments, tags, literals, text is needed, "
                "and not 'jsn'"
            ),
        ),
        (
            {
                "name": "lines",
                "call": ["<c>", ["</c>", "</d>"]],
                "payload": {"kind": "literals", "style": "python", "lines": True},
            },
            "/call/1: calls on lines have one closer: describe the usual one",
        ),
        (
            like(KIMI, ends=["a", "<think>"]),
            "the description: /think/0 and /ends/1 are the same marker, '<think>'",
        ),
        (
            like(KIMI, ignored=["x<|im_end|>"]),
            "the description: '<|im_end|>' and 'x<|im_end|>', which contains it, are live together",
        ),
        (like(MINIMAX, call=["a", ""]), "/payload/end: a marker is needed here, or in /call/1"),
        (with_payload(MINIMAX, key=["", "b"]), "/payload/key/0: a marker is needed here"),
        (
            like(KIMI, other=1),
            (
                "/other: unknown member; known: name, call, payload, think, section, result, ends, "
                "ignored, gap, think_ends_at_call, header, bare"
            ),
        ),
        (
            with_payload(SEED, words={"T": "true", "N": "null", "Y": "yes"}),
            "/payload/words/Y: 'yes' is not JSON, such as true",
        ),
        (
            with_payload(MINIMAX, key=["<", ""], value=[">", "</{key}>"], types={'">': "text"}),
            "/payload/value/1: with types, the closer of a value has no {key}",
        ),
        (
            with_payload(MINIMAX, literals="ruby"),
            "/payload/literals: json or python is needed",
        ),
        (
            with_payload(PARTED, literals="python"),
            "/payload/literals: types already say which values are JSON",
        ),
        # Headers
        (
            with_header(open=["<|from|>", "<|chan|>", "<|to|>"], call=["act"]),
            (
                "/payload/head: the word with {name} is '{name}', and begins with none of /header/call; "
                "write 'act<|to|>' there, and leave '<|to|>' out of /header/open"
            ),
        ),
        (
            with_header(call=["go"]),
            (
                "/payload/head: the word with {name} is 'act<|to|>{name}', and begins with none of "
                "/header/call"
            ),
        ),
        (
            with_head("<|from|>lyra<|chan|>act<|to|>{tool}<|body|>"),
            (
                "/payload/head: the template '<|from|>lyra<|chan|>act<|to|>{tool}<|body|>' has {tool}; "
                "the fields are {name} and {id}"
            ),
        ),
        (
            with_head("<|chan|>act<|to|>{name}"),
            "/payload/head: a header that names a tool lasts from /header/open through '<|body|>'",
        ),
        (
            with_head("<|from|>lyra<|eot|><|chan|>act<|to|>{name}<|body|>"),
            "/payload/head: this is not a header that names a tool",
        ),
        (
            with_header(think=["muze"]),
            (
                "/header: /think/0, '<|from|>lyra<|chan|>muse<|body|>', begins like a header, and none "
                "of its words is in /header/think; they are ['lyra', 'muse']"
            ),
        ),
        (
            with_header(close="<|end|>"),
            (
                "/header: /think/0, '<|from|>lyra<|chan|>muse<|body|>', begins like a header, and does "
                "not end with /header/close, '<|end|>'"
            ),
        ),
        (
            like(LYRA, result=["<|from|>tool<|body|>", "<|eom|>"]),
            (
                "/header: /result/0, '<|from|>tool<|body|>', begins like a header, and no header begins "
                "a result: leave 'result' out"
            ),
        ),
        (
            like(LYRA, ignored=["<|eom|>", "<|chan|>muse<|body|>"]),
            "/header: /ignored/1, '<|chan|>muse<|body|>', begins like a header, and is another marker",
        ),
        (
            {**LINED, "call": ["<c>", "</c>"], "section": ["<|s|>tool\n", "<|e|>"]},
            (
                r"/header: /section/0, '<|s|>tool\n', begins like a header, and is another marker; "
                "leave the header out of it"
            ),
        ),
        *(
            (
                {**LINED, "call": [opener, "<|e|>"]},
                f"/header: {reason}",
            )
            for opener, reason in (
                (
                    "-> tool\n",
                    r"'\n' and '-> tool\n', which contains it, are live together; leave '\n' out of it",
                ),
                (
                    "<|s|>tool\n",
                    (
                        r"/call/0, '<|s|>tool\n', begins like a header, and is another marker; leave "
                        "the header out of it"
                    ),
                ),
            )
        ),
        # Calls without their markers
        (
            like(LISTS, section=["<s>", "</s>"]),
            "/bare: calls are in no section here, and after no header",
        ),
        (
            like(LISTS, payload={"kind": "text", "tool": "a", "arg": "x"}),
            "/bare: only objects with a name and args, arrays and lists show a call",
        ),
        *(
            (like(LISTS, **{member: markers}), "/bare: ';' may follow a call, and ';a' begins so")
            for member, markers in {
                "think": [";a", "b"],
                "call": [["<c", ";a"], "b"],
                "result": [";a", "b"],
                "ends": ["b", ";a"],
            }.items()
        ),
        (
            like(LISTS, call=["", "<c>"]),
            (
                "/call/0: a marker is needed here; it may be empty only after a header with the "
                "name of a tool, and for objects in a section"
            ),
        ),
        (like(LISTS, bare=1), "/bare: true or false is needed"),
        # Values between two more markers
        (
            with_payload(CDATA, margin="\n"),
            "/payload/raw: raw has two markers, no margin, types or item",
        ),
        (
            with_payload(CDATA, raw=["</{", "a"], value=["", "</{key}>"]),
            "/payload/raw: '</' and '</{', which contains it, are live together",
        ),
        (
            with_payload(CDATA, key=["<a ", ">"]),
            "/payload/key/0: a marker has no white space at its ends; it is read there anyway",
        ),
        (
            with_payload(CDATA, raw=["a ", "b"]),
            "/payload/raw/0: a marker has no white space at its ends",
        ),
        (with_payload(CDATA, raw=["a"]), "/payload/raw: an opener and a closer are needed"),
    ],
)
def test_a_refusal_says_what_is_wrong(described, message):
    assert cogwire.Format.from_json(LYRA)
    assert refusal(described) == message
