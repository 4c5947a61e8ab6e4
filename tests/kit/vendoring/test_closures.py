"""Each closure, copied alone under another name, is what its use imports, and says what it lacks."""

import filecmp
import json
import os
import sys
from pathlib import Path

import pytest

import cogwire
from cogwire_kit.vendoring import copies, rooms
from tests.processes import ran

#: A turn, and a transcript, in each dialect.
TEXTS = """
TAGS = '<think>a</think>Hi.<execute>[{"name": "ls", "args": {"a": "é"}}]</execute>'
RESULTS = '<results>[{"tool": "ls", "status": "success", "content": 1}]</results>ok<end>'
ELEMENTS = '<execute><ls><a>1</a></ls></execute>'
LINES = '§think: a\\n§call: {"name": "ls", "args": {}}\\n§execute\\n'
"""

PARSE = """
for cut in (1, 7):
    for stream in ("event", "token"):
        parser = wire.Parser(stream=stream, raw=True, limits=wire.Limits(calls=2))
        text = TAGS.encode()
        for at in range(0, len(text), cut):
            parser.feed(text[at:at + cut])
        wire.Parser.restore(parser.snapshot()).close(finished=True)
kinds = [event["type"] for event in wire.parse(TAGS, calls="sealed")]
assert kinds == ["think", "respond", "call", "execute"], kinds
kinds = [event["type"] for event in wire.parse(TAGS, stream="token", call_deltas=True)]
assert kinds == ["think", "respond", "call_delta", "call", "execute"], kinds
kinds = [event["type"] for event in wire.parse_transcript(TAGS + RESULTS)]
assert kinds[4:] == ["result", "respond", "end"], kinds
assert [event["type"] for event in wire.iter_events([TAGS])][:1] == ["think"]
assert wire.parse("<execute>[{]</execute>")[0]["type"] == "error"
[wire.persisted(event) for event in wire.parse(TAGS)]

async def chunks():
    yield TAGS

async def awaited():
    return [event async for event in wire.aiter_events(chunks(), wire.Parser())]

try:
    awaited().send(None)
except StopIteration as end:
    assert end.value[0]["type"] == "think"
assert wire.Event
assert wire.start_of("<think>", "xml-json") == "think"
"""

DIALECTS = """
options = {"dialect": "xml-elements", "stream": "token", "call_deltas": True}
kinds = [event["type"] for event in wire.parse(ELEMENTS, **options)]
assert kinds == ["call_delta", "call", "execute"], kinds
for text, dialect in ((LINES, "delimiter"), (LINES.upper().replace("NAME", "name")
        .replace("ARGS", "args"), "delimiter-upper")):
    kinds = [event["type"] for event in wire.parse(text, dialect=dialect)]
    assert kinds == ["think", "call", "execute"], kinds
    parser = wire.Parser(dialect, mode="transcript")
    parser.feed(text + "§result: 1\\n")
    assert wire.Parser.restore(parser.snapshot()).close(finished=True)[0]["type"] == "result"
"""

AGENT = """
class Tools:
    tools = ()

for dialect in ("xml-json", "xml-elements", "delimiter", "delimiter-upper"):
    call = wire.render_calls([{"name": "ls", "args": {"a": "1"}}], dialect)
    batch = wire.Batch(dialect)
    for event in (events := wire.parse(call, dialect=dialect)):
        batch.take(event)
    (answer,) = batch.settle(0, "success", "1")
    history = wire.read_events([{"type": "user", "content": "go"}, *events, answer])
    messages = wire.to_messages(history, dialect, system=wire.render_prompt(Tools(), dialect))
    assert wire.from_messages(messages, dialect)
    assert wire.exchanges(history, dialect)
    assert wire.parse_transcript(wire.render_events(events, dialect), dialect=dialect)
    wire.render_results([{"tool": "a", "status": "failure", "content": "<end>"}], dialect)
    assembler = wire.Assembler(dialect, system="s")
    for event in history:
        assembler.take(event)
    assert assembler.messages and not assembler.report
assert "<end>" not in wire.neutralise("<end>", "xml-json", ["<s>"])
try:
    wire.render_calls([{}])
except wire.RenderError as refused:
    assert str(refused)
"""

