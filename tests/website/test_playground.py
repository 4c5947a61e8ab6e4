"""The playground, in a real browser: what a reader types, sees, follows and takes away.

The reference takes seconds to load, so most tests share one tab in which it is there already.
"""

import base64
import json
import re
import zlib

import pytest
from playwright.sync_api import expect

import cogwire
from cogwire_kit import adapter
from cogwire_kit.conformance import formats
from cogwire_kit.conformance.corpus import Case
from cogwire_kit.conformance.replies import outcome
from cogwire_kit.templates import response
from tests import schemas
from tests.browser import watched
from tests.website.conftest import LONG, ROOT, serious_faults
from website import permalink

pytestmark = pytest.mark.verify

READY = '#playground[data-reference="ready"]'
CALLS = '<think>look </think>\n\nHi. <execute>[{"name": "ls", "args": {}}] </execute> Done!'

#: Keeps what the page says while the reference loads, which may be over before a test looks.
LISTEN = """addEventListener("DOMContentLoaded", () => {
    window.said = [];
    const words = document.getElementById("pg-loading-words");
    new MutationObserver(() => said.push(words.textContent)).observe(words, {childList: true});
})"""

#: Whether the page shows the answers to the last that it was asked.
SETTLED = """() => {
    const { asked, answered } = document.getElementById("playground").dataset;
    return asked === answered;
}"""


@pytest.fixture(scope="module")
def address(site):
    return f"{site}/playground/index.html"


@pytest.fixture(scope="module")
def shared(browser, address):
    """Return a tab in which the reference is ready, and nothing may go wrong."""
    home = address.removesuffix("/playground/index.html")
    with watched(browser, (f"{home}/", "blob:")) as open_tab:
        tab = open_tab(viewport={"width": 1280, "height": 900})
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.add_init_script(LISTEN)
        tab.goto(address)
        tab.locator(READY).wait_for(timeout=LONG)
        assert any("MB" in words for words in tab.evaluate("said"))
        yield tab


@pytest.fixture
def page(shared):
    """Return the shared tab, as it is when it is opened."""
    return anew(shared)


def anew(page):
    page.get_by_role("button", name="Start anew").click()
    page.select_option("#pg-cut", "whole")
    page.select_option("#pg-stream", "event")
    return page


def settle(page):
    page.wait_for_function(SETTLED, timeout=LONG)


def show(page, text, **options):
    """Set the options, type the text, and wait until it has been read."""
    for name, value in options.items():
        page.select_option(f"#pg-{name}", value)
    page.fill("#pg-text", text)
    settle(page)


def visit(page, fragment, text):
    """Follow a link to a state, which has this text."""
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    expect(page.locator("#pg-text")).to_have_value(text)
    settle(page)


def view(page, name):
    page.get_by_role("tab", name=name).click()
    settle(page)


def tell(page, position):
    """Move the slider to a position."""
    page.locator("#pg-position").evaluate(
        "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }", position
    )
    settle(page)


def text_of(page, name):
    return page.locator(f"#pg-{name}").inner_text()


def listed(page):
    """Return the type and the range of each event, as the list has them."""
    heads = page.locator("#pg-events .pg-head")
    return [
        (head.locator(".pg-type").inner_text(), head.locator(".pg-where").inner_text())
        for head in heads.all()
    ]


def types(page):
    return page.locator("#pg-events .pg-type").all_inner_texts()


def parts(page):
    """Return the spans of the ledger: the kind, and the text."""
    return page.evaluate(
        """[...document.querySelectorAll("#pg-ledger .pg-part")].map(
            (part) => [part.className.match(/pg-(?!part)(\\w+)/)[1], part.textContent])"""
    )


# --- Events and the ledger ------------------------------------------------------------------------


