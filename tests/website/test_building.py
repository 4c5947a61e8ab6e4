"""The pages are written so that they say what the corpus and the reports say."""

import base64
import hashlib
import json
import re
import zlib

import pytest
from website.clauses import Clauses, annotated
from website.standing import Implementation, Standing

from cogwire_kit.conformance import clauses as kit_clauses
from cogwire_kit.conformance import corpus, reports
from cogwire_kit.conformance.corpus import Case
from tests.website.conftest import ROOT, SITE
from website import errors, links, permalink, text

KNOWN = Clauses(kit_clauses.PAGES, corpus.PLACE)


def case(identity, *clauses, revision=1):
    return Case({"id": identity, "revision": revision, "dialect": "xml-json", "clauses": clauses})


def implementation(name, **verdicts):
    """Return one with a report in which each case, of revision 1, has a verdict."""
    records = [
        {"id": identity, "revision": 1, "verdict": verdict, "properties": {}}
        for identity, verdict in verdicts.items()
    ]
    return Implementation(name, "", False, reports.Report({}, records), ROOT)


def test_markdown_of_a_text_says_the_text():
    assert text.escaped("a *b* <i>") == "a &#42;b&#42; &#60;i&#62;"
    assert text.prose("Not <b>, but `<b>`.") == "Not &#60;b&#62;, but `<b>`."
    assert text.code("a|`") == "<code>a&#124;&#96;</code>"
    assert text.fence("```\n\x00") == "````text\n```\n\\u0000\n````"
    assert text.fence("x" * 4000).endswith("…\n\n(4,000 characters in all)\n```")


def test_a_link_of_a_chapter_is_moved_with_its_text():
    told = "[a](model.md#b), [c](#d) and [e](https://example.org/f.md)"
    moved = links.moved(told, "results.md", "cases/x/")
    assert moved == (
        "[a](../../spec/model.md#b), [c](../../spec/results.md#d) and [e](https://example.org/f.md)"
    )


def test_who_passes_is_counted_over_what_was_asked():
    cases = [case("a"), case("b"), case("c", revision=2)]
    standing = Standing(
        cases,
        [
            implementation("all", a="pass", b="allowed", c="pass"),
            implementation("some", a="pass", b="late", c="pass"),
            implementation("few", a="unsupported", b="pass"),
            implementation("none", a="unsupported"),
        ],
    )
    # The third case was run in an older revision only.
    assert standing.told(cases) == ["all, few pass", "some 1 of 2"]


def test_a_clause_gets_a_line_and_its_text_stays():
    page = "A parser MUST jump.\n{: #x-jump .must }\n\n```text\n{: #x-shown .must }\n```\n"
    standing = Standing([case("a", "x-jump")], [implementation("one", a="pass")])
    assert annotated(page, standing, KNOWN) == (
        "A parser MUST jump.\n{: #x-jump .must }\n\n[`x-jump`](#x-jump) · [1 case](../clauses/x-jump.md) · one passes\n"
        "{: .tested }\n\n```text\n{: #x-shown .must }\n```\n"
    )


def test_every_error_code_has_an_entry_and_cases():
    standing = Standing(corpus.load(), [])
    told = errors.as_data(standing, KNOWN.spec)
    codes = json.loads((KNOWN.spec / "schemas" / "event.schema.json").read_text("utf-8"))
    assert sorted(one["code"] for one in told) == sorted(_enumerated(codes, "json-syntax"))
    for one in told:
        assert one["cause"]
        assert one["cases"]
        assert set(one["clauses"]) <= set(KNOWN.all)


def _enumerated(schema, member):
    """Return the enumeration that has a member, wherever it stands in a schema."""
    if isinstance(schema, dict):
        if member in schema.get("enum", []):
            return schema["enum"]
        schema = list(schema.values())
    found = [_enumerated(one, member) for one in schema] if isinstance(schema, list) else []
    return next(filter(None, found), [])


def test_a_permalink_holds_the_case():
    one = Case(
        {"id": "x", "dialect": "delimiter", "input": "§end", "options": {"mode": "transcript"}}
    )
    packed = permalink.of(one).removeprefix("#")
    told = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15)
    assert json.loads(told) == {"text": "§end", "dialect": "delimiter", "mode": "transcript"}


# --- What was built -------------------------------------------------------------------------------


def test_every_case_clause_and_code_has_its_page():
    missing = [
        c.id for c in corpus.load() if not (SITE / links.case(c)).with_suffix(".html").exists()
    ]
    missing += [i for i in KNOWN.all if not (SITE / links.clause(i)).with_suffix(".html").exists()]
    codes = errors.entries(KNOWN.spec)
    missing += [c for c in codes if not (SITE / links.error(c)).with_suffix(".html").exists()]
    assert missing == []


@pytest.mark.parametrize(
    "name", ["clauses.json", "errors.json", "corpus.jsonl", "corpus.zip", "grammars/xml-json.abnf"]
)
def test_the_downloads_have_the_checksums_that_are_told(name):
    folder = SITE / "downloads" / "1.0.0"
    sums = dict(
        reversed(line.split("  "))
        for line in (folder / "SHA256SUMS").read_text("ascii").splitlines()
    )
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == sums[name]
    listed = {one["path"]: one for one in json.loads((folder / "index.json").read_text())["files"]}
    assert listed[name]["sha256"] == sums[name]
    assert listed[name]["size"] == (folder / name).stat().st_size


def test_the_index_of_clauses_has_every_clause_with_its_cases():
    told = json.loads((SITE / "downloads" / "1.0.0" / "clauses.json").read_text("utf-8"))
    assert [one["id"] for one in told] == list(KNOWN.all)
    citing = {c for one in corpus.load() for c in one.data["clauses"]}
    assert {one["id"] for one in told if one["cases"]} == citing


def test_llms_txt_leads_to_files_that_are_there():
    goals = re.findall(r"\]\(([^)]+)\)", (SITE / "llms.txt").read_text("utf-8"))
    assert len(goals) > 20
    assert [goal for goal in goals if not (SITE / goal).is_file()] == []


def test_a_stored_report_is_of_cases_that_exist():
    known = {one.id for one in corpus.load()}
    stored = sorted((ROOT / "conformance" / "reports").glob("*.jsonl"))
    assert stored
    for path in stored:
        assert {record["id"] for record in reports.read(path).cases} <= known
