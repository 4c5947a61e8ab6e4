"""Marker sets by themselves: what they find, where, and what they hold back for the next chunk."""

import importlib

import pytest

from tests import cogwire
from tests.core.brackets import BRACKETS
from tests.core.helpers import DIALECTS, LINES, TAGS

markers = importlib.import_module(f"{cogwire.__name__}._markers")
dialects = importlib.import_module(f"{cogwire.__name__}._dialects")


@pytest.fixture(autouse=True)
def _anew():
    """Make the marker sets anew, whoever has asked for them before."""
    markers.Markers.of.cache_clear()


def of(dialect):
    return markers.Markers.of(dialects.dialect_named(dialect))


def sets(dialect, region):
    """Return the marker sets of a region: for results more than one, where they have more forms."""
    found = getattr(of(dialect), region)
    return found if region == "results" else (found,)


# -- Which markers are legal, and what they do ------------------------------------------------

XML = {
    "prose": {"<think>": "think", "<execute>": "block", "<results>": "results", "<end>": "end"},
    "think": {"</think>": "close"},
    "opening": {"<think>": "think"},
    "answer": {"<results>": "results"},
    "void": {"</execute>": "close"},
    "results": {"</results>": "close"},
}
BY_LINES = {
    "§think:": "think",
    "§respond:": "prose",
    "§call:": "call",
    "§execute": "execute",
    "§end": "end",
    "§result:": "results",
    "[SYSTEM: ": "results",
}
RESULTS = {"§result:": "results", "[SYSTEM: ": "results"}
DELIMITER = {
    "prose": BY_LINES,
    "think": BY_LINES,
    "opening": {"§think:": "think"},
    "answer": RESULTS,
    "void": BY_LINES,
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_markers_of_each_region(dialect):
    """Each of them is found in its region, and in no other."""
    regions = XML if dialect in TAGS else DELIMITER
    for region, legal in regions.items():
        for each in sets(dialect, region):
            for marker in {**XML["prose"], **BY_LINES, "</think>": "", "</execute>": ""}:
                text = f"{marker}\n"
                expected = (legal[marker], 0, len(marker)) if marker in legal else None
                assert each.find(text, 0, fresh=True) == expected, (region, marker)
                assert each.match(text, 0) == expected, (region, marker)
            assert each.lead == ("<" if dialect in TAGS else "§")
            assert each.leads == {marker[0] for marker in legal}
    assert of(dialect) is of(dialect)


@pytest.mark.parametrize("dialect", LINES)
def test_the_markers_that_end_a_body(dialect):
    """All of them, and the bracket where one has opened it; dialects differ in their order."""
    forms = ["§result:", "[SYSTEM: "] if dialect == "delimiter" else ["[SYSTEM: ", "§result:"]
    bodies = dict(zip(forms, of(dialect).results, strict=True))
    for marker, role in BY_LINES.items():
        for each in bodies.values():
            assert each.find(f"{marker}\n", 0, fresh=True) == (role, 0, len(marker))
    assert bodies["[SYSTEM: "].find("a]\n", 0, fresh=False) == ("close", 1, 2)
    assert bodies["§result:"].find("a]\n", 0, fresh=False) is None
    assert bodies["[SYSTEM: "].leads == frozenset("§[]")
    assert bodies["§result:"].leads == of(dialect).prose.leads == frozenset("§[")


# -- Tags -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pos", "found"),
    [
        ("a<think>b", 0, ("think", 1, 8)),
        ("a<think>b", 1, ("think", 1, 8)),
        ("a<think>b", 2, None),
        ("<b><execute><end>", 0, ("block", 3, 12)),
        ("<b><execute><end>", 4, ("end", 12, 17)),
        ("<<end>", 0, ("end", 1, 6)),
        ("</think><Think>< end><end >§end", 0, None),
        ("plain", 0, None),
        ("", 0, None),
    ],
)
def test_tags_are_found_wherever_they_stand(text, pos, found):
    prose = of("xml-json").prose
    for fresh in (True, False):
        assert prose.find(text, pos, fresh=fresh) == found
    assert prose.match(text, pos) == (found if found and found[1] == pos else None)


