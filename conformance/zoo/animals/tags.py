"""Bugs in segments and markers of the dialects with tags."""

from typing import Final

from conformance.zoo.animals.characters import rewriting
from conformance.zoo.making import Animal

ANIMALS: Final = (
    Animal(
        "markers-in-any-case",
        "marker-matched-too-loosely",
        "Markers are compared without regard to case.",
        "tags",
        """                if self.characters.startswith(marker, self.at):
                    return marker""",
        """                if self.characters[self.at : self.at + len(marker)].lower() == marker:
                    return marker""",
    ),
    Animal(
        "markers-with-spaces",
        "marker-with-attributes-or-spaces",
        "White space in a marker is no matter.",
        "tags",
        """                if self.characters.startswith(marker, self.at):
                    return marker""",
        """                end = self.characters.find(">", self.at) + 1
                if self.characters[self.at : end].replace(" ", "") == marker:
                    self.at = end - len(marker)
                    return marker""",
    ),
    Animal(
        "markers-with-attributes",
        "marker-with-attributes-or-spaces",
        "A marker may have attributes.",
        "tags",
        """                if self.characters.startswith(marker, self.at):
                    return marker""",
        """                end = self.characters.find(">", self.at) + 1
                inside = self.characters[self.at + 1 : end - 1].split(" ")[0]
                if inside == marker[1:-1]:
                    self.at = end - len(marker)
                    return marker""",
    ),
    Animal(
        "markers-without-their-bracket",
        "marker-matched-too-loosely",
        "A marker is taken before its last character has come.",
        "tags",
        """                if self.characters.startswith(marker, self.at):
                    return marker""",
        """                if self.characters.startswith(marker[:-1], self.at):
                    return marker""",
    ),
    Animal(
        "markers-at-line-starts",
        "marker-prefix-lost",
        "A marker counts at the start of a line only.",
        "tags",
        """        if self.characters.startswith("<", self.at):
            for""",
        """        before = self.characters[: self.at].rstrip(" \\t")
        if self.characters.startswith("<", self.at) and (not before or before[-1] in "\\n>"):
            for""",
    ),
    Animal(
        "closers-are-markers",
        "stray-think-closer",
        "A closer without its opener vanishes from prose.",
        "tags",
        """        first = self.at
        while self.at < len(self.characters) and self.marker_here()""",
        """        for closer in ("</think>", "</execute>", "</results>"):
            if self.characters.startswith(closer, self.at):
                self.at += len(closer)
        first = self.at
        while self.at < len(self.characters) and self.marker_here()""",
    ),
    Animal(
        "closers-end-prose",
        "stray-think-closer",
        "Everything before a stray `</think>` is taken for thinking.",
        "tags",
        '        if event := self.emit_segment("respond", first, self.at):\n',
        '        found = self.characters.find("</think>", first, self.at)\n'
        "        if found >= 0:\n"
        '            self.emit_segment("think", first, found)\n'
        '            first = found + len("</think>")\n'
        '        if event := self.emit_segment("respond", first, self.at):\n',
    ),
    Animal(
        "invisible-characters-in-markers",
        "marker-matched-too-loosely",
        "Zero-width characters are taken out before markers are looked for.",
        "tags",
        """                if self.characters.startswith(marker, self.at):
                    return marker""",
        """                end = self.characters.find(">", self.at) + 1
                if self.characters[self.at : end].replace("\\u200b", "") == marker:
                    self.at = end - len(marker)
                    return marker""",
    ),
    Animal(
        "references-resolved",
        "entities-resolved",
        "The literal form of a marker is turned back into the marker.",
        "ledger",
        "content=content.rstrip(WHITE))",
        'content=content.rstrip(WHITE).replace("&lt;", "<").replace("&sect;", "§"))',
    ),
    rewriting(
        "references-are-markers",
        "entities-resolved",
        "The literal form of a marker is a marker.",
        'data = data.replace("&lt;", "<")',
    ),
    Animal(
        "fences-hide-markers",
        "call-in-a-code-fence",
        "Markers in a code fence are content.",
        "tags",
        """        if self.characters.startswith("<", self.at):
            for""",
        """        is_fenced = self.characters.count("`", 0, self.at) % 2 == 1
        if self.characters.startswith("<", self.at) and not is_fenced:
            for""",
    ),
    Animal(
        "nested-thinks",
        "nested-think",
        "Thinks are counted, and end at the closer of the outermost.",
        "tags",
        """        closed = self.skip_past("</think>", first)
""",
        """        closed = self.skip_past("</think>", first)
        while closed and self.characters[first : self.at].count("<think>") >= (
            self.characters[first : self.at].count("</think>")
        ):
            closed = self.skip_past("</think>", self.at)
""",
    ),
    Animal(
        "thinks-to-the-last-closer",
        "closer-quoted-in-reasoning",
        "A think goes on to the last closer.",
        "tags",
        """        closed = self.skip_past("</think>", first)
""",
        (
            '        closed = self.skip_past("</think>", max(first, '
            'self.characters.rfind("</think>")))\n'
        ),
    ),
    Animal(
        "thinks-with-calls",
        "call-rehearsed-in-reasoning",
        "An `<execute>` ends a think and runs.",
        "tags",
        """        closed = self.skip_past("</think>", first)
""",
        """        closed = self.skip_past("</think>", first)
        block = self.characters.find("<execute>", first, self.at)
        if block >= 0:
            self.at = block
            self.emit_segment("think", first, block)
            return True
""",
    ),
    Animal(
        "thinks-end-at-end",
        "closer-quoted-in-reasoning",
        "An `<end>` ends a think.",
        "tags",
        """        closed = self.skip_past("</think>", first)
""",
        """        closed = self.skip_past("</think>", first)
        end = self.characters.find("<end>", first, self.at)
        if end >= 0:
            self.at = end
            self.emit_segment("think", first, end)
            return True
""",
    ),
    Animal(
        "think-openers-taken-twice",
        "nested-think",
        "A second opener in a think is no content.",
        "tags",
        """        last = self.at - len("</think>") if closed else self.at
""",
        """        last = self.at - len("</think>") if closed else self.at
        while self.characters.startswith("<think>", first):
            first += len("<think>")
""",
    ),
    Animal(
        "think-closers-in-any-case",
        "malformed-closer",
        "A think ends at its closer in any case, or with a space in it.",
        "tags",
        """        found = self.characters.find(closer, first)
        self.at =""",
        """        text = self.characters.lower().replace(" >", "> ")
        found = text.find(closer, first)
        self.at =""",
    ),
    Animal(
        "unclosed-thinks-lost",
        "open-think-then-call",
        "A think that the end of the text closes gives no event.",
        "tags",
        '        event = self.emit_segment("think", first, last)\n',
        '        event = self.emit_segment("think", first, last) if closed else None\n',
    ),
    Animal(
        "unclosed-thinks-are-prose",
        "open-think-then-call",
        "A think that is never closed is prose.",
        "tags",
        '        event = self.emit_segment("think", first, last)\n',
        '        event = self.emit_segment("think" if closed else "respond", first, last)\n',
    ),
    Animal(
        "lost-last-prose",
        "held-text-swallowed",
        "Prose at the end of the text gives no event.",
        "tags",
        '        if event := self.emit_segment("respond", first, self.at):\n',
        "        is_last = self.at == len(self.characters)\n"
        '        if not is_last and (event := self.emit_segment("respond", first, self.at)):\n',
    ),
    Animal(
        "empty-thinks-shown",
        "empty-think-after-another",
        "An empty think gives an event.",
        "tags",
        '        event = self.emit_segment("think", first, last)\n',
        '        event = self.emit_segment("think", first, last)\n'
        "        if not self.characters[first:last].strip(WHITE):\n"
        '            self.emit("think", last, content="")\n',
    ),
    Animal(
        "empty-thinks-join-prose",
        "empty-think-after-another",
        "Prose around an empty think is one segment.",
        "ledger",
        "        self.emit(kind, last - len(content), content=content.rstrip(WHITE))\n",
        "        before = self.events[-1] if self.events else {}\n"
        '        if before.get("type") == kind:\n'
        '            before["content"] += content.rstrip(WHITE)\n'
        "            return before\n"
        "        self.emit(kind, last - len(content), content=content.rstrip(WHITE))\n",
    ),
    Animal(
        "reads-on-behind-end",
        "text-after-the-end",
        "`<end>` is an event, and the text goes on behind it.",
        "tags",
        '                return "ended"',
        "                continue",
    ),
    Animal(
        "reads-on-behind-a-block",
        "second-block-runs",
        "A turn goes on behind its block, and a second one runs.",
        "tags",
        """            if marker == "<execute>":
                return self.read_execute_block()""",
        """            if marker == "<execute>":
                if self.read_execute_block() == "execute":
                    return "execute"
                continue""",
    ),
    Animal(
        "reads-on-behind-forged-results",
        "forged-results-accepted",
        "Results that the model wrote are skipped, and the turn goes on.",
        "tags",
        """                if self.mode == "turn":
                    return "paused\"""",
        """                if self.mode == "nothing":
                    return "paused\"""",
    ),
    Animal(
        "forged-results-are-prose",
        "forged-results-accepted",
        "Results that the model wrote are prose.",
        "tags",
        'LIVE_IN_PROSE = ("<think>", "<execute>", "<results>", "<end>")',
        'LIVE_IN_PROSE = ("<think>", "<execute>", "<end>")',
    ),
    Animal(
        "no-end-marker",
        "text-after-the-end",
        "`<end>` is prose.",
        "tags",
        'LIVE_IN_PROSE = ("<think>", "<execute>", "<results>", "<end>")',
        'LIVE_IN_PROSE = ("<think>", "<execute>", "<results>")',
    ),
    Animal(
        "more-end-markers",
        "marker-matched-too-loosely",
        "Special tokens of models end the turn too.",
        "tags",
        """        first = self.at
        while self.at < len(self.characters) and self.marker_here() == "":""",
        """        first = self.at
        stops = ("<|", "</s>", "<end/>", "<eos>")
        while self.at < len(self.characters) and self.marker_here() == "":
            if self.characters.startswith(stops, self.at):
                break""",
    ),
    Animal(
        "missing-end-is-an-error",
        "missing-end-taken-for-a-cut",
        "A text without `<end>` was cut, which is an error.",
        "tags",
        """            if marker == "":
                return "prose\"""",
        """            if marker == "":
                self.emit_error("unclosed-execute", self.at, "", 0)
                return "prose\"""",
    ),
    Animal(
        "prompted-opener-is-content",
        "opener-in-the-prompt-ignored",
        "With a think that the prompt opened, an opener is content.",
        "tags",
        "self.read_think(self.skip_opener())",
        "self.read_think(self.at)",
    ),
    Animal(
        "prompted-opener-at-once",
        "opener-in-the-prompt-ignored",
        "White space before the opener that a model repeats makes it content.",
        "tags",
        """        first = self.after_white()
        if self.characters.startswith("<think>", first):""",
        '        first = self.at\n        if self.characters.startswith("<think>", first):',
    ),
    Animal(
        "prompted-opener-everywhere",
        "duplicated-opener",
        "The think that the prompt opened is prose when no opener comes.",
        "tags",
        '        if self.start == "think" and not self.read_think(self.skip_opener()):\n'
        '            return "think"\n',
        '        closes = "</think>" in self.characters\n'
        '        if self.start == "think" and closes and not self.read_think(self.skip_opener()):\n'
        '            return "think"\n',
    ),
    Animal(
        "prompted-once",
        "opener-in-the-prompt-ignored",
        "The prompt opens a think in the first turn of a transcript only.",
        "tags",
        '        if self.start == "think" and not self.read_think(self.skip_opener()):\n'
        '            return "think"\n',
        '        begins = self.start == "think" and self.at == 0\n'
        "        if begins and not self.read_think(self.skip_opener()):\n"
        '            return "think"\n',
    ),
    Animal(
        "first-closer-ends-the-block",
        "escaped-quote-before-closer",
        "The block ends at the first closer, in a string or not.",
        "block",
        "        if self.at == len(self.text.characters):",
        (
            '        closer = self.text.characters.startswith("</execute>", self.at)\n'
            "        if self.at == len(self.text.characters) or (closer and "
            'self.text.characters[self.at - 1] not in "}] \\n\\t\\r>"):'
        ),
    ),
    Animal(
        "last-closer-ends-the-block",
        "stray-closer-after-its-segment",
        "A void block ends at the last closer of the text.",
        "tags",
        """        found = self.characters.find(closer, first)
        self.at =""",
        """        found = self.characters.rfind(closer, first)
        self.at =""",
    ),
    Animal(
        "void-block-to-the-end",
        "void-block-skipped-wrongly",
        "Behind an error the rest of the text is skipped.",
        "tags",
        'is_closed = self.skip_past("</execute>", first)',
        'is_closed = self.skip_past("\\0", first)',
    ),
    Animal(
        "void-block-ends-at-its-error",
        "void-block-skipped-wrongly",
        "Behind an error nothing is skipped.",
        "tags",
        'is_closed = self.skip_past("</execute>", first)',
        "is_closed = True",
    ),
    Animal(
        "void-block-from-its-opener",
        "void-block-skipped-wrongly",
        "A void block ends at its first closer, wherever the error stands.",
        "tags",
        "            first = max(block.start, error.offset - self.reach_back)",
        "            first = block.start",
    ),
    Animal(
        "void-block-behind-the-error",
        "void-block-skipped-wrongly",
        "A void block ends at the first closer behind the offending character.",
        "tags",
        "            first = max(block.start, error.offset - self.reach_back)",
        "            first = error.offset + 1",
    ),
    Animal(
        "closer-with-the-error-in-it",
        "closer-with-the-error-in-it-overrun",
        "A closer that has the offending character in it does not end the block.",
        "tags",
        "            first = max(block.start, error.offset - self.reach_back)",
        "            first = error.offset",
    ),
    Animal(
        "void-blocks-run",
        "call-of-a-void-block-runs",
        "The calls before an error are executed.",
        "tags",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            self.emit("execute", self.at)
            first""",
    ),
    Animal(
        "void-blocks-run-silently",
        "call-of-a-void-block-runs",
        "A broken call is left out, and the others run without an error.",
        "tags",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
        """            self.at = error.offset
            self.emit("execute", self.at)
            first""",
    ),
    Animal(
        "truncated-calls-run",
        "cut-between-elements",
        "A block that the end of the text cut off is executed as far as it came.",
        "tags",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
        """            if error.code == "unclosed-execute":
                self.at = error.offset
                self.emit("execute", self.at)
                return "paused"
            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
    ),
    Animal(
        "truncated-blocks-dropped",
        "cut-between-elements",
        "A block that the end of the text cut off vanishes.",
        "tags",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
        """            if error.code == "unclosed-execute":
                self.at = error.offset
                return "execute"
            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
    ),
    Animal(
        "truncated-blocks-are-prose",
        "cut-in-the-opener",
        "A block that the end of the text cut off is shown to the user.",
        "tags",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
        """            if error.code == "unclosed-execute":
                self.emit_segment("respond", block.start, error.offset)
            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
    ),
    Animal(
        "errors-raise",
        "siblings-of-a-bad-call",
        "A broken block raises.",
        "tags",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
        """            raise
            first""",
    ),
    Animal(
        "two-errors-for-a-block",
        "second-error-for-one-block",
        "A void block that is never closed has a second error.",
        "tags",
        '            self.error_part(opener, event, "model", is_closed=is_closed)\n'
        '            return "paused" if is_closed else "execute"\n',
        "            if not is_closed:\n"
        '                self.emit_error("unclosed-execute", self.at, "", 0)\n'
        '                return "execute"\n'
        '            return "paused"\n',
    ),
    Animal(
        "void-block-is-not-answered",
        "void-block-not-answered",
        "Results behind a void block are taken for those of its calls.",
        "tags",
        "            self.called = None\n            self.emit_error(error.code",
        "            self.called = called\n            self.emit_error(error.code",
    ),
    Animal(
        "empty-block-is-an-error",
        "empty-block",
        "A block without calls is an error.",
        "tags",
        '        self.emit("execute", self.at - len("</execute>"))',
        """        if called:
            self.emit("execute", self.at)
        else:
            self.emit_error("not-array", self.at - 1, "", 0)""",
    ),
    Animal(
        "empty-block-is-nothing",
        "empty-block",
        "A block without calls gives no event.",
        "tags",
        '        self.emit("execute", self.at - len("</execute>"))',
        """        if called:
            self.emit("execute", self.at)""",
    ),
    Animal(
        "calls-without-execute",
        "call-started-never-ended",
        "A block gives its calls, and nothing says that it is over.",
        "tags",
        '        self.emit("execute", self.at - len("</execute>"))',
        "",
    ),
    Animal(
        "identical-calls-once",
        "identical-calls-dropped",
        "A call that was made already is not made again.",
        "tags",
        "                self.at = block.at\n                self.emit(",
        """                self.at = block.at
                if any(event.get("content") == call.content for event in self.events):
                    continue
                self.emit(""",
    ),
    Animal(
        "calls-emitted-twice",
        "event-stored-twice",
        "The last call is given again when the block is over.",
        "tags",
        '        self.emit("execute", self.at - len("</execute>"))',
        """        if called:
            self.emit("call", call.first, content=call.content)
        self.emit("execute", self.at)""",
    ),
    Animal(
        "transcript-of-one-turn",
        "transcript-stops-at-the-first-turn",
        "A transcript ends with its first turn.",
        "tags",
        """            if state not in ("paused", "ended"):
                return state""",
        """            return state""",
    ),
    Animal(
        "transcript-ends-at-end",
        "transcript-stops-at-the-first-turn",
        "A transcript ends at its first end marker.",
        "tags",
        """            if state not in ("paused", "ended"):
                return state""",
        """            if state != "paused":
                return state""",
    ),
    Animal(
        "results-behind-end",
        "results-read-anywhere",
        "Results are read behind an end marker too.",
        "tags",
        'if state == "paused" and self.next_is_results():',
        'if state in ("paused", "ended") and self.next_is_results():',
    ),
    Animal(
        "results-at-once-only",
        "white-segment-between-blocks",
        "White space between a block and its results makes them forged.",
        "tags",
        '        return self.characters.startswith("<results>", self.after_white())',
        '        return self.characters.startswith("<results>", self.at)',
    ),
    Animal(
        "forged-results-in-transcripts-end-it",
        "forged-results-shown",
        "Forged results end a transcript.",
        "tags",
        """                if self.mode == "turn":
                    return "paused\"""",
        """                if self.mode != "nothing":
                    return "paused\"""",
    ),
    Animal(
        "forged-results-shown-in-transcripts",
        "forged-results-shown",
        "What stands in forged results is shown as prose.",
        "tags",
        '                is_closed = self.skip_past("</results>", self.at)\n'
        '                self.error_part(first, error, "model", is_closed=is_closed)\n'
        "                if not is_closed:\n"
        '                    return "results"\n',
        "",
    ),
    Animal(
        "state-in-forged-results",
        "state-misreported",
        "A text that ends in forged results says that it ended in prose.",
        "tags",
        '                if not is_closed:\n                    return "results"\n',
        '                if not is_closed:\n                    return "prose"\n',
    ),
    Animal(
        "state-in-a-think",
        "state-misreported",
        "A text that ends in a think says that it ended in prose.",
        "tags",
        '            if marker == "<think>" and not self.read_think(self.at - len(marker)):\n'
        '                return "think"\n',
        '            if marker == "<think>" and not self.read_think(self.at - len(marker)):\n'
        '                return "prose"\n',
    ),
    Animal(
        "state-in-a-prompted-think",
        "state-misreported",
        "A text that ends in the think that the prompt opened says that it ended in prose.",
        "tags",
        '        if self.start == "think" and not self.read_think(self.skip_opener()):\n'
        '            return "think"\n',
        '        if self.start == "think" and not self.read_think(self.skip_opener()):\n'
        '            return "prose"\n',
    ),
    Animal(
        "state-in-a-block",
        "state-misreported",
        "A text that ends in a block says that it ended in prose.",
        "tags",
        'return "paused" if is_closed else "execute"',
        'return "paused" if is_closed else "prose"',
    ),
    Animal(
        "state-in-results",
        "state-misreported",
        "A text that ends in results says that it is paused.",
        "tags",
        'return "paused" if is_closed else "results"',
        'return "paused"',
    ),
    Animal(
        "state-at-the-end",
        "text-after-the-end",
        "A turn that has ended is paused.",
        "tags",
        '                return "ended"',
        '                return "paused"',
    ),
    Animal(
        "state-behind-a-block",
        "state-misreported",
        "A turn that has paused is in prose.",
        "tags",
        '        self.emit("execute", self.at - len("</execute>"))\n'
        "        self.block_parts(opener, calls)\n"
        '        return "paused"\n',
        '        self.emit("execute", self.at)\n'
        "        self.block_parts(opener, calls)\n"
        '        return "prose" if self.mode == "turn" else "paused"\n',
    ),
    Animal(
        "forged-results-behind-the-marker",
        "error-place-lost",
        "The error of forged results stands behind their marker.",
        "tags",
        'offset = self.at - len("<results>")',
        "offset = self.at",
    ),
)
