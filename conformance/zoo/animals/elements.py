"""Bugs in blocks of elements."""

from typing import Final

from conformance.zoo.making import Animal

_X = "xml_block"
_TAG = 'raise block.error("xml-forbidden" if is_text else "xml-syntax")'

ANIMALS: Final = (
    Animal(
        "entities-of-html",
        "xml-entity-unknown-accepted",
        "Entities of HTML are known.",
        _X,
        """REFERENCES = {"amp;": "&",""",
        (
            'REFERENCES = {"nbsp;": "\\u00a0", "copy;": "©", "auml;": "ä", "hellip;": '
            '"…", "amp;": "&",'
        ),
    ),
    Animal(
        "entities-in-any-case",
        "xml-entity-unknown-accepted",
        "The names of entities are compared without regard to case.",
        _X,
        "        found += block.peek()\n        if",
        "        found += block.peek().lower()\n        if",
    ),
    Animal(
        "three-entities",
        "xml-entity-unknown-accepted",
        "There are no entities for quotes.",
        _X,
        ', "quot;": \'"\', "apos;": "\'"}',
        "}",
    ),
    Animal(
        "entities-decoded-twice",
        "xml-entity-decoded-twice",
        "What a reference gives is decoded again.",
        _X,
        "    return REFERENCES[found]",
        """    for reference, character in REFERENCES.items():
        if found == "amp;" and block.text.characters.startswith(reference, block.at):
            block.at += len(reference)
            return character
    return REFERENCES[found]""",
    ),
    Animal(
        "ampersands-are-text",
        "xml-bare-ampersand",
        "An ampersand that begins no reference is text.",
        _X,
        '        if character == "&":',
        (
            '        if character == "&" and block.text.characters[block.at + 1 : '
            'block.at + 2] in tuple("#aglq"):'
        ),
    ),
    Animal(
        "references-not-resolved",
        "xml-reference-misread",
        "References stay as they are written.",
        _X,
        "            value += read_reference(block)",
        """            first = block.at
            read_reference(block)
            value += block.text.characters[first : block.at]""",
    ),
    Animal(
        "references-without-hexadecimal",
        "xml-reference-misread",
        "A reference has a decimal number.",
        _X,
        '    if block.peek() == "x":',
        "    if False:",
    ),
    Animal(
        "references-with-capital-x",
        "xml-reference-misread",
        "The `x` of a hexadecimal number may be a capital.",
        _X,
        '    if block.peek() == "x":',
        '    if block.peek() in "xX":',
    ),
    Animal(
        "references-with-small-hexadecimal",
        "xml-reference-misread",
        "Hexadecimal digits are small letters.",
        _X,
        'digits = "0123456789abcdefABCDEF"',
        'digits = "0123456789abcdef"',
    ),
    Animal(
        "references-to-anything",
        "control-characters",
        "A reference may give a character that XML does not have.",
        _X,
        "    if not is_in(CHARACTERS, number):",
        "    if False:",
    ),
    Animal(
        "references-without-semicolon",
        "xml-reference-misread",
        "A reference needs no semicolon.",
        _X,
        """    require(block, ";")
    if not is_in(CHARACTERS, number):
        raise block.error("xml-syntax")
    block.accept()""",
        """    if not is_in(CHARACTERS, number):
        raise block.error("xml-syntax")
    if block.peek() == ";":
        block.accept()""",
    ),
    Animal(
        "references-past-unicode",
        "xml-reference-misread",
        "The number of a reference may grow without end.",
        _X,
        '        if number > 0x10FFFF:\n            raise block.error("xml-syntax")\n',
        "",
    ),
    Animal(
        "references-are-markup",
        "xml-cdata-end-misjudged",
        "A `]]>` is found across references.",
        _X,
        "            value += read_reference(block)\n            brackets = 0",
        """            value += read_reference(block)
            brackets = brackets + 1 if value.endswith("]") else 0""",
    ),
    Animal(
        "brackets-in-text",
        "xml-cdata-end-misjudged",
        "`]]>` may stand in text.",
        _X,
        '            if brackets >= 2 and character == ">":',
        "            if False:",
    ),
    Animal(
        "brackets-exactly-two",
        "xml-cdata-end-misjudged",
        "`]]]>` may stand in text.",
        _X,
        '            if brackets >= 2 and character == ">":',
        '            if brackets == 2 and character == ">":',
    ),
    Animal(
        "brackets-across-cdata",
        "xml-cdata-end-misjudged",
        "The end of a CDATA section counts as brackets of text.",
        _X,
        "            value += read_cdata(block)\n            brackets = 0",
        "            value += read_cdata(block)\n            brackets = 2",
    ),
    Animal(
        "brackets-refuse-greater-than",
        "xml-cdata-end-misjudged",
        "A `>` may not stand in text.",
        _X,
        '            if brackets >= 2 and character == ">":',
        '            if character == ">":',
    ),
    Animal(
        "no-cdata",
        "xml-closer-in-a-value",
        "CDATA sections are not known.",
        _X,
        '    if block.peek() in "-D":',
        '    if block.peek() in "-D[":',
    ),
    Animal(
        "cdata-ends-at-the-closer",
        "xml-closer-in-a-value",
        "The closer of the block ends it in a CDATA section too.",
        _X,
        '    while not content.endswith("]]>"):\n',
        """    while not content.endswith("]]>"):
        if block.text.characters.startswith("</execute>", block.at):
            raise block.error("xml-syntax")
""",
    ),
    Animal(
        "cdata-with-references",
        "xml-entity-decoded-twice",
        "References in a CDATA section are resolved.",
        _X,
        '    return content.removesuffix("]]>")',
        """    import html
    return html.unescape(content.removesuffix("]]>"))""",
    ),
    Animal(
        "cdata-to-the-last-end",
        "xml-cdata-end-misjudged",
        "A CDATA section goes on to the last `]]>`.",
        _X,
        '    while not content.endswith("]]>"):\n',
        '    while not content.endswith("]]>") or "]]>" in block.text.characters[block.at :]:\n',
    ),
    Animal(
        "cdata-of-any-character",
        "control-characters",
        "A CDATA section may hold any character.",
        _X,
        "        require_character(block)\n        content += block.peek()",
        "        content += block.peek()",
    ),
    Animal(
        "cdata-needs-to-be-alone",
        "xml-cdata-end-misjudged",
        "A CDATA section is the whole value.",
        _X,
        "            value += read_cdata(block)",
        "            value = read_cdata(block)",
    ),
    Animal(
        "cdata-in-any-case",
        "xml-markup-in-a-value",
        "`CDATA` is known in any case.",
        _X,
        """    for expected in "[CDATA[":
        require(block, expected)""",
        """    for expected in "[CDATA[":
        if block.peek().upper() != expected:
            require(block, expected)""",
    ),
    Animal(
        "text-of-any-character",
        "control-characters",
        "Text may hold any character.",
        _X,
        "            require_character(block)\n            brackets",
        "            brackets",
    ),
    Animal(
        "text-without-noncharacters",
        "control-characters",
        "U+007F to U+009F are no characters of XML.",
        _X,
        "    (0x20, 0xD7FF),",
        "    (0x20, 0x7E),\n    (0xA0, 0xD7FF),",
    ),
    Animal(
        "text-of-the-first-plane",
        "surrogate-pair-escapes-split",
        "Characters beyond U+FFFF are no characters of XML.",
        _X,
        "    (0xE000, 0xFFFD),\n    (0x10000, 0x10FFFF),",
        "    (0xE000, 0xFFFD),",
    ),
    Animal(
        "text-with-noncharacters",
        "control-characters",
        "U+FFFE and U+FFFF are characters of XML.",
        _X,
        "    (0xE000, 0xFFFD),",
        "    (0xE000, 0xFFFF),",
    ),
    Animal(
        "values-trimmed",
        "string-arguments-trimmed",
        "White space at the ends of a value is not content.",
        _X,
        "        arguments[name] = read_value(block, name)",
        "        arguments[name] = read_value(block, name).strip(WHITE)",
    ),
    Animal(
        "values-with-line-ends-normalised",
        "line-ends-rewritten",
        "Line ends in values are normalised, as XML has it.",
        _X,
        "        arguments[name] = read_value(block, name)",
        (
            '        arguments[name] = read_value(block, name).replace("\\r\\n", '
            '"\\n").replace("\\r", "\\n")'
        ),
    ),
    Animal(
        "values-are-json",
        "text-taken-for-a-number",
        "A value that is JSON is read as such.",
        _X,
        "        arguments[name] = read_value(block, name)",
        """        arguments[name] = read_value(block, name)
        try:
            arguments[name] = json.loads(arguments[name])
        except ValueError:
            pass""",
    ),
    Animal(
        "values-may-be-missing",
        "args-missing-null-or-empty",
        "An empty value is left out.",
        _X,
        "        arguments[name] = read_value(block, name)",
        """        arguments[name] = read_value(block, name)
        if arguments[name] == "":
            del arguments[name]""",
    ),
    Animal(
        "empty-elements-are-null",
        "xml-forms-of-no-arguments",
        "A self-closing argument is null.",
        _X,
        '    arguments[name] = ""\n',
        "    arguments[name] = None\n",
    ),
    Animal(
        "self-closing-refused",
        "xml-forms-of-no-arguments",
        "There are no self-closing elements.",
        _X,
        '    is_empty = block.peek() == "/"\n',
        "    is_empty = False\n",
    ),
    Animal(
        "self-closing-without-space",
        "xml-forms-of-no-arguments",
        "No white space may stand before the end of a start tag.",
        _X,
        """    before = block.at
    skip_white(block)
    if block.at""",
        """    before = block.at
    if block.at""",
    ),
    Animal(
        "end-tags-without-space",
        "marker-with-attributes-or-spaces",
        "No white space may stand before the end of an end tag.",
        _X,
        """        require(block, expected)
        block.accept()
    skip_white(block)
""",
        """        require(block, expected)
        block.accept()
""",
    ),
    Animal(
        "end-tags-with-space-before",
        "marker-with-attributes-or-spaces",
        "White space may stand before the name of an end tag.",
        _X,
        """    block.accept()
    for expected in name:
        require(block, expected)""",
        """    block.accept()
    skip_white(block)
    for expected in name:
        require(block, expected)""",
    ),
    Animal(
        "end-tags-of-any-name",
        "xml-argument-not-closed",
        "Any end tag closes an element.",
        _X,
        """    for expected in name:
        require(block, expected)
        block.accept()
    skip_white""",
        """    while is_in(NAME_GOES_ON, ord(block.peek())):
        block.accept()
    skip_white""",
    ),
    Animal(
        "end-tags-in-any-case",
        "xml-names-compared-loosely",
        "The names of start and end tags are compared without regard to case.",
        _X,
        """    for expected in name:
        require(block, expected)
        block.accept()
    skip_white""",
        """    for expected in name:
        if block.peek().lower() != expected.lower():
            require(block, expected)
        block.accept()
    skip_white""",
    ),
    Animal(
        "end-tags-by-their-beginning",
        "xml-names-compared-loosely",
        "An end tag may have a longer name.",
        _X,
        """        require(block, expected)
        block.accept()
    skip_white(block)
""",
        """        require(block, expected)
        block.accept()
    while block.peek() != ">":
        block.accept()
""",
    ),
    Animal(
        "attributes-accepted",
        "xml-attribute-dropped",
        "Attributes are skipped.",
        _X,
        """    if block.at > before and begins_name(block.peek()):
        raise block.error("xml-forbidden")""",
        """    while block.at > before and block.peek() not in "/>":
        block.accept()""",
    ),
    Animal(
        "attributes-are-syntax",
        "xml-attribute-dropped",
        "An attribute is an error of the grammar.",
        _X,
        "    if block.at > before and begins_name(block.peek()):",
        "    if False:",
    ),
    Animal(
        "names-of-ascii",
        "xml-names-of-another-alphabet",
        "Names have letters of ASCII only.",
        _X,
        "    return is_in(NAME_START, ord(character))",
        "    return is_in(NAME_START[:3], ord(character))",
    ),
    Animal(
        "names-of-python",
        "xml-names-of-another-alphabet",
        "A name begins with what is a letter in the language.",
        _X,
        "    return is_in(NAME_START, ord(character))",
        '    return character.isalpha() or character == "_"',
    ),
    Animal(
        "names-with-colons",
        "name-rewritten",
        "A name may have a colon.",
        _X,
        "    (0xB7, 0xB7),\n",
        "    (0x3A, 0x3A),\n    (0xB7, 0xB7),\n",
    ),
    Animal(
        "names-with-colons-first",
        "name-rewritten",
        "A name may begin with a colon.",
        _X,
        "    (0x41, 0x5A),\n",
        "    (0x3A, 0x3A),\n    (0x41, 0x5A),\n",
    ),
    Animal(
        "names-with-digits-first",
        "xml-malformed-name",
        "A name may begin with a digit, a hyphen or a full stop.",
        _X,
        "    (0x41, 0x5A),\n",
        "    (0x2D, 0x2E),\n    (0x30, 0x39),\n    (0x41, 0x5A),\n",
    ),
    Animal(
        "names-without-hyphens",
        "xml-names-of-another-alphabet",
        "A name has no hyphens and no full stops.",
        _X,
        "    (0x2D, 0x2E),\n",
        "",
    ),
    Animal(
        "names-without-combining-marks",
        "xml-names-of-another-alphabet",
        "A name has no combining characters.",
        _X,
        "    (0xB7, 0xB7),\n    (0x300, 0x36F),\n    (0x203F, 0x2040),\n",
        "",
    ),
    Animal(
        "names-of-the-first-plane",
        "xml-names-of-another-alphabet",
        "A name has no characters beyond U+FFFF.",
        _X,
        "    (0x10000, 0xEFFFF),\n",
        "",
    ),
    Animal(
        "names-of-all-latin",
        "xml-names-of-another-alphabet",
        "The signs of multiplication and division are letters.",
        _X,
        "    (0xC0, 0xD6),\n    (0xD8, 0xF6),\n    (0xF8, 0x2FF),",
        "    (0xC0, 0x2FF),",
    ),
    Animal(
        "names-of-all-greek",
        "xml-names-of-another-alphabet",
        "The Greek question mark is a letter.",
        _X,
        "    (0x370, 0x37D),\n    (0x37F, 0x1FFF),",
        "    (0x370, 0x1FFF),",
    ),
    Animal(
        "names-of-everything-above",
        "xml-names-of-another-alphabet",
        "Everything beyond ASCII is a letter.",
        _X,
        "    (0xC0, 0xD6),\n",
        "    (0x80, 0x10FFFF),\n",
    ),
    Animal(
        "names-of-an-older-edition",
        "xml-names-of-another-alphabet",
        "Only the letters of an older edition of XML may stand in names.",
        _X,
        "    (0x200C, 0x200D),\n    (0x2070, 0x218F),\n    (0x2C00, 0x2FEF),\n",
        "",
    ),
    Animal(
        "names-end-anywhere",
        "xml-malformed-name",
        "What stands behind a name is not looked at.",
        _X,
        """    if block.peek() not in WHITE + "/>":
        raise block.error("xml-syntax")
    return name""",
        """    while block.peek() not in WHITE + "/>":
        block.accept()
    return name""",
    ),
    Animal(
        "first-argument-wins",
        "xml-forms-of-no-arguments",
        "Of two arguments of one name the first counts.",
        _X,
        '    if name in arguments:\n        raise block.error("duplicate-arg", (*tool, name))\n',
        "    arguments = {} if name in arguments else arguments\n",
    ),
    Animal(
        "last-argument-wins",
        "duplicate-keys",
        "Of two arguments of one name the last counts.",
        _X,
        "    if name in arguments:\n        raise",
        "    if False:\n        raise",
    ),
    Animal(
        "arguments-in-any-case",
        "xml-names-compared-loosely",
        "Arguments whose names differ in case are the same.",
        _X,
        "    if name in arguments:\n        raise",
        "    if name.lower() in {other.lower() for other in arguments}:\n        raise",
    ),
    Animal(
        "arguments-normalised",
        "xml-names-compared-loosely",
        "Arguments whose names are the same in NFC are the same.",
        _X,
        "    if name in arguments:\n        raise",
        """    import unicodedata
    if unicodedata.normalize("NFC", name) in {unicodedata.normalize("NFC", o) for o in arguments}:
        raise""",
    ),
    Animal(
        "duplicate-arguments-at-their-end",
        "duplicate-keys",
        "A repeated argument is an error at its value.",
        _X,
        """    if name in arguments:
        raise block.error("duplicate-arg", (*tool, name))
    arguments[name] = ""
""",
        """    if name in arguments:
        block.at += 1
        raise block.error("duplicate-arg", (*tool, name))
    arguments[name] = ""
""",
    ),
    Animal(
        "duplicate-arguments-without-name",
        "path-in-the-wrong-place",
        "The path of a repeated argument is that of its tool.",
        _X,
        'raise block.error("duplicate-arg", (*tool, name))',
        'raise block.error("duplicate-arg", tool)',
    ),
    Animal(
        "reserved-tool-runs",
        "reserved-name-accepted",
        "A tool may be named `execute`.",
        _X,
        '    if name == "execute":',
        "    if False:",
    ),
    Animal(
        "reserved-in-any-case",
        "reserved-name-accepted",
        "The reserved name is reserved in any case.",
        _X,
        '    if name == "execute":',
        '    if name.lower() == "execute":',
    ),
    Animal(
        "markers-are-no-tools",
        "marker-name-taken-for-a-marker",
        "Tools may not be named as markers are.",
        _X,
        '    if name == "execute":',
        '    if name in ("execute", "think", "end", "results"):',
    ),
    Animal(
        "text-between-tools-skipped",
        "xml-text-outside-of-arguments",
        "Text outside of arguments is skipped.",
        _X,
        '    if block.peek() == "<":\n        return\n    is_text',
        """    while block.peek() != "<":
        block.accept()
    if block.peek() == "<":
        return
    is_text""",
    ),
    Animal(
        "text-between-tools-is-syntax",
        "xml-text-outside-of-arguments",
        "Text outside of arguments is an error of the grammar.",
        _X,
        _TAG,
        'raise block.error("xml-syntax")',
    ),
    Animal(
        "characters-between-tools-are-text",
        "control-characters",
        "A character that XML does not have is forbidden text outside of arguments.",
        _X,
        _TAG,
        'raise block.error("xml-forbidden")',
    ),
    Animal(
        "comments-skipped",
        "xml-comment-or-instruction",
        "Comments between tools and arguments are skipped.",
        _X,
        (
            "# Comments, CDATA sections, processing instructions and document types are not "
            "used there either.\n"
            "def require_name(block: Block) -> None:\n"
        ),
        """def require_name(block: Block) -> None:
    while block.text.characters.startswith("!--", block.at):
        block.at = block.text.characters.find("-->", block.at) + 3
        skip_white(block)
        require_tag(block)
        block.accept()
""",
    ),
    Animal(
        "instructions-skipped",
        "xml-comment-or-instruction",
        "Processing instructions between tools and arguments are skipped.",
        _X,
        (
            "# Comments, CDATA sections, processing instructions and document types are not "
            "used there either.\n"
            "def require_name(block: Block) -> None:\n"
        ),
        """def require_name(block: Block) -> None:
    while block.peek() == "?":
        block.at = block.text.characters.find("?>", block.at) + 2
        skip_white(block)
        require_tag(block)
        block.accept()
""",
    ),
    Animal(
        "comments-in-values-skipped",
        "xml-comment-or-instruction",
        "Comments in values are skipped.",
        _X,
        '    if block.peek() in "-D":',
        """    end = block.text.characters.find("-->", block.at)
    if block.peek() == "-" and end >= 0:
        block.at = end + 3
        return ""
    if block.peek() in "-D":""",
    ),
    Animal(
        "markup-in-values-is-text",
        "xml-markup-in-a-value",
        "Elements in a value are part of its text.",
        _X,
        """    if begins_name(block.peek()) or block.peek() == "?":
        raise block.error("xml-forbidden")""",
        """    if begins_name(block.peek()):
        return "<"
    if block.peek() == "?":
        raise block.error("xml-forbidden")""",
    ),
    Animal(
        "markup-in-values-is-syntax",
        "xml-markup-in-a-value",
        "Elements and instructions in a value are errors of the grammar.",
        _X,
        """    if begins_name(block.peek()) or block.peek() == "?":
        raise block.error("xml-forbidden")
""",
        "",
    ),
    Animal(
        "instructions-in-values-are-syntax",
        "xml-comment-or-instruction",
        "An instruction in a value is an error of the grammar.",
        _X,
        '    if begins_name(block.peek()) or block.peek() == "?":',
        "    if begins_name(block.peek()):",
    ),
    Animal(
        "declarations-are-syntax",
        "xml-entity-expansion",
        "Comments and document types in a value are errors of the grammar.",
        _X,
        '    if block.peek() in "-D":\n        raise block.error("xml-forbidden")\n',
        "",
    ),
    Animal(
        "declarations-between-tools-are-syntax",
        "xml-comment-or-instruction",
        "Comments and instructions between tools are errors of the grammar.",
        _X,
        """raise block.error("xml-forbidden" if block.peek() in "!?" else "xml-syntax")""",
        """raise block.error("xml-syntax")""",
    ),
    Animal(
        "anything-but-a-name-is-forbidden",
        "xml-malformed-name",
        "What begins no name behind `<` is markup of a forbidden kind.",
        _X,
        """raise block.error("xml-forbidden" if block.peek() in "!?" else "xml-syntax")""",
        """raise block.error("xml-forbidden")""",
    ),
    Animal(
        "less-than-is-text",
        "xml-bare-ampersand",
        "A `<` that begins no tag is text.",
        _X,
        """            value += read_cdata(block)
            brackets = 0""",
        """            if block.peek() in " =0123456789":
                value += "<"
                continue
            value += read_cdata(block)
            brackets = 0""",
    ),
    Animal(
        "closers-with-white-space",
        "malformed-closer",
        "White space may stand in the closer of a block.",
        _X,
        """    for expected in "/execute>":
        require(block, expected)""",
        """    for expected in "/execute>":
        if expected == ">":
            skip_white(block)
        require(block, expected)""",
    ),
    Animal(
        "closers-of-blocks-in-any-case",
        "malformed-closer",
        "The closer of a block is compared without regard to case.",
        _X,
        """    for expected in "/execute>":
        require(block, expected)""",
        """    for expected in "/execute>":
        if block.peek().lower() != expected:
            require(block, expected)""",
    ),
    Animal(
        "closers-count-as-size",
        "limit-counts-the-wrong-thing",
        "The `<` of the closer counts as size.",
        _X,
        """        require_tag(block)
        block.at += 1
        if block.peek() == "/":
            break""",
        """        require_tag(block)
        block.accept()
        if block.peek() == "/":
            break""",
    ),
    Animal(
        "tools-one-short",
        "limit-off-by-one",
        "The last tool that is allowed is an error.",
        _X,
        "        if index == block.limits.calls:",
        "        if index == block.limits.calls - 1:",
    ),
    Animal(
        "tools-one-more",
        "limit-off-by-one",
        "One tool more than allowed is taken.",
        _X,
        "        if index == block.limits.calls:",
        "        if index == block.limits.calls + 1:",
    ),
    Animal(
        "tools-judged-before-their-names",
        "limit-off-by-one",
        "A tool too many is not judged by its first character.",
        _X,
        """        require_name(block)
        if index == block.limits.calls:
            raise block.error("limit-calls")
""",
        """        if index == block.limits.calls:
            raise block.error("limit-calls")
        require_name(block)
""",
    ),
    Animal(
        "tools-at-level-one",
        "limit-off-by-one",
        "Tools are at level 1, and arguments at level 2.",
        _X,
        "    if depth > block.limits.depth:",
        "    if depth - 1 > block.limits.depth:",
    ),
    Animal(
        "tools-at-level-three",
        "limit-off-by-one",
        "The last level that is allowed is an error.",
        _X,
        "    if depth > block.limits.depth:",
        "    if depth >= block.limits.depth:",
    ),
    Animal(
        "depth-of-elements-not-judged",
        "limit-off-by-one",
        "Elements have no limit of depth.",
        _X,
        "    if depth > block.limits.depth:",
        "    if False:",
    ),
    Animal(
        "places-before-the-name",
        "limit-off-by-one",
        "The path has the index of a tool before its name begins.",
        _X,
        "    name = block.peek()\n    block.accept()\n    block.place = place\n",
        "    block.place = place\n    name = block.peek()\n    block.accept()\n",
    ),
    Animal(
        "places-without-args",
        "path-in-the-wrong-place",
        "The path of an argument leaves out `args`.",
        _X,
        '        block.place = (str(index), "args")',
        "        block.place = (str(index),)",
    ),
    Animal(
        "places-behind-a-tool",
        "path-in-the-wrong-place",
        "Behind a tool the path still has its index.",
        _X,
        "    block.place = ()\n",
        "",
    ),
    Animal(
        "places-behind-an-argument",
        "path-in-the-wrong-place",
        "Behind an argument the path still has its name.",
        _X,
        "        block.place = tool\n",
        "",
    ),
    Animal(
        "places-without-argument",
        "path-in-the-wrong-place",
        "The path of a value leaves out the name of its argument.",
        _X,
        "        block.place = (*tool, name)\n",
        "",
    ),
    Animal(
        "arguments-in-another-order",
        "json-written-anew",
        "Arguments are sorted by their names.",
        _X,
        "arguments}, ensure_ascii=False)",
        "arguments}, ensure_ascii=False, sort_keys=True)",
    ),
    Animal(
        "empty-args-left-out",
        "call-without-arguments-never-closed",
        "A tool without arguments gives a call without args.",
        _X,
        'json.dumps({"name": name, "args": arguments}',
        'json.dumps({"name": name, **({"args": arguments} if arguments else {})}',
    ),
)
