"""The form for XGrammar: the same texts, and no rule that ends inside of one."""

import pytest

from cogwire import Toolset
from cogwire_kit.grammars import turn_grammar, write
from cogwire_kit.grammars.linear import linear
from cogwire_kit.grammars.nodes import (
    Book,
    Chars,
    Choice,
    FixedText,
    Grammar,
    GrammarRule,
    Reference,
    Repeat,
    either,
    parts_of,
    references_of,
    repeat,
    sequence,
)
from tests.kit.grammars.reading import Matcher
from tests.kit.grammars.turns import TOOLS

LETTER = Chars(((ord("a"), ord("c")),))
#: A letter, or a dot that is spelled with two characters.
CHARACTER = either(LETTER, sequence("\\", "."))


def quoted(body):
    """Return both forms of a grammar of one string, in brackets."""
    book = Book()
    string = book.token("string", sequence('"', body, '"'))
    grammar = book.grammar(sequence("[", string, "]"))
    return Matcher(grammar), Matcher(linear(grammar)), linear(grammar)


@pytest.mark.parametrize(
    ("least", "most"), [(0, None), (2, None), (0, 3), (2, 2), (1, 4), (0, 1), (330, None)]
)
def test_repetitions_are_counted_the_same(least, most):
    first, second, _ = quoted(repeat(CHARACTER, least, most))
    top = (most or least) + 2
    for count in (*range(min(top, 6)), top - 3, top - 2, top - 1, top):
        for one in ("a", "\\."):
            text = f'["{one * max(count, 0)}"]'
            assert first.accepts(text) == second.accepts(text), text


@pytest.mark.parametrize(("least", "most"), [(0, 450), (0, 600), (150, 320), (301, 301)])
def test_many_repetitions_are_counted_in_blocks(least, most):
    first, second, _ = quoted(repeat(CHARACTER, least, most))
    edges = (0, 299, 300, 301, least - 1, least, most - 1, most, most + 1)
    for count in {max(edge, 0) for edge in edges}:
        text = f'["{"a" * count}"]'
        assert second.accepts(text) == (least <= count <= most) == first.accepts(text)


@pytest.mark.parametrize(("last", "states"), [("j", 0), ("k", 19)])
def test_characters_are_counted_with_states_unless_they_are_as_few_as_digits(last, states):
    first, second, made = quoted(repeat(Chars(((ord("a"), ord(last)),)), 1, 20))
    # Each has a choice, except the first and the last.
    assert sum("-part-" in name for name in made.rules) == states
    for count in (0, 1, 20, 21):
        text = f'["{"a" * count}"]'
        assert second.accepts(text) == (1 <= count <= 20) == first.accepts(text)


def test_nothing_but_a_character_is_repeated_and_references_are_last():
    grammar = linear(turn_grammar(Toolset(TOOLS)))
    tokens = {name for name in grammar.rules if "-part-" in name or name == "string"}
    waiting = [(grammar.rules[name].node, True) for name in tokens]
    assert waiting
    while waiting:
        node, is_last = waiting.pop()
        assert is_last or not isinstance(node, Reference)
        assert not isinstance(node, Repeat) or node.most == 1 or isinstance(node.part, Chars)
        parts = parts_of(node)
        is_row = len(parts) > 1 and type(node).__name__ == "Sequence"
        for number, part in enumerate(parts, 1):
            waiting.append((part, is_last and (number == len(parts) or not is_row)))


def test_each_state_has_one_rule():
    grammar = linear(turn_grammar(Toolset(TOOLS), calls="must"))
    # What may be of `<think>`, `<execute>`, `<results>` and `<end>`, or of `</think>`; after
    # `<results` and `<end` the same may follow.
    states = [name for name in grammar.rules if name.startswith("lead") and "-via-" not in name]
    assert len(states) == 22 + 8
    # What leads back to prose has a rule for each letter of a marker, and one for the rest.
    shared = {name for name in grammar.rules if name.startswith("lead-via-")}
    assert len(shared) == len({*"thinkexecuteresultsend>"}) + 1
    for name in states[1:22]:
        names = set(references_of(grammar.rules[name].node))
        assert len(names & shared) >= len(shared) - 4


def test_what_follows_a_string_is_said():
    tool = {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "required": ["a"],
            "additionalProperties": False,
        },
    }
    grammar = turn_grammar(Toolset([tool]), calls="must")
    text = write(grammar, "xgrammar")
    (line,) = (each for each in text.splitlines() if each.startswith("string ::="))
    # A space, a line end, or the brace that closes the object.
    assert line.endswith(r"(=[\n }])")
    # A turn may end after an answer.
    text = write(turn_grammar(Toolset([tool])), "xgrammar")
    (line,) = (each for each in text.splitlines() if each.startswith("answer ::="))
    assert "(=" not in line


def test_a_rule_that_many_ways_lead_to_is_looked_at_once():
    """Each token refers to the next one twice, so that there are 2**60 ways to the last."""
    last = GrammarRule(FixedText("a"), is_token=True)
    rules = {
        f"r{number}": GrammarRule(Choice((Reference(f"r{number + 1}"),) * 2), is_token=True)
        for number in range(60)
    }
    made = linear(Grammar({"start": GrammarRule(Reference("r0")), **rules, "r60": last}))
    assert made.rules["r60"] == last
    assert len(made.rules) == 62
