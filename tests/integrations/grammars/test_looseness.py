"""Where the engines' own JSON grammars are looser than the schema, and ours is not."""

import json

import pytest
import xgrammar

from cogwire import Toolset
from cogwire_kit.grammars import turn_grammar, write
from tests.integrations.grammars.engines import LLGuidance, XGrammar, takes
from tests.kit.grammars.turns import TEXTS, standing


def own_lark(schema):
    return f"start: %json {json.dumps(schema)}\n"


def own_ebnf(schema):
    return str(xgrammar.Grammar.from_json_schema(json.dumps(schema)))


def found(engine, own, row):
    """Return whether an engine takes a text for a schema, by a grammar of its own."""
    try:
        made = engine(own(row["schema"]))
    except ValueError:
        return "refuses"
    return "takes" if made.accepts(row["text"]) else "exact"


@pytest.mark.parametrize(
    ("name", "engine", "own"),
    [("llguidance", LLGuidance, own_lark), ("XGrammar", XGrammar, own_ebnf)],
)
def test_the_statements_about_an_engine_hold(name, engine, own):
    others = {
        row["name"]: how
        for row in TEXTS["loose"]
        if (how := found(engine, own, row)) != standing(row, name)
    }
    assert others == {}


@pytest.mark.parametrize("engine", [LLGuidance, XGrammar], ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("row", TEXTS["loose"], ids=lambda row: row["name"])
def test_none_of_it_is_in_our_grammars(engine, row):
    schema, text = row["schema"], row["text"]
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
    for row in TEXTS["ill-formed"]:
        assert takes(made, bytes.fromhex(row["bytes"])) is (standing(row, name) == "takes")
