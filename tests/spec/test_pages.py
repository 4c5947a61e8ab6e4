"""The spec pages: their examples run, and their clauses, codes and links are valid."""

import json
import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import get_args

from cogwire import events
from cogwire.wire.dialects import dialect_names, format_names
from cogwire_kit import adapter
from tests import cogwire, oracle
from tests.oracle import exchanges as oracle_exchanges
from tests.oracle.detecting import AMBIGUOUS, PROSE
from tests.oracle.messages import messages as oracle_messages
from tests.oracle.stored import read as oracle_read
from tests.rows import rows
from tests.schemas import faults

SPEC = Path(__file__).parents[2] / "spec"
PAGES = sorted(SPEC.glob("*.md"))
#: The site's first page shows an example as well.
HOME = SPEC.parent / "website" / "home.md"

FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
BYTE = re.compile(rb"\\x([0-9A-F]{2})")
#: The last line of a clause: its id and its level.
CLAUSE = re.compile(r"^\{: *(?P<attributes>.*?) *\}$", re.MULTILINE)
CLAUSE_ID = re.compile(r"(?:m|xj|xe|dl|tr|fd|conv|res|b|msg|val|err|ad|prompt|cf)(?:-[a-z0-9]+)+")
HEADING = re.compile(r"^#+ +(?P<title>.*?)(?: +\{ *#(?P<id>[\w-]+) *\})?$", re.MULTILINE)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
INLINE_CODE = re.compile(r"`[^`\n]+`")

#: The words of RFC 2119 of each level; a clause has the first level of which it has a word.
WORDS = {
    "must": re.compile(r"\b(?:MUST|SHALL|REQUIRED)\b"),
    "should": re.compile(r"\b(?:SHOULD|RECOMMENDED)\b"),
    "may": re.compile(r"\b(?:MAY|OPTIONAL)\b"),
}
KEY_WORD = re.compile("|".join(pattern.pattern for pattern in WORDS.values()))


@dataclass(frozen=True)
class Example:
    """A block of wire text, and the events that the page says it gives."""

    place: str
    words: list[str]
    text: str
    events: list[dict]


@dataclass(frozen=True)
class Clause:
    """A paragraph with an id."""

    place: str
    attributes: list[str]
    paragraph: str


def without_fences(page):
    """Return the page with its fenced blocks emptied, line numbers kept."""
    return FENCE.sub(lambda block: "\n" * block.group().count("\n"), page)


def place_of(path, page, offset):
    return f"{path.name}:{page.count(chr(10), 0, offset) + 1}"


def fences():
    """Yield (place, info words, body, the block that directly follows) of every fenced block."""
    for path in [*PAGES, HOME]:
        page = path.read_text(encoding="utf-8")
        blocks = list(FENCE.finditer(page))
        for block, following in zip_longest(blocks, blocks[1:]):
            adjacent = following and not page[block.end() : following.start()].strip()
            words = block["info"].split()
            yield place_of(path, page, block.start()), words, block["body"], adjacent and following


def examples():
    for place, words, body, following in fences():
        if words[:1] == ["wire"] and following and following["info"] == "events":
            events = [json.loads(line) for line in following["body"].splitlines()]
            yield Example(place, words[1:], body.removesuffix("\n"), events)


def clauses():
    for path in PAGES:
        page = without_fences(path.read_text(encoding="utf-8"))
        for attributes in CLAUSE.finditer(page):
            paragraph = page[: attributes.start()].rsplit("\n\n", 1)[-1]
            place = place_of(path, page, attributes.start())
            yield Clause(place, attributes["attributes"].split(), paragraph)


def slug(title):
    """Return the id that a heading is given for its title."""
    kept = re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


def anchors(path):
    page = without_fences(path.read_text(encoding="utf-8"))
    headings = {heading["id"] or slug(heading["title"]) for heading in HEADING.finditer(page)}
    return headings | set(re.findall(r"\{:[^}]*#([\w-]+)", page))


