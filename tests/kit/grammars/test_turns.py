"""The grammars of turns: by hand, and on the tools of our own strategies."""

import json
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cogwire import Limits, Toolset, parse, render_calls
from cogwire.wire.blocks.elements_text import is_name
from cogwire_kit import strategies
from cogwire_kit.grammars import ENGINES, GrammarError, turn_grammar, write
from cogwire_kit.grammars.nodes import Chars, Reference, parts_of
from tests.kit.grammars.reading import Matcher, Writer
from tests.kit.grammars.turns import TEXTS, TOOLS, TURNS, has_error
from tests.rows import rows


def made(tools, dialect, **options):
    """Return the toolset of drawn tools, and its grammar; a draw without one does not count."""
    toolset = Toolset([tool.definition for tool in tools], dialect)
    try:
        return toolset, turn_grammar(toolset, **options)
    except GrammarError:
        assume(False)


@rows("dialect", TURNS)
def test_turns_by_hand(dialect):
    toolset, turns = Toolset(TOOLS, dialect), TURNS[dialect]
    matcher = Matcher(turn_grammar(toolset))
    assert [text for text in turns["good"] if not matcher.accepts(text)] == []
    assert [text for text in turns["good"] if has_error(text, toolset)] == []
    assert [text for text in turns["bad"] if matcher.accepts(text)] == []
    assert [text for text in turns["bad"] if not has_error(text, toolset)] == []
    left_out = turns.get("left out", [])
    assert [text for text in left_out if matcher.accepts(text) or has_error(text, toolset)] == []


def test_a_turn_that_begins_in_think():
    toolset = Toolset(TOOLS)
    matcher = Matcher(turn_grammar(toolset, start="think"))
    assert matcher.accepts('hm <execute></think>So.<execute>[{"name":"ls","args":{}}]</execute>')
    assert not matcher.accepts('So.<execute>[{"name":"ls","args":{}}]</execute>')
    matcher = Matcher(turn_grammar(Toolset(TOOLS, "delimiter"), start="think"))
    assert matcher.accepts('hm\n§call: {"name": "ls", "args": {}}\n§execute')
    assert matcher.accepts("hm\n§respond: So.")
    assert not matcher.accepts("hm\n  §RESULT: x")


@rows("dialect", TURNS)
def test_a_turn_that_must_end_with_calls(dialect):
    matcher = Matcher(turn_grammar(Toolset(TOOLS, dialect), calls="must"))
    call = render_calls([{"name": "ls", "args": {}}], dialect)
    assert matcher.accepts(call)
    assert not matcher.accepts("")
    assert not matcher.accepts(TURNS[dialect]["good"][0])


def test_without_tools_no_block_is_allowed():
    matcher = Matcher(turn_grammar(Toolset([])))
    assert matcher.accepts("Hi.")
    assert not matcher.accepts("<execute>[]</execute>")
    assert Matcher(turn_grammar(Toolset([], "xlam"))).accepts("<think>a</think>Hi.")
    with pytest.raises(GrammarError, match="no tools"):
        turn_grammar(Toolset([]), calls="must")


def test_limits_are_kept():
    tool = {
        "name": "f",
        "parameters": {"type": "object", "properties": {"x": {}}, "required": ["x"]},
    }
    toolset, limits = Toolset([tool]), Limits(calls=2, depth=5, digits=4)
    matcher = Matcher(turn_grammar(toolset, limits=limits))

    def accepts(*values):
        calls = ",".join(f'{{"name":"f","args":{{"x":{value}}}}}' for value in values)
        text = f"<execute>[{calls}]</execute>"
        is_right = not any(e["type"] == "error" for e in parse(text, limits=limits, clock=None))
        assert is_right == matcher.accepts(text)
        return is_right

    assert accepts("1", "1")
    assert not accepts("1", "1", "1")
    assert accepts("[[1]]")
    assert not accepts("[[[1]]]")
    assert accepts("1234")
    assert not accepts("12345")


def test_a_step_of_numbers_has_a_grammar():
    """Its rules refer to each other in so many ways that each may be looked at only once."""
    step = {"type": "integer", "multipleOf": 31}
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": step}}}
    matcher = Matcher(turn_grammar(Toolset([tool])))
    for number in (31, 32, 310_031):
        text = render_calls([{"name": "f", "args": {"x": number}}])
        assert matcher.accepts(text) == (number % 31 == 0)


