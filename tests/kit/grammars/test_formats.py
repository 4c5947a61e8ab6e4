"""Grammars of the formats that models write: what the writer writes is in them, errors are not."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogwire import Format, RenderError, Toolset, format_named, parse, render_calls
from cogwire.tooling import format_names, notation
from cogwire_kit.conformance import formats
from cogwire_kit.grammars import GrammarError, turn_grammar, write
from tests.core.wire.described.drawing import descriptions
from tests.kit.grammars.reading import Matcher, Writer
from tests.kit.grammars.turns import TEXTS, has_error
from tests.rows import rows


def tool(name, required=(), **properties):
    """Return a tool that takes these arguments and no others."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "parameters": {**schema, "additionalProperties": False}}


STRING = {"type": "string"}
FORMATS = TEXTS["formats"]
READ, SEARCH = FORMATS["tools"]
#: A format with a text as its payload has one tool.
ONE_TOOL, GOOD, BAD = FORMATS["one tool"], FORMATS["good"], FORMATS["bad"]
DESCRIBED = [name for name in format_names() if isinstance(format_named(name).format, Format)]


def written(batch, name):
    """Return calls as the format writes them: its texts where all values are texts."""
    is_text = notation(name).is_text
    calls = []
    for tool_name, args in batch:
        texts = {key: as_text(value) for key, value in args.items()} if is_text else args
        calls.append({"name": tool_name, "args": texts})
    return render_calls(calls, name)


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def of(name):
    """Return the toolset for a format, calls that fit it, and some that do not."""
    if name in ONE_TOOL:
        one = ONE_TOOL[name]
        ((arg, _),) = one["parameters"]["properties"].items()
        good = [(one["name"], {arg: text}) for text in ("", "ls -l\n", "a ``` <code> `x` </")]
        return Toolset([one], name), good, []
    return Toolset([READ, SEARCH], name), GOOD, BAD


#: A format of each kind of payload, and with a section, headers, types, or nothing around calls.
CHOSEN = ["apertus", "harmony", "kimi-k2", "qwen3-coder", "gemma-4", "lfm2", "smolagents"]


@rows("name", CHOSEN)
def test_a_format_has_a_grammar(name):
    check_format(name)


@pytest.mark.verify
@rows("name", sorted({*DESCRIBED} - {*CHOSEN}))
def test_every_other_format_has_a_grammar(name):
    check_format(name)


def check_format(name):
    """Hold the grammar of a format against its writer and its parser."""
    toolset, good, bad = of(name)
    grammar = turn_grammar(toolset)
    matcher = Matcher(grammar)
    text = f"{'a < b'.join(notation(name).think)}\nSo.\n{written(good, name)}"
    assert not has_error(text, toolset), text
    assert matcher.accepts(text), text
    assert not matcher.accepts(f"{text[:-4]}"), text
    for call in bad:
        assert not matcher.accepts(written([call], name)), call
    for seed in range(3):
        text = Writer(grammar, seed).text()
        assert not has_error(text, toolset), text
    check_markers(name, toolset, matcher, good[0])


def check_markers(name, toolset, matcher, call):
    """Hold a grammar against its parser where a marker is in a think, in prose, or after a call."""
    think, end = notation(name).think
    parts = [think, "a", f"{end}b", "b", f"{written([call], name)}x", "y"]
    markers = sorted(set(texts_in(format_named(name).format.to_json())))
    for at, marker in itertools.product(range(len(parts) + 1), markers):
        text = "".join([*parts[:at], marker, *parts[at:]])
        # The parser is asked first, because the matcher takes far longer.
        assert not has_error(text, toolset) or not matcher.accepts(text), text


def texts_in(value):
    """Yield the texts in a description: its markers, and some others."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


@pytest.mark.verify
@pytest.mark.parametrize("name", CHOSEN[::4])
def test_the_corpus_of_a_format(name):
    """No text with an error is in the grammar, and the writer's own texts are."""
    form = formats.load(name)
    tools = [
        each for each in form.tools if each["name"] in ("read", "write", "run", "search", "ls")
    ]
    toolset = Toolset(tools, name)
    matchers = {"prose": Matcher(turn_grammar(toolset, maps="any"))}
    counted = 0
    for case in form.cases:
        start = case.options.get("start", "prose")
        if start not in matchers:
            matchers[start] = Matcher(turn_grammar(toolset, maps="any", start=start))
        events = parse(case.text, name, clock=None, start=start)
        calls = [event for event in events if event["type"] == "call"]
        if any(event["type"] == "error" for event in events) or any(
            toolset.check(call).problems for call in calls
        ):
            assert not matchers[start].accepts(case.text), case.id
        elif calls and (text := rewritten(events, toolset)):
            counted += 1
            assert matchers["prose"].accepts(text), case.id
    assert counted > 20


