"""The page of a report, in a real browser: the matrix, the filter, the details of a case."""

import copy

import pytest
from playwright.sync_api import expect

import cogwire
from cogwire_kit.conformance import forms
from tests.browser import watched
from tests.kit.conformance.helpers import report_of
from tests.rows import rows

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a page of two reports: the reference, and a parser that loses a letter at some cuts."""
    folder = tmp_path_factory.mktemp("page")
    several = copy.deepcopy([report_of()[0], report_of("loses_a_letter", code=1)[0]])
    several[1].run["target"] = several[1].run["target"] | {"name": "careless"}
    kills = [{"name": "naive-closer", "breaks": "It ends too early.", "cases": ["xml-json-call"]}]
    path = folder / "index.html"
    path.write_text(forms.as_page(several, kills), "utf-8")
    return path


@pytest.fixture
def opened(browser, made):
    """Open the page, in a browser that must not complain, and must not ask for anything else."""
    with watched(browser, [made.as_uri()]) as open_tab:
        tab = open_tab()
        tab.goto(made.as_uri())
        yield tab


def shown(tab):
    """Return the ids of the cases that the matrix shows."""
    seen = tab.locator("#matrix tr[data-case]:visible")
    return [row.get_attribute("data-case").removeprefix("xml-json-") for row in seen.all()]


def test_the_matrix_has_a_row_for_each_case_and_a_column_for_each_target(opened):
    expect(opened.locator("#count")).to_have_text("7 of 7 cases")
    assert opened.locator("#matrix thead th").all_inner_texts() == [
        "case",
        f"cogwire {cogwire.__version__}",
        f"careless {cogwire.__version__}",
    ]
    row = opened.locator('tr[data-case="xml-json-prose"] .verdict')
    assert row.all_inner_texts() == ["pass", "differs: chunks, tokens, resume"]


def test_what_differs_is_listed_by_cause_with_an_example(opened):
    causes = opened.locator("#groups + div tbody tr")
    expect(causes.first).to_contain_text("careless")
    example = causes.first.locator("button")
    example.click()
    name = example.inner_text()
    expect(opened.locator(f'tr[data-case="{name}"] button.case')).to_have_attribute(
        "aria-expanded", "true"
    )


@rows(
    ("field", "value", "cases"),
    [
        ("#words", "closer", ["call"]),
        ("#words", "xj-void", ["broken"]),
        ("#level", "should", ["advice"]),
        ("#verdict", "!", ["prose", "call"]),
        ("#verdict", "differs", ["prose", "call"]),
        ("#property", "growth", ["growing"]),
        (
            "#dialect",
            "xml-json",
            ["prose", "think", "call", "broken", "advice", "results", "growing"],
        ),
        ("#unlike", None, ["prose", "call"]),
    ],
)
def test_the_filter_keeps_matching_rows(opened, made, field, value, cases):
    opened.goto(made.as_uri())
    if value is None:
        opened.check(field)
    elif field == "#words":
        opened.fill(field, value)
    else:
        opened.select_option(field, value)
    assert shown(opened) == cases
    expect(opened.locator("#count")).to_have_text(f"{len(cases)} of 7 cases")


def test_a_case_opens_by_keyboard_and_shows_the_cut_and_the_difference(opened):
    button = opened.locator('tr[data-case="xml-json-prose"] button')
    button.focus()
    opened.keyboard.press("Enter")
    details = opened.locator("tr.details")
    expect(details).to_contain_text("Hello,‖ you.")
    expect(details).to_contain_text('- {"type":"respond","content":"Hello, you."}')
    expect(details).to_contain_text('+ {"type":"respond","content":"Hello you."}')
    expect(details).to_contain_text("cogwire conformance run --case xml-json-prose")
    expect(button).to_have_attribute("aria-expanded", "true")
    assert opened.url.endswith("#xml-json-prose")
    opened.keyboard.press("Enter")
    expect(details).to_have_count(0)


def test_a_link_to_a_case_opens_it(opened, made):
    opened.goto(f"{made.as_uri()}#xml-json-call")
    opened.reload()
    expect(opened.locator("tr.details")).to_contain_text("A closer in a string is content.")


def test_the_broken_parsers_are_listed(opened):
    expect(opened.locator("#broken + p + div")).to_contain_text("naive-closer")


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_of_the_page(browser, made, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(f"{made.as_uri()}#xml-json-prose")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
