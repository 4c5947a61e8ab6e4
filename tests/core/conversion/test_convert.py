"""Converting transcripts: what is written, what is reported and where, and the law of the report."""

import copy
import functools
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
    DIALECTS,
    IS_BRIEF,
    ONE_TOOL,
    WHITE,
    execute,
    form_of,
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


def in_chunks(chunks, source, target, **options):
    """Convert piece by piece; return the text, and the report."""
    converter = cogwire.Converter(source, target, **options)
    written = "".join([converter.feed(chunk) for chunk in chunks]) + converter.close(finished=True)
    assert converter.close(finished=True) == ""
    return written, converter.report


def check_converted(source, target, text, expected, **options):
    """Assert in every way what `text` becomes, and what is reported of it."""
    report = []
    assert cogwire.convert(text, source, target, report=report, **options) == expected["written"]
    for member in ("code", "offset", "message"):
        found = [entry[member] for entry in report]
        assert found == expected.get(f"{member}s", found)
    assert all(entry["message"] for entry in report)
    data = text.encode()
    step = 1 + len(text) // (10 if IS_BRIEF else 100)
    ways = [singles(text), [data], singles(data)]
    ways += [split(text, cut) for cut in range(1, len(text), step)]
    with unmeasured():
        for chunks in ways:
            assert in_chunks(chunks, source, target, **options) == (expected["written"], report)
    has_transcripts = all(
        cogwire.tooling.notation(name).mode == "transcript" for name in (source, target)
    )
    if has_transcripts and "start" not in options:
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
    found = {
        f"{member}s": [each[member] for each in expected["report"]] for member in ("code", "offset")
    }
    found["written"] = expected["text"]
    check_converted(asked["from"], asked["to"], asked["text"], found)


@rows("each", corpus.array(corpus.PLACE / "texts" / "conversions.json"))
def test_what_a_text_is_converted_to(each):
    """Beside the cases of the corpus: in formats that are known or described, and with limits."""
    names = [form_of(each[name]) for name in ("from", "to")]
    options = {"start": each["start"]} if "start" in each else {}
    options["limits"] = cogwire.Limits(**each.get("limits", {}))
    check_converted(*names, each["text"], each, **options)


A = '{"name": "a", "args": {}}'
#: The call of `a` in a block, as a source may have it and as it is written.
BLOCK_A = f"<execute>[{A}]</execute>"
WRITTEN_A = f"<execute>\n[\n  {A}\n]\n</execute>"
LINES_A = f"§call: {A}\n§execute"


def item(content, tool="a", status="success"):
    return f'{{"tool": "{tool}", "status": "{status}", "content": {content}}}'


# --- Limits -----------------------------------------------------------------------------------


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


def peak(source, target, opener, chunk, codes=()):
    """Return how much memory is taken while 2 MB go through, and how many characters come out."""
    converter = cogwire.Converter(source, target)
    converter.feed(opener)
    assert [entry["code"] for entry in converter.report] == [*codes]
    length = 0
    tracemalloc.start()
    for _ in range(2_000_000 // len(chunk)):
        length += len(converter.feed(chunk))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(converter.report) == len(codes)
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
    text = "The quick brown fox.\n" * 500
    most, length = peak(source, "delimiter", opener, text, ["dropped"])
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


def test_a_format_in_which_no_tool_can_be_called_a_is_written():
    header = {"open": ["<h>"], "close": "aa", "think": ["t"], "prose": ["p"], "call": ""}
    payload = {"kind": "arguments", "head": ["<h>{name}aa"]}
    rest = {"call": ["", ""], "ends": ["<e>"]}
    form = cogwire.Format.from_json({"name": "x", **rest, "payload": payload, "header": header})
    block = '<execute>[{"name": "run", "args": {}}]</execute>'
    assert cogwire.convert(block, "xml-json", form) == "<h>runaa{}"
    payload = {"kind": "text", "tool": "run", "arg": "x"}
    form = cogwire.Format.from_json({"name": "x", "call": ["<think>!", "</c>"], "payload": payload})
    call = '<tool_call>\n{"name": "run", "arguments": {"x": "1"}}\n</tool_call>\n'
    converted = cogwire.convert(f"{call}<think>!y</think>", "hermes", form)
    assert converted == "<think>!1</c>\n<think>&#33;y</think>"


def test_a_start_that_a_source_lacks_is_refused():
    for convert in (cogwire.convert, lambda _, *names, **more: cogwire.Converter(*names, **more)):
        with pytest.raises(ValueError, match="hermes has no headers"):
            convert("", "hermes", "xml-json", start="header")
        with pytest.raises(ValueError, match="start must be one of prose, think, header, not 'x'"):
            convert("", "muse", "xml-json", start="x")


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
