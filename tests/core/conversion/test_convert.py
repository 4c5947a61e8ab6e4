"""Converting transcripts: what is written, what is reported and where, and the law of the report.

A caret `‸` is in a source before each place that the report names; it is not part of the text.
"""

import copy
import functools
import itertools
import json
import pickle
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogwire_kit import strategies as make
from cogwire_kit.conformance import corpus
from cogwire_kit.conformance.corpus import expanded
from tests import cogwire
from tests.core.helpers import (
    CARET,
    DIALECTS,
    IS_BRIEF,
    ONE_TOOL,
    WHITE,
    execute,
    repaired,
    respond,
    singles,
    split,
    unmeasured,
    with_room,
)
from tests.core.laws import chunked, law
from tests.core.parser.test_corpus import FILES
from tests.rows import rows

# --- Helpers ----------------------------------------------------------------------------------


def marked(text):
    """Return `text` without its carets, and where they was."""
    pieces = text.split(CARET)
    return "".join(pieces), list(itertools.accumulate(map(len, pieces[:-1])))


def in_chunks(chunks, source, target, **options):
    """Convert piece by piece; return the text, and the report."""
    converter = cogwire.Converter(source, target, **options)
    written = "".join([converter.feed(chunk) for chunk in chunks]) + converter.close(finished=True)
    assert converter.close(finished=True) == ""
    return written, converter.report


def check_converted(source, target, text, converted, codes=(), **options):
    """Assert in every way what `text` becomes, and that the report has `codes` at the carets."""
    text, places = marked(text)
    check_report(source, target, text, converted, list(zip(places, codes, strict=True)), **options)


def check_report(source, target, text, converted, expected, **options):
    """Assert in every way what `text` becomes, and the places and codes of the report."""
    report = []
    assert cogwire.convert(text, source, target, report=report, **options) == converted
    found = [(entry["offset"], entry["code"]) for entry in report]
    assert found == expected
    assert all(entry["message"] for entry in report)
    data = text.encode()
    step = 1 + len(text) // (10 if IS_BRIEF else 100)
    ways = [singles(text), [data], singles(data)]
    ways += [split(text, cut) for cut in range(1, len(text), step)]
    for chunks in ways:
        assert in_chunks(chunks, source, target, **options) == (converted, report), chunks
    assert_law(text, source, target, **options)


def assert_law(data, source, target, **options):
    """Assert that the report is empty if and only if the text converts back to the same events."""
    report = []
    converted = cogwire.convert(data, source, target, report=report, **options)
    back = cogwire.convert(converted, target, source, **options)
    given = events_of(data, source, **options)
    read = events_of(converted, target, **options)
    assert (report == []) == (events_of(back, source, **options) == given)
    assert (report == []) == (read == given)
    kinds = [event["type"] for event in read]
    assert "error" not in kinds
    assert kinds.count("execute") <= [event["type"] for event in given].count("execute")
    return converted, report


def events_of(text, dialect, **options):
    """Return the events of a transcript as they are compared: JSON as values."""
    events = cogwire.parse_transcript(text, dialect, clock=None, **options)
    for event in events:
        if event["type"] in ("call", "result"):
            event["content"] = json.loads(event["content"], parse_int=Number, parse_float=Number)
    return events


class Number(tuple):
    """A number as it is spelled."""

    __slots__ = ()


# --- The conversions of the corpus ------------------------------------------------------------


def conversions():
    """Yield the conversions that the corpus asks for, with what each becomes."""
    for path in FILES:
        for case in json.loads(path.read_text("utf-8")):
            if case["op"] == "convert":
                arguments = expanded(case["request"]), expanded(case["expect"])
                yield pytest.param(*arguments, id=case["id"])


@rows(("asked", "expected"), conversions)
@unmeasured()
def test_a_conversion_of_the_corpus_is_the_same_in_every_way(asked, expected):
    found = [(entry["offset"], entry["code"]) for entry in expected["report"]]
    check_report(asked["from"], asked["to"], asked["text"], expected["text"], found)


A = '{"name": "a", "args": {}}'
#: The call of `a` in a block, as a source may have it and as it is written.
BLOCK_A = f"<execute>[{A}]</execute>"
WRITTEN_A = f"<execute>\n[\n  {A}\n]\n</execute>"
LINES_A = f"§call: {A}\n§execute"


def item(content, tool="a", status="success"):
    return f'{{"tool": "{tool}", "status": "{status}", "content": {content}}}'


