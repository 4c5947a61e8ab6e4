# SPDX-License-Identifier: MIT
"""Notices for stderr, a line each: what the events of a text do not show."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from cogwire import Parser, iter_events
from cogwire.tooling import HasDialect, format_names, looks_like, notation
from cogwire_kit.texts.dialects import AUTO, is_begun
from cogwire_kit.texts.rendered import no_author, role_marker
from cogwire_kit.texts.rows import FORMATS, ending
from cogwire_kit.texts.words import counted

BYTE_ORDER_MARK: Final = "\ufeff"
#: The notices about one in a transcript, and in JSON, which has none.
READ_MARK: Final = (
    "the text begins with a byte order mark (U+FEFF), which was read as one of its characters; "
    "save it as UTF-8 without one"
)
SKIPPED_MARK: Final = (
    "the file begins with a byte order mark (U+FEFF), which was skipped; save it as UTF-8 without "
    "one"
)
#: What to say about a data set that is empty.
NO_ROW: Final = "there is no row"
#: What a record has and a call does not: messages, conversations, events, or one of them.
_MEMBERS: Final = frozenset(
    {"messages", "conversations", "events", "text", "role", "type", "prompt", "chosen"}
)
#: How a record begins of which one line is not all.
RECORD: Final = re.compile(
    r"\s*(?:\[\s*)?\{.{0,4096}?"
    r'"(?:messages|conversations?|events|prompt|chosen|rejected)"\s*:\s*\[\s*\{\s*"',
    re.DOTALL,
)


def notices(
    file: str,
    head: str,
    dialect: str | None,
    types: Collection[str] | None = None,
    discarded: int = 0,
    *,
    state: str = "",
    option: str = "--dialect",
    start: str = "prose",
) -> Iterator[str]:
    """Yield the notices about a text that was read in `dialect`, which is None if it was detected.

    `file` is its name and `head` its beginning; `types` are the types of its events, if they are
    known; `discarded` is the number of characters after the end of the turn, `state` the parser's
    state at the end of the text, and `start` says where its turns begin.
    """
    if is_stored(file, head):
        yield (
            "this looks like stored messages or a data set, not like a transcript; check it with "
            "cogwire lint, or read a column of transcripts with cogwire view or cogwire bulk"
        )
    if head.startswith(BYTE_ORDER_MARK):
        yield READ_MARK
    if dialect is not None and (marker := role_marker(head, dialect)):
        yield no_author(marker, dialect)
    if dialect is not None and set(types or ()) <= {"think", "respond"}:
        yield from look_alikes(dialect, count_look_alikes([head], dialect), option)
    if state == "think" and dialect and any(map(head.count, notation(dialect).call_openers)):
        yield "the think at the end was never closed, and no call in a think runs"
    if start == "prose" and dialect and _is_opened(head, dialect):
        closer = notation(dialect).think[1]
        yield f"{closer} begins a line, and no think is open. {OPENED}"
    if start == "prose" and dialect and (kind := _after_header(head, dialect)):
        yield (
            f"after a header that the prompt has begun, the text would begin with a {kind}. If the "
            "prompt ends in a header, name it: --start header."
        )
    if discarded:
        yield (
            counted(
                discarded,
                "character after the end of the turn was",
                "characters after the end of the turn were",
            )
            + " discarded"
            + "; to read a whole conversation, use --mode transcript"
            * (dialect is None or notation(dialect).mode == "transcript")
        )


#: What to do about the closer of a think without its opener.
OPENED: Final = "If the prompt has opened the think, as some templates do, name it: --start think."


def _is_opened(text: str, dialect: str) -> bool:
    """Whether the first marker of a think in a text is its closer, at the beginning of a line."""
    wire = notation(dialect)
    opener, closer = wire.think
    before, found, _ = text.partition(closer) if closer else ("", "", "")
    if not found or opener in before or before[-1:] not in ("", "\n"):
        return False
    # In some formats it is what ends a message of any kind.
    others = wire.form.to_json() if wire.form else {}
    return closer not in str([each for name, each in others.items() if name != "think"])


def _after_header(text: str, dialect: str) -> str:
    """Return the think or the call with which a text would go on in a header of its prompt."""
    form = notation(dialect).form
    if form is None or form.header is None or not is_begun(text, dialect, "header"):
        return ""
    first = next(iter_events([text], Parser(dialect, start="header", clock=None)), None)
    return first["type"] if first is not None and first["type"] in ("think", "call") else ""


def is_stored(file: str, head: str) -> bool:
    """Whether a file has the name of a data set, or begins with a record of one."""
    if ending(file) in FORMATS or RECORD.match(head):
        return True
    line = head.lstrip().partition("\n")[0]
    try:
        record = json.loads(line) if line.startswith("{") else {}
    except (ValueError, RecursionError):
        return False
    return not _MEMBERS.isdisjoint(record)


#: How much of a text is looked at for what looks like a marker; how many formats are named then.
_LOOKED_AT: Final = 65536
_MOST: Final = 3
#: How like two markers are that are named together, from 0 to 1.
_LIKE: Final = 0.6

#: How markers look, whatever the format: a tag, a name in brackets, or a fence of code for a tool.
_MARKER: Final = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|<(?!https?:)[\w.:-]{2,30}(?:[ =][\w.:-]{1,30})?"
    r"|\[[A-Z_]{3,30}\]|```tool\w*"
)
#: The tags of HTML, which prose has too.
_HTML: Final = re.compile(
    r"<(?:br|code|div|details|em|h\d|hr|img|li|ol|pre|span|strong|su[bp]|summary|table|tbody|td|th"
    r"|thead|tr|ul)\b"
)


def strange_marker(text: str) -> str:
    """Return the first part of a text that looks like a marker of some format, or an empty text."""
    found = (match[0] for match in _MARKER.finditer(text, 0, _LOOKED_AT))
    return next((each for each in found if not _HTML.match(each)), "")


def unrecognised(dialects: Collection[str], marker: str) -> str:
    """Return the notice about texts without a marker or call of these dialects."""
    said = f"nothing was recognised as a marker or a call of {' or '.join(dialects)}"
    if not marker:
        return said
    known = {opener: name for name in format_names() for opener in notation(name).openers}
    near = dict.fromkeys(known[each] for each in get_close_matches(marker, known, _MOST, _LIKE))
    hint = f"{marker!r} is like a marker of {' or '.join(near)}; " if near else ""
    return f"{said}; {hint}--dialect takes the name of a format, or a file that describes one"


def nothing_read(column: str, codes: Collection[str], first: str = "") -> str:
    """Return the notice about a data set whose rows are all refused; `first` is one reason."""
    message = f"no row could be read ({', '.join(codes)})"
    if not {"no-text", "not-text"}.issuperset(codes):
        return f"{message}; the first: {first}" if first else message
    return (
        f"{message}: no row has a transcript in the column {column!r}, or messages or events; name "
        "a column of transcripts with --column, or rename one of messages to `messages`"
    )


class Refusals:
    """Counts the refused rows of a data set by reason, and keeps the first row of each."""

    def __init__(self) -> None:
        self.codes: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, line: Mapping[str, Any]) -> None:
        """Count the refusal of a row, or of a place in it."""
        reason = line["message"]
        self.codes[line["refused"]] += 1
        self._reasons[reason] += 1
        self._first.setdefault(reason, place_of(line))

    def said(self, what: str) -> Iterator[str]:
        """Yield the numbers of rows and turns by code, and by reason."""
        named = [f"{count:,} {code}" for code, count in self.codes.most_common() if code != TURN]
        turns = [counted(self.codes[TURN], "turn")] if TURN in self.codes else []
        if self.codes:
            yield f"{what}: {', '.join(named + turns)}"
        for reason, count in self._reasons.most_common(_REASONS):
            yield f"{count:,} of them: {reason.rstrip('.')}; the first is {self._first[reason]}"
        if (more := len(self._reasons) - _REASONS) > 0:
            yield f"and {counted(more, 'other reason')}; --rejects FILE writes all of them"


def place_of(line: Mapping[str, Any]) -> str:
    """Return where a refusal is: its line or else its row, and its pointer if there is one."""
    where = f"line {line['line']}" if "line" in line else f"row {line['row']}"
    return f"{where}{line.get('pointer', '') and ', ' + line['pointer']}"


#: The code of a turn that is left out of a row which has others.
TURN: Final = "turn"
#: How many reasons are named.
_REASONS: Final = 5


def changed(codes: Counter[str]) -> Iterator[str]:
    """Yield the number of changes of a conversion by code, if there are any."""
    if codes:
        yield f"changed: {', '.join(f'{count:,} {code}' for code, count in codes.most_common())}"


def no_values(column: str, option: str) -> str:
    """Return the notice about a column that an option names and no row has."""
    return f"no row has a value in the column {column!r}, which {option} names"


def ignored(members: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each member about training that has no effect, and count its messages."""
    for name, count in members.items():
        messages = counted(count, "message")
        yield f"`{name}` of {messages} changes nothing: only a `weight` of 0 is read"


