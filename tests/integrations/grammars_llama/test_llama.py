"""llama.cpp, with our grammars and with those that it makes of schemas: `make grammars-llama`."""

import json

import pytest
from llama_cpp.llama_grammar import json_schema_to_gbnf

from cogwire import Toolset
from cogwire_kit.grammars import turn_grammar, write
from tests.integrations.grammars import proofs
from tests.integrations.grammars.engines import takes
from tests.integrations.grammars.looseness import ILL_FORMED, INPUTS, TAKES, TAKES_BYTES
from tests.integrations.grammars_llama.engine import Llama
from tests.kit.grammars.turns import TURNS

everywhere = pytest.mark.parametrize("dialect", TURNS)


@everywhere
def test_turns_by_hand(dialect):
    proofs.by_hand(Llama, dialect)


@everywhere
def test_it_agrees_with_our_matcher(dialect):
    proofs.agreement(Llama, dialect, examples=20)


@everywhere
def test_walks_are_turns_without_a_problem(dialect):
    counts = proofs.walks(Llama, dialect, enough=380)
    assert counts["whole"] >= 380
    assert counts["calls"] >= 100
    assert counts["cut"] < 95


def test_many_repetitions_are_written_in_blocks():
    schema = {"type": "string", "minLength": 1200, "maxLength": 2600}
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    made = Llama(write(turn_grammar(Toolset([{"name": "f", "parameters": parameters}])), "gbnf"))

    def accepts(length):
        return made.accepts(f'<execute>[{{"name":"f","args":{{"x":"{"a" * length}"}}}}]</execute>')

    assert [accepts(length) for length in (1199, 1200, 2000, 2600, 2601)] == [
        *(False, True, True, True, False)
    ]


def test_the_statements_about_its_own_grammars_hold():
    taken = set()
    for name, (schema, text) in INPUTS.items():
        if Llama(json_schema_to_gbnf(json.dumps(schema))).accepts(text):
            taken.add(name)
    assert taken == TAKES["llama.cpp"]


def test_bytes_that_it_accepts_as_utf_8():
    made = Llama("root ::= [^a]")
    taken = {name for name, text in ILL_FORMED.items() if takes(made, text)}
    assert taken == TAKES_BYTES["llama.cpp"]
