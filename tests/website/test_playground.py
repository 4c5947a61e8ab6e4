"""The playground, in a real browser: what a reader types, sees, follows and takes away.

The reference takes seconds to load, so most tests share one tab in which it is there already.
"""

import base64
import importlib.util
import json
import zlib

import pytest
import rpds
from jsonschema import Draft202012Validator
from playwright.sync_api import expect

from cogwire_kit import _adapter
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.normal import outcome
from tests.website.conftest import AXE, ROOT
from website import permalink, runtime

READY = '#playground[data-reference="ready"]'
LONG = 120_000

CALLS = '<think>look </think>\n\nHi. <execute>[{"name": "ls", "args": {}}] </execute> Done!'


@pytest.fixture(scope="module")
def address(site):
    return f"{site}/playground/index.html"


@pytest.fixture(scope="module")
def shared(browser, address):
    """Return a tab in which the reference is ready, and nothing may go wrong."""
    complaints, asked = [], set()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.on("request", lambda request: asked.add(request.url))
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    tab = context.new_page()
    tab.goto(address)
    expect(tab.locator("#pg-loading")).to_contain_text("MB")
    tab.locator(READY).wait_for(timeout=LONG)
    yield tab
    context.close()
    assert complaints == []
    home = address.removesuffix("/playground/index.html")
    assert [url for url in asked if not url.startswith((f"{home}/", "blob:"))] == []


@pytest.fixture
def page(shared):
    """Return the shared tab, as it is when it is opened."""
    shared.get_by_role("button", name="Start anew").click()
    shared.select_option("#pg-cut", "whole")
    return shared


def show(page, text, **options):
    """Set the options, type the text, and wait until it has been read."""
    for name, value in options.items():
        page.select_option(f"#pg-{name}", value)
    page.fill("#pg-text", text)
    expect(page.locator("#pg-status")).to_contain_text("Reference:")


def listed(page):
    """Return the type and the range of each event, as the list has them."""
    heads = page.locator("#pg-events .pg-head")
    return [
        (head.locator(".pg-type").inner_text(), head.locator(".pg-where").inner_text())
        for head in heads.all()
    ]


def parts(page):
    """Return the spans of the ledger: the kind, and the text."""
    return page.evaluate(
        """[...document.querySelectorAll("#pg-ledger .pg-part")].map(
            (part) => [part.className.match(/pg-(?!part)(\\w+)/)[1], part.textContent])"""
    )


def tell(page, position):
    """Move the slider to a position."""
    page.locator("#pg-position").evaluate(
        "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }", position
    )


def held(page):
    return page.locator("#pg-held li").all_inner_texts()


# --- Events and the ledger ------------------------------------------------------------------------


def test_what_is_typed_is_read_by_both(page):
    show(page, CALLS)
    expect(page.locator("#pg-status")).to_contain_text("They agree.")
    # The raws of the example in spec/model.md, "The ledger".
    assert listed(page) == [
        ("think", "0–20 · with chunk 1"),
        ("respond", "20–26 · with chunk 1"),
        ("call", "26–62 · with chunk 1"),
        ("execute", "62–74 · with chunk 1"),
    ]
    expect(page.locator("#pg-events li").nth(2)).to_contain_text("may run: an execute follows")
    expect(page.locator("#pg-state")).to_have_text("State: paused. 6 characters are discarded.")
    assert parts(page) == [
        ["think", "<think>look </think>"],
        ["respond", "\n\nHi. "],
        ["call", '<execute>[{"name": "ls", "args": {}}'],
        ["execute", "] </execute>"],
        ["discarded", " Done!"],
    ]


def test_spans_and_events_are_linked_both_ways(page):
    show(page, CALLS)
    span = page.locator("#pg-ledger .pg-call")
    event = page.locator("#pg-events li.pg-call")
    span.hover()
    expect(event).to_have_class("pg-event pg-call pg-hot")
    event.hover()
    expect(span).to_have_class("pg-part pg-call pg-hot")
    span.click()
    expect(event.locator(".pg-head")).to_have_attribute("aria-pressed", "true")
    page.locator("#pg-events li.pg-think .pg-head").click()
    expect(page.locator("#pg-ledger .pg-think")).to_have_attribute("aria-pressed", "true")
    expect(span).to_have_attribute("aria-pressed", "false")


