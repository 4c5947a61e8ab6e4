"""The blocks of the dialect `xml-elements`: tool elements that contain argument elements.

block = *( white / tool ) "</execute>"
tool  = "<" name [ white ] ( "/>" / ">" *( white / arg ) "</" name [ white ] ">" )
arg   = "<" name [ white ] ( "/>" / ">" *( character / reference / cdata ) "</" name [ white ] ">" )
"""

import json
from collections.abc import Iterator

from .block import Block, Written, certain, skip_white
from .json_shapes import Call
from .text import WHITE

# xe-xml-characters
# XML 1.0 (fifth edition), production 2.
CHARACTERS = (
    (0x9, 0xA),
    (0xD, 0xD),
    (0x20, 0xD7FF),
    (0xE000, 0xFFFD),
    (0x10000, 0x10FFFF),
)

# xe-names
# Productions 4 and 4a, without the colon, as namespaces require.
NAME_START = (
    (0x41, 0x5A),
    (0x5F, 0x5F),
    (0x61, 0x7A),
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x2FF),
    (0x370, 0x37D),
    (0x37F, 0x1FFF),
    (0x200C, 0x200D),
    (0x2070, 0x218F),
    (0x2C00, 0x2FEF),
    (0x3001, 0xD7FF),
    (0xF900, 0xFDCF),
    (0xFDF0, 0xFFFD),
    (0x10000, 0xEFFFF),
)
NAME_CHARACTERS = (
    *NAME_START,
    (0x2D, 0x2E),
    (0x30, 0x39),
    (0xB7, 0xB7),
    (0x300, 0x36F),
    (0x203F, 0x2040),
)

# xe-five
REFERENCES = {"amp;": "&", "lt;": "<", "gt;": ">", "quot;": '"', "apos;": "'"}

# The block is level 1.
TOOL_DEPTH = 2
ARGUMENT_DEPTH = 3


# xe-names xe-xml-characters
def is_in(table: tuple[tuple[int, int], ...], number: int) -> bool:
    return any(lowest <= number <= highest for lowest, highest in table)


# xe-names
def begins_name(character: str) -> bool:
    return is_in(NAME_START, ord(character))


# xe-block xe-empty-block xe-block-tag xe-closer xe-limit-calls xe-limit-size xe-path-outside
# Between tools there may be white space, and a `<` that begins a tool or the closer.  The content
# of a call is its tool as JSON.  The character after a `<` shows which of the two it begins: the
# `<` of the closer does not count as size, so that the size is not checked before.
def read_block(block: Block) -> Iterator[Call]:
    index = 0
    while True:
        skip_white(block)
        require_tag(block)
        block.at += 1
        if block.peek() == "/":
            break
        require_name(block)
        if index == block.limits.calls:
            raise block.error("limit-calls")
        yield read_tool(block, index)
        index += 1
    for expected in "/execute>":
        require(block, expected)
        block.at += 1


# xe-call xe-call-content xe-call-json xe-self-closing xe-reserved xe-tool-tag xe-path-tool
# xe-path-args xe-call-delta
# A tool contains its arguments, each of them once.  The first character of its name distinguishes
# it from the closer; from then on the tool is in the path.
def read_tool(block: Block, index: int) -> Call:
    first = block.at - 1
    block.written = Written()
    name = read_name(block, TOOL_DEPTH, (str(index),))
    if name == "execute":
        raise block.error("xml-forbidden")
    arguments: dict[str, str] = {}
    block.written.name = name
    is_empty = read_start_tag(block, "{")
    if not is_empty:
        block.place = (str(index), "args")
    while not is_empty:
        skip_white(block)
        require_tag(block)
        block.accept()
        if block.peek() == "/":
            read_end_tag(block, name)
            break
        require_name(block)
        read_argument(block, arguments)
    block.place = ()
    block.written.args += "}"
    content = json.dumps({"name": name, "args": arguments}, ensure_ascii=False)
    return Call(name, content, first)


# xe-duplicate-arg xe-self-closing xe-path-arg xe-path-duplicate xe-call-delta
def read_argument(block: Block, arguments: dict[str, str]) -> None:
    tool = block.place
    name = read_name(block, ARGUMENT_DEPTH, tool)
    if name in arguments:
        raise block.error("duplicate-arg", (*tool, name))
    arguments[name] = ""
    joint = ", " if len(arguments) > 1 else ""
    if not read_start_tag(block, f'{joint}"{name}": "'):
        block.place = (*tool, name)
        arguments[name] = read_value(block, name)
        block.place = tool
    block.written.args += '"'


# xe-text
# Outside of arguments, calls do not use text.
def require_tag(block: Block) -> None:
    if block.peek() == "<":
        return
    is_text = is_in(CHARACTERS, ord(block.peek()))
    raise block.error("xml-forbidden" if is_text else "xml-syntax")


# xe-block-tag xe-tool-tag
# Comments, CDATA sections, processing instructions and document types are not used there either.
def require_name(block: Block) -> None:
    if begins_name(block.peek()):
        return
    raise block.error("xml-forbidden" if block.peek() in "!?" else "xml-syntax")