@pytest.mark.verify
@pytest.mark.parametrize("dialect", TURNS)
@given(data=st.data())
def test_every_text_of_the_grammar_is_a_turn_without_a_problem(dialect, data):
    tools = data.draw(strategies.toolsets(dialect, least=1))
    toolset, grammar = made(tools, dialect, calls=data.draw(st.sampled_from(["may", "must"])))
    matcher = Matcher(grammar)
    for seed in range(3):
        text = Writer(grammar, seed).text()
        assert not has_error(text, toolset), text
        assert matcher.accepts(text)


@pytest.mark.verify
@pytest.mark.parametrize("dialect", TURNS)
@given(data=st.data())
def test_calls_that_fit_are_in_the_grammar_and_others_are_not(dialect, data):
    tools = data.draw(strategies.toolsets(dialect, least=1))
    toolset, grammar = made(tools, dialect)
    matcher = Matcher(grammar)
    bad = data.draw(strategies.violating_calls(tools, dialect)).call
    if dialect != "xml-elements" or is_name(bad["name"]):
        assert not matcher.accepts(render_calls([bad], dialect))
    good = data.draw(strategies.conforming_calls(tools, dialect)).call
    if call := in_form(good, toolset, grammar):
        assert matcher.accepts(render_calls([call], dialect))


#: What is noted, and is nothing to calls with declared members and short numbers.
HARMLESS = ("only named members are written", "numbers have no exponent, and few digits")


def in_form(call, toolset, grammar):
    """Return a call as the grammar writes it, `None` if it leaves it out, or that is hard to say."""
    (tool,) = (each for each in toolset.tools if each.name == call["name"])
    args = call.get("args", {})
    schema = tool.parameters
    parts = [schema, *schema.get("allOf", ())]
    names = [
        name for part in parts for key in ("properties", "required") for name in part.get(key, ())
    ]
    is_flat = all(is_plain(value) for value in args.values())
    is_whole = all(note.endswith(HARMLESS) for note in grammar.narrowed)
    if not is_whole or not is_flat or not args.keys() <= set(names):
        return None
    return {
        "name": tool.name,
        "args": {name: args[name] for name in dict.fromkeys(names) if name in args},
    }


def is_plain(value):
    """Whether a value is written in one way only: not an object, nor a text that may be one."""
    if isinstance(value, list):
        return all(map(is_plain, value))
    if isinstance(value, str):
        return "{" not in value
    return not isinstance(value, dict) and not re.search("e", json.dumps(value).removesuffix("e"))


@pytest.mark.verify
@given(st.data())
def test_rules_are_named_as_the_engines_require(data):
    dialect = data.draw(st.sampled_from(list(TURNS)))
    _, grammar = made(data.draw(strategies.toolsets(dialect, least=1)), dialect)
    waiting = [(rule.node, rule.is_token) for rule in grammar.rules.values()]
    for node, is_token in waiting:  # the list grows meanwhile
        # Characters are for tokens alone, and tokens are made of tokens.
        assert is_token or not isinstance(node, Chars)
        assert not is_token or not isinstance(node, Reference) or grammar.rules[node.name].is_token
        waiting += ((part, is_token) for part in parts_of(node))
    for name in grammar.rules:
        assert re.fullmatch("[a-z][a-z0-9-]*", name)
    assert all(write(grammar, engine) for engine in ENGINES)


def test_the_dialects_without_grammars_are_refused(monkeypatch):
    monkeypatch.setattr("cogwire_kit.grammars.turns._TURNS", {})
    with pytest.raises(GrammarError, match="no grammars of xml-json"):
        turn_grammar(Toolset(TOOLS))


def test_a_name_that_no_element_has():
    with pytest.raises(GrammarError, match="no call can have the name 'a b'"):
        turn_grammar(Toolset([{"name": "a b"}], "xml-elements"))
    properties = {"$x": {}, "y": {}}
    tool = {"name": "f", "parameters": {"type": "object", "properties": properties}}
    grammar = turn_grammar(Toolset([tool], "xml-elements"))
    assert grammar.narrowed == ("tool 'f': at '': no argument can have the name '$x'",)


@rows("schema, good, bad", [tuple(each.values()) for each in TEXTS["elements"]])
def test_texts_of_elements(schema, good, bad):
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    toolset = Toolset([{"name": "f", "parameters": parameters}], "xml-elements")
    matcher = Matcher(turn_grammar(toolset))
    whole = "<execute><f><x>{}</x></f></execute>".format
    assert [text for text in good if not matcher.accepts(whole(text))] == []
    assert [text for text in good if has_error(whole(text), toolset)] == []
    assert [text for text in bad if matcher.accepts(whole(text))] == []
