# SPDX-License-Identifier: MIT
"""A report as JUnit XML, which build servers read."""

import json
import re
import xml.etree.ElementTree as ET
from typing import Final

from cogwire_kit.conformance.judge import PASSING
from cogwire_kit.conformance.reports import Record, Report
from cogwire_kit.conformance.terminal import again
from cogwire_kit.conformance.verdict import verdict

#: XML 1.0 cannot hold these characters, not even as references (production 2).
_NO_XML: Final = re.compile("[^\\t\\n\\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def written(report: Report) -> str:
    """Return the report as a document of one test suite for each dialect."""
    root = ET.Element("testsuites", name=_held(f"cogwire conformance of {report.target}"))
    for dialect in dict.fromkeys(case["dialect"] for case in report.cases):
        cases = [case for case in report.cases if case["dialect"] == dialect]
        suite = ET.SubElement(root, "testsuite", name=dialect, timestamp=report.run["started"])
        for case in cases:
            _add(suite, case, report.run)
        for tag in ("failure", "error", "skipped"):
            suite.set(
                {"failure": "failures", "error": "errors"}.get(tag, tag), str(_count(suite, tag))
            )
        suite.set("tests", str(len(cases)))
    _add_run(root, report)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_run(root: ET.Element, report: Report) -> None:
    """Add the verdict on the run as such, so that none without a verdict looks like a good one."""
    found = verdict(report)
    suite = ET.SubElement(root, "testsuite", name="run", timestamp=report.run["started"])
    test = ET.SubElement(suite, "testcase", classname="run", name="verdict")
    names = ("probes", "unexplained", "baseline")
    lines = [line for name in names for line in report.end.get(name, ())]
    is_error = found.kind == "none" or bool(lines) or not report.cases
    if is_error:
        error = ET.SubElement(test, "error", type=found.kind, message=_held(found.text))
        error.text = _held("\n".join(lines))
    else:
        ET.SubElement(test, "system-out").text = _held(found.text)
    for name, value in (("tests", 1), ("failures", 0), ("errors", is_error), ("skipped", 0)):
        suite.set(name, str(int(value)))


def _count(suite: ET.Element, tag: str) -> int:
    return len(suite.findall(f"testcase/{tag}"))


def _add(suite: ET.Element, case: Record, run: Record) -> None:
    name = f"{case['dialect']}.{case['op']}"
    test = ET.SubElement(suite, "testcase", classname=name, name=case["id"])
    properties = ET.SubElement(test, "properties")
    for key, value in (("level", case["level"]), ("clauses", " ".join(case["clauses"]))):
        ET.SubElement(properties, "property", name=key, value=value)
    verdict = case["verdict"]
    if verdict in PASSING:
        return
    if "known" in case:
        ET.SubElement(test, "skipped", message=_held(f"known: {case['known']}"))
        return
    # A parser that is wrong has failed; one that gave no answer could not be judged.
    tag = "failure" if verdict in ("differs", "late", "unsupported") else "error"
    messages = [_message(name, seen) for name, seen in case["properties"].items()]
    element = ET.SubElement(
        test, tag, type=verdict, message=_held("; ".join(filter(None, messages)))
    )
    element.text = _held(f"{case['title']}\n{_details(case)}\n{again(case, run)}")


def _message(name: str, seen: Record) -> str:
    if seen["verdict"] in PASSING:
        return ""
    message = seen.get("finding", {}).get("message", seen.get("note", ""))
    return f"{name}: {seen['verdict']}: {message}"


def _details(case: Record) -> str:
    findings = [seen["finding"] for seen in case["properties"].values() if "finding" in seen]
    names = ("request", "expected", "actual")
    return "\n".join(f"{name}: {json.dumps(f[name])}" for f in findings for name in names)


def _held(text: str) -> str:
    """Return `text` with what XML cannot hold written as escapes."""
    return _NO_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