def test_signs_that_are_not_seen_are_shown(page):
    show(page, "a\u00a0b\ufeff\n c")
    signs = page.locator("#pg-ledger [data-sign]")
    assert signs.evaluate_all("(all) => all.map((one) => one.dataset.sign)") == [
        "U+00A0",
        "U+FEFF",
        "↵",
    ]


def test_text_of_the_input_is_never_read_as_html(page):
    show(page, "<img src=x onerror=alert(1)><b>x</b>")
    assert page.locator("#pg-ledger img, #pg-ledger b, #pg-events b, #pg-events img").count() == 0
    assert parts(page) == [["respond", "<img src=x onerror=alert(1)><b>x</b>"]]


def test_an_error_has_a_caret_its_page_its_clause_and_its_message(page):
    show(page, '<execute>[\n{"name": "ls", "args": "{}"}]</execute>')
    error = page.locator("#pg-events li.pg-error")
    expect(error.locator(".pg-where")).to_have_text("0–35 · with chunk 1")
    # 11 characters stand before the second line, and 23 before the quote in it.
    expect(error).to_contain_text("bad-args at 34, path /0/args, voids 0 calls")
    expect(error).to_contain_text("line 2, column 24")
    line, caret = error.locator(".pg-caret pre").text_content().split("\n")
    expect(error.locator(".pg-message")).to_contain_text("args")
    assert line == '{"name": "ls", "args": "{}"}]</execute>'
    assert caret.index("^") == 23
    links = error.locator("a").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
    assert "../errors/bad-args.html" in links
    assert "../spec/xml-json.html#xj-args-type" in links


def test_a_caret_stands_below_its_character_however_wide_the_others_are(page):
    # 36 characters stand before the 5: two of them have no width, one has two units, one turns text.
    show(page, '<execute>[{"name": "e\u0301漢😀\u202e", "args": 5}]</execute>')
    error = page.locator("#pg-events li.pg-error")
    expect(error).to_contain_text("bad-args at 36")
    line, caret = error.locator(".pg-caret pre").text_content().split("\n")
    assert line[36] == "5"
    assert caret.index("^") == 36
    assert "□" in line
    places = error.locator(".pg-caret pre").evaluate(
        """(pre) => {
            const range = document.createRange();
            range.setStart(pre.firstChild, pre.firstChild.data.indexOf("5"));
            range.setEnd(pre.firstChild, pre.firstChild.data.indexOf("5") + 1);
            return [range, pre.querySelector("b")].map((one) => one.getBoundingClientRect().left);
        }"""
    )
    assert abs(places[0] - places[1]) < 1


# --- Replay ---------------------------------------------------------------------------------------


def test_the_slider_shows_what_is_held_back_and_why(page):
    show(page, "Hi </exec <execute>[]</execute>", stream="token", cut="characters")
    tell(page, 11)
    # In prose no closer is live: the white space alone is held, then what may become an opener.
    tell(page, 10)
    expect(page.locator("#pg-state")).to_have_text("State: prose. 1 character is held back.")
    assert "White space that may end the segment." in held(page)[0]
    tell(page, 16)
    expect(page.locator("#pg-state")).to_have_text("State: prose. 7 characters are held back.")
    assert [words.split(" ")[:2] for words in held(page)] == [["Held", "back"]] * 2
    assert "“<execu” may be the beginning of “<execute>”." in held(page)[1]
    assert [kind for kind, _ in parts(page)][-3:] == ["white", "held", "future"]
    tell(page, 20)
    expect(page.locator("#pg-state")).to_contain_text("State: execute.")
    tell(page, 32)
    expect(page.locator("#pg-count")).to_have_text("2")
    expect(page.locator("#pg-place")).to_have_text("At the end of the stream, after all 31 chunks.")


def test_a_call_is_held_until_it_is_complete_and_a_void_block_is_skipped(page):
    show(page, '<execute>[{"name": "ls"}, 1]</execute>!', cut="characters")
    tell(page, 20)
    assert any("The call is not complete" in words for words in held(page))
    tell(page, 30)
    expect(page.locator("#pg-count")).to_have_text("1")
    assert any(words.startswith("Skipped") and "The block is void" in words for words in held(page))
    tell(page, 40)
    assert [kind for kind, _ in parts(page)] == ["error", "skipped", "discarded"]


