# SPDX-License-Identifier: MIT
"""Questions that an adapter must pass before its reports about a parser are believed.

An adapter that answers every request alike, guesses what is expected, or claims what it cannot do,
would make a broken parser look right.
"""

import json
import random
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

from cogwire_kit.conformance import corpus, questions, replies
from cogwire_kit.conformance.questions import word
from cogwire_kit.conformance.target import Answer, Failure, Reply, Target, brief


def problems(target: Target) -> Iterator[str]:
    """Ask a target what shows whether its adapter is honest; yield why not, with the clause.

    Raises:
        TargetError: it cannot be asked any longer.
    """
    if (problem := _hello_problem(target.hello)) is not None:
        yield f"hello: {problem} (ad-hello-reply)"
    rng = random.Random(target.seed)  # noqa: S311 - words, not keys
    for name, of_probe, ask in _PROBES if is_usable(target.hello) else ():
        clause = of_probe
        try:
            problem = ask(target, rng)
        except RecursionError:
            problem, clause = "a reply is nested too deep", "ad-reply-depth"
        if problem is not None:
            yield f"{name}: {problem} ({clause})"


def is_usable(hello: dict[str, Any]) -> bool:
    """Say whether a reply to `hello` lets cases be asked, whatever else is wrong with it."""
    # What formats there are is for people to read.
    names = replies.shape("hello")["properties"].keys() - {"formats"}
    return _hello_problem({name: value for name, value in hello.items() if name in names}) is None


def _hello_problem(hello: dict[str, Any]) -> str | None:
    if (fault := replies.fault({"op": "hello"}, hello)) is not None:
        return fault
    if not hello["ops"] or not hello["dialects"]:
        hint = "`cogwire conformance format NAME`, or `… described` for descriptions, tests formats"
        return f"it claims no op, or no dialect{f'; {hint}' if hello.get('formats') else ''}"
    return None


def _unknown_op(target: Target, rng: random.Random) -> str | None:
    return _not("unsupported", target.ask({"op": word(rng)}))


def _unknown_dialect(target: Target, rng: random.Random) -> str | None:
    if "parse" not in target.hello["ops"]:
        return None
    dialect = word(rng)
    return _not("unsupported", target.ask({"op": "parse", "dialect": dialect, "chunks": ["Hi"]}))


def _not(member: str, answer: Answer, *others: str) -> str | None:
    """Return what an answer is, unless it has this member, or another, a string for people."""
    if isinstance(answer, Failure):
        return f"{answer.kind}: {brief(answer.message)}"
    found = (answer.members.get(name) for name in (member, *others))
    if any(isinstance(text, str) and text for text in found):
        return None
    return f"not answered with `{member}`, but {_shown(answer)}"


def _strange_id(target: Target, rng: random.Random) -> str | None:
    """Check that an id of any characters is returned unchanged."""
    identity = f'"é\\\u2028😀 {rng.getrandbits(64):x}'
    answer = target.ask({"id": identity, "op": "hello", "protocol": 1})
    return f"{answer.kind}: {brief(answer.message)}" if isinstance(answer, Failure) else None


def _no_request(target: Target, _: random.Random) -> str | None:
    for line in (b"this is not a request\n", b"[1]\n", b'{"op": "hello"}\n'):
        if (problem := _not("error", target.ask_line(line))) is not None:
            return f"{line.decode().strip()!r} is {problem}"
    return None


def _bad_request(target: Target, _: random.Random) -> str | None:
    if "parse" not in target.hello["ops"]:
        return None
    dialect = next(iter(target.hello["dialects"]))
    answer = target.ask({"op": "parse", "dialect": dialect, "chunks": "no array"})
    problem = _not("error", answer)
    return problem and f"a string for `chunks` is {problem}"


def _echo(target: Target, rng: random.Random) -> str | None:
    """Check that words that nobody could know are returned as prose, in each dialect."""
    for dialect in _parsed_dialects(target):
        words = f"{word(rng)} {word(rng)} {word(rng)}"
        events = _events(target.ask({"op": "parse", "dialect": dialect, "chunks": [words]}))
        if not any(event.get("content") == words for event in events):
            return f"{dialect}: the prose {words!r} does not come back"
    return None


def _forgetting(target: Target, _: random.Random) -> str | None:
    """See whether the same request has the same reply, whatever was asked in between."""
    for dialect in _parsed_dialects(target):
        stream = "token" if "token" in target.hello["dialects"][dialect] else "event"
        first, _between, again = (
            target.ask({"op": "parse", "dialect": dialect, "stream": stream, "chunks": [text]})
            for text in ("Hi", f"{corpus.wire(dialect).think}open", "Hi")
        )
        if _without_id(first) != _without_id(again):
            return f"{dialect}: the same request has two replies: {_shown(first)}, {_shown(again)}"
    return None


