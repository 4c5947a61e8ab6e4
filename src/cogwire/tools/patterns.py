# SPDX-License-Identifier: MIT
"""Regular expressions as JSON Schema means them (ECMA-262, with Unicode), matched by RE2.

RE2 takes time in proportion to the text, whatever the pattern is.  But its syntax differs from
that of ECMA-262 in places, so a pattern is translated piece by piece: each piece is either written
so that it means the same to RE2, or refused.  Nothing is passed on without being parsed.
"""

import functools
import importlib
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Final, NoReturn

from .problems import Work

#: Whether a pattern matches somewhere in a text; spends the work that this takes.
Matcher = Callable[[str, Work], bool]

#: How many bytes RE2 may take for a pattern: first for most, then for those that need more.
#: They contain the program and the cached states, which is all that matching ever takes.
_MEMORY: Final = (1 << 18, 1 << 23)
#: How many bytes the patterns of one tool may take together.
_MEMORY_OF_A_TOOL: Final = 1 << 26
#: One step of work is this many bytes of text times instructions of the pattern, at RE2's slowest.
_STEP: Final = 500


class Matchers:
    """Makes the matchers of one tool's patterns.

    Raises `ValueError` for a text that is not a pattern, for a pattern that RE2 does not support or
    that cannot be translated, for patterns that together take too much memory, and for any pattern
    if `google-re2` is not installed.
    """

    def __init__(self) -> None:
        self._left = _MEMORY_OF_A_TOOL

    def __call__(self, pattern: str) -> Matcher:
        """Return the matcher of a pattern."""
        try:
            re2 = importlib.import_module("re2")
        except ImportError:
            raise ValueError(
                "is a pattern, and patterns need the package google-re2: pip install google-re2"
            ) from None
        translated = translate(pattern)
        reason = ""
        for memory in _MEMORY:
            self._left -= memory
            if self._left < 0:
                raise ValueError("makes the patterns of this tool take too much memory")
            try:
                return _matcher(_compiled(re2, translated, memory))
            except re2.error as error:
                self._left += memory
                reason = _text(error)
        raise ValueError(f"is a pattern that RE2 refuses: {reason}")


def _compiled(re2: ModuleType, pattern: str, memory: int) -> Any:
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = True
    return re2.compile(pattern, options)


def _text(error: Exception) -> str:
    message = error.args[0] if error.args else ""
    return message.decode(errors="replace") if isinstance(message, bytes) else str(message)


