"""Bugs in segments and markers of the dialects with tags."""

from typing import Final

from conformance.zoo.animals.characters import rewriting
from conformance.zoo.making import Animal, bug_in

_tags: Final = bug_in("tags")

ANIMALS: Final = (
    _tags(
        "cut-turns-run-nothing",
        "end-of-text-taken-for-end-of-turn",
        "A block runs only if the model ended the turn after it.",
        """        ⟦¦if self.is_finished:
            ⟧self.emit("execute", self.at - len("</execute>"))""",
    ),
    _tags(
        "markers-in-any-case",
        "marker-matched-too-loosely",
        "Markers are compared without regard to case.",
        """⟦                if self.characters.startswith(marker, self.at):
¦                if self.characters[self.at : self.at + len(marker)].lower() == marker:
⟧                    return marker""",
    ),
    _tags(
        "markers-with-spaces",
        "marker-with-attributes-or-spaces",
        "White space in a marker is ignored.",
        """⟦                if self.characters.startswith(marker, self.at):
¦                end = self.characters.find(">", self.at) + 1
                if self.characters[self.at : end].replace(" ", "") == marker:
                    self.at = end - len(marker)
⟧                    return marker""",
    ),
    _tags(
        "markers-with-attributes",
        "marker-with-attributes-or-spaces",
        "A marker may have attributes.",
        """⟦                if self.characters.startswith(marker, self.at):
¦                end = self.characters.find(">", self.at) + 1
                inside = self.characters[self.at + 1 : end - 1].split(" ")[0]
                if inside == marker[1:-1]:
                    self.at = end - len(marker)
⟧                    return marker""",
    ),
    _tags(
        "markers-without-their-bracket",
        "marker-matched-too-loosely",
        "A marker is recognised before its last character has arrived.",
        """                if self.characters.startswith(marker⟦¦[:-1]⟧, self.at):
                    return marker""",
    ),
    _tags(
        "markers-at-line-starts",
        "marker-prefix-lost",
        "A marker counts at the start of a line only.",
        """⟦        if self.characters.startswith("<", self.at):
¦        before = self.characters[: self.at].rstrip(" \\t")
        if self.characters.startswith("<", self.at) and (not before or before[-1] in "\\n>"):
⟧            for""",
    ),
    _tags(
        "closers-are-markers",
        "stray-think-closer",
        "A closer without its opener vanishes from prose.",
        """⟦¦        for closer in ("</think>", "</execute>", "</results>"):
            if self.characters.startswith(closer, self.at):
                self.at += len(closer)
⟧        first = self.at
        while self.at < len(self.characters) and self.marker_here()""",
    ),
    _tags(
        "closers-end-prose",
        "stray-think-closer",
        "Everything before a stray `</think>` is read as thinking.",
        """⟦¦        found = self.characters.find("</think>", first, self.at)
        if found >= 0:
            self.emit_segment("think", first, found)
            first = found + len("</think>")
⟧        if event := self.emit_segment("respond", first, self.at):""",
    ),
    _tags(
        "invisible-characters-in-markers",
        "marker-matched-too-loosely",
        "Zero-width characters are removed before markers are looked for.",
        """⟦                if self.characters.startswith(marker, self.at):
¦                end = self.characters.find(">", self.at) + 1
                if self.characters[self.at : end].replace("\\u200b", "") == marker:
                    self.at = end - len(marker)
⟧                    return marker""",
    ),
    Animal(
        "references-resolved",
        "entities-resolved",
        "The literal form of a marker is turned back into the marker.",
        "ledger",
        'content=content.rstrip(WHITE)⟦¦.replace("&lt;", "<").replace("&sect;", "§")⟧)',
    ),
    rewriting(
        "references-are-markers",
        "entities-resolved",
        "The literal form of a marker is a marker.",
        'data = data.replace("&lt;", "<")',
    ),
    _tags(
        "fences-hide-markers",
        "call-in-a-code-fence",
        "Markers in a code fence are content.",
        """⟦        if self.characters.startswith("<", self.at):
¦        is_fenced = self.characters.count("`", 0, self.at) % 2 == 1
        if self.characters.startswith("<", self.at) and not is_fenced:
⟧            for""",
    ),
    _tags(
        "nested-thinks",
        "nested-think",
        "Thinks are counted, and end at the closer of the outermost.",
        """        closed = self.skip_past("</think>", first)
⟦¦        while closed and self.characters[first : self.at].count("<think>") >= (
            self.characters[first : self.at].count("</think>")
        ):
            closed = self.skip_past("</think>", self.at)
⟧""",
    ),
    _tags(
        "thinks-to-the-last-closer",
        "closer-quoted-in-reasoning",
        "A think continues to the last closer.",
        """⟦        closed = self.skip_past("</think>", first)
¦        closed = self.skip_past("</think>", max(first, self.characters.rfind("</think>")))
⟧""",
    ),
    _tags(
        "thinks-with-calls",
        "call-rehearsed-in-reasoning",
        "An `<execute>` ends a think and runs.",
        """        closed = self.skip_past("</think>", first)
⟦¦        block = self.characters.find("<execute>", first, self.at)
        if block >= 0:
            self.at = block
            self.emit_segment("think", first, block)
            return True
⟧""",
    ),
    _tags(
        "thinks-end-at-end",
        "closer-quoted-in-reasoning",
        "An `<end>` ends a think.",
        """        closed = self.skip_past("</think>", first)
⟦¦        end = self.characters.find("<end>", first, self.at)
        if end >= 0:
            self.at = end
            self.emit_segment("think", first, end)
            return True
⟧""",
    ),
    _tags(
        "think-openers-taken-twice",
        "nested-think",
        "A second opener in a think is dropped.",
        """        last = self.at - len("</think>") if closed else self.at
⟦¦        while self.characters.startswith("<think>", first):
            first += len("<think>")
⟧""",
    ),
    _tags(
        "think-closers-in-any-case",
        "malformed-closer",
        "A think ends at its closer in any case, or with a space in it.",
        """        ⟦found = self.characters¦text = self.characters.lower().replace(" >", "> ")
        found = text⟧.find(closer, first)
        self.at =""",
    ),
    _tags(
        "unclosed-thinks-lost",
        "open-think-then-call",
        "A think that the end of the text closes produces no event.",
        '        event = self.emit_segment("think", first, last)⟦¦ if closed else None⟧',
    ),
    _tags(
        "unclosed-thinks-are-prose",
        "open-think-then-call",
        "A think that is never closed is prose.",
        '        event = self.emit_segment("think"⟦¦ if closed else "respond"⟧, first, last)',
    ),
    _tags(
        "lost-last-prose",
        "held-text-swallowed",
        "Prose at the end of the text produces no event.",
        """⟦        if event := self.emit_segment("respond", first, self.at):
¦        is_last = self.at == len(self.characters)
        if not is_last and (event := self.emit_segment("respond", first, self.at)):
⟧""",
    ),
    _tags(
        "empty-thinks-shown",
        "empty-think-after-another",
        "An empty think produces an event.",
        """        event = self.emit_segment("think", first, last)
⟦¦        if not self.characters[first:last].strip(WHITE):
            self.emit("think", last, content="")
⟧""",
    ),
    Animal(
        "empty-thinks-join-prose",
        "empty-think-after-another",
        "Prose around an empty think is one segment.",
        "ledger",
        """⟦¦        before = self.events[-1] if self.events else {}
        if before.get("type") == kind:
            before["content"] += content.rstrip(WHITE)
            return before
⟧        self.emit(kind, last - len(content), content=content.rstrip(WHITE))""",
    ),
    _tags(
        "reads-on-behind-end",
        "text-after-the-end",
        "`<end>` is an event, and the text continues after it.",
        '                ⟦return "ended"¦continue⟧',
    ),
    _tags(
        "reads-on-behind-a-block",
        "second-block-runs",
        "A turn continues after its block, and a second one runs.",
        """            if marker == "<execute>":
                ⟦return self.read_execute_block()¦if self.read_execute_block() == "execute":
                    return "execute"
                continue⟧""",
    ),
    _tags(
        "reads-on-behind-forged-results",
        "forged-results-accepted",
        "Results that the model wrote are skipped, and the turn continues.",
        """                if self.mode == "⟦turn¦nothing⟧":
                    return "paused\"""",
    ),
    _tags(
        "forged-results-are-prose",
        "forged-results-accepted",
        "Results that the model wrote are prose.",
        'LIVE_IN_PROSE = ("<think>", "<execute>", "<⟦results>", "<¦⟧end>")',
    ),
    _tags(
        "no-end-marker",
        "text-after-the-end",
        "`<end>` is prose.",
        'LIVE_IN_PROSE = ("<think>", "<execute>", "<results>"⟦, "<end>"¦⟧)',
    ),
    _tags(
        "more-end-markers",
        "marker-matched-too-loosely",
        "Special tokens of models end the turn too.",
        """        first = self.at
⟦        while self.at < len(self.characters) and self.marker_here() == "":¦\
        stops = ("<|", "</s>", "<end/>", "<eos>")
        while self.at < len(self.characters) and self.marker_here() == "":
            if self.characters.startswith(stops, self.at):
                break⟧""",
    ),
    _tags(
        "missing-end-is-an-error",
        "missing-end-taken-for-a-cut",
        "A text without `<end>` was cut, which is an error.",
        """            if marker == "":
⟦¦                self.emit_error("unclosed-execute", self.at, "", 0)
⟧                return "prose\"""",
    ),
    _tags(
        "prompted-opener-is-content",
        "opener-in-the-prompt-ignored",
        "With a think that the prompt opened, an opener is content.",
        "self.read_think(self.⟦skip_opener()¦at⟧)",
    ),
    _tags(
        "prompted-opener-at-once",
        "opener-in-the-prompt-ignored",
        "White space before the opener that a model repeats makes it content.",
        """        first = self.⟦after_white()¦at⟧
        if self.characters.startswith("<think>", first):""",
    ),
    _tags(
        "prompted-opener-everywhere",
        "duplicated-opener",
        "The think that the prompt opened is prose if the text has no opener.",
        """        ⟦if self.start == "think"¦closes = "</think>" in self.characters
        if self.start == "think" and closes⟧ and not self.read_think(self.skip_opener()):
            return "think\"""",
    ),
    _tags(
        "prompted-once",
        "opener-in-the-prompt-ignored",
        "The prompt opens a think in the first turn of a transcript only.",
        """        ⟦if self.start == "think"¦begins = self.start == "think" and self.at == 0
        if begins⟧ and not self.read_think(self.skip_opener()):
            return "think\"""",
    ),
    Animal(
        "first-closer-ends-the-block",
        "escaped-quote-before-closer",
        "The block ends at the first closer, in a string or not.",
        "block",
        """⟦        if self.at == len(self.text.characters):¦\
        closer = self.text.characters.startswith("</execute>", self.at)
        if self.at == len(self.text.characters) or \
(closer and self.text.characters[self.at - 1] not in "}] \\n\\t\\r>"):⟧""",
    ),
    _tags(
        "last-closer-ends-the-block",
        "stray-closer-after-its-segment",
        "A void block ends at the last closer of the text.",
        """        found = self.characters.⟦find¦rfind⟧(closer, first)
        self.at =""",
    ),
    _tags(
        "void-block-to-the-end",
        "void-block-skipped-wrongly",
        "Behind an error the rest of the text is skipped.",
        'is_closed = self.skip_past("⟦</execute>¦\\0⟧", first)',
    ),
    _tags(
        "void-block-ends-at-its-error",
        "void-block-skipped-wrongly",
        "Behind an error nothing is skipped.",
        'is_closed = ⟦self.skip_past("</execute>", first)¦True⟧',
    ),
    _tags(
        "void-block-from-its-opener",
        "void-block-skipped-wrongly",
        "A void block ends at its first closer, wherever the error is.",
        "            first = ⟦max(block.start, error.offset - self.reach_back)¦block.start⟧",
    ),
    _tags(
        "void-block-behind-the-error",
        "void-block-skipped-wrongly",
        "A void block ends at the first closer after the offending character.",
        "            first = ⟦max(block.start, error.offset - self.reach_back)¦error.offset + 1⟧",
    ),
    _tags(
        "closer-with-the-error-in-it",
        "closer-with-the-error-in-it-overrun",
        "A closer that has the offending character in it does not end the block.",
        "            first = ⟦max(block.start, error.offset - self.reach_back)¦error.offset⟧",
    ),
    _tags(
        "void-blocks-run",
        "call-of-a-void-block-runs",
        "The calls before an error are executed.",
        """            self.emit_error(error.code, error.offset, error.path, len(called))
⟦¦            self.emit("execute", self.at)
⟧            first""",
    ),
    _tags(
        "void-blocks-run-silently",
        "call-of-a-void-block-runs",
        "A broken call is left out, and the others run without an error.",
        """⟦            self.emit_error(error.code, error.offset, error.path, len(called))
¦            self.at = error.offset
            self.emit("execute", self.at)
⟧            first""",
    ),
    _tags(
        "truncated-calls-run",
        "cut-between-elements",
        "An incomplete block at the end of the text is executed as far as it goes.",
        """⟦¦            if error.code == "unclosed-execute":
                self.at = error.offset
                self.emit("execute", self.at)
                return "paused"
⟧            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
    ),
    _tags(
        "truncated-blocks-dropped",
        "cut-between-elements",
        "A block that the end of the text cut off vanishes.",
        """⟦¦            if error.code == "unclosed-execute":
                self.at = error.offset
                return "execute"
⟧            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
    ),
    _tags(
        "truncated-blocks-are-prose",
        "cut-in-the-opener",
        "A block that the end of the text cut off is shown to the user.",
        """⟦¦            if error.code == "unclosed-execute":
                self.emit_segment("respond", block.start, error.offset)
⟧            self.emit_error(error.code, error.offset, error.path, len(called))
            first""",
    ),
    _tags(
        "errors-raise",
        "siblings-of-a-bad-call",
        "A broken block raises.",
        """            ⟦self.emit_error(error.code, error.offset, error.path, len(called))¦raise⟧
            first""",
    ),
    _tags(
        "two-errors-for-a-block",
        "second-error-for-one-block",
        "A void block that is never closed has a second error.",
        """            ⟦self.error_part(opener, event, "model", is_closed=is_closed)
            return "paused" if is_closed else "execute¦if not is_closed:
                self.emit_error("unclosed-execute", self.at, "", 0)
                return "execute"
            return "paused⟧\"""",
    ),
    _tags(
        "void-block-is-not-answered",
        "void-block-not-answered",
        "Results after a void block are read as those of its calls.",
        """            self.called = ⟦None¦called⟧
            self.emit_error(error.code""",
    ),
    _tags(
        "empty-block-is-an-error",
        "empty-block",
        "A block without calls is an error.",
        """        ⟦self.emit("execute", self.at - len("</execute>")¦if called:
            self.emit("execute", self.at)
        else:
            self.emit_error("not-array", self.at - 1, "", 0⟧)""",
    ),
    _tags(
        "empty-block-is-nothing",
        "empty-block",
        "A block without calls produces no event.",
        """        ⟦self.emit("execute", self.at - len("</execute>")¦if called:
            self.emit("execute", self.at⟧)""",
    ),
    _tags(
        "calls-without-execute",
        "call-started-never-ended",
        "A block produces its calls, but no execute.",
        '⟦        self.emit("execute", self.at - len("</execute>"))¦⟧',
    ),
    _tags(
        "identical-calls-once",
        "identical-calls-dropped",
        "A call that was made already is not made again.",
        """                self.at = block.at
⟦¦                if any(event.get("content") == call.content for event in self.events):
                    continue
⟧                self.emit(""",
    ),
    _tags(
        "calls-emitted-twice",
        "event-stored-twice",
        "The last call is emitted again at the end of the block.",
        """        ⟦self.emit("execute", self.at - len("</execute>")¦if called:
            self.emit("call", call.first, content=call.content)
        self.emit("execute", self.at⟧)""",
    ),
    _tags(
        "transcript-of-one-turn",
        "transcript-stops-at-the-first-turn",
        "A transcript ends with its first turn.",
        """            ⟦if state not in ("paused", "ended"):
                ¦⟧return state""",
    ),
    _tags(
        "transcript-ends-at-end",
        "transcript-stops-at-the-first-turn",
        "A transcript ends at its first end marker.",
        """            if state ⟦not in ("paused", "ended")¦!= "paused"⟧:
                return state""",
    ),
    _tags(
        "results-behind-end",
        "results-read-anywhere",
        "Results are read after an end marker too.",
        'if state ⟦== "paused"¦in ("paused", "ended")⟧ and self.next_is_results():',
    ),
    _tags(
        "results-at-once-only",
        "white-segment-between-blocks",
        "White space between a block and its results makes them forged.",
        '        return self.characters.startswith("<results>", self.⟦after_white()¦at⟧)',
    ),
    _tags(
        "forged-results-in-transcripts-end-it",
        "forged-results-shown",
        "Forged results end a transcript.",
        """                if self.mode ⟦== "turn¦!= "nothing⟧":
                    return "paused\"""",
    ),
    _tags(
        "forged-results-shown-in-transcripts",
        "forged-results-shown",
        "What is in forged results is shown as prose.",
        """⟦                is_closed = self.skip_past("</results>", self.at)
                self.error_part(first, error, "model", is_closed=is_closed)
                if not is_closed:
                    return "results"
¦⟧""",
    ),
    _tags(
        "state-in-forged-results",
        "state-misreported",
        "A text that ends in forged results has the state prose.",
        """                if not is_closed:
                    return "⟦results¦prose⟧\"""",
    ),
    _tags(
        "state-in-a-think",
        "state-misreported",
        "A text that ends in a think has the state prose.",
        """            if marker == "<think>" and not self.read_think(self.at - len(marker)):
                return "⟦think¦prose⟧\"""",
    ),
    _tags(
        "state-in-a-prompted-think",
        "state-misreported",
        "A text that ends in the think that the prompt opened has the state prose.",
        """        if self.start == "think" and not self.read_think(self.skip_opener()):
            return "⟦think¦prose⟧\"""",
    ),
    _tags(
        "state-in-a-block",
        "state-misreported",
        "A text that ends in a block has the state prose.",
        'return "paused" if is_closed else "⟦execute¦prose⟧"',
    ),
    _tags(
        "state-in-results",
        "state-misreported",
        "A text that ends in results has the state paused.",
        'return "paused"⟦ if is_closed else "results"¦⟧',
    ),
    _tags(
        "state-at-the-end",
        "text-after-the-end",
        "A turn that has ended is paused.",
        '                return "⟦ended¦paused⟧"',
    ),
    _tags(
        "state-behind-a-block",
        "state-misreported",
        "A turn that has paused is in prose.",
        """        self.emit("execute", self.at⟦ - len("</execute>")¦⟧)
        self.block_parts(opener, calls)
        return "⟦¦prose" if self.mode == "turn" else "⟧paused\"""",
    ),
    _tags(
        "forged-results-behind-the-marker",
        "error-place-lost",
        "The error of forged results is after their marker.",
        'offset = self.at⟦ - len("<results>")¦⟧',
    ),
)
