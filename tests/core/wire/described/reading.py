"""Descriptions that several tests share, and reading with the core and the executable spec."""

import itertools
import json

import pytest
from hypothesis import strategies as st

from cogwire_kit.conformance import corpus
from tests import cogwire, oracle
from tests.core.helpers import bare, call, result, run, singles, split

CALL_B = call('{"name": "b", "args": {}}')
LIMITS = st.sampled_from([(8_388_608, 256, 128, 1000), (40, 2, 2, 2), (90, 1, 3, 1)])
#: The formats of the corpus that have a description.
DESCRIBED = sorted(path.parent.name for path in corpus.PLACE.glob("formats/*/description.json"))


def success(tool, content):
    """Return an item of a result, of which `content` is JSON."""
    return f'  {{"tool": "{tool}", "status": "success", "content": {content}}}'


def results(*items):
    """Return the result of a batch in which every tool succeeded."""
    return result("[\n" + ",\n".join(items) + "\n]", len(items))


def delta(content, *, index=0, name="a"):
    """Return a delta of a call."""
    return {"type": "call_delta", "index": index, "name": name, "content": content}


def description(name):
    """Return the description of a format of the corpus, decoded."""
    return json.loads((corpus.PLACE / "formats" / name / "description.json").read_text("utf-8"))


def like(described, **members):
    """Return a description with other members."""
    return {**described, **members}


def with_payload(described, **members):
    """Return a description whose payload has other members."""
    return like(described, payload={**described["payload"], **members})


def answered(described):
    """Return the format of a description, with markers of results."""
    return cogwire.Format.from_json(like(described, result=["<r>", "</r>"]))


#: The brace of the object ends the name, as where a format has no separator.
BRACED = {
    "name": "braced",
    "call": ["<call>call:", "</call>"],
    "payload": {"kind": "arguments", "head": ["{name}"]},
}
#: Cohere's Command R7B and A write `tool_name` and `parameters`, and other engines `name`.
COHERE = with_payload(
    like(description("cohere"), gap=""),
    name=["tool_name", "name"],
    args=["parameters", "arguments"],
)
#: Values that may be between two more markers.
CDATA = description("minicpm5")
DSML = like(description("dsml"), gap="\n")
#: A marker before the value, which is between white space; and no call has anything but texts.
PARTED = {
    "name": "parted",
    "call": ["<call>", "</call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ""],
        "key": ["<key:", ""],
        "value": [":", ";"],
        "margin": "\n",
        "types": {"#": "text", "=": "json"},
    },
    "gap": "\n",
}
ONLY_TEXT = with_payload(PARTED, types={"#": "text", "%": "text"})
#: Arrays and objects are in tags themselves, and the closer of a value has its key.
NESTED = {
    "name": "nested",
    "call": ["[<call:", "[</call>"],
    "payload": {
        "kind": "tags",
        "tool": ["", ">"],
        "key": ["[<", ">"],
        "value": ["", "[</{key}>"],
        "item": "item",
    },
}
#: A call is one text; the closer counts wherever it is.
CODE = {
    "name": "smolagents",
    "call": ["<code>", "</code>"],
    "payload": {"kind": "text", "tool": "python", "arg": "code"},
}
#: The closer counts on a line of its own.
COMMAND = like(description("mini-swe-agent"), call=["```bash\n", "```"])


def dsml(*args, name="a"):
    """Return a call whose arguments are keys, whether the value is a string, and its text."""
    lines = [f'<｜DSML｜invoke name="{name}">']
    for key, string, value in args:
        tag = f'<｜DSML｜parameter name="{key}" string="{string}">'
        lines.append(f"{tag}{value}</｜DSML｜parameter>")
    return "\n".join([*lines, "</｜DSML｜invoke>"])


def refusal(description):
    """Return why a description is refused."""
    with pytest.raises(ValueError) as refused:
        cogwire.Format.from_json(description)
    return str(refused.value)


def path_refused(calls, description):
    """Return the place for which calls are not written in a format."""
    with pytest.raises(cogwire.RenderError) as refused:
        cogwire.render_calls(calls, cogwire.Format.from_json(description))
    return refused.value.path


def check_alike(data, described, text):
    """Assert that both read a text alike, in any way that is drawn, whole and in pieces."""
    starts = ["prose", "think", *(["header"] if "header" in described else [])]
    calls, limits = data.draw(st.sampled_from(["shown", "sealed"])), data.draw(LIMITS)
    options = {"start": data.draw(st.sampled_from(starts)), "calls": calls}
    options |= {"raw": True, "spans": True, "limits": limits, "finished": data.draw(st.booleans())}
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
    ways = list(itertools.product(([text], split(text, *cuts), singles(text)), (False, True)))
    form = cogwire.Format.from_json(described)
    for own in ({"stream": "event"}, {"stream": "token"}, {"stream": "token", "call_deltas": True}):
        read_alike(described, form, text, ways, **options, **own)


def read_alike(described, form, text, ways, *, limits, finished, stream, **options):
    """Assert that both read a text alike; return the events.

    Each of the ways is the chunks, and whether the core goes on from a snapshot after each.
    """
    expected = oracle.parse(text, described, limits=limits, is_finished=finished, **options)
    ending = (expected.state, expected.discarded, expected.tail)
    options |= {"dialect": form, "stream": stream}
    options |= {"limits": cogwire.Limits(*limits), "closing": {"finished": finished}}
    for chunks, hop in ways:
        outcome = run(chunks, hop=hop, **options)
        events = bare(outcome.events)
        assert events == expected.events, f"{chunks} give {events}, not {expected.events}"
        assert outcome[1:] == ending, f"{chunks} end with {outcome[1:]}, not {ending}"
    return expected.events
