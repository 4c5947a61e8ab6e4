"""Turns by hand, for each dialect: what its grammar has, what it leaves out, and what is an error."""

from cogwire import Parser

TOOLS = [
    {
        "name": "read",
        "parameters": {
            "type": "object",
            "properties": {"file": {"type": "string"}, "lines": {"type": "integer", "minimum": 1}},
            "required": ["file"],
            "additionalProperties": False,
        },
    },
    {"name": "ls", "inputSchema": {"type": "object", "properties": {}}},
]

XML_JSON = {
    "good": [
        "",
        "Hi.",
        "a < b <exec <<thin <ends <end/> <THINK> </think> </execute> &lt;execute> <",
        "<think>a <execute> <think> </thin</think>b<think></think>\n<end>",
        '<execute>[{"name":"ls","args":{}}]</execute>',
        """<think>x</think>

On it.

<execute>
[
  {"name": "read", "args": {"file": "</execute>"}},
  {"name": "ls", "args": {}}
]
</execute>""",
        '<<execute>[{"name":"read","args":{"file":"a","lines":20}}]</execute>',
    ],
    # Errors of the parser, or problems of the toolset.
    "bad": [
        "<results>",
        "a<execute>",
        "<execute>[{}]</execute>",
        '<execute>[{"name":"rm","args":{}}]</execute>',
        '<execute>[{"name":"read","args":{}}]</execute>',
        '<execute>[{"name":"read","args":{"file":1}}]</execute>',
        '<execute>[{"name":"read","args":{"file":"a","lines":0}}]</execute>',
        '<execute>[{"name":"read","args":{"file":"a","lines":1e999}}]</execute>',
        '<execute>[{"name":"read","args":{"file":"a","file":"a"}}]</execute>',
        '<execute>[{"name":"read","args":{"file":"a","mode":"b"}}]</execute>',
        '<execute>[{"name":"read","args":{"file":"\\ud83d"}}]</execute>',
        '<execute>[{"name":"read","args":{"file":"a\nb"}}]</execute>',
        '<execute>[{"name":"ls"}]</execute>',
        '<execute>[{"name":"ls","args":{}}] x</execute>',
        '<execute>[{"name":"ls","args":{}},]</execute>',
        '<execute>[{"name":"ls","args":{}}]</execute',
        'x <results>[]</results> <execute>[{"name":"ls","args":{}}]</execute>',
    ],
    # Turns without an error that the subset leaves out.
    "left out": [
        "<think>open",
        "<execute>[]</execute>",
        '<execute>[{"args":{},"name":"ls"}]</execute>',
        '<execute>[{"id":1,"name":"ls","args":{}}]</execute>',
        '<execute>[{"name":"ls","args":{"more":1}}]</execute>',
        '<execute>[{"name":"read","args":{"lines":1,"file":"a"}}]</execute>',
        '<execute>[{"name":"ls","args":{}}]\t</execute>',
        "a\0b",
    ],
}

XML_ELEMENTS = {
    "good": [
        "Hi.<end>",
        "<execute><ls/></execute>",
        "<think>x</think><execute>\n  <read><file>a &lt; b ]] > ]&gt; é</file></read>\n  <ls></ls>\n</execute>",
        "<execute><read><file><![CDATA[<b>&amp;</file></b>]]]></file> <lines>12</lines></read></execute>",
        "<execute><read><file></file></read></execute>",
    ],
    "bad": [
        "<execute><read/></execute>",
        "<execute><rm/></execute>",
        "<execute><read><file>a<b></file></read></execute>",
        "<execute><read><file>a & b</file></read></execute>",
        "<execute><read><file>a]]>b</file></read></execute>",
        "<execute><read><file>\x01</file></read></execute>",
        "<execute><read><file>a</file><lines>0</lines></read></execute>",
        "<execute><read><file>a</file><lines> 1</lines></read></execute>",
        "<execute><read><file>a</file><file>a</file></read></execute>",
        "<execute><read><file>a</file></ls></execute>",
        "<execute>x<ls/></execute>",
        "<execute><ls/><!-- --></execute>",
        "<execute><ls/></execute >",
    ],
    "left out": [
        "<execute></execute>",
        "<execute><ls /></execute>",
        "<execute><read><lines>1</lines><file>a</file></read></execute>",
        "<execute><read><file>&#65;</file></read></execute>",
    ],
}

DELIMITER = {
    "good": [
        "",
        "§respond: Hi.",
        "§think: a § b\n  §x [SYSTEM] [SYSTEM:x §\n\n§respond: x §end y\n§end",
        '§call: {"name": "ls", "args": {}}\n§execute',
        """§think:hm
§respond: On it.\r

§call: {"name": "read", "args": {"file": "\\n§execute"}}
§call: {"name": "ls", "args": {}}
§execute""",
    ],
    "bad": [
        "§think: a\n  §result: b",
        "§respond: a\n[SYSTEM: b]",
        "§respond: a\r§call: b",
        '§call: {"name": "ls", "args": {}}',
        '§call: {"name": "ls", "args": {}}\n§end',
        '§call: {"name": "rm", "args": {}}\n§execute',
        '§call: {"name": "read", "args": {"file": 1}}\n§execute',
        '§call: {"name": "ls", "args": {}} please\n§execute',
        '§call: {"name": "ls", "args": {}\n§execute',
    ],
    "left out": [
        "Hi.",
        "§execute",
        "§respond: §endless",
        '§call: {"name": "ls"}\n§execute',
        '§CALL: {"name": "ls", "args": {}}\n§EXECUTE',
        '§call: {"name": "ls", "args": {}}\n§respond: and\n§execute',
        '§call: {"name": "ls", "args": {}} §execute',
    ],
}

UPPER = {
    kind: [
        text.replace("§think:", "§THINK:")
        .replace("§respond:", "§RESPOND:")
        .replace("§call:", "§CALL:")
        .replace("\n§execute", "\n§EXECUTE")
        .replace("§end", "§END")
        for text in texts
    ]
    for kind, texts in DELIMITER.items()
    if kind != "left out"
}

TURNS = {
    "xml-json": XML_JSON,
    "xml-elements": XML_ELEMENTS,
    "delimiter": DELIMITER,
    "delimiter-upper": UPPER,
}


def has_error(text, toolset):
    """Whether a parser finds an error in a turn or discards some of it, or a call has a problem."""
    parser = Parser(toolset, clock=None)
    events = [*parser.feed(text), *parser.close(finished=True)]
    calls = [event for event in events if event["type"] == "call"]
    has_problem = any(toolset.check(call).problems for call in calls)
    is_error = any(event["type"] == "error" for event in events)
    return is_error or has_problem or parser.discarded > 0
