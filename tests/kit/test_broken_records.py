"""Records that are broken anywhere: every reader reads them, or refuses them in words."""

import copy
import io
import json

from hypothesis import example, given
from hypothesis import strategies as st

from cogwire import Toolset
from cogwire_kit.conversions import OPENAI_MESSAGES, converted
from cogwire_kit.lint import LintOptions, lint_record
from cogwire_kit.lint.files import lint_file
from cogwire_kit.records import MEMBERS, RefusedError, events_in, spans_of
from cogwire_kit.view.records import documents
from tests.kit.test_records import FORMS, TOOLS

WORDS = ["user", "assistant", "tool", "system", "call", "execute", "result", "error", "text"]
WORDS += ["<execute>[]</execute>", "<results>[]</results>", "<tool_call>{}</tool_call>"]
WORDS += ["tool_use", "\ud800", "é\n", ""]
NAMES = ["role", "content", "from", "value", "type", "tool_calls", "function", "name", "arguments"]
NAMES += ["id", "tool_call_id", "tool_use_id", "code", "payload", "raw", "text", "input"]
VALUES = st.recursive(
    st.sampled_from([*WORDS, None, True, 1, 1.5, 10**400]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)
RECORDS = st.dictionaries(
    st.sampled_from([*MEMBERS, "tools"]), VALUES | st.lists(VALUES, max_size=4), max_size=3
)


def places(value):
    """Yield each list and object in a value with each of its indexes and names."""
    found = value if isinstance(value, dict | list) else ()
    for key in list(found) if isinstance(found, dict) else range(len(found)):
        yield value, key
        yield from places(value[key])


@st.composite
def broken(draw):
    """Draw a record that is right but for a value or two, or for a member more."""
    record = copy.deepcopy(draw(st.sampled_from([record for record, _ in FORMS])))
    for _ in range(draw(st.integers(1, 2))):
        parent, key = draw(st.sampled_from(list(places(record))))
        if isinstance(parent, dict) and draw(st.booleans()):
            key = draw(st.sampled_from(NAMES))
        parent[key] = draw(VALUES)
    return record


DIALECTS = st.sampled_from(["auto", "xml-json", "hermes", "delimiter"])


@given(VALUES | RECORDS | broken())
def test_whatever_a_record_is_its_findings_have_places(record):
    for data, kind in ((json.dumps(record), "jsonl"), (f"[{json.dumps(record)}]", "json")):
        for finding in lint_file(io.BytesIO(data.encode()), kind, LintOptions()):
            assert finding.line == finding.end_line == 1
            assert 1 <= finding.column <= finding.end_column <= len(data) + 2
    assert isinstance(lint_record(record, LintOptions("delimiter", Toolset(TOOLS))), list)


@example({"messages": [{"role": "user", "content": "Hi", "type": {}}]}, "auto")
@example({"events": [{"type": "user", "content": "Hi"}, {"type": [1]}]}, "auto")
@given(VALUES | RECORDS | broken(), DIALECTS)
def test_whatever_a_record_is_it_is_read_or_refused(record, dialect):
    """What raises anything else ends a command with a traceback."""
    readers = (
        lambda: converted(record, dialect, OPENAI_MESSAGES, []),
        lambda: converted(record, dialect, "xml-json", []),
        lambda: list(spans_of(record, dialect)),
        lambda: list(events_in(record, dialect)),
        lambda: documents(record, "Row 1", dialect),
    )
    for read in readers:
        try:
            read()
        except RefusedError as refused:
            (why,) = refused.args
            assert why.message
