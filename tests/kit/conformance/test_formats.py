"""Formats that models are trained on: their cases, and the command that runs them."""

import functools
import json
import re
import sys
from pathlib import Path
from unittest import mock

import pytest
from conformance.adapters.formats import lines
from jsonschema import Draft202012Validator
from lxml import html

from cogwire_kit import adapter
from cogwire_kit.cli.conformance import text_terminal
from cogwire_kit.conformance import (
    baseline,
    corpus,
    formats,
    forms,
    fresh_texts,
    grouping,
    readings,
    text_reports,
    turns,
)
from tests import cogwire, oracle, schemas
from tests.core.wire.messages import message_of
from tests.kit.cli import running
from tests.kit.conformance.cases import judge
from tests.kit.conformance.helpers import HERE, document, invoke, on_texts, saved
from tests.rows import rows

CLASSES = json.loads((corpus.PLACE / "classes.json").read_text("utf-8")).keys() | {"example"}
#: So many texts has a format at least.
LEAST = 40


def about(name):
    return json.loads((corpus.PLACE / "formats" / name / "format.json").read_text("utf-8"))


# --- Cases --------------------------------------------------------------------------------------


@rows("name", formats.names())
def test_a_format_and_its_cases_fit_their_schemas_and_have_descriptions(name):
    described, cases = about(name), formats.load(name).cases
    judge(schemas.faults("format", described))
    assert described["name"] == name
    assert len(cases) >= LEAST
    for member in ("id", "title", "text"):
        values = [case.data[member] for case in cases]
        judge(value for value in set(values) if values.count(value) > 1)
    marker = described.get("reasoning")
    judge(f"{case.id}: {fault}" for case in cases for fault in misnomers(name, case, marker))
    tokens = described.get("tokens", ())
    judge(token for token in tokens if not any(token in case.text for case in cases))
    for tool in formats.load(name).tools:
        Draft202012Validator.check_schema(tool["parameters"])
    page = (corpus.PLACE / "formats" / name / "README.md").read_text("utf-8")
    assert page.startswith(f"# {formats.load(name).title}\n")
    for heading in ("## Source", "## Decisions"):
        assert heading in page
    assert re.search(r"https://github\.com/\S+/blob/[0-9a-f]{40}/", page)


def misnomers(name, case, marker):
    yield from schemas.faults("format-case", case.data)
    if not case.id.startswith(f"{name}-"):
        yield "the id names another format"
    if unknown := set(case.data["flags"]) - CLASSES:
        yield f"no such class: {unknown}"
    is_reasoning = case.options.get("start") == "think" or (marker and marker in case.text)
    if bool(is_reasoning) != ("requires" in case.data):
        yield "reasoning is in the text, or required, and not both"
    if "reasoning" in case.data["expect"] and "requires" not in case.data:
        yield "reasoning is expected, and not required"
    if case.data.get("also") and not case.is_decided:
        yield "what the template says is not open"


def test_the_page_of_formats_shows_a_case_as_it_is():
    page = (corpus.PLACE / "formats" / "README.md").read_text("utf-8")
    shown = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])
    assert shown in [case.data for case in formats.load("hermes").cases]


# --- Values -------------------------------------------------------------------------------------


#: What the model wrote, as far as it decides whether a call was made up.
TEXT = 'a a a {"m": 1, "m": 2}'


def expecting(calls=(), content=(), **members):
    expect = {"calls": list(calls), "content": None if content is None else list(content)}
    return formats.FormatCase({"text": TEXT, "expect": {**expect, **members}})


def called(name, *pieces):
    return [{"call": name}, *({"arguments": piece} for piece in pieces)]


CALL = {"name": "a", "arguments": {"n": 1}}


@rows(
    "case, items, outcome",
    [
        (expecting([CALL]), called("a", {"n": 1}), 0),
        (expecting([CALL]), called("a", '{"n"', ": 1.0}"), 0),
        (expecting([CALL]), called("a", '{"n": true}'), None),
        (expecting([CALL]), called("a", '{"n": "1"}'), None),
        (expecting([CALL]), called("a", {"n": 1}) * 2, None),
        (expecting([CALL]), called("b", {"n": 1}), None),
        (expecting(), called("a", '{"n": 1'), 0),
        (expecting(), called("a", "[" * 100_000), 0),
        (expecting(), called("a", '{"n": NaN}'), 0),
        (expecting(), called("a", "[1]") + called("a") + called("a", None), 0),
        (expecting(), called("a", "{}", {}), 0),
        (expecting(), called("a", "{") * 4, None),
        (expecting(), called("b"), None),
        (expecting([CALL]), called("a", '{"n": 0, "n"', ": 1}"), None),
        (expecting([{"name": "a", "arguments": {"m": 2}}]), called("a", '{"m": 1, "m": 2}'), 0),
        (expecting(content=["a", "b"]), [{"content": " a"}, {"content": "\n\nb\n"}], 0),
        (expecting(content=["a", "b"]), [{"content": "ab"}], 0),
        (expecting(content=["a b"]), [{"content": "a  b"}], None),
        (expecting(content=["a", "b"]), [{"content": "a"}], None),
        (expecting(), [{"content": " \n"}, {"reasoning": ""}], 0),
        (expecting(), [{"reasoning": "x"}], None),
        (expecting(content=None), [{"content": "anything"}], 0),
        (expecting(reasoning=["x"]), [{"reasoning": "x\n"}], 0),
    ],
)
def test_contents_are_compared_as_values(case, items, outcome):
    assert case.outcome(formats.message(items)) == outcome