def rewritten(events, toolset):
    """Return a turn as the writer writes it, `None` if it has what grammars leave out."""
    marks = notation(toolset)
    parts = []
    batches = 0
    for kind, group in itertools.groupby(events, key=lambda event: event["type"]):
        if kind == "call":
            calls = [json.loads(event["content"]) for event in group]
            if not all(in_form(call, toolset) for call in calls):
                return None
            batches += 1
            parts.append(render_calls(calls, toolset))
        elif kind in ("think", "respond"):
            ends = marks.think if kind == "think" else marks.respond
            parts += [event["content"].join(ends) for event in group]
    # A section, or a list, is the only one of its turn.
    return marks.joint.join(parts) if batches == 1 else None


def in_form(call, toolset):
    """Whether a call has declared arguments in the order of the schema, and short numbers."""
    (found,) = (each for each in toolset.tools if each.name == call["name"])
    declared = list(found.parameters.get("properties", {}))
    names = list(call["args"])
    is_long = any(len(word) > 15 for word in json.dumps(call["args"]).split() if word[-1].isdigit())
    is_ordered = [name for name in declared if name in names] == names
    return is_ordered and not is_long and "9007199254740993" not in json.dumps(call)


# -- Values that may contain a marker, and calls without markers ----------------------------------


def judged(toolset, good, bad, **options):
    """Assert that these texts, and no others, are in a grammar, and return the grammar."""
    grammar = turn_grammar(toolset, **options)
    matcher = Matcher(grammar)
    assert [text for text in good if not matcher.accepts(text) or has_error(text, toolset)] == []
    assert [text for text in bad if matcher.accepts(text)] == []
    return grammar


def test_a_value_between_markers_contains_the_closer():
    def call(file):
        return f'<function name="read"><param name="file">{file}</param></function>'

    raw = '<![CDATA[</param> ]]> <param name="file">]]>'
    tools = Toolset([READ, SEARCH], "minicpm5")
    lists = call('["</param>"]').replace("read", "search").replace("file", "where")
    bad = [call("a</param>"), call(f"{raw[:-1]}"), call(f" {raw}</param>"), lists]
    good = [call("a"), call("a <b>"), call(raw), call("<![CDATA[]]>"), call("<![CDATA]]>")]
    good.append(lists.replace('["', '<![CDATA[["').replace('"]', '"]]]>'))
    judged(tools, good, bad)


def test_a_value_ends_with_its_own_key():
    mark = "]<]minimax[>["

    def call(name, **values):
        inner = "".join(f"{mark}<{key}>{values[key]}{mark}</{key}>" for key in values)
        call = f'{mark}<invoke name="{name}">{inner}{mark}</invoke>'
        return f"{mark}<tool_call>{call}{mark}</tool_call>"

    tools = Toolset([READ, SEARCH], "minimax-m3")
    good = [call("read", file=f"a{mark}</lines>{mark}<k>", lines=2)]
    good += [call("search", where='["]<]"]', within='{"a": null}')]
    bad = [call("read", file=f"a{mark}</file>"), call("read", file=f"{mark}<file>a{mark}</file>")]
    bad += [call("search", where=f'["{mark}</where>"]'), call("read", file="a").replace("/f", "/g")]
    word = "tool 'search': at '/properties/word'"
    assert judged(tools, good, bad).narrowed == (
        "tool 'read': at '': no text of 'file' contains ]<]minimax[>[<file>",
        f"{word}: the characters ']' are written only where the length is not counted",
        "tool 'search': at '': no text of 'word' contains ]<]minimax[>[<word>",
    )


LEFT_OUT = "tool 'f': at '/properties/x/pattern': the characters {!r}, with which a marker begins, are left out"


