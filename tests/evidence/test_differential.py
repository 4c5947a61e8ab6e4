"""The differential run: what it reads, that readers agree, and that a broken core is found."""

import itertools
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fuzz import comparing, differential, reducing, streams

from cogwire.wire.blocks import elements, json_reader
from tests import schemas
from tests.processes import ran
from tests.spec import beside_lxml

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "fuzz" / "differential.py"


@pytest.fixture(scope="module")
def javascript():
    with comparing.Adapter() as adapter:
        yield adapter


def test_the_tests_of_the_implementation_in_javascript_pass():
    done = ran("node", "--test", comparing.JAVASCRIPT.parent / "test.mjs")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("dialect", streams.DIALECTS)
def test_readers_agree_and_every_code_is_steered_to(javascript, dialect):
    """And the fault is found there; all readers agree with the core, which reads it here."""
    numbers = range(6 * streams.FAMILY * len(streams.TURNS[dialect]))
    tally = differential.compare("aims", numbers, javascript, dialect)
    assert tally.findings == []
    assert tally.counts["compared", "spec"] > 0.9 * len(numbers)
    others = {"xml-json": ("javascript", "json"), "xml-elements": ("json", "lxml")}
    for reader in others.get(dialect, ("json",)):
        assert tally.counts["compared", reader]
    steered = [streams.stream("aims", number, dialect) for number in numbers]
    for stream in steered:
        reply = comparing.read_by_core(stream.request)
        codes = ["", *(event.get("code") for event in comparing.events_of(reply))]
        assert stream.aim in codes, stream
    assert {stream.aim for stream in steered} - {""} == set(streams.CODES[dialect])


def test_zeros_of_references_are_left_out_for_lxml():
    """They are not refused as long as no letter is an eleventh digit."""
    block = "<execute><w><a>&#x{}3E;</a></w></execute>"
    request = {"dialect": "xml-elements", "chunks": [block.format("0" * 9)]}
    assert beside_lxml.read_by_lxml(block.format("0" * 8)) == [("w", [("a", ">")])]
    assert comparing.check_lxml(request) == 1
    assert comparing.without_zeros("&#x0; &#x0a; &#00; &#x00g") == "&#x0; &#xa; &#00; &#x0g"


def test_a_stream_depends_on_seed_and_number_alone():
    stream = streams.stream(7, 5)
    streams.family_of.cache_clear()
    assert streams.stream(7, 5) == stream
    assert streams.stream(7, 6) != stream
    assert streams.stream(8, 5) != stream


# --- Broken cores -----------------------------------------------------------------------------

#: What is put into the core in the place of what, in streams of which dialect and with which fault it
#: shows, and who finds it.
BROKEN = {
    "infinite numbers are accepted": (
        *(json_reader, "math", SimpleNamespace(isfinite=lambda _: True)),
        ("xml-json", "number-range"),
        {"spec", "javascript", "json"},
    ),
    "there are escapes that JSON does not have": (
        *(json_reader, "_RUN", re.compile(json_reader._RUN.pattern.replace("bfnrt", "bfnrtxq"))),
        ("xml-json", "json-syntax"),
        {"spec", "javascript", "json"},
    ),
    "names of elements hold no digits": (
        *(elements, "NAME_RUN", re.compile(elements.NAME_RUN.pattern.replace("0-9", ""))),
        ("xml-elements", None),
        {"spec", "lxml"},
    ),
}


def numbers_of(subject):
    """Return the numbers of the first 960 streams with this dialect and fault."""
    families = (
        number for number in itertools.count() if streams.subject("mended", number) == subject
    )
    firsts = (
        streams.FAMILY * number for number in itertools.islice(families, 960 // streams.FAMILY)
    )
    return [first + place for first in firsts for place in range(streams.FAMILY)]


def found(subject, finders, javascript):
    """Return what was found in the streams of a subject when each of these readers has found it."""
    numbers, findings = numbers_of(subject), []
    for start in range(0, len(numbers), streams.FAMILY):
        portion = numbers[start : start + streams.FAMILY]
        findings += differential.compare("mended", portion, javascript).findings
        if finders <= {reader for _, reader in findings}:
            return findings
    raise AssertionError((finders, findings))


@pytest.mark.parametrize("bug", BROKEN)
def test_a_broken_core_is_found(javascript, monkeypatch, bug):
    """One of the differences is made small, and written as a case."""
    *place, subject, finders = BROKEN[bug]
    monkeypatch.setattr(*place)
    findings = found(subject, finders, javascript)
    if bug != "infinite numbers are accepted":
        return
    number = next(number for number, reader in findings if reader == "spec")
    text = differential.described("mended", number, "spec", javascript)
    case = json.loads(text[text.index("\n{") :])
    schemas.validator("case").validate(case)
    assert len(case["input"]) < 40
    codes = [event.get("code") for event in case["expect"]["events"]]
    assert "number-range" in codes
    assert f"--seed mended --only {number}" in text


@pytest.mark.parametrize(
    ("request_", "smallest"),
    [
        ({"chunks": ["xaby", "z"], "raw": True, "limits": {"size": 1}}, {"chunks": ["ab"]}),
        ({"turns": [["x"], ["za", "bz"]], "mode": "transcript"}, {"chunks": ["ab"]}),
        ({"chunks_b64": ["eGE=", "Yno="], "snapshots": [0]}, {"chunks_b64": ["YWI="]}),
    ],
)
def test_everything_unneeded_is_left_out(request_, smallest):
    """What has to stay is `ab` in one of the turns."""

    def has_both(request):
        return any(chunks and b"ab" in joined(chunks) for chunks in streams.data_of(request))

    def joined(chunks):
        return b"".join(one if isinstance(one, bytes) else one.encode() for one in chunks)

    assert reducing.smallest(request_, has_both) == smallest


def test_halves_of_pairs_are_written_as_cases_write_them():
    request = {"op": "parse", "dialect": "xml-json", "chunks": ["a\ud83d", "b"]}
    case = reducing.case(request, comparing.read_by_spec(request), "halves")
    assert case["input"] == {"parts": ["a", {"surrogate": "D83D"}, "b"]}
    assert case["requires"] == ["lone-surrogates"]
    assert case["expect"]["events"] == [{"type": "respond", "content": "a\ufffdb"}]


# --- The program ------------------------------------------------------------------------------


def run(*arguments):
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return ran(*command)


def test_processes_and_pauses_change_no_count(tmp_path):
    kept, reports = tmp_path / "kept.json", []
    count = ("--streams", 260, "--seed", 2)
    stopped = run(*count, "--keep", kept, "--minutes", 0)
    assert stopped.returncode == 0
    assert stopped.stdout.startswith("256 of 260 streams")
    for flags in (("--processes", 2), ("--keep", kept)):
        file = tmp_path / f"{len(reports)}.json"
        done = run(*count, *flags, "--report", file)
        assert done.returncode == 0, done.stdout
        assert "differences: 0" in done.stdout
        reports.append(json.loads(file.read_text()))
        assert str(file) in reports[-1].pop("command")
    assert reports[0] == reports[1]
    assert reports[0]["streams"]["total"] == 260


def test_one_stream_is_read_again():
    done = run("--seed", 2, "--only", 7, "--no-javascript")
    assert done.returncode == 0
    stream, reply, last = done.stdout.splitlines()
    assert json.loads(stream)["request"] == streams.stream(2, 7).request
    assert "feeds" in json.loads(reply)
    assert last == "0 differences"


def test_misuse_is_refused():
    done = run("--streams", 0)
    assert done.returncode == 2
    assert "--streams: there is at least one" in done.stderr