def _cuts(target: Target, _: random.Random) -> str | None:
    """See whether a text with cuts is read as its chunks are."""
    # A parser that dies of the one may read the other.
    for dialect, sign in product(_parsed_dialects(target), "😀é"):
        request = {"op": "parse", "dialect": dialect}
        by_chunks = target.ask({**request, "chunks": ["a", "", f"b{sign}", "c"]})
        by_cuts = target.ask({**request, "text": f"ab{sign}c", "cuts": [1, 1, 3]})
        if isinstance(by_chunks, Failure):
            words = f"a probe, {dialect} with {sign}: {_shown(by_chunks)}"
            target.deaths.setdefault(by_chunks.kind, words)
        if _without_id(by_chunks) != _without_id(by_cuts):
            return f"{dialect}: `cuts` give {_shown(by_cuts)}, `chunks` {_shown(by_chunks)}"
    return None


def _unknown_values(target: Target, rng: random.Random) -> str | None:
    """See whether a mode or a limit that does not exist is taken for one that does."""
    value = word(rng)
    for dialect in _parsed_dialects(target):
        request = {"op": "parse", "dialect": dialect, "chunks": ["Hi"]}
        for members in (
            {"mode": value},
            {"stream": value},
            {"start": value},
            {"calls": value},
            {"finish": value},
            {"limits": {value: 1}},
        ):
            problem = _not("unsupported", target.ask({**request, **members}))
            if problem is not None:
                return f"{dialect}: {members} is {problem}"
    return None


def _no_limit(target: Target, _: random.Random) -> str | None:
    """See whether a limit of 0 is refused as misuse, and not taken for one or for none."""
    for dialect in _parsed_dialects(target):
        if "limits" not in target.hello["dialects"][dialect]:
            continue
        for name in ("size", "calls", "depth", "digits"):
            request = {"op": "parse", "dialect": dialect, "chunks": ["Hi"], "limits": {name: 0}}
            if (problem := _not("error", target.ask(request))) is not None:
                return f"{dialect}: a limit {name!r} of 0 is {problem}"
    return None


def _no_snapshot(target: Target, rng: random.Random) -> str | None:
    """See whether a value that no parser saved is refused, and not passed over."""
    for dialect in _parsed_dialects(target):
        if "restore" not in target.hello["dialects"][dialect]:
            continue
        saved, problem = _saved(target, dialect, word(rng))
        if problem is not None:
            return problem
        for what, value in _damaged(saved, rng):
            request = {"op": "parse", "dialect": dialect, "chunks": ["Hi"], "restore": value}
            if (problem := _not("refused", target.ask(request))) is not None:
                return f"{dialect}: {what} is {problem}"
    return None


def _saved(target: Target, dialect: str, text: str) -> tuple[Any, str | None]:
    """Return the snapshot of a parser that has read a text as the beginning of a think.

    If there is none, the second value says what came instead.
    """
    chunk = f"{corpus.wire(dialect).think}{text}"
    request = {"op": "parse", "dialect": dialect, "chunks": [chunk], "save": [0], "close": False}
    shown = target.ask(request)
    saved = shown.members.get("saved") if isinstance(shown, Reply) else None
    if not isinstance(saved, list) or len(saved) != 1:
        return None, f"{dialect}: after {chunk[:40]!r} no snapshot is shown: {_shown(shown)}"
    return saved[0], None