@rows("name, pattern, good, bad, left_out", [tuple(each.values()) for each in TEXTS["patterns"]])
def test_a_pattern_with_characters_of_the_marker_after_the_text(name, pattern, good, bad, left_out):
    tools = [tool("f", ["x"], x={"type": "string", "pattern": pattern})]

    def call(text):
        return written([("f", {"x": text})], name)

    toolset = Toolset(tools, name)
    grammar = judged(toolset, map(call, good), map(call, bad), calls="must")
    texts = [Writer(grammar, seed).text() for seed in range(20)]
    assert [text for text in texts if has_error(text, toolset)] == []
    assert grammar.narrowed == ((LEFT_OUT.format(left_out),) if left_out else ())


def test_a_pattern_of_which_every_text_has_a_lost_character_is_refused_with_its_place():
    tools = [tool("f", ["x"], x={"type": "string", "pattern": "<"})]
    with pytest.raises(
        GrammarError, match="at '/properties/x/pattern': the characters '<', with which"
    ):
        turn_grammar(Toolset(tools, "glm-4.5"))


def typed(**payload):
    """Return a format whose keys end with one of `types`, and what writes a call of `read`."""
    tags = {"tool": ["", '">'], "key": ['<with name="', ""], "value": ["", "</with>"]}
    described = {"kind": "tags", **tags, **payload}
    form = Format.from_json(
        {"name": "own", "call": ['<use tool="', "</use>"], "payload": described}
    )
    return form, lambda arg: f'<use tool="read"><with name="{arg}</with></use>'


def test_keys_that_end_with_a_type_of_which_every_value_is_a_text():
    types = {'">': "text", '" as="py">': "text"}
    form, call = typed(types=types, literals="python", words={"yes": "true", "nil": "null"})
    read = tool(
        "read", n={"type": "integer"}, deep={"type": "boolean"}, u={"type": ["string", "null"]}
    )
    good = ['n" as="py">5', 'n">5', 'deep" as="py">yes', 'deep">True', 'u">a', 'u" as="py">nil']
    good += ['u">null', 'u" as="py">None']
    bad = ['n" as="py">a', 'deep">no', 'n" as="js">5']
    judged(Toolset([read], form), [*map(call, good)], [*map(call, bad)])


def test_keys_that_end_with_no_type_for_some_values():
    form, call = typed(types={'">': "text", '" n>': "number"})
    read = tool(
        "read",
        n={"type": ["integer", "null"]},
        f=STRING,
        o={"type": "array", "items": STRING},
        k={"const": 1},
    )
    good = [call('n" n>5'), call('f">5'), call('k" n>1')]
    grammar = judged(Toolset([read], form), good, [call('n" n>null'), call('o">[]')])
    lacks = "`types` has no closer of a key for type"
    assert grammar.narrowed == (
        f"tool 'read': at '/properties/n': {lacks} null",
        f"tool 'read': at '/properties/o': {lacks} array",
    )


def test_an_object_among_literals_is_also_json():
    """The template of LFM2 writes an argument that is an object so, and a list as Python does."""
    inner = {"type": "object", "properties": {"b": {"type": "boolean"}, "n": {"type": "null"}}}
    listed = {"type": "array", "items": inner}
    tools = Toolset([tool("f", x={"anyOf": [inner, listed]}, y={"const": {"a": True}})], "lfm2")

    def call(value):
        return f"<|tool_call_start|>[f({value})]<|tool_call_end|>"

    good = ['x={"b": true, "n": null}', "x={'b': True, 'n': None}", "x=[{'b': True}]", "x={}"]
    good += ["y={'a': True}", 'y={"a": true}']
    bad = ['x={"b": True}', "x={'b': true}", 'x=[{"b": true}]', 'x={"c": true}', 'y={"a": false}']
    judged(tools, map(call, good), map(call, bad))