def going_on(formats: Mapping[str, int], first: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each format whose texts go on after a call, with the first such text."""
    for name, count in formats.items():
        texts = counted(count, "text goes", "texts go")
        place = f"; the first is {first[name]}" if name in first else ""
        yield (
            f"{texts} on after a call, and what a tool wrote there is trained as the model's, "
            f"since {name} has no results{place}; use the messages that it was made from, as JSON, "
            "or a text for each turn"
        )


#: What is said of calls that the chat template would write in another format.
FOREIGN: Final = (
    "in {}, which the chat template does not write; "
    "cogwire convert --to openai-messages has the template write the calls"
)


def foreign(formats: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each format that the chat template does not write, and count its texts."""
    for name, count in formats.items():
        are = counted(count, "conversation is", "conversations are")
        yield f"{are} {FOREIGN.format(name)}"


def look_alike(text: str, dialect: str | HasDialect) -> str:
    """Return which dialects, or which format, a text without a marker of `dialect` looks like.

    A format counts even if the text has a think of `dialect`.  The result is empty if it looks like
    none.
    """
    return looks_like(text.removeprefix(BYTE_ORDER_MARK), dialect)


def count_look_alikes(texts: Iterable[str], dialect: str) -> Counter[str]:
    """Count the texts without a marker of `dialect` by what they look like; none for `AUTO`."""
    read = () if dialect == AUTO else texts
    return Counter(filter(None, (look_alike(text, dialect) for text in read)))


def look_alikes(
    dialect: str,
    found: Mapping[str, int],
    option: str = "--dialect",
    *,
    surplus: int = 0,
    first: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield a line for each of `found`, which counts texts by the format that they look like.

    `option` is the one that names their dialect, and `first` has the place of the first of each.
    Where no text looks like another format, `surplus` results that answer no call hint at one.
    """
    of = "" if dialect == AUTO else f" of {dialect}"
    for names, number in found.items():
        is_trained = names in format_names()
        what = f"no {'call' if is_trained else 'marker'}{of} was found"
        one = f"the text looks like {names}, and {what} in it"
        many = f"{number:,} texts look like {names}, and {what} in them"
        hint = option if dialect == AUTO else f"{option}, which also takes auto"
        place = ""
        if first and names in first:
            one = f"{first[names]}: {one}"
            place = "" if number == 1 else f"; the first is in {first[names]}"
        yield f"{one if number == 1 else many}; name {names} with {hint}{place}"
    if surplus and not found:
        results = counted(surplus, "result answers", "results answer")
        if dialect == AUTO:
            yield (
                f"{results} no call that was read: the call may have another id, or be prose, in "
                "an unknown format"
            )
        else:
            yield (
                f"{results} no call; if the calls are in the model's texts, and not in {dialect}, "
                f"name their format with {option}, which also takes auto"
            )