@rows(
    "item", [{"content": 1}, {"content": "a", "call": "b"}, "a", {}, {"arguments": {}, "index": -1}]
)
def test_an_item_that_the_protocol_does_not_have_is_reported(item):
    told = "an item must have a text as `content`, `reasoning` or `call`, or `arguments`"
    told += ", and an `index` is a number from 0"
    assert formats.message([item]) == f"{told}: {json.dumps(item)}"
    assert (
        formats.message([{"arguments": {}}])
        == 'arguments came before any `call`: {"arguments": {}}'
    )


def test_the_outcome_that_is_open_is_found():
    data = {"text": TEXT, "expect": {"calls": [CALL], "content": []}}
    data |= {"also": [{"calls": [], "content": None}]}
    case = formats.FormatCase(data)
    assert [case.outcome(formats.message(one)) for one in ([], called("a", {"n": 1}))] == [1, 0]


@rows(
    "expected, given, cause",
    [
        ([["a\n\nb"]], "a\nb", "other white space in the content"),
        # Another cut of the same text: both pass, but a text has one of them.
        ([["ab"], None], "ab", "another outcome than in one piece"),
    ],
)
def test_a_cut_that_differs_has_a_cause(expected, given, cause):
    outcomes = [{"content": one, "calls": []} for one in expected]
    case = formats.FormatCase(
        {"text": "x", "basis": "template", "expect": outcomes[0], "also": outcomes[1:]}
    )
    other = formats.Other(["x"], formats.ReadMessage(content=given))
    found = formats.ParserReading(case, formats.ReadMessage(), len(outcomes) - 1, differing=[other])
    assert grouping.of_reading(found, ["<x>"]) == f"in cuts: {cause}"


@rows(
    "name, message",
    [
        ("x", r"no format 'x'; there are .*hermes, "),
        ("hermez", r"no format 'hermez'; did you mean hermes or cohere\? there are "),
        ("kimi_k2", r"no format 'kimi_k2'; did you mean kimi-k2\? there are "),
        ("mini-swe-agent", r"has a description, and no texts, .*`cogwire conformance described`"),
    ],
)
def test_a_format_without_texts_is_reported(name, message):
    with pytest.raises(corpus.UnusableError, match=message):
        formats.load(name)


# --- The command --------------------------------------------------------------------------------


def held(name, kind, *options, code=0, with_fresh=False):
    reader = [sys.executable, "-m", "tests.kit.conformance.format_reader", kind]
    return invoke("format", name, *options, "--", *reader, code=code, with_fresh=with_fresh)


def selecting(options, prefix=""):
    """Return options as a shell splits them; a word that is none selects cases."""
    return re.sub(r"(?<= )(?!whole)([a-z]\S*)", rf"--case {prefix}\1", f" {options}").split()


# The tests of the core read the other formats.
@pytest.mark.verify
def test_a_reader_of_whole_texts_reads_all_of_them_however_they_are_cut(tmp_path):
    path = tmp_path / "report.json"
    output = held("hermes", "whole", "--report", path)
    assert "\n0 of " in output
    assert re.search(r"\nlate: nothing is returned before the end in (\d+) of \1 texts\n", output)
    report = text_reports.load(path)
    assert {case["verdict"] for case in report.cases} == {"pass"}
    cases = [(one.id, one.revision) for one in formats.load("hermes").cases]
    assert [(case["id"], case["revision"]) for case in report.cases] == cases
    assert report.run["corpus"] != corpus.version(corpus.PLACE)


@pytest.mark.verify
@rows("each", corpus.array(HERE / "liars_about_formats.json"))
def test_a_liar_about_formats_gets_no_good_verdict(tmp_path, each):
    """It is shown where it fails; what no client can read is wrong, and no fault of the reply."""
    case, badge, path = each["case"], tmp_path / "badge.svg", tmp_path / "report.jsonl"
    known = (*formats.names(), *formats.shaped())
    name = next(one for one in known if case.startswith(f"{one}-"))
    options = ["--seed", 1, "--badge", badge, "--junit", tmp_path / "junit.xml", "--case", case]
    options += ["--report", path]
    output = held(name, each["kind"], *options, code=1, with_fresh=True)
    assert [words for words in each["words"] if words not in output] == []
    assert forms._COLOURS["failing"] in badge.read_text()
    assert "cogwire conformance format" in (tmp_path / "junit.xml").read_text("utf-8")
    if "verdict" in each:
        assert [found["verdict"] for found in text_reports.load(path).cases] == [each["verdict"]]


#: A call that is known with its 49th character, and prose for which nobody need wait.
CALLED = '<tool_call>{"name": "a", "arguments": {"n": "1"}}</tool_call> '
ALSO = CALLED.replace('"1"', '"2"')
PROSE = "Now that this is done, let me see what else there is to do here."
A_CALL = [{"name": "a", "arguments": {"n": "1"}}]
CALLS = [*A_CALL, {"name": "a", "arguments": {"n": "2"}}]


