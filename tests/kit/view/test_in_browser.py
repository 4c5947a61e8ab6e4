"""The page of `cogwire view` in a real browser: what it holds, what runs, and who can read it."""

import json
import re

import pytest
from playwright.sync_api import expect

from cogwire_kit.view.page import ViewedTranscript, page
from cogwire_kit.view.records import documents
from tests.browser import watched
from tests.kit.view.hostile import HOSTILE, everywhere, shown
from tests.website.conftest import serious_faults

pytestmark = pytest.mark.verify

RAW = "() => [...document.querySelectorAll('.raw')].map((raw) => raw.textContent).join('')"
BY_SECTION = """() => [...document.querySelectorAll("section")].map((one) => [
    one.querySelector("h2").textContent,
    [...one.querySelectorAll(".raw")].map((raw) => raw.textContent).join(""),
])"""
ELEMENTS = "[...document.querySelectorAll('.raw *, .parsed *')].map((one) => one.localName)"
ATTRIBUTES = """(() => [...document.querySelectorAll("main *")].flatMap((one) => one.getAttributeNames())
    .filter((name) => !["class", "id", "href", "open", "title", "data-u", "aria-hidden", "data-by"].includes(name)))()"""
ERRORS = "() => [...document.querySelectorAll('.raw mark')].map((mark) => mark.textContent)"

