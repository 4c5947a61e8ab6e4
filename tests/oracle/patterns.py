"""Patterns: the regular expressions that JSON Schema recommends, and others that are equally safe.

The matcher only finds where a match may end, for all places where it may begin at once. The work is
therefore bounded by the lengths of pattern and text, and nothing is tried twice.
"""

import re

#: Places in a text.
Places = frozenset[int]

# A character outside of classes, a class, or an escape that denotes characters.
CHARACTERS = re.compile(
    r"[^\\()|*+?{}\[\]^$]|[{}\]]|\\[dDwWsStnrfv]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^a-zA-Z0-9]"
    r"|\[\^?(?!\])(?:[^\]\\]|\\.)*\]",
    re.DOTALL,
)
# In ECMA-262, digits and letters are those of ASCII, and white space is that of Unicode.
MEANING = (
    ("\\d", "0-9"),
    ("\\w", "0-9A-Za-z_"),
    ("\\s", "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"),
)
# Half of a surrogate pair, as it is or as an escape, and both halves.
ESCAPE = r"(?<!\\)((?:\\\\)*)\\u[dD]"
HALF = re.compile(rf"[\ud800-\udfff]|{ESCAPE}[89a-fA-F]")
PAIR = re.compile(
    rf"{ESCAPE}[89abAB][0-9a-fA-F]{{2}}\\u[dD][c-fC-F][0-9a-fA-F]{{2}}|[\ud800-\udbff][\udc00-\udfff]"
)
QUANTIFIER = re.compile(r"(?:([*+?])|\{([0-9]+)(,?)([0-9]*)\})\??")


# val-pattern val-pattern-subset val-pattern-others
class Unreadable(Exception):  # noqa: N818 - it is an answer
    """A text that is not a pattern, or a pattern that is not accepted."""


# val-pattern-subset
# A pattern is found where a match begins anywhere in the text, and ends anywhere.
def is_found(pattern: str, text: str) -> bool:
    return bool(Reading(pattern, text).whole())


# val-pattern val-pattern-others
# A pattern that cannot be read is detected when it is matched against the empty text.
def require_readable(pattern: str) -> None:
    if HALF.search(PAIR.sub(r"\1", pattern)):
        raise Unreadable(pattern)
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        raise Unreadable(pattern) from None
    is_found(pattern, "")


# val-pattern-subset
class Reading:
    """One pattern matched against one text.

    A method that reads a part of the pattern takes the places where the part may begin in the text,
    and returns the places where it may end. A repeated part is read once for each repetition.
    """

    def __init__(self, pattern: str, text: str) -> None:
        self.pattern = pattern
        self.text = text
        self.at = 0

    def whole(self) -> Places:
        ends = self.alternatives(frozenset(range(len(self.text) + 1)))
        if self.at < len(self.pattern):
            raise Unreadable(self.pattern)
        return ends

    def alternatives(self, starts: Places) -> Places:
        ends = self.sequence(starts)
        while self.pattern.startswith("|", self.at):
            self.at += 1
            ends |= self.sequence(starts)
        return ends

    def sequence(self, starts: Places) -> Places:
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            starts = self.repeated(starts)
        return starts

    # A quantifier after a part determines how often it is repeated; a `?` after that changes
    # nothing here.
    def repeated(self, starts: Places) -> Places:
        first = self.at
        once = self.part(starts)
        found = QUANTIFIER.match(self.pattern, self.at)
        if not found:
            return once
        if self.pattern.startswith("+", found.end()):
            raise Unreadable(self.pattern)
        least, most = bounds(found)
        ends, places, times = starts if least == 0 else frozenset(), starts, 0
        seen = ends
        while places and times != most:
            self.at = first
            places = self.part(places)
            times += 1
            if times >= least:
                ends |= places
                # Beyond the minimum number, places that were seen before lead to nothing new.
                places -= seen
                seen |= places
        self.at = found.end()
        return ends

    def part(self, starts: Places) -> Places:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(starts)
        if character in "^$":
            self.at += 1
            return frozenset(filter(self.is_begin if character == "^" else self.is_end, starts))
        found = CHARACTERS.match(self.pattern, self.at)
        if not found:
            raise Unreadable(self.pattern)
        self.at = found.end()
        fitting = re.compile(in_python(found[0]))
        return frozenset(start + 1 for start in starts if fitting.match(self.text, start))

    def group(self, starts: Places) -> Places:
        opener = "(?:" if self.pattern.startswith("(?:", self.at) else "("
        if opener == "(" and self.pattern.startswith("(?", self.at):
            raise Unreadable(self.pattern)
        self.at += len(opener)
        ends = self.alternatives(starts)
        self.at += 1
        return ends

    def is_begin(self, place: int) -> bool:
        return place == 0

    def is_end(self, place: int) -> bool:
        return place == len(self.text)


# val-pattern-meaning
# A character, class or escape of ECMA-262 as Python writes it.
def in_python(piece: str) -> str:
    if piece == ".":
        return "[^\n\r\u2028\u2029]"
    for escape, members in MEANING:
        if piece == escape.upper():
            return f"[^{members}]"
        piece = piece.replace(escape, members if piece[0] == "[" else f"[{members}]")
    return piece


# val-pattern-subset
# `*` is any number of times, `+` at least once, `?` at most once.
def bounds(quantifier: re.Match[str]) -> tuple[int, int | None]:
    sign, least, comma, most = quantifier.groups()
    if sign:
        return int(sign == "+"), 1 if sign == "?" else None
    if not comma:
        return int(least), int(least)
    return int(least or 0), int(most) if most else None
