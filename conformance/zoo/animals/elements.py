"""Bugs in blocks of elements."""

from typing import Final

from conformance.zoo.making import bug_in

_xml_block: Final = bug_in("xml_block")

ANIMALS: Final = (
    _xml_block(
        "entities-of-html",
        "xml-entity-unknown-accepted",
        "Entities of HTML are known.",
        (
            'REFERENCES = {"⟦¦'
            'nbsp;": "\\u00a0", "copy;": "©", "auml;": "ä", "hellip;": "…", "⟧amp;": "&",'
        ),
    ),
    _xml_block(
        "entities-in-any-case",
        "xml-entity-unknown-accepted",
        "The names of entities are compared without regard to case.",
        """        found += block.peek()⟦¦.lower()⟧
        if""",
    ),
    _xml_block(
        "three-entities",
        "xml-entity-unknown-accepted",
        "The entities for quotes are not known.",
        '⟦, "quot;": \'"\', "apos;": "\'"¦⟧}',
    ),
    _xml_block(
        "entities-decoded-twice",
        "xml-entity-decoded-twice",
        "The text of a reference is decoded again.",
        """⟦¦    for reference, character in REFERENCES.items():
        if found == "amp;" and block.text.characters.startswith(reference, block.at):
            block.at += len(reference)
            return character
⟧    return REFERENCES[found]""",
    ),
    _xml_block(
        "ampersands-are-text",
        "xml-bare-ampersand",
        "An ampersand that begins no reference is text.",
        (
            '        if character == "&"⟦¦'
            ' and block.text.characters[block.at + 1 : block.at + 2] in tuple("#aglq")⟧:'
        ),
    ),
    _xml_block(
        "references-not-resolved",
        "xml-reference-misread",
        "References stay as they are written.",
        """            ⟦value += read_reference(block)¦first = block.at
            read_reference(block)
            value += block.text.characters[first : block.at]⟧""",
    ),
    _xml_block(
        "references-without-hexadecimal",
        "xml-reference-misread",
        "A reference has a decimal number.",
        '    if ⟦block.peek() == "x"¦False⟧:',
    ),
    _xml_block(
        "references-with-capital-x",
        "xml-reference-misread",
        "The `x` of a hexadecimal number may be a capital.",
        '    if block.peek() ⟦== "x¦in "xX⟧":',
    ),
    _xml_block(
        "references-with-small-hexadecimal",
        "xml-reference-misread",
        "Hexadecimal digits are small letters.",
        'digits = "⟦0123456789abcdefABCDEF¦0123456789abcdef⟧"',
    ),
    _xml_block(
        "references-to-anything",
        "control-characters",
        "A reference may be to a character that XML does not allow.",
        "    if ⟦not is_in(CHARACTERS, number)¦False⟧:",
    ),
    _xml_block(
        "references-without-semicolon",
        "xml-reference-misread",
        "A reference needs no semicolon.",
        """⟦    require(block, ";")
¦⟧    if not is_in(CHARACTERS, number):
        raise block.error("xml-syntax")
    ⟦¦if block.peek() == ";":
        ⟧block.accept()""",
    ),
    _xml_block(
        "references-past-unicode",
        "xml-reference-misread",
        "The number of a reference may grow without end.",
        """⟦        if number > 0x10FFFF:
            raise block.error("xml-syntax")
¦⟧""",
    ),
    _xml_block(
        "references-are-markup",
        "xml-cdata-end-misjudged",
        "A `]]>` is found across references.",
        """            value += read_reference(block)
            brackets = ⟦¦brackets + 1 if value.endswith("]") else ⟧0""",
    ),
    _xml_block(
        "brackets-in-text",
        "xml-cdata-end-misjudged",
        "`]]>` may appear in text.",
        '            if ⟦brackets >= 2 and character == ">"¦False⟧:',
    ),
    _xml_block(
        "brackets-exactly-two",
        "xml-cdata-end-misjudged",
        "`]]]>` may appear in text.",
        '            if brackets ⟦>¦=⟧= 2 and character == ">":',
    ),
    _xml_block(
        "brackets-across-cdata",
        "xml-cdata-end-misjudged",
        "The end of a CDATA section counts as brackets of text.",
        """            value += read_cdata(block)
            brackets = ⟦0¦2⟧""",
    ),
    _xml_block(
        "brackets-refuse-greater-than",
        "xml-cdata-end-misjudged",
        "A `>` may not appear in text.",
        '            if ⟦brackets >= 2 and ¦⟧character == ">":',
    ),
    _xml_block(
        "no-cdata",
        "xml-closer-in-a-value",
        "CDATA sections are not known.",
        '    if block.peek() in "-D⟦¦[⟧":',
    ),
    _xml_block(
        "cdata-ends-at-the-closer",
        "xml-closer-in-a-value",
        "The closer of the block ends it in a CDATA section too.",
        """    while not content.endswith("]]>"):
⟦¦        if block.text.characters.startswith("</execute>", block.at):
            raise block.error("xml-syntax")
⟧""",
    ),
    _xml_block(
        "cdata-with-references",
        "xml-entity-decoded-twice",
        "References in a CDATA section are resolved.",
        """    ⟦return content.removesuffix("]]>"¦import html
    return html.unescape(content.removesuffix("]]>")⟧)""",
    ),
    _xml_block(
        "cdata-to-the-last-end",
        "xml-cdata-end-misjudged",
        "A CDATA section continues to the last `]]>`.",
        '    while not content.endswith("]]>")⟦¦ or "]]>" in block.text.characters[block.at :]⟧:',
    ),
    _xml_block(
        "cdata-of-any-character",
        "control-characters",
        "A CDATA section may contain any character.",
        """⟦        require_character(block)
¦⟧        content += block.peek()""",
    ),
    _xml_block(
        "cdata-needs-to-be-alone",
        "xml-cdata-end-misjudged",
        "A CDATA section is the whole value.",
        "            value ⟦+¦⟧= read_cdata(block)",
    ),
    _xml_block(
        "cdata-in-any-case",
        "xml-markup-in-a-value",
        "`CDATA` is known in any case.",
        """    for expected in "[CDATA[":
        ⟦¦if block.peek().upper() != expected:
            ⟧require(block, expected)""",
    ),
    _xml_block(
        "text-of-any-character",
        "control-characters",
        "Text may contain any character.",
        """⟦            require_character(block)
¦⟧            brackets""",
    ),
    _xml_block(
        "text-without-noncharacters",
        "control-characters",
        "U+007F to U+009F are not accepted as characters of XML.",
        """    (0x20, ⟦¦0x7E),
    (0xA0, ⟧0xD7FF),""",
    ),
    _xml_block(
        "text-of-the-first-plane",
        "surrogate-pair-escapes-split",
        "Characters beyond U+FFFF are not accepted as characters of XML.",
        """    (0xE000, 0xFFFD),⟦
    (0x10000, 0x10FFFF),¦⟧""",
    ),
    _xml_block(
        "text-with-noncharacters",
        "control-characters",
        "U+FFFE and U+FFFF are characters of XML.",
        "    (0xE000, ⟦0xFFFD¦0xFFFF⟧),",
    ),
    _xml_block(
        "values-trimmed",
        "string-arguments-trimmed",
        "White space at the ends of a value is not content.",
        "        arguments[name] = read_value(block, name)⟦¦.strip(WHITE)⟧",
    ),
    _xml_block(
        "values-with-line-ends-normalised",
        "line-ends-rewritten",
        "Line ends in values are normalised, as XML has it.",
        (
            "        arguments[name] = read_value(block, name)⟦¦"
            '.replace("\\r\\n", "\\n").replace("\\r", "\\n")⟧'
        ),
    ),
    _xml_block(
        "values-are-json",
        "text-taken-for-a-number",
        "A value that is JSON is read as such.",
        """        arguments[name] = read_value(block, name)⟦¦
        try:
            arguments[name] = json.loads(arguments[name])
        except ValueError:
            pass⟧""",
    ),
    _xml_block(
        "values-may-be-missing",
        "args-missing-null-or-empty",
        "An empty value is left out.",
        """        arguments[name] = read_value(block, name)⟦¦
        if arguments[name] == "":
            del arguments[name]⟧""",
    ),
    _xml_block(
        "empty-elements-are-null",
        "xml-forms-of-no-arguments",
        "A self-closing argument is null.",
        '    arguments[name] = ⟦""¦None⟧',
    ),
    _xml_block(
        "self-closing-refused",
        "xml-forms-of-no-arguments",
        "Self-closing elements are not known.",
        '    is_empty = ⟦block.peek() == "/"¦False⟧',
    ),
    _xml_block(
        "self-closing-without-space",
        "xml-forms-of-no-arguments",
        "White space may not appear before the end of a start tag.",
        """    before = block.at
⟦    skip_white(block)
¦⟧    if block.at""",
    ),
    _xml_block(
        "end-tags-without-space",
        "marker-with-attributes-or-spaces",
        "White space may not appear before the end of an end tag.",
        """        require(block, expected)
        block.accept()
⟦    skip_white(block)
¦⟧""",
    ),
    _xml_block(
        "end-tags-with-space-before",
        "marker-with-attributes-or-spaces",
        "White space may appear before the name of an end tag.",
        """    block.accept()
⟦¦    skip_white(block)
⟧    for expected in name:
        require(block, expected)""",
    ),
    _xml_block(
        "end-tags-of-any-name",
        "xml-argument-not-closed",
        "Any end tag closes an element.",
        """    ⟦for expected in name:
        require(block, expected)¦while is_in(NAME_CHARACTERS, ord(block.peek())):⟧
        block.accept()
    skip_white""",
    ),
    _xml_block(
        "end-tags-in-any-case",
        "xml-names-compared-loosely",
        "The names of start and end tags are compared without regard to case.",
        """    for expected in name:
        ⟦¦if block.peek().lower() != expected.lower():
            ⟧require(block, expected)
        block.accept()
    skip_white""",
    ),
    _xml_block(
        "end-tags-by-their-beginning",
        "xml-names-compared-loosely",
        "An end tag may have a longer name.",
        """        require(block, expected)
        block.accept()
    ⟦skip_white(block¦while block.peek() != ">":
        block.accept(⟧)""",
    ),
    _xml_block(
        "attributes-accepted",
        "xml-attribute-dropped",
        "Attributes are skipped.",
        """⟦    if block.at > before and begins_name(block.peek()):
        raise block.error("xml-forbidden")¦\
    while block.at > before and block.peek() not in "/>":
        block.accept()⟧""",
    ),
    _xml_block(
        "attributes-are-syntax",
        "xml-attribute-dropped",
        "An attribute is an error of the grammar.",
        "    if ⟦block.at > before and begins_name(block.peek())¦False⟧:",
    ),
    _xml_block(
        "names-of-ascii",
        "xml-names-of-another-alphabet",
        "Names have letters of ASCII only.",
        "    return is_in(NAME_START⟦¦[:3]⟧, ord(character))",
    ),
    _xml_block(
        "names-of-python",
        "xml-names-of-another-alphabet",
        "A name begins with any letter as the language defines it.",
        '    return ⟦is_in(NAME_START, ord(character))¦character.isalpha() or character == "_"⟧',
    ),
    _xml_block(
        "names-with-colons",
        "name-rewritten",
        "A name may have a colon.",
        """⟦¦    (0x3A, 0x3A),
⟧    (0xB7, 0xB7),""",
    ),
    _xml_block(
        "names-with-colons-first",
        "name-rewritten",
        "A name may begin with a colon.",
        """⟦¦    (0x3A, 0x3A),
⟧    (0x41, 0x5A),""",
    ),
    _xml_block(
        "names-with-digits-first",
        "xml-malformed-name",
        "A name may begin with a digit, a hyphen or a full stop.",
        """⟦¦    (0x2D, 0x2E),
    (0x30, 0x39),
⟧    (0x41, 0x5A),""",
    ),
    _xml_block(
        "names-without-hyphens",
        "xml-names-of-another-alphabet",
        "A name has no hyphens and no full stops.",
        """⟦    (0x2D, 0x2E),
¦⟧""",
    ),
    _xml_block(
        "names-without-combining-marks",
        "xml-names-of-another-alphabet",
        "A name has no combining characters.",
        """⟦    (0xB7, 0xB7),
    (0x300, 0x36F),
    (0x203F, 0x2040),
¦⟧""",
    ),
    _xml_block(
        "names-of-the-first-plane",
        "xml-names-of-another-alphabet",
        "A name has no characters beyond U+FFFF.",
        """⟦    (0x10000, 0xEFFFF),
¦⟧""",
    ),
    _xml_block(
        "names-of-all-latin",
        "xml-names-of-another-alphabet",
        "The signs of multiplication and division are letters.",
        """    (0xC0, ⟦0xD6),
    (0xD8, 0xF6),
    (0xF8, ¦⟧0x2FF),""",
    ),
    _xml_block(
        "names-of-all-greek",
        "xml-names-of-another-alphabet",
        "The Greek question mark is a letter.",
        """    (0x370, ⟦0x37D),
    (0x37F, ¦⟧0x1FFF),""",
    ),
    _xml_block(
        "names-of-everything-above",
        "xml-names-of-another-alphabet",
        "Everything beyond ASCII is a letter.",
        "    (⟦0xC0, 0xD6¦0x80, 0x10FFFF⟧),",
    ),
    _xml_block(
        "names-of-an-older-edition",
        "xml-names-of-another-alphabet",
        "Only the letters of an older edition of XML may appear in names.",
        """⟦    (0x200C, 0x200D),
    (0x2070, 0x218F),
    (0x2C00, 0x2FEF),
¦⟧""",
    ),
    _xml_block(
        "names-end-anywhere",
        "xml-malformed-name",
        "Text after a name is not looked at.",
        """    ⟦if block.peek() not in WHITE + "/>":
        raise block.error("xml-syntax"¦while block.peek() not in WHITE + "/>":
        block.accept(⟧)
    return name""",
    ),
    _xml_block(
        "first-argument-wins",
        "xml-forms-of-no-arguments",
        "Of two arguments of one name the first counts.",
        """⟦    if name in arguments:
        raise block.error("duplicate-arg", (*tool, name))
¦    arguments = {} if name in arguments else arguments
⟧""",
    ),
    _xml_block(
        "last-argument-wins",
        "duplicate-keys",
        "Of two arguments of one name the last counts.",
        """    if ⟦name in arguments¦False⟧:
        raise""",
    ),
    _xml_block(
        "arguments-in-any-case",
        "xml-names-compared-loosely",
        "Arguments whose names differ in case are the same.",
        """    if name⟦ in arguments¦.lower() in {other.lower() for other in arguments}⟧:
        raise""",
    ),
    _xml_block(
        "arguments-normalised",
        "xml-names-compared-loosely",
        "Arguments whose names are the same in NFC are the same.",
        """⟦    if name in arguments:
¦    import unicodedata
    if unicodedata.normalize("NFC", name) in {unicodedata.normalize("NFC", o) for o in arguments}:
⟧        raise""",
    ),
    _xml_block(
        "duplicate-arguments-at-their-end",
        "duplicate-keys",
        "A repeated argument is an error at its value.",
        """    if name in arguments:
⟦¦        block.at += 1
⟧        raise block.error("duplicate-arg", (*tool, name))
    arguments[name] = "\"""",
    ),
    _xml_block(
        "duplicate-arguments-without-name",
        "path-in-the-wrong-place",
        "The path of a repeated argument is that of its tool.",
        'raise block.error("duplicate-arg", ⟦(*tool, name)¦tool⟧)',
    ),
    _xml_block(
        "reserved-tool-runs",
        "reserved-name-accepted",
        "A tool may be named `execute`.",
        '    if ⟦name == "execute"¦False⟧:',
    ),
    _xml_block(
        "reserved-in-any-case",
        "reserved-name-accepted",
        "The reserved name is reserved in any case.",
        '    if name⟦¦.lower()⟧ == "execute":',
    ),
    _xml_block(
        "markers-are-no-tools",
        "marker-name-taken-for-a-marker",
        "Tools may not be named as markers are.",
        '    if name ⟦== "execute"¦in ("execute", "think", "end", "results")⟧:',
    ),
    _xml_block(
        "text-between-tools-skipped",
        "xml-text-outside-of-arguments",
        "Text outside of arguments is skipped.",
        """⟦¦    while block.peek() != "<":
        block.accept()
⟧    if block.peek() == "<":
        return
    is_text""",
    ),
    _xml_block(
        "text-between-tools-is-syntax",
        "xml-text-outside-of-arguments",
        "Text outside of arguments is an error of the grammar.",
        'raise block.error("xml-⟦forbidden" if is_text else "xml-¦⟧syntax")',
    ),
    _xml_block(
        "characters-between-tools-are-text",
        "control-characters",
        "A character that XML does not have is forbidden text outside of arguments.",
        'raise block.error("xml-forbidden"⟦ if is_text else "xml-syntax"¦⟧)',
    ),
    _xml_block(
        "comments-skipped",
        "xml-comment-or-instruction",
        "Comments between tools and arguments are skipped.",
        """⟦# Comments, CDATA sections, processing instructions and document types \
are not used there either.
¦⟧def require_name(block: Block) -> None:
⟦¦    while block.text.characters.startswith("!--", block.at):
        block.at = block.text.characters.find("-->", block.at) + 3
        skip_white(block)
        require_tag(block)
        block.accept()
⟧""",
    ),
    _xml_block(
        "instructions-skipped",
        "xml-comment-or-instruction",
        "Processing instructions between tools and arguments are skipped.",
        """⟦# Comments, CDATA sections, processing instructions and document types \
are not used there either.
¦⟧def require_name(block: Block) -> None:
⟦¦    while block.peek() == "?":
        block.at = block.text.characters.find("?>", block.at) + 2
        skip_white(block)
        require_tag(block)
        block.accept()
⟧""",
    ),
    _xml_block(
        "comments-in-values-skipped",
        "xml-comment-or-instruction",
        "Comments in values are skipped.",
        """⟦¦    end = block.text.characters.find("-->", block.at)
    if block.peek() == "-" and end >= 0:
        block.at = end + 3
        return ""
⟧    if block.peek() in "-D":""",
    ),
    _xml_block(
        "markup-in-values-is-text",
        "xml-markup-in-a-value",
        "Elements in a value are part of its text.",
        """    if begins_name(block.peek())⟦ or¦:
        return "<"
    if⟧ block.peek() == "?":
        raise block.error("xml-forbidden")""",
    ),
    _xml_block(
        "markup-in-values-is-syntax",
        "xml-markup-in-a-value",
        "Elements and instructions in a value are errors of the grammar.",
        """⟦    if begins_name(block.peek()) or block.peek() == "?":
        raise block.error("xml-forbidden")
¦⟧""",
    ),
    _xml_block(
        "instructions-in-values-are-syntax",
        "xml-comment-or-instruction",
        "An instruction in a value is an error of the grammar.",
        '    if begins_name(block.peek())⟦ or block.peek() == "?"¦⟧:',
    ),
    _xml_block(
        "declarations-are-syntax",
        "xml-entity-expansion",
        "Comments and document types in a value are errors of the grammar.",
        """⟦    if block.peek() in "-D":
        raise block.error("xml-forbidden")
¦⟧""",
    ),
    _xml_block(
        "declarations-between-tools-are-syntax",
        "xml-comment-or-instruction",
        "Comments and instructions between tools are errors of the grammar.",
        'raise block.error("xml-⟦forbidden" if block.peek() in "!?" else "xml-¦⟧syntax")',
    ),
    _xml_block(
        "anything-but-a-name-is-forbidden",
        "xml-malformed-name",
        "A character that begins no name after `<` is markup of a forbidden kind.",
        'raise block.error("xml-forbidden"⟦ if block.peek() in "!?" else "xml-syntax"¦⟧)',
    ),
    _xml_block(
        "less-than-is-text",
        "xml-bare-ampersand",
        "A `<` that begins no tag is text.",
        """⟦¦            if block.peek() in " =0123456789":
                value += "<"
                continue
⟧            value += read_cdata(block)
            brackets = 0""",
    ),
    _xml_block(
        "closers-with-white-space",
        "malformed-closer",
        "White space may appear in the closer of a block.",
        """    for expected in "/execute>":
⟦¦        if expected == ">":
            skip_white(block)
⟧        require(block, expected)""",
    ),
    _xml_block(
        "closers-of-blocks-in-any-case",
        "malformed-closer",
        "The closer of a block is compared without regard to case.",
        """    for expected in "/execute>":
        ⟦¦if block.peek().lower() != expected:
            ⟧require(block, expected)""",
    ),
    _xml_block(
        "closers-count-as-size",
        "limit-counts-the-wrong-thing",
        "The `<` of the closer counts as size.",
        """        require_tag(block)
        block.⟦at += 1¦accept()⟧
        if block.peek() == "/":
            break""",
    ),
    _xml_block(
        "tools-one-short",
        "limit-off-by-one",
        "The last tool that is allowed is an error.",
        "        if index == block.limits.calls⟦¦ - 1⟧:",
    ),
    _xml_block(
        "tools-one-more",
        "limit-off-by-one",
        "One tool more than allowed is accepted.",
        "        if index == block.limits.calls⟦¦ + 1⟧:",
    ),
    _xml_block(
        "tools-judged-before-their-names",
        "limit-off-by-one",
        "The first character of a tool beyond the limit is not checked.",
        """⟦        require_name(block)
¦⟧        if index == block.limits.calls:
            raise block.error("limit-calls")
⟦¦        require_name(block)
⟧""",
    ),
    _xml_block(
        "tools-at-level-one",
        "limit-off-by-one",
        "Tools are at level 1, and arguments at level 2.",
        "    if depth ⟦¦- 1 ⟧> block.limits.depth:",
    ),
    _xml_block(
        "tools-at-level-three",
        "limit-off-by-one",
        "The last level that is allowed is an error.",
        "    if depth >⟦¦=⟧ block.limits.depth:",
    ),
    _xml_block(
        "depth-of-elements-not-judged",
        "limit-off-by-one",
        "Elements have no limit of depth.",
        "    if ⟦depth > block.limits.depth¦False⟧:",
    ),
    _xml_block(
        "places-before-the-name",
        "limit-off-by-one",
        "The path has the index of a tool before its name begins.",
        """⟦¦    block.place = place
⟧    name = block.peek()
    block.accept()
⟦    block.place = place
¦⟧""",
    ),
    _xml_block(
        "places-without-args",
        "path-in-the-wrong-place",
        "The path of an argument leaves out `args`.",
        '        block.place = (str(index),⟦ "args"¦⟧)',
    ),
    _xml_block(
        "places-behind-a-tool",
        "path-in-the-wrong-place",
        "Behind a tool the path still has its index.",
        """⟦    block.place = ()
¦⟧""",
    ),
    _xml_block(
        "places-behind-an-argument",
        "path-in-the-wrong-place",
        "Behind an argument the path still has its name.",
        """⟦        block.place = tool
¦⟧""",
    ),
    _xml_block(
        "places-without-argument",
        "path-in-the-wrong-place",
        "The path of a value leaves out the name of its argument.",
        """⟦        block.place = (*tool, name)
¦⟧""",
    ),
    _xml_block(
        "arguments-in-another-order",
        "json-written-anew",
        "Arguments are sorted by their names.",
        "arguments}, ensure_ascii=False⟦¦, sort_keys=True⟧)",
    ),
    _xml_block(
        "empty-args-left-out",
        "call-without-arguments-never-closed",
        "A tool without arguments produces a call without args.",
        (
            'json.dumps({"name": name, ⟦"args": arguments¦'
            '**({"args": arguments} if arguments else {})⟧}'
        ),
    ),
)