def test_a_turn_begins_with_calls_without_markers():
    tools = Toolset([READ], "llama3-json")
    call = '{"name": "read", "parameters": {"file": "a"}}'
    think = " <think>a; {</think>\n"
    good = [call, f"{think}{think}{call}", f"{call};\n{call}", f"{call} Done.<think>a</think>"]
    bad = [f"Hi. {call}", f"{call}{call}", f"{call};", call[:-1], call.replace("read", "rm")]
    judged(tools, good, [*bad, "{"])
    judged(tools, good[:3], [*bad, f"{call} Done."], calls="must")
    assert Matcher(turn_grammar(tools, start="think")).accepts(f"a</think>\n{call}")
    pythonic = Toolset([READ], "llama4-pythonic")
    call = 'read(file="a")'
    judged(pythonic, [f"[{call}, {call}]", f"[{call}] Hi."], [f"[{call}];[{call}]", f"a [{call}]"])
    around = Toolset([READ], "xlam-1")
    call = '{"name": "read", "arguments": {"file": "a"}}'
    good = [f'{{"tool_calls": [{call}, {call}]}}', f'[TOOL_CALLS]{{"tool_calls": [{call}]}}<|EOT|>']
    bad = [f"[{call}]", f'{{"tool_calls": {call}}}', good[0].replace("read", "rm"), f"a {good[0]}"]
    judged(around, [*good, "a"], [*bad, call, '{"tool_calls": []}', "{"])


# -- Where a turn that must end with calls ends, and white space that could be another token's ----


ONE = '{"file": "a"}'
HARMONY = f"<|start|>assistant to=functions.read<|message|>{ONE}"


def with_ends(row):
    """Return the format of a row, which may have other `ends`."""
    if "ends" not in row:
        return row["format"]
    described = format_named(row["format"]).format.to_json()
    return Format.from_json({**described, "ends": row["ends"]})


#: Formats, and turns that are in their grammars and that are not.
WRITTEN_AROUND = [(with_ends(row), row["written"], row["others"]) for row in TEXTS["around"]]
around = rows("dialect, good, bad", WRITTEN_AROUND)


@around
def test_texts_around_calls(dialect, good, bad):
    judged(Toolset([READ], dialect), good, bad, calls="must")


def test_some_calls_of_many_end_the_turn():
    """A closer of calls that is one of the `ends` is the last marker of the turn."""
    matcher = Matcher(turn_grammar(Toolset([READ], "harmony"), start="header"))
    call = HARMONY.removeprefix("<|start|>assistant")
    assert matcher.accepts(f"{call}<|end|>{HARMONY}<|call|>")
    assert not matcher.accepts(f"{call}<|call|>{HARMONY}<|call|>")


# -- Headers, special tokens, and what is refused -------------------------------------------------


def test_a_turn_that_begins_in_a_header():
    toolset = Toolset([READ], "harmony")
    matcher = Matcher(turn_grammar(toolset, start="header"))
    call = 'commentary to=functions.read <|constrain|>json<|message|>{"file": "a"}<|call|>'
    think = "<|channel|>analysis<|message|>Hm.<|end|>"
    assert matcher.accepts(f"<|channel|>{call}")
    assert matcher.accepts(f"{think}<|start|>assistant<|channel|>{call}")
    assert matcher.accepts("<|channel|>final<|message|>Hi.<|return|>")
    assert not matcher.accepts(f"<|channel|>{call.replace('read', 'rm')}")
    assert not matcher.accepts("<|channel|>analysis<|message|>Hm.")
    with pytest.raises(GrammarError, match="no header can be begun in the prompt"):
        turn_grammar(Toolset([READ], "hermes"), start="header")
    with pytest.raises(GrammarError, match="no header"):
        turn_grammar(Toolset([READ], "delimiter"), start="header")


def test_a_format_of_ones_own():
    form = Format.from_json(
        {
            "name": "own",
            "call": ["<<call", ">>"],
            "payload": {"kind": "object", "args": "with"},
            "ends": ["<<stop>>"],
            "think_ends_at_call": True,
        }
    )
    toolset = Toolset([READ], form)
    matcher = Matcher(turn_grammar(toolset))
    call = '<<call {"name": "read", "with": {"file": "a"}} >>'
    assert matcher.accepts(f"a < b {call} and {call}<<stop>>")
    assert not matcher.accepts(f"<think>{call}</think>")
    must = Matcher(turn_grammar(toolset, calls="must"))
    assert must.accepts(f"<think>a</think>{call}\n<<stop>>")
    assert not must.accepts("<think>a</think>")


@rows("closer", ['">', "1]a"])
def test_a_lookalike_is_escaped_as_the_writer_escapes_it(closer):
    """In strings alone: a quote that begins one is not."""
    form = Format.from_json({"name": "own", "call": ["<c>", closer], "payload": {"kind": "object"}})
    toolset = Toolset([tool("a", "x", x={"const": f"b{closer}"})], form)
    grammar = turn_grammar(toolset)
    assert Matcher(grammar).accepts(
        render_calls([{"name": "a", "args": {"x": f"b{closer}"}}], form)
    )
    for seed in range(9):
        assert not has_error(Writer(grammar, seed).text(), toolset)