@rows(
    "text, calls, moved, late",
    [
        # For so many characters a parser may still wait for a marker; one more is late.
        (CALLED + PROSE, A_CALL, {"1": 89}, None),
        (CALLED + PROSE, A_CALL, {"1": 90}, ({"call": ""}, 49, 90)),
        (CALLED + PROSE, A_CALL, {"1": 127}, ({"call": ""}, 49, None)),
        (CALLED + PROSE, A_CALL, {"Now": 127}, ({"content": ""}, 63, None)),
        # What follows is over before the call is late, or there is nothing.
        (CALLED + PROSE[:27], A_CALL, {"1": 90}, None),
        (PROSE + CALLED, A_CALL, {"1": 127}, None),
        # Of two calls, the first need not wait for the second.
        (CALLED + ALSO, CALLS, {"1": 89}, None),
        (CALLED + ALSO, CALLS, {"1": 112, "2": 112}, ({"call": ""}, 49, 112)),
        (PROSE, [], {"Now": 41}, None),
        (PROSE, [], {"Now": 42}, ({"content": ""}, 1, 42)),
    ],
)
def test_what_comes_so_many_characters_later_is_late(text, calls, moved, late):
    """`moved` says after how many characters a call, or the prose, comes that was there before."""
    case = formats.FormatCase(
        {"id": "x", "text": text, "expect": {"calls": calls, "content": None}}
        | ({"expect": {"calls": calls, "content": [PROSE]}} if "Now" in moved else {})
    )
    request = {"op": "parse", "format": "hermes", "tools": []}
    given = [[] for _ in f"{text}."]
    ends = {"1": 49, "2": 111}
    for call in calls:
        value = call["arguments"]["n"]
        given[moved.get(value, ends[value]) - 1] += called("a", call["arguments"])
    if "Now" in moved:
        given[moved["Now"] - 1].append({"content": PROSE})
    found = readings.overdue(
        formats.ParserReading(case, formats.ReadMessage(), 0), request, list(text), given, 40
    )
    assert (found and (found.item, found.complete, found.came)) == late


# The executable specification shares no code with what draws them, nor with the reference.
@pytest.mark.verify
@rows("name", sorted({*formats.names(), *formats.shaped()}))
def test_fresh_texts_say_what_is_expected_of_them(name):
    found, described = formats.load(name), formats.description(name)
    request = {"op": "parse", "format": name, "tools": found.tools}
    drawn = list(fresh_texts.of_format(found, request, described, 7))
    assert len(drawn) == fresh_texts.TEXTS + 1
    assert not {case.text for case in drawn} & {case.text for case in found.cases}
    for case in drawn:
        start, is_finished = case.options.get("start", "prose"), "finish" not in case.options
        read = oracle.parse(case.text, described, start=start, is_finished=is_finished)
        toolset = cogwire.Toolset(case.data["tools"], cogwire.Format.from_json(described))
        assert case.outcome(message_of(read.events, toolset)) == 0, case.data


def test_no_reasoning_is_drawn_for_a_format_that_has_none():
    found, described = formats.load("mistral-v3"), formats.description("mistral-v3")
    request = {"op": "parse", "format": found.name, "tools": found.tools}
    drawn = list(fresh_texts.of_format(found, request, described, 1))
    assert {part for case in [*found.cases, *drawn] for part in case.parts} == set()


@pytest.mark.verify
@rows("each", corpus.array(HERE / "readers.json"))
def test_what_a_reader_does_is_said_of_it(each):
    options = selecting(each["options"], f"{each['name']}-")
    output = held(each["name"], each["kind"], *options, code=each["code"])
    assert [words for words in each["words"] if words not in output] == []
    assert ("joins the chunks" in output) == (each["kind"] == "joins-lines")


def test_a_text_is_not_blamed_for_another_one_that_raises():
    class Reader:
        def whole(self, _text):
            return None

        def feed(self, chunk):
            return [{"content": str(int(chunk))}]

        def close(self):
            return []

    asked = {
        "format": "hermes",
        "tools": [],
        "sessions": [{"chunks": ["1"]}, {"chunks": ["x", "2"]}],
    }
    right, wrong = lines.replied(lambda _tools: Reader(), asked, ())["sessions"]
    assert right == {"feeds": [[{"content": "1"}]], "close": []}
    assert wrong == {"error": """ValueError("invalid literal for int() with base 10: 'x'")"""}


@pytest.mark.verify
def test_an_adapter_of_the_first_version_is_asked_as_it_was(tmp_path):
    path = tmp_path / "report.json"
    output = held("hermes", "old", "--report", path)
    assert "2 texts are not asked: the adapter does not take start, prompt\n" in output
    assert "1 text is not asked: the adapter does not take finish" in output
    report = text_reports.load(path)
    assert len(report.cases) == len(formats.load("hermes").cases) - 4
    assert report.end["left_out"]["start, prompt, finish"] == 1


@pytest.mark.verify
@rows("markers, code, right", [("whole", 0, "1 of 1 text is"), ("cut", 1, "0 of 1 text is")])
def test_cuts_inside_markers_are_counted_apart(tmp_path, markers, code, right):
    path = tmp_path / "report.json"
    options = ["--markers", markers, "--case", "mistral-no-arguments", "--report", path]
    output = held("mistral", "reads-tokens", *options, code=code)
    assert f"{right} read as expected in every cut, 1 in one piece" in output
    [case] = text_reports.load(path).cases
    inside = case["inside_markers"]
    assert inside["cuts"] == inside["differing"] > 0
    assert f"inside markers, {inside['cuts']} of {inside['cuts']} cuts differ" in output


