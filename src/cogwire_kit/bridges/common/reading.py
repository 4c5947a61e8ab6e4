# SPDX-License-Identifier: MIT
"""Collects the events of another library's history, with results in the order of their calls."""

import json
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

from cogwire import Change, Event
from cogwire.events import CallEvent
from cogwire.tooling import (
    CANCELLED,
    RESERVED_NAME,
    WHITE,
    decoded,
    read_call,
    short_repr,
    write_array,
)
from cogwire_kit.bridges.common.changes import Changes
from cogwire_kit.bridges.common.order import LATE, Link, in_order
from cogwire_kit.bridges.common.outcomes import CallOutcome, failure, json_text, string

#: The member that has the message in a call which stands for a void block.
VOID_MEMBER: Final = "error"
#: The members for reasoning, in various servers and data sets.
REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_REASONING: Final = frozenset(REASONING)
#: The roles that a message may have, in data sets of different origin.
_ROLES: Final = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt", "bard", "bing"), "assistant"),
    **dict.fromkeys(("tool", "observation", "function", "ipython"), "tool"),
    **dict.fromkeys(("function_response", "tool_response"), "tool"),
    **dict.fromkeys(("function_call", "tool_call"), "call"),
    "system": "system",
    "developer": "system",
}
#: The note about arguments that are values already: only their form changes.
ARGUMENTS_AS_JSON: Final = "the arguments are not text: they are written as JSON"
#: With at most so many arrays and objects, JSON is certainly not nested too deeply to decode.
_SHALLOW: Final = 100
#: The note about a result that came before that of an earlier call.
REORDERED: Final = "the results are written in the order of their calls"
#: The note about an empty think, which templates write to turn thinking off.
EMPTY_THINK: Final = "a think without text has no event"
_REFUSAL: Final = "a refusal is read as prose"
#: The members of a part of the content that are read, or that change nothing.
_OF_PARTS: Final = frozenset({"type", "text", "refusal", "id", "index", "cache_control"})
_FORM: Final = frozenset({"", " ", "\n", "\n\n"})
_EMPTY_THINK: Final = re.compile(r"<think>[ \t\r\n]*</think>")
#: White space that is more than `_FORM`, and an empty think, with all line ends that it may have.
_WIDE: Final = (
    *("\t", "\r", "  ", " \n", "\n ", "\n\n\n"),
    *("<think></think>", "<think>\n</think>", "<think>\n\n</think>"),
)
#: So many pieces are looked for in a text, each from its beginning.
_FEW: Final = 4


def role_of(origin: object) -> str:
    """Return the name that a data set's role has here; an empty text if it is no role."""
    return _ROLES.get(origin, "") if isinstance(origin, str) else ""


def is_wide(text: str) -> bool:
    """Whether a text has white space that is more than `_FORM`, wherever it is, or an empty think.

    Looking for each of these is much faster than an expression with all of them.
    """
    return any(map(text.__contains__, _WIDE))


def are_wide(pieces: Sequence[str], text: str) -> bool:
    """Whether `is_wide` is true of a text because of what is around its pieces, for all we know."""
    is_known = len(pieces) <= _FEW and not _EMPTY_THINK.search(text)
    return not (is_known and all(_is_in_form(each, text) for each in pieces)) and is_wide(text)


def _is_in_form(piece: str, text: str) -> bool:
    """Whether a piece is at one place of a text, without white space to note around it."""
    before, found, after = text.partition(piece)
    return bool(found) and piece not in after and _white_around(before, after) <= _FORM


def _white_around(before: str, after: str) -> set[str]:
    """Return the white space at the end of one text and at the beginning of another."""
    return {before[len(before.rstrip(WHITE)) :], after[: len(after) - len(after.lstrip(WHITE))]}


class _Pending:
    """A call that waits for its outcome."""

    def __init__(
        self, index: int, own_id: str | None, name: str, *, is_skipped: bool, is_void: bool = False
    ) -> None:
        self.index = index
        self.id = own_id
        self.name = name
        self.is_skipped = is_skipped
        #: Whether it stands for a void block, whose answer is an event already.
        self.is_void = is_void
        self.outcome: CallOutcome | None = None
        #: The message that has the outcome.
        self.answered_at: int | None = None
        #: The number of its result among all results so far; 0 without one.
        self.order = 0


_CALL_LIKE: Final = re.compile("tool|function|call", re.IGNORECASE).search


def _call_like(part: Mapping[str, Any]) -> str:
    """Return the type or the member by which a part of a content may be a call or a result."""
    names = [str(part.get("type") or ""), *map(str, part)]
    return next(filter(_CALL_LIKE, names), "")