def _outside(target: Target, rng: random.Random) -> str | None:
    """See whether a parser goes on with a text for which its snapshot has no room.

    No encoding of a random text is shorter than what was drawn.  A key to a file or to a database
    is; a parser that merely forgets the text is not dishonest, and fails `resume`.
    """
    for dialect in _parsed_dialects(target):
        if "restore" not in target.hello["dialects"][dialect]:
            continue
        text = rng.randbytes(_DRAWN).hex()
        saved, problem = _saved(target, dialect, text)
        if problem is not None:
            return problem
        size = len(json.dumps(saved, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if size >= _DRAWN:
            continue
        request = {"op": "parse", "dialect": dialect, "chunks": [], "restore": saved}
        answer = target.ask(request)
        if isinstance(answer, Reply) and text in json.dumps(answer.members):
            return (
                f"{dialect}: a think with {_DRAWN:,} random bytes in hexadecimal is open, and the "
                f"snapshot has {size:,} bytes, so that it cannot contain them; a key to what is "
                "kept elsewhere is not a snapshot"
            )
    return None


#: How many random bytes a snapshot has to contain.
_DRAWN: Final = 2048


def _damaged(snapshot: Any, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Yield what is evidently no snapshot, made of one (spec/adapter.md, `ad-restore-damaged`)."""
    yield "the snapshot {}", {}
    if isinstance(snapshot, str):
        yield "a snapshot of which half is missing", snapshot[: len(snapshot) // 2]
    for name, value in snapshot.items() if isinstance(snapshot, dict) else ():
        others = {other: kept for other, kept in snapshot.items() if other != name}
        yield f"a snapshot without its {name!r}", others
        if value is not None:
            # Neither a negative fraction nor a new word has a meaning anywhere.
            other = -0.5 if isinstance(value, str) else word(rng)
            yield f"a snapshot whose {name!r} is {other!r}", {**others, name: other}
        if name == "version":
            other = value + 1 if isinstance(value, int) else f"{value}0"
            yield "a snapshot of another version", {**others, name: other}


def _misuse(target: Target, _: random.Random) -> str | None:
    """See whether requests whose members do not fit together are refused, and not guessed."""
    for dialect in _parsed_dialects(target):
        # An adapter of before `restore` does not know its members.
        is_known = "restore" in target.hello["dialects"][dialect]
        for members in (*_MISUSES, *(_OF_SNAPSHOTS if is_known else ())):
            answer = target.ask({"op": "parse", "dialect": dialect, **members})
            # Without the ability that it needs, an adapter may say so instead.
            others = () if members.keys() <= _INPUT else ("unsupported",)
            if (problem := _not("error", answer, *others)) is not None:
                return f"{dialect}: {members} is {problem}"
    return None


#: What a request has that needs no ability.
_INPUT: Final = frozenset({"chunks", "text", "cuts"})
#: Members that do not fit together (spec/adapter.md, `ad-misuse`).
_MISUSES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"chunks": ["Hi"], "text": "Hi"},
    {"chunks": ["Hi"], "cuts": [1]},
    {"text": "Hello", "cuts": [3, 1]},
    {"text": "Hello", "cuts": [6]},
    {"chunks": ["Hi"], "chunks_b64": ["SGk="]},
    {"chunks": ["Hi"], "call_deltas": True},
    {"chunks": ["Hi"], "turns": [["Hi"]]},
    {"turns": [["Hi"]], "mode": "transcript"},
    {"turns": [["Hi"], ["Hi"]], "close": False},
)
#: The same, of the ability `restore`.
_OF_SNAPSHOTS: Final[tuple[dict[str, Any], ...]] = (
    {"turns": [["Hi"]], "save": [0]},
    {"turns": [["Hi"]], "restore": {}},
)


def _unclaimed(target: Target, _: random.Random) -> str | None:
    """See whether what `hello` does not list is refused, and not passed over."""
    for dialect in _parsed_dialects(target):
        claimed = target.hello["dialects"][dialect]
        for ability, members in _USES.items():
            if ability in claimed:
                continue
            request = {"op": "parse", "dialect": dialect, "chunks": ["Hi"]} | members
            if "chunks_b64" in members or "turns" in members:
                request.pop("chunks")
            problem = _not("unsupported", target.ask(request))
            if problem is not None:
                return f"{dialect}: {ability!r} is not listed, and yet {problem}"
    return None


_USES: Final[dict[str, dict[str, Any]]] = {
    "token": {"stream": "token"},
    "bytes": {"chunks_b64": ["SGk="]},
    "raw": {"raw": True},
    "spans": {"spans": True},
    "sealed": {"calls": "sealed"},
    "call-deltas": {"stream": "token", "call_deltas": True},
    "limits": {"limits": {"calls": 1}},
    "transcript": {"mode": "transcript"},
    "start": {"start": "think"},
    "snapshot": {"snapshots": [0]},
    "turns": {"turns": [["Hi"], ["Hi"]]},
}

_PROBES: Final[tuple[tuple[str, str, Callable[[Target, random.Random], str | None]], ...]] = (
    ("an unknown op", "ad-unsupported", _unknown_op),
    ("an unknown dialect", "ad-unsupported", _unknown_dialect),
    ("an id of any characters", "ad-id", _strange_id),
    ("lines that are not requests", "ad-not-a-request", _no_request),
    ("a request with a wrong value", "ad-bad-request", _bad_request),
    ("words that nobody could know", "ad-honest", _echo),
    ("the same request again", "ad-stateless", _forgetting),
    ("a text with cuts", "ad-cuts", _cuts),
    ("what is not claimed", "ad-honest", _unclaimed),
    ("values that nobody knows", "ad-unknown-values", _unknown_values),
    ("a limit of 0", "ad-limit-values", _no_limit),
    ("members that do not fit together", "ad-misuse", _misuse),
    ("a snapshot that no parser made", "ad-restore-damaged", _no_snapshot),
    ("what a snapshot contains", "ad-snapshot-complete", _outside),
)


#: The clause that allows an adapter to declare what it does not report.
LACKS: Final = "ad-lacks"
#: How many cases with an error, and with a call, show what those of a parser have.
_FEW: Final = 12
#: So long may their inputs be.
_SHORT: Final = 200


def undeclared(target: Target, cases: list[corpus.Case]) -> Iterator[tuple[str, str]]:
    """Yield what `lacks` could have named, with a sentence: it is in no reply where it is expected.

    Raises:
        TargetError: the target cannot be asked any longer.
    """
    wanted: set[str] = set()
    given: set[str] = set()
    replies_have: set[str] = set()
    has_replied = is_at_close = is_before = is_respelled = False
    for case in (*_short(target, cases, "error"), *_short(target, cases, "call")):
        answer = target.ask(questions.whole(case).request)
        errors = [event for event in _events(answer) if event.get("type") == "error"]
        if isinstance(answer, Reply) and "feeds" in answer.members:
            has_replied = True
            replies_have |= answer.members.keys()
            # A turn that is over has nothing left for the close.
            if case.expected[0]["state"] in ("paused", "ended"):
                is_at_close |= bool(answer.members.get("close"))
                is_before |= any(_listed(answer.members["feeds"]))
        is_respelled |= any(_respelled(case, answer))
        for event in case.expected[0]["events"] if errors else ():
            wanted |= event.keys() | {"content"} if event["type"] == "error" else set()
        given |= {name for event in errors for name in event}
    of_errors = [one for one in replies.OF_ERRORS.items() if one[1] in wanted - given]
    found = {lack: f"errors have no `{member}`: report it" for lack, member in of_errors}
    of_replies = [lack for lack in replies.OF_REPLIES if has_replied and lack not in replies_have]
    found |= {lack: f"replies have no `{lack}`: report it" for lack in of_replies}
    if is_respelled:
        found["verbatim-calls"] = "calls are not as the model spelled them: keep the text"
    if is_at_close and not is_before:
        found["prompt"] = (
            "no event came before the close in any input: return each with the chunk that "
            "determines it"
        )
    for lack, problem in found.items():
        if lack not in target.hello.get("lacks", ()):
            yield lack, f"{problem}, or list `{lack}` in `lacks` ({LACKS})"


def _respelled(case: corpus.Case, answer: Answer) -> Iterator[bool]:
    """Yield for each call whether it has the values that are expected, but another text."""
    calls = (
        [event.get("content") for event in events if event.get("type") == "call"]
        for events in (case.expected[0]["events"], _events(answer))
    )
    for one, other in zip(*calls, strict=False) if corpus.wire(case.dialect).is_verbatim else ():
        yield one != other and replies.respelled(one) == replies.respelled(other)


def _short(target: Target, cases: list[corpus.Case], kind: str) -> list[corpus.Case]:
    """Return a few short cases that expect an event of this kind and need no ability."""
    claimed = _parsed_dialects(target)
    found = [
        case
        for case in cases
        if case.op == "parse"
        and case.dialect in claimed
        and not case.data["requires"]
        and not case.data.keys() & {"turns", "growth", "fresh"}
        and len(case.input) <= _SHORT
        and any(event["type"] == kind for event in case.expected[0]["events"])
    ]
    return found[:: max(len(found) // _FEW, 1)]


def _parsed_dialects(target: Target) -> list[str]:
    return list(target.hello["dialects"]) if "parse" in target.hello["ops"] else []


def _events(answer: Answer) -> list[dict[str, Any]]:
    if isinstance(answer, Failure):
        return []
    feeds, close = answer.members.get("feeds"), answer.members.get("close")
    lists = [*_listed(feeds), close]
    events = (event for one in lists for event in _listed(one))
    return [event for event in events if isinstance(event, dict)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _without_id(answer: Answer) -> Any:
    if isinstance(answer, Failure):
        # What a process says when it dies may be different each time.
        return answer.kind
    return {name: value for name, value in answer.members.items() if name != "id"}


def _shown(answer: Answer) -> str:
    if isinstance(answer, Reply):
        return str(_without_id(answer))[:200]
    return f"{answer.kind}: {brief(answer.message)}"