# --- Limits -----------------------------------------------------------------------------------


@rows(
    ("pair", "text", "converted", "size"),
    [
        pytest.param(
            ("delimiter", "xml-json"),
            f"§call: ‸{A}\n‸§execute\n‸§result: 1\n§respond: d",
            "d",
            len(A) + 1,
            id="a block that the target cannot hold",
        ),
        pytest.param(
            ("xml-json", "delimiter"),
            f"<execute>[‸{A}]‸</execute>",
            "",
            len(A) + 2,
            id="a block that could not be written back",
        ),
        pytest.param(
            ("delimiter", "xml-elements"),
            f"{LINES_A}\n‸§result: {'x' * 30}\n§respond: d",
            "<execute>\n  <a/>\n</execute>\n\nd",
            40,
            id="results that the target cannot hold",
        ),
        pytest.param(
            ("xml-json", "delimiter"),
            f"<execute>[{A}]</execute>‸<results>[{item(1)}]</results>d",
            f"{LINES_A}\n§respond: d",
            len(item(1)) + 2,
            id="results that could not be written back",
        ),
    ],
)
def test_limits(pair, text, converted, size):
    """They hold for whoever reads the source, the target, and the source written again."""
    codes = ["dropped"] * text.count(CARET)
    check_converted(*pair, text, converted, codes, limits=cogwire.Limits(size=size))


DEEP = "[" * 40_000 + "]" * 40_000


@rows("target", ["xml-elements", "delimiter", "hermes", "glm-4.5"])
def test_a_deep_block_is_converted_wherever_the_caller_is_on_the_stack(target):
    """On CPython 3.11 and earlier, decoding it takes as much stack as it is deep."""
    deep = "[" * 120 + "]" * 120
    text = (
        f'<execute>[{{"name": "a", "args": {{"x": {deep}}}}}]</execute>\n<results>[{{"tool": "a", '
    )
    text += f'"status": "success", "content": {deep}}}]</results>'
    expected = cogwire.convert(text, "xml-json", target)
    assert deep in expected
    for room in range(60, 180, 5):
        assert with_room(room, lambda: cogwire.convert(text, "xml-json", target)) == expected


@rows("target", DIALECTS)
@unmeasured()
def test_a_value_nested_too_deeply_to_be_decoded(target):
    """The parser counts levels; a decoder would have to recurse."""
    limits = cogwire.Limits(depth=100_000)
    text = f'§call: {{"name": "a", "args": {{"x": {DEEP}}}}}\n§execute\nx'
    written, report = in_chunks([text], "delimiter", target, limits=limits)
    assert written == cogwire.convert("x", "delimiter", target)
    assert [entry["code"] for entry in report] == ["dropped"] * 2
    text = f"{LINES_A}\n§result: {DEEP}\n§respond: x"
    written, report = in_chunks([text], "delimiter", target, limits=limits)
    assert written == cogwire.convert(f"{LINES_A}\n§respond: x", "delimiter", target)
    assert [entry["code"] for entry in report] == ["dropped"]


def test_a_string_that_a_limit_keeps_from_being_json_stays_one():
    """Whoever reads the target may have other limits."""
    text = f"{BLOCK_A}<results>[{item(json.dumps('[[[[1]]]]'))}]</results>"
    check_converted(
        "xml-json",
        "delimiter",
        text,
        f'{LINES_A}\n§result: "[[[[1]]]]"',
        limits=cogwire.Limits(depth=3),
    )


def test_results_that_a_limit_makes_others_are_left_out():
    """With so small a depth, the quotes of a text that looks like a number are read as text."""
    text, rest = "<tool_call>a</tool_call>", "<tool_response>1</tool_response>"
    report = []
    options = {"limits": cogwire.Limits(depth=1), "report": report}
    written = cogwire.convert(text + rest, "glm-4.5", "qwen3-coder", **options)
    assert "1" not in written
    assert [(each["offset"], each["code"]) for each in report] == [(len(text), "dropped")]


# --- Characters -------------------------------------------------------------------------------


def test_offsets_count_code_points():
    """The halves of a surrogate pair are one, and so are the bytes of a character."""
    for chunks in (
        ["§respond: \ud83d", "\ude00 <end>"],
        ["§respond: \U0001f600 <end>".encode()],
        singles("§respond: \U0001f600 <end>".encode()),
    ):
        written, report = in_chunks(chunks, "delimiter", "xml-json")
        assert written == "\U0001f600 &lt;end>"
        assert [entry["offset"] for entry in report] == [12]


