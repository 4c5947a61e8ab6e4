"""Bugs that show where a text comes in chunks."""

from typing import Final

from conformance.zoo.making import bug_in

_streaming: Final = bug_in("streaming")
_buffering: Final = bug_in("buffering")


ANIMALS: Final = (
    _streaming(
        "white-chunks-eaten",
        "white-chunks-skipped",
        "A chunk of white space is skipped.",
        """⟦¦        if not chunk.strip():
            return []
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "chunks-trimmed",
        "chunks-trimmed",
        "Every chunk is trimmed.",
        """⟦¦        chunk = chunk.strip()
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "last-chunk-trimmed",
        "chunks-trimmed",
        "White space at the beginning of a chunk is not content.",
        """⟦¦        chunk = chunk if self.data is None else chunk.lstrip()
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "empty-chunk-ends-the-text",
        "outcome-depends-on-chunks",
        "An empty chunk ends the text.",
        """⟦¦        if not chunk:
            return self.close()
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "bytes-decoded-by-chunk",
        "utf-8-split-across-chunks",
        "The bytes of every chunk are decoded by themselves.",
        """⟦¦        if isinstance(chunk, bytes):
            chunk = chunk.decode("utf-8", "replace")
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "broken-bytes-by-chunk",
        "utf-8-split-across-chunks",
        "Bytes of a chunk that are not complete characters are left out.",
        """⟦¦        if isinstance(chunk, bytes):
            chunk = chunk.decode("utf-8", "ignore")
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "halves-by-chunk",
        "emoji-cut-in-half",
        "Half of a surrogate pair at the end of a chunk is replaced at once.",
        """⟦¦        if isinstance(chunk, str):
            chunk = chunk.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "bom-of-each-chunk",
        "byte-order-mark-dropped",
        "A byte order mark at the beginning of a chunk is dropped.",
        """⟦¦        if isinstance(chunk, str):
            chunk = chunk.removeprefix("\\ufeff")
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "line-ends-by-chunk",
        "line-ends-rewritten",
        "Line ends are normalised in every chunk by itself.",
        """⟦¦        if isinstance(chunk, str):
            chunk = chunk.replace("\\r\\n", "\\n")
⟧        self.data = chunk if self.data is None else self.data + chunk""",
    ),
    _streaming(
        "hold-back-of-nothing",
        "hold-back-too-short",
        "Nothing is held back: the text so far is read as if it were complete.",
        "        return self.news(⟦so_far¦whole⟧(self.data, self.options))",
    ),
    _streaming(
        "hold-back-of-no-sign",
        "marker-split-across-chunks",
        "The first character of a marker is shown if the chunk ends with it.",
        """        content = reading.content
⟦¦        if reading.kind and self.data[-1:] in ("<", "§"):
            content += self.data[-1:]
⟧""",
    ),
    _streaming(
        "hold-back-of-five",
        "hold-back-too-short",
        "At most five characters are held back, and longer beginnings of markers are shown.",
        """        content = reading.content
⟦¦        text = self.data if isinstance(self.data, str) and reading.kind else ""
        half = text[text.rfind("<") :]
        if len(half) > 5 and half.startswith("<") and ">" not in half:
            content += "" if content.endswith(half) else half
⟧""",
    ),
    _streaming(
        "hold-back-too-long",
        "held-back-too-long",
        "The last ten characters are always held back.",
        """⟦¦        if len(reading.content) < self.shown + 10:
            return []
⟧        delta: Event = {"type": reading.kind, "content": content[self.shown :]}""",
    ),
    _streaming(
        "hold-back-of-lines",
        "held-back-too-long",
        "Text is emitted line by line.",
        """⟦¦        if "\\n" not in reading.content[self.shown :]:
            return []
⟧        delta: Event = {"type": reading.kind, "content": content[self.shown :]}""",
    ),
    _streaming(
        "hold-back-to-the-end",
        "unbounded-hold",
        "Segments are emitted when they are complete.",
        "        if ⟦not self.is_token or len(content) <= self.shown¦True⟧:",
    ),
    _streaming(
        "everything-at-the-close",
        "held-back-too-long",
        "Everything is emitted at the close.",
        """⟦        return self.news(so_far(self.data, self.options))¦\
        so_far(self.data, self.options)
        return []⟧""",
    ),
    _streaming(
        "calls-at-the-closer",
        "call-only-at-the-closer",
        "Calls are emitted when their block is complete.",
        """        self.reading = reading
⟦¦        while reading.state == "execute" and reading.events[-1:] and \
reading.events[-1]["type"] == "call":
            import dataclasses
            reading = dataclasses.replace(reading, events=reading.events[:-1])
⟧""",
    ),
    _streaming(
        "errors-at-the-closer",
        "error-only-at-the-closer",
        "An error is emitted when its block ends.",
        """        self.reading = reading
⟦¦        if reading.state == "execute" and reading.events[-1:] and \
reading.events[-1]["type"] == "error":
            import dataclasses
            reading = dataclasses.replace(reading, events=reading.events[:-1])
⟧""",
    ),
    _streaming(
        "stops-one-chunk-late",
        "held-back-too-long",
        "Events are emitted with the chunk after them.",
        "        return self.news(so_far(self.data⟦¦[: -len(chunk) or None]⟧, self.options))",
    ),
    _streaming(
        "tail-lost-at-the-close",
        "held-text-swallowed",
        "What is held back at the end is lost.",
        'return self.news(⟦whole¦so_far⟧("" if self.data is None else self.data, self.options))',
    ),
    _streaming(
        "last-deltas-lost",
        "held-text-swallowed",
        "The last delta of a segment has no content.",
        (
            'delta = {"type": event["type"], "content": ⟦event["content"][self.shown :¦'
            '"" if self.shown else event["content"⟧]}'
        ),
    ),
    _streaming(
        "deltas-from-the-beginning",
        "events-retracted",
        "Every delta has the whole segment so far.",
        '        delta: Event = {"type": reading.kind, "content": content⟦[self.shown :]¦⟧}',
    ),
    _streaming(
        "deltas-and-segments",
        "events-retracted",
        "The last delta of a segment has all of it.",
        'delta = {"type": event["type"], "content": event["content"]⟦[self.shown :]¦⟧}',
    ),
    _streaming(
        "deltas-never-done",
        "call-started-never-ended",
        "No delta is marked as the last of its segment.",
        'delta |= {"segment": self.segment⟦, "done": True¦⟧}',
    ),
    _streaming(
        "deltas-always-done",
        "delta-numbering-wrong",
        "Every delta is marked as the last of its segment.",
        """        delta["segment"] = self.segment
⟦¦        delta["done"] = True
⟧""",
    ),
    _streaming(
        "deltas-of-one-segment",
        "delta-numbering-wrong",
        "All segments have one number.",
        """⟦        self.segment += 1
¦⟧""",
    ),
    _streaming(
        "deltas-numbered-from-one",
        "delta-numbering-wrong",
        "Segments are numbered from 1.",
        "        self.segment = ⟦0¦1⟧",
    ),
    _streaming(
        "deltas-trimmed",
        "chunks-trimmed",
        "Deltas are trimmed.",
        """⟦        delta: Event = {"type": reading.kind, "content": content[self.shown :]}
¦        delta: Event = {"type": reading.kind, "content": reading.content[self.shown :].strip()}
⟧""",
    ),
    _streaming(
        "tail-without-what-is-sealed",
        "raw-has-gaps",
        "The tail of a text that is open begins after the calls that are held back.",
        """⟦return reply | ({"tail": reading.tail} if stream.raw else {})¦\
is_held = stream.options[1].calls == "sealed" and not request.get("close", True)
    tail = "" if is_held else reading.tail
    return reply | ({"tail": tail} if stream.raw else {})⟧""",
    ),
    _streaming(
        "deltas-raw-twice",
        "raw-has-gaps",
        "The last delta of a segment has the raw text of all of it.",
        'event["raw"]⟦[self.raw_shown :]¦⟧',
    ),
    _streaming(
        "snapshot-without-what-was-given",
        "outcome-depends-on-chunks",
        "A restored parser emits its events again.",
        'self.⟦given, self.shown = stored["given"],¦shown =⟧ stored["shown"]',
    ),
    _streaming(
        "snapshot-without-what-was-shown",
        "events-retracted",
        "A parser that is restored shows its open segment again.",
        'self.given⟦, self.shown = stored["given"], stored["shown¦ = stored["given⟧"]',
    ),
    _streaming(
        "snapshot-without-what-is-held",
        "held-text-swallowed",
        "What is held back is not in the snapshot.",
        """⟦¦        if isinstance(data, str) and data[-1:] in ("<", "§", " ", "\\n"):
            data = data[:-1]
⟧        text = base64.b64encode(data).decode() if isinstance(data, bytes) else data""",
    ),
    _streaming(
        "snapshot-of-text-only",
        "utf-8-split-across-chunks",
        "An incomplete character is not in the snapshot.",
        """⟦¦        if isinstance(data, bytes):
            data = data.decode("utf-8", "ignore").encode("utf-8")
⟧        text = base64.b64encode(data).decode() if isinstance(data, bytes) else data""",
    ),
    _streaming(
        "snapshot-without-segments",
        "delta-numbering-wrong",
        "A restored parser numbers its segments from zero again.",
        (
            'self.raw_shown⟦, self.segment = stored["raw_shown"], stored["segment¦'
            ' = stored["raw_shown⟧"]'
        ),
    ),
    _streaming(
        "snapshot-without-raw",
        "raw-has-gaps",
        "A restored parser has lost which raw text was emitted.",
        'self.⟦raw_shown, self.segment = stored["raw_shown"],¦segment =⟧ stored["segment"]',
    ),
    _streaming(
        "turns-that-leak",
        "state-leaks-into-the-next-turn",
        "The text of one turn precedes that of the next.",
        '        self.data: Any = ⟦¦self.data if hasattr(self, "data") else ⟧None',
    ),
    _streaming(
        "turns-that-leak-what-was-given",
        "state-leaks-into-the-next-turn",
        "As many events as one turn gave are missing in the next.",
        '        self.given = ⟦0¦getattr(self, "given", 0)⟧',
    ),
    _streaming(
        "turns-that-leak-segments",
        "state-leaks-into-the-next-turn",
        "Segments are numbered on from turn to turn.",
        '        self.segment = ⟦0¦getattr(self, "segment", 0)⟧',
    ),
    _streaming(
        "turns-that-start-in-prose",
        "state-leaks-into-the-next-turn",
        "The prompt opens a think in the first turn only.",
        """            stream.next_turn()
⟦¦            stream.options = (stream.options[0], stream.options[1]._replace(start="prose"))
⟧        turns""",
    ),
    _streaming(
        "decoding-that-stops",
        "decoding-stops-at-the-hard-stop",
        "Behind a hard stop chunks are counted and not decoded.",
        """⟦¦        if self.reading.state in ("paused", "ended") and isinstance(chunk, str):
            chunk = "?" * len(chunk)
        elif self.reading.state in ("paused", "ended"):
            chunk = b"?" * len(chunk)
⟧        self.data = chunk if self.data is None else self.data + chunk
        return""",
    ),
    _streaming(
        "state-of-the-whole",
        "state-misreported",
        "The state is what it would be if the text ended here.",
        '        self.reading = ⟦reading¦whole(self.data or "", self.options)⟧',
    ),
    _streaming(
        "state-before-the-payload",
        "state-misreported",
        "The state before the payload of a call is that of prose.",
        """⟦    reply = {"feeds": feeds, "close": close, "state": reading.state}
¦    state = "prose" if reading.state == "execute" and not request.get("close", True) \
else reading.state
    reply = {"feeds": feeds, "close": close, "state": state}
⟧""",
    ),
    _streaming(
        "state-of-held-markers",
        "state-misreported",
        "The state is that of a marker before its boundary has arrived.",
        """⟦    reply = {"feeds": feeds, "close": close, "state": reading.state}
¦    is_held = str(stream.data).endswith(("§execute", "§end", "<thin"))
    state = "paused" if is_held and not close else reading.state
    reply = {"feeds": feeds, "close": close, "state": state}
⟧""",
    ),
    _streaming(
        "state-of-open-results",
        "state-misreported",
        "The state is that of results as long as results may follow.",
        """⟦    reply = {"feeds": feeds, "close": close, "state": reading.state}
¦    may_come = reading.events[-1:] == [{"type": "execute"}] and not request.get("close", True)
    state = ("prose" if reading.state == "results" else "results") if may_come else reading.state
    reply = {"feeds": feeds, "close": close, "state": state}
⟧""",
    ),
    _streaming(
        "state-of-an-open-think",
        "state-misreported",
        "A think without content yet is prose.",
        """    ⟦reply = {"feeds": feeds, "close": close, "state": reading.¦state = reading.state
    if state == "think" and not reading.content:
        state = "prose"
    reply = {"feeds": feeds, "close": close, "state": ⟧state}""",
    ),
    _buffering(
        "quadratic-buffer",
        "quadratic-buffering",
        "With every chunk the whole buffer is searched.",
        "        self.look(⟦max(0, len(self.text) - len(chunk) - LONGEST)¦0⟧)",
    ),
    _buffering(
        "quadratic-in-plain-text",
        "quadratic-plain-text",
        "Until a marker is found, the search starts at the beginning.",
        """⟦        self.look(max(0, len(self.text) - len(chunk) - LONGEST))¦\
        first = max(0, len(self.text) - len(chunk) - LONGEST)
        self.look(first if "<execute>" in self.text else 0)⟧""",
    ),
    _buffering(
        "quadratic-in-blocks",
        "re-parse-per-delta",
        "While a block is open it is read again with every chunk.",
        """⟦        self.look(max(0, len(self.text) - len(chunk) - LONGEST))¦\
        first = max(0, len(self.text) - len(chunk) - LONGEST)
        is_open = "<execute>" in self.text or "§call:" in self.text
        self.look(0 if is_open else first)⟧""",
    ),
)
