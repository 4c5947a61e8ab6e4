"""Texts that grow with their argument, each near a way to be slow."""

X = '<execute>[{"name":"a","args":{"x":'

E = "<execute><w><a>"
CALL = '§call: {"name":"a","args":{"x":'
ANSWERED = '§call: {"name":"a"}\n§execute\n'

GROWING = {
    "xml-json": {
        "prose": lambda size: "word " * (size // 5),
        "marker starts": lambda size: "<" * size,
        "half markers": lambda size: "<think" * (size // 6),
        "white space": lambda size: " " * size,
        "white space and a letter": lambda size: ("a" + " " * 99) * (size // 100),
        "white space and half a marker": lambda size: (" " * 95 + "<thin") * (size // 100),
        "a think": lambda size: "<think>" + "</thin" * (size // 6),
        "thinks": lambda size: "<think>a</think>" * (size // 16),
        "a string": lambda size: X + '"' + "a" * size,
        "closers in a string": lambda size: X + '"' + "</execute>" * (size // 10),
        "escapes": lambda size: X + '"' + '\\"' * (size // 2),
        "unicode escapes": lambda size: X + '"' + "\\ud83d\\ude00" * (size // 12),
        "numbers": lambda size: X + "[" + "1," * (size // 2),
        "objects": lambda size: X + "[" + '{"a":1},' * (size // 8),
        "members": lambda size: X + "{" + ",".join(f'"{n}":1' for n in range(size // 8)),
        "white space in a block": lambda size: "<execute>" + " " * size,
        "white space in an element": lambda size: X + " " * size,
        "small calls": lambda size: "<execute>[" + '{"name":"a","args":{}},' * (size // 23),
        "calls with colons in strings": lambda size: (
            "<execute>[" + '{"name":"a","args":{"x":"::::::::"}},' * (size // 38)
        ),
        "calls with pairs in escapes": lambda size: (
            "<execute>[" + '{"name":"a","args":{"x":"\\ud83d\\ude00"}},' * (size // 43)
        ),
        "calls with long numbers": lambda size: (
            "<execute>[" + '{"name":"a","args":{"x":1.00000000000000}},' * (size // 44)
        ),
        "a call of brackets": lambda size: X + "[" * (size // 2) + "]" * (size // 2) + "}}",
        "many answers": lambda size: (
            "<execute>["
            + ",".join(['{"name":"a","args":{}}'] * (size // 100))
            + "]</execute><results>["
            + '{"tool":"a","status":"success","content":{"x":":"}},' * (size // 100)
        ),
        "a broken block": lambda size: "<execute>x" + "</execut" * (size // 8),
        "void blocks": lambda size: (
            '<execute>[{"name":"a","args":{"x":1 2}}]</execute>\n' * (size // 50)
        ),
        "discarded": lambda size: "<end>" + "<think>" * (size // 7),
        "discarded after a broken block": lambda size: (
            "<execute>x" + "a" * (size // 2) + "</execute>" + "b" * (size // 2)
        ),
        "forged results": lambda size: "<results>" + "</result" * (size // 8),
        "results": lambda size: "<execute>[]</execute><results>[" + "1" * size,
        "waiting for results": lambda size: "<execute>[]</execute>" + " " * size,
        "rounds": lambda size: "<execute>[]</execute><results>[]</results>a<end>" * (size // 48),
    },
    "xml-elements": {
        "prose": lambda size: "a < b " * (size // 6),
        "white space in a block": lambda size: "<execute>" + " " * size,
        "white space in a tag": lambda size: "<execute><w" + " " * size,
        "a name": lambda size: "<execute><w" + "w" * size,
        "a name in an end tag": lambda size: (
            "<execute><" + "w" * (size // 2) + "></" + "w" * (size // 2)
        ),
        "a value": lambda size: E + "a" * size,
        "brackets in a value": lambda size: E + "]" * size,
        "ends of sections in a value": lambda size: E + "]]&gt;" * (size // 6),
        "references": lambda size: E + "&amp;" * (size // 5),
        "numbers of references": lambda size: E + "&#65;&#x0041;" * (size // 13),
        "one long reference": lambda size: E + "&#" + "0" * size,
        "sections": lambda size: E + "<![CDATA[x]]>" * (size // 13),
        "a section": lambda size: E + "<![CDATA[" + "x" * size,
        "ends in a section": lambda size: E + "<![CDATA[" + "]] >" * (size // 4),
        "brackets in a section": lambda size: E + "<![CDATA[" + "]" * size,
        "tools": lambda size: "<execute>" + "<a/>" * (size // 4),
        "tools with arguments": lambda size: "<execute>" + "<a><x>1</x></a>\n" * (size // 16),
        "arguments": lambda size: (
            "<execute><w>" + "".join(f"<a{n}>1</a{n}>" for n in range(size // 14))
        ),
        "empty arguments": lambda size: (
            "<execute><w>" + "".join(f"<a{n}/>" for n in range(size // 8))
        ),
        "junk that is deep": lambda size: "<execute><w><a><b>" + "<c>" * (size // 3),
        "a broken block": lambda size: "<execute>x" + "</execut" * (size // 8),
        "rounds": lambda size: "<execute><a/></execute><think>b</think>c<end>" * (size // 45),
    },
    "delimiter": {
        "prose": lambda size: "word " * (size // 5),
        "section signs": lambda size: "§" * size,
        "lines of section signs": lambda size: "\n§" * (size // 2),
        "half markers": lambda size: "\n§thin" * (size // 6),
        "markers within lines": lambda size: " a §end" * (size // 7),
        "white space at the start of lines": lambda size: "\n   " * (size // 4),
        "white space": lambda size: " " * size,
        "white space and half a marker": lambda size: ("\n" + " " * 95 + "§thi") * (size // 100),
        "thinks": lambda size: "§think:" * (size // 7),
        "segments": lambda size: "§think: a\n§respond: b\n" * (size // 22),
        "calls": lambda size: '§call: {"name":"a"}\n' * (size // 20),
        "calls without white space": lambda size: '§call:{"name":"a"}' * (size // 18),
        "broken calls": lambda size: "§call: {x}\n" * (size // 11),
        "half-read calls": lambda size: '§call: {"name":"a","args":{"x":[1,2,3 4\n' * (size // 41),
        "calls that trail": lambda size: '§call: {"name":"a"}x\n' * (size // 21),
        "white space in a payload": lambda size: "§call:" + " " * size,
        "white space after a call": lambda size: '§call: {"name":"a"}' + " " * size,
        "a string": lambda size: CALL + '"' + "a" * size,
        "markers in a string": lambda size: CALL + '"' + "§execute" * (size // 8),
        "numbers": lambda size: CALL + "[" + "1," * (size // 2),
        "a call of brackets, broken": lambda size: CALL + "[" * size + "\n§",
        "turns": lambda size: '§call:{"name":"a"}§execute§end' * (size // 30),
        "waiting for results": lambda size: "§execute" + " " * size,
        "a result": lambda size: ANSWERED + "§result: " + "a" * size,
        "lines of a result": lambda size: ANSWERED + "§result: " + "a\n§" * (size // 3),
        "many answers": lambda size: (
            '§call: {"name":"a"}\n' * (size // 40) + "§execute" + "\n§result: 1" * (size // 40)
        ),
        "forged results": lambda size: "§result: a\n" * (size // 11),
        "a forged result": lambda size: "§result: " + "a\n" * (size // 2),
        "discarded": lambda size: "§end" + "§think:" * (size // 7),
    },
    "delimiter-upper": {
        "half markers": lambda size: "\n[SYSTEM:" * (size // 9),
        "brackets": lambda size: "\n[" * (size // 2),
        "forged results": lambda size: "[SYSTEM: " * (size // 9),
        "forged results, closed": lambda size: "[SYSTEM: a]\n" * (size // 12),
        "brackets in a forged result": lambda size: "[SYSTEM: " + "]" * size,
        "a result": lambda size: ANSWERED + "[SYSTEM: " + "a" * size,
        "brackets in a result": lambda size: ANSWERED + "[SYSTEM: " + "]" * size,
        "lines in a result": lambda size: ANSWERED + "[SYSTEM: " + "a] \n" * (size // 4),
        "an array in a result": lambda size: ANSWERED + "[SYSTEM: " + "[1]," * (size // 4),
        "white space after a result": lambda size: ANSWERED + "[SYSTEM: a]\n" + " " * size,
        "many answers": lambda size: (
            '§CALL: {"name":"a"}\n' * (size // 40) + "§EXECUTE" + "\n[SYSTEM: 1]" * (size // 40)
        ),
        "rounds": lambda size: '§CALL: {"name":"a"}\n§EXECUTE\n[SYSTEM: b]\n' * (size // 42),
        "rounds without calls": lambda size: "§EXECUTE\n[SYSTEM: []]\n" * (size // 22),
        "too many answers": lambda size: "§EXECUTE" + "\n[SYSTEM: []]" * (size // 13),
    },
}

#: Each of them, as dialect and name.
FAMILIES = [(dialect, name) for dialect, families in GROWING.items() for name in families]
