"""The built site: that it is whole, and in a real browser reading, searching, results and looks."""

import functools
import hashlib
import json
import re

import pytest
from playwright.sync_api import expect

from cogwire_kit.conformance import clauses, corpus
from tests.website.conftest import SITE, serious_faults
from website import errors, links

pytestmark = pytest.mark.verify

#: One page of each kind.
KINDS = [
    "index.html",
    "spec/index.html",
    "spec/introduction.html",
    "spec/model.html",
    "spec/xml-json.html",
    "spec/delimiter.html",
    "spec/errors.html",
    "spec/security.html",
    "spec/dialects.html",
    "library/index.html",
    "library/stream.html",
    "library/reference/text-to-events.html",
    "matrix.html",
    "cases.html",
    "cases/xml-json/calls.html",
    "cases/delimiter/conversion.html",
    "clauses.html",
    "clauses/xml-json.html",
    "errors/json-syntax.html",
    "bugs.html",
    "bugs/args-in-a-string.html",
    "downloads.html",
    "benchmarks.html",
]

#: Small ones that have what all others have; the playground has tests of its own.
TYPICAL = [
    "index.html",
    "spec/prompt.html",
    "library/reference/storage.html",
    "cases/xml-elements/content.html",
    "clauses/prompt.html",
    "errors/not-object.html",
    "downloads.html",
]


# --- What was built -------------------------------------------------------------------------------


def test_every_case_clause_and_code_has_its_place():
    anchors = functools.cache(
        lambda page: set(
            re.findall(r'\bid="([^"]+)"', page.with_suffix(".html").read_text("utf-8"))
        )
    )
    places = [*map(links.case, corpus.load()), *map(links.clause, clauses.clauses())]
    assert len(set(places)) == len(places)
    parts = [place.split("#") for place in places]
    assert [(page, name) for page, name in parts if name not in anchors(SITE / page)] == []
    codes = [SITE / links.error(code) for code in errors.entries(clauses.PAGES)]
    assert [page for page in codes if not page.with_suffix(".html").exists()] == []


def test_the_downloads_have_their_checksums_and_every_clause_with_its_cases():
    folder = SITE / "downloads" / "1.0.0"
    sums = dict(
        reversed(line.split("  "))
        for line in (folder / "SHA256SUMS").read_text("ascii").splitlines()
    )
    listed = {one["path"]: one for one in json.loads((folder / "index.json").read_text())["files"]}
    for name in (
        "clauses.json",
        "errors.json",
        "corpus.jsonl",
        "corpus.zip",
        "grammars/xml-json.abnf",
    ):
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sums[name] == listed[name]["sha256"], name
        assert listed[name]["size"] == len(content), name
    told = json.loads((folder / "clauses.json").read_text("utf-8"))
    assert [one["id"] for one in told] == list(clauses.clauses())
    citing = {clause for one in corpus.load() for clause in one.data["clauses"]}
    assert {one["id"] for one in told if one["cases"]} == citing


def test_llms_txt_leads_to_files_that_are_there():
    goals = re.findall(r"\]\(([^)]+)\)", (SITE / "llms.txt").read_text("utf-8"))
    assert len(goals) > 20
    assert [goal for goal in goals if not (SITE / goal).is_file()] == []


# --- Reading --------------------------------------------------------------------------------------


def test_home_leads_to_every_part(tab, site):
    tab.goto(f"{site}/index.html")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("wire protocol")
    main = tab.locator(".md-content")
    for name in ("specification", "library", "Results", "Downloads", "Try it"):
        expect(main.get_by_role("link", name=name, exact=True).first).to_be_visible()
    main.get_by_role("link", name="Read the introduction").click()
    expect(tab).to_have_url(f"{site}/spec/introduction.html")