def test_a_delimiter_marker_is_held_until_its_boundary_is_known(page):
    text = "Hi\n§end"
    show(page, text, dialect="delimiter", stream="token", cut="characters")
    tell(page, len(text))
    expect(page.locator("#pg-held")).to_contain_text(
        "“§end” is a marker only if white space, a § or the end of the text follows."
    )
    tell(page, len(text) + 1)
    expect(page.locator("#pg-state")).to_have_text("State: ended.")


def test_the_execute_of_a_void_batch_is_none_and_the_next_marker_is_live(page):
    # By dl-void-stop it ends the turn, and by dl-fresh a marker is live behind it.
    text = "§call: 5\n§execute §en"
    show(page, text, dialect="delimiter", mode="transcript", cut="characters")
    tell(page, len(text) - 3)
    expect(page.locator("#pg-held")).to_contain_text("A marker makes no event")
    assert parts(page)[2:] == [["opener", "§execute "], ["future", "§en"]]
    tell(page, len(text))
    expect(page.locator("#pg-held")).to_contain_text("“§en” may be the beginning of “§end”.")


def test_only_white_space_of_the_protocol_leaves_a_place_fresh(page):
    text = "x} \u00a0§respond: §en"
    show(page, text, dialect="delimiter", cut="characters")
    tell(page, len(text))
    expect(page.locator("#pg-state")).to_have_text(
        f"State: prose. {len(text)} characters are held back."
    )
    assert parts(page) == [["held", text]]
    assert "The segment is open" in held(page)[0]


def test_at_the_end_of_the_stream_nothing_is_held_back(page):
    show(page, " \n")
    expect(page.locator("#pg-state")).to_have_text("State: prose.")
    assert parts(page) == [["opener", " \n"]]


def test_playing_goes_to_the_end_and_the_keys_move_the_slider(page):
    show(page, "one two three", cut="words")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#pg-place")).to_contain_text("At the end", timeout=LONG)
    page.locator("#pg-position").press("Home")
    expect(page.locator("#pg-place")).to_have_text("Before all 3 chunks.")
    page.locator("#pg-position").press("ArrowRight")
    expect(page.locator("#pg-place")).to_have_text('After chunk 1 of 3, "one".')


def test_a_seed_gives_the_same_cuts(page):
    show(page, CALLS, cut="random")
    page.fill("#pg-seed", "7")
    first = listed(page)
    page.fill("#pg-seed", "8")
    expect(page.locator("#pg-events .pg-where").first).not_to_have_text(first[0][1])
    page.fill("#pg-seed", "7")
    expect(page.locator("#pg-events .pg-where").first).to_have_text(first[0][1])
    assert listed(page) == first


# --- Options --------------------------------------------------------------------------------------


def test_a_dialect_without_javascript_is_read_by_the_reference_alone(page):
    show(page, "§think: a\n§respond: b\n§end", dialect="delimiter")
    expect(page.locator("#pg-status")).to_contain_text("The reference alone answers")
    assert [kind for kind, _ in listed(page)] == ["think", "respond", "end"]
    page.select_option("#pg-dialect", "xml-json")
    expect(page.locator("#pg-status")).to_contain_text("They agree.")
    assert [kind for kind, _ in listed(page)] == ["respond"]


def test_the_mode_the_start_and_the_limits_are_asked_for(page):
    # Each turn of a transcript starts there (m-start-think).
    show(page, "a</think><end>b", mode="transcript", start="think")
    assert [kind for kind, _ in listed(page)] == ["think", "end", "think"]
    page.locator("#pg-limits summary").click()
    page.fill("#pg-limit-depth", "2")
    show(page, '<execute>[{"name": "a", "args": {}}]</execute>', mode="turn", start="prose")
    expect(page.locator("#pg-events")).to_contain_text("limit-depth at 32")
    page.fill("#pg-limit-depth", "0")
    expect(page.locator("#pg-fault")).to_contain_text("This cannot be asked")
    assert page.locator("#pg-events li, #pg-ledger [role='button']").count() == 0