@pytest.mark.verify
@settings(max_examples=25)
@given(described=descriptions(), args=st.sampled_from([{}, {"x": "a"}, {"x": '<"\n'}]))
def test_what_is_written_in_a_drawn_format_is_in_its_grammar(described, args):
    """Whatever white space is between its markers and its calls."""
    payload, name, form = described["payload"], "a", Format.from_json(described)
    if payload["kind"] == "text":
        name, args = payload["tool"], {payload["arg"]: args.get("x", "")}
    declared = tool(name, **dict.fromkeys(args, STRING))
    try:
        text = render_calls([{"name": name, "args": args}], form)
        grammar = turn_grammar(Toolset([declared], form))
    except GrammarError as reason:
        assert "begins with" in str(reason)  # noqa: PT017 - most formats have one
    except RenderError:
        pass  # such a call cannot be written
    else:
        assert Matcher(grammar).accepts(text)


def test_what_follows_a_marker_does_not_make_another_one_of_it():
    own = {"name": "own", "call": ["<c>", "</c>"], "payload": {"kind": "object"}}
    others = {"think": ["<a>", "</a>"], "result": [["<a>b", "<c>r"], "c"], "ends": ["<i>d"]}
    form = Format.from_json({**own, **others, "ignored": ["<i>", "<j>"]})
    matcher = Matcher(turn_grammar(Toolset([tool("f")], form)))
    for text in ("<a>xb</a>", "<a>x<a>b</a>y", "x<j>d", '<c>{"name": "f", "arguments": {}}</c>'):
        assert matcher.accepts(text)
    for text in ("<a>b</a>", "x<a>b</a>y", "x<i>y"):
        assert not matcher.accepts(text)
    form = Format.from_json({**own, "result": ["<c> r", "c"]})
    with pytest.raises(GrammarError, match="'<c> r' begins with '<c>': no grammar can tell"):
        turn_grammar(Toolset([tool("f")], form))


SPECIAL = {"<think>": 7, "</think>": 8, "<tool_call>": 9}


def test_special_tokens_are_named_by_their_numbers():
    toolset = Toolset([READ], "hermes")
    grammar = turn_grammar(toolset, special=SPECIAL)
    lark = write(grammar, "lark")
    assert {f"<[{number}]>" for number in (7, 8, 9)} <= set(lark.replace(")", " ").split())
    text = (
        '<think>a</think>b<tool_call>\n{"name": "read", "arguments": {"file": "a"}}\n</tool_call>'
    )
    assert Matcher(grammar).accepts(text)
    assert not Matcher(grammar).accepts(text.replace("<tool_call>", "<think>"))
    # Where an engine reads the characters of a token, it is written as its text.
    assert "<[" not in write(grammar, "gbnf") + write(grammar, "xgrammar")


@rows(
    "name, tools, reason",
    [
        (
            "smolagents",
            [READ],
            "tool 'read': at '': the format has only calls of the tool 'python_inter",
        ),
        ("gemma-4", [tool("a:b")], "no call can have the name 'a:b'"),
        ("qwen3-coder", [tool("a>b")], "no call can have the name 'a>b'"),
        ("lfm2", [tool("f", ["a b"])], "no call that fits can be written"),
        (
            "lfm2",
            [{"name": "f", "parameters": {"const": {"a": 1}}}],
            "literals cannot express whole objects in `enum` or `const`",
        ),
    ],
)
def test_what_a_format_cannot_write_is_refused(name, tools, reason):
    with pytest.raises(GrammarError, match=reason):
        turn_grammar(Toolset(tools, name))


def test_what_a_format_cannot_write_is_reported():
    narrowed = turn_grammar(
        Toolset([tool("f", **{"a<b": STRING, "c": STRING})], "glm-4.5")
    ).narrowed
    assert narrowed == ("tool 'f': at '': no argument can have the name 'a<b'",)
    with pytest.raises(RenderError):
        render_calls([{"name": "f", "args": {"a<b": ""}}], "glm-4.5")
