"""How grammars are written, by hand from the documents of each engine."""

import pytest

from cogwire_kit.grammars import Grammar, GrammarRule, write
from cogwire_kit.grammars.nodes import Chars, Choice, FixedText, Reference, Repeat, Sequence
from tests.rows import rows

LETTER = Chars(((0x61, 0x7A),))
GRAMMAR = Grammar(
    {
        "root": GrammarRule(
            Sequence(
                (
                    FixedText('say "\n\\é'),
                    Choice((Reference("one-word"), Repeat(FixedText("x"), 2, 3))),
                    Repeat(FixedText("no"), 0, 1),
                    Repeat(Repeat(Reference("one-word"), 1, None), 2, 2),
                )
            )
        ),
        "one-word": GrammarRule(
            Choice((Sequence((LETTER, Repeat(LETTER, 0, None))), Chars(((0, 0x1F), (0x5B, 0x5E))))),
            is_token=True,
        ),
    }
)

LARK = r"""%llguidance {}
start: "say \"\n\\é" (ONE_WORD | "x"{2,3}) "no"? (ONE_WORD+){2}
ONE_WORD: /[\x{61}-\x{7a}]/ /[\x{61}-\x{7a}]/* | /[\x{0}-\x{1f}\x{5b}-\x{5e}]/
"""
BNF = r"""root ::= "say \"\n\\é" (one-word | "x"{2,3}) ("no")? (one-word+){2}
one-word ::= [a-z] [a-z]* | [\u0000-\u001f\u005b-\u005e]
"""


@rows(("to", "text"), [("lark", LARK), ("gbnf", BNF), ("xgrammar", BNF)])
def test_a_grammar_in_each_syntax(to, text):
    assert write(GRAMMAR, to) == text


def test_only_llama_cpp_divides_long_repetitions():
    """It writes a rule for each repetition, and takes at most 2000."""
    node = Sequence((Repeat(LETTER, 600, 1700), Repeat(LETTER, 501, None), Repeat(LETTER, 0, 501)))
    grammar = Grammar({"root": GrammarRule(node, is_token=True)})
    assert write(grammar, "xgrammar") == "root ::= [a-z]{600,1700} [a-z]{501,} [a-z]{0,501}\n"
    assert write(grammar, "gbnf") == (
        "root ::= (block-of-0{1} [a-z]{100} (block-of-0{0,1} [a-z]{0,499} | block-of-0{2} [a-z]{0,100}))"
        " (block-of-0{1} [a-z]{1} [a-z]*)"
        " (block-of-0{0} [a-z]{0} (block-of-0{0,0} [a-z]{0,499} | block-of-0{1} [a-z]{0,1}))\n"
        "block-of-0 ::= [a-z]{500}\n"
    )


def test_another_syntax_is_refused():
    with pytest.raises(ValueError, match="unknown syntax 'ebnf'; known: lark, gbnf, xgrammar"):
        write(GRAMMAR, "ebnf")