def links():
    """Yield (place, page, target) of every link in a page to another file of the repository."""
    folders = ("spec", "conformance", "examples", "fuzz", "website/guides")
    found = (path for folder in folders for path in (SPEC.parent / folder).rglob("*.md"))
    # What is fetched for adapters is in hidden folders.
    hidden = re.compile(r"[/]\.")
    pages = (path for path in found if not hidden.search(str(path.relative_to(SPEC.parent))))
    for path in (*SPEC.parent.glob("*.md"), *pages):
        page = INLINE_CODE.sub("", without_fences(path.read_text(encoding="utf-8")))
        for link in LINK.finditer(page):
            if not link["target"].startswith(("http:", "https:")):
                yield place_of(path, page, link.start()), path, link["target"]


def is_in(anchor, path):
    """Whether a page has this anchor, or a source defines what is called so."""
    if path.suffix == ".md":
        return anchor in anchors(path)
    name = anchor.rpartition(".")[2]
    return re.search(rf"(def|class) {name}\b|^{name} = ", path.read_text("utf-8"), re.MULTILINE)


def parsed(example):
    """Return the events of an example, with the options in its info string."""
    options = {"clock": None}
    limits = {}
    text, parse = example.text, cogwire.parse
    for word in example.words:
        name, _, number = word.partition("=")
        if word in (*dialect_names(), *format_names()):
            options["dialect"] = word
        elif number:
            limits[name] = int(number)
        elif word == "transcript":
            parse = cogwire.parse_transcript
        elif word == "bytes":
            text = BYTE.sub(lambda escape: bytes.fromhex(escape[1].decode()), text.encode())
        elif word == "raw":
            options["raw"] = True
        elif word == "spans":
            options["spans"] = True
        elif word == "sealed":
            options["calls"] = "sealed"
        elif word == "think":
            options["start"] = "think"
        else:
            raise AssertionError(f"{example.place}: unknown word {word!r} in an info string")
    events = parse(text, limits=cogwire.Limits(**limits), **options)
    return [without_message(event) for event in events]


def without_message(event):
    if event["type"] != "error":
        return event
    return {name: value for name, value in event.items() if name != "content"}


@rows("example", list(examples()))
def test_an_example_produces_its_events(example):
    assert parsed(example) == example.events


#: The pages with a table of paths: the dialect, and what is before each text of the table.
TABLES = {
    "errors.md": ("xml-json", "<execute>"),
    "xml-elements.md": ("xml-elements", "<execute>"),
    "delimiter.md": ("delimiter", ""),
}


def paths():
    """Yield (dialect, text, code, path) of each row of the tables of paths."""
    row = re.compile(r"^\| `(.+)` \| `([a-z-]+)` \| (?:`(.+)`|none) \|$", re.MULTILINE)
    for name, (dialect, before) in TABLES.items():
        for text, code, path in row.findall((SPEC / name).read_text(encoding="utf-8")):
            yield dialect, before + text, code, path


@rows("dialect, text, code, path", list(paths()))
def test_an_incomplete_text_has_its_code_and_path(dialect, text, code, path):
    events = cogwire.parse(text, dialect, clock=None)
    (error,) = [event for event in events if event["type"] == "error"]
    assert (error["code"], error.get("path", "")) == (code, path)
    assert error["offset"] == len(text) - 1


def texts_of_elements():
    """Return (text, schema, value or code) of each row of the table of converted texts."""
    page = (SPEC / "validation.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([^`]+)` \| `(\{[^`]*\})` \| `([^`]+)` \|$", page, re.MULTILINE)


@rows("text, schema, gives", texts_of_elements())
def test_the_text_of_an_element_has_the_type_that_its_schema_declares(text, schema, gives):
    parameters = {"type": "object", "properties": {"a": json.loads(schema)}}
    toolset = cogwire.Toolset([{"name": "t", "parameters": parameters}], "xml-elements")
    checked = toolset.check({"name": "t", "args": {"a": text}})
    if gives == "bad-type":
        assert [(found["code"], found["path"]) for found in checked.problems] == [(gives, "/a")]
        assert checked.args == {"a": text}
    else:
        assert checked.problems == []
        assert json.dumps(checked.args) == json.dumps({"a": json.loads(gives)})


def conversions():
    """Yield (place, from, to, source, text, report) of each conversion that is shown."""
    texts = []
    for place, words, body, _ in fences():
        if words[:2] in (["text", "from"], ["text", "to"]):
            texts += words[2], body.removesuffix("\n")
        elif words == ["json", "report"] and texts:
            source_dialect, source, dialect, text = texts
            yield place, source_dialect, dialect, source, text, json.loads(body)
            texts = []