def test_what_cannot_be_decoded_is_replaced():
    """In prose it is the text that was read; in a block it is an error."""
    assert in_chunks(["a\ud83d"], "xml-json", "delimiter") == ("§respond: a\ufffd", [])
    written, report = in_chunks([b"<execute>[\xff"], "xml-json", "delimiter")
    assert written == ""
    assert [(entry["offset"], entry["code"]) for entry in report] == [(10, "dropped")]


# --- A think that the prompt has opened ---------------------------------------------------------


@rows("source", ["xml-json", "hermes"])
def test_a_think_that_the_prompt_has_opened_is_written_with_its_opener(source):
    """In every turn; and a call that it quotes is none."""
    quoted = cogwire.render_calls([{"name": "a", "args": {}}], source)
    answer = cogwire.render_results([{"tool": "b", "status": "success", "content": "ok"}], source)
    call = cogwire.render_calls([{"name": "b", "args": {}}], source)
    text = f"Not {quoted}.</think>Hi.{call}{answer}Hm.</think>Bye."
    written = (
        f"§think: Not {quoted}.\n§respond: Hi.\n"
        '§call: {"name": "b", "args": {}}\n§execute\n§result: ok\n§think: Hm.\n§respond: Bye.'
    )
    for chunks in ([text], singles(text)):
        assert in_chunks(chunks, source, "delimiter", start="think") == (written, [])
    assert cogwire.convert(text, source, "delimiter", start="think") == written


# --- As the text arrives ----------------------------------------------------------------------


def test_a_converter_writes_what_is_known():
    """Running text goes through; what may be a marker waits, and calls wait for what runs them."""
    converter = cogwire.Converter("delimiter", "xml-json")
    assert converter.feed("§think: a") == "<think>a"
    assert converter.feed("b </thi") == "b "
    assert converter.feed("s\n§thi") == "</this"
    assert converter.feed(f"nk: c\n§call: {A}") == "</think>\n\n<think>c</think>"
    assert converter.feed("\n§respond: d\n") == ""
    assert converter.report == []
    assert converter.feed("§execute\n") == f"\n\nd\n\n{WRITTEN_A}"
    assert [entry["code"] for entry in converter.report] == ["moved"]
    assert converter.feed("§result: 1") == ""
    assert converter.close(finished=True) == f"\n\n<results>\n[\n  {item(1)}\n]\n</results>"
    assert converter.close(finished=True) == ""


