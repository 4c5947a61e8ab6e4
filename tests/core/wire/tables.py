"""Tables of texts and their outcomes: a row has one input, and its outcome in a short form.

A row is `(text, outcome)`, with options after them where it has any.  In the text a caret `‸` is before the character at which an error is expected.  The outcome has the
events, and after an arrow the state at the end and how many characters are discarded:

    think a · respond b · call · execute → paused +5
    call {"name":"b"} · error json-syntax /1/args voids 1 → execute
    result 1/0 [...]                  successes and failures, and how many ran where that differs

A `call` alone is that of the tool `a` without arguments.  An error in bytes says its own place: `@9`.
Options are words: `transcript`, `start=think`, `size=30,31` for each of two sizes, and the dialect
where there is a choice.
"""

import itertools
import re

from tests import cogwire
from tests.core.helpers import CARET, IS_BRIEF, LINES, bare, call, check, placed, run, singles
from tests.core.helpers import error as error_event
from tests.core.helpers import result as result_event

#: What follows a block of these dialects that is already void, before and with its closer.
RESTS = {
    "xml-json": [f"{rest}}}}}]</execute>" for rest in ("", "}", "]", '"', "1")],
    "xml-elements": [f"{rest}</a></w></execute>" for rest in ("", ">", "]]>", "/", "<w>")],
}
CALL = '{"name":"a","args":{}}'
#: From here on a text is read whole and one by one only, without snapshots.
LONG = 1000

_ERROR = re.compile(r"(\S+)(?: (/.*?))?(?: voids (\d+))?(?: @(\d+))?")
_RESULT = re.compile(r"(\d+)/(\d+)(?:/(\d+))? (.*)", re.DOTALL)
_END = re.compile(r"(.*?) ?→(?: ([a-z]+))?(?: \+(\d+))?", re.DOTALL)


def read_outcome(outcome):
    """Return the events, the state or `None`, and the number of discarded characters of a row."""
    listed, state, discarded = outcome, None, 0
    if found := _END.fullmatch(outcome):
        listed, state, discarded = found[1], found[2], int(found[3] or 0)
    return [_event(one) for one in listed.split(" · ") if one], state, discarded


def _event(described):
    kind, _, rest = described.partition(" ")
    match kind:
        case "execute" | "end":
            return {"type": kind}
        case "think" | "respond":
            return {"type": kind, "content": rest}
        case "call":
            return call(rest or CALL)
        case "error":
            code, path, calls, offset = _ERROR.fullmatch(rest).groups()
            place = None if offset is None else int(offset)
            return error_event(code, path, calls=int(calls or 0), offset=place)
        case "result":
            succeeded, failed, ran, content = _RESULT.fullmatch(rest).groups()
            ran = None if ran is None else int(ran)
            return result_event(content, int(succeeded), int(failed), executed=ran)
    raise ValueError(described)


def same_outcome(outcome, words="", *, texts):
    """Return rows with one outcome, in which `…` is replaced by the text of each."""
    return [(text, outcome.replace("…", text.replace(CARET, "")), words) for text in texts]


def framed(*frames, rows):
    """Return each row in each frame: what it says is in the place of the frame's `…`."""
    return [
        (text.replace("…", row[0]), outcome.replace("…", row[1]), *words)
        for row in rows
        for text, outcome, *words in frames
    ]


def options_of(words):
    """Return the options of a parser that a row names."""
    options, limits = {}, {}
    for word in words.split():
        name, _, value = word.partition("=")
        if name == "transcript":
            options["mode"] = name
        elif name == "start":
            options["start"] = value
        else:
            limits[name] = int(value)
    return options | ({"limits": cogwire.Limits(**limits)} if limits else {})


def check_rows(rows, dialect):
    """Check every row, in every way; all rows that fail are reported at once.

    A row of the dialects by lines is read in both, unless it names one.
    """
    failures = []
    for text, outcome, words in itertools.chain.from_iterable(map(_each, rows)):
        only = [word for word in words.split() if word in LINES]
        options = options_of(" ".join(set(words.split()) - {*LINES}))
        expected, state, discarded = read_outcome(outcome)
        try:
            for each in only or (LINES if dialect in LINES else [dialect]):
                is_first = each == (*only, dialect)[0] and len(text) < LONG
                how = check if is_first else check_briefly
                how(text, expected, state=state, discarded=discarded, dialect=each, **options)
            if state == "execute" and dialect in RESTS:
                _check_skipped(text, expected, dialect, options)
        except AssertionError as failure:
            failures.append(f"{text!r} {words}\n    {failure}")
    assert not failures, "\n".join(failures)


def _each(row):
    """Yield the row, with its options, once for each number of one that has more: `size=3,4`."""
    text, outcome, words = (*row, "")[:3]
    choices = [
        [f"{name}{sign}{one}" for one in value.split(",")]
        for name, sign, value in (word.partition("=") for word in words.split())
    ]
    for chosen in itertools.product(*choices):
        yield text, outcome, " ".join(chosen)


def check_briefly(text, expected, *, state=None, discarded=0, **options):
    """Check `text` whole and one by one, which may go through snapshots.

    It is long, or near one that is checked in every way.
    """
    data, expected = placed(text, expected)
    one_by_one = {"stream": "token", "hop": len(data) < LONG and not IS_BRIEF}
    for chunks, how in (([data], {}), (singles(data), {}), (singles(data), one_by_one)):
        outcome = run(chunks, **how, **options)
        assert bare(outcome.events) == expected, options
        assert state in (None, outcome.state), options
        assert outcome.discarded == discarded, options


def _check_skipped(text, expected, dialect, options):
    """Check that the rest of a void block is skipped, whatever it is."""
    data, expected = placed(text, expected)
    if isinstance(data, bytes) or expected[-1]["code"].startswith("unclosed"):
        return
    for rest in RESTS[dialect]:
        outcome = run([data + rest], dialect=dialect, **options)
        assert bare(outcome.events) == expected, rest
        assert outcome.state == ("prose" if "mode" in options else "paused"), rest