@pytest.mark.parametrize(
    ("text", "pos", "held"),
    [
        ("a<", 0, "<"),
        ("a<thi", 0, "<thi"),
        ("a<execute", 0, "<execute"),
        ("a<results", 1, "<results"),
        ("a<results", 2, ""),
        ("x" * 20 + "<en", 0, "<en"),
        ("<<", 0, "<"),
        ("<think<", 0, "<"),
        ("<a<th", 0, "<th"),
        ("<th<a", 0, ""),
        ("<think>", 0, ""),
        ("<executed", 0, ""),
        ("a<\n", 0, ""),
        ("</thin", 0, ""),
        ("", 0, ""),
    ],
)
def test_the_part_of_a_tag_that_is_held_back(text, pos, held):
    for fresh in (True, False):
        assert of("xml-json").prose.hold(text, pos, fresh=fresh) == len(text) - len(held)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a[", "["),
        ("a[[", "[["),
        ("[[[", "[["),
        ("[[[th", "[[th"),
        ("[[[[[[results]", "[[results]"),
        ("[[th[", "["),
        ("[[[t", "[[t"),
        ("[t", ""),
    ],
)
def test_a_tag_may_hold_its_first_character_once_more(text, held):
    prose = markers.Markers.of(BRACKETS).prose
    assert prose.hold(text, 0, fresh=True) == len(text) - len(held)


def test_what_may_become_a_tag():
    for region, legal in XML.items():
        (each,) = sets("xml-elements", region)
        parts = {marker[:size] for marker in legal for size in range(1, len(marker))}
        for part in parts:
            assert each.may_hold(part), (region, part)
        for other in ["", "<th ", "<x", "T", "<THINK", *legal, *(f"a{part}" for part in parts)]:
            assert not each.may_hold(other), (region, other)


# -- Lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", LINES)
@pytest.mark.parametrize(
    ("text", "pos", "fresh", "found"),
    [
        ("§think:", 0, True, ("think", 0, 7)),
        ("§think:", 0, False, None),
        ("x§think:", 1, True, ("think", 1, 8)),
        ("x§think:", 1, False, None),
        ("x§think:", 0, True, None),
        (" \t§think:", 0, True, ("think", 2, 9)),
        (" \t§think:", 0, False, None),
        ("x\n§think:", 0, False, ("think", 2, 9)),
        ("x\n§think:", 2, False, None),
        ("x\n§think:", 3, True, None),
        ("x\r \t[SYSTEM: ", 0, False, ("results", 4, 13)),
        ("[SYSTEM:", 0, True, None),
        ("§end\n§think:", 0, True, ("end", 0, 4)),
        ("§end\n§think:", 0, False, ("think", 5, 12)),
        ("§x\n[SYSTEM: \n§end ", 0, True, ("results", 3, 12)),
        ("[SYS\n§end \n[SYSTEM: ", 0, True, ("end", 5, 9)),
        ("§execute", 0, True, None),
        ("§execute§", 0, True, ("execute", 0, 8)),
        ("§executed\n§end\r", 0, True, ("end", 10, 14)),
        ("§THINK:§respond:", 0, True, ("think", 0, 7)),
        ("a\n§ENd\tx", 0, False, ("end", 2, 6)),
        ("\n]\n", 0, True, None),
        ("", 0, True, None),
    ],
)
def test_markers_by_lines_are_found_at_fresh_places(dialect, text, pos, fresh, found):
    assert of(dialect).prose.find(text, pos, fresh=fresh) == found


#: About the ends of the windows in which a text is searched: 256, 256 + 512, and so on.
EDGES = [end + step for end in (256, 768) for step in range(-12, 3)]


@pytest.mark.parametrize("before", ["x", "§", "["])
def test_a_marker_is_found_at_the_end_of_what_is_looked_at(before):
    bracketed = of("delimiter").results[1]
    for size in EDGES:
        start = before * size
        for marker, role in (("§think:", "think"), ("[SYSTEM: ", "results")):
            text = f"{start}\n{marker}\n§end\n"
            expected = (role, size + 1, size + 1 + len(marker))
            assert bracketed.find(text, 0, fresh=True) == expected
            assert bracketed.find(f"\n\n{text}", 2, fresh=True) == (
                role,
                size + 3,
                size + 3 + len(marker),
            )
        assert bracketed.find(f"{start}]\n§end\n", 0, fresh=True) == ("close", size, size + 1)
        assert bracketed.find(f"{start}]", 0, fresh=True) is None