def test_what_is_typed_is_read_by_both(page):
    show(page, CALLS)
    assert text_of(page, "status").endswith("They agree.")
    # The raws of the example in spec/model.md, "The ledger".
    assert listed(page) == [
        ("think", "0–20 · with chunk 1"),
        ("respond", "20–26 · with chunk 1"),
        ("call", "26–62 · with chunk 1"),
        ("execute", "62–74 · with chunk 1"),
    ]
    assert "may run: an execute follows" in page.locator("#pg-events li").nth(2).inner_text()
    assert text_of(page, "state") == "State: paused. 6 characters are discarded."
    assert parts(page) == [
        ["think", "<think>look </think>"],
        ["respond", "\n\nHi. "],
        ["call", '<execute>[{"name": "ls", "args": {}}'],
        ["execute", "] </execute>"],
        ["discarded", " Done!"],
    ]


def test_spans_and_events_are_linked_both_ways_for_mouse_and_keys(page):
    show(page, CALLS)
    span, event = page.locator("#pg-ledger .pg-call"), page.locator("#pg-events li.pg-call")
    span.hover()
    expect(event).to_have_class("pg-event pg-call pg-hot")
    event.hover()
    expect(span).to_have_class("pg-part pg-call pg-hot")
    span.click()
    expect(event.locator(".pg-head")).to_have_attribute("aria-pressed", "true")
    page.locator("#pg-events li.pg-think .pg-head").click()
    expect(page.locator("#pg-ledger .pg-think")).to_have_attribute("aria-pressed", "true")
    expect(span).to_have_attribute("aria-pressed", "false")

    page.locator("#pg-ledger [tabindex='0']").focus()
    page.keyboard.press("End")
    execute = page.locator("#pg-events li.pg-execute .pg-head")
    expect(execute).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(event.locator(".pg-head")).to_be_focused()
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


def test_a_text_is_shown_as_it_is_and_never_read_as_html(page):
    show(page, "<img src=x onerror=alert(1)><b>x</b>")
    assert page.locator("#pg-ledger img, #pg-ledger b, #pg-events b, #pg-events img").count() == 0
    assert parts(page) == [["respond", "<img src=x onerror=alert(1)><b>x</b>"]]
    show(page, "a\u00a0b\ufeff\n c")
    signs = page.locator("#pg-ledger [data-sign]")
    shown = signs.evaluate_all("(all) => all.map((one) => one.dataset.sign)")
    assert shown == ["U+00A0", "U+FEFF", "↵"]


def test_an_error_has_a_caret_its_page_its_clause_and_its_message(page):
    show(page, '<execute>[\n{"name": "ls", "args": "{}"}]</execute>')
    error = page.locator("#pg-events li.pg-error")
    assert error.locator(".pg-where").inner_text() == "0–35 · with chunk 1"
    # 11 characters are before the second line, and 23 before the quote in it.
    assert "bad-args at 34, path /0/args, voids 0 calls" in error.inner_text()
    assert "line 2, column 24" in error.inner_text()
    assert "args" in error.locator(".pg-message").inner_text()
    line, caret = error.locator(".pg-caret pre").text_content().split("\n")
    assert line == '{"name": "ls", "args": "{}"}]</execute>'
    assert caret.index("^") == 23
    links = error.locator("a").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
    assert {"../spec/errors.html#err-bad-args", "../spec/xml-json.html#xj-args-type"} <= set(links)

    # 36 characters are before the 5: two of them have no width, one has two units, one turns text.
    show(page, '<execute>[{"name": "e\u0301漢😀\u202e", "args": 5}]</execute>')
    assert "bad-args at 36" in error.inner_text()
    line, caret = error.locator(".pg-caret pre").text_content().split("\n")
    assert (line[36], caret.index("^")) == ("5", 36)
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


def replay(page, text, **options):
    """Show a text cut into characters; return what tells of a moment: after so many of them."""
    show(anew(page), text, cut="characters", **options)

    def at(position):
        tell(page, position)
        held = page.locator("#pg-held li").all_inner_texts()
        return text_of(page, "state"), held, [kind for kind, _ in parts(page)]

    return at


