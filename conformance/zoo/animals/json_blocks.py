"""Bugs in blocks of JSON, and in the limits of blocks."""

from typing import Final

from conformance.zoo.making import Animal, bug_in

_json_block: Final = bug_in("json_block")
_block: Final = bug_in("block")
_json_shapes: Final = bug_in("json_shapes")
_ledger: Final = bug_in("ledger")

#: Errors that are found, and not reported.
_SWALLOWED: Final = tuple(
    _ledger(
        f"no-{code}",
        flag,
        f"The error `{code}` is swallowed: the parser reports nothing.",
        f"""        self.at = min(offset + 1, len(self.characters))
⟦¦        if code == "{code}":
            return
⟧""",
    )
    for code, flag in (
        ("json-syntax", "lenient-json"),
        ("not-array", "object-instead-of-array"),
        ("not-object", "value-of-wrong-type-coerced"),
        ("missing-name", "args-missing-null-or-empty"),
        ("bad-name", "value-of-wrong-type-coerced"),
        ("missing-args", "args-missing-null-or-empty"),
        ("bad-args", "args-in-a-string"),
        ("duplicate-key", "duplicate-keys"),
        ("number-range", "number-becomes-infinite"),
        ("lone-surrogate", "lone-surrogate-escape-accepted"),
        ("bad-encoding", "damaged-text-runs"),
        ("trailing-text", "text-around-the-json"),
        ("xml-syntax", "xml-bare-ampersand"),
        ("xml-forbidden", "xml-markup-in-a-value"),
        ("duplicate-arg", "xml-forms-of-no-arguments"),
        ("unclosed-execute", "cut-before-the-closer"),
        ("unclosed-call", "cut-in-a-string"),
        ("missing-execute", "delimiter-calls-run-without-execute"),
        ("limit-size", "limit-off-by-one"),
        ("limit-calls", "limits-not-enforced"),
        ("limit-depth", "deep-nesting"),
        ("limit-digits", "limit-off-by-one"),
        ("results-shape", "results-read-leniently"),
        ("results-count", "result-count-mismatch"),
        ("results-order", "results-in-completion-order"),
    )
)