# xe-names xe-tag xe-limit-depth xe-path-tool
# Returns the name, with the cursor at the character after it, which completes it.  The limit of
# depth is checked at the first character; `place` is the path after that character.
def read_name(block: Block, depth: int, place: tuple[str, ...]) -> str:
    if depth > block.limits.depth:
        raise block.error("limit-depth")
    name = block.peek()
    block.accept()
    block.place = place
    while is_in(NAME_CHARACTERS, ord(block.peek())):
        name += block.peek()
        block.accept()
    if block.peek() not in WHITE + "/>":
        raise block.error("xml-syntax")
    return name


# xe-call-delta
# The character after a name completes the name, and with it `args`, the next piece of the args.
def read_start_tag(block: Block, args: str) -> bool:
    end_of_name = block.at
    try:
        return read_rest_of_start_tag(block)
    finally:
        if block.at > end_of_name:
            block.written.args += args


# xe-white xe-attribute xe-tag
# After a name there may be white space, but no attribute.  Returns whether the element is empty.
def read_rest_of_start_tag(block: Block) -> bool:
    before = block.at
    skip_white(block)
    if block.at > before and begins_name(block.peek()):
        raise block.error("xml-forbidden")
    is_empty = block.peek() == "/"
    if is_empty:
        block.accept()
    require(block, ">")
    block.accept()
    return is_empty


# xe-tag xe-white
# An end tag has the name of its start tag; the cursor is at the `/`.
def read_end_tag(block: Block, name: str) -> None:
    block.accept()
    for expected in name:
        require(block, expected)
        block.accept()
    skip_white(block)
    require(block, ">")
    block.accept()


# xe-value xe-cdata-end xe-markup
# A value is text, references and CDATA sections, and continues until its end tag. `brackets` counts
# the `]` directly before: `]]>` is not allowed in text.
def read_value(block: Block, name: str) -> str:
    value = ""
    brackets = 0
    while True:
        character = block.peek()
        if character == "&":
            value += read_reference(block)
            brackets = 0
            write(block, value[-1])
        elif character == "<":
            block.accept()
            if block.peek() == "/":
                read_end_tag(block, name)
                return value
            value += read_cdata(block)
            brackets = 0
        else:
            if brackets >= 2 and character == ">":
                raise block.error("xml-syntax")
            require_character(block)
            brackets = brackets + 1 if character == "]" else 0
            value += character
            block.accept()
            write(block, character)


# xe-xml-characters
def require_character(block: Block) -> None:
    if not is_in(CHARACTERS, ord(block.peek())):
        raise block.error("xml-syntax")


# xe-cdata xe-markup
# Markup in a value is well-formed XML of a kind that calls do not use: elements, processing
# instructions, comments, document types.  A CDATA section is the only kind that they use, and
# continues until the first `]]>`.
def read_cdata(block: Block) -> str:
    if begins_name(block.peek()) or block.peek() == "?":
        raise block.error("xml-forbidden")
    require(block, "!")
    block.accept()
    if block.peek() in "-D":
        raise block.error("xml-forbidden")
    for expected in "[CDATA[":
        require(block, expected)
        block.accept()
    content = ""
    written = 0
    while not content.endswith("]]>"):
        require_character(block)
        content += block.peek()
        block.accept()
        sure = len(certain(content, "]]>"))
        write(block, content[written:sure])
        written = sure
    return content.removesuffix("]]>")


# xe-call-delta xe-call-json
def write(block: Block, text: str) -> None:
    block.written.args += json.dumps(text, ensure_ascii=False)[1:-1]


# xe-five xe-entities xe-reference
# reference = "&" ( one of the five names / "#" 1*digit / "#x" 1*hexdigit ) ";"
def read_reference(block: Block) -> str:
    block.accept()
    if block.peek() == "#":
        block.accept()
        return read_number(block)
    found = ""
    while found not in REFERENCES:
        found += block.peek()
        if not any(reference.startswith(found) for reference in REFERENCES):
            raise block.error("xml-syntax")
        block.accept()
    return REFERENCES[found]


# xe-number xe-reference xe-reference-number
# A number is that of a character that XML allows; no code point is beyond 10FFFF.
def read_number(block: Block) -> str:
    digits = "0123456789"
    if block.peek() == "x":
        block.accept()
        digits = "0123456789abcdefABCDEF"
    if block.peek() not in digits:
        raise block.error("xml-syntax")
    number = 0
    while block.peek() in digits:
        number = number * (10 if len(digits) == 10 else 16) + int(block.peek(), 16)
        if number > 0x10FFFF:
            raise block.error("xml-syntax")
        block.accept()
    require(block, ";")
    if not is_in(CHARACTERS, number):
        raise block.error("xml-syntax")
    block.accept()
    return chr(number)


# xe-tag
def require(block: Block, expected: str) -> None:
    if block.peek() != expected:
        raise block.error("xml-syntax")