def test_a_clause_leads_to_its_cases_and_a_case_to_the_playground(tab, site):
    tab.goto(f"{site}/spec/xml-json.html#xj-closer-in-string")
    picture = tab.locator("figure svg[role=img]").first
    assert picture.locator("title").first.text_content()
    clause = tab.locator("#xj-closer-in-string")
    expect(clause).to_be_in_viewport()
    told = clause.locator("xpath=following-sibling::p[1]")
    expect(told).to_contain_text("cogwire, javascript, go pass")
    told.get_by_role("link", name=re.compile("cases?$")).click()
    expect(tab).to_have_url(f"{site}/clauses/xml-json.html#xj-closer-in-string")
    expect(tab.locator("#xj-closer-in-string")).to_be_in_viewport()
    title = "A closer inside a JSON string is content"
    tab.get_by_role("link", name=title).first.click()
    case = "xml-json-closer-in-a-string"
    expect(tab).to_have_url(f"{site}/cases/xml-json/calls.html#{case}")
    heading = tab.locator(f"h2#{case}")
    expect(heading).to_be_in_viewport()
    expect(heading).to_contain_text(title)
    results = heading.locator("xpath=following-sibling::p[starts-with(., 'Results.')][1]")
    expect(results).to_contain_text("javascript pass")
    heading.locator(
        "xpath=following-sibling::p/a[. = 'Open it in the playground'][1]"
    ).first.click()
    expect(tab).to_have_url(re.compile("/playground/index.html#"))
    expect(tab.get_by_role("textbox", name="Wire text")).to_have_value(
        '<execute>[{"name":"w","args":{"c":"x </execute> y"}}]</execute>'
    )


def test_search_finds_a_clause_and_an_error_code(tab, site):
    tab.goto(f"{site}/index.html")
    for words, first in [
        ("text after a hard stop", "spec/model.html"),
        ("duplicate-key", "errors/duplicate-key.html"),
        ("xj-skip", "spec/xml-json.html"),
    ]:
        field = tab.get_by_role("textbox", name="Search").first
        field.fill(words)
        field.press("End")  # the search listens to keys
        found = tab.locator(f".md-search-result__link[href*='{first}']").first
        expect(found).to_be_visible()
    found.click()
    expect(tab).to_have_url(re.compile(first))


def test_the_results_are_filtered_and_a_report_of_ones_own_gets_a_column(tab, site, tmp_path):
    tab.goto(f"{site}/matrix.html")
    told = tab.locator("#shown")
    everything = f"{len(corpus.load()):,} of {len(corpus.load()):,} cases"
    expect(told).to_have_text(f"{everything}; the first 200 are shown")
    tab.get_by_role("button", name="Show all").click()
    expect(told).to_have_text(everything)
    case = "xml-json-closer-in-a-string"
    field = tab.locator("#filter").get_by_label
    field("Find").fill("closer json string")
    field("Dialect").select_option("xml-json")
    expect(tab.locator(f"#{case}")).to_be_visible()
    field("Verdict").select_option("differs")
    expect(tab.locator(f"#{case}")).to_be_visible()
    expect(told).not_to_contain_text(everything)
    # The filter is a link.
    kept = told.text_content()
    tab.reload()
    expect(field("Find")).to_have_value("closer json string")
    expect(told).to_have_text(kept)

    records = [
        {"record": "run", "format": 2, "target": {"name": "mine", "version": "7"}},
        {"record": "case", "id": case, "verdict": "late"},
    ]
    report, other = tmp_path / "report.jsonl", tmp_path / "other.jsonl"
    report.write_text("\n".join(map(json.dumps, records)), "utf-8")
    other.write_text("{}", "utf-8")
    tab.locator("#report").set_input_files(report)
    expect(tab.locator("#matrix thead th").last).to_have_text("mine 7")
    expect(tab.locator(f"#{case} td").last).to_have_text("late")
    tab.locator("#report").set_input_files(other)
    expect(tab.locator("#told")).to_contain_text("cannot be read")
    tab.locator("#matrix tr[id]:visible a").first.click()
    expect(tab).to_have_url(re.compile(r"/cases/xml-json/[\w-]+\.html#xml-json-"))


# --- For everybody --------------------------------------------------------------------------------


def test_a_page_fits_a_phone(opened, site):
    tab = opened(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    wide = {}
    for name in KINDS:
        tab.goto(f"{site}/{name}", wait_until="domcontentloaded")
        width = tab.evaluate("document.documentElement.scrollWidth")
        if width > 360:
            wide[name] = width
    assert wide == {}


def test_a_page_has_no_serious_faults_of_access(opened, site):
    tab = opened(color_scheme="dark")
    found = {}
    for name in TYPICAL:
        tab.goto(f"{site}/{name}")
        expect(tab.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
        problems = serious_faults(tab, runOnly=["color-contrast"])
        tab.evaluate("document.body.setAttribute('data-md-color-scheme', 'default')")
        problems += serious_faults(tab)
        if problems:
            found[name] = problems
    assert found == {}


def test_pages_are_read_without_a_script(opened, site):
    tab = opened(java_script_enabled=False)
    tab.goto(f"{site}/matrix.html")
    expect(tab.locator("#xml-json-closer-in-a-string")).to_be_visible()
