"""Deltas of calls where there is no room or no args; and chunks that are read in the quick way.

That they show what is certain is seen on the turns of the corpus.
"""

from tests import cogwire
from tests.core.helpers import bare, run, singles
from tests.core.wire.described.reading import (
    COHERE,
    COMMAND,
    DSML,
    delta,
    description,
    dsml,
)
from tests.rows import rows

LFM, GEMMA = description("lfm2"), description("gemma-4")
LFM_OPEN = LFM["call"][0]


def test_deltas_end_before_a_character_for_which_there_is_no_room():
    form = cogwire.Format.from_json(LFM)
    text = f"{LFM_OPEN}[a(x='bcd')]"
    for chunks in ([text], singles(text)):
        limits = cogwire.Limits(size=len("[a(x='bc"))
        options = {"limits": limits, "stream": "token", "call_deltas": True}
        shown, broken = bare(run(chunks, dialect=form, **options).events)
        assert shown == delta('{"x": "bc')
        assert (broken["code"], broken["path"]) == ("limit-size", "/0/args/x")


@rows(
    "chunks",
    [
        ['<c>{"name": "a"}</c><c>{"name": "a", "arguments": {"x": 1}}</c><c>{"name": "a"}</c>'],
        [
            '<c>{"name": "a"',
            '}</c><c>{"arguments": {"x": 1}, "name": "a"',
            '}</c><c>{"name": "a"}</c>',
        ],
        [
            '<c>{"name": "a"}</c><c>{"name": "a", "arguments": {"x": 1}',
            ', "y": [1]}</c><c>{"name": "a"}</c>',
        ],
    ],
)
def test_args_that_are_left_out_have_a_delta(chunks):
    described = {
        "name": "n",
        "call": ["<c>", "</c>"],
        "payload": {"kind": "object", "partial": True},
    }
    form = cogwire.Format.from_json(described)
    for pieces in (chunks, "".join(chunks)):
        parser = cogwire.Parser(form, stream="token", call_deltas=True, clock=None)
        events = [event for piece in pieces for event in parser.feed(piece)]
        shown = ["", "", ""]
        calls = []
        for event in events:
            if event["type"] == "call":
                calls.append(f'{{"name": "a", "args": {shown[len(calls)]}}}')
                assert event["content"] == calls[-1]
            else:
                shown[event["index"]] += event["content"]
        assert shown == ["{}", '{"x": 1}', "{}"]
        assert len(calls) == len(shown)


ITEM = '{"name": "a", "arguments": {"x": "some longer text"}}'
LONG = "[" + ", ".join(['{"k": "some text"}'] * 50) + "]"


@rows(
    "described, text",
    [
        (LFM, f"{LFM_OPEN}[a(x='{'b' * 50}\\n{'c' * 50}', y={{'{'k' * 50}': '''{'d' * 50}'''}})]"),
        (GEMMA, f'<|tool_call>call:a{{x:<|"|>{"b" * 50}<{"c" * 50}<|"|>}}'),
        (COMMAND, f"```bash\n{'ls ' * 40}\n`` {'x' * 40}\n```"),
        (COHERE, f"<|START_ACTION|>[{', '.join([ITEM] * 3)}]<|END_ACTION|>"),
        (DSML, dsml(("x", "false", LONG))),
    ],
)
def test_pieces_are_read_like_the_whole(described, text):
    """Large values and chunks inside a string do not go through the machine, single characters do."""
    form = cogwire.Format.from_json(described)
    whole = bare(cogwire.parse(text, form, clock=None))
    assert whole[0]["type"] == "call"
    small = cogwire.Limits(size=40)
    short = bare(run([text], dialect=form, limits=small).events)
    for size in (1, 2, 3, 7):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        assert bare(run(chunks, dialect=form).events) == whole
        assert bare(cogwire.iter_events(chunks, cogwire.Parser(form, clock=None))) == whole
        assert bare(run(chunks, dialect=form, limits=small).events) == short