#: How a batch runs, which needs the event loop.
AIO = """
import asyncio
from host._vendor.wire import aio

batch = wire.Batch()
for event in wire.parse(TAGS):
    batch.take(event)
answer = asyncio.run(aio.run(batch, {"ls": lambda a: a}))
assert answer["payload"]["success_count"] == 1, answer
"""

ALL = """
def ls(a: str) -> str:
    "List a folder."

toolset = wire.Toolset([ls])
assert toolset.check({"name": "ls", "args": {"a": 1}}).problems
assert wire.render_prompt(toolset)
assert wire.detect(TAGS).dialect == "xml-json"
assert wire.spans(TAGS)[0].kind == "marker"
assert "§" in wire.convert(TAGS, "xml-json", "delimiter")
converter = wire.Converter("xml-json", "delimiter")
assert "§" in converter.feed(TAGS) + converter.close(finished=True)
tooling = wire.tooling
assert all(hasattr(tooling, name) for name in tooling.__all__)
assert tooling.ToolSchema(toolset.tools[0]).fits({"a": "b"}, "")
"""

TRAINED = """
assert wire.detect_format(model="Qwen/Qwen3-8B").dialect == "hermes"
found = wire.find_calls(TAGS, formats=["hermes"], names=["ls"])
assert not found.calls and found.prose
assert wire.format_named("qwen3").format in [each.format for each in wire.formats()]
turn = wire.parse(TAGS)
written = wire.render_events(wire.parse_transcript(TAGS + RESULTS)[:-1], "hermes")
parser = wire.Parser("hermes", mode="transcript")
events = parser.feed(written[:80])
parser = wire.Parser.restore(parser.snapshot())
kinds = [event["type"] for event in events + parser.feed(written[80:]) + parser.close(finished=True)]
assert kinds == ["think", "respond", "call", "execute", "result", "respond"], kinds
assert wire.parse(written, "hermes")[-1]["code"] == "forged-results"
assert "[ARGS]" in wire.render_events(turn, "mistral")
assert wire.Parser("mistral", stream="token", call_deltas=True).feed("[TOOL_CALLS]a[ARGS]{")
written = wire.render_events(turn, "qwen3-coder")
parser = wire.Parser("qwen3-coder", stream="token", call_deltas=True)
kinds = [event["type"] for event in parser.feed(written) + parser.close(finished=True)]
assert kinds == ["think", "respond", "call_delta", "call", "execute"], kinds
assert "<arg_key>a</arg_key>" in wire.render_events(turn, "glm-4.5")
parser = wire.Parser("llama3-json", mode="transcript")
parser.feed(wire.render_events(turn, "llama3-json"))
python = {"name": "own", "call": ["<c>", "</c>"], "payload": {"kind": "literals", "style": "python"}}
assert "ls()" in wire.render_calls([{"name": "ls", "args": {}}], wire.Format.from_json(python))
assert wire.Parser.restore(parser.snapshot()).state == parser.state
"""

BRIDGES = """
from host._vendor.wire.bridges import anthropic, openai, responses

for bridge in (anthropic, openai, responses):
    events = wire.parse(TAGS)
    messages = bridge.to_messages(events, toolset)
    assert [event["type"] for event in bridge.from_messages(messages)] == ["respond", "call", "execute"]
    assert list(bridge.chunks(events, toolset=toolset)) and bridge.tools(toolset)
"""

USES = {
    "parse": PARSE,
    "dialects": PARSE + DIALECTS,
    "agent": PARSE + DIALECTS + AGENT + AIO,
    "formats": PARSE + DIALECTS + AGENT + AIO + TRAINED,
    "protocol": PARSE + DIALECTS + AGENT + AIO + ALL,
    "all": PARSE + DIALECTS + AGENT + AIO + ALL + TRAINED,
    "bridges": PARSE + DIALECTS + AGENT + AIO + ALL + TRAINED + BRIDGES,
}