class Events(Changes):
    """Collects events; `index` is always that of the message that they come from."""

    def __init__(self, *, strict: bool = False) -> None:
        super().__init__()
        self.events: list[Event] = []
        #: Which message each event comes from; a result comes from that of its first outcome.
        self.places: list[int] = []
        self._strict = strict
        #: The number of calls so far, which is the number of the next call.
        self._calls = 0
        #: The number of results so far that answer a call.
        self._answers = 0
        self._pending: list[_Pending] = []
        #: The calls without an outcome, by their ids, in their order.
        self._waiting: dict[str | None, deque[_Pending]] = {}
        self._next: deque[_Pending] = deque()
        #: Where the `execute` of the turn is whose calls were cut, and why they were.
        self._cut: tuple[int, str] | None = None

    def in_order(
        self, messages: Iterable[Any], link_of: Callable[[Any], Link]
    ) -> Iterator[tuple[int, Any]]:
        """Yield messages with their indices, late results after the message with their call."""
        for index, message, is_late in in_order(messages, link_of):
            if is_late:
                self.note(index, "moved", LATE)
            yield index, message

    def refuse(self, index: int, reason: str) -> None:
        """Leave out an item that cannot be read, or raise `ValueError` if `strict`."""
        if self._strict:
            raise ValueError(f"message {index}: {reason}")
        self.note(index, "skipped", f"this is left out: {reason}")

    def text(self, index: int, kind: Literal["user", "think", "respond"], text: str) -> None:
        """Add a text, unless it is empty."""
        if text.strip(WHITE):
            event: Any = {"type": kind, "content": self.sendable(index, text)}
            self.add(index, event)
        elif text:
            self.note(index, "dropped", "there is only white space, which is not text")

    def refusal(self, index: int, refusal: object) -> None:
        """Add the refusal that a model's message has in a member of its own, if there is one."""
        if isinstance(refusal, str) and refusal:
            self.note(index, "retyped", _REFUSAL)
            self.text(index, "respond", refusal)

    def reasoning(self, index: int, message: Mapping[str, Any]) -> frozenset[str]:
        """Add the reasoning that a message has beside its text; return the members that say it."""
        if _REASONING.isdisjoint(message):
            return frozenset()
        texts = [(name, message.get(name)) for name in REASONING]
        own = next((value for _, value in texts if value and isinstance(value, str | list)), None)
        if own is None:
            return frozenset()
        self.text(index, "think", self.text_of(index, own))
        return frozenset(name for name, value in texts if value == own)

    def note_unread(
        self, index: int, members: Mapping[str, Any], read: Collection[str], what: str = "a message"
    ) -> None:
        """Note members with a value that no event can express; `read` are those that were read."""
        unread = members.keys() - read
        for name, value in members.items() if unread else ():
            if name in unread and value not in (None, [], {}, ""):
                self.note(index, "dropped", f"{short_repr(name)} of {what} has no event")

    def note_trimmed(self, index: int, text: str, spans: Iterable[tuple[int, int]]) -> None:
        """Note white space around the pieces of a text, and a think in which there is only that.

        One space and two line ends are the form in which templates write a piece.
        """
        gaps: list[str] = []
        end = 0
        for first, last in spans:
            gaps.append(text[end:first])
            end = last
        gaps.append(text[end:])
        for before, after in pairwise(gaps):
            if not _white_around(before, after) <= _FORM:
                self.note(index, "trimmed", "white space around a part of the text is left out")
                break
        if any(map(_EMPTY_THINK.search, gaps)):
            self.note(index, "dropped", EMPTY_THINK)

    def note_empty(self, index: int) -> None:
        """Note that a message is empty."""
        self.note(index, "dropped", "a message without text has no event")

    def text_of(self, index: int, content: object, *, has_calls: bool = True) -> str:
        """Return the text of a message's content, which may be in parts.

        A part that is named like a call or a result is refused, unless the message `has_calls`
        elsewhere, of which the part may say the same.
        """
        if content is None or isinstance(content, str):
            return content or ""
        texts: list[str] = []
        for part in content if isinstance(content, Iterable) else [content]:
            members = object_of(part) or {}
            text = members.get("text", members.get("refusal"))
            if isinstance(text, str):
                texts.append(text)
                if "text" not in members:
                    self.note(index, "retyped", _REFUSAL)
                self.note_unread(index, members, _OF_PARTS, "a part of the content")
            elif not has_calls and (name := _call_like(members)):
                self.refuse(index, f"{short_repr(name)} in its content is no call that can be read")
            else:
                kind = short_repr(members.get("type"))
                self.note(index, "dropped", f"content of type {kind} has no event")
        return self.joined(index, texts, "parts of the content")

    def call(
        self, index: int, own_id: object, name: object, args: object, *, is_sound: bool = False
    ) -> None:
        """Add a call; an invalid one is refused, together with its result.

        `args` is the JSON text of the arguments, or the arguments themselves.  It `is_sound` if it
        is known that readers of blocks accept it as those of a call.
        """
        own_id = own_id if isinstance(own_id, str) and own_id else None
        try:
            if not isinstance(name, str):
                raise ValueError("It has no name.")  # noqa: TRY301, TRY004 - refused below
            is_sound &= name not in ("", RESERVED_NAME)
            event = self._call(index, own_id, name, args, is_sound=is_sound)
        except ValueError as problem:
            self.refuse_call(index, own_id, name, str(problem))
            return
        self._calls += 1
        self.add(index, event)
        self._wait(_Pending(index, own_id, str(name), is_skipped=False))

    def custom_call(self, index: int, own_id: object, name: object, text: object) -> None:
        """Add a call of a custom tool, which is given a text."""
        self.note(index, "retyped", "the text for a custom tool is read as its argument `input`")
        self.call(index, own_id, name, {"input": text})

    def refuse_call(self, index: int, own_id: str | None, name: object, problem: str) -> None:
        """Leave out an invalid call and its result, or raise `ValueError` if `strict`."""
        known = name if isinstance(name, str) else ""
        which = f"the call of {short_repr(known)}" if known else "a call"
        self.refuse(index, f"{which} is invalid. {problem}")
        self._wait(_Pending(index, own_id, known, is_skipped=True))

    def _call(
        self, index: int, own_id: str | None, name: str, args: object, *, is_sound: bool
    ) -> CallEvent:
        """Return the event of a call; `ValueError` if the call is invalid."""
        args = args.strip(WHITE) if isinstance(args, str) else json_text(args, allow_nan=True)
        if not args:
            self.note(index, "completed", "the call has no arguments: they are {}")
            args = "{}"
        content = f'{{"name": {string(name)}, "args": {args}}}'
        try:
            if not is_sound:
                read_call(content)
        except ValueError:
            read_call(content[:-1])  # arguments that end too early do not end with our brace
            raise
        if args.count("[") + args.count("{") > _SHALLOW and decoded(content) is None:
            raise ValueError("It is nested too deeply to be decoded.")
        event: CallEvent = {"type": "call", "content": content}
        if own_id is not None and own_id != f"call_{self._calls}":
            event["id"] = own_id
        return event

    def pend(self, index: int, event: CallEvent) -> None:
        """Add a call that was read elsewhere to those that wait for an outcome."""
        name = json.loads(event["content"])["name"]
        own_id = event.get("id")
        own_id = own_id if isinstance(own_id, str) else None
        self._wait(_Pending(index, own_id, name, is_skipped=False))

    def _wait(self, call: _Pending) -> None:
        if call.id in self._waiting and call.id is not None:
            self.note(
                call.index, "mismatch", f"two calls of this turn have the id {short_repr(call.id)}"
            )
        self._pending.append(call)
        self._waiting.setdefault(call.id, deque()).append(call)
        self._next.append(call)

    def call_or_void(self, index: int, own_id: str | None, name: str, args: object) -> None:
        """Add a call of an agent, or the answer of a void block, which an agent has as a call."""
        if name == RESERVED_NAME:
            members = decoded(args) if isinstance(args, str) else args
            if isinstance(members, Mapping) and [*members] == [VOID_MEMBER]:
                message = members[VOID_MEMBER]
                if isinstance(message, str):
                    self._void(message, own_id)
                    return
        self.call(index, own_id, name, args)

    def _void(self, message: str, own_id: str | None) -> None:
        item = f'{{"tool": "{RESERVED_NAME}", "status": "failure", "content": {string(message)}}}'
        self._add_result(self.places[-1] if self.places else 0, [item], (0, 0, 1))
        self._wait(_Pending(0, own_id, RESERVED_NAME, is_skipped=True, is_void=True))

    def execute(self, *, cut: str = "") -> None:
        """End the calls of a turn, which may run; a turn without calls needs no end.

        `cut` says why the model did not end it, if it did not: then the calls may run only if a
        result shows that they have.
        """
        if any(not call.is_skipped for call in self._pending):
            if cut:
                self._cut = len(self.events), cut
            self.add(self._pending[-1].index, {"type": "execute"})

    def _void_cut(self, place: int, reason: str, calls: Sequence[_Pending]) -> None:
        """Write an error in place of the `execute` of calls that were cut."""
        for call in calls:
            self.note(call.index, "void", f"this call never ran, since its turn was cut: {reason}")
        self.events[place] = {
            "type": "error",
            "code": "unclosed-execute",
            "content": f"The turn was cut before its calls were complete ({reason}), so none of "
            "them has run. Send them again, with less at once if the turn was too long.",
            "offset": 0,
            "calls": len(calls),
        }

    def answer(
        self, index: int, own_id: object, outcome: CallOutcome, name: str | None = None
    ) -> None:
        """Add the outcome of the call with this id or, without an id, of the next call.

        `name` is that of the tool, if the outcome has it.
        """
        waiting = self._next
        if isinstance(own_id, str) and own_id:
            waiting = self._waiting.get(own_id, deque())
        while waiting:
            call = waiting.popleft()
            if call.outcome is None:
                status, content = outcome
                call.outcome = CallOutcome(status, self.sendable_json(index, content))
                call.answered_at = index
                self._answers += 1
                call.order = self._answers
                if call.is_void and outcome.status != "failure":
                    message = (
                        f"a call of {RESERVED_NAME!r} has succeeded: no tool may be called that"
                    )
                    self.refuse(index, message)
                if call.is_skipped and not call.is_void:
                    reason = "it is the result of a call that is left out"
                    reason += f", of {short_repr(call.name)}" if call.name else ""
                    self.note(index, "skipped", f"this is left out: {reason}")
                if name and name != call.name and not call.is_skipped:
                    message = f"the result is of {short_repr(name)}, and its call is of "
                    message += short_repr(call.name)
                    self.note(index, "mismatch", message)
                return
        self.note(index, "surplus", "a result that answers no call is left out")

    @property
    def waiting(self) -> int:
        """The number of calls of the turn that have no outcome."""
        return sum(call.outcome is None for call in self._pending)

    def settle(self, *, is_over: bool = False) -> None:
        """Write the result of the calls, if one of them has an outcome or the turn `is_over`."""
        if not self._pending:
            return
        calls = [call for call in self._pending if not call.is_skipped]
        cut, self._cut = self._cut, None
        if cut and not any(call.outcome for call in calls):
            self._void_cut(*cut, calls)
            calls = []
        self._pending.clear()
        self._waiting.clear()
        self._next.clear()
        if not (any(call.outcome for call in calls) or (is_over and calls)):
            return
        items: list[str] = []
        statuses: list[str] = []
        for call in calls:
            outcome = call.outcome
            if outcome is None:
                which = short_repr(call.name)
                message = f"no result was returned for {which}: it is written as cancelled"
                self.note(call.index, "orphan", message)
                outcome = failure(CANCELLED)
            name, (status, content) = string(call.name), outcome
            items.append(f'{{"tool": {name}, "status": "{status}", "content": {content}}}')
            statuses.append(status)
        answered = (call for call in calls if call.answered_at is not None)
        for first, then in pairwise(answered):
            if then.order < first.order:
                self.note(then.answered_at or 0, "moved", REORDERED)
        succeeded = statuses.count("success")
        places = [call.answered_at for call in calls if call.answered_at is not None]
        place = min(places, default=calls[0].index)
        self._add_result(place, items, (len(items), succeeded, len(items) - succeeded))

    def end(self, report: list[Change] | None, places: list[int] | None = None) -> list[Event]:
        """Settle the last turn, and return all events; append their messages to `places`."""
        self.settle()
        self.give(report)
        if places is not None:
            places += self.places
        return self.events

    def add(self, index: int, event: Event) -> None:
        """Add an event that was read elsewhere."""
        self.events.append(event)
        self.places.append(index)

    def _add_result(self, index: int, items: list[str], counts: tuple[int, int, int]) -> None:
        ran, succeeded, failed = counts
        self.add(
            index,
            {
                "type": "result",
                "content": write_array(items),
                "payload": {
                    "tools_executed": ran,
                    "success_count": succeeded,
                    "failure_count": failed,
                },
            },
        )


def object_of(value: Any) -> Mapping[str, Any] | None:
    """Return a value, which may be an SDK's own object, if it is a JSON object."""
    if type(value) is dict:  # as nearly all are
        return value
    dump = getattr(value, "model_dump", None)
    members = dump(mode="json", exclude_none=True) if callable(dump) else value
    return members if isinstance(members, Mapping) else None
