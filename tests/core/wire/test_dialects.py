"""A dialect is named once: what is for one names it for everything else."""

import asyncio
import copy

import pytest

import cogwire
from cogwire import aio
from cogwire.wire.dialects import Dialect, dialect_named
from cogwire.wire.frames.machine import Options
from tests.rows import rows

OWNERS = {
    "toolset": lambda: cogwire.Toolset([], "hermes"),
    "parser": lambda: cogwire.Parser("hermes"),
    "batch": lambda: cogwire.Batch("hermes"),
    "assembler": lambda: cogwire.Assembler("hermes"),
}
CALL = {"name": "read", "args": {"path": "a"}}
TEXT = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>'
EVENTS = cogwire.parse(TEXT, "hermes", clock=None)
RESULT = {"tool": "read", "status": "success", "content": "x"}
HISTORY = [
    {"type": "user", "content": "Read a."},
    {"type": "call", "content": '{"name": "read", "args": {"path": "a"}}'},
    {"type": "execute"},
    {"type": "result", "content": '[{"tool": "read", "status": "success", "content": "x"}]'},
]
MESSAGES = [
    {"role": "user", "content": "Read a."},
    {"role": "assistant", "content": TEXT},
    {"role": "user", "content": "<tool_response>\nx\n</tool_response>"},
]

#: What is done in the dialect of an owner, or with its name: both are the same.
USES = {
    "Parser": lambda named: cogwire.Parser(named).dialect,
    "Batch": lambda named: cogwire.Batch(named).dialect,
    "Assembler": lambda named: cogwire.Assembler(named).dialect,
    "Toolset": lambda named: cogwire.Toolset([], named).dialect,
    "parse": lambda named: cogwire.parse(TEXT, named, clock=None),
    "parse_transcript": lambda named: cogwire.parse_transcript(TEXT, named, clock=None),
    "render_calls": lambda named: cogwire.render_calls([CALL], named),
    "render_results": lambda named: cogwire.render_results([RESULT], named),
    "render_events": lambda named: cogwire.render_events(EVENTS, named),
    "render_prompt": lambda named: cogwire.render_prompt(cogwire.Toolset([], "hermes"), named),
    "to_messages": lambda named: cogwire.to_messages(HISTORY, named),
    "from_messages": lambda named: cogwire.from_messages(MESSAGES, named),
    "exchanges": lambda named: cogwire.exchanges(HISTORY, named),
    "spans": lambda named: cogwire.spans(TEXT, named),
    "convert from": lambda named: cogwire.convert(TEXT, named, "xml-json"),
    "convert to": lambda named: cogwire.convert("", "xml-json", named),
    "Converter from": lambda named: cogwire.Converter(named, "xml-json").feed(TEXT),
    "Converter to": lambda named: cogwire.Converter("xml-json", named).feed("a"),
}


@rows("use", USES)
def test_an_owner_names_its_dialect(use):
    expected = USES[use]("hermes")
    assert [USES[use](owner()) for owner in OWNERS.values()] == [expected] * len(OWNERS)


def test_a_history_is_written_in_the_dialect_of_the_tools():
    toolset = cogwire.Toolset([], "hermes")
    assert cogwire.to_messages(HISTORY, toolset)[1] == {"role": "assistant", "content": TEXT}


def test_two_dialects_are_refused():
    toolset = cogwire.Toolset([], "hermes")
    with pytest.raises(ValueError, match=r"^the dialect is mistral, and the Toolset is for hermes"):
        cogwire.render_prompt(toolset, cogwire.Batch("mistral"))


def test_two_formats_with_one_name_are_told_apart():
    """A parser of one and the tools of the other would convert arguments in two ways."""
    other = {**cogwire.format_named("hermes").format.to_json(), "ends": ["<|im_end|>"]}
    toolset = cogwire.Toolset([], cogwire.Format.from_json(other))
    with pytest.raises(
        ValueError, match=r"^the dialect is hermes, .* another format of this name$"
    ):
        cogwire.render_prompt(toolset, "hermes")
    batch = cogwire.Batch("hermes")
    for event in EVENTS:
        batch.take(event)
    with pytest.raises(ValueError, match="for another format that is called hermes"):
        asyncio.run(aio.run(batch, toolset))


def test_messages_of_another_dialect_are_refused_where_none_is_named():
    """Its calls would be prose, and their results what the user wrote."""
    with pytest.raises(ValueError, match=r"^message 1: the text looks like hermes, and no dialect"):
        cogwire.from_messages(MESSAGES)
    whole = [{"type": "respond", "content": TEXT}]
    assert cogwire.from_messages([{"role": "assistant", "content": TEXT}], "xml-json") == whole
    assert cogwire.from_messages([{"role": "assistant", "content": "Hi."}]) == [
        {"type": "respond", "content": "Hi."}
    ]


@rows("named", ("", "json", "XML-JSON", "xml-json ", 1, None, ["xml-json"], object()))
def test_what_is_no_dialect_and_has_none_is_refused_in_words(named):
    with pytest.raises(ValueError, match=r"^unknown dialect .*; known: xml-json, "):
        dialect_named(named)


@rows("use", USES)
def test_an_unknown_dialect_is_refused_wherever_one_is_named(use):
    with pytest.raises(ValueError, match=r"^unknown dialect 'yaml'; known: xml-json, "):
        USES[use]("yaml")


# --- A dialect as a value -----------------------------------------------------------------------


@rows(
    ("like", "frame", "message"),
    [
        ("xml-json", "delimiter", "cannot have calls of the kind array.*lines can have object"),
        ("delimiter", "xml-json", "of the kind object.*tags can have array or elements"),
        ("qwen3-coder", "llama3-json", "of the kind tagged.*bare can have object"),
        ("glm-4.5", "mistral", "the closer '' after its calls.*needs '</tool_call>'"),
    ],
)
def test_a_frame_that_cannot_have_such_calls_is_refused(like, frame, message):
    calls, frame = dialect_named(like).calls, dialect_named(frame).frame
    with pytest.raises(ValueError, match=message):
        Dialect("own", frame, calls, parallel=True)


def test_a_machine_with_a_method_of_no_region_or_role_is_refused():
    machine = type(dialect_named("xml-json").machine(Options(cogwire.Limits())))
    for name in ("_scan_pros", "_enter_ends"):
        with pytest.raises(TypeError, match=f"there is no {name.rpartition('_')[2]}$"):
            type("Misspelt", (machine,), {name: lambda *_: 0})


def test_what_is_constant_of_a_frame_is_no_argument():
    frame = dialect_named("xml-json").frame
    with pytest.raises(TypeError, match="is_block_last"):
        type(frame)(*frame, is_block_last=False)


def test_a_dialect_can_be_copied():
    dialect = dialect_named("xml-json")
    assert copy.copy(dialect) == dialect
    assert copy.deepcopy(dialect).frame == dialect.frame
