# SPDX-License-Identifier: MIT
"""Writes the parts of a message, between tags or after markers, and teaches how to."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from ...events import RESULT_MEMBERS, UNLIMITED
from ...text import WHITE
from ...text.decoding import is_text
from ...text.json_text import elements, members, on_one_line, same_json, spelled
from ..blocks.results import is_json
from ..blocks.values import RenderError
from ..writing_interface import CallWriting, FrameWriting, ModelKind, PartKind
from .lines import Lines
from .markers import MarkerSet, Pair, Role, literal
from .tags import Tags

#: The instructions on results that are separate.
READING_SEPARATE: Final = (
    "A result is what the tool returned. After a failure, or where that could be "
    "misread, it is\nan object with `tool`, `status` and `content`: what the tool "
    'returned or, where `status` is\n`"failure"`, what went wrong.'
)


# -- Parts between an opener and a closer ----------------------------------------------------------


class PairedWriting(FrameWriting):
    """Writes think and prose, in which markers are live wherever they appear."""

    def __init__(
        self,
        think: Pair,
        results: Iterable[str],
        think_ends: Iterable[str],
        openers: Iterable[str],
        strays: Iterable[str] = (),
    ) -> None:
        """Besides the `openers` and `think_ends`, `strays` are live after a call."""
        self._think = think
        # Users may write markers, but nothing that could be mistaken for results.
        of_results = "|".join(map(re.escape, results)) or "(?!)"
        self._of_users = re.compile(f"(?=({of_results}))", re.IGNORECASE | re.ASCII)
        live, strays = {"think": tuple(think_ends), "respond": tuple(openers)}, tuple(strays)
        self._live = {
            (kind, has_called): (*live[kind], *(strays if has_called else ()))
            for kind in live
            for has_called in (False, True)
        }
        self._markers: dict[tuple[str, bool, bool], MarkerSet] = {}

    def text_ends(self, kind: ModelKind) -> Pair:
        return self._think if kind == "think" else ("", "")

    def think_opener(self) -> str:
        return self._think[0]

    def live(self, kind: ModelKind, *, has_called: bool, is_last: bool) -> MarkerSet:
        key = kind, has_called, is_last
        if key not in self._markers:
            roles: dict[str, Role] = dict.fromkeys(self._live[key[:2]], "prose")
            self._markers[key] = self._marker_set(roles, is_last=is_last)
        return self._markers[key]

    def _marker_set(self, roles: dict[str, Role], *, is_last: bool) -> MarkerSet:
        return MarkerSet(roles)  # none is the beginning of another

    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        return before == after and before in ("user", "respond")

    def _words(self, markers: Iterable[str], opener: str) -> dict[str, str]:
        """Return the instructions on `markers`, on thinking, and on quoting a marker."""
        listed = " ".join(f"`{marker}`" for marker in markers)
        shown = literal(opener)
        case = ""
        if listed.islower() or listed.isupper():
            case = f", in {'lower' if listed.islower() else 'upper'} case"
        return {
            "markers": (
                "A program reads what you write. It knows these markers, spelled exactly like "
                f"this{case}:\n{listed}."
            ),
            "thinking": (
                f"{'reasoning'.join(self._think)}\n\n"
                "Thinking is optional, and the user does not see it. It ends at the first "
                f"`{self._think[1]}`. Text\noutside of the markers is your answer, which "
                "the user sees."
            ),
            "quoting": (
                "In your answer a marker acts as a marker wherever it appears, in code and in "
                "quotes too. To show one\nto the user, write "
                f"`{shown[: shown.index(';') + 1]}` for its first character: `{shown}`."
            ),
        }


class TagWriting(PairedWriting):
    """Writes parts between an opener and a closer."""

    joint = "\n\n"

    def __init__(self, frame: Tags) -> None:
        super().__init__(frame.think, frame.results, frame.think[1:], frame.openers)
        self._frame = frame

    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        return [_framed(form.join(calls), self._frame.execute)]

    def write_results(self, content: str, items: Sequence[object] | None = None) -> str:
        return _framed(content, self._frame.results)

    @property
    def lookalikes(self) -> tuple[str, ...]:
        closers = (self._frame.think[1], self._frame.execute[1], self._frame.results[1])
        # A reader that knows only openers and closers may mistake this for one.
        end = (f"{self._frame.end[0]}/{self._frame.end[1:]}",) if self._frame.end else ()
        return (*self._frame.openers, *closers, *end)

    def wording(self, calls: CallWriting) -> dict[str, str]:
        """Return the instructions on markers around their parts."""
        frame = self._frame
        markers = [*frame.think, *frame.execute, *frame.results, *filter(None, [frame.end])]
        opener, closer = frame.execute
        return {
            **self._words(markers, opener),
            "calling": f"Write one block: {calls.description}",
            "stop": f"at `{closer}`",
            "reading": "`content` is what the tool returned or, where `status` is "
            '`"failure"`, what went wrong.',
            "rules": "\n".join(
                [
                    f"- Between `{opener}` and `{closer}` there is {calls.rules}",
                    f"- The block ends with `{closer}`.",
                ]
            ),
        }


def _framed(content: str, markers: Pair) -> str:
    opener, closer = markers
    return f"{opener}\n{content}\n{closer}" if content else f"{opener}\n{closer}"


# -- Parts that begin with a marker ----------------------------------------------------------------


class LineWriting(FrameWriting):
    """Writes parts that last until the next marker."""

    joint = "\n"

    def __init__(self, frame: Lines) -> None:
        self._frame = frame
        # No marker precedes a user's text, so every marker in it would be live; and a model reads
        # those of results in any case.  After a literal form no place in the line is fresh.
        boundary = rf"(?=[ \t\r\n{frame.mark}]|\Z)"
        markers = "|".join(
            re.escape(marker) + (boundary if marker[-1].isalnum() else "")
            for marker in frame.openers
        )
        of_users = rf"(?:\A|[\r\n])[ \t]*({markers})"
        self._of_users = re.compile(of_users, re.IGNORECASE | re.ASCII)

    @property
    def closing(self) -> str:
        return self._frame.end

    @property
    def results_end(self) -> str:
        # A body without a closer lasts until the next marker.
        _, closer = self._frame.results[0]
        return "" if closer else self._frame.end

    def text_ends(self, kind: ModelKind) -> Pair:
        return f"{self._frame.think if kind == 'think' else self._frame.respond} ", ""

    def think_opener(self) -> str:
        return self._frame.think

    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        return [*(f"{self._frame.call} {call}" for call in calls), self._frame.execute]

    def write_results(self, content: str, items: Sequence[object] | None = None) -> str:
        opener, closer = self._frame.results[0]
        opener = f"{opener.rstrip()} "
        # An empty array of results is written as `[]`, since a message must not be empty.
        bodies = write_bodies(content, items, self, closer) or ["[]"]
        return "\n".join([f"{opener}{body}{closer}" for body in bodies])

    @property
    def lookalikes(self) -> tuple[str, ...]:
        return self._frame.openers

    def live(self, kind: ModelKind, *, has_called: bool, is_last: bool) -> MarkerSet:
        return self._frame.markers.think if kind == "think" else self._frame.markers.prose

    def loses_boundary(self, before: PartKind, after: PartKind) -> bool:
        return before == after == "user"

    def wording(self, calls: CallWriting) -> dict[str, str]:
        """Return the instructions on markers at the start of a line."""
        frame = self._frame
        results = [opener for opener, _ in frame.results]
        openers = (
            frame.think,
            frame.call,
            frame.execute,
            frame.respond,
            frame.end,
            *results,
        )
        markers = " ".join(f"`{marker}`" for marker in openers)
        bracketed = [opener for opener in results if not opener.startswith(frame.mark)]
        shown = " and ".join(f"`{literal(marker)}`" for marker in (frame.execute, *bracketed))
        return {
            "markers": (
                "A program reads what you write. It knows these markers, each at the start of a "
                f"line:\n{markers}.\nEach part ends at the next marker."
            ),
            "thinking": (
                f"{frame.think} reasoning\n\n"
                "Thinking is optional, and the user does not see it. Your answer, which the user "
                f"sees, comes after\n`{frame.respond}`."
            ),
            "calling": (
                f"Write `{frame.call}` and {calls.description}\n"
                f"Then write `{frame.execute}` on a line of its own. This is one block:"
            ),
            "stop": f"at `{frame.execute}`",
            "reading": READING_SEPARATE,
            "rules": "\n".join(
                [
                    f"- After `{frame.call}` there is {calls.rules}",
                    f"- After the last call there is `{frame.execute}`.",
                ]
            ),
            "quoting": (
                "In your answer a marker at the start of a line acts as a marker, in lower or "
                "upper case, in code and\nin quotes too. To show one to the user, write its first "
                f"character as in\n{shown}."
            ),
        }


# -- Separate results ------------------------------------------------------------------------------


def write_bodies(
    content: str,
    items: Sequence[Any] | None,
    writing: FrameWriting,
    closer: str,
    is_whole: Callable[[str], bool] = bool,
) -> list[str]:
    """Return the bodies of the results in `content`, an array; `closer` follows each body.

    `items` are the decoded results, or `None` if `content` has not been decoded, and `is_whole`
    says whether a text between its markers is read whole.  Raises `ValueError` or `KeyError` for an
    item that is not a result.
    """
    texts: Sequence[str] = ()
    if items is None:
        known = list(spelled(content.strip(WHITE)))
        texts, items = [text for text, _ in known], [value for _, value in known]
    if not {dict}.issuperset(map(type, items)):
        raise ValueError("not an object")
    given = [item.get("content") for item in items]
    # One search in all contents is several times as fast as one in each.
    are_safe = _is_safe("\n".join([each for each in given if type(each) is str]), writing, closer)
    bodies: list[str] = []
    for index, (result, value) in enumerate(zip(items, given, strict=True)):
        is_bare = result["status"] == "success" and result.keys() == RESULT_MEMBERS
        if (
            (is_bare and type(value) is str and value and value == value.strip(WHITE))
            and (are_safe or _is_safe(value, writing, closer))
            and is_whole(value)
            and not is_json(value, UNLIMITED)
        ):
            bodies.append(value)
            continue
        texts = texts or elements(content.strip(WHITE))
        text = texts[index]
        if is_bare and (type(value) is not dict or value.keys() != RESULT_MEMBERS):
            text = dict(members(text))["content"]
        line = on_one_line(text)
        if (body := writing.escape(line)) != line and not same_json(body, line):
            raise RenderError(f"/{index}", "JSON in which a lookalike cannot be escaped")
        bodies.append(body)
    return bodies


def _is_safe(text: str, writing: FrameWriting, closer: str) -> bool:
    """Whether no line of `text` can be mistaken for anything else."""
    return is_text(text) and not (
        writing.lookalikes_in(text)
        or (closer and closer in text and re.search(rf"{re.escape(closer)}(?:[\r\n]|\Z)", text))
    )
