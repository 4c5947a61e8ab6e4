"""Where the engines' own JSON grammars are looser than the schema, and ours is not."""

import json

import pytest
import xgrammar

from cogwire import Toolset
from cogwire_kit.grammars import turn_grammar, write
from tests.integrations.grammars.engines import LLGuidance, XGrammar, takes
from tests.integrations.grammars.looseness import (
    ILL_FORMED,
    INPUTS,
    REFUSES,
    TAKES,
    TAKES_BYTES,
)


def own_lark(schema):
    return f"start: %json {json.dumps(schema)}\n"


def own_ebnf(schema):
    return str(xgrammar.Grammar.from_json_schema(json.dumps(schema)))


def standing(engine, own, schema, text):
    """Return whether an engine takes a text for a schema, by a grammar of its own."""
    try:
        made = engine(own(schema))
    except ValueError:
        return "refuses"
    return "takes" if made.accepts(text) else "exact"


@pytest.mark.parametrize(
    ("name", "engine", "own"),
    [("llguidance", LLGuidance, own_lark), ("XGrammar", XGrammar, own_ebnf)],
)
def test_the_statements_about_an_engine_hold(name, engine, own):
    found = {rule: standing(engine, own, *given) for rule, given in INPUTS.items()}
    assert {rule for rule in found if found[rule] == "takes"} == TAKES[name]
    assert {rule for rule in found if found[rule] == "refuses"} == REFUSES[name]


@pytest.mark.parametrize("engine", [LLGuidance, XGrammar], ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("name", INPUTS)
def test_none_of_it_is_in_our_grammars(engine, name):
    schema, text = INPUTS[name]
    properties = {"x": {**schema, "$defs": {}}}
    definitions = schema.get("$defs", {})
    parameters = {"type": "object", "properties": properties, "$defs": definitions}
    tool = {"name": "f", "parameters": {**parameters, "required": ["x"]}}
    made = engine(write(turn_grammar(Toolset([tool])), engine.syntax))
    assert not made.accepts(f'<execute>[{{"name":"f","args":{{"x":{text}}}}}]</execute>')


@pytest.mark.parametrize(
    ("name", "engine", "grammar"),
    [("llguidance", LLGuidance, "start: /[^a]/\n"), ("XGrammar", XGrammar, "root ::= [^a]\n")],
)
def test_the_statements_about_bytes_hold(name, engine, grammar):
    made = engine(grammar)
    taken = {each for each, text in ILL_FORMED.items() if takes(made, text)}
    assert taken == TAKES_BYTES[name]
