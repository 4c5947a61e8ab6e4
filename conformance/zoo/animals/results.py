"""Bugs in reading results."""

from typing import Final

from conformance.zoo.making import Animal, bug_in

_json_block: Final = bug_in("json_block")
_json_shapes: Final = bug_in("json_shapes")
_tags: Final = bug_in("tags")
_ledger: Final = bug_in("ledger")
_line: Final = bug_in("line")

ANIMALS: Final = (
    _json_shapes(
        "results-of-any-tool",
        "results-in-completion-order",
        "The tool of a result is not compared.",
        "    if read_string(block) ⟦!= tool¦is None⟧:",
    ),
    _json_shapes(
        "results-of-tools-in-any-case",
        "results-in-completion-order",
        "The tool of a result is compared without regard to case or white space.",
        "    if read_string(block)⟦ != tool¦.strip().lower() != tool.lower()⟧:",
    ),
    _json_shapes(
        "results-with-any-status",
        "results-read-leniently",
        "A status may be any word.",
        '    if ⟦status not in ("success", "failure")¦False⟧:',
    ),
    _json_shapes(
        "results-with-status-in-any-case",
        "results-read-leniently",
        "A status is compared without regard to case.",
        '    if status⟦¦.lower()⟧ not in ("success", "failure"):',
    ),
    _json_shapes(
        "results-with-other-words",
        "results-read-leniently",
        "A status may be `ok` or `error` too.",
        '    if status not in ("success", "failure"⟦¦, "ok", "error", "cancelled"⟧):',
    ),
    _json_shapes(
        "results-without-members",
        "results-read-leniently",
        "A result may lack members.",
        '    if ⟦not present >= {"tool", "status", "content"}¦False⟧:',
    ),
    _json_shapes(
        "results-without-content",
        "empty-tool-output",
        "A result may lack its content.",
        '    if not present >= {"tool", "status"⟦, "content"¦⟧}:',
    ),
    _json_shapes(
        "failures-with-any-content",
        "results-read-leniently",
        "A failure may have any content.",
        '    if ⟦status == "failure" and not content_is_string¦False⟧:',
    ),
    _json_shapes(
        "successes-with-text-only",
        "results-read-leniently",
        "A content is a string.",
        '    if ⟦status == "failure" and ¦⟧not content_is_string:',
    ),
    _json_shapes(
        "successes-of-void-blocks",
        "siblings-of-a-bad-call",
        "A void block may have succeeded.",
        '    if ⟦status == "success" and is_void¦False⟧:',
    ),
    _json_shapes(
        "results-of-any-count",
        "result-count-mismatch",
        "There may be fewer results than calls.",
        "    if ⟦len(statuses) < len(tools)¦False⟧:",
    ),
    _json_shapes(
        "surplus-results-ignored",
        "result-count-mismatch",
        "Results beyond those of the calls are skipped.",
        """        if index ⟦== len(tools):
            raise block.error("results-count")¦>= len(tools):
            read_value(block, 2, "]")
            continue⟧""",
    ),
    _json_shapes(
        "results-of-void-blocks-as-of-none",
        "void-block-not-answered",
        "A void block is answered by an empty array.",
        'tools = ⟦["execute"] if called is None else called¦called or []⟧',
    ),
    _json_shapes(
        "results-judged-when-closed",
        "results-in-completion-order",
        "The tool of a result is checked when the result is whole.",
        """            ⟦read_tool(block, tool¦require(block, '"', "results-shape")
            is_other = read_string(block) != tool
            block.accept()
            if is_other:
                while block.peek() != "}":
                    block.accept()
                raise block.error("results-order"⟧)
        elif""",
    ),
    _tags(
        "results-need-objects-of-calls",
        "results-read-leniently",
        "An element of results that is not an object has the code of a call.",
        'code = error.code⟦ if error.code.startswith("results-") else "results-shape"¦⟧',
    ),
    _tags(
        "results-with-damage",
        "damaged-text-runs",
        "Results may hold what could not be decoded.",
        """⟦block = Block(self.text¦whole = Text(self.characters, frozenset())
        block = Block(whole⟧, first + len("<results>"), self.limits)""",
    ),
    Animal(
        "results-end-at-the-first-closer",
        "closer-in-a-string",
        "Results end at their first closer, in a string or not.",
        "block",
        """⟦¦        is_closer = self.text.characters.startswith("</results>", self.at)
        if is_closer and self.text.characters[self.at - 1] not in "] \\n\\t\\r":
            raise self.error("trailing-text")
⟧        if self.at == len(self.text.characters):""",
    ),
    _tags(
        "results-trimmed-by-nobody",
        "white-space-changes-on-replay",
        "White space around the array is part of the result.",
        (
            "self.emit_result(first, self.characters[block.start : ⟦last].strip(WHITE)¦"
            "block.at - 10]⟧, statuses)"
        ),
    ),
    _tags(
        "results-written-anew",
        "json-written-anew",
        "The content of a result is serialized again.",
        """⟦self.emit_result(first, self.characters[block.start : last].strip(WHITE), statuses)¦\
import json
        content = json.dumps(json.loads(self.characters[block.start : last]), ensure_ascii=False)
        self.emit_result(first, content, statuses)⟧""",
    ),
    _ledger(
        "executed-calls-of-void-blocks",
        "siblings-of-a-bad-call",
        "The answer of a void block counts as one call that was executed.",
        "        executed = ⟦0 if self.called is None else ¦⟧len(statuses)",
    ),
    _ledger(
        "executed-calls-that-succeeded",
        "failure-status-lost",
        "Only calls that succeeded count as executed.",
        '        "tools_executed": executed⟦¦ and statuses.count("success")⟧,',
    ),
    _ledger(
        "failures-not-counted",
        "failure-status-lost",
        "Failures count as successes.",
        """        "success_count": ⟦statuses.count("success"),
        "failure_count": statuses.count("failure")¦len(statuses),
        "failure_count": 0⟧,""",
    ),
    _ledger(
        "results-without-payload",
        "failure-status-lost",
        "A result has no payload.",
        'self.emit("result", first, content=content⟦, payload=payload(statuses, executed)¦⟧)',
    ),
    _json_shapes(
        "results-of-tools-as-they-are-spelled",
        "escaped-name-not-resolved",
        "The tool of a result is compared with its escapes.",
        """    ⟦if read_string(block)¦first = block.at + 1
    read_string(block)
    if block.text.characters[first : block.at]⟧ != tool:""",
    ),
    _json_shapes(
        "results-with-status-as-it-is-spelled",
        "escaped-name-not-resolved",
        "A status is compared with its escapes.",
        """    ⟦status = read_string(block)¦first = block.at + 1
    read_string(block)
    status = block.text.characters[first : block.at]⟧""",
    ),
    _json_shapes(
        "results-with-members-as-they-are-spelled",
        "escaped-name-not-resolved",
        "The names of the members of a result are compared with their escapes.",
        """⟦¦\
        end = block.text.characters.rindex('"', 0, block.at)
        member = block.text.characters[block.text.characters.rindex('"', 0, end) + 1 : end]
⟧        present.add(member)
        if member == "tool":
            read_tool""",
    ),
    _json_shapes(
        "results-of-tools-normalised",
        "text-normalised",
        "The tool of a result is compared in a normal form of Unicode.",
        """    ⟦if read_string(block) != tool¦from unicodedata import normalize
    if normalize("NFC", read_string(block)) != normalize("NFC", tool)⟧:""",
    ),
    _json_shapes(
        "results-compared-before-they-are-read",
        "error-depends-on-the-order-of-checks",
        "The tool of a result that is half a character is another tool.",
        """    ⟦if read_string(block)¦try:
        found = read_string(block)
    except Exception as error:
        if error.args[0] == "lone-surrogate":
            raise block.error("results-order") from None
        raise
    if found⟧ != tool:""",
    ),
    _json_block(
        "results-with-repeated-members-inside",
        "duplicate-keys",
        "Inside the content of a result the last of two members counts.",
        """⟦    if name in names:¦\
    is_result = block.text.characters.endswith("<results>", 0, block.start)
    if name in names and not (is_result and block.place[1:]):⟧""",
    ),
    _json_block(
        "results-with-low-halves",
        "lone-surrogate-escape-accepted",
        "Results may have an escape for the second half of a pair alone.",
        """⟦¦        is_result = block.text.characters.endswith("<results>", 0, block.start)
        if is_result and is_low(unit) and not high:
            unit = 0
⟧        if place == 3 and is_low(unit) != (high != 0):""",
    ),
    _tags(
        "prose-behind-broken-results",
        "opener-in-the-prompt-ignored",
        "After results with an error no turn begins in think.",
        """            self.error_part(first, event, "system", is_closed=is_closed)
⟦¦            self.start = "prose"
⟧""",
    ),
    _line(
        "prose-behind-broken-bodies",
        "opener-in-the-prompt-ignored",
        "After results with an error no turn begins in think.",
        """            self.body_part(first, start, self.at, "system")
⟦¦        self.start = "prose"
⟧        self.at""",
    ),
    _tags(
        "think-behind-forged-results",
        "opener-in-the-prompt-ignored",
        "After forged results in a transcript a turn begins.",
        """self.error_part(first, error, "model", is_closed=is_closed)⟦¦
                is_prompted = is_closed and self.start == "think"
                if is_prompted and not self.read_think(self.skip_opener()):
                    return "think"
⟧""",
    ),
    _tags(
        "broken-results-to-the-end",
        "void-block-skipped-wrongly",
        "Behind an error in results the rest of the text is skipped.",
        'self.skip_past("⟦</results>¦\\0⟧", error.offset)',
    ),
    _tags(
        "broken-results-shown",
        "results-read-leniently",
        "Broken results are reported, and read all the same.",
        """            self.emit_error(code, error.offset, error.path, 0)
⟦¦            self.emit("result", first, content="[]")
⟧""",
    ),
    # ---- By lines ----
    _line(
        "bodies-of-one-line",
        "delimiter-result-body-misread",
        "A body ends with its line.",
        """        last = self.next_marker(self.at)
⟦¦        end = self.characters.find("\\n", self.at, last)
        last = end if end >= 0 and marker != SYSTEM else last
⟧        if marker == SYSTEM:""",
    ),
    _line(
        "bodies-to-the-first-bracket",
        "delimiter-bracket-ends-a-result",
        "A body in brackets ends at its first bracket.",
        """                if self.characters[at] == "]"⟦ and self.characters[at + 1 : at + 2] in (
                    "",
                    "\\n",
                    "\\r",
                )¦⟧:""",
    ),
    _line(
        "bodies-to-the-last-bracket",
        "delimiter-bracket-ends-a-result",
        "A body in brackets ends at its last bracket.",
        "            for at in ⟦range(self.at, last¦reversed(range(self.at, last)⟧):",
    ),
    _line(
        "bodies-to-a-bracket-before-a-line-feed",
        "delimiter-bracket-ends-a-result",
        "A bracket before a carriage return does not end a body.",
        """                    "\\n",
⟦                    "\\r",
¦⟧""",
    ),
    _line(
        "bodies-to-a-bracket-in-the-text",
        "delimiter-bracket-ends-a-result",
        "A bracket at the end of the text does not end a body.",
        """⟦                    "",
¦⟧                    "\\n",""",
    ),
    _line(
        "bodies-with-their-bracket",
        "delimiter-bracket-ends-a-result",
        "The bracket that ends a body is part of it.",
        "                    return at⟦¦ + 1⟧, at + 1",
    ),
    _line(
        "bodies-without-brackets",
        "delimiter-bracket-ends-a-result",
        "A body in brackets continues to the next marker.",
        """        if ⟦marker == SYSTEM¦False⟧:
            for""",
    ),
    _line(
        "bodies-are-text",
        "text-result-taken-for-json",
        "A body is always text.",
        "content = ⟦body if is_value else ¦⟧json.dumps(body, ensure_ascii=False)",
    ),
    _line(
        "bodies-are-json-of-the-language",
        "text-result-taken-for-json",
        "A body is JSON if the language reads it as such.",
        """        ⟦is_value = is_json(body, self.limits, CONTENT_DEPTH)¦try:
            json.loads(body)
            is_value = True
        except ValueError:
            is_value = False⟧""",
    ),
    _line(
        "bodies-are-objects",
        "text-result-taken-for-json",
        "A body is JSON if it is an object or an array.",
        """⟦        is_value = is_json(body, self.limits, CONTENT_DEPTH)
¦        is_value = body[:1] in tuple("{[") and is_json(body, self.limits, CONTENT_DEPTH)
⟧""",
    ),
    _line(
        "bodies-in-ascii",
        "text-result-taken-for-json",
        "The text of a body is escaped beyond ASCII.",
        "content = body if is_value else json.dumps(body⟦, ensure_ascii=False¦⟧)",
    ),
    _line(
        "bodies-one-level-up",
        "limit-counts-the-wrong-thing",
        "The content of a body is at level 2.",
        "CONTENT_DEPTH = ⟦3¦2⟧",
    ),
    _line(
        "bodies-one-level-down",
        "limit-counts-the-wrong-thing",
        "The content of a body is at level 4.",
        "CONTENT_DEPTH = ⟦3¦4⟧",
    ),
    _line(
        "bodies-are-never-items",
        "content-taken-for-wrapped",
        "An item in a body is the content of another.",
        "        if ⟦is_item(body, self.limits)¦False⟧:",
    ),
    _line(
        "bodies-with-more-are-items",
        "text-result-taken-for-json",
        "A body with a tool, a status, a content and more is an item.",
        'names ⟦=¦>⟧= {"tool", "status", "content"}',
    ),
    _line(
        "bodies-with-less-are-items",
        "text-result-taken-for-json",
        "A body with a status is an item.",
        '⟦names == {"tool", "status", "content"}¦"status" in names⟧',
    ),
    _line(
        "bodies-of-void-blocks-are-text",
        "siblings-of-a-bad-call",
        "A void block may be answered by any body.",
        """⟦        if is_void:
            raise block.error("results-shape")
¦⟧""",
    ),
    _line(
        "bodies-of-other-tools-escaped-not",
        "json-written-anew",
        "The name of the tool is written as it is.",
        "        name = ⟦json.dumps(tool, ensure_ascii=False)¦f'\"{tool}\"'⟧",
    ),
    _line(
        "bodies-errors-at-their-first-character",
        "results-in-completion-order",
        "What is wrong with a body is at its first character.",
        """            at = ⟦self.last_character(first, last)¦first + error.offset⟧
            raise""",
    ),
    _line(
        "bodies-errors-without-index",
        "path-in-the-wrong-place",
        "What is wrong with a body has the path of a value in it.",
        "raise BlockError(error.code, at, ⟦pointer((str(index),))¦error.path⟧) from None",
    ),
    _line(
        "bodies-errors-behind-white-space",
        "result-count-mismatch",
        "White space at the end of a body counts.",
        """⟦        while last > first and self.characters[last - 1] in WHITE:
            last -= 1
¦⟧        return""",
    ),
    _line(
        "bodies-sizes-apart",
        "limit-off-by-one",
        "Each body may have the size of all.",
        """⟦            size += last - start
¦⟧""",
    ),
    _line(
        "bodies-size-one-short",
        "limit-off-by-one",
        "The last character that bodies may have is an error.",
        "size + at - first == self.limits.size⟦¦ - 1⟧:",
    ),
    _line(
        "bodies-size-one-more",
        "limit-off-by-one",
        "One character more than allowed is accepted.",
        "size + at - first == self.limits.size⟦¦ + 1⟧:",
    ),
    _line(
        "bodies-with-damage",
        "invalid-utf-8-in-the-middle",
        "A body may contain replaced characters.",
        "            if ⟦at in self.text.replaced or ¦⟧size",
    ),
    _line(
        "bodies-size-without-path",
        "limit-off-by-one",
        "A body that is too long has no path.",
        '                raise BlockError("results-shape", at, ⟦pointer((str(index),))¦""⟧)',
    ),
    _line(
        "bodies-fewer-than-calls",
        "result-count-mismatch",
        "There may be fewer bodies than calls.",
        "        if ⟦bodies < len(tools)¦False⟧:",
    ),
    _line(
        "bodies-more-than-calls",
        "result-count-mismatch",
        "Bodies beyond those of the calls are left for the next turn.",
        '⟦return self.refuse_results("results-count", first, "", first, read)¦break⟧',
    ),
    _line(
        "bodies-of-empty-batches",
        "result-count-mismatch",
        "A batch without calls may be answered by anything.",
        "                    ⟦self.require_empty_array(start, last)¦pass⟧",
    ),
    _line(
        "bodies-of-empty-batches-without-space",
        "empty-tool-output",
        "The empty array of a batch without calls has no white space in it.",
        '        if body⟦[:1] != "[" or body[1:].strip(WHITE) != "¦ != "[⟧]":',
    ),
    _line(
        "bodies-of-empty-batches-missing",
        "empty-batch-never-answered",
        "A batch without calls is answered without results.",
        "            if bodies == ⟦max(len(tools), 1¦len(tools⟧):",
    ),
    _line(
        "bodies-of-one-name-swapped",
        "results-in-completion-order",
        "A body is that of the last call.",
        "found.append(self.read_body(start, last, tools[⟦bodies¦-1⟧], bodies))",
    ),
    _line(
        "bodies-in-the-wrong-order",
        "results-in-completion-order",
        "The last body is first.",
        "                    found.⟦append(¦insert(0, ⟧self",
    ),
    _line(
        "bodies-left-behind-an-error",
        "result-count-mismatch",
        "Behind an error the results that follow are forged.",
        """⟦        while self.results_follow():
            first = self.after_white()
            marker = self.marker_at(first)
            self.at = first + len(marker)
            self.markers.append((first, self.at))
            start = self.at
            self.skip_body(marker)
            self.body_part(first, start, self.at, "system")
¦⟧        self.at = self.after_white()
        return""",
    ),
    _line(
        "bodies-end-the-transcript",
        "delimiter-result-body-misread",
        "A transcript ends after its results.",
        '        return "results"⟦ if self.at == len(self.characters) else "paused"¦⟧',
    ),
    _line(
        "bodies-are-over",
        "result-count-mismatch",
        "A text that ends after a body is paused.",
        '        return "⟦results¦prose⟧" if self.at == len(self.characters) else "paused"',
    ),
    _line(
        "bodies-raw-of-errors",
        "raw-has-gaps",
        "The raw text of a wrong body ends at its error.",
        (
            "        self.at = ⟦max(seen, min(offset + 1, len(self.characters)¦"
            "min(offset + 1, len(self.characters⟧))"
        ),
    ),
    _json_shapes(
        "bodies-on-one-line",
        "json-written-anew",
        "The results of a batch are an array on one line.",
        (
            'return "[⟦\\n  " + ",\\n  ".join(items) + "\\n]" if items else "[¦'
            '" + ", ".join(items) + "⟧]"'
        ),
    ),
)
