"""Bugs in what a text is: decoding, white space, offsets."""

from typing import Final

from conformance.zoo.making import Animal, bug_in

_text: Final = bug_in("text")
_ledger: Final = bug_in("ledger")
_block: Final = bug_in("block")


def rewriting(name: str, flag: str, breaks: str, code: str) -> Animal:
    """Return a parser that runs this code before it reads a `str`, which the code calls `data`."""
    passage = f"""⟦¦    if isinstance(data, str):
        {code}
⟧    for character in joined_halves(data) if isinstance(data, str) else decoded_bytes(data):"""
    return _text(name, flag, breaks, passage)


ANIMALS: Final = (
    _ledger(
        "strips-unicode-spaces",
        "unicode-spaces-trimmed",
        "Segments are trimmed with the strip of the language, which also removes U+00A0.",
        """        content = self.characters[first:last].⟦lstrip(WHITE¦strip(⟧)
        if not content:""",
    ),
    _text(
        "white-space-of-c",
        "unicode-spaces-trimmed",
        "Form feeds and vertical tabs are white space.",
        'WHITE = " \\t\\n\\r⟦¦\\f\\v⟧"',
    ),
    _text(
        "white-space-of-unicode",
        "unicode-spaces-between-tokens",
        "The spaces of Unicode are white space everywhere.",
        'WHITE = " \\t\\n\\r⟦¦\\u00a0\\u1680\\u2003\\u2028\\u3000\\ufeff⟧"',
    ),
    _ledger(
        "white-space-of-unicode-between-parts",
        "results-read-anywhere",
        "The spaces of Unicode are skipped where a marker is expected.",
        """self.characters[at] in WHITE⟦¦ + "\\u00a0\\ufeff"⟧:
            at += 1""",
    ),
    _text(
        "line-feed-is-no-space",
        "line-feeds-around-think",
        "Only blanks are trimmed, so that line breaks are content.",
        'WHITE = " \\t⟦\\n\\r¦⟧"',
    ),
    _text(
        "carriage-return-is-no-space",
        "line-ends-rewritten",
        "A carriage return is not white space.",
        'WHITE = " \\t\\n⟦\\r¦⟧"',
    ),
    _ledger(
        "keeps-white-space",
        "line-feeds-around-think",
        "White space around a segment is content.",
        """⟦        self.emit(kind, last - len(content), content=content.rstrip(WHITE))
¦        self.emit(kind, first, content=self.characters[first:last])
⟧""",
    ),
    _ledger(
        "trims-the-left-only",
        "line-feeds-around-think",
        "White space after a segment is content.",
        "content=content⟦.rstrip(WHITE)¦⟧)",
    ),
    _ledger(
        "collapses-white-space",
        "white-chunks-skipped",
        "White space inside a segment becomes one blank.",
        'content=⟦content.rstrip(WHITE¦" ".join(content.split()⟧))',
    ),
    _ledger(
        "shows-empty-segments",
        "empty-segments-shown",
        "A segment of white space produces an event without content.",
        "        if ⟦not content¦first >= last⟧:",
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
    _text(
        "drops-the-bom",
        "byte-order-mark-dropped",
        "A byte order mark at the beginning is dropped.",
        """⟦¦    bom = "\\ufeff" if isinstance(data, str) else b"\\xef\\xbb\\xbf"
    data = data.removeprefix(bom)
⟧    for character in joined_halves(data) if isinstance(data, str) else decoded_bytes(data):""",
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
    _text(
        "dies-of-invalid-utf-8",
        "invalid-utf-8-in-the-middle",
        "Bytes are decoded strictly, and an invalid one raises.",
        """        length, whole = sequence(data, at)⟦¦
        data[at : at + length].decode("utf-8")⟧""",
    ),
    _text(
        "ignores-invalid-utf-8",
        "invalid-utf-8-in-the-middle",
        "Invalid bytes are left out.",
        """        ⟦yield code_point(data[at : at + length]) if whole else None¦if whole:
            yield code_point(data[at : at + length])⟧""",
    ),
    _text(
        "replaces-each-byte",
        "replacement-characters-miscounted",
        "Every byte of an invalid sequence is replaced separately.",
        """                    return ⟦length¦1⟧, False
                length += 1""",
    ),
    _text(
        "loses-half-a-character-at-the-end",
        "incomplete-sequence-lost-at-the-end",
        "An incomplete sequence at the end is forgotten.",
        """⟦¦        if not whole and at + length == len(data):
            return
⟧        yield code_point(data[at : at + length]) if whole else None""",
    ),
    _text(
        "accepts-overlong-forms",
        "overlong-forms-accepted",
        "Overlong forms of three bytes are characters.",
        "((0xE0, 0xE0), (⟦0xA0¦0x80⟧, 0xBF), (0x80, 0xBF)),",
    ),
    _text(
        "accepts-overlong-forms-of-two",
        "overlong-forms-accepted",
        "Overlong forms of two bytes are characters.",
        "((⟦0xC2¦0xC0⟧, 0xDF), (0x80, 0xBF)),",
    ),
    _text(
        "accepts-surrogates-in-utf-8",
        "surrogates-in-utf-8-accepted",
        "The three bytes of a surrogate half are one character.",
        "((0xED, 0xED), (0x80, ⟦0x9F¦0xBF⟧), (0x80, 0xBF)),",
    ),
    _text(
        "accepts-beyond-unicode",
        "replacement-characters-miscounted",
        "Four bytes beyond U+10FFFF are one thing.",
        "((0xF4, ⟦0xF4), (0x80, 0x8F¦0xF7), (0x80, 0xBF⟧), (0x80, 0xBF), (0x80, 0xBF)),",
    ),
    _text(
        "keeps-lone-halves",
        "lone-half-kept",
        "Half of a surrogate pair stays in the text.",
        """            yield ⟦None¦data[at]⟧
            at += 1
        else:""",
    ),
    _text(
        "drops-lone-halves",
        "lone-half-kept",
        "Half of a surrogate pair is left out.",
        """⟦            yield None
¦⟧            at += 1
        else:""",
    ),
    _text(
        "any-replacement-is-damage",
        "replacement-character-refused",
        "A U+FFFD that was written counts as broken input.",
        "        if character ⟦is None¦in (None, REPLACEMENT)⟧:",
    ),
    _block(
        "damage-is-content",
        "damaged-text-runs",
        "A character that could not be decoded is content of a call.",
        "        if ⟦self.at in self.text.replaced¦False⟧:",
    ),
    _text(
        "refuses-noncharacters",
        "noncharacters-refused",
        "Noncharacters and private characters are replaced.",
        """⟦¦        if character is not None and (ord(character) & 0xFFFE) == 0xFFFE:
            character = None
⟧        if character is None:""",
    ),
    _ledger(
        "offsets-in-utf-16",
        "offsets-in-bytes-or-utf-16",
        "Offsets count UTF-16 units.",
        """⟦self.emit("error", offset, code=code, offset=offset, **place, calls=calls)¦\
wide = sum(character > "\\uffff" for character in self.characters[:offset])
        self.emit("error", offset, code=code, offset=offset + wide, **place, calls=calls)⟧""",
    ),
    _ledger(
        "offsets-in-bytes",
        "offsets-in-bytes-or-utf-16",
        "Offsets count the bytes of UTF-8.",
        """⟦¦offset = len(self.characters[:offset].encode("utf-8"))
        ⟧self.emit("error", offset, code=code, offset=offset, **place, calls=calls)""",
    ),
    _ledger(
        "discarded-in-bytes",
        "discarded-miscounted",
        "The discarded text is counted in bytes.",
        'discarded=len(self.characters⟦) - self.at¦[self.at :].encode("utf-8"))⟧,',
    ),
    _ledger(
        "discards-white-space-for-nothing",
        "discarded-miscounted",
        "White space after a hard stop is not counted.",
        "discarded=len(self.characters⟦) - self.at¦[self.at :].strip(WHITE))⟧,",
    ),
    _ledger(
        "counts-nothing-discarded",
        "discarded-miscounted",
        "What is discarded is not counted.",
        "discarded=⟦len(self.characters) - self.at¦0⟧,",
    ),
    _ledger(
        "errors-behind-their-character",
        "error-place-lost",
        "The offset of an error is that of the character after it.",
        'self.emit("error", offset, code=code, offset=offset⟦¦ + 1⟧, **place, calls=calls)',
    ),
    _ledger(
        "paths-lost",
        "error-place-lost",
        "An error does not report in which call it is.",
        '        place⟦ = {"path": path} if path else¦: dict[str, str] =⟧ {}',
    ),
    _ledger(
        "paths-always",
        "path-in-the-wrong-place",
        "An error outside of the calls has an empty path.",
        '        place = {"path": path}⟦ if path else {}¦⟧',
    ),
    _block(
        "paths-without-index",
        "error-place-lost",
        "The path of an error leaves out the call in which it is.",
        (
            "return BlockError(code, self.at, pointer(⟦self.place if place is None else place¦"
            "(self.place if place is None else place)[1:]⟧))"
        ),
    ),
    _block(
        "paths-from-one",
        "error-place-lost",
        "The path of an error counts calls from 1.",
        """⟦return BlockError(code, self.at, pointer(self.place if place is None else place))¦\
place = self.place if place is None else place
        first = tuple(str(int(index) + 1) for index in place[:1])
        return BlockError(code, self.at, pointer((*first, *place[1:])))⟧""",
    ),
    _block(
        "paths-with-dots",
        "path-not-escaped",
        "The steps of a path are joined with dots.",
        (
            'return "⟦".join("/" + step.replace("~", "~0").replace("/", "~1") for step in ¦'
            '.".join(⟧place)'
        ),
    ),
    _block(
        "paths-unescaped",
        "path-not-escaped",
        "Names with a slash or a tilde are unescaped in a path.",
        'return "".join("/" + step⟦.replace("~", "~0").replace("/", "~1")¦⟧ for step in place)',
    ),
    _block(
        "paths-escaped-backwards",
        "path-not-escaped",
        "The slash is escaped before the tilde, so that it is escaped twice.",
        (
            'return "".join("/" + step.replace("⟦~", "~0").replace("/", "~1¦'
            '/", "~1").replace("~", "~0⟧") for step in place)'
        ),
    ),
    _ledger(
        "voided-calls-not-counted",
        "call-of-a-void-block-runs",
        "An error does not say how many calls it voids.",
        'self.emit("error", offset, code=code, offset=offset, **place, calls=⟦calls¦0⟧)',
    ),
    _ledger(
        "raw-from-the-content",
        "raw-has-gaps",
        "The raw text of a segment is its content, without the text around it.",
        'event["raw"] = ⟦¦event.get("content") or ⟧self.characters[self.claimed : held.at]',
    ),
    _ledger(
        "raw-overlaps",
        "raw-has-gaps",
        "The raw text of an error goes to where the parser looked.",
        "        self.at = min(offset + ⟦1¦2⟧, len(self.characters))",
    ),
    _ledger(
        "tail-forgotten",
        "raw-has-gaps",
        "What belongs to no event is in nothing's raw text.",
        'tail=⟦self.characters[self.claimed : self.at] if self.raw else ¦⟧"",',
    ),
    _text(
        "high-halves-joined",
        "emoji-cut-in-half",
        "Two high halves in a row are joined.",
        (
            "if is_high(ord(data[at])) and at + 1 < len(data) and ⟦is_low(ord(data[at + 1]))¦"
            "ord(data[at + 1]) >> 11 == 27⟧:"
        ),
    ),
)
