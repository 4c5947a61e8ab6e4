"""Patterns: they find what `re.search` finds, in a time that is linear in the text."""

import importlib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import cogwire

_patterns = importlib.import_module(f"{cogwire.__name__}._patterns")
_work = importlib.import_module(f"{cogwire.__name__}._work")
MOST, TooMuchWorkError, Work = _work.MOST, _work.TooMuchWorkError, _work.Work


def finds(pattern, text):
    return _patterns.Matchers()(pattern)(text, Work())


def work_of(pattern, text):
    """Return how many steps a search takes."""
    work = Work()
    _patterns.Matchers()(pattern)(text, work)
    return MOST - work.left


TEXTS = [
    "",
    "a",
    "ab",
    "aab",
    "abab",
    "b\n",
    "a\nb",
    "a-b",
    "0",
    " a ",
    "é",
    "{}",
    "a{,}",
    "]",
    "^",
]


@pytest.mark.parametrize(
    "pattern",
    [
        *("", "a", "^a", "a$", "^$", "a|b", "|", "^(a|ab)$", "(?:ab)+", "(?P<x>a)b", "()"),
        *(
            "a*",
            "a+b",
            "^a?$",
            "a*?b",
            "a+?",
            "a??b",
            "^a{2}",
            "^(ab){1,2}$",
            "a{,1}b",
            "a{1,}",
            "a{,}",
        ),
        *(
            "a{",
            "a{}",
            "{}",
            "a{x",
            "]",
            "}",
            "^(a*)*b",
            "^(a|a)*$",
            "(^a|b$)+",
            "^a{0}$",
            "(|a)+b",
        ),
        *(".", "[ab]", "[^a]", "[]a]", "[^]a]", r"[\]a]", "[a-]", r"[\w-]", "[{}]", "[(|)]"),
        *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\bb", r"\Bb", r"\Aa", r"b\Z", r"\n", r"\."),
        *(r"\x61", r"\u0061", r"\U00000061", r"\N{LATIN SMALL LETTER A}", r"\141", r"\0", r"\07"),
        *(r"a\{1\}", r"\^", r"\$?b$", "é", r"a$\n?"),
    ],
)
def test_what_is_found_is_what_re_finds(pattern):
    found = _patterns.Matchers()(pattern)
    for text in TEXTS:
        assert found(text, Work()) == bool(re.search(pattern, text)), text


def some_pattern(rng, depth):
    """Return a pattern of no great meaning."""
    atoms = ["a", "b", "ab", "c", ".", r"\d", r"\w", r"\s", "[ab]", "[^a]", "[]a]", r"\x61", r"\."]
    atoms += ["^", "$", r"\b", r"\B", r"\A", r"\Z", "", "{", "]", "-", r"\141", "é"]
    signs = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}", "{2,}", "{0,3}?"]
    kind = rng.choice(["atom", "all", "any", "group"]) if depth else "atom"
    if kind == "atom":
        return rng.choice(atoms) + rng.choice(signs)
    if kind == "group":
        return rng.choice(["(", "(?:"]) + some_pattern(rng, depth - 1) + ")" + rng.choice(signs)
    parts = [some_pattern(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    return ("|" if kind == "any" else "").join(parts)


@given(st.integers(0, 2**32))
def test_what_is_found_in_any_text_by_any_pattern_is_what_re_finds(seed):
    rng = random.Random(seed)
    for _ in range(20):
        pattern = some_pattern(rng, rng.randint(1, 4))
        try:
            compiled = re.compile(pattern)
            found = _patterns.Matchers()(pattern)
        except (re.error, ValueError):
            continue
        for _ in range(5):
            text = "".join(rng.choices("aabc01 \n.{]-é_", k=rng.randint(0, 9)))
            assert found(text, Work()) == bool(compiled.search(text)), (pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        *("^(a+)+$", "^(a|a)*$", "(a*)*b", "(a|b|ab)*c", "(.*){5}c", ".*.*.*=", "a{1,30}b"),
        *("(a?){30}a{30}b", "^(([a-z])+.)+[A-Z]([a-z])+$", r"^(\w+\s?)*$", "x*y"),
    ],
)
def test_the_work_is_linear_in_the_text(pattern):
    for piece in ("a", "ab"):
        small, large = (work_of(pattern, piece * count + "!") for count in (200, 400))
        assert large <= 2.2 * small
        long, longer = (work_of(pattern, piece * count + "!") for count in (2_000, 4_000))
        assert longer <= 2.2 * long


def test_the_work_does_not_depend_on_what_was_asked_before():
    """What is remembered saves time, and no steps."""
    found = _patterns.Matchers()("^(a|b)*a(a|b){8}$")
    rng = random.Random(1)
    for text in ("".join(rng.choices("ab", k=length)) for length in (900, 3_000)):
        spent = []
        for _ in range(2):
            work = Work()
            found(text, work)
            spent.append(MOST - work.left)
        assert spent[0] == spent[1] == work_of("^(a|b)*a(a|b){8}$", text)


def test_what_is_remembered_is_forgotten_when_it_is_much():
    """Thousands of sets of instructions are met on the way."""
    pattern = "(a|b)*a(a|b){11}c"
    text = "".join(random.Random(2).choices("ab", k=5_000))
    assert not finds(pattern, text)
    assert finds(pattern, text + "a" * 12 + "c")


def test_too_much_work_ends():
    found = _patterns.Matchers()("a{1,5000}b")
    for length in (100, 2_000):
        with pytest.raises(TooMuchWorkError):
            found("a" * length, Work(1_000))


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        (r"(a)\1", r"'\\1'"),
        ("(?P<x>a)(?P=x)", "'(?P=x)'"),
        ("a(?=b)", "'(?=b)'"),
        ("(?!a)", "'(?!a)'"),
        ("(?<=a)b", "'(?<=a)b'"),
        ("(?i)a", "'(?i)a'"),
        ("(?>a)", "'(?>a)'"),
        ("(a)?(?(1)b|c)", "'(?(1)b|c)'"),
        ("a*+b", "'*+b'"),
        ("(a|b){2}+", "'{2}+'"),
    ],
)
def test_what_cannot_be_followed_is_refused(pattern, place):
    with pytest.raises(ValueError, match="may take any time") as caught:
        finds(pattern, "a")
    assert place in str(caught.value)
    assert "`patterns`" in str(caught.value)


@pytest.mark.parametrize("pattern", ["(", "[a-", "*", "a**", "a{2,1}", "a{99999999999}"])
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(ValueError, match="is no pattern"):
        finds(pattern, "a")


def test_how_long_the_patterns_of_a_tool_are_is_bounded():
    """Counted repetitions are written out."""
    for pattern in ("a{50000}", "((a{100}){100}){100}", "(a{1,300}){300}", "(a{200}|b){200,}"):
        with pytest.raises(ValueError, match="longer than 50000 instructions"):
            finds(pattern, "a")
    matchers = _patterns.Matchers()
    matchers("^[a-z]{1,10000}$")
    matchers("^.{0,10000}$")
    with pytest.raises(ValueError, match="longer than 50000 instructions"):
        matchers("^.{0,10001}$")


def test_another_engine_may_be_chosen():
    """What it takes and how long is its own business."""
    found = _patterns.Matchers(re.compile)(r"(a)\1$")
    assert found("baa", Work())
    assert not found("ab", Work())
    with pytest.raises(ValueError, match=r"is refused by `patterns`: missing \)"):
        _patterns.Matchers(re.compile)("(")
    with pytest.raises(TooMuchWorkError):
        found("a" * 1_000, Work(10))
