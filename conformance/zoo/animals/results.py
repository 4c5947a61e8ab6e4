"""Bugs in reading results."""

from typing import Final

from conformance.zoo.making import Animal

ANIMALS: Final = (
    Animal(
        "results-of-any-tool",
        "results-in-completion-order",
        "The tool of a result is not compared.",
        "json_shapes",
        "    if read_string(block) != tool:",
        "    if read_string(block) is None:",
    ),
    Animal(
        "results-of-tools-in-any-case",
        "results-in-completion-order",
        "The tool of a result is compared without regard to case or white space.",
        "json_shapes",
        "    if read_string(block) != tool:",
        "    if read_string(block).strip().lower() != tool.lower():",
    ),
    Animal(
        "results-with-any-status",
        "results-read-leniently",
        "A status may be any word.",
        "json_shapes",
        '    if status not in ("success", "failure"):',
        "    if False:",
    ),
    Animal(
        "results-with-status-in-any-case",
        "results-read-leniently",
        "A status is compared without regard to case.",
        "json_shapes",
        '    if status not in ("success", "failure"):',
        '    if status.lower() not in ("success", "failure"):',
    ),
    Animal(
        "results-with-other-words",
        "results-read-leniently",
        "A status may be `ok` or `error` too.",
        "json_shapes",
        '    if status not in ("success", "failure"):',
        '    if status not in ("success", "failure", "ok", "error", "cancelled"):',
    ),
    Animal(
        "results-without-members",
        "results-read-leniently",
        "A result may lack members.",
        "json_shapes",
        '    if not present >= {"tool", "status", "content"}:',
        "    if False:",
    ),
    Animal(
        "results-without-content",
        "empty-tool-output",
        "A result may lack its content.",
        "json_shapes",
        '    if not present >= {"tool", "status", "content"}:',
        '    if not present >= {"tool", "status"}:',
    ),
    Animal(
        "failures-with-any-content",
        "results-read-leniently",
        "A failure may have any content.",
        "json_shapes",
        '    if status == "failure" and not content_is_string:',
        "    if False:",
    ),
    Animal(
        "successes-with-text-only",
        "results-read-leniently",
        "A content is a string.",
        "json_shapes",
        '    if status == "failure" and not content_is_string:',
        "    if not content_is_string:",
    ),
    Animal(
        "successes-of-void-blocks",
        "siblings-of-a-bad-call",
        "A void block may have succeeded.",
        "json_shapes",
        '    if status == "success" and is_void:',
        "    if False:",
    ),
    Animal(
        "results-of-any-count",
        "result-count-mismatch",
        "There may be fewer results than calls.",
        "json_shapes",
        "    if len(statuses) < len(tools):\n",
        "    if False:\n",
    ),
    Animal(
        "surplus-results-ignored",
        "result-count-mismatch",
        "Results beyond those of the calls are skipped.",
        "json_shapes",
        """        if index == len(tools):
            raise block.error("results-count")
""",
        """        if index >= len(tools):
            read_value(block, 2, "]")
            continue
""",
    ),
    Animal(
        "results-of-void-blocks-as-of-none",
        "void-block-not-answered",
        "A void block is answered by an empty array.",
        "json_shapes",
        'tools = ["execute"] if called is None else called',
        "tools = called or []",
    ),
    Animal(
        "results-judged-when-closed",
        "results-in-completion-order",
        "The tool of a result is judged when the result is whole.",
        "json_shapes",
        """            read_tool(block, tool)
        elif""",
        """            require(block, '"', "results-shape")
            is_other = read_string(block) != tool
            block.accept()
            if is_other:
                while block.peek() != "}":
                    block.accept()
                raise block.error("results-order")
        elif""",
    ),
    Animal(
        "results-need-objects-of-calls",
        "results-read-leniently",
        "An element of results that is no object has the code of a call.",
        "tags",
        'code = error.code if error.code.startswith("results-") else "results-shape"',
        "code = error.code",
    ),
    Animal(
        "results-end-at-the-first-closer",
        "closer-in-a-string",
        "Results end at their first closer, in a string or not.",
        "block",
        "        if self.at == len(self.text.characters):",
        """        is_closer = self.text.characters.startswith("</results>", self.at)
        if is_closer and self.text.characters[self.at - 1] not in "] \\n\\t\\r":
            raise self.error("trailing-text")
        if self.at == len(self.text.characters):""",
    ),
    Animal(
        "results-trimmed-by-nobody",
        "white-space-changes-on-replay",
        "White space around the array is part of the result.",
        "tags",
        "self.emit_result(first, self.characters[block.start : last].strip(WHITE), statuses)",
        "self.emit_result(first, self.characters[block.start : block.at - 10], statuses)",
    ),
    Animal(
        "results-written-anew",
        "json-written-anew",
        "The content of a result is written anew.",
        "tags",
        "self.emit_result(first, self.characters[block.start : last].strip(WHITE), statuses)",
        """import json
        content = json.dumps(json.loads(self.characters[block.start : last]), ensure_ascii=False)
        self.emit_result(first, content, statuses)""",
    ),
    Animal(
        "executed-calls-of-void-blocks",
        "siblings-of-a-bad-call",
        "The answer of a void block counts as one call that was executed.",
        "ledger",
        "        executed = 0 if self.called is None else len(statuses)",
        "        executed = len(statuses)",
    ),
    Animal(
        "executed-calls-that-succeeded",
        "failure-status-lost",
        "Only calls that succeeded count as executed.",
        "ledger",
        '        "tools_executed": executed,',
        '        "tools_executed": executed and statuses.count("success"),',
    ),
    Animal(
        "failures-not-counted",
        "failure-status-lost",
        "Failures count as successes.",
        "ledger",
        """        "success_count": statuses.count("success"),
        "failure_count": statuses.count("failure"),""",
        '        "success_count": len(statuses),\n        "failure_count": 0,',
    ),
    Animal(
        "results-without-payload",
        "failure-status-lost",
        "A result has no payload.",
        "ledger",
        'self.emit("result", first, content=content, payload=payload(statuses, executed))',
        'self.emit("result", first, content=content)',
    ),
    Animal(
        "broken-results-to-the-end",
        "void-block-skipped-wrongly",
        "Behind an error in results the rest of the text is skipped.",
        "tags",
        'self.skip_past("</results>", error.offset)',
        'self.skip_past("\\0", error.offset)',
    ),
    Animal(
        "broken-results-shown",
        "results-read-leniently",
        "Broken results are told, and read all the same.",
        "tags",
        "            self.emit_error(code, error.offset, error.path, 0)\n",
        """            self.emit_error(code, error.offset, error.path, 0)
            self.emit("result", first, content="[]")
""",
    ),
    # ---- By lines ----
    Animal(
        "bodies-of-one-line",
        "delimiter-result-body-misread",
        "A body ends with its line.",
        "line",
        "        last = self.next_marker(self.at)\n        if marker == SYSTEM:",
        """        last = self.next_marker(self.at)
        end = self.characters.find("\\n", self.at, last)
        last = end if end >= 0 and marker != SYSTEM else last
        if marker == SYSTEM:""",
    ),
    Animal(
        "bodies-to-the-first-bracket",
        "delimiter-bracket-ends-a-result",
        "A body in brackets ends at its first bracket.",
        "line",
        """                if self.characters[at] == "]" and self.characters[at + 1 : at + 2] in (
                    "",
                    "\\n",
                    "\\r",
                ):""",
        """                if self.characters[at] == "]":""",
    ),
    Animal(
        "bodies-to-the-last-bracket",
        "delimiter-bracket-ends-a-result",
        "A body in brackets ends at its last bracket.",
        "line",
        "            for at in range(self.at, last):",
        "            for at in reversed(range(self.at, last)):",
    ),
    Animal(
        "bodies-to-a-bracket-before-a-line-feed",
        "delimiter-bracket-ends-a-result",
        "A bracket before a carriage return does not end a body.",
        "line",
        '                    "\\n",\n                    "\\r",\n',
        '                    "\\n",\n',
    ),
    Animal(
        "bodies-to-a-bracket-in-the-text",
        "delimiter-bracket-ends-a-result",
        "A bracket at the end of the text does not end a body.",
        "line",
        '                    "",\n                    "\\n",',
        '                    "\\n",',
    ),
    Animal(
        "bodies-with-their-bracket",
        "delimiter-bracket-ends-a-result",
        "The bracket that ends a body is part of it.",
        "line",
        "                    return at, at + 1",
        "                    return at + 1, at + 1",
    ),
    Animal(
        "bodies-without-brackets",
        "delimiter-bracket-ends-a-result",
        "A body in brackets goes on to the next marker.",
        "line",
        "        if marker == SYSTEM:\n            for",
        "        if False:\n            for",
    ),
    Animal(
        "bodies-are-text",
        "text-result-taken-for-json",
        "A body is always text.",
        "line",
        "content = body if is_value else json.dumps(body, ensure_ascii=False)",
        "content = json.dumps(body, ensure_ascii=False)",
    ),
    Animal(
        "bodies-are-json-of-the-language",
        "text-result-taken-for-json",
        "A body is JSON if the language reads it as such.",
        "line",
        "        is_value = is_json(body, self.limits, CONTENT_DEPTH)\n",
        """        try:
            json.loads(body)
            is_value = True
        except ValueError:
            is_value = False
""",
    ),
    Animal(
        "bodies-are-objects",
        "text-result-taken-for-json",
        "A body is JSON if it is an object or an array.",
        "line",
        "        is_value = is_json(body, self.limits, CONTENT_DEPTH)\n",
        """        is_value = body[:1] in tuple("{[") and is_json(body, self.limits, CONTENT_DEPTH)
""",
    ),
    Animal(
        "bodies-in-ascii",
        "text-result-taken-for-json",
        "The text of a body is escaped beyond ASCII.",
        "line",
        "content = body if is_value else json.dumps(body, ensure_ascii=False)",
        "content = body if is_value else json.dumps(body)",
    ),
    Animal(
        "bodies-one-level-up",
        "limit-counts-the-wrong-thing",
        "The content of a body is at level 2.",
        "line",
        "CONTENT_DEPTH = 3",
        "CONTENT_DEPTH = 2",
    ),
    Animal(
        "bodies-one-level-down",
        "limit-counts-the-wrong-thing",
        "The content of a body is at level 4.",
        "line",
        "CONTENT_DEPTH = 3",
        "CONTENT_DEPTH = 4",
    ),
    Animal(
        "bodies-are-never-items",
        "content-taken-for-wrapped",
        "An item in a body is the content of another.",
        "line",
        "        if is_item(body, self.limits):",
        "        if False:",
    ),
    Animal(
        "bodies-with-more-are-items",
        "text-result-taken-for-json",
        "A body with a tool, a status, a content and more is an item.",
        "line",
        'names == {"tool", "status", "content"}',
        'names >= {"tool", "status", "content"}',
    ),
    Animal(
        "bodies-with-less-are-items",
        "text-result-taken-for-json",
        "A body with a status is an item.",
        "line",
        'names == {"tool", "status", "content"}',
        '"status" in names',
    ),
    Animal(
        "bodies-of-void-blocks-are-text",
        "siblings-of-a-bad-call",
        "A void block may be answered by any body.",
        "line",
        '        if is_void:\n            raise block.error("results-shape")\n',
        "",
    ),
    Animal(
        "bodies-of-other-tools-escaped-not",
        "json-written-anew",
        "The name of the tool is written as it is.",
        "line",
        "        name = json.dumps(tool, ensure_ascii=False)",
        "        name = f'\"{tool}\"'",
    ),
    Animal(
        "bodies-errors-at-their-first-character",
        "results-in-completion-order",
        "What is wrong with a body stands at its first character.",
        "line",
        "            at = self.last_character(first, last)\n            raise",
        "            at = first + error.offset\n            raise",
    ),
    Animal(
        "bodies-errors-without-index",
        "path-in-the-wrong-place",
        "What is wrong with a body has the path of a value in it.",
        "line",
        "raise BlockError(error.code, at, pointer((str(index),))) from None",
        "raise BlockError(error.code, at, error.path) from None",
    ),
    Animal(
        "bodies-errors-behind-white-space",
        "result-count-mismatch",
        "White space at the end of a body counts.",
        "line",
        """        while last > first and self.characters[last - 1] in WHITE:
            last -= 1
        return""",
        "        return",
    ),
    Animal(
        "bodies-sizes-apart",
        "limit-off-by-one",
        "Each body may have the size of all.",
        "line",
        "            size += last - start\n",
        "",
    ),
    Animal(
        "bodies-size-one-short",
        "limit-off-by-one",
        "The last character that bodies may have is an error.",
        "line",
        "size + at - first == self.limits.size:",
        "size + at - first == self.limits.size - 1:",
    ),
    Animal(
        "bodies-size-one-more",
        "limit-off-by-one",
        "One character more than allowed is taken.",
        "line",
        "size + at - first == self.limits.size:",
        "size + at - first == self.limits.size + 1:",
    ),
    Animal(
        "bodies-with-damage",
        "invalid-utf-8-in-the-middle",
        "A body may hold what could not be decoded.",
        "line",
        "            if at in self.text.replaced or size",
        "            if size",
    ),
    Animal(
        "bodies-size-without-path",
        "limit-off-by-one",
        "A body that is too long has no path.",
        "line",
        '                raise BlockError("results-shape", at, pointer((str(index),)))',
        '                raise BlockError("results-shape", at, "")',
    ),
    Animal(
        "bodies-fewer-than-calls",
        "result-count-mismatch",
        "There may be fewer bodies than calls.",
        "line",
        "        if bodies < len(tools):\n",
        "        if False:\n",
    ),
    Animal(
        "bodies-more-than-calls",
        "result-count-mismatch",
        "Bodies beyond those of the calls are left for the next turn.",
        "line",
        'return self.refuse_results("results-count", first, "", first, read)',
        "break",
    ),
    Animal(
        "bodies-of-empty-batches",
        "result-count-mismatch",
        "A batch without calls may be answered by anything.",
        "line",
        "                    self.require_empty_array(start, last)",
        "                    pass",
    ),
    Animal(
        "bodies-of-empty-batches-without-space",
        "empty-tool-output",
        "The empty array of a batch without calls has no white space in it.",
        "line",
        """        if body[:1] != "[" or body[1:].strip(WHITE) != "]":""",
        """        if body != "[]":""",
    ),
    Animal(
        "bodies-of-empty-batches-missing",
        "empty-batch-never-answered",
        "A batch without calls is answered by none.",
        "line",
        "            if bodies == max(len(tools), 1):",
        "            if bodies == len(tools):",
    ),
    Animal(
        "bodies-of-one-name-swapped",
        "results-in-completion-order",
        "A body is that of the last call.",
        "line",
        "found.append(self.read_body(start, last, tools[bodies], bodies))",
        "found.append(self.read_body(start, last, tools[-1], bodies))",
    ),
    Animal(
        "bodies-in-the-wrong-order",
        "results-in-completion-order",
        "The last body comes first.",
        "line",
        "                    found.append(self",
        "                    found.insert(0, self",
    ),
    Animal(
        "bodies-left-behind-an-error",
        "result-count-mismatch",
        "Behind an error the results that follow are forged.",
        "line",
        "        while self.results_follow():\n"
        "            first = self.after_white()\n"
        "            marker = self.marker_at(first)\n"
        "            self.at = first + len(marker)\n"
        "            self.markers.append((first, self.at))\n"
        "            start = self.at\n"
        "            self.skip_body(marker)\n"
        '            self.body_part(first, start, self.at, "system")\n'
        "        self.at = self.after_white()\n"
        "        return",
        "        self.at = self.after_white()\n        return",
    ),
    Animal(
        "bodies-end-the-transcript",
        "delimiter-result-body-misread",
        "A transcript ends behind its results.",
        "line",
        '        return "results" if self.at == len(self.characters) else "paused"',
        '        return "results"',
    ),
    Animal(
        "bodies-are-over",
        "result-count-mismatch",
        "A text that ends behind a body is paused.",
        "line",
        '        return "results" if self.at == len(self.characters) else "paused"',
        '        return "prose" if self.at == len(self.characters) else "paused"',
    ),
    Animal(
        "bodies-raw-of-errors",
        "raw-has-gaps",
        "The raw text of a wrong body ends at its error.",
        "line",
        "        self.at = max(seen, min(offset + 1, len(self.characters)))",
        "        self.at = min(offset + 1, len(self.characters))",
    ),
    Animal(
        "bodies-on-one-line",
        "json-written-anew",
        "The results of a batch are an array on one line.",
        "json_shapes",
        """return "[\\n  " + ",\\n  ".join(items) + "\\n]" if items else "[]\"""",
        """return "[" + ", ".join(items) + "]\"""",
    ),
)