@rows("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_converter_is_not_copied(copied):
    """A copy would share what it has read."""
    with pytest.raises(TypeError, match="a Converter cannot be copied; make another one"):
        copied(cogwire.Converter("xml-json", "delimiter"))


def test_the_report_is_appended_to():
    """As in the assembling of messages."""
    report = ["what was there"]
    cogwire.convert(" <end>", "delimiter", "xml-json", report=report)
    first, entry = report
    assert first == "what was there"
    assert entry.keys() == {"offset", "code", "message"}
    assert (entry["offset"], entry["code"]) == (1, "neutralised")
    assert "<end>" in entry["message"]


def test_misuse():
    """Only misuse raises."""
    converter = cogwire.Converter("xml-json", "delimiter")
    converter.feed("a")
    with pytest.raises(TypeError):
        converter.feed(b"a")
    with pytest.raises(TypeError):
        converter.feed(1)
    converter.close(finished=True)
    with pytest.raises(RuntimeError, match="close"):
        converter.feed("a")


def peak(source, target, opener, chunk):
    """Return how much memory is taken while 2 MB go through, and how many characters come out."""
    converter = cogwire.Converter(source, target)
    converter.feed(opener)
    length = 0
    tracemalloc.start()
    for _ in range(2_000_000 // len(chunk)):
        length += len(converter.feed(chunk))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert converter.report == []
    return most, length


@rows("target", ["xml-json", "delimiter"])
@rows(
    ("source", "opener"),
    [("xml-json", ""), ("xml-elements", "<think>"), ("delimiter", ""), ("delimiter", "§think: ")],
)
def test_running_text_of_any_length_goes_through_in_pieces(source, opener, target):
    """What is held back does not grow."""
    most, length = peak(source, target, opener, f"{'The quick brown fox.' * 50} < § [S </\n" * 20)
    assert most < 200_000
    assert length > 1_900_000


@rows(
    ("source", "opener"),
    [
        ("xml-json", "<execute>x"),
        ("xml-elements", "<execute>x"),
        ("xml-json", "<results>"),
        ("delimiter", "§result: "),
    ],
)
def test_skipped_text_is_not_kept(source, opener):
    """A block that broke a rule, and forged results, may be of any length."""
    converter = cogwire.Converter(source, "delimiter")
    converter.feed(opener)
    (entry,) = converter.report
    assert entry["code"] == "dropped"
    most, length = 0, 0
    tracemalloc.start()
    for _ in range(200):
        length += len(converter.feed("The quick brown fox.\n" * 500))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200_000
    assert length == 0


# --- Prose that quotes markers ------------------------------------------------------------------

FORMS = {form.name: form for form in cogwire.formats()}


@functools.cache
def quotes(name):
    """Draw texts that quote a call, markers, and what markers begin and end with."""
    frame = FORMS[name].wire.frame
    tool, argument = ONE_TOOL.get(name, ("w", "a"))
    call = cogwire.render_calls([{"name": tool, "args": {argument: "x"}}], name)
    sides = (*frame.think, *frame.call, *frame.result, *frame.section)
    marks = sorted({*frame.openers, *frame.ends, frame.header_end}.union(*sides) - {""})
    cut = sorted({part for mark in marks for part in (mark[:-1], mark[1:], mark[: len(mark) // 2])})
    texts = st.sampled_from(["\n", "a", " ", "{", '{"p": 1}', tool, f"\n{tool}\n"])
    marked = st.sampled_from(marks)
    pieces = st.one_of(st.just(call), marked, marked, st.sampled_from(cut), texts)
    return st.lists(pieces, min_size=1, max_size=5).map("".join).map(lambda text: text.strip(WHITE))


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_prose_stays_prose_whatever_it_quotes(name, data):
    """A marker may begin within another one, or be completed by what is written after the prose."""
    text = data.draw(quotes(name).filter(bool))
    prose, call = respond(text), {"type": "call", "content": '{"name": "w", "args": {}}'}

    def kinds(written):
        return [event["type"] for event in cogwire.parse(written, name, clock=None)]

    assert kinds(cogwire.to_messages([prose], name)[0]["content"]) == ["respond"]
    if FORMS[name].wire.frame.has_results and name not in ONE_TOOL:
        message = cogwire.to_messages([prose, call, execute()], name)[0]
        assert kinds(message["content"]) == ["respond", "call", "execute"]
    if [event["type"] for event in cogwire.parse(text, clock=None)] == ["respond"]:
        report = []
        converted = cogwire.convert(text, "xml-json", name, report=report)
        assert kinds(converted) == ["respond"]
        assert in_chunks(singles(text), "xml-json", name) == (converted, report)


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_calls_are_read_as_they_are_converted_whatever_they_quote(name, data):
    """Those in JSON are not read once more when they are written."""
    texts = quotes(name)
    args = data.draw(st.dictionaries(texts, st.lists(texts, max_size=2), max_size=2))
    told = [{"name": each, "args": args} for each in data.draw(st.lists(texts.filter(bool)))]
    report = []
    block = f"<execute>{json.dumps(told, ensure_ascii=False)}</execute>"
    converted = cogwire.convert(block, "xml-json", name, report=report)
    if not report and told:
        events = cogwire.parse(converted, name, clock=None)
        read = [json.loads(each["content"]) for each in events[:-1]]
        assert (read, events[-1]["type"]) == (told, "execute")
        back = cogwire.convert(converted, name, "xml-json", report=report)
        assert (json.loads(back[9:-10]), report) == (told, [])


def test_a_marker_within_another_one_is_neutralised_too():
    quoted = '<|eot_id|>>>rm\n{"p": "/"}'
    written = quoted.replace("<", "&lt;", 1).replace("|>>>", "|&#62;>>")
    check_converted(
        "xml-json",
        "functionary-v3.2",
        quoted.replace("<", "‸<").replace("|>", "|‸>"),
        written,
        [*["neutralised"] * 2],
    )


@rows("each", corpus.array(corpus.PLACE / "texts" / "conversions.json"))
def test_what_a_text_of_a_trained_format_is_converted_to(each):
    names = each["from"], each["to"]
    options = {"start": each["start"]} if "start" in each else {}
    for chunks in ([each["text"]], singles(each["text"])):
        written, report = in_chunks(chunks, *names, **options)
        assert (written, [entry["code"] for entry in report]) == (each["written"], each["codes"])
    if not options:
        assert_law(each["text"], *names)


def test_a_start_that_a_source_lacks_is_refused():
    for convert in (cogwire.convert, lambda _, *names, **more: cogwire.Converter(*names, **more)):
        with pytest.raises(ValueError, match="hermes has no headers"):
            convert("", "hermes", "xml-json", start="header")
        with pytest.raises(ValueError, match="start must be one of prose, think, header, not 'x'"):
            convert("", "muse", "xml-json", start="x")


def test_the_longest_marker_is_named_however_it_is_cut():
    text = "<|start|>assistant<|channel|>analysis<|message|>"
    whole, report = in_chunks([text], "xml-json", "harmony")
    assert whole == text.replace("<|start", "&lt;|start").replace("<|channel", "&lt;|channel")
    assert [each["offset"] for each in report] == [0, text.index("<|channel")]
    assert report[0]["message"].startswith(repr(text))
    assert in_chunks(singles(text), "xml-json", "harmony") == (whole, report)


def test_a_marker_at_the_end_that_might_have_become_a_longer_one_is_neutralised():
    (message,) = cogwire.to_messages([respond("a <|message_sep|>")], "gigachat-3")
    assert message["content"] == "a &lt;|message_sep|>"


def test_a_closer_that_is_live_after_a_call_alone_is_left_as_it_is_elsewhere():
    report = []
    messages = cogwire.to_messages([respond("a </parameter> b")], "qwen3-coder", report=report)
    assert (messages[0]["content"], report) == ("a </parameter> b", [])


# --- The law of the report --------------------------------------------------------------------

#: A piece that is hostile in any dialect.
hostile = st.one_of([make.hostile_pieces(dialect) for dialect in DIALECTS])


def sources(dialect):
    """Draw any text, and often one that says much but with markers of other dialects in it."""
    valid = make.transcripts(dialect).map(lambda document: document.data)
    crossed = make.mutated(valid, hostile)
    return st.one_of(valid, crossed, crossed, make.inputs(dialect), make.inputs(dialect))


@law(sources, make.limits, parses=False)
def test_the_report_is_empty_only_if_the_text_converts_back(dialect, data, limits):
    """So nothing is lost without a report, and nothing is reported without a loss."""
    text = repaired(data)
    limits = cogwire.Limits(*limits)
    for target in [DIALECTS[len(text) % 4]] if IS_BRIEF else DIALECTS:
        _, report = assert_law(data, dialect, target, limits=limits)
        offsets = [entry["offset"] for entry in report]
        assert offsets == sorted(offsets)
        for entry in report:
            assert entry["message"]
            assert 0 <= entry["offset"] <= len(text)
            if entry["code"] == "neutralised":
                assert text[entry["offset"]] in "<§["


@law(
    lambda dialect: chunked(sources(dialect)), st.sampled_from(DIALECTS), make.limits, parses=False
)
def test_cuts_change_nothing(dialect, feed, target, limits):
    """Whole, one by one, and cut anywhere: the same text, and the same report."""
    data, chunks = feed
    limits = cogwire.Limits(*limits)
    report = []
    written = cogwire.convert(data, dialect, target, report=report, limits=limits)
    assert in_chunks(chunks, dialect, target, limits=limits) == (written, report)
    assert in_chunks(singles(data), dialect, target, limits=limits) == (written, report)


@rows("target", DIALECTS)
def test_a_batch_that_was_never_executed_leaves_the_next_turn_alone(target):
    """Its calls are left out; those of the next turn run."""
    text = '§call: {"name": "a"}\n§end\n§call: {"name": "b"}\n§execute'
    report = []
    converted = cogwire.convert(text, "delimiter", target, report=report)
    kinds = [event["type"] for event in events_of(converted, target)]
    assert kinds[-2:] == ["call", "execute"]
    assert [entry["offset"] for entry in report if entry["code"] == "dropped"][:1] == [7]


def test_calls_whose_results_cannot_be_written_are_left_out():
    """Otherwise the calls of several turns would run as one batch."""
    first, second = (
        f'<tool_call>‸{{"name": "{name}", "arguments": {{}}}}</tool_call>'
        "‸‸<tool_response>1</tool_response>"
        for name in "ac"
    )
    text, places = marked(f"{first}b{second}‸d")
    codes = [*["dropped"] * 6, "joined"]
    for chunks in ([text], singles(text)):
        written, report = in_chunks(chunks, "hermes", "kimi-k2")
        assert written == "b\nd"
        found = [(entry["offset"], entry["code"]) for entry in report]
        assert found == list(zip(places, codes, strict=True))


BLOCK = '<execute>\n[\n  {"name": "w", "args": {}}\n]\n</execute>'
HEADER = "<|start|>assistant<|channel|>"


def without_results():
    """Yield formats, and texts of two turns with calls or of one, and an answer after them."""
    for form in cogwire.formats():
        if not form.wire.frame.has_results and (ends := form.wire.frame.ends):
            turn = cogwire.render_calls([{"name": "w", "args": {}}], form).removesuffix(ends[0])
            text = 2 * (turn + ends[0]) + "Done."
            yield pytest.param(form, text, f"{BLOCK}\n\n{BLOCK}\n\nDone.", id=form.name)
    call = f"{HEADER}commentary to=functions.w <|constrain|>json<|message|>{{}}<|call|>"
    text = f"{call}{HEADER}analysis<|message|>Hm.<|end|>{HEADER}final<|message|>Done.<|return|>"
    written = f"{BLOCK}\n\n<think>Hm.</think>\n\nDone.\n\n<end>"
    yield pytest.param("harmony", text, written, id="a think")


@rows("form, text, written", list(without_results()))
def test_where_there_are_no_results_what_follows_a_turn_begins_the_next(form, text, written):
    for chunks in ([text], singles(text)):
        assert in_chunks(chunks, form, "xml-json") == (written, [])


def test_text_after_the_last_call_is_before_it_where_a_call_ends_the_turn():
    described = {
        "name": "ending",
        "call": ["<c>", ["<stop>", "</c>"]],
        "payload": {"kind": "object"},
        "result": ["<r>", "</r>"],
        "ends": ["<stop>"],
    }
    target = cogwire.Format.from_json(described)
    calls = ['{"name": "a", "arguments": {}}', '{"name": "b", "arguments": {}}']
    first, second = (f"<tool_call>{each}</tool_call>" for each in calls)
    check_converted(
        "hermes",
        target,
        f"{first}{second}‸d<tool_response>1</tool_response><tool_response>2</tool_response>e",
        f"<c>{calls[0]}</c>\nd\n<c>{calls[1]}<stop>\n<r>1</r>\n<r>2</r>\ne",
        ["moved"],
    )


def test_a_marker_at_the_end_of_prose_is_reported_at_its_place():
    """Not where the white space ends that is after it."""
    check_converted("xml-json", "delimiter", "‸§end \n", "§respond: &sect;end", ["neutralised"])


def test_a_result_that_loses_a_member_keeps_the_order_of_the_others():
    item = '{"id": 1, "content": "no", "status": "failure", "tool": "a"}'
    text = f'<execute>[{{"name":"a","args":{{}}}}]</execute><results>[{item}]</results>'
    converted = cogwire.convert(text, "xml-json", "delimiter")
    assert converted.endswith('§result: {"content": "no", "status": "failure", "tool": "a"}')


@rows(
    "call, target, message",
    [
        ({"args": {"n": 1, "b": [True]}}, "xml-elements", "/args/b, /args/n written as text"),
        ({"args": {}, "x": 1, "y": 2}, "hermes", "there is no place for /x, /y"),
    ],
)
def test_the_report_names_every_place_in_a_call(call, target, message):
    report = []
    text = f"<execute>{json.dumps([{'name': 'a', **call}])}</execute>"
    cogwire.convert(text, "xml-json", target, report=report)
    assert [entry["message"] for entry in report] == [message]


def test_a_result_that_would_make_a_longer_marker_is_written_as_json():
    """So its calls are written without args and read back with it, in both dialects."""
    form = cogwire.Format.from_json(
        {
            "name": "own",
            "call": ["<c>", "</c>"],
            "payload": {"kind": "object"},
            "result": ["<r>", "</r>"],
            "ends": ["<r>x"],
        }
    )
    text = (
        '<execute>[{"name": "a", "args": {}}]</execute>'
        '<results>[{"tool": "a", "status": "success", "content": "x"}]</results>b'
    )
    written = '<c>{"name": "a", "arguments": {}}</c>\n<r>"x"</r>\nb'
    assert cogwire.convert(text, "xml-json", form) == written