@pytest.mark.verify
def test_what_has_one_cause_is_one_group():
    """However many texts a fault makes differ."""
    output = held("hermes", "first-closer", "--first", 20, code=1)
    assert "\nin one piece: a call is lost: " in output
    assert output.count("a call is lost: ") <= 2
    assert "  also: hermes-" in output


@pytest.mark.verify
def test_a_parser_that_dies_in_streams_keeps_its_results_on_whole_texts(tmp_path):
    path = tmp_path / "report.json"
    cases = ["--case", "hermes-one-call", "--case", "hermes-prose-only"]
    output = held("hermes", "dies-in-streams", *cases, "--report", path, code=1)
    assert "0 of 2 texts are read as expected in every cut, 2 in one piece" in output
    assert "\nin cuts: crashed: exited with 3: 2 texts\n" in output
    found = text_reports.load(path).cases
    assert {one["cuts"] for one in found} <= {3, 4}
    number = sum(one["unasked"] for one in found)
    assert f"\n{number} cuts are not run, because the parser died of others" in output
    assert invoke("report", path) == output


@pytest.mark.verify
def test_texts_that_are_known_to_fail_are_let_be_and_can_be_asked_again(tmp_path):
    first, known = tmp_path / "first.json", tmp_path / "known.toml"
    cases = ["--case", "hermes-one-c*", "--case", "hermes-prose-only"]
    output = held("hermes", "dies-in-streams", *cases, "--report", first, code=1)
    assert "\ncogwire conformance explain ID says what a text asks" in output
    written = invoke("report", first, "--format", "baseline")
    number = written.count('verdict = "crashed"\nreason = ""')
    assert number == written.count("[[known]]") > 1
    known.write_text(written, "utf-8")
    options = [*cases, "--baseline", known]
    assert "entry 1: hermes-one-" in held("hermes", "dies-in-streams", *options, code=2)
    known.write_text(written.replace('reason = ""', 'reason = "It dies."'), "utf-8")
    badge = tmp_path / "badge.svg"
    output = held("hermes", "dies-in-streams", *options, "--badge", badge)
    texts = len(formats.load("hermes").cases)
    shown = f"hermes: 0 of {texts} texts in every cut, {number} known to fail, "
    assert shown in badge.read_text()
    assert f"\n{number} texts are known not to be read so, and not shown\n" in output
    output = held("hermes", "whole", *options, code=1)
    assert output.count(": stale: it passes now; remove the entry\n") == number
    known.write_text(known.read_text("utf-8").replace("crashed", "cuts"), "utf-8")
    output = held("hermes", "dies-in-streams", *options, code=1)
    assert output.count(": changed: known as cuts, now crashed\n") == number
    output = held("hermes", "whole", "--failed", first)
    assert f"hermes, by the template: {number} of {number} texts are read" in output
    told = held("hermes", "whole", "--failed", first, "--case", "hermes-two-calls", code=2)
    assert "nothing is selected: no case is in this part" in told
    told = held("hermes", "whole", "--failed", stored(tmp_path, "hermes", "pass"), code=2)
    assert told.endswith(": everything that was asked passes")
    known.write_text('[[known]]\ncase = "hermes-x"\nverdict = "cuts"\nreason = "y"\n', "utf-8")
    output = held("hermes", "whole", *options, code=1)
    assert "hermes-x: there is no such case\n" in output


@pytest.mark.verify
def test_a_part_of_a_format_is_run_up_to_the_first_text_that_fails(tmp_path):
    path, page = tmp_path / "report.jsonl", tmp_path / "page.html"
    cases = ["--case", "hermes-one-*", "--case", "hermes-two-*", "--report", path]
    ids = []
    for part in ("1/2", "2/2"):
        held("hermes", "whole", *cases, "--shard", part, "--html", page)
        ids += [case["id"] for case in text_reports.load(path).cases]
        assert f"{len(text_reports.load(path).cases)} of " in page.read_text("utf-8")
    names = [case.id for case in formats.load("hermes").cases]
    assert sorted(ids) == sorted(one for one in names if one[7:11] in ("one-", "two-"))
    output = held("hermes", "chunks", *cases, "--fail-fast", code=1)
    found = text_reports.load(path)
    assert len(found.cases) == 1 < len(ids)
    assert found.verdict.kind == "failing"
    assert found.verdict.text.endswith(" so far")
    assert "stopped, so that other texts are not run: the first failure was enough" in output


#: An adapter that takes every member of requests, keeps each, and has read nothing.
KEEPING = """
import json, sys
with open(sys.argv[1], "a") as kept:
    for line in sys.stdin:
        kept.write(line)
        kept.flush()
        request = json.loads(line)
        nothing = [
            {"feeds": [[] for _ in each["chunks"]], "close": []}
            for each in request.get("sessions", [request])
        ]
        reply = {"sessions": nothing} if "sessions" in request else nothing[0]
        takes = ["start", "prompt", "finish", "sessions", "markers", "tools", "calls", "limits"]
        print(json.dumps({"id": request["id"], "takes": takes, **reply}), flush=True)
"""


