# SPDX-License-Identifier: MIT
"""Writes calls between tags as models are trained to write them, and teaches how to."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ...text import shorten
from ..blocks.values import RenderError
from ..writing_interface import CallWriting, TextKind
from .bare import SEPARATOR
from .longest import markers_in
from .markers import MarkerSet, Pair, Role
from .message_writing import READING_SEPARATE, PairedWriting, write_bodies
from .wrapped import Wrapped

#: Whether what is escaped of a marker may be in JSON outside of strings, where nothing is escaped.
_LIKE_JSON: Final = re.compile(
    r"""(?:["\\].*|[\[\]{},: ]+|[-+.e\d]+|[truefalsn]{1,5})[>:\]]*\Z""",
    re.IGNORECASE | re.ASCII | re.DOTALL,
).match


class WrappedWriting(PairedWriting):
    """Writes each call and each result between its own tags."""

    joint = "\n"

    def __init__(self, frame: Wrapped) -> None:
        results = *frame.result.openers, *frame.result.closers
        think_ends = frame.think.closers
        if frame.think_ends_at_call:
            headers = frame.header.open if frame.header is not None else ()
            think_ends = *think_ends, *frame.call_roles, *headers
        super().__init__(frame.think.written, results, think_ends, frame.openers, frame.strays)
        closers = frame.call_closers
        self._frame = frame
        #: What closes a call that another one follows: the first closer that does not end the turn.
        self._between = next((mark for mark, role in closers.items() if role == "close"), "")
        # The markers that begin like an opener that is written, of which the longest counts.
        live = *frame.openers, *frame.section.closers
        self._longer = {
            opener: [each for each in live if each != opener and each.startswith(opener)]
            for each in (frame.think, frame.call, frame.section, frame.result)
            for opener in each.openers[:1]
        }
        # With one of these at the end of a result, a closer would begin in it.
        opener, closer = frame.result.written
        self._longer_result = tuple(self._longer.get(opener, ()))
        after = f"{frame.gap}{closer}"
        self._cut = tuple(
            each[:size]
            for each in frame.result.closers
            for size in range(1, len(each))
            if after.startswith(each[size:])
        )
        self._like_json = next(filter(_LIKE_JSON, self.lookalikes), "")
        self.is_sure_of_results = not (self._cut or self._longer_result or self._like_json)

    def _marker_set(self, roles: dict[str, Role], *, is_last: bool) -> MarkerSet:
        return markers_in(roles, is_last=is_last)

    def risky(self, kind: TextKind) -> tuple[str, ...]:
        opener = self._think[0]
        longer = self._longer.get(opener, ()) if kind == "think" else ()
        return tuple(marker[len(opener)] for marker in longer)

    def call_parts(self, calls: Iterable[str], form: CallWriting) -> list[str]:
        gap = self._frame.gap
        calls = list(calls)
        if not calls:
            raise RenderError("", "a batch without calls, which this dialect cannot express")
        if form.is_whole:
            payloads = [form.join(calls, gap)]
        else:
            payloads = [form.join([call], gap, index) for index, call in enumerate(calls)]
        opener, last = self._frame.call.written
        closers = [*[self._between] * (len(payloads) - 1), last]
        written = [
            self._begun((opener, closer), payload, f"/{index}")
            for index, (payload, closer) in enumerate(zip(payloads, closers, strict=True))
        ]
        if not self._frame.section.openers:
            return written
        inner = "\n".join(["", *written, ""])
        return [self._begun(self._frame.section.written, inner, "")]

    def _begun(self, markers: Pair, inner: str, path: str) -> str:
        """Return `inner` between two markers; `RenderError` if it makes another of the first."""
        opener, closer = markers
        text = f"{opener}{inner}{closer}"
        for marker in self._longer.get(opener, ()):
            if text.startswith(marker):
                raise RenderError(path, f"would begin with the marker {marker!r}")
        return text

    def write_results(self, content: str, items: Sequence[object] | None = None) -> str:
        opener, closer, gap = *self._frame.result.written, self._frame.gap
        if not opener:
            reason = "use the model's chat template, with messages that a bridge writes"
            raise RenderError("", f"results, for which this format has no markers: {reason}")
        if alike := self._like_json:
            reason = f"results: {alike!r} may be in their JSON outside of strings, with no escape"
            raise RenderError("", reason)
        bodies = write_bodies(content, items, self, closer, self._is_whole) or ["[]"]
        if cut := next((body for body in bodies if not self._is_whole(body)), ""):
            reason = f"results: {shorten(cut)} and the markers around it would make another marker"
            raise RenderError("", reason)
        return "\n".join([f"{opener}{gap}{body}{gap}{closer}" for body in bodies])

    def _is_whole(self, body: str) -> bool:
        """Whether no marker begins in a body, or in the opener before it, and ends after it."""
        if body.endswith(self._cut):
            return False
        if not self._longer_result:
            return True
        opener, closer, gap = *self._frame.result.written, self._frame.gap
        return not f"{opener}{gap}{body}{gap}{closer}\n".startswith(self._longer_result)

    @property
    def lookalikes(self) -> tuple[str, ...]:
        frame = self._frame
        parts = frame.think, frame.call, frame.section, frame.result
        return *frame.openers, *(closer for part in parts for closer in part.closers)

    def wording(self, calls: CallWriting) -> dict[str, str]:
        """Return the instructions on calls between tags."""
        frame = self._frame
        think, section, call = frame.think.written, frame.section.written, frame.call.written
        opener, closer = call if call[0] else section
        place = f"between `{opener}` and `{closer}`" if closer else f"after `{opener}`"
        if frame.header is not None and not opener:
            opener, closer = frame.header.open[0], call[1]
            place = f"before `{closer}`" if closer else "in your message"
        markers = filter(None, (*think, *section, *call, *frame.result.written))
        more = ""
        if section[0] and opener == call[0]:
            more = f" Write all calls between `{'` and `'.join(section)}`."
        elif frame.ends_at_call:
            more = (
                f" After a call that another one follows, write `{self._between}`, since "
                f"`{call[1]}` ends your message."
            )
        return {
            **self._words(markers, opener),
            "calling": f"Write each call {place}: {calls.description}{more}",
            "stop": "after the last call",
            "reading": READING_SEPARATE,
            "rules": "\n".join(
                [
                    f"- {place[0].upper()}{place[1:]} there is {calls.rules}",
                    "- The calls run where your message ends.",
                ]
            ),
        }


class BareWriting(WrappedWriting):
    """Writes each call after its tag; prose may begin like a call, or like what follows one."""

    def __init__(self, frame: Wrapped) -> None:
        super().__init__(frame)
        self._begins = frame.begins, SEPARATOR

    def risky(self, kind: TextKind) -> tuple[str, ...]:
        return self._begins if kind == "respond" else super().risky(kind)
