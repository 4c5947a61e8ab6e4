"""Bugs in the dialects whose markers stand at the start of a line."""

from typing import Final

from conformance.zoo.animals.characters import rewriting
from conformance.zoo.making import Animal

_FRESH = (
    'is_fresh = self.characters[at] in "\\n\\r" or (is_fresh and self.characters[at] in " \\t")'
)
_WORDS = "            if lower(self.characters[at:after]) == keyword and ("

ANIMALS: Final = (
    Animal(
        "markers-mid-line",
        "delimiter-mid-line-marker",
        "A marker counts wherever it stands.",
        "line",
        _FRESH,
        "is_fresh = True",
    ),
    Animal(
        "markers-in-the-first-column",
        "delimiter-marker-not-in-the-first-column",
        "White space before a marker makes it prose.",
        "line",
        _FRESH,
        'is_fresh = self.characters[at] in "\\n\\r"',
    ),
    Animal(
        "lines-end-at-line-feeds",
        "delimiter-carriage-return-begins-no-line",
        "A carriage return ends no line.",
        "line",
        _FRESH,
        _FRESH.replace('"\\n\\r"', '"\\n"'),
    ),
    Animal(
        "lines-of-unicode",
        "unicode-spaces-trimmed",
        "The other line ends of Unicode end a line too.",
        "line",
        _FRESH,
        _FRESH.replace('"\\n\\r"', '"\\n\\r\\v\\f\\u0085\\u2028\\u2029"'),
    ),
    Animal(
        "spaces-of-unicode-before-markers",
        "unicode-spaces-trimmed",
        "Any white space may stand before a marker.",
        "line",
        _FRESH,
        (
            'is_fresh = self.characters[at] in "\\n\\r" or (is_fresh and '
            "self.characters[at].isspace())"
        ),
    ),
    Animal(
        "quotes-before-markers",
        "delimiter-mid-line-marker",
        "Quotes and fences before a marker are no matter.",
        "line",
        _FRESH,
        _FRESH.replace('" \\t"', '" \\t`>*"'),
    ),
    Animal(
        "markers-on-their-own-line",
        "delimiter-prefix-of-a-word",
        "A marker directly behind another is prose.",
        "line",
        """        is_fresh = True
        for at in range(start""",
        """        is_fresh = start == 0
        for at in range(start""",
    ),
    Animal(
        "markers-in-one-case",
        "delimiter-marker-letter-case",
        "A marker is written in small letters only.",
        "line",
        _WORDS,
        "            if self.characters[at:after] == keyword and (",
    ),
    Animal(
        "case-folding-of-unicode",
        "delimiter-marker-letter-case",
        "Letters that fold to those of a marker, such as the Kelvin sign, make it one.",
        "line",
        _WORDS,
        "            if self.characters[at:after].casefold() == keyword and (",
    ),
    Animal(
        "compatibility-forms-of-letters",
        "delimiter-marker-letter-case",
        "Letters that look like those of a marker make it one.",
        "line",
        _WORDS,
        """            import unicodedata
            same = unicodedata.normalize("NFKC", self.characters[at:after]).replace("ı", "i")
            if same == keyword and (""",
    ),
    Animal(
        "system-in-any-case",
        "delimiter-marker-letter-case",
        "The bracket of results is found in any case.",
        "line",
        "        if self.characters.startswith(SYSTEM, at):",
        "        if self.characters[at : at + len(SYSTEM)].upper() == SYSTEM:",
    ),
    Animal(
        "system-without-its-space",
        "delimiter-marker-letter-case",
        "The bracket of results needs no space behind its colon.",
        "line",
        'SYSTEM = "[SYSTEM: "',
        'SYSTEM = "[SYSTEM:"',
    ),
    Animal(
        "no-system-bracket",
        "forged-results-accepted",
        "Results in brackets are prose.",
        "line",
        "        if self.characters.startswith(SYSTEM, at):",
        "        if False:",
    ),
    Animal(
        "no-result-marker",
        "forged-results-accepted",
        "`§result:` is prose.",
        "line",
        'KEYWORDS = ("§think:", "§call:", "§respond:", "§result:", "§execute", "§end")',
        'KEYWORDS = ("§think:", "§call:", "§respond:", "§execute", "§end")',
    ),
    Animal(
        "markers-without-boundary",
        "delimiter-prefix-of-a-word",
        "A word that begins like `§end` ends the turn.",
        "line",
        'NEEDS_BOUNDARY = ("§execute", "§end")',
        "NEEDS_BOUNDARY = ()",
    ),
    Animal(
        "boundary-of-words",
        "delimiter-prefix-of-a-word",
        "Anything but a letter or a digit is a boundary.",
        "line",
        'self.characters[at] in WHITE + "§"',
        "not self.characters[at].isalnum()",
    ),
    Animal(
        "boundary-of-white-space",
        "delimiter-prefix-of-a-word",
        "A marker directly behind `§execute` makes it prose.",
        "line",
        'self.characters[at] in WHITE + "§"',
        "self.characters[at] in WHITE",
    ),
    Animal(
        "boundary-of-line-ends",
        "delimiter-prefix-of-a-word",
        "`§execute` and `§end` stand alone on their line.",
        "line",
        'self.characters[at] in WHITE + "§"',
        'self.characters[at] in "\\r\\n"',
    ),
    Animal(
        "boundary-of-unicode-spaces",
        "delimiter-prefix-of-a-word",
        "Any white space is a boundary.",
        "line",
        'self.characters[at] in WHITE + "§"',
        'self.characters[at].isspace() or self.characters[at] == "§"',
    ),
    Animal(
        "no-boundary-at-the-end",
        "cut-in-the-closer",
        "The end of the text is no boundary.",
        "line",
        "return at == len(self.characters) or",
        "return at < len(self.characters) and",
    ),
    Animal(
        "markers-without-colon",
        "marker-prefix-lost",
        "The colon of a marker may be missing.",
        "line",
        'KEYWORDS = ("§think:", "§call:", "§respond:", "§result:", "§execute", "§end")',
        'KEYWORDS = ("§think", "§call:", "§respond", "§result:", "§execute", "§end")',
    ),
    rewriting(
        "spaces-before-the-colon",
        "marker-with-attributes-or-spaces",
        "White space may stand in a marker.",
        'data = data.replace(" :", ":").replace("§ ", "§")',
    ),
    rewriting(
        "zero-width-characters-dropped",
        "invisible-characters-in-a-marker",
        "Zero-width characters are left out of the text.",
        'data = data.replace("\\u200b", "").replace("\\u200d", "").replace("\\u2060", "")',
    ),
    Animal(
        "signs-swallowed",
        "marker-behind-half-a-marker",
        "A `§` that begins no marker takes the character after it along.",
        "line",
        """            if is_fresh and self.marker_at(at):
                return at
            is_fresh""",
        """            if is_fresh and self.marker_at(at):
                return at
            if self.characters[at - 1 : at] == "§" and self.marker_at(at):
                return at
            is_fresh""",
    ),
    Animal(
        "markers-behind-half-a-marker",
        "marker-behind-half-a-marker",
        "A marker counts behind the beginning of another.",
        "line",
        _FRESH,
        f'{_FRESH}\n            is_fresh |= self.characters[max(0, at - 4) : at + 1] == "§thin"',
    ),
    Animal(
        "lone-signs-dropped",
        "held-text-swallowed",
        "A `§` at the end of the text, that could have begun a marker, is lost.",
        "ledger",
        "        content = self.characters[first:last].lstrip(WHITE)\n",
        '        content = self.characters[first:last].lstrip(WHITE).removesuffix("§")\n',
    ),
    Animal(
        "half-markers-dropped",
        "held-text-swallowed",
        "A text at its end that could have become a marker is lost.",
        "line",
        """            if marker == "":
                self.emit_missing_execute()""",
        (
            '            if marker == "" and self.events and '
            'self.events[-1].get("content", "")[:1] == "§":\n'
            "                self.events.pop()\n"
            '            if marker == "":\n'
            "                self.emit_missing_execute()"
        ),
    ),
    Animal(
        "prose-needs-a-marker",
        "held-text-swallowed",
        "Text before the first marker is lost.",
        "line",
        "            event = self.emit_segment(kind, first, self.at)\n",
        "            event = self.emit_segment(kind, first, self.at) if first else None\n",
    ),
    Animal(
        "empty-text-shown",
        "empty-message",
        "A text without content gives an empty prose.",
        "ledger",
        "        state: str" if False else "    def outcome(self, state: str) -> Outcome:\n",
        """    def outcome(self, state: str) -> Outcome:
        if not self.characters:
            self.emit("respond", 0, content="")
""",
    ),
    Animal(
        "thinks-need-a-closer",
        "open-think-then-call",
        "Only `§respond:` ends a think.",
        "line",
        """            self.at = self.next_marker(first)
            event = self.emit_segment(kind, first, self.at)
""",
        "            self.at = self.next_marker(first)\n"
        '            while kind == "think" and self.marker_at(self.at) not in ("§respond:", ""):\n'
        "                self.at = self.next_marker(self.at + 1)\n"
        "            event = self.emit_segment(kind, first, self.at)\n",
    ),
    Animal(
        "thinks-are-prose",
        "segments-not-in-order",
        "What is thought is told.",
        "line",
        '                kind = "think"\n            elif',
        '                kind = "respond"\n            elif',
    ),
    Animal(
        "prompted-think-lost",
        "opener-in-the-prompt-ignored",
        "The think that the prompt opened is prose.",
        "line",
        'kind = "think" if self.start == "think" else "respond"',
        'kind = "respond"',
    ),
    Animal(
        "prompted-think-in-the-first-turn",
        "stray-think-closer",
        "The prompt opens a think in the first turn only.",
        "line",
        'kind = "think" if self.start == "think" else "respond"',
        'kind = "think" if self.start == "think" and self.at == 0 else "respond"',
    ),
    Animal(
        "payload-of-one-line",
        "delimiter-payload-of-several-lines",
        "A payload ends with its line.",
        "line",
        "            name = read_call(block, needs_args=False)\n",
        """            name = read_call(block, needs_args=False)
            if "\\n" in self.characters[first : block.at]:
                raise block.error("json-syntax")
""",
    ),
    Animal(
        "payload-to-the-first-brace",
        "brackets-in-strings",
        "A payload ends at its first closing brace.",
        "line",
        "            name = read_call(block, needs_args=False)\n",
        """            name = read_call(block, needs_args=False)
            if "}" in self.characters[first : block.at - 1]:
                raise block.error("json-syntax")
""",
    ),
    Animal(
        "payload-to-the-next-marker",
        "delimiter-marker-in-a-string",
        "A payload ends at the next marker, in a string or not.",
        "line",
        "            name = read_call(block, needs_args=False)\n",
        """            name = read_call(block, needs_args=False)
            if "§" in self.characters[first : block.at]:
                raise block.error("json-syntax")
""",
    ),
    Animal(
        "payload-in-the-same-line",
        "delimiter-payload-of-several-lines",
        "A payload begins in the line of its marker.",
        "line",
        '            skip_white(block)\n            require(block, "{", "not-object")',
        """            while block.peek() == " ":
                block.accept()
            require(block, "{", "not-object")""",
    ),
    Animal(
        "broken-payloads-left-out",
        "delimiter-broken-payload-runs-the-rest",
        "A payload that breaks is left out, and the other calls run.",
        "line",
        "            self.at = at\n        self.pending, self.size, self.is_void = [], 0, True\n",
        "            self.at = at\n",
    ),
    Animal(
        "calls-behind-an-error-run",
        "delimiter-broken-payload-runs-the-rest",
        "Calls behind an error run.",
        "line",
        """        if not self.is_void:
            self.pending.append(name)
            self.size = block.at - block.start
        return "execute\"""",
        """        self.pending.append(name)
        self.is_void = False
        return "execute\"""",
    ),
    Animal(
        "errors-for-each-payload",
        "second-error-for-one-block",
        "Every broken payload has an error.",
        "line",
        """    def void(self, code: str, offset: int, path: str) -> None:
        if not self.is_void:
            at""",
        """    def void(self, code: str, offset: int, path: str) -> None:
        if True:
            at""",
    ),
    Animal(
        "broken-payloads-lost",
        "text-behind-a-broken-block-lost",
        "A broken payload vanishes.",
        "line",
        '            self.is_cut = error.code == "unclosed-call"\n',
        """            self.is_cut = error.code == "unclosed-call"
            self.at = self.next_marker(self.at)
""",
    ),
    Animal(
        "broken-payloads-from-their-error",
        "text-behind-a-broken-block-lost",
        "Of a broken payload only what follows the error is shown.",
        "line",
        '            self.is_cut = error.code == "unclosed-call"\n',
        """            self.is_cut = error.code == "unclosed-call"
            self.at = error.offset
""",
    ),
    Animal(
        "broken-payloads-with-their-marker",
        "text-behind-a-broken-block-lost",
        "A broken payload is shown with its marker.",
        "line",
        '            self.is_cut = error.code == "unclosed-call"\n',
        """            self.is_cut = error.code == "unclosed-call"
            first = self.characters.rfind("§", 0, self.at)
            self.at = self.next_marker(self.at)
            self.emit_segment("respond", first, self.at)
""",
    ),
    Animal(
        "strings-hide-markers-behind-errors",
        "delimiter-strings-hide-markers-after-an-error",
        "A string that an error left open hides markers.",
        "line",
        '            self.is_cut = error.code == "unclosed-call"\n',
        """            self.is_cut = error.code == "unclosed-call"
            if self.characters.count('"', self.at, error.offset + 1) % 2 == 1:
                first, end = self.at, self.characters.find('"', error.offset + 1)
                self.at = max(end, error.offset) if end > 0 else len(self.characters)
                self.emit_segment("respond", first, self.at)
""",
    ),
    Animal(
        "errors-stop-the-turn",
        "text-behind-a-broken-block-lost",
        "A turn ends at its first error.",
        "line",
        '            if kind == "execute" and self.void_by_trailing_text():',
        """            if self.is_void:
                return "paused"
            if kind == "execute" and self.void_by_trailing_text():""",
    ),
    Animal(
        "trailing-text-ignored",
        "delimiter-text-behind-a-payload-ignored",
        "Text behind a payload is prose, and the calls run.",
        "line",
        "        if at == len(self.characters) or self.marker_at(at):\n            return False",
        """        if at == len(self.characters) or self.marker_at(at):
            return False
        return True""",
    ),
    Animal(
        "trailing-text-dropped",
        "delimiter-text-behind-a-payload-ignored",
        "Text behind a payload is skipped.",
        "line",
        "        if at == len(self.characters) or self.marker_at(at):\n            return False",
        """        if at == len(self.characters) or self.marker_at(at):
            return False
        self.at = self.next_marker(at)
        return False""",
    ),
    Animal(
        "trailing-text-at-its-first-character",
        "marker-prefix-lost",
        "The error of trailing text stands at its first character, though that may begin a marker.",
        "line",
        (
            "        while at < len(self.characters) and "
            "begins_marker(self.characters[first : at + 1]):\n"
            "            at += 1\n"
        ),
        "",
    ),
    Animal(
        "trailing-damage-is-text",
        "damaged-text-runs",
        "A broken character behind a payload is trailing text.",
        "line",
        'self.void("bad-encoding" if at in self.text.replaced else "trailing-text", at, "")',
        'self.void("trailing-text", at, "")',
    ),
    Animal(
        "trailing-text-shown-to-be-call",
        "delimiter-text-behind-a-payload-ignored",
        "Behind trailing text the state is that of a call.",
        "line",
        """                kind, is_broken = "respond", True
            first = self.at
            self.at = self.next_marker(first)
            event = self.emit_segment(kind, first, self.at)
            self.segment_parts(opener, first, event, is_broken=is_broken)
""",
        """                kind = "execute"
            first = self.at
            self.at = self.next_marker(first)
            event = self.emit_segment(kind, first, self.at)
            self.segment_parts(opener, first, None, is_broken=False)
""",
    ),
    Animal(
        "calls-run-without-execute",
        "delimiter-calls-run-without-execute",
        "Calls that nothing executes are executed by the end.",
        "line",
        """        if self.pending:
            self.emit_error""",
        """        if self.pending:
            self.emit("execute", self.at)
            return
            self.emit_error""",
    ),
    Animal(
        "missing-execute-behind-the-end",
        "delimiter-calls-run-without-execute",
        "The error of calls that were not executed comes behind the end.",
        "line",
        """        self.emit_missing_execute()
        self.at = after
        self.emit("end", self.at - len("§end"))""",
        """        self.at = after
        self.emit("end", self.at - len("§end"))
        self.at = after - len("§end")
        self.emit_missing_execute()
        self.at = after""",
    ),
    Animal(
        "prose-drops-calls",
        "delimiter-calls-run-without-execute",
        "Prose between a call and its execute drops the call.",
        "line",
        """                self.at += len(marker)
                kind = "respond"
            elif""",
        """                self.at += len(marker)
                self.pending = []
                kind = "respond"
            elif""",
    ),
    Animal(
        "execute-needs-calls",
        "empty-block",
        "`§execute` without calls is prose.",
        "line",
        '            elif marker == "§execute":\n                return',
        """            elif marker == "§execute" and not self.pending and not self.is_void:
                self.at += 8
            elif marker == "§execute":
                return""",
    ),
    Animal(
        "void-execute-shown",
        "call-of-a-void-block-runs",
        "An execute behind an error is an event.",
        "line",
        '        if not self.is_void:\n            self.emit("execute"',
        '        if True:\n            self.emit("execute"',
    ),
    Animal(
        "execute-goes-on",
        "text-after-the-end",
        "A turn goes on behind its execute.",
        "line",
        "                return self.stop_at_execute()",
        """                self.stop_at_execute()
                kind, self.pending, self.size = "respond", [], 0""",
    ),
    Animal(
        "end-goes-on",
        "text-after-the-end",
        "A turn goes on behind its end.",
        "line",
        "                return self.stop_at_end()",
        '                self.stop_at_end()\n                kind = "respond"',
    ),
    Animal(
        "boundary-taken",
        "text-after-the-end",
        "The boundary behind `§execute` is taken.",
        "line",
        '        self.at += len("§execute")\n',
        '        self.at = min(self.at + len("§execute") + 1, len(self.characters))\n',
    ),
    Animal(
        "boundary-of-end-taken",
        "discarded-miscounted",
        "The boundary behind `§end` is taken.",
        "line",
        '        after = self.at + len("§end")\n',
        '        after = min(self.at + len("§end") + 1, len(self.characters))\n',
    ),
    Animal(
        "state-of-a-cut-payload",
        "cut-in-a-string",
        "A text that ends in a payload says that it ended in prose.",
        "line",
        'return "execute" if self.is_cut else STATES[kind]',
        "return STATES[kind]",
    ),
    Animal(
        "state-behind-a-call",
        "delimiter-calls-run-without-execute",
        "A text that ends behind a call says that it ended in prose.",
        "line",
        'STATES = {"respond": "prose", "think": "think", "execute": "execute"}',
        'STATES = {"respond": "prose", "think": "think", "execute": "prose"}',
    ),
    Animal(
        "state-in-a-think-of-lines",
        "open-think-then-call",
        "A text that ends in a think says that it ended in prose.",
        "line",
        'STATES = {"respond": "prose", "think": "think", "execute": "execute"}',
        'STATES = {"respond": "prose", "think": "prose", "execute": "execute"}',
    ),
    Animal(
        "state-behind-an-end",
        "state-misreported",
        "A turn that has ended is paused.",
        "line",
        'return "ended"',
        'return "paused"',
    ),
    Animal(
        "sizes-of-payloads-apart",
        "limit-off-by-one",
        "Each payload may have the size of a block.",
        "line",
        "        block = Block(self.text, self.at - self.size, self.limits",
        "        block = Block(self.text, self.at, self.limits",
    ),
    Animal(
        "calls-kept-behind-a-turn",
        "state-leaks-into-the-next-turn",
        "Calls of one turn are pending in the next.",
        "line",
        "        self.pending, self.size, self.is_void = [], 0, False\n        self.batch = []\n",
        "        self.size, self.is_void = 0, False\n        self.batch = []\n",
    ),
    Animal(
        "errors-kept-behind-a-turn",
        "state-leaks-into-the-next-turn",
        "An error voids the blocks of later turns.",
        "line",
        "        self.pending, self.size, self.is_void = [], 0, False\n        self.batch = []\n",
        "        self.pending, self.size = [], 0\n",
    ),
    Animal(
        "payloads-at-index-zero",
        "path-in-the-wrong-place",
        "The path of every payload begins with 0.",
        "line",
        "        block.place = (str(len(self.pending)),)",
        '        block.place = ("0",)',
    ),
    Animal(
        "payloads-without-index",
        "path-in-the-wrong-place",
        "The path of a payload has no index.",
        "line",
        "        block.place = (str(len(self.pending)),)",
        "        block.place = ()",
    ),
    Animal(
        "payloads-one-level-up",
        "limit-off-by-one",
        "A payload is at level 1.",
        "json_shapes",
        '    for member in members(block, 2):\n        if member == "name":',
        '    for member in members(block, 2 if needs_args else 1):\n        if member == "name":',
    ),
    Animal(
        "calls-one-short-by-lines",
        "limit-off-by-one",
        "The last call that is allowed is an error.",
        "line",
        "            if len(self.pending) == self.limits.calls:",
        "            if len(self.pending) == self.limits.calls - 1:",
    ),
    Animal(
        "calls-one-more-by-lines",
        "limit-off-by-one",
        "One call more than allowed is taken.",
        "line",
        "            if len(self.pending) == self.limits.calls:",
        "            if len(self.pending) == self.limits.calls + 1:",
    ),
    Animal(
        "forged-results-run-the-calls",
        "forged-results-accepted",
        "Calls before results that the model wrote are not voided.",
        "line",
        """calls=len(self.pending))
        self.batch.append(self.latest)
        self.pending, self.size, self.is_void = [], 0, True
""",
        "calls=len(self.pending))\n        self.batch.append(self.latest)\n",
    ),
    Animal(
        "forged-results-void-nothing",
        "forged-results-accepted",
        "The error of forged results counts no calls.",
        "line",
        "calls=len(self.pending)",
        "calls=0",
    ),
    Animal(
        "forged-results-go-on",
        "forged-results-accepted",
        "A turn goes on behind results that the model wrote.",
        "line",
        """                if self.mode == "turn":
                    return "paused\"""",
        """                if self.mode == "nothing":
                    return "paused\"""",
    ),
    Animal(
        "forged-bodies-shown",
        "forged-results-shown",
        "The body of forged results is prose.",
        "line",
        "                start, is_over = self.at, self.skip_body(marker)\n"
        '                self.body_part(opener, start, self.at, "model")\n'
        "                if not is_over:\n"
        '                    return "results"\n',
        "",
    ),
    Animal(
        "state-in-forged-bodies",
        "forged-results-shown",
        "A text that ends in forged results says that it ended in prose.",
        "line",
        "        return last < len(self.characters)\n",
        "        return True\n",
    ),
    Animal(
        "transcripts-by-lines-end-at-end",
        "state-leaks-into-the-next-turn",
        "A transcript ends at its first end marker.",
        "line",
        '            if state not in ("paused", "ended"):',
        '            if state != "paused":',
    ),
    Animal(
        "transcripts-by-lines-of-one-turn",
        "state-leaks-into-the-next-turn",
        "A transcript ends with its first turn.",
        "line",
        '            if state not in ("paused", "ended"):',
        "            if True:",
    ),
)
