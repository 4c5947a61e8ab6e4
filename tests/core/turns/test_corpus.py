"""Every case of the conformance corpus that does not parse, on the functions."""

import json

import pytest

from cogwire_kit.conformance.corpus import expanded
from tests import cogwire
from tests.core.helpers import bare, without
from tests.core.parser.test_corpus import FILES
from tests.rows import rows

ENDINGS = {"cancelled": "cancelled", "interrupted": "interrupt"}


def of_batch(dialect, events, outcomes=(), ending=None):
    """Take the events, settle the outcomes in the order of their arrival, and end."""
    batch = cogwire.Batch(dialect, clock=None)
    given = [event for taken in events for event in batch.take(taken)]
    for index, outcome in outcomes:
        given += batch.settle(index, outcome["status"], outcome["content"])
    if ending is not None:
        given += batch.take({"type": ENDINGS[ending]})
    return {"events": bare(given)}


def of_messages(dialect, events, system=None):
    report = []
    messages = cogwire.to_messages(events, dialect, system=system, report=report)
    return {"messages": messages, "report": said_of(report)}


def of_conversion(dialect, text, **names):
    report = []
    written = cogwire.convert(text, names["from"], names["to"], report=report)
    return {"text": written, "report": said_of(report)}


def of_validation(dialect, tools, calls):
    toolset = cogwire.Toolset(tools, dialect)
    checked = [toolset.check(call) for call in calls]
    problems = [said_of(each.problems) for each in checked]
    return {"problems": problems, "args": [each.args for each in checked]}


def said_of(report):
    """Return what is compared of changes or problems; each says why to a person, too."""
    assert all(change["message"] for change in report)
    return without(report, "message")


OPS = {
    "calls": lambda dialect, calls: {"text": cogwire.render_calls(calls, dialect)},
    "results": lambda dialect, results: {"text": cogwire.render_results(results, dialect)},
    "render": lambda dialect, events: {"text": cogwire.render_events(events, dialect)},
    "from_messages": lambda dialect, messages: {
        "events": bare(cogwire.from_messages(messages, dialect))
    },
    "exchanges": lambda dialect, events: {"exchanges": cogwire.exchanges(events, dialect)},
    "batch": of_batch,
    "messages": of_messages,
    "convert": of_conversion,
    "validate": of_validation,
}


def check_case(case):
    """Ask for the case, and for what comes nearest to it and is valid."""
    answer, dialect = OPS[case["op"]], case["dialect"]
    request, expected = expanded(case["request"]), expanded(case["expect"])
    if "twin" in case:
        answer(dialect, **expanded(case["twin"]))
    if "refused" in expected:
        with pytest.raises(ValueError, match=r"\S"):
            answer(dialect, **request)
        return
    given = answer(dialect, **request)
    # As JSON text, in which true is not 1 and members have an order.
    assert json.dumps(given, sort_keys=True) == json.dumps(expected, sort_keys=True)


@rows("op", OPS)
def test_the_cases_of(op):
    checked, failures = 0, []
    for path in FILES:
        for case in json.loads(path.read_text("utf-8")):
            if case["op"] == op:
                checked += 1
                try:
                    check_case(case)
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - reported below
                    failures.append(f"{case['id']}: {failure!r}")
    assert checked > 15
    assert not failures, "\n".join(failures)
