# SPDX-License-Identifier: MIT
"""The rules: each has an id, which never changes its meaning, and says what to do."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, get_args

from cogwire_kit.texts.words import meant

Severity = Literal["error", "warning", "note"]


class Rule(NamedTuple):
    """What `cogwire lint` looks for."""

    #: What is wrong where the rule is broken, in a few words.
    summary: str
    #: How to put it right.
    help: str
    #: `error`: it is not read as it was meant; `warning`: it probably was not meant so; `note`: it
    #: is fine, and another format cannot say it.
    severity: Severity = "error"


#: The codes of error events (spec/errors.md).
CODES: Final[dict[str, Rule]] = {
    "json-syntax": Rule(
        "a block that is not JSON",
        'Use double quotes, escape `"`, `\\` and line feeds in strings, and leave out comments and '
        "trailing commas.",
    ),
    "not-array": Rule("a block that is not an array", "Write an array, for one call too."),
    "not-object": Rule(
        "a call that is not an object", 'Write each call as {"name": "…", "args": {…}}.'
    ),
    "missing-name": Rule("a call without a name", "Give each call its tool's name as `name`."),
    "bad-name": Rule(
        "a name that no tool can have",
        "Use the tool's name, a string that is neither empty nor `execute`.",
    ),
    "missing-args": Rule(
        "a call without arguments", "Write `args`, an empty object if there are no arguments."
    ),
    "bad-args": Rule("arguments that are not an object", "Write `args` as an object."),
    "duplicate-key": Rule("the same name twice in an object", "Write each name once."),
    "number-range": Rule(
        "a number that is out of the range of a double", "Write a smaller number, or a string."
    ),
    "lone-surrogate": Rule(
        "half of a surrogate pair as an escape", "Write both halves, or the character itself."
    ),
    "bad-encoding": Rule(
        "bytes in a block that are not UTF-8", "Restore the text from where it was well encoded."
    ),
    "trailing-text": Rule(
        "text between the calls and the end of the block",
        "Write explanations before the calls.",
    ),
    "xml-syntax": Rule("a block that is not XML", "Close each element, and escape `<` and `&`."),
    "xml-forbidden": Rule(
        "XML that blocks do not use",
        "Use elements and text alone, and CDATA for arguments that contain markup.",
    ),
    "duplicate-arg": Rule("the same argument twice in a call", "Write each argument once."),
    "unclosed-execute": Rule(
        "a text that ends inside a block", "Restore the rest of the text, or leave the turn out."
    ),
    "unclosed-call": Rule(
        "a text that ends inside a call", "Restore the rest of the text, or leave the turn out."
    ),
    "missing-execute": Rule("calls that nothing runs", "Write the execute marker after the calls."),
    "forged-results": Rule(
        "results where none are expected",
        "Leave out what the model made up, or write the marker in its literal form.",
    ),
    "limit-size": Rule("a block that is too long", "Write several blocks, or shorter arguments."),
    "limit-calls": Rule("a block with too many calls", "Write several blocks."),
    "limit-depth": Rule("arguments that are nested too deeply", "Write flatter arguments."),
    "limit-digits": Rule("a number with too many digits", "Write a shorter number, or a string."),
    "results-shape": Rule(
        "results that cannot be read",
        'Write results as an array of {"tool": "…", "status": "success" or "failure", '
        '"content": …}.',
    ),
    "results-count": Rule(
        "more or fewer results than calls", "Write one result for each call of the block."
    ),
    "results-order": Rule(
        "results that are not in the order of the calls",
        "Write the results in the order of the calls.",
    ),
}

#: What the problems of a call are (spec/validation.md); only with tools are calls judged.
PROBLEMS: Final[dict[str, Rule]] = {
    "unknown-tool": Rule("a call of a tool that does not exist", "Call one of the tools."),
    "missing-arg": Rule("an argument that is missing", "Give the argument."),
    "unexpected-arg": Rule("an argument that the tool does not take", "Leave the argument out."),
    "bad-type": Rule("an argument of another type", "Give a value of the type in the schema."),
    "not-in-enum": Rule("a value that is none of the choices", "Give one of the choices."),
    "bad-value": Rule("a value that the schema does not allow", "Give a value that it allows."),
    "too-much-work": Rule(
        "a call that is too much work to check", "Give smaller arguments, or use a simpler schema."
    ),
}

#: What is read, and was probably not meant so.
_DOUBTS: Final[dict[str, Rule]] = {
    "unclosed-think": Rule(
        "a text that ends inside a think",
        "Close the think, or leave the turn out if it was cut off.",
        "warning",
    ),
    "unanswered-execute": Rule(
        "a block without results, although the conversation continues",
        "Write the results after the block.",
        "warning",
    ),
    "empty-block": Rule(
        "a block without calls",
        "Leave the block out.",
        "warning",
    ),
    "near-marker": Rule(
        "prose that is nearly a marker",
        "Spell the marker exactly, at its place, or write it in its literal form.",
        "warning",
    ),
    "stray-closer": Rule(
        "a closer where nothing is open",
        "Leave the closer out, write its opener, or write it in its literal form.",
        "warning",
    ),
    "foreign-marker": Rule(
        "a marker of another dialect in prose",
        "Read the text in the dialect that it was written in, or convert it.",
        "warning",
    ),
    "replaced-character": Rule(
        "bytes that are not UTF-8, or half of a surrogate pair",
        "Save the text as UTF-8, or restore it from where it was well encoded.",
        "warning",
    ),
}


#: What is wrong with a record of a data set, and with its messages and events.
_RECORDS: Final[dict[str, Rule]] = {
    "bad-record": Rule(
        "a record that cannot be read",
        "Write one JSON object a line, with `messages`, `conversations`, `events` or `text`.",
    ),
    "not-text": Rule(
        "a file or a text that is binary",
        "Leave it out, or say with --input what is in the file.",
    ),
    "no-dialect": Rule(
        "a text that may be of several dialects, which read it differently",
        "Name the dialect with --dialect.",
    ),
    "bad-tools": Rule(
        "definitions of tools that cannot be read",
        "Write `tools` as a list of definitions, each with a name and a schema.",
        "warning",
    ),
    "skipped": Rule(
        "a message, a call or an event that cannot be read",
        "Fix what the message says, or leave the record out.",
    ),
    "surplus": Rule(
        "results that answer no call",
        "Leave the result out, or restore the call with its id.",
    ),
    "mismatch": Rule(
        "results that are not those of their calls",
        "Write one result for each call, in order, with the name of its tool.",
    ),
    "orphan": Rule(
        "calls without a result, although the conversation continues",
        "Write the result after the calls, or one that says that it was cancelled.",
        "warning",
    ),
    "ignored-flag": Rule(
        "a member that says what is trained, which `cogwire mask` does not read",
        'Write `"weight": 0` in a message that is not trained, and leave the member out.',
        "warning",
    ),
    "fenced-calls": Rule(
        "a message that is only calls in a code fence, which are read as prose",
        "Write the calls as their format has them, without a fence.",
        "warning",
    ),
    "unsafe-text": Rule(
        "a marker in what a user or a system wrote, which a model would take for the framework's",
        "Write the marker in its literal form.",
        "warning",
    ),
    "void": Rule(
        "calls of a block that broke a rule",
        "Leave the turn out, or fix the block.",
        "note",
    ),
    "dropped": Rule("what events have no place for", "Keep it beside the events.", "note"),
    "retyped": Rule("a value that is read as text, or otherwise", "Write it as text.", "note"),
    "neutralised": Rule(
        "a text that is written otherwise", "Write the text without markers and halves.", "note"
    ),
    "joined": Rule("texts that are read as one", "Write them as one.", "note"),
    "moved": Rule(
        "what is read at another place",
        "Write texts before the calls, and results in the order of their calls.",
        "note",
    ),
    "completed": Rule("a call without arguments", "Write empty arguments, `{}`.", "note"),
    "trimmed": Rule("white space around a text", "Leave the white space out.", "note"),
}

#: All rules, by their ids.
RULES: Final[dict[str, Rule]] = {**CODES, **PROBLEMS, **_DOUBTS, **_RECORDS}

#: What can be chosen beside the ids of rules.
GROUPS: Final[dict[str, frozenset[str]]] = {
    "all": frozenset(RULES),
    **{
        f"{severity}s": frozenset(name for name in RULES if RULES[name].severity == severity)
        for severity in get_args(Severity)
    },
}


def rules_named(given: Iterable[str]) -> frozenset[str]:
    """Return the rules with these names, which are ids or groups, or several with commas between.

    Raises `ValueError` for a name that is neither.
    """
    named: set[str] = set()
    for name in (part.strip() for each in given for part in each.split(",")):
        if name.lower() in GROUPS:
            named |= GROUPS[name.lower()]
        elif name in RULES:
            named.add(name)
        else:
            hint = meant(name, [*RULES, *GROUPS])
            raise ValueError(
                f"there is no rule {name!r}; {hint}`cogwire lint --explain all` lists them"
            )
    return frozenset(named)
