# SPDX-License-Identifier: MIT
"""The characters of XML: names, text, and decoding references and sections."""

import re
from typing import Final

from ....text.scan import WHITE

# NCName of "Namespaces in XML 1.0" over the classes of XML 1.0, fifth edition.
NAME_START: Final = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
NAME_REST: Final = f"{NAME_START}.0-9\xb7\u0300-\u036f\u203f\u2040-"
#: Characters that XML does not allow, not even as references; surrogates never occur in text.
NO_CHARACTERS: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff"

BEGINS_NAME: Final = re.compile(f"[{NAME_START}]")
NAME_RUN: Final = re.compile(f"[{NAME_REST}]*")
NAME: Final = re.compile(f"[{NAME_START}][{NAME_REST}]*")
NO_CHARACTER: Final = re.compile(f"[{NO_CHARACTERS}]")

CDATA: Final = "<![CDATA["
#: The most common references: the five entities, and ASCII by number.
_COMMON: Final = "amp|lt|gt|quot|apos|#(?:9|1[03]|3[2-9]|[4-9][0-9])|#x(?:[9aAdD]|[2-7][0-9a-fA-F])"
#: The longest run of text that needs no further check.
_TEXT_BODY: Final = rf"[^<&\]{NO_CHARACTERS}]"
TEXT_RUN: Final = re.compile(rf"{_TEXT_BODY}*(?:(?:\](?!\]>)|&(?:{_COMMON});){_TEXT_BODY}*)*")

ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
#: A reference, or a whole section, in text that was checked.
CODED: Final = re.compile(
    r"<!\[CDATA\[(.*?)\]\]>|&(?:#x0*([0-9a-fA-F]+)|#0*([0-9]+)|([a-z]+));", re.DOTALL
)
#: The length from which `bytes.translate` is faster at checking characters.
_LONG: Final = 256
_CONTROLS: Final = bytes({*range(0x20)} - {*WHITE.encode()})


def is_name(text: str) -> bool:
    """Whether `text` may be the name of an element; a colon would be a namespace's."""
    return NAME.fullmatch(text) is not None


def decoded(text: str) -> str:
    """Return the decoded text of an argument, which has been checked."""
    if "&" not in text and CDATA not in text:
        return text
    return CODED.sub(decode_match, text)


def decode_match(match: re.Match[str]) -> str:
    """Return the decoded text of a reference or a section."""
    section, hexadecimal, decimal, entity = match.groups()
    if entity:
        return ENTITIES[entity]
    if section is None:
        return chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
    return str(section)


def is_sound(text: str) -> bool:
    """Whether XML allows all characters of `text`; it does if the text is printable."""
    if len(text) < _LONG:
        return NO_CHARACTER.search(text) is None
    data = text.encode()
    return (
        len(data.translate(None, _CONTROLS)) == len(data)
        and "\ufffe" not in text
        and "\uffff" not in text
    )
