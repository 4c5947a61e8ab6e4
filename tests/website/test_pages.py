"""The built site in a real browser: reading, searching, the page of results, and how it looks."""

import json
import re

import pytest
from playwright.sync_api import expect

from cogwire_kit.conformance import corpus

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
    "cases/xml-json/xml-json-closer-in-a-string.html",
    "cases/delimiter/delimiter-talk-to-xml-json.html",
    "clauses.html",
    "clauses/xj-closer-in-string.html",
    "errors/json-syntax.html",
    "bugs.html",
    "bugs/args-in-a-string.html",
    "downloads.html",
]

#: Small ones that have what all others have; the playground has tests of its own.
TYPICAL = [
    "index.html",
    "spec/prompt.html",
    "library/reference/storage.html",
    "cases/xml-json/xml-json-closer-in-a-string.html",
    "errors/not-object.html",
    "downloads.html",
]


def test_home_leads_to_every_part(tab, site):
    tab.goto(f"{site}/index.html")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("wire protocol")
    main = tab.locator(".md-content")
    for name in ("specification", "library", "Results", "Downloads", "Try it"):
        expect(main.get_by_role("link", name=name, exact=True).first).to_be_visible()
    main.get_by_role("link", name="Read the introduction").click()
    expect(tab).to_have_url(f"{site}/spec/introduction.html")


def test_a_clause_says_how_many_cases_test_it_and_who_passes(tab, site):
    tab.goto(f"{site}/spec/xml-json.html#xj-closer-in-string")
    clause = tab.locator("#xj-closer-in-string")
    expect(clause).to_be_in_viewport()
    told = clause.locator("xpath=following-sibling::p[1]")
    expect(told).to_contain_text("cogwire, javascript, go pass")
    told.get_by_role("link", name=re.compile("cases?$")).click()
    expect(tab).to_have_url(f"{site}/clauses/xj-closer-in-string.html")
    tab.get_by_role("link", name="A closer inside a JSON string is content").click()
    expect(tab.get_by_role("heading", level=1)).to_contain_text(
        "A closer inside a JSON string is content"
    )
    expect(tab.locator(".md-content")).to_contain_text("xml-json-closer-in-a-string")
    rows = tab.locator("table", has_text="implementation").get_by_role("row")
    expect(rows.filter(has_text="javascript")).to_contain_text("pass")


def test_a_case_opens_in_the_playground(tab, site):
    tab.goto(f"{site}/cases/xml-json/xml-json-closer-in-a-string.html")
    tab.get_by_role("link", name="Open it in the playground").click()
    expect(tab).to_have_url(re.compile("/playground/index.html#"))
    expect(tab.get_by_role("textbox", name="Wire text")).to_have_value(
        '<execute>[{"name":"w","args":{"c":"x </execute> y"}}]</execute>'
    )


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("text after a hard stop", "spec/model.html"),
        ("duplicate-key", "errors/duplicate-key.html"),
        ("xj-skip", "spec/xml-json.html"),
    ],
)
def test_search_finds_a_clause_and_an_error_code(tab, site, words, first):
    tab.goto(f"{site}/index.html")
    tab.get_by_role("textbox", name="Search").first.fill(words)
    found = tab.locator(f".md-search-result__link[href*='{first}']")
    expect(found.first).to_be_visible()
    found.first.click()
    expect(tab).to_have_url(re.compile(first))


def test_the_results_are_filtered_and_the_filter_is_a_link(tab, site):
    tab.goto(f"{site}/matrix.html")
    told = tab.locator("#shown")
    everything = f"{len(corpus.load()):,} of {len(corpus.load()):,} cases"
    expect(told).to_have_text(f"{everything}; the first 200 are shown")
    tab.get_by_role("button", name="Show all").click()
    expect(told).to_have_text(everything)
    tab.locator("#filter").get_by_label("Find").fill("closer json string")
    tab.locator("#filter").get_by_label("Dialect").select_option("xml-json")
    expect(tab.locator("#xml-json-closer-in-a-string")).to_be_visible()
    tab.locator("#filter").get_by_label("Verdict").select_option("differs")
    expect(tab.locator("#xml-json-closer-in-a-string")).to_be_visible()
    expect(told).not_to_contain_text(everything)
    kept = told.text_content()
    tab.reload()
    expect(tab.locator("#filter").get_by_label("Find")).to_have_value("closer json string")
    expect(told).to_have_text(kept)
    tab.locator("#matrix tr[id]:visible a").first.click()
    expect(tab).to_have_url(re.compile("/cases/xml-json/"))


def test_a_report_of_ones_own_gets_a_column(tab, site, tmp_path):
    case = "xml-json-closer-in-a-string"
    records = [
        {"record": "run", "format": 1, "target": {"name": "mine", "version": "7"}},
        {"record": "case", "id": case, "verdict": "late"},
    ]
    report = tmp_path / "report.jsonl"
    report.write_text("\n".join(map(json.dumps, records)), "utf-8")
    tab.goto(f"{site}/matrix.html")
    tab.locator("#report").set_input_files(report)
    expect(tab.locator("#matrix thead th").last).to_have_text("mine 7")
    expect(tab.locator(f"#{case} td").last).to_have_text("late")
    other = tmp_path / "other.jsonl"
    other.write_text("{}", "utf-8")
    tab.locator("#report").set_input_files(other)
    expect(tab.locator("#told")).to_contain_text("cannot be read")


def test_a_state_machine_is_drawn(tab, site):
    tab.goto(f"{site}/spec/xml-json.html#state-machine")
    picture = tab.locator("figure svg[role=img]").first
    expect(picture).to_be_visible()
    assert picture.locator("title").first.text_content()


def test_a_page_fits_a_phone(phone_tab, site):
    wide = {}
    for name in KINDS:
        phone_tab.goto(f"{site}/{name}")
        width = phone_tab.evaluate("document.documentElement.scrollWidth")
        if width > 360:
            wide[name] = width
    assert wide == {}


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]
)
def test_a_page_has_no_serious_faults_of_access(opened, site, serious, scheme, rules):
    tab = opened(color_scheme=scheme)
    found = {}
    for name in TYPICAL:
        tab.goto(f"{site}/{name}")
        if problems := serious(tab, **rules):
            found[name] = problems
    assert found == {}


def test_pages_are_read_without_a_script(browser, site):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{site}/matrix.html")
    expect(tab.locator("#xml-json-closer-in-a-string")).to_be_visible()
    context.close()