ANIMALS: Final = (
    *_SWALLOWED,
    # ---- Values ----
    _json_block(
        "accepts-nan",
        "number-becomes-infinite",
        "NaN and Infinity are numbers, as the JSON of some languages has them.",
        """    first = block.at
⟦¦    for word in ("NaN", "Infinity", "-Infinity"):
        if block.text.characters.startswith(word, block.at):
            block.at += len(word)
            return
⟧    if block.peek() == "-":""",
    ),
    _json_block(
        "accepts-trailing-commas-in-arrays",
        "lenient-json",
        "A comma may appear after the last item of an array.",
        """        block.place = (*outside, str(index))
        skip_white(block)⟦¦
        if block.peek() == "]":
            return⟧""",
    ),
    _json_block(
        "accepts-trailing-commas-in-objects",
        "lenient-json",
        "A comma may appear after the last member of an object.",
        """        block.place = outside
        skip_white(block)
⟦¦        if block.peek() == "}":
            return
⟧""",
    ),
    _block(
        "accepts-comments",
        "lenient-json",
        "Comments are white space.",
        """    while block.peek() in WHITE⟦:¦ + "/":
        if block.peek() == "/":
            while block.peek() not in "\\n]":
                block.accept()
            continue⟧
        block.accept()""",
    ),
    Animal(
        "accepts-single-quotes",
        "python-literals-accepted",
        "Strings may appear in single quotes.",
        "text",
        """⟦¦    if isinstance(data, str) and "<execute>" in data:
        data = data.replace("'", '"')
⟧    for character in joined_halves(data) if isinstance(data, str) else decoded_bytes(data):""",
    ),
    _json_block(
        "accepts-python-words",
        "python-literals-accepted",
        "True, False and None are values.",
        (
            'LITERALS = {"t": "true", "f": "false", "n": "null"⟦¦'
            ', "T": "True", "F": "False", "N": "None"⟧}'
        ),
    ),
    _json_block(
        "accepts-words-in-any-case",
        "lenient-json",
        "The words `true`, `false` and `null` are compared without regard to case.",
        "        if block.peek()⟦¦.lower()⟧ != letter:",
    ),
    _json_block(
        "accepts-half-words",
        "lenient-json",
        "A word is known by its first letter, and the rest is skipped.",
        """        if block.peek() != letter:
            ⟦raise block.error("json-syntax")¦break⟧""",
    ),
    *(
        _json_block(
            name,
            "lenient-json",
            f"{kind} need no comma.",
            f"""        if block.peek() == "{closer}":
            return
        if block.peek() ⟦!= ",":
            raise block.error("json-syntax")
        block.accept()¦== ",":
            block.accept()⟧""",
        )
        for name, kind, closer in (
            ("accepts-missing-commas", "Items of an array", "]"),
            ("accepts-missing-commas-in-objects", "Members of an object", "}"),
        )
    ),
    _json_block(
        "accepts-any-colon",
        "lenient-json",
        "Any character may appear between a name and its value.",
        """⟦    if block.peek() != ":":
        raise block.error("json-syntax")
¦⟧    block.accept()""",
    ),
    _json_block(
        "accepts-names-without-quotes",
        "quote-of-a-name-missing",
        "A name needs no quote before it.",
        """    if block.peek() ⟦!= '"':
        raise block.error("json-syntax")¦not in '"}],:{[0123456789':
        block.at -= 1⟧
    name = read_string(block)""",
    ),
    _json_block(
        "accepts-leading-zeros",
        "lenient-number",
        "A number may begin with zeros.",
        'digits = ⟦read_digit(block, 0) if block.peek() == "0" else ¦⟧read_digits(block, 0)',
    ),
    _json_block(
        "accepts-a-plus",
        "lenient-number",
        "A number may have a plus before it.",
        """    if block.peek() ⟦== "¦in "+⟧-":
        block.accept()""",
    ),
    _json_block(
        "accepts-numbers-without-whole-part",
        "lenient-number",
        "A number may begin with its point.",
        """digits = ⟦read_digit(block, 0) if block.peek() == "0" else¦0
    if block.peek() == "0":
        digits = read_digit(block, 0)
    elif block.peek() != ".":
        digits =⟧ read_digits(block, 0)""",
    ),
    _json_block(
        "accepts-numbers-without-fraction",
        "lenient-number",
        "A number may end with its point.",
        """        block.accept()
        ⟦¦if block.peek() in DIGITS:
            ⟧digits = read_digits(block, digits)
    if block.peek() in "eE":""",
    ),
    _json_block(
        "accepts-numbers-without-exponent",
        "lenient-number",
        "A number may end with its exponent's letter.",
        """            block.accept()
        ⟦¦if block.peek() in DIGITS:
            ⟧digits = read_digits(block, digits)
    if block.peek() not in WHITE""",
    ),
    _json_block(
        "accepts-underscores",
        "lenient-number",
        "Underscores may appear between digits.",
        """    while block.peek() in DIGITS⟦:
        digits = read_digit(block, digits)¦ + "_":
        digits = digits + 1 if block.peek() == "_" else read_digit(block, digits)
        block.at += block.text.characters[block.at] == "_"⟧
    return digits""",
    ),
    _json_block(
        "accepts-hexadecimal",
        "lenient-number",
        "A number may be hexadecimal.",
        """⟦¦    if block.peek() in "xX":
        block.accept()
        while block.peek() in HEXADECIMAL:
            block.accept()
        return
⟧    if block.peek() == ".":
        block.accept()
        digits""",
    ),
    _json_block(
        "accepts-digits-of-any-script",
        "lenient-number",
        "Digits of any script are digits.",
        'DIGITS = "⟦0123456789¦0123456789٠١٢٣٤٥٦٧٨٩０１２３４５６７８９⟧"',
    ),
    _json_block(
        "accepts-minus-alone",
        "lenient-number",
        "A minus alone is a number.",
        """    if block.peek() == "-":
        block.accept()⟦¦
        if block.peek() in WHITE + "," + closing:
            return⟧""",
    ),
    _json_block(
        "accepts-anything-behind-numbers",
        "number-becomes-infinite",
        "Text after a number is not looked at before its value is checked.",
        """⟦    if block.peek() not in WHITE + "," + closing:
        raise block.error("json-syntax")
¦⟧""",
    ),
    _json_block(
        "refuses-exponents",
        "number-refused-for-precision",
        "A number has no exponent.",
        """⟦    if block.peek() in "eE":
        block.accept()
        if block.peek() in "+-":
            block.accept()
        digits = read_digits(block, digits)
¦⟧""",
    ),
    _json_block(
        "refuses-small-exponents",
        "number-refused-for-precision",
        "The letter of an exponent is a small one.",
        '    if block.peek() in "⟦eE¦e⟧":',
    ),
    _json_block(
        "refuses-signs-of-exponents",
        "number-refused-for-precision",
        "An exponent has no plus.",
        """if block.peek() in "⟦+¦⟧-":
            block.accept()""",
    ),
    _json_block(
        "refuses-fractions",
        "number-refused-for-precision",
        "A number is whole.",
        """⟦    if block.peek() == ".":
        block.accept()
        digits = read_digits(block, digits)
¦⟧""",
    ),
    _json_block(
        "refuses-minus",
        "number-refused-for-precision",
        "A number is not negative.",
        """⟦    if block.peek() == "-":
        block.accept()
¦⟧""",
    ),
    _json_block(
        "refuses-large-integers",
        "oversized-integer",
        "An integer beyond 64 bits is out of range.",
        (
            "    if ⟦not math.isfinite(float(block.text.characters[first : block.at]))¦"
            "abs(float(block.text.characters[first : block.at])) > 2**63⟧:"
        ),
    ),
    _json_block(
        "refuses-inexact-integers",
        "large-integers-rounded",
        "An integer that no double represents exactly is out of range.",
        """⟦    if not math.isfinite(float(block.text.characters[first : block.at])):¦\
    written = block.text.characters[first : block.at]
    is_inexact = written.isdigit() and int(float(written[:300])) != int(written[:300])
    if is_inexact or not math.isfinite(float(written)):⟧""",
    ),
    _json_block(
        "refuses-underflow",
        "number-refused-for-precision",
        "A number whose nearest double is zero is out of range.",
        """⟦    if not math.isfinite(float(block.text.characters[first : block.at])):¦\
    written = block.text.characters[first : block.at]
    is_lost = float(written) == 0 and any(digit in "123456789" for digit in written.split("e")[0])
    if is_lost or not math.isfinite(float(written)):⟧""",
    ),
    _json_block(
        "refuses-minus-zero",
        "number-refused-for-precision",
        "Minus zero is not allowed.",
        """⟦    if not math.isfinite(float(block.text.characters[first : block.at])):¦\
    written = block.text.characters[first : block.at]
    if written.startswith("-0") or not math.isfinite(float(written)):⟧""",
    ),
    _json_block(
        "numbers-become-infinite",
        "number-becomes-infinite",
        "A number that is too large is infinite.",
        "    if ⟦not math.isfinite(float(block.text.characters[first : block.at]))¦False⟧:",
    ),
    _json_block(
        "number-range-at-the-number",
        "error-place-lost",
        "The error of a number that is too large is at its first character.",
        """⟦¦        block.at = first
⟧        raise block.error("number-range")""",
    ),
    _json_block(
        "accepts-control-characters",
        "control-characters",
        "Control characters may appear unescaped in strings.",
        '        if ⟦character < " "¦False⟧:',
    ),
    _json_block(
        "accepts-line-feeds-in-strings",
        "control-characters",
        "Line breaks and tabs may appear unescaped in strings.",
        '        if character < " "⟦¦ and character not in "\\n\\r\\t"⟧:',
    ),
    _json_block(
        "refuses-delete",
        "control-characters",
        "U+007F to U+009F may not appear in strings.",
        '        if character < " "⟦¦ or "\\x7f" <= character <= "\\x9f"⟧:',
    ),
    _json_block(
        "accepts-any-escape",
        "invalid-escape-accepted",
        "A backslash may appear before any letter.",
        """    if letter not in ESCAPES:
        ⟦raise block.error("json-syntax"¦block.accept()
        return ord(letter⟧)
    if high:""",
    ),
    _json_block(
        "refuses-escaped-slashes",
        "chunk-ends-on-a-backslash",
        "A slash is not escaped.",
        """⟦    "/": "/",
¦⟧""",
    ),
    _json_block(
        "refuses-rare-escapes",
        "invalid-escape-accepted",
        "The escapes for backspace and form feed are not known.",
        """⟦    "b": "\\b",
    "f": "\\f",
¦⟧""",
    ),
    _json_block(
        "refuses-small-hexadecimal",
        "invalid-escape-accepted",
        "Hexadecimal digits are capital letters.",
        'HEXADECIMAL = "⟦0123456789abcdefABCDEF¦0123456789ABCDEF⟧"',
    ),
    _json_block(
        "refuses-capital-hexadecimal",
        "surrogate-pair-escapes-split",
        "Hexadecimal digits are small letters.",
        'HEXADECIMAL = "⟦0123456789abcdefABCDEF¦0123456789abcdef⟧"',
    ),
    _json_block(
        "accepts-short-code-units",
        "endless-loop-on-a-partial-escape",
        "An escape may have fewer than four digits.",
        """        if digit not in HEXADECIMAL:
            ⟦raise block.error("json-syntax")¦break⟧""",
    ),
    _json_block(
        "accepts-lone-surrogates",
        "lone-surrogate-escape-accepted",
        "Half of a surrogate pair is a character.",
        """        if place == 3 and is_low(unit) ⟦!= (high != 0)¦and not high:
            unit = 0xFFFD
        if False⟧:""",
    ),
    _json_block(
        "accepts-high-surrogates-alone",
        "lone-surrogate-escape-accepted",
        "The first half of a surrogate pair may appear before anything.",
        """        ⟦if high:
            raise block.error("lone-surrogate")¦high = 0⟧
        if character""",
    ),
    _json_block(
        "refuses-surrogate-pairs",
        "surrogate-pair-escapes-split",
        "A surrogate in an escape is an error, in a pair too.",
        "        if place == 3 and ⟦is_low(unit) != (¦(is_low(unit) or ⟧high != 0):",
    ),
    _json_block(
        "escaped-quotes-end-strings",
        "escaped-quote-before-closer",
        "A quote ends a string, escaped or not.",
        """        if character == "\\\\"⟦¦ and block.text.characters[block.at + 1] != '"'⟧:""",
    ),
    _json_block(
        "backslashes-escape-twice",
        "escaped-backslash-before-quote",
        "A quote after a backslash does not end a string, whatever precedes the backslash.",
        """        if character == '"'⟦¦ and block.text.characters[block.at - 1] != "\\\\"⟧:
            return""",
    ),
    _json_block(
        "last-duplicate-wins",
        "duplicate-keys",
        "Of two members of one name the last counts.",
        "    if ⟦name in names¦False⟧:",
    ),
    _json_block(
        "duplicates-compared-as-written",
        "escaped-name-not-resolved",
        "Names are compared with their escapes.",
        """⟦¦    first = block.at
⟧    name = read_string(block)
    block.named.append((*block.place, name))
    ⟦if name in names¦written = block.text.characters[first : block.at]
    if written in names or names.add(written)⟧:
        raise""",
    ),
    _json_block(
        "duplicates-at-the-top-only",
        "duplicate-keys",
        "Duplicate names are looked for in the calls themselves only.",
        "    if name in names⟦¦ and len(block.place) < 2⟧:",
    ),
    _json_block(
        "duplicates-at-their-value",
        "error-place-lost",
        "A duplicate name is an error at its value.",
        """⟦    if name in names:
        raise block.error("duplicate-key", (*block.place, name))
    names.add(name)
¦⟧    block.accept()
    skip_white(block)
    if block.peek() != ":":
        raise block.error("json-syntax")
⟦¦    if name in names:
        raise block.error("duplicate-key", (*block.place, name))
    names.add(name)
⟧    block.accept()""",
    ),
    _json_block(
        "duplicate-paths-without-their-name",
        "path-in-the-wrong-place",
        "The path of a duplicate is that of its object.",
        'raise block.error("duplicate-key"⟦, (*block.place, name)¦⟧)',
    ),
    _json_block(
        "duplicates-fold-case",
        "duplicate-keys",
        "Names that differ in case are the same.",
        "    if name⟦ in names¦.lower() in {other.lower() for other in names}⟧:",
    ),
    _json_block(
        "duplicates-normalised",
        "duplicate-keys",
        "Names that are the same in NFC are the same.",
        """    ⟦if name in names¦import unicodedata
    nfc = [unicodedata.normalize("NFC", other) for other in names]
    if unicodedata.normalize("NFC", name) in nfc⟧:""",
    ),
    _json_block(
        "dies-of-deep-nesting",
        "deep-nesting",
        "Every bracket is a call of the language, whose stack ends.",
        """⟦¦    if depth > 100:
        raise RecursionError
⟧    if depth > block.limits.depth:""",
    ),
    _json_block(
        "depth-from-zero",
        "limit-off-by-one",
        "The outermost array is at depth 0.",
        "    if depth ⟦¦- 1 ⟧> block.limits.depth:",
    ),
    _json_block(
        "depth-one-short",
        "limit-off-by-one",
        "The last level that is allowed is an error.",
        "    if depth >⟦¦=⟧ block.limits.depth:",
    ),
    _json_block(
        "depth-of-objects-only",
        "limit-counts-the-wrong-thing",
        "Arrays do not count as depth.",
        '        read_value(block, depth⟦ + 1¦⟧, "]")',
    ),
    _json_block(
        "depth-of-arrays-only",
        "deep-nesting",
        "Objects do not count as depth.",
        """    for _ in members(block, depth):
        read_value(block, depth⟦ + 1¦⟧, "}")""",
    ),
    _json_block(
        "depth-behind-the-bracket",
        "error-depends-on-the-order-of-checks",
        "The depth is checked after the bracket.",
        """⟦¦        block.accept()
⟧        raise block.error("limit-depth")
    block.accept()""",
    ),
    _json_block(
        "digits-one-short",
        "limit-off-by-one",
        "The last digit that is allowed is an error.",
        "    if digits == block.limits.digits⟦¦ - 1⟧:",
    ),
    _json_block(
        "digits-one-more",
        "limit-off-by-one",
        "One digit more than allowed is accepted.",
        "    if digits == block.limits.digits⟦¦ + 1⟧:",
    ),
    _json_block(
        "digits-of-the-whole-part",
        "limit-counts-the-wrong-thing",
        "The fraction and the exponent have a limit of their own.",
        """    digits = read_digit(block, ⟦digits¦0⟧)
    while block.peek() in DIGITS:""",
    ),
    _json_block(
        "digits-of-strings",
        "limit-counts-the-wrong-thing",
        "The digits in strings count.",
        """        content.append(character)
⟦¦        if sum(each in DIGITS for each in content) > block.limits.digits:
            raise block.error("limit-digits")
⟧        block.accept()""",
    ),
    _json_shapes(
        "calls-one-short",
        "limit-off-by-one",
        "The last call that is allowed is an error.",
        "        if index == block.limits.calls⟦¦ - 1⟧:",
    ),
    _json_shapes(
        "calls-one-more",
        "limit-off-by-one",
        "One call more than allowed is accepted.",
        "        if index == block.limits.calls⟦¦ + 1⟧:",
    ),
    _json_shapes(
        "calls-without-limit",
        "limits-not-enforced",
        "A block may have any number of calls.",
        "        if ⟦index == block.limits.calls¦False⟧:",
    ),
    _json_shapes(
        "calls-judged-before-their-shape",
        "error-depends-on-the-order-of-checks",
        "The shape of an element beyond the limit is not checked first.",
        """⟦        require(block, "{", "not-object")
¦⟧        if index == block.limits.calls:
            raise block.error("limit-calls")
⟦¦        require(block, "{", "not-object")
⟧""",
    ),
    _json_shapes(
        "calls-judged-when-closed",
        "limit-checked-too-late",
        "A call too many is an error when it is whole.",
        """⟦¦        first = block.at
        name = read_call(block)
⟧        if index == block.limits.calls:
            raise block.error("limit-calls")
⟦        first = block.at
        name = read_call(block)
¦⟧""",
    ),
    _block(
        "size-one-short",
        "limit-off-by-one",
        "The last character that is allowed is an error.",
        "        if self.at - self.start >= self.limits.size⟦¦ - 1⟧:",
    ),
    _block(
        "size-one-more",
        "limit-off-by-one",
        "One character more than allowed is accepted.",
        "        if self.at - self.start >⟦=¦⟧ self.limits.size:",
    ),
    _block(
        "size-in-bytes",
        "limit-counts-the-wrong-thing",
        "The size counts the bytes of UTF-8.",
        (
            "        if ⟦self.at - self.start >=¦"
            'len(self.text.characters[self.start : self.at + 1].encode("utf-8")) >⟧ '
            "self.limits.size:"
        ),
    ),
    _block(
        "size-without-limit",
        "limit-off-by-one",
        "A block may have any size.",
        "        if ⟦self.at - self.start >= self.limits.size¦False⟧:",
    ),
    _block(
        "size-first",
        "error-depends-on-the-order-of-checks",
        "The size is checked before anything else.",
        """⟦¦        if self.at - self.start >= self.limits.size:
            raise self.error("limit-size")
⟧        if self.at in self.text.replaced:""",
    ),
    _json_block(
        "size-with-the-closer",
        "limit-counts-the-wrong-thing",
        "The closer counts as size.",
        """            raise block.error("trailing-text")
        block.⟦at += 1¦accept()⟧""",
    ),
    _block(
        "size-of-the-whole-text",
        "limits-counted-across-blocks",
        "The size counts from the beginning of the text.",
        "        if self.at ⟦- self.start ¦⟧>= self.limits.size:",
    ),
    # ---- Shapes ----
    _json_shapes(
        "accepts-one-object",
        "object-instead-of-array",
        "A call needs no array around it.",
        """⟦¦    block.at = block.at
    if block.text.characters[block.at : block.at + 1] == "{":
        first = block.at
        yield Call(read_call(block), block.text.characters[first : block.at], first)
        return
⟧    require_array(block)
    for index in items(block, 1):
        require(block, "{", "not-object")""",
    ),
    _json_block(
        "accepts-prose-before-the-array",
        "text-around-the-json",
        "The array begins at the first bracket.",
        """    ⟦skip_white(block¦while block.peek() not in "[<":
        block.accept(⟧)
    if block.peek() != "[":
        raise block.error("not-array")""",
    ),
    _json_block(
        "accepts-prose-behind-the-array",
        "text-around-the-json",
        "Text after the array is skipped.",
        """    ⟦skip_white(block¦while not block.text.characters.startswith(closer, block.at):
        block.peek()
        block.accept(⟧)
    for expected in closer:""",
    ),
    _json_block(
        "accepts-extra-brackets",
        "extra-closing-bracket",
        "A superfluous bracket after the array is ignored.",
        """    skip_white(block)
⟦¦    while block.peek() in "]}":
        block.accept()
⟧    for expected in closer:""",
    ),
    _json_block(
        "accepts-half-a-closer",
        "malformed-closer",
        "The closer is known by its first two characters.",
        """        if block.peek() != expected⟦¦ and expected in "</"⟧:
            raise block.error("trailing-text")
        block.at += 1""",
    ),
    _json_block(
        "accepts-closers-in-any-case",
        "marker-matched-too-loosely",
        "The closer is compared without regard to case.",
        """        if block.peek()⟦¦.lower()⟧ != expected:
            raise block.error("trailing-text")
        block.at += 1""",
    ),
    _json_block(
        "accepts-closers-with-spaces",
        "marker-matched-too-loosely",
        "White space may appear in the closer.",
        """    skip_white(block)
    for expected in closer:⟦¦
        skip_white(block)⟧""",
    ),
    _json_block(
        "accepts-cut-arrays",
        "cut-between-elements",
        "The closer ends an array that was not closed.",
        """        skip_white(block)
        if block.peek() == "]":
            return
⟦¦        if block.text.characters.startswith("</execute>", block.at):
            block.at -= 1
            return
⟧        if block.peek() != ",":""",
    ),
    _json_shapes(
        "accepts-elements-of-any-type",
        "value-of-wrong-type-coerced",
        "An element that is not an object is skipped.",
        """        ⟦require(block, "{", "not-object")¦if block.peek() != "{":
            read_value(block, 2, "]")
            continue⟧""",
    ),
    _json_shapes(
        "accepts-missing-names",
        "args-missing-null-or-empty",
        "A call needs no name.",
        """⟦    if name == "":
        raise block.error("missing-name", outside)
¦⟧""",
    ),
    _json_shapes(
        "accepts-missing-args",
        "args-missing-null-or-empty",
        "A call without args is accepted.",
        "    if ⟦needs_args and not has_args¦False⟧:",
    ),
    _json_shapes(
        "refuses-missing-args-everywhere",
        "call-without-arguments-never-closed",
        "A call in the delimiter dialects needs args too.",
        "    if ⟦needs_args and ¦⟧not has_args:",
    ),
    _json_shapes(
        "ignores-args-under-another-name",
        "args-missing-null-or-empty",
        "A call whose args have another name has none.",
        "    if ⟦has_arguments and not has_args¦False⟧:",
    ),
    _json_shapes(
        "missing-args-before-missing-name",
        "error-depends-on-the-order-of-checks",
        "A call without both lacks its args first.",
        """⟦¦    if needs_args and not has_args:
        raise block.error("missing-args", outside)
⟧    if name == "":
        raise block.error("missing-name", outside)
⟦    if needs_args and not has_args:
        raise block.error("missing-args", outside)
¦⟧""",
    ),
    _json_shapes(
        "missing-members-at-the-opening",
        "error-place-lost",
        "What a call lacks has the path of the member before it.",
        """if needs_args and not has_args:
        raise block.error("missing-args"⟦, outside¦⟧)""",
    ),
    _json_shapes(
        "missing-names-have-a-path",
        "args-missing-null-or-empty",
        "The path of a missing name is where it would be.",
        '        raise block.error("missing-name", ⟦outside¦(*outside, "name")⟧)',
    ),
    _json_shapes(
        "accepts-args-as-text",
        "args-in-a-string",
        "Args may be a string that contains JSON.",
        """            ⟦¦if block.peek() != '"':
                ⟧require(block, "{", "bad-args")""",
    ),
    _json_shapes(
        "accepts-null-args",
        "args-missing-null-or-empty",
        "Args may be null.",
        """            ⟦¦if block.peek() != "n":
                ⟧require(block, "{", "bad-args")""",
    ),
    _json_shapes(
        "accepts-args-as-arrays",
        "value-of-wrong-type-coerced",
        "Args may be an array.",
        """            ⟦¦if block.peek() != "[":
                ⟧require(block, "{", "bad-args")""",
    ),
    _json_shapes(
        "accepts-args-of-other-types",
        "value-of-wrong-type-coerced",
        "Args may be a number or a truth value.",
        """            ⟦¦if block.peek() in '"[n':
                ⟧require(block, "{", "bad-args")""",
    ),
    _json_shapes(
        "accepts-names-of-other-types",
        "value-of-wrong-type-coerced",
        "A name may be a number, a truth value or null, which becomes a string.",
        """⟦¦    if block.peek() in "-0123456789tfn":
        read_value(block, 3, "}")
        return "value"
⟧    require(block, '"', "bad-name")
    name = read_string(block)""",
    ),
    _json_shapes(
        "accepts-names-as-containers",
        "value-of-wrong-type-coerced",
        "A name may be an object or an array.",
        """⟦¦    if block.peek() in "{[":
        read_value(block, 3, "}")
        return "value"
⟧    require(block, '"', "bad-name")
    name = read_string(block)""",
    ),
    _json_shapes(
        "accepts-empty-names",
        "error-place-lost",
        "A name may be empty.",
        '    if name ⟦in ("", "execute")¦== "execute"⟧:',
    ),
    _json_shapes(
        "accepts-the-reserved-name",
        "reserved-name-accepted",
        "A tool may be named `execute`.",
        '    if name ⟦in ("", "execute")¦== ""⟧:',
    ),
    _json_shapes(
        "reserves-the-name-in-any-case",
        "reserved-name-accepted",
        "The reserved name is reserved in any case, and with white space around it.",
        '    if name⟦¦.strip().lower()⟧ in ("", "execute"):',
    ),
    _json_shapes(
        "names-are-identifiers",
        "name-rewritten",
        "A name has letters, digits, underscores and hyphens only.",
        """    ⟦if name in ("", "execute"¦import re
    if name == "execute" or not re.fullmatch("[A-Za-z0-9_-]+", name⟧):""",
    ),
    _json_shapes(
        "names-at-their-first-character",
        "error-place-lost",
        "The error of a name is at its first character.",
        """    if name in ("", "execute"):
⟦¦        block.at -= len(name) + 1
⟧        raise""",
    ),
    _json_shapes(
        "refuses-other-members",
        "args-named-name-or-args",
        "A call has a name and args, and nothing else.",
        """            has_arguments = has_arguments or member in ARGUMENTS
            ⟦read_value(block, 3, "}¦raise block.error("json-syntax⟧")""",
    ),
    _json_shapes(
        "other-members-unread",
        "number-becomes-infinite",
        "Other members of a call are skipped without being checked.",
        """            has_arguments = has_arguments or member in ARGUMENTS
            ⟦read_value(block, 3, "}"¦first = block.at
            try:
                read_value(block, 3, "}")
            except Exception:
                block.at = block.text.characters.index("}", first⟧)""",
    ),
    _json_shapes(
        "args-before-name-refused",
        "args-before-name",
        "The name precedes the args.",
        """⟦¦        elif member in args_keys and name == "":
            raise block.error("missing-name", outside)
⟧        elif member in args_keys:""",
    ),
    _json_shapes(
        "names-of-members-in-any-case",
        "args-missing-null-or-empty",
        "The names `name` and `args` are compared without regard to case.",
        """⟦¦        member = member.lower()
⟧        if member in name_keys:
            first = block.at""",
    ),
    _json_shapes(
        "aliases-of-args",
        "args-missing-null-or-empty",
        "Args may be named `arguments`, `parameters` or `input`.",
        '        elif member in ⟦args_keys¦(*args_keys, "arguments", "parameters", "input")⟧:',
    ),
    _ledger(
        "content-without-white-space",
        "json-written-anew",
        "The content of a call is serialized again.",
        """        event = {"type": kind, **rest}
⟦¦        if kind == "call":
            import json
            event["content"] = json.dumps(json.loads(event["content"]), ensure_ascii=False)
⟧""",
    ),
    _ledger(
        "content-in-ascii",
        "escapes-written-anew",
        "The content of a call has everything beyond ASCII escaped.",
        """        event = {"type": kind, **rest}
⟦¦        if kind == "call":
            content = event["content"]
            event["content"] = content.encode("ascii", "backslashreplace").decode("ascii")
⟧""",
    ),
    _ledger(
        "content-with-args-unwrapped",
        "over-eager-unwrapping",
        "A string argument that contains JSON is unwrapped.",
        """        event = {"type": kind, **rest}
⟦¦        if kind == "call" and '"{' in event["content"]:
            inside = event["content"].replace('"{', "{").replace('}"', "}")
            event["content"] = inside.replace('\\\\"', '"')
⟧""",
    ),
    _ledger(
        "content-with-name-trimmed",
        "name-rewritten",
        "White space around the name of a tool is removed.",
        """        event = {"type": kind, **rest}
⟦¦        if kind == "call":
            import re
            event["content"] = re.sub(r'"\\s*([^"\\s]+)\\s*"', r'"\\1"', event["content"], count=2)
⟧""",
    ),
    _ledger(
        "content-cut",
        "long-argument-truncated",
        "The content of a call has a thousand characters at most.",
        """        event = {"type": kind, **rest}
⟦¦        if kind == "call":
            event["content"] = event["content"][:1000]
⟧""",
    ),
    _ledger(
        "content-trimmed-in-strings",
        "string-arguments-trimmed",
        "White space around string arguments is removed.",
        """        event = {"type": kind, **rest}
⟦¦        if kind == "call":
            import re
            event["content"] = re.sub(r'" +| +"', '"', event["content"])
⟧""",
    ),
    # ---- Places ----
    _json_block(
        "places-keep-the-last-name",
        "path-in-the-wrong-place",
        "Behind a comma the path still names the member before it.",
        """        block.accept()
⟦        block.place = outside
¦⟧        skip_white(block)""",
    ),
    _json_block(
        "places-name-before-the-colon",
        "path-in-the-wrong-place",
        "A name is part of the path before its colon.",
        """    names.add(name)
⟦¦    block.place = (*block.place, name)
⟧    block.accept()
    skip_white(block)⟦¦
    block.place = block.place[:-1] if block.peek() == ":" else block.place⟧""",
    ),
    _json_block(
        "places-index-behind-white-space",
        "cut-between-elements",
        "The index grows with the value, and not with the comma.",
        """        index += 1
        ⟦block.place = (*outside, str(index))
        skip_white(block¦skip_white(block)
        block.peek()
        block.place = (*outside, str(index)⟧)""",
    ),
    _json_block(
        "places-without-a-first-index",
        "cut-between-elements",
        "An array adds its index to the path with its first item only.",
        """    ⟦block.place = (*outside, str(index))
    skip_white(block¦skip_white(block)
    block.peek()
    block.place = (*outside, str(index)⟧)""",
    ),
    _json_block(
        "places-keep-the-index",
        "error-place-lost",
        "Behind an array the path still has the index of its last item.",
        """    block.accept()
⟦    block.place = outside
¦⟧""",
    ),
    _json_block(
        "syntax-where-a-shape-is-due",
        "error-depends-on-the-order-of-checks",
        "A character that begins no value breaks the shape.",
        'raise block.error(code⟦ if block.peek() in \'{["-tfn\' + DIGITS else "json-syntax"¦⟧)',
    ),
    _json_block(
        "shapes-are-syntax",
        "error-depends-on-the-order-of-checks",
        "A value of the wrong type is an error of the grammar.",
        'raise block.error(⟦code if block.peek() in \'{["-tfn\' + DIGITS else ¦⟧"json-syntax")',
    ),
    _json_block(
        "surrogates-before-syntax",
        "lone-surrogate-escape-accepted",
        "After half of a surrogate pair nothing else is checked.",
        """⟦¦        if high and character != "\\\\":
            raise block.error("lone-surrogate")
⟧        if character < " ":
            raise block.error("json-syntax")
        if character""",
    ),
)