def test_the_slider_shows_what_is_held_back_and_why(page):
    at = replay(page, "Hi </exec <execute>[]</execute>", stream="token")
    # In prose no closer is live: the white space alone is held, then what may become an opener.
    state, held, _ = at(10)
    assert state == "State: prose. 1 character is held back."
    assert "White space that may end the segment." in held[0]
    state, held, kinds = at(16)
    assert state == "State: prose. 7 characters are held back."
    assert [words.split(" ")[:2] for words in held] == [["Held", "back"]] * 2
    assert "“<execu” may be the beginning of “<execute>”." in held[1]
    assert kinds[-3:] == ["white", "held", "future"]
    assert at(20)[0].startswith("State: execute.")
    at(32)
    assert text_of(page, "count") == "2"
    assert text_of(page, "place") == "At the end of the stream, after all 31 chunks."

    at = replay(page, '<execute>[{"name": "ls"}, 1]</execute>!')
    assert any("The call is not complete" in words for words in at(20)[1])
    assert any(words.startswith("Skipped") and "The block is void" in words for words in at(30)[1])
    assert text_of(page, "count") == "1"
    assert at(40)[2] == ["error", "skipped", "discarded"]

    show(page, " \n")
    assert text_of(page, "state") == "State: prose."
    assert parts(page) == [["opener", " \n"]]


def test_the_slider_shows_what_a_delimiter_waits_for(page):
    at = replay(page, "Hi\n§end", dialect="delimiter", stream="token")
    boundary = "“§end” is a marker only if white space, a § or the end of the text follows."
    assert boundary in " ".join(at(7)[1])
    assert at(8)[0] == "State: ended."
    # The execute of a void batch is none: by dl-void-stop it ends the turn, and by dl-fresh a
    # marker is live after it.
    at = replay(page, "§call: 5\n§execute §en", dialect="delimiter", mode="transcript")
    assert "A marker produces no event" in " ".join(at(18)[1])
    assert parts(page)[2:] == [["opener", "§execute "], ["future", "§en"]]
    assert "“§en” may be the beginning of “§end”." in " ".join(at(21)[1])
    # Only white space of the protocol leaves a place fresh.
    at = replay(page, "x} \u00a0§respond: §en", dialect="delimiter")
    state, held, kinds = at(17)
    assert state == "State: prose. 17 characters are held back."
    assert "The segment is open" in held[0]
    assert kinds == ["held"]


def test_playing_goes_to_the_end_and_keys_and_seeds_give_the_same_again(page):
    show(page, "one two three", cut="words")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#pg-place")).to_contain_text("At the end", timeout=LONG)
    page.locator("#pg-position").press("Home")
    assert text_of(page, "place") == "Before all 3 chunks."
    page.locator("#pg-position").press("ArrowRight")
    assert text_of(page, "place") == 'After chunk 1 of 3, "one".'

    show(page, CALLS, cut="random")
    cuts = {}
    for seed in ("7", "8", "7"):
        page.fill("#pg-seed", seed)
        settle(page)
        assert cuts.setdefault(seed, listed(page)) == listed(page)
    assert cuts["7"] != cuts["8"]


# --- Options --------------------------------------------------------------------------------------


def test_the_dialect_the_mode_the_start_and_the_limits_are_asked_for(page):
    show(page, "§think: a\n§respond: b\n§end", dialect="delimiter")
    assert "Only the reference answers" in text_of(page, "status")
    assert types(page) == ["think", "respond", "end"]
    page.select_option("#pg-dialect", "xml-json")
    settle(page)
    assert text_of(page, "status").endswith("They agree.")
    assert types(page) == ["respond"]
    # Each turn of a transcript starts there (m-start-think).
    show(page, "a</think><end>b", mode="transcript", start="think")
    assert types(page) == ["think", "end", "think"]
    page.locator("#pg-limits summary").click()
    page.fill("#pg-limit-depth", "2")
    show(page, '<execute>[{"name": "a", "args": {}}]</execute>', mode="turn", start="prose")
    assert "limit-depth at 32" in text_of(page, "events")
    page.fill("#pg-limit-depth", "0")
    settle(page)
    assert "This request is not possible" in text_of(page, "fault")
    assert page.locator("#pg-events li, #pg-ledger [role='button']").count() == 0


def test_an_example_of_the_corpus_is_read_and_leads_to_its_page(page):
    page.select_option("#pg-example", "delimiter-string-ends-too-early")
    settle(page)
    about = page.locator("#pg-about a").get_attribute("href")
    assert about == "../cases/delimiter/voids.html#delimiter-string-ends-too-early"
    assert "never runs: its batch is void" in page.locator("#pg-events li.pg-call").inner_text()
    assert types(page) == ["error", "respond", "call"]


