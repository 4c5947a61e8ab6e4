# SPDX-License-Identifier: MIT
"""Writes findings: for people as linters print them, and in forms that programs read."""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

import click

import cogwire
from cogwire_kit.lint.examples import EXAMPLES
from cogwire_kit.lint.findings import Finding
from cogwire_kit.lint.rules import RULES, Severity
from cogwire_kit.texts.words import on_a_line, visible

#: A finding, and the name of its file.
Found = tuple[str, Finding]

SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


#: How much of an example is in the description of a rule.
_WIDTH: Final = 400


def _where(file: str, found: Finding) -> str:
    return f"{on_a_line(file)}:{found.line}:{found.column}"


#: How the severities are coloured.
_COLORS: Final[dict[Severity, str]] = {"error": "red", "warning": "yellow", "note": "cyan"}


Write = Callable[[Iterable[Found], TextIO], None]


def writer(form: str, *, coloured: bool) -> Write:
    """Return the writer for a form; output for programs is never coloured."""
    if form in _FOR_PEOPLE:
        return partial(_FOR_PEOPLE[form], coloured=coloured)
    return _FOR_PROGRAMS[form]


def write_concise(found: Iterable[Found], output: TextIO, *, coloured: bool = False) -> None:
    """Write a line for each finding, which begins as compilers write places."""
    for file, each in found:
        at = f" ({each.pointer})" if each.pointer else ""
        print(
            f"{_where(file, each)}: {_head(each, coloured=coloured)} {visible(each.message)}{at}",
            file=output,
        )


def _head(found: Finding, *, coloured: bool) -> str:
    """Return the severity and the rule, as compilers write them."""
    head = f"{found.severity}[{found.rule}]:"
    return click.style(head, fg=_COLORS[found.severity], bold=True) if coloured else head


def write_full(found: Iterable[Found], output: TextIO, *, coloured: bool = False) -> None:
    """Write each finding with its line, a caret under its place, and what to do."""
    from rich.cells import cell_len  # noqa: PLC0415 - only people need it

    for file, each in found:
        print(f"{_head(each, coloured=coloured)} {visible(each.message)}", file=output)
        at = f" {each.pointer}" if each.pointer else ""
        print(f" --> {_where(file, each)}{at}", file=output)
        if each.excerpt:
            line = visible(each.excerpt)
            before = visible(each.excerpt[: each.caret])
            width = max(each.end - each.start, 1)
            marked = visible(each.excerpt[each.caret : each.caret + width])
            carets = "^" * max(cell_len(marked), 1)
            if coloured:
                carets = click.style(carets, fg=_COLORS[each.severity], bold=True)
            print(f"  |\n  | {line}\n  | {' ' * cell_len(before)}{carets}\n  |", file=output)
        print(f"  = help: {visible(each.help)}\n", file=output)


def as_json(file: str, found: Finding) -> dict[str, Any]:
    """Return a finding as an object, without the members that are None."""
    members = {name: value for name, value in found._asdict().items() if value is not None}
    for name in ("excerpt", "caret"):
        members.pop(name)
    return {"file": file, **members}


def write_jsonl(found: Iterable[Found], output: TextIO) -> None:
    """Write a JSON object a line."""
    for file, each in found:
        print(json.dumps(as_json(file, each), ensure_ascii=False), file=output)


def write_sarif(found: Iterable[Found], output: TextIO) -> None:
    """Write one SARIF log, a result a line as it is found; the rules that are broken come last."""
    head = json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0"})
    output.write(f'{head[:-1]}, "runs": [{{"columnKind": "unicodeCodePoints", "results": [')
    rules: dict[str, int] = {}
    alike: Counter[str] = Counter()
    separator = "\n"
    for file, each in found:
        index = rules.setdefault(each.rule, len(rules))
        result = {**_result(file, each, index), "partialFingerprints": _print(file, each, alike)}
        output.write(separator + json.dumps(result, ensure_ascii=False))
        separator = ",\n"
    driver = {
        "name": "cogwire lint",
        "version": cogwire.__version__,
        "semanticVersion": cogwire.__version__,
        "rules": [_rule(name) for name in rules],
    }
    if address := _address():
        driver["informationUri"] = address
    tool = json.dumps({"driver": driver}, ensure_ascii=False)
    output.write(f'\n], "tool": {tool}}}]}}\n')


def fingerprint(file: str, found: Finding) -> str:
    """Return a finding's identity, which does not depend on its line number."""
    known_by = json.dumps([uri_of(file), found.rule, found.message, found.excerpt])
    return hashlib.sha256(known_by.encode("utf-8")).hexdigest()[:16]


