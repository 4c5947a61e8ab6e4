"""Bugs in the dialects whose markers are at the start of a line."""

from typing import Final

from conformance.zoo.animals.characters import rewriting
from conformance.zoo.making import Animal, bug_in

_line: Final = bug_in("line")


ANIMALS: Final = (
    _line(
        "markers-mid-line",
        "delimiter-mid-line-marker",
        "A marker counts wherever it is.",
        (
            'is_fresh = ⟦self.characters[at] in "\\n\\r" or (is_fresh and self.characters[at] '
            'in " \\t")¦'
            "True⟧"
        ),
    ),
    _line(
        "markers-in-the-first-column",
        "delimiter-marker-not-in-the-first-column",
        "White space before a marker makes it prose.",
        (
            'is_fresh = self.characters[at] in "\\n\\r"⟦ or (is_fresh and self.characters[at] '
            'in " \\t")¦'
            "⟧"
        ),
    ),
    _line(
        "lines-end-at-line-feeds",
        "delimiter-carriage-return-begins-no-line",
        "A carriage return ends no line.",
        (
            'is_fresh = self.characters[at] in "\\n⟦\\r¦'
            '⟧" or (is_fresh and self.characters[at] in " \\t")'
        ),
    ),
    _line(
        "lines-of-unicode",
        "unicode-spaces-trimmed",
        "The other line ends of Unicode end a line too.",
        (
            'is_fresh = self.characters[at] in "\\n\\r⟦¦'
            '\\v\\f\\u0085\\u2028\\u2029⟧" or (is_fresh and self.characters[at] in " \\t")'
        ),
    ),
    _line(
        "spaces-of-unicode-before-markers",
        "unicode-spaces-trimmed",
        "Any white space may appear before a marker.",
        (
            'is_fresh = self.characters[at] in "\\n\\r" or (is_fresh and self.characters[at]⟦ '
            'in " \\t"¦'
            ".isspace()⟧)"
        ),
    ),
    _line(
        "quotes-before-markers",
        "delimiter-mid-line-marker",
        "Quotes and fences before a marker are ignored.",
        (
            'is_fresh = self.characters[at] in "\\n\\r" or (is_fresh and self.characters[at] '
            'in " \\t⟦¦'
            '`>*⟧")'
        ),
    ),
    _line(
        "markers-on-their-own-line",
        "delimiter-prefix-of-a-word",
        "A marker directly after another is prose.",
        """        is_fresh = ⟦True¦start == 0⟧
        for at in range(start""",
    ),
    _line(
        "markers-in-one-case",
        "delimiter-marker-letter-case",
        "Only a marker in lower case is recognised.",
        (
            "            if ⟦lower(self.characters[at:after])¦"
            "self.characters[at:after]⟧ == keyword and ("
        ),
    ),
    _line(
        "case-folding-of-unicode",
        "delimiter-marker-letter-case",
        "Letters that fold to those of a marker, such as the Kelvin sign, make it one.",
        (
            "            if ⟦lower(self.characters[at:after]¦"
            "self.characters[at:after].casefold(⟧) == keyword and ("
        ),
    ),
    _line(
        "compatibility-forms-of-letters",
        "delimiter-marker-letter-case",
        "Letters that look like those of a marker make it one.",
        """⟦            if lower(self.characters[at:after]) == keyword and (¦\
            import unicodedata
            same = unicodedata.normalize("NFKC", self.characters[at:after]).replace("ı", "i")
            if same == keyword and (⟧""",
    ),
    _line(
        "system-in-any-case",
        "delimiter-marker-letter-case",
        "The bracket of results is found in any case.",
        (
            "        if self.characters⟦.startswith(SYSTEM, at)¦"
            "[at : at + len(SYSTEM)].upper() == SYSTEM⟧:"
        ),
    ),
    _line(
        "system-without-its-space",
        "delimiter-marker-letter-case",
        "The bracket of results needs no space after its colon.",
        'SYSTEM = "[SYSTEM:⟦ ¦⟧"',
    ),
    _line(
        "no-system-bracket",
        "forged-results-accepted",
        "Results in brackets are prose.",
        "        if ⟦self.characters.startswith(SYSTEM, at)¦False⟧:",
    ),
    _line(
        "no-result-marker",
        "forged-results-accepted",
        "`§result:` is prose.",
        'KEYWORDS = ("§think:", "§call:", "§respond:", "§⟦result:", "§¦⟧execute", "§end")',
    ),
    _line(
        "markers-without-boundary",
        "delimiter-prefix-of-a-word",
        "A word that begins like `§end` ends the turn.",
        'NEEDS_BOUNDARY = (⟦"§execute", "§end"¦⟧)',
    ),
    _line(
        "boundary-of-words",
        "delimiter-prefix-of-a-word",
        "Anything but a letter or a digit is a boundary.",
        '⟦self.characters[at] in WHITE + "§"¦not self.characters[at].isalnum()⟧',
    ),
    _line(
        "boundary-of-white-space",
        "delimiter-prefix-of-a-word",
        "A marker directly after `§execute` makes it prose.",
        'self.characters[at] in WHITE⟦ + "§"¦⟧',
    ),
    _line(
        "boundary-of-line-ends",
        "delimiter-prefix-of-a-word",
        "`§execute` and `§end` are alone on their line.",
        'self.characters[at] in ⟦WHITE + "§¦"\\r\\n⟧"',
    ),
    _line(
        "boundary-of-unicode-spaces",
        "delimiter-prefix-of-a-word",
        "Any white space is a boundary.",
        'self.characters[at]⟦ in WHITE +¦.isspace() or self.characters[at] ==⟧ "§"',
    ),
    _line(
        "no-boundary-at-the-end",
        "cut-in-the-closer",
        "The end of the text is not a boundary.",
        "            return ⟦self.is_finished¦False⟧",
    ),
    _line(
        "markers-without-colon",
        "marker-prefix-lost",
        "The colon of a marker may be missing.",
        (
            'KEYWORDS = ("§think⟦:", "§call:", "§respond:¦'
            '", "§call:", "§respond⟧", "§result:", "§execute", "§end")'
        ),
    ),
    rewriting(
        "spaces-before-the-colon",
        "marker-with-attributes-or-spaces",
        "White space may appear in a marker.",
        'data = data.replace(" :", ":").replace("§ ", "§")',
    ),
    rewriting(
        "zero-width-characters-dropped",
        "invisible-characters-in-a-marker",
        "Zero-width characters are left out of the text.",
        'data = data.replace("\\u200b", "").replace("\\u200d", "").replace("\\u2060", "")',
    ),
    _line(
        "signs-swallowed",
        "marker-behind-half-a-marker",
        "A `§` that begins no marker also skips the character after it.",
        """            if is_fresh and self.marker_at(at):
                return at
⟦¦            if self.characters[at - 1 : at] == "§" and self.marker_at(at):
                return at
⟧            is_fresh""",
    ),
    _line(
        "markers-behind-half-a-marker",
        "marker-behind-half-a-marker",
        "A marker counts after the beginning of another.",
        """is_fresh = self.characters[at] in "\\n\\r" or \
(is_fresh and self.characters[at] in " \\t")⟦¦
            is_fresh |= self.characters[max(0, at - 4) : at + 1] == "§thin"⟧""",
    ),
    Animal(
        "lone-signs-dropped",
        "held-text-swallowed",
        "A `§` at the end of the text, that could have begun a marker, is lost.",
        "ledger",
        '        content = self.characters[first:last].lstrip(WHITE)⟦¦.removesuffix("§")⟧',
    ),
    _line(
        "half-markers-dropped",
        "held-text-swallowed",
        "A text at its end that could have become a marker is lost.",
        """⟦¦\
            if marker == "" and self.events and self.events[-1].get("content", "")[:1] == "§":
                self.events.pop()
⟧            if marker == "":
                self.emit_missing_execute()""",
    ),
    _line(
        "prose-needs-a-marker",
        "held-text-swallowed",
        "Text before the first marker is lost.",
        "            event = self.emit_segment(kind, first, self.at)⟦¦ if first else None⟧",
    ),
    Animal(
        "empty-text-shown",
        "empty-message",
        "A text without content produces an empty prose.",
        "ledger",
        """    def outcome(self, state: str) -> Outcome:
⟦¦        if not self.characters:
            self.emit("respond", 0, content="")
⟧""",
    ),
    _line(
        "thinks-need-a-closer",
        "open-think-then-call",
        "Only `§respond:` ends a think.",
        """            self.at = self.next_marker(first)
⟦¦            while kind == "think" and self.marker_at(self.at) not in ("§respond:", ""):
                self.at = self.next_marker(self.at + 1)
⟧            event = self.emit_segment(kind, first, self.at)""",
    ),
    _line(
        "thinks-are-prose",
        "segments-not-in-order",
        "Reasoning is shown.",
        """                kind = "⟦think¦respond⟧"
            elif""",
    ),
    _line(
        "prompted-think-lost",
        "opener-in-the-prompt-ignored",
        "The think that the prompt opened is prose.",
        'kind = "⟦think" if self.start == "think" else "¦⟧respond"',
    ),
    _line(
        "prompted-think-in-the-first-turn",
        "stray-think-closer",
        "The prompt opens a think in the first turn only.",
        'kind = "think" if self.start == "think" ⟦¦and self.at == 0 ⟧else "respond"',
    ),
    _line(
        "payload-of-one-line",
        "delimiter-payload-of-several-lines",
        "A payload ends with its line.",
        """            name = read_call(block, needs_args=False)
⟦¦            if "\\n" in self.characters[first : block.at]:
                raise block.error("json-syntax")
⟧""",
    ),
    _line(
        "payload-to-the-first-brace",
        "brackets-in-strings",
        "A payload ends at its first closing brace.",
        """            name = read_call(block, needs_args=False)
⟦¦            if "}" in self.characters[first : block.at - 1]:
                raise block.error("json-syntax")
⟧""",
    ),
    _line(
        "payload-to-the-next-marker",
        "delimiter-marker-in-a-string",
        "A payload ends at the next marker, in a string or not.",
        """            name = read_call(block, needs_args=False)
⟦¦            if "§" in self.characters[first : block.at]:
                raise block.error("json-syntax")
⟧""",
    ),
    _line(
        "payload-in-the-same-line",
        "delimiter-payload-of-several-lines",
        "A payload begins in the line of its marker.",
        """            ⟦skip_white(block¦while block.peek() == " ":
                block.accept(⟧)
            require(block, "{", "not-object")""",
    ),
    _line(
        "broken-payloads-left-out",
        "delimiter-broken-payload-runs-the-rest",
        "A payload that breaks is left out, and the other calls run.",
        """            self.at = at
⟦        self.pending, self.size, self.is_void = [], 0, True
¦⟧""",
    ),
    _line(
        "calls-behind-an-error-run",
        "delimiter-broken-payload-runs-the-rest",
        "Calls after an error run.",
        """        ⟦if not self.is_void:
            self.pending.append(name)
            self.size = block.at - block.start¦self.pending.append(name)
        self.is_void = False⟧
        return "execute\"""",
    ),
    _line(
        "errors-for-each-payload",
        "second-error-for-one-block",
        "Every broken payload has an error.",
        """    def void(self, code: str, offset: int, path: str) -> None:
        if ⟦not self.is_void¦True⟧:
            at""",
    ),
    _line(
        "broken-payloads-lost",
        "text-behind-a-broken-block-lost",
        "A broken payload vanishes.",
        """            self.is_cut = error.code == "unclosed-call"
⟦¦            self.at = self.next_marker(self.at)
⟧""",
    ),
    _line(
        "broken-payloads-from-their-error",
        "text-behind-a-broken-block-lost",
        "Only the text after the error of a broken payload is kept.",
        """            self.is_cut = error.code == "unclosed-call"
⟦¦            self.at = error.offset
⟧""",
    ),
    _line(
        "broken-payloads-with-their-marker",
        "text-behind-a-broken-block-lost",
        "A broken payload is shown with its marker.",
        """            self.is_cut = error.code == "unclosed-call"
⟦¦            first = self.characters.rfind("§", 0, self.at)
            self.at = self.next_marker(self.at)
            self.emit_segment("respond", first, self.at)
⟧""",
    ),
    _line(
        "strings-hide-markers-behind-errors",
        "delimiter-strings-hide-markers-after-an-error",
        "A string that an error left open hides markers.",
        """            self.is_cut = error.code == "unclosed-call"
⟦¦            if self.characters.count('"', self.at, error.offset + 1) % 2 == 1:
                first, end = self.at, self.characters.find('"', error.offset + 1)
                self.at = max(end, error.offset) if end > 0 else len(self.characters)
                self.emit_segment("respond", first, self.at)
⟧""",
    ),
    _line(
        "errors-stop-the-turn",
        "text-behind-a-broken-block-lost",
        "A turn ends at its first error.",
        """⟦¦            if self.is_void:
                return "paused"
⟧            if kind == "execute" and self.void_by_trailing_text():""",
    ),
    _line(
        "any-end-is-a-boundary",
        "end-of-text-taken-for-end-of-turn",
        "A marker right before the end of a text counts, whoever ended it.",
        "            return ⟦self.is_finished¦True⟧",
    ),
    _line(
        "cut-turns-have-no-boundaries",
        "end-of-text-taken-for-end-of-turn",
        "In a turn that the model did not end nothing is executed.",
        """        ⟦if at == len(self.characters):
            return self.is_finished
        return self.characters¦return self.is_finished and (self.characters + " ")⟧[at]""",
    ),
    _line(
        "trailing-text-ignored",
        "delimiter-text-behind-a-payload-ignored",
        "Text after a payload is prose, and the calls run.",
        """        if at == len(self.characters) or self.marker_at(at):
            return False⟦¦
        return True⟧""",
    ),
    _line(
        "trailing-text-dropped",
        "delimiter-text-behind-a-payload-ignored",
        "Text after a payload is skipped.",
        """        if at == len(self.characters) or self.marker_at(at):
            return False⟦¦
        self.at = self.next_marker(at)
        return False⟧""",
    ),
    _line(
        "trailing-text-at-its-first-character",
        "marker-prefix-lost",
        "The error of trailing text is at its first character, though that may begin a marker.",
        """⟦        while at < len(self.characters) and \
begins_marker(self.characters[first : at + 1]):
            at += 1
¦⟧""",
    ),
    _line(
        "trailing-damage-is-text",
        "damaged-text-runs",
        "A broken character after a payload is trailing text.",
        'self.void("⟦bad-encoding" if at in self.text.replaced else "¦⟧trailing-text", at, "")',
    ),
    _line(
        "trailing-text-shown-to-be-call",
        "delimiter-text-behind-a-payload-ignored",
        "Behind trailing text the state is that of a call.",
        """                kind⟦, is_broken = "respond", True¦ = "execute"⟧
            first = self.at
            self.at = self.next_marker(first)
            event = self.emit_segment(kind, first, self.at)
            self.segment_parts(opener, first, ⟦event, is_broken=is_broken¦\
None, is_broken=False⟧)""",
    ),
    _line(
        "calls-run-without-execute",
        "delimiter-calls-run-without-execute",
        "Calls that nothing executes are executed by the end.",
        """        if self.pending:
⟦¦            self.emit("execute", self.at)
            return
⟧            self.emit_error""",
    ),
    _line(
        "missing-execute-behind-the-end",
        "delimiter-calls-run-without-execute",
        "The error of calls that were not executed is emitted after the end.",
        """⟦¦        self.at = after
        self.emit("end", self.at - len("§end"))
        self.at = after - len("§end")
⟧        self.emit_missing_execute()
        self.at = after⟦
        self.emit("end", self.at - len("§end"))¦⟧""",
    ),
    _line(
        "prose-drops-calls",
        "delimiter-calls-run-without-execute",
        "Prose between a call and its execute drops the call.",
        """                self.at += len(marker)
⟦¦                self.pending = []
⟧                kind = "respond"
            elif""",
    ),
    _line(
        "execute-needs-calls",
        "empty-block",
        "`§execute` without calls is prose.",
        """⟦¦            elif marker == "§execute" and not self.pending and not self.is_void:
                self.at += 8
⟧            elif marker == "§execute":
                return""",
    ),
    _line(
        "void-execute-shown",
        "call-of-a-void-block-runs",
        "An execute after an error is an event.",
        """        if ⟦not self.is_void¦True⟧:
            self.emit("execute\"""",
    ),
    _line(
        "execute-goes-on",
        "text-after-the-end",
        "A turn continues after its execute.",
        """                ⟦return self.stop_at_execute()¦self.stop_at_execute()
                kind, self.pending, self.size = "respond", [], 0⟧""",
    ),
    _line(
        "end-goes-on",
        "text-after-the-end",
        "A turn continues after its end.",
        """                ⟦return self.stop_at_end()¦self.stop_at_end()
                kind = "respond"⟧""",
    ),
    _line(
        "boundary-taken",
        "text-after-the-end",
        "The boundary after `§execute` is consumed.",
        """⟦        self.at += len("§execute")
¦        self.at = min(self.at + len("§execute") + 1, len(self.characters))
⟧""",
    ),
    _line(
        "boundary-of-end-taken",
        "discarded-miscounted",
        "The boundary after `§end` is consumed.",
        """⟦        after = self.at + len("§end")
¦        after = min(self.at + len("§end") + 1, len(self.characters))
⟧""",
    ),
    _line(
        "state-of-a-cut-payload",
        "cut-in-a-string",
        "A text that ends in a payload has the state prose.",
        'return ⟦"execute" if self.is_cut else ¦⟧STATES[kind]',
    ),
    _line(
        "state-behind-a-call",
        "delimiter-calls-run-without-execute",
        "A text that ends after a call has the state prose.",
        'STATES = {"respond": "prose", "think": "think", "execute": "⟦execute¦prose⟧"}',
    ),
    _line(
        "state-in-a-think-of-lines",
        "open-think-then-call",
        "A text that ends in a think has the state prose.",
        'STATES = {"respond": "prose", "think": "⟦think¦prose⟧", "execute": "execute"}',
    ),
    _line(
        "state-behind-an-end",
        "state-misreported",
        "A turn that has ended is paused.",
        'return "⟦ended¦paused⟧"',
    ),
    _line(
        "sizes-of-payloads-apart",
        "limit-off-by-one",
        "Each payload may have the size of a block.",
        "        block = Block(self.text, self.at⟦ - self.size¦⟧, self.limits",
    ),
    _line(
        "calls-kept-behind-a-turn",
        "state-leaks-into-the-next-turn",
        "Calls of one turn are pending in the next.",
        """        self.⟦pending, self.size, self.is_void = [],¦size, self.is_void =⟧ 0, False
        self.batch = []""",
    ),
    _line(
        "errors-kept-behind-a-turn",
        "state-leaks-into-the-next-turn",
        "An error voids the blocks of later turns.",
        """        self.pending, self.size⟦, self.is_void = [], 0, False
        self.batch = []¦ = [], 0⟧""",
    ),
    _line(
        "payloads-at-index-zero",
        "path-in-the-wrong-place",
        "The path of every payload begins with 0.",
        '        block.place = (⟦str(len(self.pending))¦"0"⟧,)',
    ),
    _line(
        "payloads-without-index",
        "path-in-the-wrong-place",
        "The path of a payload has no index.",
        "        block.place = (⟦str(len(self.pending)),¦⟧)",
    ),
    Animal(
        "payloads-one-level-up",
        "limit-off-by-one",
        "A payload is at level 1.",
        "json_shapes",
        """    for member in members(block, 2⟦¦ if needs_args else 1⟧, [name_keys, args_keys]):
        if member in name_keys:""",
    ),
    _line(
        "calls-one-short-by-lines",
        "limit-off-by-one",
        "The last call that is allowed is an error.",
        "            if len(self.pending) == self.limits.calls⟦¦ - 1⟧:",
    ),
    _line(
        "calls-one-more-by-lines",
        "limit-off-by-one",
        "One call more than allowed is accepted.",
        "            if len(self.pending) == self.limits.calls⟦¦ + 1⟧:",
    ),
    _line(
        "forged-results-run-the-calls",
        "forged-results-accepted",
        "Calls before results that the model wrote are not voided.",
        """calls=len(self.pending))
        self.batch.append(self.latest)
⟦        self.pending, self.size, self.is_void = [], 0, True
¦⟧""",
    ),
    _line(
        "forged-results-void-nothing",
        "forged-results-accepted",
        "The error of forged results counts no calls.",
        "calls=⟦len(self.pending)¦0⟧",
    ),
    _line(
        "forged-results-go-on",
        "forged-results-accepted",
        "A turn continues after results that the model wrote.",
        """                if self.mode == "⟦turn¦nothing⟧":
                    return "paused\"""",
    ),
    _line(
        "forged-bodies-shown",
        "forged-results-shown",
        "The body of forged results is prose.",
        """⟦                start, is_over = self.at, self.skip_body(marker)
                self.body_part(opener, start, self.at, "model")
                if not is_over:
                    return "results"
¦⟧""",
    ),
    _line(
        "state-in-forged-bodies",
        "forged-results-shown",
        "A text that ends in forged results has the state prose.",
        "        return ⟦last < len(self.characters)¦True⟧",
    ),
    _line(
        "transcripts-by-lines-end-at-end",
        "state-leaks-into-the-next-turn",
        "A transcript ends at its first end marker.",
        '            if state ⟦not in ("paused", "ended")¦!= "paused"⟧:',
    ),
    _line(
        "transcripts-by-lines-of-one-turn",
        "state-leaks-into-the-next-turn",
        "A transcript ends with its first turn.",
        '            if ⟦state not in ("paused", "ended")¦True⟧:',
    ),
)