def test_every_format_is_read_and_one_that_is_described_beside_the_text(page):
    choose = page.locator("#pg-dialect")
    offered = set(choose.locator("option").all_inner_texts())
    assert {each.name for each in cogwire.formats()} < offered
    choose.select_option("kimi-k2")
    settle(page)
    assert types(page) == ["think", "respond", "call", "execute"]
    assert "<|tool_call_end|> here." in page.locator("#pg-events .pg-call").inner_text()
    tell(page, 0)
    assert "It may be part of a marker" not in text_of(page, "held")
    choose.select_option("described")
    settle(page)
    description = json.loads(page.input_value("#pg-description"))
    assert description["name"] == "my-format"
    assert types(page) == ["think", "respond", "call", "execute"]
    page.fill("#pg-description", json.dumps({**description, "call": "x"}, indent=2))
    settle(page)
    assert re.match(r"Line \d+, /call: ", text_of(page, "description-fault"))
    page.fill("#pg-description", "{")
    assert "not JSON" in text_of(page, "description-fault")
    form = {"name": "my-format", "call": ["[[", "]]"], "payload": {"kind": "object"}}
    page.fill("#pg-description", json.dumps(form))
    show(page, 'Hi. [[{"name": "ls", "arguments": {}}]]')
    assert text_of(page, "description-fault") == ""
    assert types(page) == ["respond", "call", "execute"]
    view(page, "Convert")
    page.select_option("#pg-to", "hermes")
    settle(page)
    assert "<tool_call>" in text_of(page, "converted")


def test_a_format_is_found_by_a_model_a_chat_template_and_a_response_template(page):
    page.locator("#pg-which-box summary").click()
    dialect = page.locator("#pg-dialect")
    page.fill("#pg-which", "moonshotai/Kimi-K2-Instruct")
    expect(dialect).to_have_value("kimi-k2")
    template = cogwire.render_calls([{"name": "a", "args": {"b": "c"}}], "minimax-m2")
    page.fill("#pg-which", f"{{% if tools %}}{template}{{% endif %}}")
    expect(dialect).to_have_value("minimax-m2")
    template = {"response_template": response.written("xml-json")}
    page.fill("#pg-which", json.dumps(template))
    expect(page.locator("#pg-which-said")).to_contain_text("response_template")
    page.fill("#pg-which", "nobody/knows-this")
    expect(page.locator("#pg-which-said")).to_contain_text("no known format")


def test_a_regex_of_ones_own_is_tried_on_hard_texts(tab, site):
    tab.goto(f"{site}/playground/regex.html")
    said = tab.locator("#regex-said")
    run = tab.get_by_role("button", name="Run it")
    run.click()
    count = sum("start" not in case.data for case in formats.load("hermes").cases)
    expect(said).to_contain_text(f"of {count} texts are read as expected. The others")
    broken = tab.get_by_role("link", name="The closing tag in a string is part of the string")
    expect(broken).to_have_attribute("href", "../formats/hermes.html#hermes-closer-in-a-string")
    tab.fill("#regex-code", "() => []")
    run.click()
    expect(tab.locator("#regex-list")).to_contain_text("a call is lost")
    tab.fill("#regex-code", "(")
    run.click()
    expect(said).to_contain_text("cannot be run")
    assert serious_faults(tab) == []