@rows("conversion", list(conversions()))
def test_a_conversion_has_its_text_and_its_report(conversion):
    _, source_dialect, dialect, source, text, report = conversion
    members = {"from": source_dialect, "to": dialect, "text": source}
    check_reply(
        {"id": "1", "op": "convert", **members}, {"id": "1", "text": text, "report": report}
    )
    assert oracle.converting.convert(source, source_dialect, dialect) == (text, report)


def histories():
    """Yield (kind, dialect, events, outcome, report) of each history that is shown."""
    blocks = [
        (words[1:2], (*words[2:], "xml-json")[0], [json.loads(line) for line in body.splitlines()])
        for place, words, body, _ in fences()
        if place.startswith(("introduction.md", "messages.md"))
        if words[:1] == ["json"] and words[1:2] in KINDS
    ]
    for given, (made, _, expected), (more, _, report) in zip_longest(
        blocks, blocks[1:], blocks[2:], fillvalue=([""], "", [])
    ):
        kind, dialect, lines = given
        if kind in (["events"], ["stored"]):
            yield made[0], dialect, lines, expected, report if more == ["report"] else []


#: The words after `json` of what is shown of a history.
KINDS = [["events"], ["stored"], ["messages"], ["turns"], ["read"], ["report"]]


@rows("kind, dialect, history, expected, report", list(histories()))
def test_a_history_makes_its_messages(kind, dialect, history, expected, report):
    """Or the exchanges, or the events that are read of what an older version stored."""
    if kind == "turns":
        assert cogwire.exchanges(history) == oracle_exchanges.exchanges(history) == expected
    elif kind == "read":
        assert cogwire.read_events(history) == expected
        assert [placed.event for placed in oracle_read(history)] == expected
    else:
        changes = []
        assert cogwire.to_messages(history, dialect, report=changes) == expected
        assert [[change["index"], change["code"]] for change in changes] == report
        made, changes = oracle_messages(history, None, dialect)
        assert made == expected
        assert [[change["index"], change["code"]] for change in changes] == report


def test_each_kind_of_history_is_shown():
    assert {kind for kind, *_ in histories()} == {"messages", "turns", "read"}


CONVERT = (SPEC / "convert.md").read_text("utf-8")
SPANS = re.findall(
    r"^```text spans (\S+)\n(.*?)^```\n+^```json spans\n(.*?)^```",
    CONVERT,
    re.MULTILINE | re.DOTALL,
)
DETECTED = re.findall(
    r"^\| `([^|]+)` \| (none|`[\w-]+`|ambiguous).* \|$",
    CONVERT.partition("## Detection")[2],
    re.MULTILINE,
)


@rows("dialect, text, expected", SPANS)
def test_a_text_has_the_spans_that_are_shown(dialect, text, expected):
    text = text.removesuffix("\n")
    for found in (cogwire.spans(text, dialect), oracle.spanning.spans(text, dialect)):
        shown = [[*piece[:3], text[piece[3] : piece[4]]] for piece in found]
        assert shown == json.loads(expected)


@rows("text, told", DETECTED)
def test_a_text_has_the_dialect_of_the_table(text, told):
    expected = {"none": PROSE}.get(told, told.strip("`"))
    assert oracle.detect(text) == expected
    detected = cogwire.detect(text)
    assert {0: PROSE, 1: detected.dialect}.get(len(detected.candidates), AMBIGUOUS) == expected


def test_the_examples_of_the_page_on_conversion_are_read():
    assert (len(SPANS), len(DETECTED)) == (2, 12)
    assert len([place for place, *_ in conversions() if place.startswith("convert.md")]) > 8


def exchanges():
    """Yield each request of the adapter protocol with the reply that directly follows."""
    for place, words, body, following in fences():
        is_request = words == ["json", "request"] or (
            place.startswith("adapter.md") and words == ["json"]
        )
        if is_request and following:
            yield json.loads(body), json.loads(following["body"])


@rows("exchange", list(exchanges()))
def test_the_adapter_answers_as_its_page_shows(exchange):
    """An op that `hello` does not list is answered with `unsupported`."""
    check_reply(*exchange)


def check_reply(request, expected):
    reply = answer(request)
    if request["op"] in ["hello", *answer({"id": "0", "op": "hello", "protocol": 1})["ops"]]:
        assert blurred(reply) == blurred(expected)
    else:
        assert reply.keys() == {"id", "unsupported"}


