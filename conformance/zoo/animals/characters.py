"""Bugs in what a text is: decoding, white space, offsets."""

from typing import Final

from conformance.zoo.making import Animal

_READ: Final = (
    "    for character in joined_halves(data) if isinstance(data, str) else decoded_bytes(data):"
)


def rewriting(name: str, flag: str, breaks: str, code: str) -> Animal:
    """Return a parser that runs this code on a `str`, its `data`, before it reads it."""
    rewritten = f"    if isinstance(data, str):\n        {code}\n{_READ}"
    return Animal(name, flag, breaks, "text", _READ, rewritten)


ANIMALS: Final = (
    Animal(
        "strips-unicode-spaces",
        "unicode-spaces-trimmed",
        "Segments are trimmed with the strip of the language, which takes U+00A0 and U+001F too.",
        "ledger",
        "        content = self.characters[first:last].lstrip(WHITE)\n        if not content:",
        "        content = self.characters[first:last].strip()\n        if not content:",
    ),
    Animal(
        "white-space-of-c",
        "unicode-spaces-trimmed",
        "Form feeds and vertical tabs are white space.",
        "text",
        'WHITE = " \\t\\n\\r"',
        'WHITE = " \\t\\n\\r\\f\\v"',
    ),
    Animal(
        "white-space-of-unicode",
        "unicode-spaces-between-tokens",
        "The spaces of Unicode are white space everywhere.",
        "text",
        'WHITE = " \\t\\n\\r"',
        'WHITE = " \\t\\n\\r\\u00a0\\u1680\\u2003\\u2028\\u3000\\ufeff"',
    ),
    Animal(
        "line-feed-is-no-space",
        "line-feeds-around-think",
        "Only blanks are trimmed, so that line breaks are content.",
        "text",
        'WHITE = " \\t\\n\\r"',
        'WHITE = " \\t"',
    ),
    Animal(
        "carriage-return-is-no-space",
        "line-ends-rewritten",
        "A carriage return is no white space.",
        "text",
        'WHITE = " \\t\\n\\r"',
        'WHITE = " \\t\\n"',
    ),
    Animal(
        "keeps-white-space",
        "line-feeds-around-think",
        "White space around a segment is content.",
        "ledger",
        "        self.emit(kind, last - len(content), content=content.rstrip(WHITE))\n",
        "        self.emit(kind, first, content=self.characters[first:last])\n",
    ),
    Animal(
        "trims-the-left-only",
        "line-feeds-around-think",
        "White space behind a segment is content.",
        "ledger",
        "content=content.rstrip(WHITE))",
        "content=content)",
    ),
    Animal(
        "collapses-white-space",
        "white-chunks-skipped",
        "White space inside a segment becomes one blank.",
        "ledger",
        "content=content.rstrip(WHITE))",
        'content=" ".join(content.split()))',
    ),
    Animal(
        "shows-empty-segments",
        "empty-segments-shown",
        "A segment of white space gives an event without content.",
        "ledger",
        "        if not content:\n",
        "        if first >= last:\n",
    ),
    rewriting(
        "normalises-crlf",
        "line-ends-rewritten",
        "CR LF becomes LF before anything is read.",
        'data = data.replace("\\r\\n", "\\n")',
    ),
    rewriting(
        "normalises-lone-cr",
        "line-ends-rewritten",
        "A carriage return becomes a line feed, as in files opened as text.",
        'data = data.replace("\\r", "\\n")',
    ),
    Animal(
        "drops-the-bom",
        "byte-order-mark-dropped",
        "A byte order mark at the beginning is no content.",
        "text",
        _READ,
        f"""    bom = "\\ufeff" if isinstance(data, str) else b"\\xef\\xbb\\xbf"
    data = data.removeprefix(bom)
{_READ}""",
    ),
    rewriting(
        "drops-nul",
        "control-characters",
        "NUL and other control characters are left out.",
        'data = "".join(c for c in data if c >= " " or c in WHITE)',
    ),
    rewriting(
        "normalises-to-nfc",
        "text-normalised",
        "The text is brought to NFC before it is read.",
        'import unicodedata\n        data = unicodedata.normalize("NFC", data)',
    ),
    Animal(
        "dies-of-invalid-utf-8",
        "invalid-utf-8-in-the-middle",
        "Bytes are decoded strictly, and an invalid one raises.",
        "text",
        "        length, whole = sequence(data, at)",
        """        length, whole = sequence(data, at)
        data[at : at + length].decode("utf-8")""",
    ),
    Animal(
        "ignores-invalid-utf-8",
        "invalid-utf-8-in-the-middle",
        "Invalid bytes are left out.",
        "text",
        "        yield code_point(data[at : at + length]) if whole else None",
        """        if whole:
            yield code_point(data[at : at + length])""",
    ),
    Animal(
        "replaces-each-byte",
        "replacement-characters-miscounted",
        "Every byte of an invalid sequence gives a replacement of its own.",
        "text",
        """                    return length, False
                length += 1""",
        """                    return 1, False
                length += 1""",
    ),
    Animal(
        "loses-half-a-character-at-the-end",
        "incomplete-sequence-lost-at-the-end",
        "An incomplete sequence at the end is forgotten.",
        "text",
        "        yield code_point(data[at : at + length]) if whole else None\n",
        """        if not whole and at + length == len(data):
            return
        yield code_point(data[at : at + length]) if whole else None
""",
    ),
    Animal(
        "accepts-overlong-forms",
        "overlong-forms-accepted",
        "Overlong forms of three bytes are characters.",
        "text",
        "((0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)),",
        "((0xE0, 0xE0), (0x80, 0xBF), (0x80, 0xBF)),",
    ),
    Animal(
        "accepts-overlong-forms-of-two",
        "overlong-forms-accepted",
        "Overlong forms of two bytes are characters.",
        "text",
        "((0xC2, 0xDF), (0x80, 0xBF)),",
        "((0xC0, 0xDF), (0x80, 0xBF)),",
    ),
    Animal(
        "accepts-surrogates-in-utf-8",
        "surrogates-in-utf-8-accepted",
        "The three bytes of a surrogate half are one character.",
        "text",
        "((0xED, 0xED), (0x80, 0x9F), (0x80, 0xBF)),",
        "((0xED, 0xED), (0x80, 0xBF), (0x80, 0xBF)),",
    ),
    Animal(
        "accepts-beyond-unicode",
        "replacement-characters-miscounted",
        "Four bytes beyond U+10FFFF are one thing.",
        "text",
        "((0xF4, 0xF4), (0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF)),",
        "((0xF4, 0xF7), (0x80, 0xBF), (0x80, 0xBF), (0x80, 0xBF)),",
    ),
    Animal(
        "keeps-lone-halves",
        "lone-half-kept",
        "Half of a surrogate pair stays in the text.",
        "text",
        """            yield None
            at += 1
        else:""",
        """            yield data[at]
            at += 1
        else:""",
    ),
    Animal(
        "drops-lone-halves",
        "lone-half-kept",
        "Half of a surrogate pair is left out.",
        "text",
        """            yield None
            at += 1
        else:""",
        """            at += 1
        else:""",
    ),
    Animal(
        "any-replacement-is-damage",
        "replacement-character-refused",
        "A U+FFFD that was written counts as broken input.",
        "text",
        "        if character is None:",
        "        if character in (None, REPLACEMENT):",
    ),
    Animal(
        "damage-is-content",
        "damaged-text-runs",
        "A character that could not be decoded is content of a call.",
        "block",
        "        if self.at in self.text.replaced:",
        "        if False:",
    ),
    Animal(
        "refuses-noncharacters",
        "noncharacters-refused",
        "Noncharacters and private characters are replaced.",
        "text",
        "        if character is None:",
        """        if character is not None and (ord(character) & 0xFFFE) == 0xFFFE:
            character = None
        if character is None:""",
    ),
    Animal(
        "offsets-in-utf-16",
        "offsets-in-bytes-or-utf-16",
        "Offsets count UTF-16 units.",
        "ledger",
        'self.emit("error", offset, code=code, offset=offset, **place, calls=calls)',
        """wide = sum(character > "\\uffff" for character in self.characters[:offset])
        self.emit("error", offset, code=code, offset=offset + wide, **place, calls=calls)""",
    ),
    Animal(
        "offsets-in-bytes",
        "offsets-in-bytes-or-utf-16",
        "Offsets count the bytes of UTF-8.",
        "ledger",
        'self.emit("error", offset, code=code, offset=offset, **place, calls=calls)',
        """offset = len(self.characters[:offset].encode("utf-8"))
        self.emit("error", offset, code=code, offset=offset, **place, calls=calls)""",
    ),
    Animal(
        "discarded-in-bytes",
        "discarded-miscounted",
        "The discarded text is counted in bytes.",
        "ledger",
        "discarded=len(self.characters) - self.at,",
        'discarded=len(self.characters[self.at :].encode("utf-8")),',
    ),
    Animal(
        "discards-white-space-for-nothing",
        "discarded-miscounted",
        "White space behind a hard stop is not counted.",
        "ledger",
        "discarded=len(self.characters) - self.at,",
        "discarded=len(self.characters[self.at :].strip(WHITE)),",
    ),
    Animal(
        "counts-nothing-discarded",
        "discarded-miscounted",
        "What is discarded is not counted.",
        "ledger",
        "discarded=len(self.characters) - self.at,",
        "discarded=0,",
    ),
    Animal(
        "errors-behind-their-character",
        "error-place-lost",
        "The offset of an error is that of the character after it.",
        "ledger",
        'self.emit("error", offset, code=code, offset=offset, **place, calls=calls)',
        'self.emit("error", offset, code=code, offset=offset + 1, **place, calls=calls)',
    ),
    Animal(
        "paths-lost",
        "error-place-lost",
        "An error says nowhere in which call it stands.",
        "ledger",
        '        place = {"path": path} if path else {}',
        "        place: dict[str, str] = {}",
    ),
    Animal(
        "paths-always",
        "path-in-the-wrong-place",
        "An error outside of the calls has an empty path.",
        "ledger",
        '        place = {"path": path} if path else {}',
        '        place = {"path": path}',
    ),
    Animal(
        "paths-without-index",
        "error-place-lost",
        "The path of an error leaves out which call it stands in.",
        "block",
        "return BlockError(code, self.at, pointer(self.place if place is None else place))",
        "return BlockError(code, self.at, pointer((self.place if place is None else place)[1:]))",
    ),
    Animal(
        "paths-from-one",
        "error-place-lost",
        "The path of an error counts calls from 1.",
        "block",
        "return BlockError(code, self.at, pointer(self.place if place is None else place))",
        """place = self.place if place is None else place
        first = tuple(str(int(index) + 1) for index in place[:1])
        return BlockError(code, self.at, pointer((*first, *place[1:])))""",
    ),
    Animal(
        "paths-with-dots",
        "path-not-escaped",
        "The steps of a path are joined with dots.",
        "block",
        """return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in place)""",
        """return ".".join(place)""",
    ),
    Animal(
        "paths-unescaped",
        "path-not-escaped",
        "Names with a slash or a tilde stand in a path as they are.",
        "block",
        """return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in place)""",
        """return "".join("/" + step for step in place)""",
    ),
    Animal(
        "paths-escaped-backwards",
        "path-not-escaped",
        "The slash is escaped before the tilde, so that it is escaped twice.",
        "block",
        """return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in place)""",
        """return "".join("/" + step.replace("/", "~1").replace("~", "~0") for step in place)""",
    ),
    Animal(
        "voided-calls-not-counted",
        "call-of-a-void-block-runs",
        "An error does not say how many calls it voids.",
        "ledger",
        'self.emit("error", offset, code=code, offset=offset, **place, calls=calls)',
        'self.emit("error", offset, code=code, offset=offset, **place, calls=0)',
    ),
    Animal(
        "raw-from-the-content",
        "raw-has-gaps",
        "The raw text of a segment is its content, without what stands around it.",
        "ledger",
        'event["raw"] = self.characters[self.claimed : held.at]',
        'event["raw"] = event.get("content") or self.characters[self.claimed : held.at]',
    ),
    Animal(
        "raw-overlaps",
        "raw-has-gaps",
        "The raw text of an error goes to where the parser looked.",
        "ledger",
        "        self.at = min(offset + 1, len(self.characters))\n",
        "        self.at = min(offset + 2, len(self.characters))\n",
    ),
    Animal(
        "tail-forgotten",
        "raw-has-gaps",
        "What belongs to no event is in nothing's raw text.",
        "ledger",
        'tail=self.characters[self.claimed : self.at] if self.raw else "",',
        'tail="",',
    ),
    Animal(
        "high-halves-joined",
        "emoji-cut-in-half",
        "Two high halves in a row are joined.",
        "text",
        "if is_high(ord(data[at])) and at + 1 < len(data) and is_low(ord(data[at + 1])):",
        "if is_high(ord(data[at])) and at + 1 < len(data) and ord(data[at + 1]) >> 11 == 27:",
    ),
)