def test_calls_are_judged_by_the_tools(page):
    page.locator("#pg-tools-box summary").click()
    page.get_by_role("button", name="Insert an example").click()
    show(page, '<execute>[{"name": "read", "args": {"lines": 0}}]</execute>')
    found = page.locator("#pg-events li.pg-call .pg-problems")
    assert "2 problems" in found.inner_text()
    problems = [item.split(":")[0] for item in found.locator("li").all_inner_texts()]
    assert problems == ["missing-arg at /file", "bad-value at /lines"]
    for tools, fault in [
        ("{", "not a JSON array"),
        ('[{"name": "a", "parameters": {"type": "bogus"}}]', "Refused"),
    ]:
        page.fill("#pg-tools", tools)
        settle(page)
        assert fault in text_of(page, "tools-fault")
    # Arguments keep the spelling of their numbers.
    properties = {"n": {"type": "integer"}}
    tool = {"name": "a", "parameters": {"type": "object", "properties": properties}}
    page.fill("#pg-tools", json.dumps([tool]))
    show(page, "<execute><a><n>9007199254740993</n></a></execute>", dialect="xml-elements")
    good = page.locator("#pg-events .pg-good").inner_text()
    assert good == 'fits its tool; its arguments: {"n":9007199254740993}'
    view(page, "Results")
    assert "9007199254740993" in page.locator("#pg-panel-results legend").inner_text()


def test_calls_are_sealed_until_their_execute(page):
    text = '<execute>[{"name": "ls", "args": {}}, 5]</execute>'
    show(page, text, calls="sealed", cut="characters")
    assert "They agree." in text_of(page, "status")
    # Of a void block no call is given (m-sealed-void).
    assert types(page) == ["error"]
    show(page, '<execute>[{"name": "ls", "args": {}}]</execute>')
    tell(page, 40)
    assert types(page) == []
    assert "Calls are sealed" in text_of(page, "held")
    tell(page, 10_000)
    assert types(page) == ["call", "execute"]


def test_deltas_of_a_call_are_seen_while_it_is_written(page):
    page.select_option("#pg-stream", "event")
    assert page.locator("#pg-deltas").is_disabled()
    text = '<execute>[{"name": "w", "args": {"t": "Dear Eve"}}]</execute>'
    show(page, text, stream="token", deltas="on", cut="characters")
    assert types(page) == ["call_delta", "call", "execute"]
    delta = page.locator("#pg-events li").first
    # The text of the args, joined (m-call-delta).
    assert delta.locator("pre").text_content() == '{"t": "Dear Eve"}'
    assert "the args of call 0" in delta.inner_text()
    assert parts(page)[0] == ["call", text[:-11]]
    view(page, "Case")
    case = json.loads(page.locator("#pg-panel-case pre").text_content())
    assert case["requires"] == ["call-deltas", "token"]
    assert case["expect"]["events"][0] == {
        "type": "call_delta",
        "index": 0,
        "name": "w",
        "content": '{"t": "Dear Eve"}',
    }
    assert case["options"] == {"call_deltas": True, "stream": "token"}


# --- The other views ------------------------------------------------------------------------------


def test_results_are_in_the_order_of_the_calls(page):
    show(page, '<execute>[{"name": "a", "args": {}}, {"name": "b", "args": {}}]</execute>')
    view(page, "Results")
    rows = page.locator("#pg-panel-results fieldset")
    rows.nth(0).locator("select").select_option("failure")
    rows.nth(0).locator("textarea").fill("gone")
    rows.nth(1).locator("textarea").fill('{"n": 9007199254740993}')
    settle(page)
    written, event = page.locator("#pg-result-text"), page.locator("#pg-result-event")
    assert written.locator("pre").text_content() == (
        "<results>\n[\n"
        '  {"tool": "a", "status": "failure", "content": "gone"},\n'
        '  {"tool": "b", "status": "success", "content": {"n": 9007199254740993}}\n'
        "]\n</results>"
    )
    rows.nth(1).locator("select").select_option("pending")
    settle(page)
    assert "The batch waits for 1 outcome." in event.inner_text()
    page.select_option("#pg-ending", "cancelled")
    settle(page)
    assert '"failure_count": 2' in event.inner_text()
    # A void block is answered by one failure of the tool execute.
    show(page, "<execute>ls</execute>")
    assert "The batch is void." in text_of(page, "panel-results")
    assert '{"tool": "execute", "status": "failure"' in written.inner_text()
    # Of a long batch the first calls are listed, and all are answered.
    page.locator("#pg-limits summary").click()
    page.fill("#pg-limit-calls", "300")
    calls = ", ".join(['{"name": "a", "args": {}}'] * 257)
    show(page, f"<execute>[{calls}]</execute>")
    assert rows.count() == 100
    assert '"tools_executed": 257' in event.inner_text()
    # The writer has limits of its own: by default a block has 256 calls.
    assert written.locator("p").inner_text() == "Refused"


