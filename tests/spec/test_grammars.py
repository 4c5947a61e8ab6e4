"""The grammars: every rule is valid ABNF, and they derive the texts that the corpus requires."""

import functools
import re
import sys

import pytest
from abnf import Node, ParseError, Rule

from tests.kit.conformance.cases import CASES
from tests.rows import rows
from website import grammars

#: The rules of RFC 5234 that a grammar may use without defining them.
CORE = {"ALPHA", "DIGIT", "DQUOTE", "HEXDIG"}
CALL = re.compile("§call:", re.IGNORECASE | re.ASCII)
#: The recursive matcher takes too long for a longer text.
LONGEST = 2000
PAGES = {
    dialect: (grammars.SPEC / chapter).read_text("utf-8")
    for dialect, chapter in grammars.CHAPTERS.items()
}


@pytest.fixture(autouse=True, scope="module")
def room_to_recurse():
    """Let the matcher descend: it makes many calls for each of the 128 levels."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(limit)


@functools.cache
def rules(dialect):
    """Return a class of rules that contains only the grammar of `dialect`."""
    grammar = type(f"Grammar of {dialect}", (Rule,), {})
    grammar.load_grammar(grammars.grammars()[dialect])
    return grammar


def derived(dialect, name, text):
    """Return the tree of the rule for the whole of `text`; `None` if it does not match."""
    try:
        return rules(dialect)(name).parse_all(text)
    except ParseError:
        return None


def turns(dialect):
    """Yield (case, text, events) of the parses of one turn that a matcher can handle."""
    for case in CASES:
        is_turn = case.op == "parse" and case.dialect == dialect and "input" in case.data
        if not is_turn or "growth" in case.data or case.options.get("mode") == "transcript":
            continue
        if isinstance(case.input, str) and len(case.input) <= LONGEST:
            text = case.input.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            yield case, text, case.expected[0]["events"]


def blocks(dialect):
    """Yield (case, block, code of its error) of each turn that is one block and nothing before."""
    for case, text, events in turns(dialect):
        stopped = case.expected[0]["state"] == "paused" and text.startswith("<execute>")
        if stopped and case.options.get("start") != "think":
            block = text[: len(text) - case.expected[0]["discarded"]]
            codes = [event["code"] for event in events if event["type"] == "error"]
            yield pytest.param(block, *(codes or [""]), id=case.id)


@pytest.mark.verify
@rows("dialect", grammars.CHAPTERS)
def test_every_rule_is_sound_defined_and_used(dialect):
    text = grammars.grammars()[dialect]
    defined = grammars.rules_of(text)
    used = {name: grammars.named(rule) for name, rule in defined.items()}
    assert {rule.name for rule in rules(dialect).rules()} >= defined.keys()
    assert set().union(*used.values()) - defined.keys() <= CORE
    assert defined.keys() - set().union(*used.values()) == set(grammars.STARTS)
    assert "".join(defined.values()).split() == [
        word for line in text.splitlines() if not line.startswith(";") for word in line.split()
    ]


@rows("dialect", grammars.CHAPTERS)
def test_the_header_names_each_rule_that_looks_ahead(dialect):
    text = grammars.grammars()[dialect]
    header = "".join(line for line in text.splitlines() if line.startswith(";"))
    prose = [name for name, rule in grammars.rules_of(text).items() if "= <" in rule]
    assert dialect in header
    assert all(name in header for name in prose)
    assert prose == (["boundary", "line-end"] if dialect.startswith("delimiter") else [])


def test_the_files_are_ascii_with_the_line_ends_of_abnf(tmp_path):
    grammars.write(tmp_path / "grammars")
    files = {path.name: path.read_bytes() for path in (tmp_path / "grammars").iterdir()}
    assert files == {
        f"{dialect}.abnf": text.replace("\n", "\r\n").encode("ascii")
        for dialect, text in grammars.grammars().items()
    }


@pytest.mark.verify
@rows("block, code", lambda: blocks("xml-json"))
def test_a_json_block_derives_as_far_as_its_error(block, code):
    tree = derived("xml-json", "block", block)
    if code == "" or code in grammars.decided(PAGES["xml-json"]):
        assert (tree is not None) == (code == "")


@rows("block, code", lambda: blocks("xml-elements"))
def test_an_elements_block_derives_as_far_as_its_error(block, code):
    tree = derived("xml-elements", "block", block)
    if code == "":
        assert tree is not None
    elif code in grammars.decided(PAGES["xml-elements"]) and tree is not None:
        assert is_left_to_the_clauses(tree)


def is_left_to_the_clauses(tree: Node) -> bool:
    """Whether an element has two names or a reserved one, or a reference has no character."""
    for tool in found(tree, "tool"):
        if names(tool)[0] == "execute":
            return True
        if any(len(set(names(element))) > 1 for element in [tool, *found(tool, "arg")]):
            return True
    return any(not is_character(number.value) for number in found(tree, "code-point"))


def names(element: Node) -> list[str]:
    return [node.value for node in element.children if node.name == "name"]


def found(tree: Node, name: str) -> list[Node]:
    """Return the nodes called `name` below `tree`."""
    below = [node for child in tree.children for node in found(child, name)]
    return [*(child for child in tree.children if child.name == name), *below]


def is_character(number: str) -> bool:
    value = int(number.removeprefix("#x"), 16) if "x" in number else int(number[1:])
    if value < 0x20:
        return value in {0x9, 0xA, 0xD}
    return value <= 0x10FFFF and not (0xD800 <= value < 0xE000 or value in {0xFFFE, 0xFFFF})


def payloads(dialect):
    """Yield (text, is a payload) of each call that is emitted or that breaks the grammar."""
    for case, text, events in turns(dialect):
        for event in events:
            if event["type"] == "call":
                yield pytest.param(event["content"], True, id=case.id)
            if event.get("code") in grammars.decided(PAGES[dialect]):
                *_, opener = CALL.finditer(text, 0, event["offset"])
                payload = text[opener.end() :].strip(" \t\r\n")
                yield pytest.param(payload, False, id=case.id)


@pytest.mark.verify
@rows("payload, is_good", lambda: [*payloads("delimiter"), *payloads("delimiter-upper")])
def test_a_payload_derives_as_far_as_its_error(payload, is_good):
    """A payload that breaks has no valid beginning either: the error is in it, not after it."""
    if is_good:
        assert derived("delimiter", "payload", payload)
    else:
        with pytest.raises(ParseError):
            rules("delimiter")("payload").parse(payload, 0)