def test_a_call_that_does_not_fit_its_tool_says_so(page):
    page.locator("#pg-tools-box summary").click()
    page.get_by_role("button", name="Insert an example").click()
    show(page, '<execute>[{"name": "read", "args": {"lines": 0}}]</execute>')
    call = page.locator("#pg-events li.pg-call")
    expect(call.locator(".pg-problems")).to_contain_text("2 problems")
    assert [item.split(":")[0] for item in call.locator(".pg-problems li").all_inner_texts()] == [
        "missing-arg at /file",
        "bad-value at /lines",
    ]
    page.fill("#pg-tools", "{")
    expect(page.locator("#pg-tools-fault")).to_contain_text("no JSON array")
    page.fill("#pg-tools", '[{"name": "a", "parameters": {"type": "bogus"}}]')
    expect(page.locator("#pg-tools-fault")).to_contain_text("Refused")


def test_arguments_keep_the_spelling_of_their_numbers(page):
    page.locator("#pg-tools-box summary").click()
    number = {"type": "integer"}
    tool = {"name": "a", "parameters": {"type": "object", "properties": {"n": number}}}
    page.fill("#pg-tools", json.dumps([tool]))
    text = "<execute><a><n>9007199254740993</n></a></execute>"
    show(page, text, dialect="xml-elements")
    expect(page.locator("#pg-events .pg-good")).to_have_text(
        'fits its tool; its arguments: {"n":9007199254740993}'
    )
    page.get_by_role("tab", name="Results").click()
    expect(page.locator("#pg-panel-results legend")).to_contain_text("9007199254740993")


def test_an_example_of_the_corpus_is_read_and_leads_to_its_page(page):
    page.select_option("#pg-example", "delimiter-string-ends-too-early")
    expect(page.locator("#pg-about a")).to_have_attribute(
        "href", "../cases/delimiter/delimiter-string-ends-too-early.html"
    )
    expect(page.locator("#pg-events li.pg-call")).to_contain_text("never runs: its batch is void")
    assert [kind for kind, _ in listed(page)] == ["error", "respond", "call"]


# --- The other views ------------------------------------------------------------------------------


def test_results_are_in_the_order_of_the_calls(page):
    show(page, '<execute>[{"name": "a", "args": {}}, {"name": "b", "args": {}}]</execute>')
    page.get_by_role("tab", name="Results").click()
    rows = page.locator("#pg-panel-results fieldset")
    rows.nth(0).locator("select").select_option("failure")
    rows.nth(0).locator("textarea").fill("gone")
    rows.nth(1).locator("textarea").fill('{"n": 9007199254740993}')
    written = page.locator("#pg-result-text pre")
    expect(written).to_have_text(
        "<results>\n[\n"
        '  {"tool": "a", "status": "failure", "content": "gone"},\n'
        '  {"tool": "b", "status": "success", "content": {"n": 9007199254740993}}\n'
        "]\n</results>"
    )
    rows.nth(1).locator("select").select_option("pending")
    expect(page.locator("#pg-result-event")).to_contain_text("The batch waits for 1 outcome.")
    page.select_option("#pg-ending", "cancelled")
    expect(page.locator("#pg-result-event")).to_contain_text('"failure_count": 2')


def test_a_long_batch_is_answered_and_its_first_calls_are_listed(page):
    page.locator("#pg-limits summary").click()
    page.fill("#pg-limit-calls", "300")
    calls = ", ".join(['{"name": "a", "args": {}}'] * 257)
    show(page, f"<execute>[{calls}]</execute>")
    page.get_by_role("tab", name="Results").click()
    expect(page.locator("#pg-panel-results fieldset")).to_have_count(100)
    expect(page.locator("#pg-result-event")).to_contain_text('"tools_executed": 257')
    # The writer has limits of its own: by default a block has 256 calls.
    expect(page.locator("#pg-result-text p")).to_have_text("Refused")


def test_a_void_block_is_answered_by_one_failure_of_execute(page):
    show(page, "<execute>ls</execute>")
    page.get_by_role("tab", name="Results").click()
    expect(page.locator("#pg-panel-results")).to_contain_text("The batch is void.")
    expect(page.locator("#pg-result-text pre")).to_contain_text(
        '{"tool": "execute", "status": "failure"'
    )