#: Those with `Toolset`, which needs packages.
WITH_PACKAGES = ("protocol", "all", "bridges")

REPORT = """
import json
loaded = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()
          if name not in before}
print(json.dumps(loaded))
"""

#: What is alone in the smaller closures, and in what words it is asked for.
ABSENT = {
    "parse": [
        ("wire.Batch", "AttributeError", "Batch", "agent"),
        ("wire.aio", "AttributeError", "aio", "agent"),
        ("wire.Parser('delimiter')", "ValueError", "the dialect delimiter", "dialects"),
    ],
    "agent": [("wire.Parser('hermes')", "ValueError", "the catalogue of formats", "formats")],
    "formats": [("wire.Toolset([])", "AttributeError", "Toolset", "all")],
    "protocol": [("wire.Parser('hermes')", "ValueError", "the catalogue of formats", "all")],
}


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    """Return a folder for each closure: with a package that has it, and where cogwire is not."""
    folders, base = {}, tmp_path_factory.mktemp("hosts")
    for closure in rooms.CLOSURES:
        folder = folders[closure] = base / closure
        folder.mkdir()
        (folder / "cogwire.py").write_text("raise ImportError('only the copy is here')", "utf-8")
        copies.add(folder / "host" / "_vendor" / "wire", closure)
        for package in ("host", "host/_vendor"):
            (folder / package / "__init__.py").touch()
    return folders


def run(folder, script, *options, arguments=()):
    unwanted = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    environment = {key: value for key, value in os.environ.items() if key not in unwanted}
    return ran(
        *(sys.executable, *options, "-c"),
        f"import sys\nsys.path.insert(0, {str(folder)!r})\n{script}",
        *arguments,
        cwd=folder,
        env=environment,
    )


@pytest.mark.verify
@pytest.mark.parametrize("closure", USES)
def test_a_closure_is_exactly_what_its_use_imports(hosts, closure):
    """Nothing that the copy has is unused, and what it uses is its own or the standard library's."""
    folder = hosts[closure]
    script = f"before = set(sys.modules)\nimport host._vendor.wire as wire\n{TEXTS}{USES[closure]}{REPORT}"
    # Without `site`, nothing is there that was installed.
    done = run(folder, script, *(["-S"] if closure not in WITH_PACKAGES else []))
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    wire = folder / "host" / "_vendor" / "wire"
    used = {
        Path(file).relative_to(wire).as_posix()
        for name, file in loaded.items()
        if name.startswith("host._vendor.wire")
    }
    assert used == {path for path in rooms.files_in(wire) if path.endswith(".py")}
    outside = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {"host"}
    assert not outside or closure in WITH_PACKAGES, outside


#: How many lines and files of Python a copy may have: what its users read before they keep it.
SIZES = {"parse": (4467, 24), "agent": (11456, 57), "protocol": (15477, 70)}


@pytest.mark.parametrize("closure", SIZES)
def test_a_copy_is_small(hosts, closure):
    files = list((hosts[closure] / "host" / "_vendor" / "wire").rglob("*.py"))
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    assert (lines, len(files)) <= SIZES[closure]
    assert len(files) <= SIZES[closure][1]