@rows(
    "command, schema, members",
    [
        (
            "format hermes --case hermes-begun-in-reasoning-cut-by-a-limit",
            "format-request",
            "protocol start prompt finish sessions chunks",
        ),
        (
            "described --case schemas-t* --case trained-*-cut-* --case headers-longer-*",
            "adapter-request",
            "protocol start finish tools dialect chunks",
        ),
    ],
)
def test_what_an_adapter_is_asked_fits_the_schema(tmp_path, command, schema, members):
    kept = tmp_path / f"{schema}.jsonl"
    without = ["--without", "refused"] * command.startswith("described")
    asked = [*command.split(), *without, "--", sys.executable, "-c", KEEPING, kept]
    invoke(*asked, code=1)
    requests = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    judge(fault for request in requests for fault in schemas.faults(schema, request))
    assert set().union(*requests) >= set(members.split())


TURNS = turns.load()
#: Turns are loaded, and drawn for a seed, once for all runs.
DRAWN = functools.cache(lambda seed, draw=fresh_texts.of_described: [*draw(TURNS, seed)])


def read_described(kind, *options, code=0):
    reader = [sys.executable, "-m", "tests.kit.conformance.format_reader", kind]
    command = ["described", "--seed", 1, *options, "--", *reader]
    with (
        mock.patch.object(turns, "load", return_value=TURNS),
        mock.patch.object(fresh_texts, "of_described", lambda _, seed: DRAWN(seed)),
    ):
        return invoke(*command, code=code)


#: The tests of the core read every turn, at every cut; the work of six is measured.
ALL = len(TURNS.cases) + fresh_texts.TURNS + fresh_texts.WRITINGS + 6
AN_EIGHTH = len(range(0, ALL, 8))
NOT_ASKED = "1 text is not asked: the adapter does not take"
LACKED = "not compared, because the parser lacks it:"


@pytest.mark.verify
@rows(
    "kind, options, words",
    [
        ("whole", "--shard 1/8", f"0 of {AN_EIGHTH} texts depend on the cut, "),
        ("knows-objects", "objects-keyed-* --without=array", "2 of 2 texts are read as expected"),
        (
            "whole",
            "refused-no-name refused-literals-* --without=literals",
            "1 of 1 text is read as",
        ),
        ("takes-nothing", "strays-with-headers-*", f"{NOT_ASKED} start, calls"),
        ("takes-nothing", "text-smol*-a-ch* text-again-*", f"{NOT_ASKED} lone-surrogates"),
        ("takes-nothing", "text-again-* written-smolagents-*", f"{NOT_ASKED} writing"),
        ("whole", "written-tagged-*", "5 of 5 texts are read as expected"),
        ("whole", "written-tagged-* text-a* --without=writing", "0 of 1 text depends on the cut, "),
        ("says-no-place", "strays-held-*", f"{LACKED} discarded, messages, state"),
        (
            *("knows-objects", "objects-keyed-* objects-around-no-*"),
            "7 texts are unsupported, by payload: array ",
        ),
        ("says-ends", "strays-held-*", f"{LACKED} prompt"),
    ],
)
def test_turns_in_described_formats_are_read_as_their_clauses_say(kind, options, words):
    assert words in read_described(kind, "--as-claimed", *selecting(options))


@pytest.mark.verify
@rows("each", corpus.array(HERE / "liars_about_turns.json"))
def test_a_reader_of_turns_with_a_fault_is_shown_where_it_fails(tmp_path, each):
    path = tmp_path / "report.jsonl"
    output = read_described(each["kind"], "--case", each["case"], "--report", path, code=1)
    assert [words for words in each["words"] if words not in output] == []
    report = text_reports.load(path)
    first = report.wrong[0]
    assert first["clauses"]
    again = f"cogwire conformance described --case {first['id']} --seed 1 -- "
    assert report.again(first).startswith(again)


@pytest.mark.verify
@rows(
    "kind, case, options, words",
    [
        (
            "dodges",
            "held",
            ["--as-claimed"],
            "2 turns are answered with `unsupported` for the text",
        ),
        ("takes-nothing", "with-headers", [], "--as-claimed leaves out what is not claimed"),
        ("says-ends", "held", [], "--as-claimed leaves out what is not claimed"),
    ],
)
def test_a_reader_of_turns_does_not_conform_by_what_it_leaves_out(kind, case, options, words):
    assert words in read_described(kind, *options, "--case", f"strays-{case}-*", code=1)


def test_a_turn_in_a_described_format_is_explained():
    turn = TURNS.cases[0]
    output = invoke("explain", turn.id)
    assert "\nExpected, by these clauses\n" in output
    request = json.loads(output.partition("\nAs a request\n")[2].splitlines()[0])
    events = json.loads(output.partition("\nExpected, by these clauses\n")[2].splitlines()[0])
    reply = json.loads(adapter.answer(json.dumps(request).encode()))
    assert [event for feed in reply["feeds"] for event in feed] + reply["close"] == events["events"]
    (clause,) = turn.data["clauses"]
    listed = invoke("explain", clause)
    assert turn.id in listed
    assert "No case tests it" not in listed
    told = json.loads(invoke("explain", turn.id, "--json"))
    assert [one["id"] for one in told["clauses"]] == [clause]


def test_the_place_of_what_a_description_is_refused_for_is_explained():
    output = invoke("explain", "refused-a-section-without-markers")
    assert '\n{"refused": true, "place": "/section"}\n' in output


