# SPDX-License-Identifier: MIT
"""The RELAX NG schema of blocks of elements, made from the declarations of tools.

It accepts every block whose calls have no problems.  Where RELAX NG cannot express a rule (a
minimum, a list of items, a condition), it accepts more.  The data type is always `string`, the only
one that preserves white space; patterns and values express everything else.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from ..text.decoding import is_text
from ..wire.blocks.elements_text import NO_CHARACTER, is_name
from ..wire.blocks.elements_writing import escaped
from .coercing import INTEGER, NUMBER, Arguments, Option

_GRAMMAR: Final = {
    "xmlns": "http://relaxng.org/ns/structure/1.0",
    "datatypeLibrary": "http://www.w3.org/2001/XMLSchema-datatypes",
}

#: The lines of a pattern.
_Lines = list[str]

_TEXT: Final = ["<text/>"]
_PATTERNS: Final = {"integer": INTEGER, "number": NUMBER}
_WORDS: Final = {"boolean": ("true", "false"), "null": ("null",)}


def relax_ng(tools: Mapping[str, Arguments]) -> str:
    """Return the schema of blocks of these tools, without names that XML does not allow."""
    named = {name: arguments for name, arguments in tools.items() if is_name(name)}
    calls = [_element("ref", name=f"tool.{name}") for name in named]
    inside = _element("zeroOrMore", _choice(calls)) if calls else _element("empty")
    grammar = _element(
        "grammar",
        _element("start", _element("element", inside, name="execute")),
        *(
            _element("define", _tool(name, arguments), name=f"tool.{name}")
            for name, arguments in named.items()
        ),
        **_GRAMMAR,
    )
    return "".join(f"{line}\n" for line in grammar)


def _tool(name: str, arguments: Arguments) -> _Lines:
    required = arguments.required()
    if any(not is_name(each) or arguments.forbids(each) for each in required):
        return _element("notAllowed")
    names = [each for each in arguments.names() if is_name(each)]
    given: list[_Lines] = []
    for each in names:
        if arguments.forbids(each):
            continue
        argument = _element("element", _value(arguments.options(each) or ()), name=each)
        given.append(argument if each in required else _element("optional", argument))
    if not arguments.is_closed:
        given.append(_others(names))
    inside = _element("interleave", *given) if given else _element("empty")
    return _element("element", inside, name=name)


def _others(names: Iterable[str]) -> _Lines:
    """Return the pattern of arguments with other names."""
    known = [[f"<name>{name}</name>"] for name in names]
    any_other = _element("nsName", *([_element("except", *known)] if known else []), ns="")
    return _element("zeroOrMore", _element("element", any_other, _TEXT))


def _value(options: Iterable[Option]) -> _Lines:
    """Return the pattern of the texts that fit one of the options."""
    patterns = [pattern for option in options for pattern in _patterns(option)]
    return _TEXT if _TEXT in patterns or not options else _choice(patterns)


def _patterns(option: Option) -> list[_Lines]:
    """Return patterns, one of which every text that fits the option matches."""
    texts = _texts(option)
    if texts is not None:
        values = [[f'<value type="string">{escaped(text)}</value>'] for text in texts]
        return values or [_element("notAllowed")]
    if option.type in _PATTERNS:
        pattern = [f'<param name="pattern">{_PATTERNS[option.type]}</param>']
        return [_element("data", pattern, type="string")]
    return [_TEXT]


def _texts(option: Option) -> list[str] | None:
    """Return all texts that fit the option, if they can be listed."""
    is_listed = option.members is not None
    members = [json.loads(member) for member in option.members or ()]
    if option.type in _WORDS:
        words = {word: json.loads(word) for word in _WORDS[option.type]}
        return [
            word for word in words if not is_listed or any(words[word] is each for each in members)
        ]
    if option.type == "string" and is_listed:
        return [each for each in members if isinstance(each, str) and _is_xml(each)]
    if option.type == "integer" and is_listed:
        numbers = [each for each in members if type(each) in (int, float) and each == int(each)]
        return [text for each in numbers for text in ([str(int(each))] if each else ["0", "-0"])]
    return None


def _is_xml(text: str) -> bool:
    return is_text(text) and not NO_CHARACTER.search(text)


def _choice(patterns: list[_Lines]) -> _Lines:
    return patterns[0] if len(patterns) == 1 else _element("choice", *patterns)


def _element(kind: str, /, *inside: _Lines, **attributes: str) -> _Lines:
    start = kind + "".join(f' {key}="{value}"' for key, value in attributes.items())
    if not inside:
        return [f"<{start}/>"]
    return [f"<{start}>", *(f"  {line}" for lines in inside for line in lines), f"</{kind}>"]
