"""What the page holds, without a browser: rows that tile the text, its policy, and what is quoted."""

import base64
import hashlib
import re
import sys

import pytest

from cogwire_kit.view.cards import attribute, escaped
from cogwire_kit.view.page import ViewedTranscript, page
from cogwire_kit.view.records import documents
from cogwire_kit.view.rows import rows
from tests.kit.view.hostile import HOSTILE, everywhere
from tests.rows import rows as each_row

TURN = 'Hi.\n<think>a</think>\n<execute>[{"name": "ls", "args": {}},]</execute>'


@each_row("dialect", ["xml-json", "xml-elements", "delimiter", "delimiter-upper"])
@each_row("kind", HOSTILE)
def test_rows_tile_the_text(kind, dialect):
    text = everywhere(HOSTILE[kind])
    found = rows(text, dialect)
    whole = "".join(row.text for row in found)
    assert whole == text.translate({0xD800: "\ufffd", 0xDC00: "\ufffd"})
    for row in found:
        before = whole[: row.begin]
        assert row.line == before.count("\n") + 1
        assert row.column == row.begin - before.rfind("\n")


def test_a_row_is_cut_where_something_changes():
    found = rows(TURN, "xml-json")
    assert [[(part.text, part.kind) for part in row.parts] for row in found] == [
        [("Hi.", "prose"), ("\n", "white")],
        [("<think>", "marker"), ("a", "think"), ("</think>", "marker")],
        [("\n", "white"), ('<execute>[{"name": "ls", "args": {}}', "error")],
        [(",", "error"), ("]", "error"), ("</execute>", "error")],
    ]
    assert [row.event and row.event["type"] for row in found] == [
        *("respond", "think", "call", "error")
    ]
    assert [part.text for row in found for part in row.parts if part.error is not None] == ["]"]


def test_a_turn_may_begin_in_a_think():
    text = "a <execute>[]</execute>\n</think>b"
    found = rows(text, "xml-json", "think")
    assert [row.text for row in found] == [text[:-1], "b"]
    assert [row.event["type"] for row in found] == ["think", "respond"]
    shown_ = page("x", [ViewedTranscript("x", text, "xml-json", start="think")])
    assert page("x", [ViewedTranscript("x", text, "xml-json")]) != shown_


def test_a_void_block_is_the_error_s_own_and_its_calls_are_marked():
    results = '<results>[{"tool": "execute", "status": "failure", "content": "x"}]</results>'
    text = f"{TURN}\n{results}<think>a</think>"
    found = rows(text, "xml-json")
    assert [row.text for row in found[3:]] == [",]</execute>", f"\n{results}", "<think>a</think>"]
    html_text = page("x", [ViewedTranscript("x", text, "xml-json")])
    heads = re.findall(r'class="head">(.*?)</(?:p|summary)>', html_text, re.DOTALL)
    headings = [re.sub("<[^>]+>", "", head).split(" line")[0] for head in heads]
    assert headings == [
        *("respond model", "think model", "call void model", "error model"),
        *("result system", "think model"),
    ]


def test_prose_after_a_call_is_prose_in_a_format_that_a_model_is_trained_on():
    found = rows("[TOOL_CALLS]a[ARGS]{}bye", "mistral")
    assert [[(part.text, part.kind) for part in row.parts] for row in found] == [
        [("[TOOL_CALLS]", "marker"), ("a[ARGS]{}", "call")],
        [("bye", "prose")],
        [],
    ]


def test_the_policy_knows_the_script_and_the_style_by_their_hashes():
    text = page(HOSTILE["script"], [ViewedTranscript("x", HOSTILE["script"], "xml-json")])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    directives = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert (
        directives["default-src"] == directives["base-uri"] == directives["form-action"] == "'none'"
    )
    for name in ("script", "style"):
        (content,) = re.findall(f"<{name}>(.*?)</{name}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert directives[f"{name}-src"] == f"'sha256-{digest}'"
    assert directives.keys() == {
        "default-src",
        "base-uri",
        "form-action",
        "script-src",
        "style-src",
    }


def test_one_row_of_a_data_set_shows_its_number():
    assert '<p class="facts">Row 3: &lt;b&gt; · xml-json' in page(
        "runs.jsonl", [ViewedTranscript("Row 3: <b>", TURN, "xml-json")]
    )


def test_the_mask_is_that_of_the_names():
    text = "<think>a</think>b<execute>[]</execute><results>[]</results>"

    def trained(**names):
        found = page("x", [ViewedTranscript("x", text, "xml-json")], **names)
        parts = re.findall(r'<span class="k-\S+ a-\S+ m-([01])">(.*?)</span>', found)
        return "".join(text for bit, text in parts if bit == "1").replace("&lt;", "<")

    assert trained().replace("&gt;", ">") == "<think>a</think>b<execute>[]</execute>"
    assert trained(skip=["think", "marker", "syntax"]) == "b"
    assert trained(train=["think", "results"]) == "a[]"
    with pytest.raises(ValueError, match="'thoughts'"):
        trained(train=["thoughts"])


def test_invisible_characters_are_named():
    assert escaped("<a\u202e&\0\r\n") == (
        '&lt;a<i class="u" data-u="202E" title="U+202E RIGHT-TO-LEFT OVERRIDE">\u202e</i>&amp;'
        '<i class="u" data-u="NUL" title="U+0000">\u2400</i>'
        '<i class="u" data-u="CR" title="U+000D">&#13;</i>\n'
    )
    assert attribute('"\u202e') == "&quot;[U+202E]"


def test_values_are_shown_as_they_are_spelled():
    call = '{"name": "w", "args": {"n": 1.50, "i": 12345678901234567890, "s": "a\\nb", "o": {"k": [1E2]}}}'
    text = page("x", [ViewedTranscript("x", f"<execute>[{call}]</execute>", "xml-json")])
    parsed = text.partition('class="parsed"')[2]
    for shown_value in ("1.50", "12345678901234567890", "a\nb", "{&quot;k&quot;: [1E2]}"):
        assert f"<code>{shown_value}</code>" in parsed


@pytest.mark.verify
def test_the_page_of_a_long_transcript_is_made_in_linear_time():
    """Calls are counted, and what the page has, because time is different on a busy machine."""

    def work(count):
        unit = '<think>a</think>b <execute>[{"name": "x", "args": {"a": "b"}}]</execute>'
        calls = 0

        def count_calls(*_):
            nonlocal calls
            calls += 1

        sys.setprofile(count_calls)
        try:
            made = page("x", [ViewedTranscript("x", unit * count, "xml-json")])
        finally:
            sys.setprofile(None)
        return calls, len(made)

    work(10)
    for small, large in zip(work(100), work(1000), strict=True):
        assert large < 11 * small


def test_a_message_is_shown_with_what_is_wrong_with_it_and_with_its_thought():
    calls = [{"id": "1", "type": "function", "function": {"name": "ls", "arguments": "{bad"}}]
    messages = [{"role": "assistant", "content": None, "tool_calls": calls}]
    (found,) = documents({"messages": messages}, "Row 1", "auto")
    assert found.items[0].said.startswith("error[skipped]: this is left out: the call of 'ls'")
    assert "error[skipped]: " in page("x", [found])
    messages = [{"role": "assistant", "content": "a", "reasoning_content": "t"}]
    (found,) = documents({"messages": messages}, "Row 1", "auto")
    assert [each["type"] for each in found.items[0].events] == ["think", "respond"]