FAR = "x" * 300


@pytest.mark.parametrize(
    ("text", "pos", "found"),
    [
        (f"a§{FAR}\n§end\n{FAR}\n[SYSTEM: ", 0, ("end", 303, 307)),
        (f"a§{FAR}\n[SYSTEM: {FAR}\n§end\n", 0, ("results", 303, 312)),
        (f"a[SYSTEM: {FAR}\n§end\n{FAR}\n[SYSTEM: ", 0, ("end", 311, 315)),
        (f"a[SYSTEM: {FAR}\n[SYSTEM: {FAR}\n§end\n", 0, ("results", 311, 320)),
        (f"{FAR}\n§end\n{FAR}{FAR}", 306, None),
        (f"{FAR}\n§end\n{FAR}\n§think:{FAR}", 306, ("think", 607, 614)),
    ],
)
def test_the_first_marker_is_found_however_far_they_stand_apart(text, pos, found):
    """And none that stands before the place at which the search begins."""
    assert of("delimiter").prose.find(text, pos, fresh=True) == found


class Counted(str):
    """A text that counts how often it is searched."""

    __slots__ = ("searches",)

    def find(self, *arguments):
        self.searches += 1
        return super().find(*arguments)


def test_a_long_text_is_searched_few_times():
    """Each time for more of it, once for each of the two characters with which markers begin."""
    text = Counted("x" * 2**20)
    text.searches = 0
    assert of("delimiter").prose.find(text, 0, fresh=True) is None
    assert text.searches <= 2 * 20


@pytest.mark.parametrize(
    ("text", "pos", "found"),
    [
        ("§think:", 0, ("think", 0, 7)),
        ("x§think:", 1, ("think", 1, 8)),
        ("x§think:", 0, None),
        ("§tHiNk: x", 0, ("think", 0, 7)),
        ("§end", 0, None),
        ("§end\n", 0, ("end", 0, 4)),
        ("[SYSTEM: ", 0, ("results", 0, 9)),
        ("[system: ", 0, None),
        ("", 0, None),
    ],
)
def test_a_marker_by_lines_is_matched_where_it_is_said_to_be_fresh(text, pos, found):
    assert of("delimiter").prose.match(text, pos) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("]\n", ("close", 0, 1)),
        ("a]\r", ("close", 1, 2)),
        ("a]b]\n]\n", ("close", 3, 4)),
        ("a] ]", None),
        ("]", None),
        ("] \n", None),
        ("a]]\n", ("close", 2, 3)),
        ("]§end\n", None),
        ("]\n§end\n", ("close", 0, 1)),
        ("\n§end\n]\n", ("end", 1, 5)),
    ],
)
def test_a_closer_counts_at_the_end_of_a_line(text, found):
    for fresh in (True, False):
        assert of("delimiter").results[1].find(text, 0, fresh=fresh) == found


@pytest.mark.parametrize(
    ("text", "pos", "fresh", "held"),
    [
        ("§", 0, True, "§"),
        ("§", 0, False, ""),
        ("a\n§", 0, False, "§"),
        ("a\n§", 2, False, ""),
        ("a\n§", 2, True, "§"),
        ("a\n§", 3, True, ""),
        ("a§", 0, True, ""),
        ("a§", 1, True, "§"),
        ("a \t§", 1, True, "§"),
        ("a \t§", 1, False, ""),
        ("a \t§", 0, True, ""),
        ("\n§execut", 0, True, "§execut"),
        ("\n§execute", 0, True, "§execute"),
        ("\n§END", 0, True, "§END"),
        ("\n§end ", 0, True, ""),
        ("\n§endi", 0, True, ""),
        ("\n§respond", 0, True, "§respond"),
        ("\n§respond:", 0, True, ""),
        ("\n[SYSTEM:", 0, True, "[SYSTEM:"),
        ("\n[SYSTEM: ", 0, True, ""),
        ("\n[sy", 0, True, ""),
        ("\n§re[", 0, True, ""),
        ("\n[§", 0, True, ""),
        ("\n[\n§t", 0, True, "§t"),
        ("\n§\n[S", 0, True, "[S"),
        ("x" * 30 + "\n§res", 0, True, "§res"),
        ("x" * 300 + "\n§res" + "x" * 300, 0, True, ""),
        ("a]", 0, True, ""),
        ("", 0, True, ""),
    ],
)
def test_the_part_of_a_marker_by_lines_that_is_held_back(text, pos, fresh, held):
    assert of("delimiter").prose.hold(text, pos, fresh=fresh) == len(text) - len(held)
    # A closer changes nothing where none stands.
    if "]" not in text:
        assert of("delimiter").results[1].hold(text, pos, fresh=fresh) == len(text) - len(held)