@pytest.mark.verify
def test_the_types_of_a_copy_are_complete_in_itself(hosts, tmp_path):
    """Its types say what it lacks as little as its files do.

    mypy reads every file of each copy, and finds in it what the file imports.  These are the files
    of the package, which `make lint` has pyright read, so that here it reads only what a copy has
    otherwise; and bridges read the objects of other packages, whose types are not known.
    """
    copied = [closure for closure in hosts if closure != "all"]
    include = [path for closure in copied for path in _not_as_in_the_package(hosts[closure])]
    strict = [path for path in include if not path.startswith("bridges/")]
    smaller = [closure for closure in copied if closure != "bridges"]
    assert strict == [f"{closure}/host/_vendor/wire/__init__.py" for closure in smaller]
    environments = [{"root": closure} for closure in copied]
    options = {"typeCheckingMode": "standard", "strict": strict, "pythonVersion": "3.10"}
    config = {**options, "include": include, "executionEnvironments": environments}
    base = hosts["all"].parent
    (base / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    done = ran(_beside("pyright"), "--pythonpath", sys.executable, cwd=base)
    assert done.returncode == 0, done.stdout + done.stderr
    # The modules of all copies have the same names, so that mypy reads what is alike only once.
    strictly = ("--strict", "--python-version=3.10", "--cache-dir", tmp_path)
    for closure in sorted(copied, key=lambda each: len(list(hosts[each].rglob("*.py")))):
        done = ran(_beside("mypy"), *strictly, "host", cwd=hosts[closure])
        assert done.returncode == 0, done.stdout + done.stderr


def _not_as_in_the_package(host):
    """Return the modules of a copy that are not files of the package, by their paths beside it."""
    copy, package = host / "host" / "_vendor" / "wire", Path(cogwire.__path__[0])
    return [
        (copy / path).relative_to(host.parent).as_posix()
        for path in rooms.files_in(copy)
        if path.endswith(".py")
        and not ((package / path).is_file() and filecmp.cmp(copy / path, package / path, False))
    ]


def _beside(program):
    return Path(sys.executable).with_name(program)


@pytest.mark.parametrize(
    ("closure", "absent"),
    [(closure, each) for closure, several in ABSENT.items() for each in several],
)
def test_a_part_that_was_not_copied_is_named(hosts, closure, absent):
    asked, kind, lacking, only = absent
    done = run(hosts[closure], f"import host._vendor.wire as wire\n{asked}", "-S")
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert message.startswith(f"{kind}: ")
    assert message.endswith(
        f"this copy of host._vendor.wire lacks {lacking}; "
        f"`cogwire vendor add DIR --only {only}` copies it"
    )


#: The names that only a copy with the formats of models has.
FORMATS = (
    *("CallFinder", "Format", "FoundCall", "FoundCalls", "KnownFormat", "detect_format"),
    *("find_calls", "format_named", "formats"),
)

INTROSPECT = """
import inspect, json
import host._vendor.wire as wire
names = [name for name in json.loads(sys.argv[1]) if hasattr(wire, name)]
assert names == wire.__all__, wire.__all__
assert {*names} <= {*dir(wire)} & {*dict(inspect.getmembers(wire))}
lacking = {}
for name in {*json.loads(sys.argv[1])} - {*names}:
    assert name not in dir(wire)
    try:
        getattr(wire, name)
    except AttributeError as problem:
        lacking[name] = str(problem).partition(" --only ")[2].partition("`")[0]
from host._vendor.wire import *
assert {*names} <= {*globals()}
print(json.dumps([names, lacking]))
"""


@pytest.mark.verify
def test_a_copy_lists_what_it_has_and_names_the_smallest_copy_with_the_rest(hosts):
    public, had, advice = json.dumps(cogwire.__all__), {}, {}
    for closure in rooms.CLOSURES:
        done = run(hosts[closure], INTROSPECT, arguments=[public])
        assert done.returncode == 0, done.stderr
        names, advice[closure] = json.loads(done.stdout)
        had |= {name: closure for name in names if name not in had}
    assert had.keys() == {*cogwire.__all__}
    for closure in ("parse", "dialects", "agent"):
        assert advice[closure] == {name: had[name] for name in advice[closure]}
    assert len(advice["parse"]) == 38
    assert advice["formats"] == {name: "all" for name in had if had[name] == "protocol"}
    assert advice["protocol"] == dict.fromkeys(FORMATS, "all")
    assert not advice["all"]


@pytest.mark.parametrize("name", ["aio", "Batch"])
def test_running_a_batch_does_not_load_tools(hosts, name):
    script = f"from host._vendor.wire import {name}\nprint(*sys.modules)"
    done = run(hosts["protocol"], script, "-S")
    assert done.returncode == 0, done.stderr
    assert "host._vendor.wire.turns.batch" in done.stdout.split()
    assert not [each for each in done.stdout.split() if each.startswith("host._vendor.wire.tools")]