SESSION = """Hi.
<think>look at it</think>
<execute>[{"name": "read", "args": {"file": "a.txt"}}]</execute>
<results>[{"tool": "read", "status": "success", "content": "the needle"}]</results>
<execute>[{"name": "ls", "args": {}},]</execute>
Done, with a needle.<end>"""


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a page from a file; nothing may go wrong in it, or be asked for."""
    file = tmp_path / "page.html"
    with watched(browser, [file.as_uri()]) as open_tab:

        def open_page(text, **options):
            file.write_bytes(text.encode())
            tab = open_tab(viewport={"width": 1280, "height": 900}, **options)
            tab.goto(file.as_uri())
            return tab

        yield open_page


def one(text, dialect="xml-json", name="session.txt"):
    return page(name, [ViewedTranscript(name, text, dialect)])


@pytest.mark.parametrize("dialect", ["xml-json", "xml-elements", "delimiter"])
def test_the_page_contains_each_text_unchanged_and_runs_none_of_it(opened, dialect):
    texts = [*HOSTILE.values(), *map(everywhere, HOSTILE.values())]
    names = [*HOSTILE.values()] * 2
    documents = [ViewedTranscript(*each, dialect) for each in zip(names, texts, strict=True)]
    tab = opened(page("".join(HOSTILE.values()), documents))
    assert tab.evaluate(BY_SECTION) == [
        [shown(name), shown(text)] for name, text in zip(names, texts, strict=True)
    ]
    assert tab.locator("h1").text_content() == shown("".join(HOSTILE.values()))
    for row in tab.locator(".head").all()[::20]:
        row.hover()
    assert tab.evaluate("window.owned") is None
    # What a transcript is made of is text and its marks, and nothing else.
    assert set(tab.evaluate(ELEMENTS)) <= {
        *("code", "span", "mark", "i", "p", "pre", "ul", "li", "dl", "dt", "dd")
    }
    assert tab.evaluate(ATTRIBUTES) == []
    assert tab.locator("script").count() == tab.locator("style").count() == 1


def test_direction_controls_change_no_order(opened):
    """The letters that follow an override in the text follow it on the page."""
    tab = opened(one("a\u202ebc\u2066de\u2069\u2069fg"))
    boxes = tab.evaluate(
        """() => {
        const walker = document.createTreeWalker(document.querySelector(".raw"), NodeFilter.SHOW_TEXT);
        const lefts = [];
        while (walker.nextNode()) {
            for (let at = 0; at < walker.currentNode.length; at += 1) {
                if (!/[a-g]/.test(walker.currentNode.data[at])) continue;
                const range = new Range();
                range.setStart(walker.currentNode, at);
                range.setEnd(walker.currentNode, at + 1);
                lefts.push(range.getBoundingClientRect().left);
            }
        }
        return lefts;
    }"""
    )
    assert len(boxes) == 7
    assert boxes == sorted(boxes)


def test_without_a_script_everything_is_there(opened):
    tab = opened(one(SESSION), java_script_enabled=False)
    assert tab.locator("#search").is_hidden()
    assert tab.locator("#unsupported").is_hidden()
    assert tab.get_by_text("the needle", exact=True).is_visible()
    tab.get_by_label("results").uncheck()
    assert tab.get_by_text("the needle", exact=True).is_hidden()
    assert tab.get_by_text("look at it").last.is_visible()
    tab.locator("details.think > summary").click()
    assert tab.locator(".think .pair").is_hidden()
    tab.get_by_label("loss mask").check()
    assert tab.get_by_text("trained on").is_visible()
    tab.get_by_role("link", name="line 5").click()
    assert tab.locator(".row.error:target").is_visible()


def test_errors_are_in_their_places(opened):
    tab = opened(one(SESSION))
    assert tab.evaluate(ERRORS) == ["]"]
    tab = opened(one('<execute>[{"name"'))
    assert tab.evaluate(ERRORS) == [""]
    # A row that has not been drawn yet has no inner text.
    assert "the text ends" in tab.locator(".row.error .parsed").text_content().lower()


def test_search_finds_and_opens_folded_text(opened):
    tab = opened(one(SESSION))
    tab.locator("details.result > summary").click()
    field = tab.get_by_role("searchbox")
    field.fill("NEEDLE")
    field.press("Enter")
    expect(tab.locator("#found")).to_have_text("1 of 2")
    assert tab.locator("details.result").get_attribute("open") is not None
    assert tab.evaluate("[...CSS.highlights.get('now')].map(String)") == ["needle"]
    field.press("Enter")
    field.press("Enter")
    expect(tab.locator("#found")).to_have_text("1 of 2")
    field.press("Shift+Enter")
    expect(tab.locator("#found")).to_have_text("2 of 2")
    field.fill("[a.*(")
    field.press("Enter")
    expect(tab.locator("#found")).to_have_text("not found")
    assert tab.evaluate(RAW) == SESSION


LONG = """<think>step {n}</think>
<execute>[{{"name": "{tool}", "args": {{}}}}]</execute>
<results>[{{"tool": "{tool}", "status": "success", "content": "answer {n}"}}]</results>
Done.
"""


@pytest.fixture
def long(opened):
    """Return a tab with more rows than are made at once, the last of them in a third transcript."""
    texts = [
        "".join(LONG.format(n=n, tool="ls" if n % 10 else "rm") for n in range(150))
        for _ in range(3)
    ]
    texts[2] += "<execute>[1]</execute>"
    return opened(
        page("x", [ViewedTranscript(f"{n}", each, "xml-json") for n, each in enumerate(texts)])
    )


def test_rows_of_a_long_page_are_made_where_they_are_seen(long):
    made = long.locator(".row").count()
    assert made < 700
    last = long.locator(".transcript").last
    assert last.locator(".row").count() == 0
    # What is made on the way moves the transcript, so one scroll may not reach it.
    last.evaluate("""async (last) => {
        while (!last.querySelector(".row")) {
            last.scrollIntoView();
            await new Promise(requestAnimationFrame);
        }
    }""")
    assert last.locator(".raw").first.text_content() == "<think>step 0</think>"
    assert long.locator(".row").count() < made + 500
    long.evaluate("location.hash = 't2-640'")
    long.locator("#t2-640:target").wait_for()


def test_a_browser_that_cannot_unpack_rows_says_so(long):
    long.add_init_script("delete globalThis.DecompressionStream")
    long.reload()
    assert long.locator(".row").count() == 400
    assert long.locator(".held").count() == 0
    assert long.get_by_text("this browser is too old").is_visible()
    field = long.get_by_role("searchbox")
    field.fill("answer 1")
    field.press("Enter")
    expect(long.locator("#found")).to_have_text(re.compile("^1 of "))


def test_a_long_page_is_searched_where_it_is_not_made_yet(long):
    long.keyboard.press("/")
    field = long.get_by_role("searchbox")
    field.fill("answer 149")
    field.press("Enter")
    expect(long.locator("#found")).to_have_text("1 of 3")
    field.press("Shift+Enter")
    expect(long.locator("#found")).to_have_text("3 of 3")
    assert long.evaluate("[...CSS.highlights.get('now')].map(String)") == ["answer 149"]
    assert (
        long.evaluate(
            "[...CSS.highlights.get('now')][0].startContainer.parentElement.closest('section').id"
        )
        == "t3"
    )


def test_rows_are_chosen_by_author_finding_and_tool(long):
    long.get_by_label("Only one tool").select_option("rm")
    assert long.locator("#shown").inner_text() == f"{3 * 15 * 2} shown"
    long.get_by_label("Only one author").select_option("system")
    assert long.locator("#shown").inner_text() == f"{3 * 15} shown"
    long.get_by_label("Only one tool").select_option("every tool")
    long.get_by_label("Only one author").select_option("every author")
    long.get_by_label("Only one finding").select_option("not-object")
    assert long.locator("#shown").inner_text() == "1 shown"
    assert long.locator("#t1").is_hidden()
    long.locator(".row.error:not([hidden])").wait_for()


def test_messages_are_shown_as_they_are(opened):
    call = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": HOSTILE["script"]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a"},
    ]
    tab = opened(page("x", documents({"messages": messages}, "Row 1", "xml-json")))
    raws = tab.locator(".raw").all_text_contents()
    assert [json.loads(each) for each in raws] == messages
    assert tab.locator(".type").all_text_contents() == ["user", "assistant", "tool"]
    assert tab.locator(".call .name, .record .name").all_text_contents() == ["ls"]
    assert "a record of openai, as it is" in tab.locator(".facts").first.text_content()
    assert tab.evaluate("window.owned") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("colours", ["kind", "author", "loss mask"])
def test_everybody_can_read_it(opened, scheme, colours):
    tab = opened(one(SESSION + HOSTILE["hidden"]), color_scheme=scheme, bypass_csp=True)
    tab.get_by_label(colours, exact=True).check()
    assert serious_faults(tab) == []


def test_it_fits_a_phone(opened):
    tab = opened(one(SESSION + "x" * 500))
    tab.set_viewport_size({"width": 360, "height": 740})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
