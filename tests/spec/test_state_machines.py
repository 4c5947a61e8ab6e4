"""The state machines of the dialects: their tables describe exactly what the parser does."""

import functools
import itertools
import json
import re
from collections import defaultdict
from dataclasses import dataclass

import pytest
from website.grammars import CHAPTERS, SPEC

from cogwire import Limits, Parser, parse
from cogwire.wire.dialects import dialect_named, dialect_names
from cogwire.wire.frames.lines import Lines
from cogwire.wire.frames.markers import literal
from cogwire.wire.writing import writing_of
from cogwire_kit.conformance import corpus
from tests.kit.conformance.cases import CASES, dialects_of_codes
from tests.rows import rows
from website import diagrams

pytestmark = pytest.mark.verify

#: The chapter that contains the machine of each dialect.
MACHINES = CHAPTERS | {"xml-elements": "xml-json.md"}
#: A longer text is left out.
LONGEST = 2000
DIALECTS = dialect_names()

#: Combinations missing from the corpus: for each family, lists of pieces, one of each for a text.
MORE = {
    "xml-json.md": [
        ["", "</think>", "<think>a</think>"],
        ["", "b"],
        ["<think>", "<execute>[]</execute>", "<results>", "<end>"],
        ["", "<results>[]</results>", "c"],
    ],
    "delimiter.md": [
        ["", '§call: {"name": "a"}\n', "§call: a\n", '§call: {"name": "a"}\n' * 2],
        ["", "b\n", "§think:\n", "§think: c\n", "§respond:\n", "§respond: d\n", "§execute\n"],
        ["", "§result: e\n", "[SYSTEM: f]\n", "[SYSTEM: g\n", "[SYSTEM: h\n]\n"],
        ["", *(f"{marker}\n" for marker in dialect_named("delimiter").frame.openers)],
    ],
}
MODES = {"turns": "turn", "transcripts": "transcript"}
SEGMENTS = {"prose": "respond", "think": "think"}
ROW = re.compile(r"^\|(.*)\|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


# -- What the pages say --------------------------------------------------------------------------


def page_of(dialect):
    return (SPEC / MACHINES[dialect]).read_text("utf-8")


def table(page, *heads):
    """Return the rows of the one table of a page with these heads, each as its cells."""
    header = f"| {' | '.join(heads)} |\n"
    assert page.count(header) == 1, heads
    rows = page.partition(header)[2].partition("\n\n")[0]
    return [[cell.strip(" ") for cell in row.split("|")] for row in ROW.findall(rows)[1:]]


def codes(cell):
    return CODE.findall(cell)


def edges_of(dialect):
    (edges,) = diagrams.machines(page_of(dialect))
    return edges


def regions_of(dialect):
    """Return (states, events at the end) by region; the second state is that of another start."""
    rows = table(page_of(dialect), "region", "place in the text", "state", "at its end")
    return {codes(region)[0]: (codes(state), diagrams.gifts(end)) for region, _, state, end in rows}


def expansions(gifts):
    """Return every sequence of names that `gifts` allow."""
    choices = [
        [*((name,) for name in gift.names), *([()] if gift.is_optional else [])] for gift in gifts
    ]
    return {tuple(itertools.chain(*chosen)) for chosen in itertools.product(*choices)}


# -- What the parser does ------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One reading of a parser in one region: where it was, what it read, and its events."""

    source: str
    trigger: str
    names: tuple[str, ...]
    target: str


def recorded(region, scan):
    """Return `scan`, which continues reading in `region`, so that it records its steps."""

    def step(machine, text, pos, size):
        given, kind = len(machine._events), machine._result_kind
        machine.has_entered = False
        end = scan(machine, text, pos, size)
        events = machine._events[given:]
        if events or machine._region != region or machine.has_entered:
            trigger = trigger_of(machine, (region, kind), text[pos:end], text[end:], events)
            names = tuple(event.get("code", event["type"]) for event in events)
            machine.steps.append(Step(region, trigger, names, machine._region))
        return end

    return step


@functools.cache
def observing(kind):
    """Return a machine that records steps that read a marker, emit an event or lead elsewhere.

    It has no fast path, which emits the same events without a step (law 2).
    """

    def entered(machine, found):
        machine.has_entered = True
        return kind._enter(machine, found)

    members = {"_enter": entered, "_set_fast_path": lambda _: None}
    members |= {f"_scan_{region}": recorded(region, scan) for region, scan in kind._scans.items()}
    return type(kind.__name__, (kind,), members)


def observed_parser(dialect, **options):
    """Return a parser, and its machine, which is observed."""
    parser = Parser(dialect, **options)
    plain = parser._machine
    machine = object.__new__(observing(type(plain)))
    machine.__dict__.update(getattr(plain, "__dict__", {}))
    for kind in type(plain).__mro__:
        for name in getattr(kind, "__slots__", ()):
            if hasattr(plain, name):
                setattr(machine, name, getattr(plain, name))
    machine.dialect, machine.steps, machine.has_entered = dialect_named(dialect), [], False
    parser._machine = machine
    return parser, machine


def live(dialect, region, form=0):
    """Return the set of markers of a region; `None` where the reader of a block decides."""
    markers = dialect.frame.markers
    sets = {
        "prose": markers.prose,
        "called": markers.prose,
        "think": markers.think,
        "opening": markers.opening,
        "answer": markers.answer,
        "between": markers.answer,
        "void": markers.void,
        "broken": markers.results[0],
        "body": markers.results[form],
        "forged": markers.results[form],
    }
    return sets.get(region)


def trigger_of(machine, source, read, ahead, events):
    """Return the marker, or the phrase of the tables, that names why a step was taken."""
    dialect = machine.dialect
    region, form = source
    if live(dialect, region, form) is None:
        return reader_trigger(dialect, region, machine._region, events)
    for marker in marker_names(dialect, region, form):
        if is_same(dialect, read[-len(marker) :], marker):
            return marker
    if machine._region == region:
        return "a broken rule"
    # A body ends before the marker that comes next.
    for marker in marker_names(dialect, region, form) if region in {"body", "forged"} else ():
        if is_same(dialect, ahead[: len(marker)], marker):
            return marker
    return "any other character"


def is_same(dialect, text, marker):
    """Whether `text` is `marker`, in any ASCII case where the dialect reads it so."""
    if isinstance(dialect.frame, Lines) and marker.startswith(dialect.frame.mark):
        return text.lower() == marker.lower()
    return text == marker


def reader_trigger(dialect, region, target, events):
    """Return the same where the reader of a block decides."""
    if any(event["type"] == "error" for event in events) or (region, target) == (
        "payload",
        "prose",
    ):
        return "a broken rule"
    if target == "called" or any(event["type"] == "call" for event in events):
        return "the end of a call"
    closers = {"execute": dialect.frame.execute[1], "results": dialect.frame.results[0][1]}
    return dialect.frame.results[1] if region == "results" else closers[region]


def marker_names(dialect, region, form=0):
    """Return the markers that are live in a region, as the dialect writes them."""
    frame = dialect.frame
    if not isinstance(frame, Lines):
        closers = {"execute": {frame.execute[1]}, "results": {frame.results[1]}}
        return closers.get(region) or {
            marker
            for marker in writing_of(dialect).lookalikes
            if live(dialect, region).match(marker, 0)
        }
    closer = frame.results[form][1] if region in {"body", "forged"} else ""
    markers = live(dialect, region, form)
    # A boundary after it, for those that need one.
    return {m for m in frame.openers if markers.match(f"{m}\n", 0)} | ({closer} - {""})


@functools.cache
def texts_of(chapter):
    """Return the inputs of every parse case of the dialects of a chapter, with their limits."""
    found = [("".join(pieces), Limits()) for pieces in itertools.product(*MORE[chapter])]
    for case in CASES:
        if case.op != "parse" or MACHINES[case.dialect] != chapter or "growth" in case.data:
            continue
        inputs = corpus.expanded(case.data["turns"]) if "turns" in case.data else [case.input]
        limits = Limits(**case.options.get("limits", {}))
        found += [(text, limits) for text in inputs if len(text) <= LONGEST]
    return found


@functools.cache
def observed(dialect, mode, start):
    """Return the steps taken, and by region the states and the events at the end of the text."""
    steps, states, ends, held = set(), defaultdict(set), defaultdict(set), defaultdict(set)
    for text, limits in texts_of(MACHINES[dialect]):
        parser, machine = observed_parser(
            dialect, mode=mode, start=start, clock=None, limits=limits
        )
        for at in range(len(text)):
            parser.feed(text[at : at + 1])
            states[machine._region].add(parser.state)
            held[machine._region].add(machine._carry)
        steps.update(machine.steps)
        machine.steps = []
        region = machine._region
        events = tuple(event.get("code", event["type"]) for event in parser.close(finished=True))
        if region != "payload":
            # The text held back is read first; the text that is read again is not a separate step.
            steps.update(machine.steps)
        if not machine.steps:
            assert machine._region in {region, "between", *SEGMENTS}
            ends[region].add(events)
            states[region].add(parser.state)
    return steps, states, ends, held


def named(names, gifts):
    """Return the names of events as in the cell: a code that it does not name is `error`."""
    produced = {name for gift in gifts for name in gift.names}
    plain = {"call", "execute", "result", "respond", "think", "end", *produced}
    return tuple(name if name in plain else "error" for name in names)


def with_segment(gifts, source):
    """Return `gifts` with the segment that `source` is, or without."""
    kept = []
    for gift in gifts:
        if "segment" not in gift.names:
            kept.append(gift)
        elif source in SEGMENTS:
            kept.append(diagrams.Gift((SEGMENTS[source],), is_optional=True))
    return tuple(kept)


RUNS = [
    pytest.param(dialect, word, start, id=f"{dialect}-{word}-{start}")
    for dialect in DIALECTS
    for word in MODES
    for start in ("prose", "think")
]


@rows("dialect, word, start", RUNS)
def test_the_parser_takes_the_edges_of_the_table_and_no_others(dialect, word, start):
    steps = observed(dialect, MODES[word], start)[0]
    written = [marker.lower() for marker in dialect_named("delimiter").frame.openers]
    taken = defaultdict(set)
    for step in steps:
        trigger = step.trigger.lower() if step.trigger.lower() in written else step.trigger
        taken[step.source, trigger, step.target].add(step.names)
    expected = {}
    for edge in edges_of(dialect):
        if edge.where in ("both", word):
            target = edge.targets[-1 if start == "think" else 0]
            for source, trigger in itertools.product(edge.sources, edge.triggers):
                known = trigger.lower() if trigger.lower() in written else trigger
                assert (source, known, target) not in expected
                expected[source, known, target] = with_segment(edge.gifts, source)
    if start == "prose":
        expected = {ends: gifts for ends, gifts in expected.items() if ends[0] != "opening"}
    assert taken.keys() == expected.keys()
    for ends, gifts in expected.items():
        check_gifts({named(names, gifts) for names in taken[ends]}, gifts, ends)


def check_gifts(seen, gifts, ends):
    """Each sequence is allowed, and everything optional is both present and absent somewhere."""
    assert seen <= expansions(gifts), ends
    for gift in gifts:
        for name in gift.names:
            assert any(name in names for names in seen), (ends, name)
        if gift.is_optional:
            assert any(not set(gift.names) & set(names) for names in seen), (ends, gift)


@rows("dialect, word, start", RUNS)
def test_each_region_has_its_state_and_its_end(dialect, word, start):
    _, states, ends, _ = observed(dialect, MODES[word], start)
    table_of_regions = regions_of(dialect)
    assert states.keys() <= table_of_regions.keys()
    for region, seen in states.items():
        named_states, gifts = table_of_regions[region]
        assert seen == {named_states[-1 if start == "think" else 0]}, region
        assert {named(names, gifts) for names in ends[region]} <= expansions(gifts), region


@rows("dialect", DIALECTS)
def test_what_the_end_gives_has_come_and_stayed_away(dialect):
    ends = defaultdict(set)
    for word, start in itertools.product(MODES, ("prose", "think")):
        for region, seen in observed(dialect, MODES[word], start)[2].items():
            ends[region] |= seen
    for region, (_, gifts) in regions_of(dialect).items():
        check_gifts({named(names, gifts) for names in ends[region]}, gifts, region)


@rows("dialect", DIALECTS)
def test_the_markers_of_each_region_are_those_of_the_dialect(dialect):
    """In the table of edges, and in the table of markers."""
    value = dialect_named(dialect)
    edges = edges_of(dialect)
    tokens = table(page_of(dialect), "marker", "literal form", "live in", "effect")
    regions = {source for edge in edges for source in edge.sources} - {"payload"}
    for region in regions:
        of_forms = range(len(value.frame.results) if isinstance(value.frame, Lines) else 1)
        legal = set().union(*(marker_names(value, region, form) for form in of_forms))
        on = {m for edge in edges if region in edge.sources for m in edge.triggers}
        assert {m.lower() for m in on if not m[0].isalpha()} == {m.lower() for m in legal}, region
        listed = {codes(row[0])[0].lower() for row in tokens if region in codes(row[2])}
        assert listed == {m.lower() for m in legal} - {"]"}, region
    names = {codes(row[0])[0].lower(): codes(row[1])[0].lower() for row in tokens}
    assert names == {
        m.lower(): literal(m).lower() for m in {*writing_of(value).lookalikes} - {"</end>"}
    }


# -- What is held back ---------------------------------------------------------------------------

#: A text that leads into each region, and the options that it needs.
WAYS_IN = {
    "xml-json.md": {
        "opening": ("", {"start": "think"}),
        "prose": ("", {}),
        "think": ("<think>", {}),
        "void": ("<execute>x", {}),
        "answer": ("<execute>x</execute>", {"mode": "transcript"}),
        "broken": ("<execute>x</execute><results>x", {"mode": "transcript"}),
        "forged": ("<results>", {"mode": "transcript"}),
    },
    "delimiter.md": {
        "opening": ("", {"start": "think"}),
        "prose": ("", {}),
        "think": ("§think:", {}),
        "called": ('§call: {"name": "a"}', {}),
        "answer": ("§execute\n", {"mode": "transcript"}),
        "body": ("§execute\n[SYSTEM: ", {"mode": "transcript"}),
        "between": ("§execute\n[SYSTEM: []]\n", {"mode": "transcript"}),
        "forged": ("[SYSTEM: ", {"mode": "transcript"}),
    },
}


def held_of(dialect):
    """Return (what may be held back, how many characters at most) by region."""
    heads = ["region", "a proper prefix of", "whole", "at most"]
    is_lines = MACHINES[dialect] == "delimiter.md"
    held = {}
    for row in table(page_of(dialect), *(heads if is_lines else [*heads[:2], heads[3]])):
        markers, whole = codes(row[1]), codes(row[2]) if is_lines else []
        prefixes = {marker[:size] for marker in markers for size in range(1, len(marker))}
        for region in codes(row[0]):
            held[region] = prefixes | set(whole), int(row[-1])
    return held


@rows("dialect", DIALECTS)
def test_what_may_become_a_marker_is_held_back(dialect):
    ways = WAYS_IN[MACHINES[dialect]]
    assert held_of(dialect).keys() == ways.keys()
    for region, (held, most) in held_of(dialect).items():
        text, options = ways[region]
        assert max(map(len, held)) == most
        for carry in held:
            parser = Parser(dialect, **options)
            parser.feed(text)
            assert parser.snapshot()["region"] == region
            assert parser.feed(carry) == []
            machine = parser._machine
            assert (machine._region, machine._carry) == (region, carry)


@rows("dialect", DIALECTS)
def test_nothing_else_is_held_back(dialect):
    listed = {region: {c.lower() for c in held} for region, (held, _) in held_of(dialect).items()}
    for word, start in itertools.product(MODES, ("prose", "think")):
        for region, carries in observed(dialect, MODES[word], start)[3].items():
            assert {carry.lower() for carry in carries if carry} <= listed.get(region, set()), (
                region
            )


# -- What else the chapters show -----------------------------------------------------------------

CHUNKS = re.compile(r"^```json chunks (?P<words>.*)\n(?P<lines>(?:.*\n)*?)```$", re.MULTILINE)


def listings():
    """Yield (dialect, lines) of each stream that a page shows chunk by chunk."""
    for path in sorted(SPEC.glob("*.md")):
        for found in CHUNKS.finditer(path.read_text("utf-8")):
            lines = [json.loads(line) for line in found["lines"].splitlines()]
            yield pytest.param(found["words"], lines, id=f"{path.name}-{found['words']}")


@rows("dialect, lines", list(listings()))
def test_a_listing_shows_what_each_chunk_gives(dialect, lines):
    parser = Parser(dialect, stream="token", clock=None)
    for line in lines:
        given = parser.close(finished=True) if line.get("close") else parser.feed(line["feed"])
        assert given == line["gives"], line


def test_each_family_is_shown_chunk_by_chunk():
    assert {param.values[0] for param in listings()} == {"xml-json", "xml-elements", "delimiter"}


def stops():
    heads = ["a turn stops at", "for example", "last event", "state", "discarded"]
    for dialect in ("xml-json", "delimiter", "delimiter-upper"):
        for row in table(page_of(dialect), *heads):
            yield pytest.param(dialect, *(codes(cell)[0] for cell in row[1:4]), int(row[4]))


@rows("dialect, text, last, state, discarded", list(stops()))
def test_a_turn_stops_as_in_the_table(dialect, text, last, state, discarded):
    parser = Parser(dialect, clock=None)
    events = parser.feed(text.replace("\\n", "\n")) + parser.close(finished=True)
    assert events[-1].get("code", events[-1]["type"]) == last
    assert (parser.state, parser.discarded) == (state, discarded)


#: The ASCII characters that the words in the tables of what may come next mean.
WORDS = {
    "white space": " \t\n\r",
    "a digit": "0123456789",
    "a hexadecimal digit": "0123456789abcdefABCDEF",
    "a letter": "".join(map(chr, [*range(0x41, 0x5B), *range(0x61, 0x7B)])),
    "any character from U+0020 on": "".join(map(chr, range(0x20, 0x80))),
    "any character that XML has": "\t\n\r" + "".join(map(chr, range(0x20, 0x80))),
}
ASCII = "".join(map(chr, range(0x80)))
BEGINS_VALUE = '{["-0123456789tfn'


def characters(cell):
    """Return the characters that the cell of a table names, in words and one by one."""
    named_in_words = [word for word in WORDS if word in cell]
    left_out = codes(cell) if "but not" in cell else []
    singles = [] if left_out else codes(cell)
    rest = functools.reduce(lambda text, word: text.replace(word, ""), WORDS, CODE.sub("", cell))
    assert not rest.replace("but not", "").strip(" ,"), cell
    assert all(len(single) == 1 for single in [*singles, *left_out]), cell
    return set("".join(WORDS[word] for word in named_in_words) + "".join(singles)) - set(left_out)


def refusals(dialect, after):
    """Return the code of the error at each character of ASCII, if it is after `after`."""
    text, refused = f"<execute>{after}", {}
    for char in ASCII:
        for event in parse(text + char, dialect, clock=None):
            if event["type"] == "error" and event["offset"] == len(text):
                refused[char] = event["code"]
    return refused


def places(chapter, heads):
    page = (SPEC / chapter).read_text("utf-8")
    return [
        pytest.param((codes(row[1]) or [""])[0], *row[2:], id=row[0]) for row in table(page, *heads)
    ]


@rows(
    "after, may_come, otherwise",
    places("xml-json.md", ["place", "after", "may come next", "otherwise"]),
)
def test_an_array_continues_as_in_the_table(after, may_come, otherwise):
    default, *for_values = codes(otherwise)
    expected = dict.fromkeys(set(ASCII) - characters(may_come), default)
    for code in for_values:
        expected |= dict.fromkeys(set(BEGINS_VALUE) & expected.keys(), code)
    assert refusals("xml-json", after) == expected


@rows(
    "after, may_come, forbidden",
    places("xml-elements.md", ["place", "after", "may come next", "`xml-forbidden`"]),
)
def test_elements_continue_as_in_the_table(after, may_come, forbidden):
    legal = characters(may_come)
    others = set(WORDS["any character that XML has"]) - legal
    is_rest = forbidden == "any other character that XML has"
    barred = others if is_rest else characters(forbidden)
    expected = dict.fromkeys(set(ASCII) - legal, "xml-syntax")
    assert refusals("xml-elements", after) == expected | dict.fromkeys(barred, "xml-forbidden")


# -- The order of errors -------------------------------------------------------------------------


def order():
    """Return the codes in the order of the clause."""
    page = (SPEC / "errors.md").read_text("utf-8")
    clause = page.partition("Where one character breaks several rules")[2].partition("{: #")[0]
    return codes(clause)


@rows("dialect", ["xml-json", "xml-elements", "delimiter"])
def test_the_errors_of_a_chapter_are_in_order(dialect):
    page = (SPEC / CHAPTERS[dialect]).read_text("utf-8")
    rows = [codes(row[0])[0] for row in table(page, "code", "place", "clause")]
    rest = page.partition("\n## Errors\n")[2].partition("No other error")[2].partition("\n\n")[0]
    of_dialect = {code for code, where in dialects_of_codes().items() if dialect in where}
    of_a_block = [code for code in order() if not code.startswith("results-")]
    assert rows == [code for code in of_a_block if code in of_dialect]
    assert set(rows) | set(re.findall(r"\[`([a-z-]+)`\]", rest)) == of_dialect