def test_messages_have_the_turn_and_the_result(page):
    show(page, '<execute>[{"name":"a","args":{}}]</execute> and on')
    page.get_by_role("tab", name="Messages").click()
    page.fill("#pg-system", "Be brief.")
    page.fill("#pg-user", " Look ")
    messages = page.locator("#pg-messages li")
    expect(messages).to_have_count(4)
    roles = page.locator("#pg-messages b").all_inner_texts()
    assert roles == ["system", "user", "assistant", "user"]
    said = page.locator("#pg-messages pre")
    expect(said.nth(2)).to_have_text('<execute>[{"name":"a","args":{}}]</execute>')
    expect(said.nth(1)).to_have_text("Look")
    expect(page.locator("#pg-report")).to_contain_text("trimmed at event 1")
    page.uncheck("#pg-raws")
    expect(said.nth(2)).to_have_text('<execute>\n[\n  {"name":"a","args":{}}\n]\n</execute>')


def test_a_text_is_converted_with_a_report(page):
    # The example of spec/convert.md, with the report of spec/adapter.md beside it.
    show(page, "§respond: No <end>.\n§end", dialect="delimiter")
    page.get_by_role("tab", name="Convert").click()
    expect(page.locator("#pg-converted pre")).to_have_text("No &lt;end>.\n\n<end>")
    expect(page.locator("#pg-convert-report")).to_contain_text("neutralised at 13")
    page.get_by_role("button", name="Go on with this text").click()
    expect(page.locator("#pg-dialect")).to_have_value("xml-json")
    expect(page.locator("#pg-text")).to_have_value("No &lt;end>.\n\n<end>")