def test_a_text_of_a_format_is_explained():
    output = invoke("explain", "hermes-closer-in-a-string")
    assert "\nExpected, by the format's template\n" in output
    page = output.partition("\nThe template, and what was decided\n")[2].splitlines()[0]
    assert Path(page).read_text("utf-8").startswith("# Hermes\n")
    request = json.loads(output.partition("\nAs a request\n")[2].splitlines()[0])
    assert request["chunks"] == [json.loads(output.partition("\ntext\n")[2].splitlines()[0])]
    assert request["tools"] == formats.load("hermes").tools
    output = invoke("explain", "gemma-4-one-call", "--format", "json")
    assert [case["id"] for case in json.loads(output)["cases"]] == ["gemma-4-one-call"]


def test_a_class_of_bugs_names_the_texts_of_formats_that_find_it():
    output = invoke("explain", "marker-name-taken-for-a-marker")
    assert "\n2 texts of formats find it\n" in output
    ids = re.search(r"^harmony: (.*)$", output, re.MULTILINE)[1].split(", ")
    told = json.loads(invoke("explain", "marker-name-taken-for-a-marker", "--json"))["cases"]
    assert set(ids) < {case["id"] for case in told}
    assert "did you mean hermes-one-call" in invoke("explain", "hermes-one-cal", code=2)
    assert "cogwire lint --explain json-syntax" in invoke("explain", "json-syntax", code=2)


@pytest.mark.verify
def test_selected_cases_must_exist():
    told = held("hermes", "whole", "--case", "hermes-one-cal", code=2)
    assert "has no case hermes-one-cal; did you mean hermes-one-call" in told
    assert "no case requires it" in held("hermes", "whole", "--without", "x", code=2)
    assert "no format 'x'" in held("x", "whole", code=2)
    told = read_described("whole", "--without", "x", code=2)
    assert "no case requires it; there are arguments, array, bare, " in told
    output = held("hermes", "whole", "--case", "hermes-one-call", "--without", "reasoning")
    assert "1 of 1 text is read" in output


@rows(
    "command, reason",
    [
        (["cat"], "no reply with 1 feed and a close: "),
        (["sh", "-c", "echo Welcome; exec cat"], "fault: not JSON: 'Welcome'"),
    ],
)
def test_a_program_that_answers_no_request_is_reported_once(tmp_path, command, reason):
    path = tmp_path / "report.json"
    output = invoke("format", "hermes", "--report", path, "--", *command, code=3)
    number = sum(not case.options for case in formats.load("hermes").cases)
    assert output.startswith(f"no text of {number} has an answer, so none was cut\n")
    assert f"  {number} times: " in output
    assert reason in output
    assert len(output.splitlines()) == 3 + ("what an adapter logs" in output)
    assert ("not JSON" in reason) == ("belongs on standard error" in output)
    found = text_reports.load(path)
    assert {case["verdict"] for case in found.cases} == {"fault"}
    assert found.verdict.kind == "none"
    invoke("format", "hermes", "--fail-fast", "--", *command, code=3)


# --- The page of several reports ----------------------------------------------------------------


def stored(place, name, *verdicts, **more):
    """Write a report with texts of these verdicts, and return the file."""
    why = {"cause": "in cuts: a <call> is lost"}
    wrong = {"pass": {}, "cuts": why, "wrong": {**why, "whole": False}}
    cases = [
        {"id": f"{name}-{at}", "verdict": one, "revision": 1, "basis": "template", **wrong[one]}
        for at, one in enumerate(verdicts)
    ]
    path = place / f"{name}-{sum(1 for _ in place.iterdir())}.jsonl"
    return saved(path, on_texts(name, *cases, **more))


def test_a_report_of_a_format_is_shown_as_its_run_was():
    path = corpus.PLACE / "reports" / "formats" / "vllm-0.33.0-hermes.jsonl"
    output = invoke("report", path, "--first", "1")
    assert "\nhermes, by the template: 33 of 39 texts are read as expected in every cut" in output
    title = "A string that is not closed does not affect the next call"
    assert f"\nhermes-string-not-closed-then-a-call: {title}" in output
    badge = invoke("report", path, "--format", "badge")
    assert "hermes: 46 of 76 texts in every cut, 14 not asked" in badge


@rows(
    "command",
    [
        ("run", "--failed", "kept", "--report", "kept"),
        ("run", "--baseline", "kept", "--html", "kept"),
        ("run", "--report", "new", "--badge", "new"),
        ("format", "hermes", "--baseline", "kept", "--junit", "kept"),
        ("format", "hermes", "--report", "new", "--badge", "new"),
    ],
)
def test_no_file_is_written_over_one_that_is_read_or_written(command, tmp_path):
    (tmp_path / "kept").write_text("", "utf-8")
    paths = [tmp_path / each if each in ("kept", "new") else each for each in command]
    option, file = paths[-2:]
    told = invoke(*paths, "--", "true", code=2)
    assert told.endswith(f"{option} {file} would replace {file}; name another file")


def test_only_a_report_on_the_same_format_says_what_failed(tmp_path):
    path = stored(tmp_path, "mistral", "wrong")
    told = invoke("format", "hermes", "--failed", path, "--", "true", code=2)
    assert told.endswith(f"{path}: a report on mistral, and not on hermes")
    told = invoke("run", "--failed", path, "--", "true", code=2)
    assert told.endswith(f"{path}: a report on mistral, and not of a run")