def test_messages_have_the_turn_and_the_result(page):
    show(page, '<execute>[{"name":"a","args":{}}]</execute> and on')
    view(page, "Messages")
    page.fill("#pg-system", "Be brief.")
    page.fill("#pg-user", " Look ")
    settle(page)
    roles = page.locator("#pg-messages b").all_inner_texts()
    assert roles == ["system", "user", "assistant", "user"]
    contents = page.locator("#pg-messages pre").all_text_contents()
    assert contents[1:3] == ["Look", '<execute>[{"name":"a","args":{}}]</execute>']
    assert "trimmed at event 1" in text_of(page, "report")
    page.uncheck("#pg-raws")
    settle(page)
    contents = page.locator("#pg-messages pre").all_text_contents()
    assert contents[2] == '<execute>\n[\n  {"name":"a","args":{}}\n]\n</execute>'


def test_a_text_is_converted_with_a_report(page):
    # The example of spec/convert.md, with the report of spec/adapter.md beside it.
    show(page, "§respond: No <end>.\n§end", dialect="delimiter")
    view(page, "Convert")
    assert page.locator("#pg-converted pre").text_content() == "No &lt;end>.\n\n<end>"
    assert "neutralised at 13" in text_of(page, "convert-report")
    page.get_by_role("button", name="Continue with this text").click()
    assert page.locator("#pg-dialect").input_value() == "xml-json"
    assert page.locator("#pg-text").input_value() == "No &lt;end>.\n\n<end>"


def test_a_case_is_valid_and_passes(page):
    for text, options, clauses in [
        (CALLS, {}, ["xj-think", "xj-prose-runs", "xj-call", "xj-execute"]),
        ("<execute>[1]</execute>", {}, ["xj-block", "xj-not-object"]),
        (
            '§call: {"name": "ls"} please\n§execute',
            {"dialect": "delimiter", "mode": "transcript"},
            ["dl-trailing-text"],
        ),
    ]:
        show(anew(page), text, **options)
        view(page, "Case")
        page.fill("#pg-case-id", f"{options.get('dialect', 'xml-json')}-from-the-page")
        page.fill("#pg-case-title", "What stands in the page holds")
        page.fill("#pg-case-why", "Otherwise nobody could trust it.")
        page.get_by_role("button", name="Copy as conformance case").click()
        expect(page.locator("#pg-done")).to_have_text("The case is on the clipboard.")
        case = json.loads(page.evaluate("navigator.clipboard.readText()"))
        schemas.validator("case").validate(case)
        assert set(clauses) <= set(case["clauses"])
        assert case["title"] == "What stands in the page holds"
        request = {"op": "parse", "dialect": case["dialect"], "text": case["input"]}
        line = json.dumps({"id": "1", **request, **case.get("options", {})})
        assert outcome(Case(case), json.loads(adapter.answer(line.encode()))) == case["expect"]


# --- Who answers ----------------------------------------------------------------------------------

#: Holds back what the page sends to the reference, and the end of its wait for more typing, until
#: `letGo` is called; `heard` counts the answers that have come.
HOLD = """() => {
    const { setTimeout: later } = window;
    const { postMessage: send } = Worker.prototype;
    const [timers, sent] = [[], []];
    window.heard = 0;
    window.setTimeout = (act, wait) => (wait === 40 ? timers.push(act) : later(act, wait));
    Worker.prototype.postMessage = function (data) {
        this.addEventListener("message", () => (window.heard += 1), { once: true });
        sent.push(() => send.call(this, data));
    };
    window.letGo = {
        requests: () => sent.splice(0).forEach((one) => one()),
        timers: () => timers.splice(0).forEach((one) => one()),
        all: () => {
            Object.assign(window, { setTimeout: later });
            Worker.prototype.postMessage = send;
            letGo.requests();
            letGo.timers();
        },
    };
}"""