def _print(file: str, found: Finding, alike: Counter[str]) -> dict[str, str]:
    """Return the fingerprint of a finding, and the number of it among those that are alike."""
    digest = fingerprint(file, found)
    alike[digest] += 1
    return {"cogwireFinding/v1": f"{digest}:{alike[digest]}"}


def write_github(found: Iterable[Found], output: TextIO) -> None:
    """Write a command of GitHub's workflows for each finding, which annotates the file's line."""
    for file, each in found:
        kind = "notice" if each.severity == "note" else each.severity
        places = {
            "file": file,
            "line": each.line,
            "endLine": each.end_line,
            "col": each.column,
            "endColumn": each.end_column,
            "title": f"{each.rule} {each.pointer or ''}".rstrip(),
        }
        # Columns are of one line only.
        if each.end_line != each.line:
            del places["col"], places["endColumn"]
        listed = ",".join(f"{name}={_command(str(at), ':,')}" for name, at in places.items())
        print(f"::{kind} {listed}::{_command(each.message)}", file=output)


def _command(text: str, others: str = "") -> str:
    """Return text for a workflow command, with special characters percent-encoded."""
    return re.sub(f"[%\r\n{others}]", lambda char: f"%{ord(char[0]):02X}", text)


def write_junit(found: Iterable[Found], output: TextIO) -> None:
    """Write a JUnit report: a test case that failed for each finding."""
    output.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
    output.write('<testsuite name="cogwire lint">\n')
    for file, each in found:
        text = f"{_where(file, each)}: {visible(each.message)}"
        name = quoteattr(f"{each.rule} at {_where(file, each)}")
        case = f"classname={quoteattr(on_a_line(file))} name={name}"
        failure = f"type={quoteattr(each.rule)} message={quoteattr(visible(each.message))}"
        output.write(f"<testcase {case}><failure {failure}>{escape(text)}</failure></testcase>\n")
    output.write("</testsuite>\n</testsuites>\n")


def _address() -> str | None:
    """Return the address of the documentation, if this copy was built with one."""
    try:
        urls = metadata.metadata("cogwire").get_all("Project-URL", [])
    except metadata.PackageNotFoundError:
        return None
    named = dict(each.split(", ", 1) for each in urls)
    return named.get("Documentation") or named.get("Repository")


def _rule(name: str) -> dict[str, Any]:
    rule = RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": f"{rule.summary[0].upper()}{rule.summary[1:]}."},
        "fullDescription": {"text": _full(name)},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.severity},
    }


def _full(name: str) -> str:
    """Return what a rule is about, with an example of it."""
    example = EXAMPLES[name]
    return f"{RULES[name].summary}; for example: {visible(example.bad)[:_WIDTH]}"


def _result(file: str, found: Finding, index: int) -> dict[str, Any]:
    region: dict[str, Any] = {
        "startLine": found.line,
        "startColumn": found.column,
        "endLine": found.end_line,
        "endColumn": found.end_column,
    }
    if found.excerpt:
        region["snippet"] = {"text": found.excerpt}
    artifact = {"uri": uri_of(file)}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, "region": region}
    }
    if found.pointer:
        location["logicalLocations"] = [
            {"fullyQualifiedName": f"{found.record}{found.pointer}", "kind": "element"}
        ]
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": found.severity,
        "message": {"text": found.message},
        "locations": [location],
    }
    if found.occurrences is not None:
        result["occurrenceCount"] = found.occurrences
    if found.replacement is not None:
        deleted = {name: value for name, value in region.items() if name != "snippet"}
        change = {"deletedRegion": deleted, "insertedContent": {"text": found.replacement}}
        result["fixes"] = [
            {
                "description": {"text": "Write it in its literal form."},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}],
            }
        ]
    return result


def uri_of(file: str) -> str:
    """Return a file's name as a URI: relative to where the command runs, if it is there."""
    if file == "-":
        return "stdin"
    path = Path(file)
    if path.is_absolute():
        return path.as_uri()
    return quote(os.fsencode(path.as_posix()))


_FOR_PEOPLE: Final = {"full": write_full, "concise": write_concise}
_FOR_PROGRAMS: Final = {
    "jsonl": write_jsonl,
    "sarif": write_sarif,
    "github": write_github,
    "junit": write_junit,
}
#: The forms in which findings are written.
FORMS: Final = (*_FOR_PEOPLE, *_FOR_PROGRAMS)


def statistics(counts: Counter[str]) -> Iterator[str]:
    """Yield a line for each rule that was broken, the one broken most often first."""
    width = max((len(str(count)) for count in counts.values()), default=0)
    longest = max(map(len, counts), default=0)
    for rule, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        yield f"{count:>{width}}  {rule:<{longest}}  {RULES[rule].summary}"