@rows(
    "members, is_of_texts, words",
    [
        ('verdict = "wrong"\nproperties = []', True, "of `cogwire conformance run`, which has no"),
        ('verdict = "wrong"', False, "of `cogwire conformance format`, which has no cases"),
    ],
)
def test_a_baseline_of_the_other_kind_is_refused(tmp_path, members, is_of_texts, words):
    path = running.stored(
        tmp_path / "known.toml", f'[[known]]\ncase = "x"\nreason = "y"\n{members}\n'
    )
    with pytest.raises(corpus.UnusableError, match=rf"known\.toml: a baseline {words}"):
        baseline.read(path, is_of_texts=is_of_texts)
    path.write_text('[claimed]\nops = ["parse"]\n', "utf-8")
    assert baseline.read(path) == []
    with pytest.raises(corpus.UnusableError, match=r"a baseline of `cogwire conformance run`"):
        baseline.read(path, is_of_texts=True)


def differing(name, text, gives, **members):
    """Return what a report says of a text that is not read as expected."""
    return {
        "id": f"hermes-{name}",
        "verdict": "cuts",
        "revision": 1,
        "basis": "template",
        "title": f"About {name}",
        "flags": ["example"],
        "text": text,
        "expected": {"content": [], "calls": [CALL]},
        "gives": gives,
        "cause": "in cuts: a call is lost",
        **members,
    }


NOTHING = {"content": [], "calls": []}


def differing_report():
    """Return a report on two texts that differ, of one cause, and on one that has no answer."""
    died = {"verdict": "crashed", "basis": "decision", "cause": "in one piece: crashed"}
    cases = [
        differing("long", "<tool_call>…", NOTHING, chunks=["<", "tool_call>…"]),
        differing("short", "<t", NOTHING, chunks=["<", "t"]),
        differing("dead", "x", "crashed: \x1b!", whole=False, **died),
    ]
    return on_texts("hermes", *cases, markers="whole", seed=7)


def test_what_differs_can_be_sent_to_a_maintainer(tmp_path):
    path = saved(tmp_path / "report.jsonl", differing_report())
    output = invoke("report", path, "--format", "issue")
    assert output.startswith(
        """\
## run 'a b', hermes: in cuts: a call is lost

2 texts of the format show it; the first is below:

- About short (`hermes-short`)
- About long (`hermes-long`)

The text, in the chunks in which it was sent:

    ["<", "t"]

Expected, by the public template of the format:

    {"content": [], "calls": [{"name": "a", "arguments": {"n": 1}}]}

Received:

    {"content": [], "calls": []}

To see it again:

    cogwire conformance format hermes --case hermes-short --markers whole --seed 7 -- run 'a b'

## run 'a b', hermes: in one piece: crashed

About dead.
"""
    )
    assert "Expected, as cogwire decided; no template says it, and another" in output
    assert "\n    crashed: \\u001b!\n" in output
    assert output.count("\n## ") == 1
    assert invoke("report", path, "--format", "issue", "--first", 1).count("## ") == 1
    right = stored(tmp_path, "hermes", "pass")
    assert invoke("report", right, "--format", "issue") == "Nothing differs.\n"


@rows(
    "texts, order",
    [
        # Most are of one class, and of those the shorter one.
        ("a:quote:12 b:closer:14 c:closer:13", "cba"),
        ("a:quote:12 b:example:19 c:closer:13 d:closer:14", "bcda"),
        ("a:quote:12:decision b:closer:14", "ba"),
        ("a:quote:12 b:quote,closer:14 c:closer:15 d:closer:16", "bcda"),
    ],
)
def test_an_issue_begins_with_the_plainest_text_and_names_ten(texts, order):
    def made(name, flags, size, basis="template"):
        members = {"flags": flags.split(","), "basis": basis}
        return differing(name, int(size) * "x", NOTHING, **members)

    report = on_texts("hermes", *(made(*one.split(":")) for one in texts.split()))
    [group] = report.groups()
    assert "".join(one["title"][-1] for one in group.cases) == order
    report.cases *= 6
    output = forms.as_issues(report, 1)
    listed = [line for line in output.splitlines() if line.startswith("- ")]
    assert [line[8] for line in listed[:10]] == [name for name in order for _ in range(6)][:10]
    assert listed[10:] == [f"- and {6 * len(order) - 10} more"]


@rows(
    "differing, line, inside",
    [
        ("pass:0", "0 of 1 text depends on the cut, in 9 cuts", "0 of 4"),
        ("pass:0 cuts:3", "1 of 2 texts depends on the cut, in 18 cuts", "3 of 8"),
        (
            "pass:0 wrong:9",
            "0 of 2 texts depend on the cut, in 18 cuts; 1 is wrong however it is cut",
            "0 of 4",
        ),
        # One is read in some cuts, and not in one piece.
        (
            "wrong:2 wrong:9",
            "1 of 2 texts depends on the cut, in 18 cuts; 1 is wrong however it is cut",
            "2 of 4",
        ),
        (
            "wrong:9 wrong:9",
            "0 of 2 texts depend on the cut, in 18 cuts; 2 are wrong however they are cut",
            None,
        ),
    ],
)
def test_a_text_that_is_wrong_however_it_is_cut_does_not_depend_on_the_cut(differing, line, inside):
    cases = [
        {
            "verdict": verdict,
            **({"whole": False} if verdict == "wrong" else {}),
            "basis": "template",
            "differing": int(number),
            "inside_markers": {"cuts": 4, "differing": min(4, int(number))},
        }
        for verdict, number in (one.split(":") for one in differing.split())
    ]
    told = [line, *([f"inside markers, {inside} cuts differ"] if inside else [])]
    assert [*text_terminal.totals(on_texts("hermes", *cases))][1:] == told


