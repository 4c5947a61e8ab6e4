"""The readers with which the core is compared, and in what each of them must agree.

- the executable spec, and the implementation in JavaScript: in every event and in the ledger
- `json`: in which calls and results are JSON of the right shape, and in their contents
- `lxml`: in which blocks of elements are valid, and in their contents
"""

import json
import math
import re
import subprocess
import threading
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self

from fuzz.streams import Request, data_of
from tests import oracle
from tests.spec import beside_lxml

import cogwire
from cogwire_kit import adapter
from cogwire_kit.conformance.replies import decoded, joined

Reply = dict[str, Any]
Event = dict[str, Any]

JAVASCRIPT = Path(__file__).parents[1] / "conformance" / "adapters" / "javascript" / "adapter.mjs"
#: How many requests may be unanswered.
IN_FLIGHT = 64
WHITE = " \t\n\r"


# --- Adapters ---------------------------------------------------------------------------------


class Adapter:
    """The implementation in JavaScript as a process; a batch of requests is written at once."""

    #: The dialects that it reads.
    dialects = ("xml-json",)

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            ["node", str(JAVASCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def ask(self, lines: Sequence[bytes]) -> list[Reply]:
        """Answer up to `IN_FLIGHT` requests; pipes are finite, so replies are read meanwhile."""
        writer = threading.Thread(target=self._send, args=(b"".join(lines),))
        writer.start()
        replies = [json.loads(self.process.stdout.readline()) for _ in lines]
        writer.join()
        return replies

    def _send(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()


def line(number: int, request: Request) -> bytes:
    """Write a request as a line of the adapter protocol."""
    return json.dumps({"id": str(number), **request}).encode() + b"\n"


def read_by_core(request: Request) -> Reply:
    """Answer a request as the adapter of the core does; no reader agrees with one that crashed."""
    reply: Reply = json.loads(adapter.answer(line(0, request)))
    del reply["id"]
    return reply


# --- Comparing whole streams ------------------------------------------------------------------


def feeds_of(reply: Reply) -> list[list[Event]]:
    """Return the events of each feed, and those of `close`."""
    return [*reply.get("feeds", []), reply.get("close", [])]


def events_of(reply: Reply) -> list[Event]:
    """Return the events of all turns of a reply, in the normal form."""
    turns = reply.get("turns", [reply])
    return [event for turn in turns for event in joined(chain.from_iterable(feeds_of(turn)))]


def steps(feeds: Sequence[list[Event]]) -> list[list[Any]]:
    """Return the events of each feed, without raws, whose division among deltas is free."""
    return [
        [{name: event[name] for name in event if name != "raw"} for event in joined(feed)]
        + [event["segment"] for event in feed if event.get("done")]
        for feed in feeds
    ]


def whole(reply: Reply) -> Any:
    """Return everything in which the replies of two readers of whole texts must agree."""
    if "turns" in reply:
        return [whole(turn) for turn in reply["turns"]]
    rest = {name: value for name, value in reply.items() if name not in {"id", "feeds", "close"}}
    return rest, events_of(reply)


def comparable(reply: Reply) -> Any:
    """Return everything in which two replies must agree, including the events of each feed.

    Every error has a message, but its wording is free.
    """
    feeds = [feeds_of(turn) for turn in reply.get("turns", [reply])]
    events = [event for turn in feeds for feed in turn for event in feed]
    worded = [bool(event["content"]) for event in events if event["type"] == "error"]
    return whole(reply), [steps(turn) for turn in feeds], worded


def read_by_spec(request: Request) -> Reply:
    """Answer a request as the executable spec does; no stream and no snapshot changes events."""
    plain = {name: value for name, value in request.items() if name not in {"snapshots", "stream"}}
    return oracle.answer({"id": "", **plain})


def check_spec(request: Request, reply: Reply) -> int:
    """Assert that the executable spec, which reads closed texts only, agrees with a reply."""
    if not request.get("close", True):
        return 0
    assert whole(read_by_spec(request)) == whole(reply)
    return 1


def check_adapter(answer: Reply, reply: Reply) -> int:
    """Assert that two adapters agree in everything."""
    # Without messages they are mostly identical, which is found much faster.
    alike = all(answer.get(name) == reply[name] for name in reply)
    assert alike or comparable(answer) == comparable(reply)
    return 1


# --- Comparing with json ----------------------------------------------------------------------


class Digits(str):
    """A number, as it was written."""

    __slots__ = ()


def finite(digits: str) -> Digits:
    """Keep a number that is finite as a double; `json` reads NaN and infinity as well."""
    if not math.isfinite(float(digits)):
        raise ValueError(digits)
    return Digits(digits)


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of members with different names."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


STRICT = json.JSONDecoder(
    parse_int=finite, parse_float=finite, parse_constant=finite, object_pairs_hook=distinct
)
NOTHING = object()


def value_at(text: str) -> tuple[Any, int]:
    """Return the JSON value that a text begins with and where it ends, or that there is none."""
    try:
        value, end = STRICT.raw_decode(text)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return NOTHING, 0
    return value, end


def json_value(text: str) -> Any:
    """Return the JSON value that a whole text represents, or that it is not JSON."""
    value, end = value_at(text.strip(WHITE))
    return value if end == len(text.strip(WHITE)) else NOTHING


def needs_args(value: dict[str, Any], dialect: str) -> bool:
    """Whether a call must have args: always, or if a member has another of their usual names."""
    others = {"arguments", "input", "kwargs", "parameters", "params"}
    return dialect.startswith("xml") or not others.isdisjoint(value)


def is_call(value: Any, dialect: str) -> bool:
    """Whether a value is a call; `args` is an object, and optional in the delimiter dialects."""
    return (
        type(value) is dict
        and type(value.get("name")) is str
        and value["name"] not in ("", "execute")
        and type(value.get("args", None if needs_args(value, dialect) else {})) is dict
    )


def is_item(value: Any) -> bool:
    """Whether a value is the result of one call."""
    return (
        type(value) is dict
        and type(value.get("tool")) is str
        and value.get("status") in ("success", "failure")
        and "content" in value
    )


def check_events(text: str, events: list[Event], dialect: str) -> int:
    """Assert that calls and results are JSON of their shape; return how many there were."""
    judged = [event for event in events if event["type"] in ("call", "result")]
    for event in judged:
        content = event["content"]
        value = json_value(content)
        if event["type"] == "result":
            assert type(value) is list, content
            assert all(map(is_item, value)), content
            statuses = [item["status"] for item in value]
            assert statuses.count("success") == event["payload"]["success_count"], content
            assert statuses.count("failure") == event["payload"]["failure_count"], content
        elif dialect == "xml-elements":
            assert is_call(value, dialect), content
            assert content == json.dumps(json.loads(content), ensure_ascii=False), content
        else:
            assert is_call(value, dialect), content
            assert content in text, content
    return len(judged)


def is_of_limits(event: Event) -> bool:
    """Whether an error is due to a limit; `json` has none."""
    return event["code"].startswith("limit-")


def check_array(text: str) -> None:
    """Assert that `json` and the core agree about a block of `xml-json` at the start of `text`."""
    parser = cogwire.Parser("xml-json", clock=None)
    *calls, last = parser.feed(text) + parser.close(finished=True)
    opener = len("<execute>")
    ends = [found.start() for found in re.finditer("</execute>", text)]
    values = {end: json_value(text[opener:end]) for end in ends}
    valid = {
        end: value
        for end, value in values.items()
        if type(value) is list and all(is_call(call, "xml-json") for call in value)
    }
    if last["type"] == "error":
        assert not valid or is_of_limits(last), last
        return
    end = len(text) - parser.discarded - len("</execute>")
    contents = [call["content"] for call in calls]
    assert valid == {end: [json_value(content) for content in contents]}, text
    assert is_array_of(contents, text[opener:end]), text


def is_array_of(contents: list[str], text: str) -> bool:
    """Whether a text is an array of exactly these elements, with white space between them."""
    text = text.strip(WHITE).removeprefix("[")
    for number, content in enumerate(contents):
        text = text.removeprefix("," if number else "").lstrip(WHITE)
        if not text.startswith(content):
            return False
        text = text[len(content) :].lstrip(WHITE)
    return text.lstrip(WHITE) == "]"


def check_payload(text: str, dialect: str) -> None:
    """Assert that `json` and the core agree about a delimiter call at the start of `text`."""
    first = cogwire.parse(text, dialect, clock=None)[0]
    payload = text[len("§call:") :].lstrip(WHITE)
    value, end = value_at(payload)
    if first["type"] == "call":
        assert is_call(value, dialect), text
        assert first["content"] == payload[:end], text
    else:
        assert not is_call(value, dialect) or is_of_limits(first), first


# --- Comparing all blocks of a stream ---------------------------------------------------------

OPENERS = {
    "xml-json": re.compile("<execute>"),
    "xml-elements": re.compile("<execute>"),
    "delimiter": re.compile("§call:", re.IGNORECASE | re.ASCII),
    "delimiter-upper": re.compile("§call:", re.IGNORECASE | re.ASCII),
}


def texts_of(request: Request) -> list[str]:
    """Return the text of each turn."""
    turns = [chunks or [""] for chunks in data_of(request)]
    return [decoded(type(chunks[0])().join(chunks)) for chunks in turns]


def without_zeros(text: str) -> str:
    """Leave out the leading zeros of hexadecimal references.

    libxml2, which lxml uses, refuses a letter as the eleventh digit of a reference, and as
    each eleventh after it (seen in 2.14.6); XML does not.
    """
    return re.sub("&#x0+(?=[0-9a-fA-F])", "&#x", text)


def check_blocks(text: str, dialect: str) -> int:
    """Assert that another reader agrees about every block in a text; return how many there were.

    Each opener counts, wherever it appears, and is read with the limits' defaults; but there is
    nothing to compare in a block that has no closer.
    """
    last = text.rfind("</execute>") if dialect.startswith("xml") else len(text)
    openers = [found.start() for found in OPENERS[dialect].finditer(text) if found.start() < last]
    for opener in openers:
        block = text[opener:]
        if dialect == "xml-elements":
            beside_lxml.check(without_zeros(block))
        elif dialect == "xml-json":
            check_array(block)
        else:
            check_payload(block, dialect)
    return len(openers)


def check_json(request: Request, reply: Reply) -> int:
    """Compare with `json` everything that the core accepted, and every block of JSON."""
    dialect, count = request["dialect"], 0
    turns = reply.get("turns", [reply])
    for text, turn in zip(texts_of(request), turns, strict=True):
        count += check_events(text, events_of(turn), dialect)
        if dialect != "xml-elements":
            count += check_blocks(text, dialect)
    return count


def check_lxml(request: Request) -> int:
    """Compare every block of elements with `lxml`."""
    dialect = request["dialect"]
    if dialect != "xml-elements":
        return 0
    return sum(check_blocks(text, dialect) for text in texts_of(request))
