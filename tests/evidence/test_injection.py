"""The injection run: what it tries, that nothing breaks out, and that a broken escape is found."""

import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path

import pytest
from fuzz import injection

import cogwire
from cogwire.wire.dialects import dialect_named
from cogwire.wire.writing import writing_of
from tests.processes import ran

ROOT = Path(__file__).parents[2]
CATALOGUE = json.loads((ROOT / "fuzz" / "breakouts.json").read_text("utf-8"))
EXAMPLES = 1_200


def test_nothing_breaks_out():
    tally = injection.examine(5, range(EXAMPLES))
    assert tally.findings == []
    assert tally.done == EXAMPLES
    written = {key[1:3] for key in tally.counts if key[0] == "outcomes" and key[3] == "written"}
    assert written == {(d, w) for d in injection.DIALECTS for w in injection.WRITERS}
    assert len(tally.counted("breakouts")) > 0.9 * len(CATALOGUE)


def test_an_example_is_the_same_whenever_it_is_asked_for():
    plans = [injection.Author(seed, 77).plan() for seed in (1, 1, 2)]
    assert plans[0] == plans[1] != plans[2]


# --- The catalogue ------------------------------------------------------------------------------


def test_a_breakout_has_a_description():
    assert [entry.keys() for entry in CATALOGUE] == [
        {"name", "text", "dialects", "tries"} for _ in CATALOGUE
    ]
    assert len({entry["name"] for entry in CATALOGUE}) == len(CATALOGUE)
    assert len({json.dumps(entry["text"]) for entry in CATALOGUE}) == len(CATALOGUE)
    for entry in CATALOGUE:
        assert entry["dialects"]
        assert set(entry["dialects"]) <= set(injection.DIALECTS)
        assert entry["tries"].rstrip(".") == entry["tries"] != ""


EVERYWHERE = ("\u200b", "\u00ad", "\ufeff", "\ufe0f", "\u202e", "\u0301", "\0", "\ud800")
EVERYWHERE += ("\r", "\u2028", "\u2029", "\u0085")
XML = ("\\u003c", "&lt;", "&amp;", "&#60;", '\\"', "]]>", "</RESULTS>", "</rEsUlTs>", "＜")
XML += ("</results>", "</think>", "<execute>", "<think>", "<results>", "<end>")
LINES = ("\\u00a7", "&sect;", "]\n", "[SYSTEM: ", "[system: ", "§execute", "§EXECUTE", "§eNd")
LINES += ("§think: ", "§call: ", "§respond: ", "§result: ", "§end")


@pytest.mark.parametrize("dialect", injection.DIALECTS)
def test_the_catalogue_has_the_known_breakouts(dialect):
    known = [*EVERYWHERE, *(XML if dialect.startswith("xml") else LINES)]
    texts = [text for _, text in injection.breakouts()[dialect]]
    assert [each for each in known if not any(each in text for text in texts)] == []


@pytest.mark.parametrize("dialect", injection.DIALECTS)
def test_every_marker_is_tried_in_parts(dialect):
    """Some text ends in each beginning of a marker that is closed by the next text."""
    cuts = ("<", "</", "<end") if dialect.startswith("xml") else ("§", "§respond", "[SYSTEM:")
    for cut in cuts:
        assert any(text.endswith(cut) for _, text in injection.breakouts()[dialect]), cut


# --- That it finds something --------------------------------------------------------------------


RESULTS = re.compile(r"(?:\A|[\r\n])[ \t]*(§result:|\[SYSTEM: )", re.IGNORECASE | re.ASCII)

BROKEN = {
    "results are written without escapes": ("escaped", lambda text: text),
    "bodies are taken for safe whatever they contain": ("_is_safe", lambda *_: True),
    "texts of messages are not neutralised": ("literal", lambda text: text),
    "only results are neutralised in users' lines": ("_of_users", RESULTS),
}


def holders(name):
    """Return the modules of the core that have a private name; there has to be one."""
    found = pkgutil.walk_packages(cogwire.__path__, "cogwire.")
    modules = [importlib.import_module(each.name) for each in found]
    having = [module for module in modules if name in vars(module)]
    assert having, f"the core has no {name}"
    return having


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_escape_is_found(monkeypatch, broken):
    name, instead = BROKEN[broken]
    writers = [writing_of(dialect_named(each)) for each in ("delimiter", "delimiter-upper")]
    for holder in writers if name == "_of_users" else holders(name):
        monkeypatch.setattr(holder, name, instead)
    assert injection.examine(5, range(EXAMPLES)).findings


def test_a_finding_is_small_and_can_be_run_again(monkeypatch):
    [module] = holders("_is_safe")
    monkeypatch.setattr(module, "_is_safe", lambda *_: True)
    [first, *_] = [
        number
        for number, writer in injection.examine(5, range(EXAMPLES)).findings
        if writer == "results"
    ]
    printed = injection.described(5, first)
    assert f"python fuzz/injection.py --seed 5 --only {first}\n" in printed
    case = json.loads(printed[printed.index("{") :])
    assert case["op"] == "results"
    [result] = case["request"]["results"]
    assert len(json.dumps(result["content"])) < 30
    with pytest.raises(injection.Broken):
        injection.outcome(
            [["batch", [["a", {}]], [["success", "1\n§end"]], "batch"]], case["dialect"], "results"
        )


def test_text_that_is_read_differently_is_broken():
    written = [{"type": "respond", "content": "a"}]
    injection.compare(written, [dict(written[0])], "xml-json")
    for heard in ([], [{"type": "think", "content": "a"}], [{"type": "respond", "content": "b"}]):
        with pytest.raises(injection.Broken):
            injection.compare(written, heard, "xml-json")
    injection.compare(
        [{**written[0], "changed": {"trimmed"}}], [{**written[0], "content": ""}], "xml-json"
    )


# --- The program --------------------------------------------------------------------------------


def run(*arguments):
    command = [sys.executable, str(ROOT / "fuzz" / "injection.py"), *map(str, arguments)]
    return ran(*command, cwd=ROOT)


def test_the_run_counts_and_continues(tmp_path):
    report, kept = tmp_path / "report.json", tmp_path / "kept.json"
    first = run("--examples", 24, "--seed", 3, "--keep", kept)
    assert (first.returncode, first.stderr.count("24 of 24")) == (0, 1)
    again = run("--examples", 48, "--seed", 3, "--keep", kept, "--report", report)
    assert again.returncode == 0
    assert again.stdout.startswith("48 examples of seed 3, ")
    counted = json.loads(report.read_text("utf-8"))
    assert (counted["examples"], counted["findings"], counted["seed"]) == (48, 0, 3)
    whole = tmp_path / "whole.json"
    run("--examples", 48, "--seed", 3, "--processes", 2, "--report", whole)
    assert {**json.loads(whole.read_text("utf-8")), "command": ""} == {**counted, "command": ""}


def test_one_example_is_shown():
    shown = run("--only", 5, "--seed", 3)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("render in xml-elements: [")
    assert run("--examples", 0).returncode == 2


def test_the_published_run_is_that_of_its_command():
    report = ROOT / "fuzz" / "reports" / "injection.json"
    published = json.loads(report.read_text("utf-8"))
    assert f"--examples {published['examples']} --seed {published['seed']}" in published["command"]
    assert published["findings"] == 0
    assert published["breakouts"]["in the catalogue"] <= len(CATALOGUE)
    assert report.read_text("utf-8") == f"{json.dumps(published, indent=2, sort_keys=True)}\n"
