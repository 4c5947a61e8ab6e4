"""llama.cpp, with our grammars and with those that it makes of schemas: `make grammars-llama`."""

import json

import pytest
from llama_cpp.llama_grammar import json_schema_to_gbnf

from cogwire import Toolset
from cogwire_kit.grammars import turn_grammar, write
from tests.integrations.grammars import proofs
from tests.integrations.grammars.engines import takes
from tests.integrations.grammars_llama.engine import Llama
from tests.kit.grammars.turns import TEXTS, TURNS, standing

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
    for row in TEXTS["loose"]:
        takes_it = Llama(json_schema_to_gbnf(json.dumps(row["schema"]))).accepts(row["text"])
        assert ("takes" if takes_it else "exact") == standing(row, "llama.cpp"), row


def test_bytes_that_it_accepts_as_utf_8():
    made = Llama("root ::= [^a]")
    for row in TEXTS["ill-formed"]:
        is_taken = takes(made, bytes.fromhex(row["bytes"]))
        assert is_taken is (standing(row, "llama.cpp") == "takes"), row