@pytest.mark.parametrize(
    ("text", "pos", "held"),
    [
        ("]", 0, "]"),
        ("a]", 0, "]"),
        ("a]", 1, "]"),
        ("a]", 2, ""),
        ("]]", 0, "]"),
        ("]a", 0, ""),
        ("]\n", 0, ""),
        ("]\n§en", 0, "§en"),
        ("\n§en]", 0, "]"),
    ],
)
def test_a_closer_that_ends_a_chunk_is_held_back(text, pos, held):
    for fresh in (True, False):
        assert of("delimiter").results[1].hold(text, pos, fresh=fresh) == len(text) - len(held)


def test_what_may_become_a_marker_by_lines():
    plain, bracketed = of("delimiter").results
    for marker in BY_LINES:
        for size in range(1, len(marker)):
            for each in (plain, bracketed, of("delimiter-upper").prose):
                assert each.may_hold(marker[:size])
                assert each.may_hold(marker[:size].upper())
                assert not each.may_hold(f"a{marker[:size]}")
    for bare in ("§execute", "§end", "§END"):
        assert plain.may_hold(bare)
        assert not plain.may_hold(f"{bare} ")
    for other in ("", "§think:", "[SYSTEM: ", "[s", "§\u017f", "§e\u212a", "x", "§ "):
        assert not plain.may_hold(other)
        assert not bracketed.may_hold(other)
    assert bracketed.may_hold("]")
    assert not plain.may_hold("]")
    assert not bracketed.may_hold("]]")


def test_letters_that_only_fold_to_ascii_begin_no_marker():
    """The Kelvin sign is a k in small letters, and no k to the wire, wherever it stands."""
    frame = dialects.dialect_named("delimiter").frame
    made = markers.LineMarkers(frame, {"§kk:": "think"})
    assert made.match("§KK:", 0) == ("think", 0, 4)
    assert made.may_hold("§Kk")
    for text in ("§\u212a", "§k\u212a", "§\u212ak"):
        assert not made.may_hold(text)
        assert made.match(f"{text}:", 0) is None


@pytest.mark.parametrize(
    ("text", "pos", "at", "fresh"),
    [
        ("a\nb", 0, 2, True),
        ("a\rb", 0, 2, True),
        ("a\n \t b", 0, 5, True),
        ("ab", 0, 1, False),
        ("a b", 0, 2, False),
        ("\n\u00a0b", 0, 2, False),
        ("\na \n", 0, 3, False),
        ("a\n", 0, 2, True),
        *(("a" + " " * size, 0, size + 1, False) for size in (1, 255, 256, 257, 512, 600)),
        *(("\n" + "\t" * size, 0, size + 1, True) for size in (1, 255, 256, 257, 512, 600)),
        ("a\n" + "x" * 600, 0, 602, False),
    ],
)
def test_a_place_is_fresh_where_only_blanks_stand_between_a_line_end_and_it(text, pos, at, fresh):
    for given in (True, False):
        assert markers.is_fresh(text, pos, at, fresh=given) is fresh


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 512, 600])
def test_behind_blanks_alone_a_place_is_fresh_where_its_beginning_is(size):
    """What stands before the beginning is not looked at."""
    for before in ("", "a", "\n"):
        for given in (True, False):
            text = f"{before}{' ' * size}§end"
            pos = len(before)
            assert markers.is_fresh(text, pos, pos + size, fresh=given) is given


@pytest.mark.parametrize(
    ("text", "pos", "stop"),
    [
        ("§execx", 0, 5),
        ("§exec", 0, 5),
        ("x §Execx", 2, 7),
        ("§§", 0, 1),
        ("[SYSTEM:x", 0, 8),
        ("x", 0, 0),
        ("", 0, 0),
        ("a§", 2, 2),
    ],
)
def test_how_far_a_text_goes_on_towards_a_marker(text, pos, stop):
    assert markers.reach(of("delimiter").prose, text, pos) == stop