def test_an_answer_about_the_text_as_it_was_is_not_shown_as_that_of_the_new_one(page):
    """It comes after the new text was typed, and before anybody was asked about that."""
    show(page, "old")
    page.evaluate(HOLD)
    page.select_option("#pg-mode", "transcript")
    page.fill("#pg-text", "new <end>")
    page.evaluate("letGo.requests()")
    page.wait_for_function("heard > 0", timeout=LONG)
    assert "Reference" not in text_of(page, "status")
    assert not page.evaluate(SETTLED)
    page.evaluate("letGo.all()")
    settle(page)
    assert types(page) == ["respond", "end"]
    assert text_of(page, "status").endswith("They agree.")


def test_on_a_phone_a_reference_that_fails_crashes_or_differs_is_reported(browser, address):
    """It cannot be fetched at first, and JavaScript's parser is made to lose a letter of prose."""
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True
    )
    tab = context.new_page()
    source = (ROOT / "conformance/adapters/javascript/answering.mjs").read_text("utf-8")
    feed = "const events = parser.feed({});"
    wrong = source.replace(feed.format("chunk"), feed.format("chunk.replace('Hello', 'Hell')"))
    assert wrong != source
    tab.route(
        "**/javascript/answering.mjs",
        lambda route: route.fulfill(body=wrong, content_type="text/javascript"),
    )
    tab.route("**/cogwire.zip*", lambda route: route.fulfill(status=500, body=""))
    loading, status = tab.locator("#pg-loading"), tab.locator("#pg-status")

    tab.goto(address)
    expect(loading).to_contain_text("could not be loaded", timeout=LONG)
    expect(status).to_contain_text("JavaScript:")
    expect(tab.locator("#pg-events .pg-head")).to_have_count(5)
    tab.unroute("**/cogwire.zip*")
    tab.get_by_role("button", name="Try again").click()
    tab.locator(READY).wait_for(timeout=LONG)
    settle(tab)
    assert text_of(tab, "status").endswith("They agree.")

    show(tab, "Hello.")
    notice = tab.locator("#pg-differ")
    for words in ("differ in parse, first in event 1, content", '"Hell."', '"Hello."'):
        assert words in notice.inner_text()
    assert tab.locator("#pg-events pre").inner_text() == "Hello."
    show(tab, "Bye.")
    assert notice.is_hidden()

    show(tab, f"{'x' * 300} <execute>[{'{' * 200}]</execute>", stream="token", cut="words")
    assert tab.locator("#pg-events li.pg-error").is_visible()
    for name in ("Events", "Results", "Messages", "Convert", "Case"):
        tab.get_by_role("tab", name=name).tap()
        settle(tab)
        assert tab.evaluate("document.documentElement.scrollWidth") == 360, name
    tab.get_by_role("tab", name="Events").tap()

    # Brackets by the ten thousand are more than the interpreter's stack has room for.
    tab.locator("#pg-tools-box summary").click()
    tab.fill("#pg-tools", "[" * 100_000 + "]" * 100_000)
    tab.fill("#pg-text", "Asked at the same time.")
    expect(loading).to_contain_text("The reference broke down", timeout=LONG)
    expect(tab.locator("#pg-tools-fault")).to_contain_text("Refused")
    tab.fill("#pg-text", "Still here.")
    expect(tab.locator("#pg-events")).to_contain_text("Still here.")
    tab.fill("#pg-tools", "")
    tab.get_by_role("button", name="Load it again").click()
    tab.locator(READY).wait_for(timeout=LONG)
    settle(tab)
    assert text_of(tab, "status").endswith("They agree.")
    context.close()


# --- Links and offline ----------------------------------------------------------------------------


