"""Mutants: the functions they are made of, the record of survivors, and how tests kill them."""

import json
import textwrap
from types import SimpleNamespace

import pytest
from mutation import __main__ as mutation
from mutation import cases, functions, mutants, rounds

import cogwire
from tests.processes import ran

TEXTS = functions.sources()
EVERY = functions.every(TEXTS)
ONE = """\
class A:
    def b(self):
        \"\"\"Say one.\"\"\"
        return 1  # one

    def c(self, more=1):
        first = more + 1
        return first
"""
B, C = functions.functions("a.py", ONE)


def made(source, wanted=None):
    return [(each.was, each.becomes) for each in mutants.mutants("a.py", source, wanted)]


def test_a_function_is_identified_by_its_code_and_not_by_its_layout_or_place():
    moved = "def b( self ):\n  # another\n  return 1\n"
    [same] = functions.functions("text/b.py", moved)
    [other] = functions.functions("text/b.py", moved.replace("1", "2"))
    [mark] = functions.functions("a.py", "def b(self): return '# one'\n")
    assert B.digest() == same.digest()
    assert len({B.digest(), C.digest(), other.digest(), mark.digest()}) == 4
    assert (B.name, B.bare, B.line, same.name) == ("A.b", "b", 2, "b")


def test_a_change_touches_the_lines_that_are_new():
    """Also where the function has moved to another file and class, which changes nothing."""
    now = {
        "b.py": "class B:\n" + B.text.replace("Say one", "Say it"),
        "c/d.py": "\n\n" + C.text.replace("    ", "", 1).replace("return first", "return -first"),
        "e.py": "def new():\n    pass\n",
    }
    lines = {each.name: lines for each, lines in functions.touched({"a.py": ONE}, now).items()}
    assert lines == {"c": {5}, "new": {1, 2}}


@pytest.fixture
def history(tmp_path, monkeypatch):
    """Make a repository in which the core has one module."""
    module = tmp_path / functions.CORE / "text" / "a.py"
    module.parent.mkdir(parents=True)
    module.write_text(ONE)
    who = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init"], ["add", "."], [*who, "commit", "-m", "one"]):
        ran("git", *words, text=False, cwd=tmp_path, check=True)
    return tmp_path


def test_a_revision_is_read_from_history(history):
    assert functions.sources_of("HEAD", history) == {"text/a.py": ONE} == functions.sources(history)
    assert functions.sources_of("no-such-revision", history) is None


def test_without_the_revision_there_are_no_mutants(capsys):
    """The revision is missing in an archive, and in a clone without history."""
    assert mutation.main(["--base", "no-such-revision"]) == 0
    assert "no-such-revision is not in this clone" in capsys.readouterr().out


def test_only_wanted_lines_are_mutated():
    wanted = {C: {C.line + 1}}
    assert made(ONE, wanted) == [
        ("first = more + 1", "first = None"),
        ("first = more + 1", "first = more - 1"),
        ("first = more + 1", "first = more + 2"),
    ]
    assert set(made(ONE, wanted)) < set(made(ONE))


def test_a_type_error_counts_only_if_the_unchanged_copy_does_not_have_it(tmp_path):
    """The copies of `__init__` have another name, which is an error in the unchanged copy too.

    A string may begin further left than the function that it is in.
    """
    source = "from typing import Final\nclass A:\n    def __init__(self) -> None:\n        self.a: Final = ord('a') + 1"
    source += '\n        self.b = """b\nc"""'
    some = mutants.mutants("aio.py", source + "\n")
    refused = mutants.refused_by_types(some, {"aio.py": source + "\n"}, tmp_path)
    ends = {each.becomes: number in refused for number, each in enumerate(some)}
    assert ends["self.a: Final = ord(None) + 1"]
    assert not ends["self.a: Final = ord('a') - 1"]


@pytest.fixture(scope="module")
def parse():
    """Return the function `parse` of the core."""
    [function] = [each for each in EVERY if each.name == "parse"]
    return function


def parses_correctly(_mutant):
    return cogwire.parse("a", clock=None)[0]["content"] == "a"


def test_a_mutant_replaces_its_function_only_in_a_fork(parse):
    codes = (parse.text, "def parse(*_, **__): return []", "def parse(*_, **__): 1 / 0", "parse =")
    some = [mutants.Mutant(parse, "", str(number), code) for number, code in enumerate(codes)]
    lives, late = rounds.alive(some, parses_correctly, lambda _: 1.0, 2, float("inf"))
    assert [each.becomes for each in lives] == ["0"]
    assert late == []
    assert parses_correctly(None)