def test_a_report_of_a_format_is_written_for_build_servers(tmp_path):
    path = saved(tmp_path / "report.jsonl", differing_report())
    suite = document(invoke("report", path, "--format", "junit")).find("testsuite")
    assert [suite.get(name) for name in ("name", "tests", "failures", "errors")] == [
        *("hermes", "3", "2", "1"),
    ]
    failure = suite.find("testcase[@name='hermes-short']/failure")
    assert failure.get("message") == "in cuts: a call is lost"
    expected = 'Expected, by the public template of the format: {"content": [], "calls": [{'
    for line in (expected, "--case hermes-short --markers"):
        assert line in failure.text
    assert suite.find("testcase[@name='hermes-dead']/error").get("type") == "crashed"


def test_what_a_baseline_knows_is_skipped_by_build_servers():
    report = differing_report()
    for case in report.cases:
        case["known"] = "to be fixed"
    report.end["baseline"] = ["x: stale"]
    suites = document(forms.as_junit(report))
    suite = suites.find("testsuite")
    assert (suite.get("skipped"), suite.get("failures"), suite.get("errors")) == ("3", "0", "0")
    assert suites.find("*/testcase[@name='verdict']/error").text == "x: stale"
    stopped = on_texts("x", {"id": "x-1", "verdict": "pass"}, stopped="it died")
    error = document(forms.as_junit(stopped)).find("*/testcase/error")
    assert error.get("type") == "none"
    assert error.get("message").startswith("no verdict: it died; 1 of 1 text is read")


def test_reports_on_different_things_are_not_compared(tmp_path):
    one, other = (stored(tmp_path, name, "pass") for name in ("hermes", "mistral"))
    told = invoke("diff", one, other, code=2)
    assert f"{one} is a report on hermes, and {other} one on mistral: compare two of runs" in told
    run = corpus.PLACE / "reports" / "cogency-3.3.0.jsonl"
    assert f"{run} is a report of a run, and {one} one on hermes" in invoke(
        "diff", run, one, code=2
    )


def test_two_reports_of_a_format_are_compared(tmp_path):
    before, after = stored(tmp_path, "x", "pass", "cuts"), stored(tmp_path, "x", "wrong", "cuts")
    output = invoke("diff", before, after, code=1).splitlines()
    assert output[0].split() == ["fails", "now", "x-0", "pass", "->", "wrong"]
    now = "0 of 2 texts are read as expected in every cut"
    was = "1 of 2 texts is read as expected in every cut"
    assert output[1:] == ["1 fails now", f"{was} -> {now}"]
    assert "passes now" in invoke("diff", after, before)
    assert json.loads(invoke("diff", before, before, "--format", "json"))["changes"] == []
    stopped = stored(tmp_path, "x", "pass", "cuts", stopped="it died")
    output = invoke("diff", before, stopped, code=1)
    assert output.startswith(f"nothing changed\n{was} -> no verdict: it died; 1 of 2 texts is")


def test_reports_of_formats_are_a_grid_of_parsers_by_formats(tmp_path):
    about = {"language": "X", "about": "A parser."}
    parser = {"name": "p", "title": "P", "version": "1", **about}
    paths = [
        stored(tmp_path, "hermes", "pass", "cuts", "cuts", left_out={"finish": 1}),
        stored(tmp_path, "hermes", "pass", parser=parser),
        stored(tmp_path, "mistral", "pass", "wrong", parser=parser, at_close=2),
    ]
    page = html.fromstring(invoke("report", *paths, "--format", "html"))
    rows = [[cell.text_content() for cell in row] for row in page.xpath("//*[@id='grid']//tr")]
    assert rows == [
        ["format", "run 'a b'", "P 1"],
        ["hermes", "1 of 3 (3)", "1 of 1 (1)"],
        ["mistral", "not run", "1 of 2 (1)"],
    ]
    links = page.xpath("//*[@id='grid']//td/a")
    kinds = [link.get("class") for link in links]
    assert kinds == ["verdict late", "verdict pass", "verdict differs"]
    [heading] = page.xpath("//h2[@id=$name]", name=links[0].get("href")[1:])
    details = " ".join(one.text_content() for one in heading.itersiblings())
    assert "in cuts: a <call> is lost2 textshermes-1" in details
    assert "1 text not asked: needs finish." in details
    assert "Nothing is returned before the end of a text." in details
    output = invoke("report", paths[0], paths[0], "--format", "html", code=2)
    assert "a second report of run 'a b' on hermes" in output
    other = running.stored(tmp_path / "other.json", "[]")
    output = invoke("report", paths[0], other, "--format", "html", code=2)
    assert "other.json:1: this is not a report" in output