def test_a_link_restores_everything_without_a_network(page):
    """The second visit, and the state that the fragment holds."""
    text = "Grüße, 😀\n<execute><ls/></execute>"
    page.select_option("#pg-cut", "fixed")
    page.fill("#pg-size", "3")
    show(page, text, dialect="xml-elements", stream="token")
    view(page, "Case")
    tell(page, 4)
    assert "After chunk 4 of" in text_of(page, "place")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#pg-done")).to_have_text("The link is on the clipboard.")
    link = page.url
    assert len(link) < 400
    page.locator('#playground[data-offline="ready"]').wait_for(state="attached", timeout=LONG)
    page.context.set_offline(True)
    try:
        second = page.context.new_page()
        second.goto(link)
        second.locator(READY).wait_for(timeout=LONG)
        settle(second)
        options = ("text", "dialect", "stream", "size")
        shown = [second.locator(f"#pg-{name}").input_value() for name in options]
        assert shown == [text, "xml-elements", "token", "3"]
        assert "After chunk 4 of" in text_of(second, "place")
        case = second.get_by_role("tab", name="Case")
        assert case.get_attribute("aria-selected") == "true"
        view(second, "Events")
        assert second.locator("#pg-events .pg-head").count() == 1
        second.close()
    finally:
        page.context.set_offline(False)


def test_the_link_is_copied_and_another_fragment_is_read(page):
    show(page, "first")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#pg-done")).to_have_text("The link is on the clipboard.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    show(page, "second")
    page.wait_for_function("(link) => location.href !== link", arg=link)
    visit(page, link.partition("#")[2], "first")
    state = {"text": "third", "dialect": "delimiter", "mode": "transcript"}
    visit(page, permalink.fragment(state), "third")
    assert page.locator("#pg-dialect").input_value() == "delimiter"
    page.evaluate("location.hash = '#a-link-that-was-cut-off-somewhere'")
    expect(page.locator("#pg-done")).to_have_text("The link could not be read.")


def packed(raw):
    """Return a fragment of JSON text that no dict of ours would make."""
    deflate = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(deflate.compress(raw) + deflate.flush()).rstrip(b"=").decode()


def test_a_link_sets_nothing_but_what_there_is_to_set(page):
    for number, member in enumerate(
        [
            '"__proto__":{"text":"b"}',
            '"constructor":1',
            '"limits":{"size":1e999}',
            '"outcomes":{"0":{"status":"success\\",\\"x\\":\\"","content":""}}',
        ]
    ):
        raw = f'{{{member},"text":"a{number}","tab":"results"}}'
        visit(page, packed(raw.encode()), f"a{number}")
        assert page.locator("#pg-fault").is_hidden()
        assert "No batch waits" in text_of(page, "panel-results")
        assert page.evaluate("({}).text === undefined")
    # Half a character is answered, in the tools or in an outcome.
    text = '<execute>[{"name":"a","args":{}}]</execute>'
    state = {
        "text": text,
        "tools": '[{"name":"a","description":"HALF"}]',
        "outcomes": {"0": {"status": "success", "content": '{"n":"HALF"}'}},
        "tab": "results",
    }
    visit(page, packed(json.dumps(state).replace("HALF", "\\ud800").encode()), text)
    assert "half a surrogate pair" in text_of(page, "result-event")
    assert text_of(page, "tools-set") == "in use"
    show(page, "And on.")


def test_a_link_with_too_much_content_is_not_read(page):
    """The fragment of 30 MB has 40 kB."""
    show(page, "kept")
    fragment = packed(b'{"text":"' + b"a" * 30_000_000 + b'"}')
    assert len(fragment) < 60_000
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    expect(page.locator("#pg-done")).to_have_text("The link could not be read.")
    assert page.locator("#pg-text").input_value() == "kept"
    page.fill("#pg-text", "a" * 2_000_000)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#pg-done")).to_have_text("The text is too long for a link.")


def test_axe_finds_nothing_serious(page):
    text = '<think>a</think>\nb <execute>[{"name": "a", "args": {}}, 5]</execute> c'
    show(page, text, stream="token", cut="words")
    found = []
    for scheme, name in [("light", "default"), ("dark", "slate")]:
        page.emulate_media(color_scheme=scheme)
        page.evaluate("(name) => document.body.setAttribute('data-md-color-scheme', name)", name)
        view(page, "Events")
        tell(page, 10_000)
        found += serious_faults(page, "#playground")
        tell(page, 20)
        found += serious_faults(page, "#playground")
        for tab in ("Results", "Messages", "Convert", "Case"):
            view(page, tab)
            found += serious_faults(page, "#playground")
    assert found == []
