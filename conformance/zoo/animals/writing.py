"""Bugs in what is written: calls, results, events."""

from typing import Final

from conformance.zoo.making import bug_in

_spelling: Final = bug_in("spelling")
_writing: Final = bug_in("writing")
_framing: Final = bug_in("framing")


ANIMALS: Final = (
    _spelling(
        "writes-closers",
        "result-content-closes-the-block",
        "Markers in strings are written as they are.",
        '    if ⟦text[at] not in "<§["¦True⟧:',
    ),
    _spelling(
        "writes-closers-in-other-cases",
        "variants-of-markers-let-through",
        "Markers in other letter cases are written as they are.",
        "    after = ⟦lower(text[at + 1 : at + 11])¦text[at + 1 : at + 11]⟧",
    ),
    _spelling(
        "writes-lookalikes-of-unicode-case",
        "over-neutralisation",
        "Letters that fold to those of a marker make a lookalike.",
        "    after = ⟦lower(text[at + 1 : at + 11]¦text[at + 1 : at + 11].casefold(⟧)",
    ),
    _spelling(
        "writes-openers",
        "result-content-closes-the-block",
        "Only closers are escaped.",
        (
            '    return text[at] == "<" and after.⟦removeprefix("/")¦'
            'startswith("/") and after[1:]⟧.startswith(TAG_WORDS)'
        ),
    ),
    _spelling(
        "writes-whole-markers-only-escaped",
        "half-a-marker-at-the-end-of-content",
        "A marker without its last character is written unchanged.",
        (
            '    return text[at] == "<" and after.removeprefix("/").startswith(⟦TAG_WORDS¦'
            'tuple(w + ">" for w in TAG_WORDS)⟧)'
        ),
    ),
    _spelling(
        "escapes-every-bracket",
        "over-neutralisation",
        "Every `<` is escaped.",
        '    return text[at] == "<"⟦ and after.removeprefix("/").startswith(TAG_WORDS)¦⟧',
    ),
    _spelling(
        "escapes-every-sign",
        "over-neutralisation",
        "Every `§` is escaped.",
        'return ⟦(text[at] == "§" and after.startswith(LINE_WORDS))¦text[at] == "§"⟧ or (',
    ),
    _spelling(
        "system-brackets-as-they-are",
        "result-content-closes-the-block",
        "The bracket of results is written unchanged.",
        '            ⟦text[at] == "[" and after.startswith("system: ")¦False⟧',
    ),
    _spelling(
        "forgets-end-in-lookalikes",
        "result-content-closes-the-block",
        "`<end>` is not a lookalike.",
        'TAG_WORDS = ("think", "execute", "results"⟦, "end"¦⟧)',
    ),
    _spelling(
        "forgets-think-in-lookalikes",
        "result-content-closes-the-block",
        "`<think>` is not a lookalike.",
        'TAG_WORDS = ("⟦think", "¦⟧execute", "results", "end")',
    ),
    _writing(
        "lookalikes-in-names-as-they-are",
        "lookalike-in-a-name",
        "Names of members are written with their markers.",
        '⟦string_json(name, dialect, place)¦f\'"{name}"\'⟧ + ": "',
    ),
    _writing(
        "writes-ascii",
        "escapes-written-anew",
        "Everything beyond ASCII is escaped.",
        (
            'f"\\\\u{ord(character):04x}" if ⟦character < " ¦'
            'not " " <= character <= "~⟧" else character)'
        ),
    ),
    _writing(
        "escapes-slashes",
        "escapes-written-anew",
        "Slashes are escaped.",
        """    "\\\\": "\\\\\\\\",
⟦¦    "/": "\\\\/",
⟧""",
    ),
    _writing(
        "escapes-tabs-by-number",
        "control-characters",
        "Tabs and carriage returns have escapes by number.",
        """⟦    "\\r": "\\\\r",
    "\\t": "\\\\t",
¦⟧""",
    ),
    _writing(
        "writes-compact-json",
        "json-written-anew",
        "Commas and colons are written without a blank.",
        'return "{" + ",⟦ ¦⟧".join(members) + "}"',
    ),
    _writing(
        "writes-arrays-compactly",
        "json-written-anew",
        "The commas of arrays are written without a blank.",
        'return "[" + ",⟦ ¦⟧".join(elements) + "]"',
    ),
    _writing(
        "sorts-members",
        "json-written-anew",
        "Members are sorted by their names.",
        "        for name, member in ⟦given.items(¦sorted(given.items()⟧)",
    ),
    _writing(
        "writes-truth-as-numbers",
        "json-written-anew",
        "`true` is written as 1.",
        'return "⟦true" if given else "false¦1" if given else "0⟧"',
    ),
    _writing(
        "writes-floats-as-doubles",
        "large-integers-rounded",
        "Integers are written as doubles.",
        "    return repr(given⟦¦ if abs(given) < 2**53 else float(given)⟧)",
    ),
    _writing(
        "writes-short-decimals",
        "numbers-written-anew",
        "Numbers have six digits.",
        '    return ⟦¦f"{given:.6g}" if type(given) is float else ⟧repr(given)',
    ),
    _writing(
        "writes-infinity",
        "oversized-integer",
        "Numbers of which no double is near are written.",
        """⟦    if not is_finite:
        raise Refused(place, "no finite double is near")
¦⟧""",
    ),
    _writing(
        "writes-halves",
        "emoji-cut-in-half",
        "Half of a surrogate pair is replaced where it is written.",
        (
            '        ⟦raise Refused(place, "a lone surrogate"¦'
            'return string_json(given.encode("utf-8", "replace").decode(), dialect, place⟧)'
        ),
    ),
    _writing(
        "writes-one-level-less",
        "deep-nesting",
        "The last level that is allowed is refused.",
        "    if len(place) + 1 >⟦¦=⟧ DEFAULT_LIMITS.depth:",
    ),
    _writing(
        "writes-one-call-less",
        "invalid-value-written",
        "The last call that is allowed is refused.",
        "    if len(values) >⟦¦=⟧ DEFAULT_LIMITS.calls:",
    ),
    _writing(
        "writes-other-members",
        "invalid-value-written",
        "Members that a call does not have are left out.",
        'if type(call) is not dict or ⟦set(call) !¦not set(call) >⟧= {"name", "args"}:',
    ),
    _writing(
        "writes-no-block-for-nothing",
        "empty-block",
        "Without calls nothing is written.",
        """    text = block(contents, dialect)
⟦¦    if not contents:
        return ""
⟧""",
    ),
    _framing(
        "writes-blocks-on-one-line",
        "json-written-anew",
        "A block is on one line.",
        'return f"<execute>⟦\\n{array(contents)}\\n¦{array(contents)}⟧</execute>"',
    ),
    _framing(
        "writes-results-on-one-line",
        "json-written-anew",
        "Results are on one line with their markers.",
        'return f"<results>⟦\\n{content}\\n¦{content}⟧</results>"',
    ),
    _framing(
        "writes-small-letters",
        "delimiter-marker-letter-case",
        "Both delimiter dialects are written in lower case.",
        'word⟦.upper() if dialect == "delimiter-upper" else word¦⟧',
    ),
    _framing(
        "writes-no-blank-behind-markers",
        "parts-in-another-order",
        "Markers are written without a blank.",
        'return f"{marker(kind, dialect)}⟦ ¦⟧{content}"',
    ),
    _framing(
        "writes-parts-without-blank-lines",
        "white-space-changes-on-replay",
        "Parts are joined by a line feed in every dialect.",
        'return "\\n"⟦ if dialect in LINES else "\\n\\n"¦⟧',
    ),
    _framing(
        "elements-in-start-and-end",
        "white-space-changes-on-replay",
        "A tool without arguments has a start and an end tag.",
        'if arguments else f"<{name}⟦/¦></{name}⟧>"',
    ),
    _framing(
        "elements-unescaped",
        "xml-closer-in-a-value",
        "Values are written as they are.",
        'return ⟦"".join(REFERENCES.get(character, character) for character in text)¦text⟧',
    ),
    _framing(
        "elements-without-carriage-returns",
        "line-ends-rewritten",
        "A carriage return is written unchanged.",
        '⟦, "\\r": "&#13;"¦⟧}',
    ),
    _framing(
        "elements-with-more-references",
        "escapes-written-anew",
        "Quotes are written as references.",
        ', "\\r": "&#13;"⟦¦, \'"\': "&quot;"⟧}',
    ),
    _writing(
        "elements-of-any-name",
        "xml-malformed-name",
        "Names that XML does not have are written.",
        '        ⟦raise Refused((*place, "name"), "not an NCName")¦pass⟧',
    ),
    _writing(
        "elements-of-any-argument",
        "xml-malformed-name",
        "Names of arguments that XML does not have are written.",
        '            ⟦raise Refused((*place, "args", name), "not an NCName")¦pass⟧',
    ),
    _writing(
        "elements-of-any-character",
        "control-characters",
        "Characters that XML does not have are written.",
        (
            '            ⟦raise Refused((*place, "args", name), "a character that XML does not '
            'have")¦'
            "pass⟧"
        ),
    ),
    _writing(
        "items-in-the-given-order",
        "json-written-anew",
        "The members of a result keep the order of the input.",
        "return to_json(⟦{name: item[name] for name in ITEM}¦item⟧, dialect, place)",
    ),
    _writing(
        "items-with-more",
        "invalid-value-written",
        "Members that a result does not have are left out.",
        "if type(item) is not dict or ⟦set(item) !¦not set(item) >⟧= set(ITEM):",
    ),
    _framing(
        "bodies-written-as-json",
        "plain-text-pasted-as-results",
        "Text is written as a JSON string.",
        "        if ⟦isinstance(content, str) and is_plain(content, dialect)¦False⟧:",
    ),
    _framing(
        "bodies-written-as-they-are",
        "text-result-taken-for-json",
        "Text that is JSON is written unchanged.",
        "return not decode(text).replaced⟦ and not is_json(text, NO_LIMITS, CONTENT_DEPTH)¦⟧",
    ),
    _framing(
        "bodies-written-with-lookalikes",
        "result-content-closes-the-block",
        "Text with markers is written unchanged.",
        "text.strip(WHITE) != text⟦ or lookalikes(text, dialect)¦⟧:",
    ),
    _framing(
        "bodies-written-with-white-space",
        "string-arguments-trimmed",
        "Text with white space around it is written unchanged.",
        'if text == "" or⟦ text.strip(WHITE) != text or¦⟧',
    ),
    _framing(
        "bodies-written-empty",
        "empty-tool-output",
        "An empty text is written unchanged.",
        'if text⟦ == "" or text¦⟧.strip(WHITE)',
    ),
    _framing(
        "bodies-written-with-brackets",
        "delimiter-bracket-ends-a-result",
        "Text with a bracket at the end of a line is written between brackets.",
        '    if ⟦dialect == "delimiter-upper"¦False⟧ and any(',
    ),
    _framing(
        "bodies-written-on-many-lines",
        "json-written-anew",
        "JSON keeps its line breaks.",
        "return without_lookalikes(⟦on_one_line(text)¦text⟧, dialect)",
    ),
    _framing(
        "bodies-written-unwrapped",
        "content-taken-for-wrapped",
        "A content that would be read as an item is written alone.",
        "if ⟦not isinstance(content, dict) or content.keys() != set(ITEM)¦True⟧:",
    ),
    _framing(
        "bodies-of-failures-unwrapped",
        "failure-status-lost",
        "A failure is written as its message.",
        '    if ⟦given["status"] == "success"¦True⟧:',
    ),
    _framing(
        "bodies-of-nothing-left-out",
        "empty-batch-never-answered",
        "Without results nothing is written.",
        'for item in inner_texts(content)]⟦ or ["[]"]¦⟧',
    ),
    _writing(
        "renders-deltas-apart",
        "deltas-and-whole-both-stored",
        "Every delta is written as a separate segment.",
        "        if ⟦this is not None and this == is_open¦False⟧:",
    ),
    _writing(
        "renders-what-does-not-read-back",
        "transcript-mended-silently",
        "A transcript is not read back.",
        "        if ⟦at == len(back) or¦False and⟧ comparable",
    ),
    _writing(
        "renders-events-without-words",
        "transcript-mended-silently",
        "Events for which the wire has no words are left out.",
        """⟦¦        if isinstance(given, dict) and given.get("type") in \
("user", "error", "metric", "interrupt", "cancelled"):
            continue
⟧        event = wire_event(given, number)""",
    ),
    _framing(
        "renders-no-end",
        "empty-message",
        "The end is not written.",
        '    return ⟦marker("end", dialect) if dialect in LINES else "<end>¦"⟧"',
    ),
    _writing(
        "older-results-written",
        "transcript-mended-silently",
        "A result of the older form is written as its text.",
        """        raise Refused((str(number),), "the payload is missing")
⟦¦    if "outcome" in event.get("payload", {}):
        item = {"tool": "ls", "status": "success", "content": event["payload"]["outcome"]}
        event["content"] = array([item_json(item, "xml-json")])
        event["payload"] = {"tools_executed": 1, "success_count": 1, "failure_count": 0}
⟧    require_members(event, number)""",
    ),
)
