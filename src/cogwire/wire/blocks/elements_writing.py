# SPDX-License-Identifier: MIT
"""How calls in XML elements are written and taught."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from ...events import Limits
from ...text import describe, pointer_step
from ...text.decoding import is_text
from .elements_text import NO_CHARACTER, is_name, is_sound
from .values import ItemWriter, RenderError

_LIMIT: Final = Limits().calls


def write_element(name: str, args: Mapping[Any, object], path: str) -> str:
    """Return the call of the tool `name` as an element, on one line if its arguments are.

    `name` is not reserved, and `path` is that of the call.  Raises `RenderError` for values that
    XML or the dialect cannot express.
    """
    given: dict[Any, Any] = dict(args)  # another thread may change them meanwhile
    names = [name, *given]
    values = given.values()
    # One pass over all of it is several times as fast as one over each; no value contains U+0000.
    are_texts = {str}.issuperset(map(type, (*names, *values)))
    whole = "".join(values) if are_texts else ""
    if not (are_texts and _are_names(names) and is_text(whole) and is_sound(whole)):
        raise _refusal(name, given, path)
    written = escaped("\0".join(values)).split("\0")
    inside = "".join([f"<{key}>{text}</{key}>" for key, text in zip(given, written, strict=False)])
    return f"<{name}>{inside}</{name}>" if inside else f"<{name}/>"


def _are_names(texts: Sequence[str]) -> bool:
    is_usual = "".join(texts).isascii() and all(map(str.isidentifier, texts))
    return is_usual or all(map(is_name, texts))


def _refusal(name: object, args: Mapping[Any, object], path: str) -> RenderError:
    """Return the first reason why this call cannot be written, of which there is one."""
    faults = [(f"{path}/name", _name_fault(name, "a tool"))]
    faults += [
        (f"{path}/args{pointer_step(str(key))}", _name_fault(key, "an argument") or _fault(value))
        for key, value in args.items()
    ]
    return next(RenderError(place, fault) for place, fault in faults if fault)


def _fault(value: object) -> str | None:
    if type(value) is not str:
        return f"a value of type {type(value).__name__}; elements contain text, a plain str"
    if found := NO_CHARACTER.search(value):
        return f"{describe(found.group())}, which XML cannot contain"
    return None if is_text(value) else "half a surrogate pair; XML contains only whole characters"


def escaped(text: str) -> str:
    """Return `text`, whose characters XML allows, as character data."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def _name_fault(name: object, owner: str) -> str | None:
    if type(name) is str and is_name(name):
        return None
    return f"{name!r} is not an XML name without a colon, as the name of {owner} must be"


class ElementWriting:
    """An element for each call, with one for each of its arguments."""

    description: str = (
        "an element for each call, named as the tool, with an element for each of\n"
        "its arguments, whose text is the value: a string as it is, any other value as JSON, such "
        "as\n`5` or `[1]`."
    )
    rules: str = f"""\
one element for each call and nothing
  else: no words, no JSON, no comments, no code fences, at most {_LIMIT} calls.
- An argument is an element that contains only text: no attributes, no elements in it, and no
  two arguments of one name in a call. `<tool/>` is a call without arguments.
- In a value `<` is written `&lt;`, `&` is written `&amp;` and `]]>` is written `]]&gt;`, or all
  of it is CDATA, as it is: `<code><![CDATA[if (a < b && c)]]></code>`."""
    is_whole: bool = True
    _indent: ClassVar[str] = "\n  "

    def write(self, name: str, args: dict[object, object], writer: ItemWriter, path: str) -> str:
        return write_element(name, args, path)

    def join(self, calls: Iterable[str], _gap: str = "", _first: int = 0) -> str:
        return self._indent.join(["", *calls]).removeprefix("\n")