def test_a_mutant_that_never_ends_is_dead(parse):
    """The limit is on its own processor time, so that a busy machine does not kill mutants."""
    some = [mutants.Mutant(parse, "", "", "def parse(*_, **__):\n    while True: pass")]
    assert rounds.alive(some, parses_correctly, lambda _: -0.4, 1, float("inf")) == ([], [])


def test_mutants_that_were_not_reached_are_returned(parse):
    some = [mutants.Mutant(parse, "", "", parse.text)]
    assert rounds.alive(some, parses_correctly, lambda _: 1.0, 1, 0.0) == ([], some)


def test_calls_of_a_function_are_recorded(parse):
    with rounds.watched([parse]) as seen:
        cogwire.Parser(clock=None).close(finished=True)
        assert seen == set()
        assert parses_correctly(None)
        assert seen == {parse}
    seen.clear()
    assert parses_correctly(None)
    assert seen == set()


def test_every_survivor_that_is_listed_has_a_reason_and_a_function():
    functions_here = {each.digest() for each in EVERY}
    for digest, function in mutation.known().items():
        assert digest in functions_here, function["name"]
        for survivor in function["survivors"]:
            assert survivor["reason"], (function["name"], survivor)


def test_some_modules_are_chosen_by_their_names(capsys):
    options = SimpleNamespace(modules=["aio.py", "tools/*"])
    assert {*mutation.wanted(options)} == {
        name for name in TEXTS if name.startswith(("aio", "tools/"))
    }
    assert mutation.main(["no-such.py"]) == 2
    assert capsys.readouterr().out == "src/cogwire has no no-such.py\n"


@pytest.mark.parametrize(
    ("is_known", "is_cut"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_a_change_fails_only_for_survivors_without_a_reason(
    monkeypatch, tmp_path, capsys, is_known, is_cut
):
    """A reason is of a function, whatever file and class it is in."""
    moved = functions.Function("d/e.py", "F.b", 9, B.text)
    survivor = mutants.Mutant(moved, "return 1", "return 2", "")
    entry = {"was": "return 1", "becomes": "return 2", "reason": "why"}
    monkeypatch.setattr(mutation, "KNOWN", tmp_path / "known.json")
    known = {B.digest(): {"name": "A.b", "survivors": [entry]}}
    mutation.KNOWN.write_text(json.dumps({"functions": known if is_known else {}}))
    outcome = mutation.Outcome(9, 3, 2, 3, [survivor], 7, is_cut)
    monkeypatch.setattr(mutation, "tried", lambda *_: outcome)
    monkeypatch.setattr(mutation, "sources_of", lambda _: {})
    monkeypatch.setattr(mutation, "sources", lambda: {"a.py": ONE})
    assert mutation.main([]) == (not is_known and not is_cut)
    output = capsys.readouterr().out
    assert "9 mutants: 3 refused by types, 2 killed by cases, 3 by tests, 1 survive" in output
    assert "7 more were not reached in 300 s" in output
    assert ("there was no time to find out" in output) == is_cut
    prefix = "no test that was run detects" if is_cut else "no test detects"
    said = f"{prefix} {survivor.text()} (in {B.digest()})\n"
    assert (said in output, survivor.text() in output) == (not is_known, not is_known)


def test_texts_of_formats_kill_mutants_of_their_readers(monkeypatch):
    monkeypatch.setattr(cases.corpus, "load", lambda _: [])
    monkeypatch.setattr(cases.texts, "every", lambda: [cases.texts.load("glm-4.5")])
    [function] = [each for each in EVERY if each.name == "SpelledReader._end_call"]
    same = textwrap.dedent(function.text)
    some = [
        mutants.Mutant(function, "", "", code)
        for code in (
            same,
            same.replace('"args": ', '"arg": '),
            same.replace("_tool)}", "_tool[1:])}"),
        )
    ]
    assert rounds.round_of_cases(some, 1, float("inf")) == (some[:1], [])


def test_tracing_ends_at_its_time_limit(parse):
    """A mutant is not a survivor if there was no time to find the cases and tests that call it."""
    some = [mutants.Mutant(parse, "", "", parse.text)]
    assert rounds.round_of_cases(some, 1, 0.0) == ([], some)
    plugin = rounds._Rounds(some, 1, 0.0)
    plugin.pytest_runtestloop(SimpleNamespace(testsfailed=0, items=[None]))
    assert plugin.is_cut
    assert plugin.outcome == ([], some)
