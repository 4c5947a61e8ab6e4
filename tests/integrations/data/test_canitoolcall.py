"""What canitoolcall expects of parsers, of which `differences.json` lists what we read otherwise.

Its fixtures are outputs of models with what they say, from templates and from the tests and issues of
engines.
"""

import functools
import json
from pathlib import Path

from canitoolcall import checks
from canitoolcall.fixtures import load_families, load_fixtures
from canitoolcall.results import Observation, ParsedToolCall, ParseResult, Status

from tests import cogwire
from tests.core.helpers import TRAINED, run, singles
from tests.core.wire.described.reading import description
from tests.rows import rows

FIXTURES = {fixture.id: fixture for fixture in load_fixtures()}
FAMILIES = load_families()
HERE = Path(__file__).parent / "canitoolcall"
#: The format of a family, or of the fixtures of a family that have a tag, and how many these are.
KNOWN = json.loads((HERE / "formats.json").read_text("utf-8"))
FORMATS = KNOWN["formats"]
DIFFERENCES = json.loads((HERE / "differences.json").read_text("utf-8"))
EXPLAINED = {name for names in DIFFERENCES.values() for name in names}


def format_name(fixture):
    """Return the format of a fixture, or None if it is not read."""
    found = [FORMATS[tag] for tag in fixture.tags if tag in FORMATS]
    return found[0] if found else FORMATS.get(fixture.family)


@functools.cache
def form_of(name):
    """Return a format by its name."""
    if name in TRAINED:
        return name
    return cogwire.Format.from_json(description(name))


def prompt_of(fixture):
    """Return the end of the prompt, which may have opened a think."""
    if fixture.generation_prompt is not None:
        return fixture.generation_prompt
    models = FAMILIES[fixture.family].reference_models
    return next(each.default_generation_prompt for each in models if each.repo == fixture.models[0])


def result(fixture, chunks):
    """Return what the chunks of a fixture say, in the form of its checks."""
    form = form_of(format_name(fixture))
    start = cogwire.start_of(prompt_of(fixture), form)
    tools = [
        {"name": tool["function"]["name"], "parameters": tool["function"].get("parameters", {})}
        for tool in fixture.tools
    ]
    toolset = cogwire.Toolset(tools, form)
    texts, calls = {"respond": "", "think": ""}, []
    for event in run(chunks, dialect=form, start=start).events:
        if event["type"] in texts:
            texts[event["type"]] += event["content"]
        elif event["type"] == "call":
            checked = toolset.check(event)
            calls.append(ParsedToolCall(checked.name, json.dumps(checked.args)))
    return ParseResult(
        content=texts["respond"] or None,
        reasoning_content=texts["think"] or None,
        tool_calls=tuple(calls),
    )


def is_read(fixture):
    """Whether a fixture is read as expected, white space at the ends aside."""
    observed = Observation(nonstream=result(fixture, [fixture.raw_output]), streams={})
    found = checks.run_checks(fixture, FAMILIES[fixture.family], observed)
    expected = [row for row in found if row.check in ("expected_match", "expected_error")]
    assert expected
    return all(row.status in (Status.PASS, Status.SOFT_PASS) for row in expected)


IN_FORMAT = [fixture for fixture in FIXTURES.values() if format_name(fixture) is not None]


def test_each_fixture_is_read_or_explained():
    otherwise = {fixture.id for fixture in IN_FORMAT if not is_read(fixture)}
    assert otherwise == EXPLAINED
    assert len(IN_FORMAT) == KNOWN["fixtures"]


@rows("name", sorted(fixture.id for fixture in IN_FORMAT))
def test_no_fixture_depends_on_its_chunks(name):
    fixture = FIXTURES[name]
    assert result(fixture, singles(fixture.raw_output)) == result(fixture, [fixture.raw_output])