def answer(request):
    return json.loads(adapter.answer(json.dumps(request).encode()))


def blurred(value):
    """Return `value` without the wording, numbers and abilities that implementations choose."""
    if isinstance(value, dict):
        free = ("message", "version", "ops", "formats")
        return {name: blurred(member) for name, member in value.items() if name not in free}
    return [blurred(element) for element in value] if isinstance(value, list) else value


def test_the_events_of_the_examples_fit_their_schema():
    for example in examples():
        for event in example.events:
            message = {"content": "…"} if event["type"] == "error" else {}
            assert list(faults("event", event | message)) == []


@rows("exchange", list(exchanges()))
def test_the_exchanges_of_the_adapter_fit_their_schemas(exchange):
    request, reply = exchange
    assert list(faults("adapter-request", request)) == []
    assert list(faults("adapter-reply", reply)) == []


def test_wire_text_and_events_are_in_pairs():
    """Otherwise an example is not run, or shows events without a text."""
    kinds = [words[:1] for _, words, _, _ in fences()]
    assert kinds.count(["wire"]) == kinds.count(["events"]) == len(list(examples()))


@rows("clause", list(clauses()))
def test_a_clause_has_an_id_and_the_level_of_its_words(clause):
    identity, *classes = clause.attributes
    assert identity.startswith("#")
    assert CLAUSE_ID.fullmatch(identity[1:])
    spoken = [level for level, words in WORDS.items() if words.search(clause.paragraph)]
    assert classes == [f".{level}" for level in spoken[:1]], clause.paragraph


def test_clause_ids_are_unique():
    identities = [clause.attributes[0] for clause in clauses()]
    assert sorted(set(identities)) == sorted(identities)


@rows("path", PAGES)
def test_an_anchor_is_unique_on_its_page(path):
    page = without_fences(path.read_text(encoding="utf-8"))
    names = [heading["id"] or slug(heading["title"]) for heading in HEADING.finditer(page)]
    names += re.findall(r"\{:[^}]*#([\w-]+)", page)
    assert sorted(set(names)) == sorted(names)


@rows("path", PAGES)
def test_words_of_requirement_appear_only_in_clauses(path):
    """The page that explains the words quotes them."""
    page = without_fences(path.read_text(encoding="utf-8"))
    loose = [
        paragraph
        for paragraph in re.split(r"\n{2,}", page)
        if KEY_WORD.search(INLINE_CODE.sub("", re.sub(r'"[A-Z ]+"', "", paragraph)))
        and not CLAUSE.search(paragraph)
    ]
    assert loose == []


def test_the_history_lists_every_decision():
    marks = sum(
        without_fences(path.read_text(encoding="utf-8")).count("Decision:")
        for path in PAGES
        if path.name not in {"index.md", "history.md"}
    )
    history = (SPEC / "history.md").read_text(encoding="utf-8")
    table = history[history.index("{ #decisions }") :].split("\n\n| ", 1)[1].split("\n\n")[0]
    assert len(table.splitlines()) - 2 == marks


def test_every_error_code_has_its_heading():
    page = without_fences((SPEC / "errors.md").read_text(encoding="utf-8"))
    headings = [
        (heading["id"], heading["title"])
        for heading in HEADING.finditer(page)
        if (heading["id"] or "").startswith("err-")
    ]
    codes = get_args(events.Code)
    assert headings == [(f"err-{code}", f"`{code}`") for code in codes]


def test_every_link_leads_somewhere():
    broken = []
    for place, page, target in links():
        name, _, anchor = target.partition("#")
        goal = page.parent / name if name else page
        if not goal.exists() or (anchor and not is_in(anchor, goal)):
            broken.append(f"{place}: {target}")
    assert broken == []


def test_the_nav_contains_every_page():
    nav = (SPEC.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert sorted(re.findall(r"spec/(\S+\.md)$", nav, re.MULTILINE)) == [
        path.name for path in PAGES
    ]


def test_what_contradicts_a_clause_names_it():
    path = SPEC.parent / "examples" / "cogency" / "contradictions.json"
    for why in json.loads(path.read_text(encoding="utf-8")).values():
        page, _, anchor = why["clause"].partition("#")
        assert anchor in anchors(SPEC / page), why
