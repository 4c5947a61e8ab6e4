"""The engines themselves, with our grammars: what they accept, and where they may walk."""

import functools
import json

import pytest

from cogwire import Limits, Toolset
from cogwire.tooling import notation
from cogwire_kit.grammars import structural_tag, turn_grammar, write
from tests.integrations.grammars import engines, proofs
from tests.kit.grammars import test_formats as formats
from tests.kit.grammars.turns import TURNS

ENGINES = [engines.LLGuidance, engines.XGrammar]
both = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
everywhere = pytest.mark.parametrize("dialect", TURNS)


@both
@everywhere
def test_turns_by_hand(engine, dialect):
    proofs.by_hand(engine, dialect)


@both
@everywhere
def test_an_engine_agrees_with_our_matcher(engine, dialect):
    proofs.agreement(engine, dialect, examples=8)


@both
@everywhere
def test_walks_are_turns_without_a_problem(engine, dialect):
    counts = proofs.walks(engine, dialect, enough=150)
    assert counts["whole"] >= 150
    assert counts["calls"] >= 35
    assert counts["cut"] < 45


#: The grammar of a format, made once for both engines.
plain = functools.cache(lambda name: turn_grammar(formats.of(name)[0]))


def of_format(engine, name, **options):
    toolset, good, bad = formats.of(name)
    grammar = turn_grammar(toolset, **options) if options else plain(name)
    made = engine(write(grammar, engine.syntax))
    text = f"{'a < b'.join(notation(name).think)}\nSo.\n{formats.written(good, name)}"
    return made, text, [formats.written([call], name) for call in bad]


of_each_format = pytest.mark.parametrize("name", formats.DESCRIBED)


@both
@of_each_format
def test_an_engine_accepts_calls_of_a_format(engine, name):
    made, text, bad = of_format(engine, name)
    assert made.accepts(text)
    assert not made.accepts(text[:-4])
    assert [each for each in bad if made.accepts(each)] == []


@both
@formats.around
def test_an_engine_reads_what_is_around_calls(engine, dialect, good, bad):
    grammar = turn_grammar(Toolset([formats.READ], dialect), calls="must")
    made = engine(write(grammar, engine.syntax))
    assert [text for text in good if not made.accepts(text)] == []
    assert [text for text in bad if made.accepts(text)] == []


def test_a_long_name_in_the_closer_of_a_text_is_not_nested_too_deeply():
    name = "payment_method_id" * 3
    toolset = Toolset([formats.tool("f", **{name: formats.STRING})], "minimax-m3")
    made = engines.LLGuidance(write(turn_grammar(toolset), "lark"))
    assert made.accepts(formats.written([("f", {name: "a </"})], "minimax-m3"))


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "minimax-m1"])
def test_special_tokens_are_accepted_if_they_are_named(name):
    engine = engines.MarkedLLGuidance
    made, text, bad = of_format(engine, name, special=engine.special)
    assert made.accepts(text)
    assert not made.accepts(text[:-4])
    assert [each for each in bad if made.accepts(each)] == []
    assert not of_format(engine, name)[0].accepts(text)


#: In these a header begins a call, and prose as well.
UNTAGGED = ["beam", "functionary-v3.2", "harmony"]


@pytest.mark.parametrize("name", ["xml-json", *sorted({*formats.DESCRIBED} - {*UNTAGGED})])
def test_a_structural_tag_constrains_calls_alone(name):
    toolset, good, bad = formats.of(name)
    tag, narrowed = structural_tag(toolset)
    known = ("only where the length", *("no text of",) * (name == "minimax-m3"))
    assert [note for note in narrowed if not any(each in note for each in known)] == []
    made = engines.XGrammar(json.dumps(tag), is_tag=True)
    text = f"So < it.\n{formats.written(good, name)}"
    assert made.accepts(text)
    assert made.accepts("Hi.")
    assert not made.accepts(text[:-4])
    assert [each for each in bad if made.accepts(formats.written([each], name))] == []
    must = engines.XGrammar(json.dumps(structural_tag(toolset, calls="must")[0]), is_tag=True)
    assert must.accepts(formats.written(good, name))
    assert not must.accepts("Hi.")
    tag, _ = structural_tag(toolset, limits=Limits(calls=1, depth=16))
    one = engines.XGrammar(json.dumps(tag), is_tag=True)
    assert one.accepts("Hi.")
    if name != "granite-20b-fc":  # a call in it has no closer, and may have a space after it
        call = formats.written(good[:1], name)
        assert one.accepts(f"So < it.\n{call}")
        assert not one.accepts(f"{call}\n{call}")


@both
def test_an_engine_refuses_a_broken_grammar(engine):
    with pytest.raises((ValueError, RuntimeError)):
        engine("root ::= nothing\nstart: nothing\n")