def _matcher(compiled: Any) -> Matcher:
    size: int = compiled.programsize

    def is_in(text: str, work: Work) -> bool:
        # A lone surrogate is a character in ECMA-262 but cannot be encoded for RE2: `ValueError`.
        work.spend(1 + len(text.encode()) * size // _STEP)
        return compiled.search(text) is not None

    return is_in


# --- Translating --------------------------------------------------------------------------------

_PIECE: Final = re.compile(
    r"(?P<quantifier>[*+?]|\{[0-9]{1,4}(?:,[0-9]{0,4})?\})\??"
    r"|(?P<open>\((?:\?:|\?<[A-Za-z_$][A-Za-z0-9_$]*>|(?!\?)))"
    r"|(?P<close>\))"
    r"|(?P<bar>\|)"
    r"|(?P<place>\^|\$|\\b)"
    r"|(?P<any>\.)"
    r"|(?P<class>\[\^?)"
    r"|(?P<one>\\(?!B).|(?!\{[0-9]*,?[0-9]*\})[^(\\])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<set>[dDsSwW])|(?P<control>[tnvfr])|c(?P<letter>[A-Za-z])|(?P<null>0)(?![0-9])"
    r"|x(?P<byte>[0-9A-Fa-f]{2})|u\{0*(?P<point>[0-9A-Fa-f]{1,6})\}"
    r"|u(?P<high>[Dd][89ABab][0-9A-Fa-f]{2})\\u(?P<low>[Dd][C-Fc-f][0-9A-Fa-f]{2})"
    r"|u(?P<unit>[0-9A-Fa-f]{4})|(?P<not>[pP])\{(?P<property>[A-Za-z_=]+)\}"
    r"|(?P<itself>[!-/:-@\[-`{-~ ]))"
)
#: What follows the first character of a range, in a class.
_RANGE: Final = re.compile("-[^]]", re.DOTALL)
_LAST: Final = 0x10FFFF
_Ranges = tuple[tuple[int, int], ...]
_DIGITS: Final = ((0x30, 0x39),)
_WORD: Final = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
#: WhiteSpace and LineTerminator of ECMA-262; the `\s` of RE2 has only five of them.
_SPACE: Final = (
    *((0x9, 0xD), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_SETS: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"t": 0x9, "n": 0xA, "v": 0xB, "f": 0xC, "r": 0xD}
_LINE_ENDS: Final = ((0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029))
_PLACES: Final = {"^": r"\A", "$": r"\z", r"\b": r"\b"}

#: The general categories, without those of unassigned characters, which RE2 does not have.
_CATEGORIES: Final = {
    "Letter": "L",
    "Uppercase_Letter": "Lu",
    "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm",
    "Other_Letter": "Lo",
    "Mark": "M",
    "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me",
    "Number": "N",
    "Decimal_Number": "Nd",
    "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P",
    "Math_Symbol": "Sm",
    "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps",
    "Close_Punctuation": "Pe",
    "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf",
    "Other_Punctuation": "Po",
    "Symbol": "S",
    "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk",
    "Other_Symbol": "So",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp",
    "Control": "Cc",
    "Format": "Cf",
    "Private_Use": "Co",
}
_SCRIPT: Final = re.compile("(?:Script|sc)=(?!Any$)([A-Z][a-z]{2,}(?:_[A-Z][a-z]+)*)")


def translate(pattern: str) -> str:
    """Return a pattern of ECMA-262 in the syntax of RE2; `ValueError` if it is refused."""
    return _Translator(pattern).whole()


class _Translator:
    """Reads one pattern from its start to its end."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def whole(self) -> str:
        written: list[str] = []
        depth = 0
        # Whether a quantifier may follow.
        is_part = False
        while self._at < len(self._pattern):
            found = _PIECE.match(self._pattern, self._at)
            if not found or (found.lastgroup == "quantifier" and not is_part):
                self._refuse()
            kind, piece = found.lastgroup, found[0]
            if kind == "close" and not depth:
                self._refuse()
            depth += (kind == "open") - (kind == "close")
            written.append(self._written(kind, piece))
            is_part = kind in {"close", "any", "class", "one"}
        if depth:
            raise ValueError("is not a pattern: a group is never closed")
        return "".join(written)

    def _written(self, kind: str | None, piece: str) -> str:
        """Return a piece in the syntax of RE2, and move past it."""
        if kind == "one":
            return self._one()
        self._at += len(piece)
        if kind == "class":
            return self._class(is_negated=piece == "[^")
        if kind == "open":
            return "(?:"  # Captures are never used.
        if kind == "any":
            return f"[^{_set(_LINE_ENDS)}]"
        return _PLACES.get(piece, piece)

    def _one(self) -> str:
        code = self._code()
        return _character(code) if isinstance(code, int) else f"[{code}]"

    def _class(self, *, is_negated: bool) -> str:
        members: list[str] = []
        while not self._pattern.startswith("]", self._at):
            first = self._code(in_class=True)
            if not _RANGE.match(self._pattern, self._at):
                members.append(_character(first) if isinstance(first, int) else first)
                continue
            self._at += 1
            last = self._code(in_class=True)
            if isinstance(first, str) or isinstance(last, str) or first > last:
                self._refuse()
            members.append(_set([(first, last)]))
        self._at += 1
        if not members:
            # `[]` matches no character, and `[^]` matches any.
            is_negated = not is_negated
            members = [_set(((0, _LAST),))]
        return f"[{'^' * is_negated}{''.join(members)}]"

    def _code(self, *, in_class: bool = False) -> int | str:
        """Return the next character, or the members of the class that an escape means."""
        if self._at == len(self._pattern):
            raise ValueError("is not a pattern: a class is never closed")
        if self._pattern[self._at] != "\\":
            self._at += 1
            return self._valid(ord(self._pattern[self._at - 1]))
        if in_class and self._pattern.startswith(r"\b", self._at):
            self._at += 2
            return 0x8
        found = _ESCAPE.match(self._pattern, self._at)
        if not found:
            self._refuse()
        self._at = found.end()
        return self._escaped(found)

    def _escaped(self, found: "re.Match[str]") -> int | str:
        if name := found["set"]:
            ranges = _SETS[name.lower()]
            return _set(ranges if name in _SETS else _complement(ranges))
        if found["property"]:
            return self._property(found["property"], found["not"])
        if found["high"]:
            return 0x10000 + (int(found["high"], 16) << 10 & 0xFFC00) + int(found["low"], 16) % 1024
        if hexadecimal := found["byte"] or found["point"] or found["unit"]:
            return self._valid(int(hexadecimal, 16))
        if found["letter"]:
            return ord(found["letter"]) % 32
        if found["null"]:
            return 0
        return _CONTROLS[found["control"]] if found["control"] else ord(found["itself"])

    def _property(self, name: str, sign: str) -> str:
        if name == "Any":
            return rf"\{sign}{{Any}}"
        script = _SCRIPT.fullmatch(name)
        category = re.sub("^(General_Category|gc)=", "", name)
        category = _CATEGORIES.get(category, category)
        if not script and category not in _CATEGORIES.values():
            raise ValueError(f"has the property {name!r}, which RE2 does not have")
        return rf"\{sign}{{{script[1] if script else category}}}"

    def _valid(self, code: int) -> int:
        """Return a code point; a surrogate is refused, since no text contains one."""
        if 0xD800 <= code <= 0xDFFF or code > _LAST:
            raise ValueError(f"has the character {code:#x}, which no text has")
        return code

    def _refuse(self) -> NoReturn:
        rest = self._pattern[self._at : self._at + 20]
        raise ValueError(
            f"is a pattern that is not supported, because of {rest!r}: patterns are those of "
            "ECMA-262 that RE2 can match, without lookaround and backreferences; remove it and let "
            "the tool check the text itself"
        )


def _character(code: int) -> str:
    return f"\\x{{{code:x}}}"


def _set(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"{_character(first)}-{_character(last)}" for first, last in ranges)


@functools.cache
def _complement(ranges: _Ranges) -> _Ranges:
    """Return the ranges between these."""
    starts = (0, *(last + 1 for _, last in ranges))
    ends = (*(first - 1 for first, _ in ranges), _LAST)
    return tuple(zip(starts, ends, strict=True))