@pytest.mark.parametrize(
    ("text", "options", "clauses"),
    [
        (CALLS, {}, ["xj-think", "xj-prose-runs", "xj-call", "xj-execute"]),
        ("<execute>[1]</execute>", {}, ["xj-block", "xj-not-object"]),
        (
            '§call: {"name": "ls"} please\n§execute',
            {"dialect": "delimiter", "mode": "transcript"},
            ["dl-trailing-text"],
        ),
    ],
)
def test_a_case_is_valid_and_passes(page, text, options, clauses):
    show(page, text, **options)
    page.get_by_role("tab", name="Case").click()
    page.fill("#pg-case-id", f"{options.get('dialect', 'xml-json')}-from-the-page")
    page.fill("#pg-case-title", "What stands in the page holds")
    page.fill("#pg-case-why", "Otherwise nobody could trust it.")
    page.get_by_role("button", name="Copy as conformance case").click()
    expect(page.locator("#pg-done")).to_have_text("The case is on the clipboard.")
    case = json.loads(page.evaluate("navigator.clipboard.readText()"))
    schema = json.loads((ROOT / "spec/schemas/case.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(case)
    assert set(clauses) <= set(case["clauses"])
    assert case["title"] == "What stands in the page holds"
    request = {"op": "parse", "dialect": case["dialect"], "text": case["input"]}
    line = json.dumps({"id": "1", **request, **case.get("options", {})})
    assert outcome(Case(case), json.loads(_adapter.answer(line.encode()))) == case["expect"]


# --- Who answers ----------------------------------------------------------------------------------


def test_where_the_two_differ_the_page_says_so(opened, site, address):
    """JavaScript's parser is made to lose the last letter of prose."""
    tab = opened()
    source = (ROOT / "conformance/adapters/javascript/answering.mjs").read_text("utf-8")
    wrong = source.replace(
        "const events = parser.feed(chunk);",
        "const events = parser.feed(chunk.replace('Hello', 'Hell'));",
    )
    assert wrong != source
    tab.route(
        "**/javascript/answering.mjs",
        lambda route: route.fulfill(body=wrong, content_type="text/javascript"),
    )
    tab.goto(address)
    tab.locator(READY).wait_for(timeout=LONG)
    tab.fill("#pg-text", "Hello.")
    notice = tab.locator("#pg-differ")
    expect(notice).to_contain_text("differ in parse, first in event 1, content")
    expect(notice).to_contain_text('"Hell."')
    expect(notice).to_contain_text('"Hello."')
    expect(tab.locator("#pg-events pre")).to_have_text("Hello.")
    tab.fill("#pg-text", "Bye.")
    expect(notice).to_be_hidden()


def test_a_reference_that_does_not_load_leaves_javascript_and_a_way_out(browser, address):
    context = browser.new_context()
    tab = context.new_page()
    tab.route("**/cogwire.zip*", lambda route: route.fulfill(status=500, body=""))
    tab.goto(address)
    expect(tab.locator("#pg-loading")).to_contain_text("could not be loaded", timeout=LONG)
    expect(tab.locator("#pg-status")).to_contain_text("JavaScript:")
    expect(tab.locator("#pg-events .pg-head")).to_have_count(5)
    tab.unroute("**/cogwire.zip*")
    tab.get_by_role("button", name="Try again").click()
    tab.locator(READY).wait_for(timeout=LONG)
    expect(tab.locator("#pg-status")).to_contain_text("They agree.")
    context.close()


# --- Links and offline ----------------------------------------------------------------------------


def test_a_link_restores_everything_without_a_network(opened, address):
    """The second visit, and the state that the fragment holds."""
    tab = opened(viewport={"width": 1280, "height": 900})
    tab.goto(address)
    expect(tab.locator("#pg-events .pg-head")).to_have_count(5)
    tab.select_option("#pg-dialect", "xml-elements")
    tab.select_option("#pg-stream", "token")
    tab.select_option("#pg-cut", "fixed")
    tab.fill("#pg-size", "3")
    tab.fill("#pg-text", "Grüße, 😀\n<execute><ls/></execute>")
    tab.get_by_role("tab", name="Case").click()
    tab.locator('#playground[data-offline="ready"]').wait_for(state="attached", timeout=LONG)
    tell(tab, 4)
    expect(tab.locator("#pg-place")).to_contain_text("After chunk 4 of")
    tab.wait_for_function("location.hash.length > 40")
    tab.wait_for_timeout(400)  # until the fragment has been written
    link = tab.url
    assert len(link) < 400
    tab.context.set_offline(True)
    tab.goto("about:blank")
    tab.goto(link)
    tab.locator(READY).wait_for(timeout=LONG)
    expect(tab.locator("#pg-text")).to_have_value("Grüße, 😀\n<execute><ls/></execute>")
    expect(tab.locator("#pg-dialect")).to_have_value("xml-elements")
    expect(tab.locator("#pg-stream")).to_have_value("token")
    expect(tab.locator("#pg-size")).to_have_value("3")
    expect(tab.locator("#pg-place")).to_contain_text("After chunk 4 of")
    expect(tab.get_by_role("tab", name="Case")).to_have_attribute("aria-selected", "true")
    tab.get_by_role("tab", name="Events").click()
    expect(tab.locator("#pg-events .pg-head")).to_have_count(1)


def test_the_link_is_copied_and_another_fragment_is_read(page):
    show(page, "first")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#pg-done")).to_have_text("The link is on the clipboard.")
    link = page.evaluate("navigator.clipboard.readText()")
    show(page, "second")
    page.wait_for_function("(link) => location.href !== link", arg=link)
    page.evaluate("(link) => { location.hash = new URL(link).hash; }", link)
    expect(page.locator("#pg-text")).to_have_value("first")
    written = permalink.fragment({"text": "third", "dialect": "delimiter", "mode": "transcript"})
    page.evaluate("(hash) => { location.hash = hash; }", written)
    expect(page.locator("#pg-text")).to_have_value("third")
    expect(page.locator("#pg-dialect")).to_have_value("delimiter")
    page.evaluate("location.hash = '#a-link-that-was-cut-off-somewhere'")
    expect(page.locator("#pg-done")).to_have_text("The link could not be read.")


def packed(raw):
    """Return a fragment of JSON text that no dict of ours would make."""
    deflate = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(deflate.compress(raw) + deflate.flush()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "member",
    [
        '"__proto__":{"text":"b"}',
        '"constructor":1',
        '"limits":{"size":1e999}',
        '"outcomes":{"0":{"status":"success\\",\\"x\\":\\"","content":""}}',
    ],
)
def test_a_link_sets_nothing_but_what_there_is_to_set(page, member):
    raw = "{" + member + ',"text":"a"}'
    page.evaluate("(fragment) => { location.hash = fragment; }", packed(raw.encode()))
    expect(page.locator("#pg-text")).to_have_value("a")
    expect(page.locator("#pg-fault")).to_be_hidden()
    page.get_by_role("tab", name="Results").click()
    expect(page.locator("#pg-panel-results")).to_contain_text("No batch waits")
    assert page.evaluate("({}).text === undefined")


def test_a_link_that_stands_for_too_much_is_not_read(page):
    """The fragment of 30 MB has 40 kB."""
    show(page, "kept")
    fragment = packed(b'{"text":"' + b"a" * 30_000_000 + b'"}')
    assert len(fragment) < 60_000
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    expect(page.locator("#pg-done")).to_have_text("The link could not be read.")
    expect(page.locator("#pg-text")).to_have_value("kept")
    page.fill("#pg-text", "a" * 2_000_000)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#pg-done")).to_have_text("The text is too long for a link.")


def test_half_a_character_in_the_tools_or_in_an_outcome_is_answered(page):
    half = "\\ud800"
    state = {
        "text": '<execute>[{"name":"a","args":{}}]</execute>',
        "tools": '[{"name":"a","description":"HALF"}]',
        "outcomes": {"0": {"status": "success", "content": '{"n":"HALF"}'}},
        "tab": "results",
    }
    raw = json.dumps(state).replace("HALF", half).encode()
    page.evaluate("(fragment) => { location.hash = fragment; }", packed(raw))
    expect(page.locator("#pg-result-event")).to_contain_text("half a surrogate pair")
    expect(page.locator("#pg-tools-set")).to_have_text("in use")
    show(page, "And on.")


def test_a_reference_that_breaks_down_says_so_and_can_be_loaded_again(browser, address):
    """Brackets by the ten thousand are more than the interpreter's stack has room for."""
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(address)
    tab.locator(READY).wait_for(timeout=LONG)
    tab.locator("#pg-tools-box summary").click()
    tab.fill("#pg-tools", "[" * 100_000 + "]" * 100_000)
    tab.fill("#pg-text", "Asked at the same time.")
    expect(tab.locator("#pg-loading")).to_contain_text("The reference broke down", timeout=LONG)
    expect(tab.locator("#pg-tools-fault")).to_contain_text("Refused")
    tab.fill("#pg-text", "Still here.")
    expect(tab.locator("#pg-events")).to_contain_text("Still here.")
    tab.fill("#pg-tools", "")
    tab.get_by_role("button", name="Load it again").click()
    tab.locator(READY).wait_for(timeout=LONG)
    expect(tab.locator("#pg-status")).to_contain_text("They agree.")
    context.close()


# --- For everybody --------------------------------------------------------------------------------


def test_the_keyboard_alone_is_enough(page):
    show(page, CALLS)
    page.locator("#pg-ledger [tabindex='0']").focus()
    page.keyboard.press("End")
    expect(page.locator("#pg-events li.pg-execute .pg-head")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#pg-events li.pg-call .pg-head")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#pg-ledger .pg-respond")).to_be_focused()
    page.get_by_role("tab", name="Events").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Results")).to_be_focused()
    expect(page.locator("#pg-panel-results")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("#pg-panel-case")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#pg-panel-case a")).to_be_focused()


def test_a_phone_has_no_horizontal_scroll(opened, address):
    tab = opened(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    tab.goto(address)
    tab.locator(READY).wait_for(timeout=LONG)
    tab.select_option("#pg-stream", "token")
    tab.select_option("#pg-cut", "words")
    tab.fill("#pg-text", f"{'x' * 300} <execute>[{'{' * 200}]</execute>")
    expect(tab.locator("#pg-events li.pg-error")).to_be_visible()
    for name in ("Events", "Results", "Messages", "Convert", "Case"):
        tab.get_by_role("tab", name=name).tap()
        assert tab.evaluate("document.documentElement.scrollWidth") == 360, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.evaluate(
        "(scheme) => document.body.setAttribute('data-md-color-scheme', scheme)",
        {"light": "default", "dark": "slate"}[scheme],
    )
    text = '<think>a</think>\nb <execute>[{"name": "a", "args": {}}, 5]</execute> c'
    show(page, text, stream="token", cut="words")
    found = [*findings(page)]
    tell(page, 20)
    found += findings(page)
    for name in ("Results", "Messages", "Convert", "Case"):
        page.get_by_role("tab", name=name).click()
        found += findings(page)
    assert found == []


def findings(page):
    """Return what axe holds to be serious or critical."""
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    report = page.evaluate("axe.run('#playground', {resultTypes: ['violations']})")
    return [
        (one["id"], [node["html"][:160] for node in one["nodes"]])
        for one in report["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


# --- What the reference runs on -------------------------------------------------------------------


def stand_in():
    """Return the module that stands in for rpds in the browser."""
    path = ROOT / "website" / "playground" / "rpds.py"
    spec = importlib.util.spec_from_file_location("rpds_stand_in", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(module, name, steps):
    """Take the steps on one of the module's collections; return what each leaves behind."""
    made = getattr(module, name)()
    seen = []
    for method, *arguments in steps:
        before = list(made)
        try:
            changed = getattr(made, method)(*arguments)
        except (KeyError, IndexError) as problem:
            changed = made
            seen.append(type(problem).__name__)
        assert list(made) == before
        made = changed
        items = sorted(made.items()) if hasattr(made, "items") else list(made)
        seen.append((items if name == "List" else sorted(items), len(made)))
    return seen, made == getattr(module, name)(made), hash(made) == hash(made)


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        (
            "HashTrieMap",
            [
                ("insert", "a", 1),
                ("insert", "a", 2),
                ("update", {"b": 3}, [("c", 4)]),
                ("discard", "x"),
                ("remove", "x"),
                ("remove", "b"),
                ("discard", "c"),
            ],
        ),
        (
            "HashTrieSet",
            [
                ("insert", "a"),
                ("insert", "a"),
                ("update", ["b"], {"c"}),
                ("discard", "x"),
                ("remove", "x"),
                ("remove", "b"),
            ],
        ),
        ("List", [("drop_first",), ("push_front", 1), ("push_front", 2), ("drop_first",)]),
    ],
)
def test_the_stand_in_does_what_rpds_does(name, steps):
    assert told(stand_in(), name, steps) == told(rpds, name, steps)


def test_the_stand_in_makes_collections_as_rpds_does():
    for module in (stand_in(), rpds):
        one = module.HashTrieMap({"a": 1}, b=2)
        assert module.HashTrieMap.convert(one) is one
        assert dict(module.HashTrieMap.convert({"a": 1})) == {"a": 1}
        assert dict(module.HashTrieMap.fromkeys(["a"], 3)) == {"a": 3}
        assert one == module.HashTrieMap([("b", 2), ("a", 1)])
        assert one != module.HashTrieMap()
        assert list(module.List([1, 2])) == [1, 2]
        assert module.List([1, 2]).first == 1
        assert list(module.List([1, 2]).rest) == [2]
        assert list(reversed(module.List([1, 2]))) == [2, 1]
        assert repr(module.HashTrieMap({"a": 1})) == repr(rpds.HashTrieMap({"a": 1}))
        assert repr(module.List([1])) == repr(rpds.List([1]))
        assert module.HashTrieSet(["a"]) == module.HashTrieSet().insert("a")


def test_the_same_files_give_the_same_runtime(tmp_path):
    """What is written, is written alike again, and is small."""
    manifests = []
    for name in ("one", "two"):
        runtime.write(tmp_path / name)
        manifests.append((tmp_path / name / "playground" / "manifest.json").read_text("utf-8"))
    assert manifests[0] == manifests[1]
    files = json.loads(manifests[0])["files"]
    assert files["examples.json"]["compressed"] < 60_000
    assert "pyodide/pyodide.asm.wasm" in files
    assert "javascript/adapter.mjs" not in files


def test_a_missing_interpreter_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime, "_PYODIDE", tmp_path / "node_modules" / "pyodide")
    with pytest.raises(FileNotFoundError, match="npm ci"):
        runtime.write(tmp_path / "pages")


def test_every_code_of_the_chapter_has_clauses():
    made = runtime.codes()
    assert len(made["codes"]) == 26
    assert "xe-duplicate-arg" in made["codes"]["duplicate-arg"]
    assert {clause for each in made["codes"].values() for clause in each} <= made["clauses"].keys()
    assert made["clauses"]["xj-skip"] == ["xml-json", "must"]
